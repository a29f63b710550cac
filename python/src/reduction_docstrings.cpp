// Implementation of reduction_docstrings.hpp.
#include <array>
#include <python/src/reduction_docstrings.hpp>
#include <string_view>
#include <utility>

namespace exactdot::python {
namespace {

/// What is special about a function. The lines of an example follow the two imports.
struct function_text {
  const char* name;
  const char* summary;
  const char* details;
  const char* dtype_default;
  const char* returns;
  const char* value_error;
  const char* example;
};

constexpr const char* sum_dtype =
    "Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if "
    "all\n    are unsigned; of booleans int64.";
constexpr const char* mean_dtype = "Default: the element type; of integers float64.";
constexpr const char* ratio_dtype =
    "Default: the element type of both, or the wider one; of integers alone float64.";
constexpr const char* ratio_nan = "NaN if the divisor is 0, and for vectors with an infinity or a NaN.";
constexpr const char* pair_errors = "The lengths differ, or the other axes cannot be broadcast; ";
constexpr const char* covariance_errors =
    "The lengths differ, or the other axes cannot be broadcast; ddof is negative; ";
constexpr const char* number = "float, or int for an integer type; or out if it was passed\n    ";
constexpr const char* rounded_once =
    R"(The result is the real number, rounded to nearest, ties to even. It has the same bits with any number of threads, on
any instruction set, on any GPU and in any order of the elements.)";
constexpr const char* nan_wins =
    "A NaN wins, and -0.0 is less than 0.0. The result does not depend on the number of threads or on the device.";

constexpr std::array<function_text, 28> texts = {{
    {"dot", "Computes the dot product of two vectors exactly and rounds it once.", rounded_once, sum_dtype,
     "0 for vectors of length 0.", "The lengths or devices differ; ",
     ">>> xd.dot(np.array([1e200, 1e200, 1.0]), np.array([1e200, -1e200, 1.0]))\n1.0\n"},
    {"vecdot", "Computes the dot products of vectors along one axis of two arrays, each exactly and rounded once.",
     "The other axes are broadcast. Each result has the bits of dot on its vectors alone.", sum_dtype,
     "0 for vectors of length 0.", "The lengths differ, or the other axes cannot be broadcast; ",
     ">>> xd.vecdot(np.array([[1e200, 1.0], [3.0, 4.0]]), np.array([0.0, 1.0]))\narray([1., 4.])\n"},
    {"vdot", "Computes the dot product of conj(a) and b, which are vectors here, and rounds its parts once.",
     rounded_once, sum_dtype, "0 for vectors of length 0.", "The lengths differ; ",
     ">>> xd.vdot([1.0, 2.0], [3.0, 4.0])\n11.0\n"},
    {"matvec", "Computes the product of a matrix and a vector, each element exactly and rounded once.",
     "a has shape (..., m, n), b (..., n); the axes before are broadcast: of a matrix (m, n) and vectors (r, n) "
     "the "
     "result is (r, m), and a matrix of floats is read once for up to 16 vectors (of float64 on CPUs only). Each "
     "result has the bits of dot on its "
     "row.",
     sum_dtype, "0 for rows of length 0.", "The lengths differ, or the axes before cannot be broadcast; ",
     ">>> xd.matvec(np.array([[1e16, 1.0, -1e16], [1.0, 2.0, 3.0]]), np.ones(3))\narray([1., 6.])\n"},
    {"sum", "Computes the sum of a vector exactly and rounds it once.", rounded_once, sum_dtype,
     "0 for a vector of length 0.", "",
     ">>> xd.sum(np.array([1e100, 1.0, -1e100]))\n1.0\n>>> xd.sum([1, 2, 3])\n6\n"},
    {"asum", "Computes the sum of the magnitudes of a vector exactly and rounds it once.", rounded_once, sum_dtype,
     "0 for a vector of length 0.", "", ">>> xd.asum(np.array([1e16, -1.0, -1.0]))\n1.0000000000000002e+16\n"},
    {"sum_of_squares", "Computes the sum of the squares of a vector exactly and rounds it once.", rounded_once,
     sum_dtype, "0 for a vector of length 0.", "", ">>> xd.sum_of_squares(np.array([3, 4]))\n25\n"},
    {"norm", "Computes the Euclidean norm of a vector: the root of the exact sum of squares, rounded once.",
     "Neither squares nor sum over- or underflow. The result has the same bits with any number of threads, on any\n"
     "instruction set, on any GPU and in any order of the elements. A list or tuple of arrays, which may differ "
     "in\n"
     "shape, has one norm: that of all their elements.",
     mean_dtype, "0.0 for a vector of length 0.", "ord is another; ",
     ">>> xd.norm(np.array([3e300, 4e300]))\n5e+300\n>>> xd.norm([np.array([1.0, 4.0]), np.full((2, 4), "
     "1.0)])\n5.0\n"},
    {"vector_norm", "Computes the norm of a vector: the root of the exact sum of squares, rounded once.",
     "The array API's name of norm, as exactdot.linalg.vector_norm. Neither squares nor sum over- or underflow.",
     mean_dtype, "0.0 for a vector of length 0.", "ord is another; ",
     ">>> xd.linalg.vector_norm(np.array([[3.0, 4.0], [5.0, -12.0]]), axis=1)\narray([ 5., 13.])\n"},
    {"mean", "Computes the mean of a vector: the exact quotient of sum and length, rounded once.", rounded_once,
     mean_dtype, "NaN for a vector of length 0.", "", ">>> xd.mean(np.array([1e308, 1e308]))\n1e+308\n"},
    {"var", "Computes the variance of a vector: the exact quotient, rounded once.",
     "The variance is the sum of the squared deviations from the exact mean, over n - ddof. Nothing cancels: the\n"
     "result has the same bits with any number of threads, on any device and in any order of the elements.",
     mean_dtype, "NaN for a vector of length ddof or less, and for one with an infinity or a NaN.",
     "ddof is negative; mode is \"fast\"; ", ">>> xd.var(np.array([1e9, 1e9 + 1, 1e9 + 2]), ddof=1)\n1.0\n"},
    {"std", "Computes the standard deviation of a vector: the root of the exact variance, rounded once.",
     "Otherwise as var.", mean_dtype,
     "NaN for a vector of length ddof or less, and for one with an infinity or a NaN.",
     "ddof is negative; mode is \"fast\"; ", ">>> xd.std(np.array([1.0, 3.0]))\n1.0\n"},
    {"min", "Returns the least element of a vector.", nan_wins, "", "", "The vector is empty; ",
     ">>> xd.min(np.array([0.0, -0.0, 1.0]))\n-0.0\n"},
    {"max", "Returns the greatest element of a vector.", nan_wins, "", "", "The vector is empty; ",
     ">>> xd.max([1, 3, 2])\n3\n"},
    {"argmin", "Returns the index of the least element of a vector.",
     "The lowest index of the element that min returns; the first NaN if there is one.", "", "",
     "The vector is empty; ", ">>> xd.argmin(np.array([1.0, 0.0, 0.0]))\n1\n"},
    {"argmax", "Returns the index of the greatest element of a vector.",
     "The lowest index of the element that max returns; the first NaN if there is one.", "", "",
     "The vector is empty; ", ">>> xd.argmax(np.array([1.0, np.nan, 2.0]))\n1\n"},
    {"minmax", "Returns the least and the greatest element of a vector, as a tuple.",
     "The results of min and of max. A vector in host memory is read once; arrays with results along axes, "
     "segments, groups\n"
     "and arrays in GPU memory twice.",
     "", "", "The vector is empty; ", ">>> xd.minmax(np.array([3.0, -0.0, 0.0]))\n(-0.0, 3.0)\n"},
    {"iamax", "Returns the index of the largest magnitude of a vector, as BLAS's iamax does, from 0 on.",
     "The lowest index of an element whose magnitude is largest; the first NaN if there is one, as of argmax. A "
     "vector in host\n"
     "memory is read once.",
     "", "", "The vector is empty; ", ">>> xd.iamax(np.array([1.0, -3.0, 3.0]))\n1\n"},
    {"weighted_mean", "Computes the weighted mean, sum(x*weights)/sum(weights): the exact quotient, rounded once.",
     "Equal elements have that element as mean, whatever the weights, which may be negative. numpy.average rounds "
     "each\n"
     "step.",
     ratio_dtype, "NaN if the sum of the weights is 0.", pair_errors,
     ">>> xd.weighted_mean(np.array([0.1, 0.1]), [1.0, 2.0])\n0.1\n"},
    {"weighted_var",
     "Computes the weighted variance, sum(weights*(x - m)**2)/sum(weights), m the exact weighted mean, rounded once.",
     "Equal elements have the variance 0.0, whatever the weights. Weights may be negative; then the variance may be, too.",
     ratio_dtype, "NaN unless the sum of the weights, and that sum less ddof, have one sign; for an infinity or a NaN.",
     covariance_errors, ">>> xd.weighted_var(np.array([1.0, 2.0, 4.0]), [1, 1, 2])\n1.6875\n"},
    {"weighted_std", "Computes the weighted standard deviation: the root of the exact weighted variance, rounded once.",
     "Otherwise as weighted_var.", ratio_dtype, "NaN as of weighted_var, and if that is negative.", covariance_errors,
     ">>> xd.weighted_std(np.array([1.0, 3.0]), [2, 2])\n1.0\n"},
    {"cosine", "Computes the cosine of the angle between vectors, sum(x*y)/sqrt(sum(x*x)*sum(y*y)), rounded once.",
     "In [-1, 1]; 1 for x and x. Neither products nor sums round, over- or underflow.", ratio_dtype, ratio_nan,
     pair_errors,
     ">>> v = np.ones(2, \"float32\")\n>>> xd.cosine(v, v), xd.dot(v, v)/(xd.norm(v)*xd.norm(v))\n"
     "(1.0, 1.0000000342285429)\n"},
    {"distance", "Computes the Euclidean distance of points, sqrt(sum((x - y)**2)), rounded once.",
     "Neither differences nor squares round, over- or underflow.", ratio_dtype,
     "0.0 for vectors of length 0; inf if one of them has infinities, NaN if both have.", pair_errors,
     ">>> xd.distance(np.array([1e200, 3.0]), np.array([1e200, -1.0]))\n4.0\n"},
    {"cov", "Computes the covariance of two vectors: the exact quotient, rounded once.",
     "The sum of the products of the deviations from the exact means, over n - ddof. Without y the matrix of the "
     "covariances\nof the rows of x, or with rowvar=False of its columns: symmetric, with the variances on the diagonal, "
     "and\nof a vector its variance. numpy.cov rounds each step.",
     ratio_dtype, "NaN for vectors of length ddof or less, or with an infinity or a NaN.", covariance_errors,
     ">>> xd.cov(np.array([1e9, 1e9 + 1, 1e9 + 2]), [3.0, 5.0, 4.0])\n0.5\n>>> xd.cov(np.array([[1.0, 2.0], [2.0, 4.0], "
     "[3.0, 9.0]]), rowvar=False)\narray([[ 1. ,  3.5],\n       [ 3.5, 13. ]])\n"},
    {"corr", "Computes Pearson's correlation coefficient of two vectors, rounded once.",
     "In [-1, 1], and 1 or -1 for points on a line. Without y the matrix of the correlations of the rows of x, or with\n"
     "rowvar=False of its columns, as numpy.corrcoef: symmetric, with 1 on the diagonal.",
     ratio_dtype, ratio_nan, pair_errors, ">>> xd.corr(np.array([0.1, 0.2, 0.4]), [1.0, 2.0, 4.0])\n1.0\n"},
    {"slope", "Computes the slope of the line y = slope*x + intercept with the least squares, rounded once.",
     "The exact quotient of covariance and variance.", ratio_dtype, ratio_nan, pair_errors,
     ">>> xd.slope(np.array([1e9, 1e9 + 1, 1e9 + 2]), [1.0, 3.0, 5.0])\n2.0\n"},
    {"intercept",
     "Computes the intercept of the line y = slope*x + intercept with the least squares, rounded once.",
     "From the exact sums: no slope is rounded before.", ratio_dtype, ratio_nan, pair_errors,
     ">>> xd.intercept(np.array([1e9, 1e9 + 1, 1e9 + 2]), [1.0, 3.0, 5.0])\n-1999999999.0\n"},
    {"standard_error", "Computes the standard error of the mean, the root of the variance over n, rounded once.",
     "scipy.stats.sem rounds each step. Otherwise as std, but for the default of ddof.", mean_dtype,
     "NaN for a vector of length ddof or less, and for one with an infinity or a NaN.", "ddof is negative; ",
     ">>> xd.standard_error(np.array([1.0, 3.0, 5.0, 7.0]), ddof=0)\n1.118033988749895\n"},
}};

constexpr const char* element_types_text =
    R"( of floats of 8 (float8_e4m3fn, float8_e5m2) to 64 bits, or of integers of 8 to 64 bits
    Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
    (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
    tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
    objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
    vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
    them during the call.
)";

bool is_ratio_of_two(const function_text& text) { return std::string_view(text.dtype_default) == ratio_dtype; }
bool is_ratio(const function_text& text) {
  return is_ratio_of_two(text) || std::string_view(text.name) == "standard_error";
}

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
        return "ddof : int\n    0 (default); the divisor is sum(weights) - ddof: 1 for a sample whose weights count how "
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

std::string returns_text(const function_text& text) {
  const std::string_view name = text.name;
  std::string returns = "\nReturns\n-------\n";
  if (name == "minmax") return returns + "tuple of two floats, ints for integers, or arrays\n";
  if (name.starts_with("arg") || name == "iamax") return returns + "int, or out if it was passed\n";
  if (name == "min" || name == "max") return returns + "float, or int for integers; or out if it was passed\n";
  return returns +
         (std::string_view(text.dtype_default) == sum_dtype ? number : "float, or out if it was passed\n    ") +
         text.returns + "\n";
}

/// The results for the segments {3, 4} and {1}.
constexpr std::array<std::pair<const char*, const char*>, 12> segment_examples = {{{"sum", "7., 1."},
                                                                                   {"asum", "7., 1."},
                                                                                   {"sum_of_squares", "25.,  1."},
                                                                                   {"norm", "5., 1."},
                                                                                   {"mean", "3.5, 1. "},
                                                                                   {"var", "0.25, 0.  "},
                                                                                   {"std", "0.5, 0. "},
                                                                                   {"standard_error", "0.5, nan"},
                                                                                   {"min", "3., 1."},
                                                                                   {"max", "4., 1."},
                                                                                   {"argmin", "0, 0"},
                                                                                   {"argmax", "1, 0"}}};

/// The results for the elements 3, 5, 4 with the keys 0, 1, 0.
constexpr std::array<std::pair<const char*, const char*>, 10> group_examples = {{{"sum", "7., 5."},
                                                                                 {"asum", "7., 5."},
                                                                                 {"sum_of_squares", "25., 25."},
                                                                                 {"norm", "5., 5."},
                                                                                 {"mean", "3.5, 5. "},
                                                                                 {"var", "0.25, 0.  "},
                                                                                 {"std", "0.5, 0. "},
                                                                                 {"standard_error", "0.5, nan"},
                                                                                 {"min", "3., 5."},
                                                                                 {"max", "4., 5."}}};

/// The results for the vectors {1, 2} and {1, 3}, and {3, 5} and {2, 4}: segments of one array, or groups.
constexpr struct {
  const char *name, *results;
} ratio_examples[] = {{"weighted_mean", "1.75      , 4.33333333"},
                      {"weighted_var", "0.1875    , 0.88888889"},
                      {"weighted_std", "0.4330127 , 0.94280904"},
                      {"cosine", "0.98994949, 0.99705449"},
                      {"distance", "1.        , 1.41421356"},
                      {"cov", "1., 2."},
                      {"corr", "1., 1."},
                      {"slope", "2., 1."},
                      {"intercept", "-1., -1."}};

/// A call with these, of segments or of groups.
std::string ratio_example(std::string_view base, const char* shape, const char* integers) {
  std::string doc;
  for (const auto& [name, results] : ratio_examples) {
    if (base != name) continue;
    doc += std::string(">>> xd.") + shape + "_" + name + "([1.0, 2.0, 3.0, 5.0], [1.0, 3.0, 2.0, 4.0], " +
           integers + ")\narray([" + results + "])\n";
  }
  return doc;
}

/// "a, b" or "x, weights".
std::string names_of_both(const function_signature& signature) {
  const auto [first, second] = names_of_inputs(signature);
  return std::string(first) + ", " + second;
}

constexpr const char* keys_text = R"(keys : 1-D array of integers of any width, or booleans
    The group of each element, in any order: codes of categories, for example. In host memory keys that never
    decrease cost less. Keys of the rows of a matrix in GPU memory are sorted once, in some 20 bytes a row.
groups : int, optional
    The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
    and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
)";

