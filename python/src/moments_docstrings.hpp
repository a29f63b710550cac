// The docstrings of the class Moments, in numpydoc format.
//
// The build copies them into the type stubs, _engine.pyi, for editors and type checkers. tests/python runs every
// example.
#pragma once

#include <python/src/shared_docstrings.hpp>

namespace exactdot::python::docstrings {

inline constexpr const char* moments =
    joined<R"(The moments of a vector, exactly: its length, its sum and its sum of squares.

Means, variances and norms of any parts of the data, merged in any order, have the bits of those of the whole. Moments
are merged like accumulators: by adding their words elementwise.
)",
           element_dtype, dtype_error, R"(
Examples
--------
>>> import exactdot as xd
>>> first, second = xd.Moments(), xd.Moments()
>>> first.add([1.0, 2.0])
>>> second.add([6.0])
>>> first += second
>>> first.count, first.mean(), first.var(ddof=1)
(3, 3.0, 7.0)
)">;

inline constexpr const char* moments_init = "Creates the moments of nothing.";
inline constexpr const char* moments_iadd = "Adds the elements of other moments; the same as merge.";
inline constexpr const char* moments_plus =
    "Returns the moments of the elements of both, of the dtype that Accumulator + Accumulator has.";

inline constexpr const char* moments_add_signature =
    "def add(self, x: Vector, *, threads: int = 0, device: str = 'auto', stream: Any = None) -> None";

inline constexpr const char* moments_add = joined<R"(Adds the elements of x.

If the call raises an exception, it adds nothing. It reads the vector twice.

Parameters
----------
x : 1-D array of the element type, or of one that an Accumulator of it takes
threads, device, stream
    As in Accumulator.add.
)",
                                                  addition_errors, R"(    As in Accumulator.add.

Examples
--------
>>> import exactdot as xd
>>> moments = xd.Moments()
>>> moments.add([1.0, 2.0])
>>> moments.mean()
1.5
)">;

inline constexpr const char* moments_merge =
    joined<R"(Adds the elements of other moments; the same as +=.

Parameters
----------
other : Moments
    Of an element type that an Accumulator of this one takes.
)",
           merge_errors, R"(    A sum exceeds 2^63 products of the largest magnitude.

Examples
--------
>>> import exactdot as xd
>>> xd.Moments().merge(xd.Moments())
)">;

inline constexpr const char* moments_mean = joined<R"(The exact mean, rounded once.

Parameters
----------
)",
                                                   floating_dtype, R"(
Returns
-------
float
    NaN if there are no elements.
)",
                                                   dtype_error, R"(
Examples
--------
>>> import exactdot as xd
>>> moments = xd.Moments()
>>> moments.add([1e308, 1e308])
>>> moments.mean()
1e+308
)">;

inline constexpr const char* moments_norm =
    joined<R"(The Euclidean norm: the root of the exact sum of squares, rounded once.

Parameters
----------
)",
           floating_dtype, R"(
Returns
-------
float
)",
           dtype_error, R"(
Examples
--------
>>> import exactdot as xd
>>> moments = xd.Moments()
>>> moments.add([3.0, 4.0])
>>> moments.norm()
5.0
)">;

inline constexpr const char* moments_var_signature =
    "def var(self, ddof: float = 0, dtype: DType | None = None, *, correction: float | None = None) -> float";
inline constexpr const char* moments_std_signature =
    "def std(self, ddof: float = 0, dtype: DType | None = None, *, correction: float | None = None) -> float";

inline constexpr const char* moments_var = joined<R"(The exact variance, rounded once.

Parameters
----------
ddof : int or float
    0 (default) for the variance of a population, 1 for that of a sample.
)",
                                                  floating_dtype, R"(correction : int or float, optional
    The array API's name of ddof.

Returns
-------
float
    NaN for ddof or fewer elements, and if one is infinite or a NaN.

Raises
------
ValueError
    The dtype is another; ddof is negative.

Examples
--------
>>> import exactdot as xd
>>> moments = xd.Moments()
>>> moments.add([1.0, 3.0])
>>> moments.var(ddof=1)
2.0
)">;

inline constexpr const char* moments_std = R"(The root of the exact variance, rounded once.

Parameters
----------
ddof, dtype, correction
    As in var.

Returns
-------
float
    As in var.

Raises
------
ValueError
    As in var.

Examples
--------
>>> import exactdot as xd
>>> moments = xd.Moments()
>>> moments.add([1.0, 3.0])
>>> moments.std()
1.0
)";

inline constexpr const char* moments_count = R"(The number of elements.

Examples
--------
>>> import exactdot as xd
>>> xd.Moments().count
0
)";

inline constexpr const char* moments_words =
    R"(A new int64 array: the count, the words of the sum, the words of the squares.

The words of several moments may be added elementwise; from_words turns the result into the moments of the whole.

Examples
--------
>>> import exactdot as xd
>>> xd.Moments("float32").words.shape
(49,)
)";

inline constexpr const char* moments_dtype = joined<dtype_example, R"(Moments().dtype
'float64'
)">;

inline constexpr const char* moments_copy = R"(Returns new moments with the same elements.

Returns
-------
Moments

Examples
--------
>>> import exactdot as xd
>>> xd.Moments().copy().count
0
)";

inline constexpr const char* moments_from_words =
    joined<R"(Creates moments from words: those of one object, or the elementwise sum of those of several.
)",
           words_parameters, R"(49 words, float64 for 277.

Returns
-------
Moments

Raises
------
ValueError
    The dtype has another number of words, or no moments have this sum of words.
TypeError
    The words are not 64-bit signed integers.
OverflowError
    As Accumulator.from_words.

Examples
--------
>>> import exactdot as xd
>>> xd.Moments.from_words(xd.Moments().words).count
0
)">;

}  // namespace exactdot::python::docstrings
