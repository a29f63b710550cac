// Implementation of reduction_docstrings.hpp.
#include <array>
#include <python/src/parameter_docstrings.hpp>
#include <python/src/reduction_docstrings.hpp>
#include <string_view>
#include <utility>

namespace exactdot::python {
namespace {

std::string returns_text(const function_text& text) {
  const std::string_view name = text.name;
  std::string returns = "\nReturns\n-------\n";
  if (name == "minmax") return returns + "tuple of two floats, ints for integers, or arrays\n";
  if (name == "iamax") return returns + "int, or with an axis an array of int64\n";
  if (name.starts_with("arg")) return returns + "int, or out if it was passed\n";
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