/// The keyword parameters of a function.
std::string keywords_text(const function_signature& signature, const function_text& text) {
  std::string doc;
  for (unsigned i = 0; i < parameter_count; ++i) {
    if (signature.has(i)) doc += parameter_text(i, text);
  }
  return doc;
}

std::string group_raises_text(const function_signature& signature, const function_text& text) {
  function_text of_groups = text;
  const bool is_extremum = std::string_view(text.dtype_default).empty();
  of_groups.value_error = is_extremum ? "A key is out of range; a group is empty; " : "A key is out of range; ";
  if (signature.has(ddof_parameter)) of_groups.value_error = "A key is out of range; ddof is negative; ";
  return raises_text(signature, of_groups);
}

/// Of the function for groups that belongs to a function.
std::string group_docstring(const function_signature& signature, const function_text& text) {
  const std::string base = text.name;
  const bool two = signature.inputs == 2;
  std::string doc =
      "Calls " + base + " for each group of elements with the same key.\n\n" + "Each result has the bits of " +
      base + " on the elements of its group alone, in any order.\n\nParameters\n----------\n" +
      (two ? names_of_both(signature) +
                 " : arrays of shape (n, ...), whose axes after the first are broadcast: one of shape (n,) or (n, "
                 "1)\n    weights the rows of the other,"
           : std::string("x : array of shape (n, ...),")) +
      element_types_text + keys_text + keywords_text(signature, text) + "\nReturns\n-------\n" +
      (base == "minmax" ? "tuple of two arrays" : std::string("array")) + " of shape (groups, ...)" +
      (base == "minmax" ? "" : ", or out if it was passed") + "\n" + group_raises_text(signature, text) +
      "\nExamples\n--------\n>>> import exactdot as xd\n";
  if (is_ratio_of_two(text)) return doc + ratio_example(base, "group", "[0, 0, 1, 1]");
  if (two) {
    return doc +
           ">>> xd.group_dot([1, 2, 3], [4, 5, 6], [0, 1, 0])\narray([22, 10])\n"
           ">>> xd.group_dot([[1, 2], [3, 4], [5, 6]], [10, 1, 1], [0, 0, 1])  # weights of rows\n"
           "array([[13, 24],\n       [ 5,  6]])\n";
  }
  if (base == "minmax")
    doc += ">>> xd.group_minmax([3.0, 5.0, 4.0], [0, 1, 0])\n(array([3., 5.]), array([4., 5.]))\n";
  for (const auto& [name, results] : group_examples) {
    if (base == name) doc += ">>> xd.group_" + base + "([3.0, 5.0, 4.0], [0, 1, 0])\narray([" + results + "])\n";
  }
  return doc;
}

