// The docstrings of the class Accumulator, in numpydoc format.
//
// The build copies them into the type stubs, _engine.pyi, for editors and type checkers. tests/python runs every
// example.
#pragma once

#include <python/src/shared_docstrings.hpp>

namespace exactdot::python::docstrings {

inline constexpr const char* accumulator = joined<R"(An exact sum of products or numbers, held as integers.

Accumulators are merged by adding their words elementwise, so any system that sums int64 arrays can distribute an
exact sum. Threads may share an accumulator. +, -, comparisons and / work on the exact sums of accumulators and numbers
(int, float, NumPy's scalars, Fraction, Decimal). Accumulators cannot be hashed, and the class cannot be subclassed.

An accumulator takes every element type whose sums it holds exactly: one of float64 all, of a shorter float
all but float64, of integers of 64 bits all integers, of others those of up to 32 bits.
)",
                                                  element_dtype, dtype_error, R"(
Examples
--------
>>> import exactdot as xd
>>> import numpy as np
>>> acc = xd.Accumulator("float64")
>>> acc.add(np.array([1e200, 1.0]), np.array([1e200, 1.0]))
>>> acc.add(np.array([1e200]), np.array([-1e200]))
>>> float(acc)
1.0
)">;

inline constexpr const char* add_signature =
    "def add(self, a: Vector, b: Vector | None = None, *, threads: int = 0, device: str = 'auto', "
    "stream: Any = None) -> None";

inline constexpr const char* add = R"(Adds the dot product of a and b, or the sum of a if b is None.

If the call raises an exception, it adds nothing.

Parameters
----------
a, b : 1-D arrays of an element type that the accumulator takes
    As in dot.
threads, device, stream
    As in dot. A call with vectors in GPU memory waits for the GPU.

Raises
------
TypeError, ValueError, BufferError, RuntimeError, KeyboardInterrupt
    As in dot.
OverflowError
    The sum exceeds 2^63 products of the largest magnitude.

Examples
--------
>>> import exactdot as xd
>>> import numpy as np
>>> acc = xd.Accumulator()
>>> acc.add(np.array([0.1, 0.2, -0.1]))
>>> float(acc)
0.2
)";

inline constexpr const char* add_squares_signature =
    "def add_squares(self, a: Vector, *, threads: int = 0, device: str = 'auto', stream: Any = None) -> None";

inline constexpr const char* add_squares = joined<R"(Adds the sum of the squares of a.

If the call raises an exception, it adds nothing.

Parameters
----------
a, threads, device, stream
    As in add.
)",
                                                  addition_errors, R"(    As in add.

Examples
--------
>>> import exactdot as xd
>>> acc = xd.Accumulator()
>>> acc.add_squares([3.0, 4.0])
>>> acc.round_root()
5.0
)">;

inline constexpr const char* subtract_signature =
    "def subtract(self, a: Vector | Accumulator, b: Vector | None = None, *, threads: int = 0, "
    "device: str = 'auto', stream: Any = None) -> None";

inline constexpr const char* subtract =
    joined<R"(Subtracts the dot product of a and b, or the sum of a if b is None.

If the call raises an exception, it subtracts nothing. Infinities do not cancel: what is subtracted counts with the
opposite sign.

Parameters
----------
a : 1-D array of an element type that the accumulator takes, or another accumulator of one
b, threads, device, stream
    As in add.
)",
           addition_errors, R"(    As in add.

Examples
--------
>>> import exactdot as xd
>>> acc = xd.Accumulator()
>>> acc.add([0.1, 0.2])
>>> acc.subtract([0.1])
>>> float(acc)
0.2
)">;

inline constexpr const char* negate = R"(Changes the sign of the sum and of the infinities.

Examples
--------
>>> import exactdot as xd
>>> acc = xd.Accumulator()
>>> acc.add([1.5])
>>> acc.negate()
>>> float(acc)
-1.5
)";

inline constexpr const char* merge =
    joined<R"(Adds the sum of another accumulator; the same as +=.

If the call raises an exception, it adds nothing.

Parameters
----------
other : Accumulator
    Of an element type that this one takes.
)",
           merge_errors, R"(    The sum exceeds 2^63 products of the largest magnitude.

Examples
--------
>>> import exactdot as xd
>>> total, other = xd.Accumulator(), xd.Accumulator()
>>> total.merge(other)
)">;

inline constexpr const char* init = "Creates an empty sum of elements of this type.";
inline constexpr const char* iadd = "Adds the sum of another accumulator, or a number, exactly.";
inline constexpr const char* isub = "Subtracts the sum of another accumulator, or a number, exactly.";
inline constexpr const char* to_float = "Rounds the sum once, to the accumulator's dtype; of integers to float64.";

inline constexpr const char* plus = R"(Returns the exact sum of this and another accumulator, or a number.

Its dtype is that of the two which takes the other; of two that take each other float32, or the wider integer. `sum`
adds accumulators. Arrays are for `add`.

Raises
------
ValueError
    The number has bits below the last one that this accumulator has, such as 2^-299 for float32 and 0.5 for integers.
OverflowError
    The number, or the sum, exceeds 2^63 products of the largest magnitude.

