// The docstrings of the class BivariateMoments, in numpydoc format. As moments_docstrings.hpp.
#pragma once

#include <python/src/shared_docstrings.hpp>

namespace exactdot::python::docstrings {

inline constexpr const char* pairs =
    joined<R"(The moments of pairs (x, y), exactly: their number and the sums of x, y, x*y, x*x and y*y.

Covariances, correlations and lines of any parts of the data, merged in any order, have the bits of those of the whole.
Objects are merged like accumulators: by adding their words elementwise. They can be pickled.
)",
           element_dtype, dtype_error, R"(
Examples
--------
>>> import exactdot as xd
>>> first, second = xd.BivariateMoments(), xd.BivariateMoments()
>>> first.add([1.0, 2.0], [3.0, 5.0])
>>> second.add([4.0], [9.0])
>>> first += second
>>> first.count, first.corr(), first.slope(), first.intercept()
(3, 1.0, 2.0, 1.0)
)">;

inline constexpr const char* pairs_init = "Creates the moments of no pairs.";
inline constexpr const char* pairs_iadd = "Adds the pairs of other moments; the same as merge.";
inline constexpr const char* pairs_plus =
    "Returns the moments of the pairs of both, of the dtype that Accumulator + Accumulator has.";

inline constexpr const char* pairs_add = joined<R"(Adds the pairs x[i], y[i].

If the call raises an exception, it adds nothing. It reads the vectors three times, in host memory.

Parameters
----------
x, y : 1-D arrays of the same length, of the element type or of one that an Accumulator of it takes
threads : int
    As in Accumulator.add.
)",
                                                addition_errors, R"(    As in Accumulator.add.

Examples
--------
>>> import exactdot as xd
>>> pairs = xd.BivariateMoments()
>>> pairs.add([1.0, 2.0], [2.0, 6.0])
>>> pairs.cov()
2.0
)">;

inline constexpr const char* pairs_merge =
    joined<R"(Adds the pairs of other moments; the same as +=.

Parameters
----------
other : BivariateMoments
    Of an element type that an Accumulator of this one takes.
)",
           merge_errors, R"(    A sum exceeds 2^63 products of the largest magnitude.

Examples
--------
>>> import exactdot as xd
>>> xd.BivariateMoments().merge(xd.BivariateMoments())
)">;

inline constexpr const char* pairs_cov =
    joined<R"(The covariance of all pairs, rounded once; the bits of exactdot.cov.

Parameters
----------
ddof : int
    1 (default) for a sample, 0 for a population.
)",
           floating_dtype, R"(
Returns
-------
float
    NaN for ddof or fewer pairs, and if a number is infinite or a NaN.

Raises
------
ValueError
    The dtype is another; ddof is negative.

Examples
--------
>>> import exactdot as xd
>>> pairs = xd.BivariateMoments()
>>> pairs.add([1.0, 3.0], [2.0, 6.0])
>>> pairs.cov(ddof=0)
2.0
)">;

/// Of the results without ddof. The name and the value of an example follow.
inline constexpr piece pairs_result = R"(

Parameters
----------
dtype : a floating-point type, optional
    Default: the element type; of integers float64.

Returns
-------
float
    NaN as of the function of this name.

Raises
------
ValueError
    The dtype is another.

Examples
--------
>>> import exactdot as xd
>>> pairs = xd.BivariateMoments()
>>> pairs.add([1.0, 2.0], [2.0, 4.0])
>>> pairs.)";

inline constexpr const char* pairs_corr =
    joined<"The correlation of all pairs, rounded once; the bits of exactdot.corr.", pairs_result, "corr()\n1.0\n">;
inline constexpr const char* pairs_slope =
    joined<"The slope of the least-squares line, rounded once; the bits of exactdot.slope.", pairs_result,
           "slope()\n2.0\n">;
inline constexpr const char* pairs_intercept =
    joined<"The intercept of the least-squares line, rounded once; the bits of exactdot.intercept.", pairs_result,
           "intercept()\n0.0\n">;
inline constexpr const char* pairs_cosine =
    joined<"The cosine of x and y, rounded once; the bits of exactdot.cosine.", pairs_result, "cosine()\n1.0\n">;
inline constexpr const char* pairs_distance =
    joined<"The distance of x and y, rounded once; the bits of exactdot.distance.", pairs_result,
           "distance()\n2.23606797749979\n">;
inline constexpr const char* pairs_weighted_mean =
    joined<"The mean of x with the weights y, rounded once; the bits of exactdot.weighted_mean.", pairs_result,
           "weighted_mean()\n1.6666666666666667\n">;

inline constexpr const char* pairs_count = R"(The number of pairs.

Examples
--------
>>> import exactdot as xd
>>> xd.BivariateMoments().count
0
)";

inline constexpr const char* pairs_words =
    R"(A new int64 array: the count, then the words of the sums of x, y, x*y, x*x and y*y.

The words of several objects may be added elementwise; from_words turns the result into the moments of the whole.

Examples
--------
>>> import exactdot as xd
>>> xd.BivariateMoments("float32").words.shape
(121,)
)";

inline constexpr const char* pairs_dtype = joined<dtype_example, R"(BivariateMoments().dtype
'float64'
)">;

inline constexpr const char* pairs_copy = R"(Returns new moments with the same pairs.

Returns
-------
BivariateMoments

Examples
--------
>>> import exactdot as xd
>>> xd.BivariateMoments().copy().count
0
)";

inline constexpr const char* pairs_from_words =
    joined<R"(Creates moments from words: those of one object, or the elementwise sum of those of several.
)",
           words_parameters, R"(121 words, float64 for 691.

Returns
-------
BivariateMoments

Raises
------
ValueError
    The dtype has another number of words, or no pairs have this sum of words.
TypeError
    The words are not 64-bit signed integers.
OverflowError
    As Accumulator.from_words.

Examples
--------
>>> import exactdot as xd
>>> xd.BivariateMoments.from_words(xd.BivariateMoments().words).count
0
)">;

}  // namespace exactdot::python::docstrings