std::string group_count_docstring(const function_signature& signature) {
  const function_text text{"", "", "", "", "", "A key is out of range; ", ""};
  return std::string(
             "Counts the elements of each group: how many keys there are of each value.\n\n"
             "numpy.bincount does the same, by one thread.\n\nParameters\n----------\n") +
         keys_text + keywords_text(signature, text) +
         "\nReturns\n-------\narray of int64, or out, of int64 or uint64, if it was passed\n" +
         raises_text(signature, text) +
         "\nExamples\n--------\n>>> import exactdot as xd\n>>> xd.group_count([0, 2, 0])\narray([2, 0, 1])\n";
}

/// Of rms_norm and layer_norm.
std::string norm_docstring(const function_signature& signature) {
  const bool is_centred = signature.after == shape_arguments::weight_and_bias;
  const function_text text{signature.name, "", "", "", "", "epsilon is out of its range; ", ""};
  return std::string(is_centred ? "Computes (x - mean)*weight/sqrt(variance + epsilon) + bias"
                                : "Computes x*weight/sqrt(mean of x**2 + epsilon)") +
         R"( along the last axis, each element rounded once.

Each element is the real number of its row, weight and bias, rounded to nearest, ties to even: it does not depend on
the number of rows, on their places, on threads or on the device.

Parameters
----------
x : array of float16, bfloat16, float32 or float64, of one dimension or more
    From any library and on any device that the reductions take. Rows that are not contiguous are copied; in GPU memory
    they are refused. Do not write to it during the call.
)" + (is_centred ? "weight, bias" : "weight") +
         R"( : 1-D array as long as the last axis, optional
    Of the type of x or float32.
)" + keywords_text(signature, text) +
         "\nReturns\n-------\narray of the shape and type of x, or out if it was passed\n" +
         raises_text(signature, text) +
         "\nExamples\n--------\n>>> import exactdot as xd\n>>> import numpy as np\n" +
         (is_centred ? ">>> xd.layer_norm(np.array([1.0, 5.0, 5.0, 1.0]), epsilon=0)\narray([-1.,  1.,  1., -1.])\n"
                     : ">>> xd.rms_norm(np.array([1.0, 7.0, 5.0, 5.0]), epsilon=0)\narray([0.2, 1.4, 1. , 1. ])\n");
}