Examples
--------
>>> import exactdot as xd
>>> acc = xd.Accumulator() + 1e100 + 0.5
>>> float(acc - 1e100)
0.5
)";

inline constexpr const char* equal = R"(Compares the exact sums, of any dtypes, or the sum with a number.

Infinities and NaN compare as floats.

Examples
--------
>>> import exactdot as xd
>>> xd.Accumulator() + 0.5 == 0.5, xd.Accumulator("int8") + 2 < 3
(True, True)
)";

inline constexpr const char* divide = R"(Divides by another exact sum or a number and rounds once; quotient says more.)";

inline constexpr const char* quotient = R"(Divides by another exact sum or a number and rounds once.

Parameters
----------
other : Accumulator or number
dtype : a floating-point type, optional
    Default: the dtype of the sum of both; of integers float64.

Returns
-------
float
    Infinities and NaN divide as floats.

Raises
------
ZeroDivisionError
    The other sum is zero.
TypeError
    other is neither.
ValueError
    The dtype is another.

Examples
--------
>>> import exactdot as xd
>>> weighted, weights = xd.Accumulator(), xd.Accumulator()
>>> weighted.add([0.1, 0.1], [1.0, 2.0])
>>> weights.add([1.0, 2.0])
>>> weighted / weights
0.1
)";

inline constexpr const char* as_integer_ratio = R"(Returns the exact sum as two ints in lowest terms, the second positive.

Fraction(*acc.as_integer_ratio()) is the sum.

Raises
------
OverflowError, ValueError
    The sum is infinite; it is NaN.

Examples
--------
>>> import exactdot as xd
>>> (xd.Accumulator() + 2.0**60 + 0.25).as_integer_ratio()
(4611686018427387905, 4)
)";

inline constexpr const char* to_int = "The integer part of the exact sum, towards zero, as int(float).";
inline constexpr const char* to_bool = "Whether the exact sum is not zero.";

inline constexpr const char* round = joined<R"(Rounds the sum once, to nearest, ties to even.

Parameters
----------
dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
    A floating-point type; for an accumulator of integers also "int64" or "uint64". Default: the accumulator's; of
    integers int64, or uint64 if they are unsigned.

Returns
-------
float, or int for an integer type
)",
                                            dtype_error, R"(OverflowError
    The integer type does not hold the sum.

Examples
--------
>>> import exactdot as xd
>>> xd.Accumulator("float32").round("float64")
0.0
)">;

inline constexpr const char* round_root = joined<R"(Rounds the root of the sum once: of a sum of squares the norm.

Parameters
----------
)",
                                                 floating_dtype, R"(
Returns
-------
float
    NaN for a negative sum.
)",
                                                 dtype_error, R"(
Examples
--------
>>> import exactdot as xd
>>> acc = xd.Accumulator("int64")
>>> acc.add_squares([3, 4])
>>> acc.round_root()
5.0
)">;

inline constexpr const char* round_quotient = joined<R"(Rounds the sum over `count` once: of elements the mean.

Parameters
----------
count : int
)",
                                                     floating_dtype, R"(
Returns
-------
float
    NaN for a count of 0.

Raises
------
ValueError
    The dtype is another; the count is negative.

Examples
--------
>>> import exactdot as xd
>>> acc = xd.Accumulator()
>>> acc.add([1.0, 2.0])
>>> acc.round_quotient(2)
1.5
)">;

inline constexpr const char* clear = R"(Sets the sum to zero.

Examples
--------
>>> import exactdot as xd
>>> xd.Accumulator().clear()
)";

inline constexpr const char* copy = R"(Returns a new accumulator with the same sum.

Returns
-------
Accumulator

Examples
--------
>>> import exactdot as xd
>>> acc = xd.Accumulator()
>>> acc.copy() == acc
True
)";

inline constexpr const char* words = R"(The state as a new int64 array.

It has 24 words for float32 and narrower floats, 138 for float64, 8 for integers of up to 32 bits and 10 for those of
64 bits. Two accumulators of finite vectors of one dtype hold the same sum if and only if their words are equal.
Infinities and NaNs are counted, so with them the words may differ for the same sum. The words of up to 2^31 - 1
accumulators may be added elementwise; from_words turns the result into an accumulator of the whole sum.

Examples
--------
>>> import exactdot as xd
>>> xd.Accumulator("float32").words.shape
(24,)
)";

inline constexpr const char* dtype = joined<dtype_example, R"(Accumulator("float32").dtype
'float32'
)">;

inline constexpr const char* from_words = joined<
    R"(Creates an accumulator from words: those of one accumulator, or the elementwise sum of those of several.
)",
    words_parameters, R"(24 words, float64 for 138.

Returns
-------
Accumulator

Raises
------
ValueError
    The dtype has another number of words, or no accumulators have this sum of words.
TypeError
    The words are not 64-bit signed integers.
OverflowError
    The words are the sum of more than 2^31 - 1 accumulators, or the sum exceeds 2^63 products of the largest
    magnitude.

Examples
--------
>>> import exactdot as xd
>>> a, b = xd.Accumulator(), xd.Accumulator()
>>> float(xd.Accumulator.from_words(a.words + b.words))
0.0
)">;

}  // namespace exactdot::python::docstrings
