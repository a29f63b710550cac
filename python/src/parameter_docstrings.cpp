// Implementation of parameter_docstrings.hpp.
#include <python/src/parameter_docstrings.hpp>
#include <string_view>

namespace exactdot::python {
namespace {

/// The entry of a keyword parameter in the section Parameters.
std::string parameter_text(unsigned keyword, const function_text& text) {
  switch (keyword) {
    case axis_parameter:
      if (is_ratio_of_two(text)) {
        return R"(axis : int, optional
    The axis of the vectors in each array; the others are broadcast, and an array of one dimension goes along this axis.
    Default: all elements of two arrays of one shape.
)";
      }
      return std::string_view(text.name) == "vecdot"
                 ? "axis : int\n    The axis of the vectors in each array; default: the last.\n"
                 : R"(axis : int, or tuple or list of int, optional
    The axes over which to reduce; default: all. Each result has the bits of the call on
    its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
)";
    case keepdims_parameter:
      return "keepdims : bool\n    With True the result is an array in which the reduced axes have length 1. No "
             "other object is taken "
             "for a\n    bool.\n";
    case ddof_parameter:
      if (std::string_view(text.name).starts_with("weighted")) {
        return "ddof : int\n    0 (default); the divisor is sum(weights) - ddof: 1 for a sample whose weights "
               "count how "
               "often\n    each element occurs.\n";
      }
      if (is_ratio(text)) return "ddof : int\n    1 (default) for a sample, 0 for a population, as of var.\n";
      return "ddof : int or float\n    0 (default) for the variance of a population, 1 for that of a sample. With "
             "a fraction the result is "
             "rounded\n    once, too, and computed from the exact sums on the host.\n";
    case correction_parameter:
      return "correction : int or float, optional\n    The array API's name of ddof.\n";
    case mean_parameter:
      return R"(mean : float or array, optional
    The mean, if it is known: the result is sum((x - mean)**2)/(n - ddof), or its root, of the exact differences. An array
    broadcasts to the shape of x. In host memory only.
)";
    case ord_parameter:
      return R"(ord : {2, 1, 0, inf, -inf}
    2 (default) for the Euclidean norm, 1 for the sum of the magnitudes, 0 for the number of elements that are not zero,
    inf for the largest magnitude, -inf for the least. The last three are of arrays in host memory; 0 and -inf copy them.
)";
    case joined_parameter:
      return R"(joined : bool
    False (default): a result for each array. True: one for the elements of all, rounded once. No other object is taken
    for a bool.
)";
    case epsilon_parameter:
      return std::string(
                 "epsilon : float, optional\n    What is added to the mean of the squares or to the variance: 0, "
                 "or "
                 "1e-150 to 1e100. Default: ") +
             (std::string_view(text.name) == "layer_norm"
                  ? "1e-5"
                  : "the\n    machine epsilon of float32, of float64 that of float64") +
             ".\n";
    case mode_parameter:
      return std::string(
                 "mode : {\"exact\", \"fast\"}\n    \"fast\" adds with plain fused multiply-adds in a fixed "
                 "order: the same bits everywhere, not exact.") +
             (text.value_error[0] == 'd' ? " It has\n    no variance: ValueError." : "") + "\n";
    case dtype_parameter:
      return std::string(
                 "dtype : whatever numpy.dtype or a framework accepts, such as \"float32\", optional\n"
                 "    The type to which the result is rounded. ") +
             text.dtype_default + "\n";
    case threads_parameter:
      return "threads : int\n    The maximum number of CPU threads; 0 (default): automatic. The result does not "
             "depend on it.\n";
    case device_parameter:
      return R"(device : {"auto", "cpu", "cuda", "cuda:N"}
    The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
    on their GPU; naming another device is an error.
)";
    case out_parameter:
      if (std::string_view(text.name).ends_with("_norm") && text.dtype_default[0] == '\0') {
        return R"(out : array, optional
    The array that receives the results, of the shape and type of x, with contiguous rows. It must not share memory with
    the inputs. In GPU memory the call does not wait: the results are ordered by the stream. So are new arrays in GPU
    memory, which are of PyTorch, CuPy or JAX.
)";
      }
      return R"(out : array or ..., optional
    The array that receives the results, rounded to its element type: of the shape of the results, or for one result
    of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
    wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
    several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
)";
    case add_to_parameter:
      return R"(add_to : array, optional
    The array to which the results are added, in place: each is the exact sum of what is there and of its group,
    rounded once, where index_add_ of PyTorch and numpy.add.at round each step. Of the shape of the results, whose
    first axis is then the number of groups; groups without elements keep their bits. Instead of out, and as out in
    all else.
)";
    case stream_parameter:
      return R"(stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
    The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
    belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
)";
    case where_parameter:
      return R"(where : array of booleans, optional
    Elements where it is False are not there: counts, means and variances know. It broadcasts to the shape of the first
    array. The elements that stay are copied. In host memory only.
)";
    case skip_nan_parameter:
      return R"(skip_nan : bool
    With True NaNs are not there, nor nulls of columns; of two arrays both elements, if one is NaN. Elements that stay are
    copied. In host memory only.
)";
    case initial_parameter:
      return R"(initial : int or float, optional
    One element more of each result, which is then its value if no other is left.
)";
    case rowvar_parameter:
      return R"(rowvar : bool
    Of one array of two axes: with True (default), as in numpy.cov, each row holds one variable, with False each column.
)";
    case skip_parameter:
      return "skip_out_of_range : bool\n    With True elements whose key is no group's are left out; otherwise the "
             "first such key is an error.\n";
    default:
      return R"(negative_zero : bool
    With True the sum of nothing, and of negative zeros only, is -0.0, as that of JavaScript's Math.sumPrecise and
    Rust's Iterator::sum. Not with out in GPU memory.
)";
  }
}

}  // namespace

std::string keywords_text(const function_signature& signature, const function_text& text) {
  std::string doc;
  for (unsigned i = 0; i < parameter_count; ++i) {
    if (signature.has(i)) doc += parameter_text(i, text);
  }
  return doc;
}

std::string raises_text(const function_signature& signature, const function_text& text) {
  const bool two = signature.inputs == 2;
  const bool mixes = two && is_ratio_of_two(text);
  return std::string(
             "\nRaises\n------\nTypeError\n    An argument is no vector of numbers, a masked array, or a PyTorch "
             "tensor "
             "that requires a gradient") +
         (two && !mixes ? ";\n    one vector holds integers, the other floating-point numbers.\n" : ".\n") +
         "ValueError\n    " + text.value_error + (text.value_error[0] != '\0' ? "an" : "An") +
         " array has a shape that the function does not take, or holds nulls; an option is unknown.\n" +
         (signature.has(dtype_parameter) && std::string_view(text.dtype_default) == sum_dtype
              ? "OverflowError\n    An integer result exceeds its type.\n"
              : "") +
         R"(RuntimeError
    The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
KeyboardInterrupt
    Ctrl-C ends a long call on the CPU within a second.
)";
}

}  // namespace exactdot::python