/// Of the function for segments that belongs to a function.
std::string segment_docstring(const function_signature& signature, const function_text& text) {
  const std::string base = text.name;
  const bool two = signature.inputs == 2;
  std::string doc =
      "Calls " + base + " for each segment of " + (two ? "two vectors" : "a vector") +
      ".\n\nSegment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of " + base +
      " on\nits elements alone.\n\nParameters\n----------\n" +
      (two ? names_of_both(signature) + " : 1-D arrays of the same length," : std::string("x : 1-D array,")) +
      element_types_text +
      R"(offsets : 1-D array of integers of any width; in GPU memory of 32 or 64 bits
    One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
)";
  doc += keywords_text(signature, text) + "\nReturns\n-------\n" +
         (base == "minmax" ? "tuple of two arrays of" : std::string("array of")) + " one result per segment" +
         (base == "minmax" ? "" : ", or out if it was passed") + "\n" + raises_text(signature, text);
  doc += "\nExamples\n--------\n>>> import exactdot as xd\n";
  if (is_ratio_of_two(text)) return doc + ratio_example(base, "segment", "[0, 2, 4]");
  if (two) return doc + ">>> xd.segment_dot([1, 2, 3], [4, 5, 6], [0, 2, 3])\narray([14, 18])\n";
  if (base == "minmax")
    doc += ">>> xd.segment_minmax([3.0, 4.0, 1.0], [0, 2, 3])\n(array([3., 1.]), array([4., 1.]))\n";
  for (const auto& [name, results] : segment_examples) {
    if (base == name) doc += ">>> xd.segment_" + base + "([3.0, 4.0, 1.0], [0, 2, 3])\narray([" + results + "])\n";
  }
  return doc;
}

