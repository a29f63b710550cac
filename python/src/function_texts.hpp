// What the docstrings of the reductions say of each function alone; reduction_docstrings.cpp composes them.
#pragma once

#include <array>
#include <string_view>

namespace exactdot::python {

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

inline constexpr const char* sum_dtype =
    "Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if "
    "all\n    are unsigned; of booleans int64.";
inline constexpr const char* mean_dtype = "Default: the element type; of integers float64.";
inline constexpr const char* ratio_dtype =
    "Default: the element type of both, or the wider one; of integers alone float64.";
inline constexpr const char* ratio_nan = "NaN if the divisor is 0, and for vectors with an infinity or a NaN.";
inline constexpr const char* pair_errors = "The lengths differ, or the other axes cannot be broadcast; ";
inline constexpr const char* covariance_errors =
    "The lengths differ, or the other axes cannot be broadcast; ddof is negative; ";
inline constexpr const char* number = "float, or int for an integer type; or out if it was passed\n    ";
inline constexpr const char* rounded_once =
    R"(The result is the real number, rounded to nearest, ties to even. It has the same bits with any number of threads, on
any instruction set, on any GPU and in any order of the elements.)";
inline constexpr const char* nan_wins =
    "A NaN wins, and -0.0 is less than 0.0. The result does not depend on the number of threads or on the device.";

inline constexpr std::array<function_text, 28> texts = {{
    {"dot", "Computes the dot product of two vectors exactly and rounds it once.", rounded_once, sum_dtype,
     "0 for vectors of length 0.", "The lengths or devices differ; ",
     ">>> xd.dot(np.array([1e200, 1e200, 1.0]), np.array([1e200, -1e200, 1.0]))\n1.0\n"},
    {"vecdot", "Computes the dot products of vectors along one axis of two arrays, each exactly and rounded once.",
     "The other axes are broadcast. Each result has the bits of dot on its vectors alone.", sum_dtype,
     "0 for vectors of length 0.", "The lengths differ, or the other axes cannot be broadcast; ",
     ">>> xd.vecdot(np.array([[1e200, 1.0], [3.0, 4.0]]), np.array([0.0, 1.0]))\narray([1., 4.])\n"},
    {"vdot", "Computes the dot product of conj(a) and b, of all elements in the order of C, and rounds its parts once.",
     "The arrays have equal numbers of elements and any shapes. Of real elements the result is that of dot, of complex "
     "ones it is complex, and vdot(a, a) has the imaginary part 0. Cost: of complex elements that of two dot products "
     "of twice the length; an array with gaps in the order of C is copied.",
     sum_dtype, "0 for arrays without elements.", "The numbers of elements differ; ",
     ">>> xd.vdot(np.array([1j, 2.0]), np.array([1j, 3.0]))\n(7+0j)\n"},
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
     "memory is read once; arrays with results along axes and arrays in GPU memory four times.",
     "", "", "The vector is empty; ", ">>> xd.iamax(np.array([1.0, -3.0, 3.0]))\n1\n"},
    {"weighted_mean", "Computes the weighted mean, sum(x*weights)/sum(weights): the exact quotient, rounded once.",
     "Equal elements have that element as mean, whatever the weights, which may be negative. numpy.average rounds "
     "each\n"
     "step.",
     ratio_dtype, "NaN if the sum of the weights is 0.", pair_errors,
     ">>> xd.weighted_mean(np.array([0.1, 0.1]), [1.0, 2.0])\n0.1\n"},
    {"weighted_var",
     "Computes the weighted variance, sum(weights*(x - m)**2)/sum(weights), m the exact weighted mean, rounded "
     "once.",
     "Equal elements have the variance 0.0, whatever the weights. Weights may be negative; then the variance may "
     "be, too.",
     ratio_dtype,
     "NaN unless the sum of the weights, and that sum less ddof, have one sign; for an infinity or a NaN.",
     covariance_errors, ">>> xd.weighted_var(np.array([1.0, 2.0, 4.0]), [1, 1, 2])\n1.6875\n"},
    {"weighted_std",
     "Computes the weighted standard deviation: the root of the exact weighted variance, rounded once.",
     "Otherwise as weighted_var.", ratio_dtype, "NaN as of weighted_var, and if that is negative.",
     covariance_errors, ">>> xd.weighted_std(np.array([1.0, 3.0]), [2, 2])\n1.0\n"},
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
     "covariances\nof the rows of x, or with rowvar=False of its columns: symmetric, with the variances on the "
     "diagonal, "
     "and\nof a vector its variance. numpy.cov rounds each step.",
     ratio_dtype, "NaN for vectors of length ddof or less, or with an infinity or a NaN.", covariance_errors,
     ">>> xd.cov(np.array([1e9, 1e9 + 1, 1e9 + 2]), [3.0, 5.0, 4.0])\n0.5\n>>> xd.cov(np.array([[1.0, 2.0], [2.0, "
     "4.0], "
     "[3.0, 9.0]]), rowvar=False)\narray([[ 1. ,  3.5],\n       [ 3.5, 13. ]])\n"},
    {"corr", "Computes Pearson's correlation coefficient of two vectors, rounded once.",
     "In [-1, 1], and 1 or -1 for points on a line. Without y the matrix of the correlations of the rows of x, or "
     "with\n"
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

inline bool is_ratio_of_two(const function_text& text) {
  return std::string_view(text.dtype_default) == ratio_dtype;
}
inline bool is_ratio(const function_text& text) {
  return is_ratio_of_two(text) || std::string_view(text.name) == "standard_error";
}

}  // namespace exactdot::python