/// The results for the arrays {3, 4} and {12}, and for both together.
constexpr struct {
  const char *name, *results, *joined;
} list_examples[] = {{"sum", " 7., 12.", "19.0"},
                     {"asum", " 7., 12.", "19.0"},
                     {"sum_of_squares", " 25., 144.", "169.0"},
                     {"norm", " 5., 12.", "13.0"}};

/// Of the function for lists that belongs to a function.
std::string list_docstring(const function_signature& signature, const function_text& text) {
  const std::string base = text.name;
  std::string doc = "Calls " + base + " for each array of a list.\n\nEach result has the bits of " + base +
                    R"( on its array alone. The arrays may have any shapes and strides, and element types
that one exact sum holds: floats of 8 to 32 bits mix, as do integers up to 32 bits and those of 64; float64 only with
itself. Arrays in GPU memory lie on one GPU and are read once, in a launch for every 870 stretches (a contiguous array is
one) and two more. The call waits for a result that is a number; and, joined, where each array is a launch: squares of
64-bit integers, more than 31,800 stretches. Elements that do not follow each other are read one by one.

Parameters
----------
x : list, tuple or iterator of arrays)";
  doc +=
      element_types_text + keywords_text(signature, text) +
      "\nReturns\n-------\narray of one result per array, or out if it was passed; if joined, a number or out\n" +
      raises_text(signature, text) + "\nExamples\n--------\n>>> import exactdot as xd\n>>> import numpy as np\n";
  for (const auto& [name, results, joined] : list_examples) {
    if (base != name) continue;
    const std::string call = ">>> xd.list_" + base + "([np.array([3.0, 4.0]), np.array([[12.0]])]";
    doc += call + ")\narray([" + results + "])\n" + call + ", joined=True)\n" + joined + "\n";
  }
  return doc;
}

}  // namespace

std::string reduction_docstring(const function_signature& signature) {
  std::string_view name = signature.name;
  if (signature.after != shape_arguments::none && signature.inputs == 0) return group_count_docstring(signature);
  if (signature.normalises()) return norm_docstring(signature);
  const bool is_list = signature.has(joined_parameter);
  if (signature.after != shape_arguments::none || is_list) name.remove_prefix(name.find('_') + 1);
  for (const function_text& text : texts) {
    if (text.name != name) continue;
    if (is_list) return list_docstring(signature, text);
    if (signature.after == shape_arguments::offsets) return segment_docstring(signature, text);
    if (signature.after == shape_arguments::keys) return group_docstring(signature, text);
    std::string doc = std::string(text.summary) + "\n\n" + text.details + "\n\nParameters\n----------\n";
    doc += signature.inputs == 1                  ? "x : array of any shape, or a number,"
           : std::string_view(text.name) == "dot" ? "a, b : 1-D arrays of the same length,"
                                                  : names_of_both(signature) + " : arrays,";
    doc += element_types_text + keywords_text(signature, text);
    return doc + returns_text(text) + raises_text(signature, text) +
           "\nExamples\n--------\n>>> import exactdot as xd\n>>> import numpy as np\n" + text.example;
  }
  return "";
}

}  // namespace exactdot::python
