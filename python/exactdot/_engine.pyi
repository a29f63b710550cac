"""The compiled part of exactdot. Use the package exactdot."""

import numpy


from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from types import EllipsisType
from typing import Any, ClassVar, Literal, Protocol, SupportsFloat, TypeAlias, TypeVar, overload

from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Buffer

class SupportsDLPack(Protocol):
    def __dlpack__(self, *, stream: Any = ...) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class SupportsCudaArrayInterface(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

Number: TypeAlias = float | Decimal | Fraction
Vector: TypeAlias = (ArrayLike | Buffer | SupportsDLPack | SupportsCudaArrayInterface | Number | Iterable[Number]
                     | Iterable[Iterable[Number]])
class FrameworkDType(Protocol):  # torch.dtype
    @property
    def itemsize(self) -> int: ...

DType: TypeAlias = DTypeLike | FrameworkDType
Operand: TypeAlias = SupportsFloat  # a number, or an Accumulator
Out = TypeVar('Out')

__version__: str

@overload
def dot(a: Vector, b: Vector, *, mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None,
        threads: int = 0, device: str = 'auto', out: None = None, stream: Any = None) -> float:
    """
    Computes the dot product of two vectors exactly and rounds it once.

    The result is the real number, rounded to nearest, ties to even. It has the same bits with any number of threads, on
    any instruction set, on any GPU and in any order of the elements.

    Parameters
    ----------
    a, b : 1-D arrays of the same length, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or int for an integer type; or out if it was passed
        0 for vectors of length 0.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient;
        one vector holds integers, the other floating-point numbers.
    ValueError
        The lengths or devices differ; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.dot(np.array([1e200, 1e200, 1.0]), np.array([1e200, -1e200, 1.0]))
    1.0
    """

@overload
def dot(a: Vector, b: Vector, *, mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None,
        threads: int = 0, device: str = 'auto', out: EllipsisType, stream: Any = None) -> Any: ...

@overload
def dot(a: Vector, b: Vector, *, mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None,
        threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def vecdot(a: Vector, b: Vector, *, axis: int | None = None, keepdims: bool = False, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Computes the dot products of vectors along one axis of two arrays, each exactly and rounded once.

    The other axes are broadcast. Each result has the bits of dot on its vectors alone.

    Parameters
    ----------
    a, b : arrays, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int
        The axis of the vectors in each array; default: the last.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or int for an integer type; or out if it was passed
        0 for vectors of length 0.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient;
        one vector holds integers, the other floating-point numbers.
    ValueError
        The lengths differ, or the other axes cannot be broadcast; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.vecdot(np.array([[1e200, 1.0], [3.0, 4.0]]), np.array([0.0, 1.0]))
    array([1., 4.])
    """

@overload
def vecdot(a: Vector, b: Vector, *, axis: int | None = None, keepdims: bool = False, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def matvec(a: Vector, b: Vector, *, mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None,
        threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Computes the product of a matrix and a vector, each element exactly and rounded once.

    a has shape (..., m, n), b (..., n); the axes before are broadcast. Each result has the bits of dot on its row.

    Parameters
    ----------
    a, b : arrays, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or int for an integer type; or out if it was passed
        0 for rows of length 0.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient;
        one vector holds integers, the other floating-point numbers.
    ValueError
        The lengths differ, or the axes before cannot be broadcast; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.matvec(np.array([[1e16, 1.0, -1e16], [1.0, 2.0, 3.0]]), np.ones(3))
    array([1., 6.])
    """

@overload
def matvec(a: Vector, b: Vector, *, mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None,
        threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def sum(x: Vector, axis: None = None, *, keepdims: Literal[False] = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: None = None, stream: Any = None, negative_zero: bool = False) -> float:
    """
    Computes the sum of a vector exactly and rounds it once.

    The result is the real number, rounded to nearest, ties to even. It has the same bits with any number of threads, on
    any instruction set, on any GPU and in any order of the elements.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    negative_zero : bool
        With True the sum of nothing, and of negative zeros only, is -0.0, as that of JavaScript's Math.sumPrecise and
        Rust's Iterator::sum. Not with out in GPU memory.

    Returns
    -------
    float, or int for an integer type; or out if it was passed
        0 for a vector of length 0.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.sum(np.array([1e100, 1.0, -1e100]))
    1.0
    >>> xd.sum([1, 2, 3])
    6
    """

@overload
def sum(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, negative_zero: bool = False) -> Any: ...

@overload
def sum(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None, negative_zero: bool = False) -> Out: ...

@overload
def asum(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: None = None,
        stream: Any = None) -> float:
    """
    Computes the sum of the magnitudes of a vector exactly and rounds it once.

    The result is the real number, rounded to nearest, ties to even. It has the same bits with any number of threads, on
    any instruction set, on any GPU and in any order of the elements.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or int for an integer type; or out if it was passed
        0 for a vector of length 0.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.asum(np.array([1e16, -1.0, -1.0]))
    1.0000000000000002e+16
    """

@overload
def asum(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def asum(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def sum_of_squares(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: None = None,
        stream: Any = None) -> float:
    """
    Computes the sum of the squares of a vector exactly and rounds it once.

    The result is the real number, rounded to nearest, ties to even. It has the same bits with any number of threads, on
    any instruction set, on any GPU and in any order of the elements.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or int for an integer type; or out if it was passed
        0 for a vector of length 0.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.sum_of_squares(np.array([3, 4]))
    25
    """

@overload
def sum_of_squares(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def sum_of_squares(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def norm(x: Vector | Sequence[Vector], axis: None = None, *, keepdims: Literal[False] = False, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: None = None,
        stream: Any = None) -> float:
    """
    Computes the Euclidean norm of a vector: the root of the exact sum of squares, rounded once.

    Neither squares nor sum over- or underflow. The result has the same bits with any number of threads, on any
    instruction set, on any GPU and in any order of the elements. A list or tuple of arrays, which may differ in
    shape, has one norm: that of all their elements.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or out if it was passed
        0.0 for a vector of length 0.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.norm(np.array([3e300, 4e300]))
    5e+300
    >>> xd.norm([np.array([1.0, 4.0]), np.full((2, 4), 1.0)])
    5.0
    """

@overload
def norm(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def norm(x: Vector | Sequence[Vector], axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def vector_norm(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, ord: float = 2, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: None = None,
        stream: Any = None) -> float:
    """
    Computes the norm of a vector: the root of the exact sum of squares, rounded once.

    The array API's name of norm, as exactdot.linalg.vector_norm. Neither squares nor sum over- or underflow.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    ord : {2, 1}
        2 (default) for the Euclidean norm, 1 for the sum of the magnitudes.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or out if it was passed
        0.0 for a vector of length 0.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        ord is neither 2 nor 1; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.linalg.vector_norm(np.array([[3.0, 4.0], [5.0, -12.0]]), axis=1)
    array([ 5., 13.])
    """

@overload
def vector_norm(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, ord: float = 2,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def vector_norm(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, ord: float = 2,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def mean(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: None = None,
        stream: Any = None) -> float:
    """
    Computes the mean of a vector: the exact quotient of sum and length, rounded once.

    The result is the real number, rounded to nearest, ties to even. It has the same bits with any number of threads, on
    any instruction set, on any GPU and in any order of the elements.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or out if it was passed
        NaN for a vector of length 0.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.mean(np.array([1e308, 1e308]))
    1e+308
    """

@overload
def mean(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def mean(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def var(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, ddof: float = 0, correction: float | None = None,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: None = None, stream: Any = None) -> float:
    """
    Computes the variance of a vector: the exact quotient, rounded once.

    The variance is the sum of the squared deviations from the exact mean, over n - ddof. Nothing cancels: the
    result has the same bits with any number of threads, on any device and in any order of the elements.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    ddof : int or float
        0 (default) for the variance of a population, 1 for that of a sample. With a fraction the result is rounded
        once, too, and computed from the exact sums on the host.
    correction : int or float, optional
        The array API's name of ddof.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact. It has
        no variance: ValueError.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or out if it was passed
        NaN for a vector of length ddof or less, and for one with an infinity or a NaN.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        ddof is negative; mode is "fast"; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.var(np.array([1e9, 1e9 + 1, 1e9 + 2]), ddof=1)
    1.0
    """

@overload
def var(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, ddof: float = 0, correction: float | None = None,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def var(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, ddof: float = 0, correction: float | None = None,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def std(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, ddof: float = 0, correction: float | None = None,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: None = None, stream: Any = None) -> float:
    """
    Computes the standard deviation of a vector: the root of the exact variance, rounded once.

    Otherwise as var.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    ddof : int or float
        0 (default) for the variance of a population, 1 for that of a sample. With a fraction the result is rounded
        once, too, and computed from the exact sums on the host.
    correction : int or float, optional
        The array API's name of ddof.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact. It has
        no variance: ValueError.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or out if it was passed
        NaN for a vector of length ddof or less, and for one with an infinity or a NaN.

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        ddof is negative; mode is "fast"; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.std(np.array([1.0, 3.0]))
    1.0
    """

@overload
def std(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, ddof: float = 0, correction: float | None = None,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def std(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, ddof: float = 0, correction: float | None = None,
        mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def min(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, threads: int = 0, device: str = 'auto',
        out: None = None, stream: Any = None) -> float:
    """
    Returns the least element of a vector.

    A NaN wins, and -0.0 is less than 0.0. The result does not depend on the number of threads or on the device.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or int for integers; or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        The vector is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.min(np.array([0.0, -0.0, 1.0]))
    -0.0
    """

@overload
def min(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def min(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def max(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, threads: int = 0, device: str = 'auto',
        out: None = None, stream: Any = None) -> float:
    """
    Returns the greatest element of a vector.

    A NaN wins, and -0.0 is less than 0.0. The result does not depend on the number of threads or on the device.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or int for integers; or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        The vector is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.max([1, 3, 2])
    3
    """

@overload
def max(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def max(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def argmin(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, threads: int = 0, device: str = 'auto',
        out: None = None, stream: Any = None) -> int:
    """
    Returns the index of the least element of a vector.

    The lowest index of the element that min returns; the first NaN if there is one.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    int, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        The vector is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.argmin(np.array([1.0, 0.0, 0.0]))
    1
    """

@overload
def argmin(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def argmin(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def argmax(x: Vector, axis: None = None, *, keepdims: Literal[False] = False, threads: int = 0, device: str = 'auto',
        out: None = None, stream: Any = None) -> int:
    """
    Returns the index of the greatest element of a vector.

    The lowest index of the element that max returns; the first NaN if there is one.

    Parameters
    ----------
    x : array of any shape, or a number, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    axis : int or tuple of int, optional
        The axes over which to reduce; default: all. Each result has the bits of the call on
        its elements alone. argmin and argmax take one axis; by default they index the array as if it were flat.
    keepdims : bool
        With True the result is an array in which the reduced axes have length 1. No other object is taken for a
        bool.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    int, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        The vector is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> xd.argmax(np.array([1.0, np.nan, 2.0]))
    1
    """

@overload
def argmax(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any: ...

@overload
def argmax(x: Vector, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_dot(a: Vector, b: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls dot for each segment of two vectors.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of dot on
    its elements alone.

    Parameters
    ----------
    a, b : 1-D arrays of the same length, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient;
        one vector holds integers, the other floating-point numbers.
    ValueError
        The lengths or devices differ; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_dot([1, 2, 3], [4, 5, 6], [0, 2, 3])
    array([14, 18])
    """

@overload
def segment_dot(a: Vector, b: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_sum(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls sum for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of sum on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_sum([3.0, 4.0, 1.0], [0, 2, 3])
    array([7., 1.])
    """

@overload
def segment_sum(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_asum(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls asum for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of asum on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_asum([3.0, 4.0, 1.0], [0, 2, 3])
    array([7., 1.])
    """

@overload
def segment_asum(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_sum_of_squares(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls sum_of_squares for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of sum_of_squares on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_sum_of_squares([3.0, 4.0, 1.0], [0, 2, 3])
    array([25.,  1.])
    """

@overload
def segment_sum_of_squares(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_norm(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls norm for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of norm on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_norm([3.0, 4.0, 1.0], [0, 2, 3])
    array([5., 1.])
    """

@overload
def segment_norm(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_mean(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls mean for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of mean on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        An array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_mean([3.0, 4.0, 1.0], [0, 2, 3])
    array([3.5, 1. ])
    """

@overload
def segment_mean(x: Vector, offsets: Vector, *, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_var(x: Vector, offsets: Vector, *, ddof: float = 0, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls var for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of var on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    ddof : int or float
        0 (default) for the variance of a population, 1 for that of a sample. With a fraction the result is rounded
        once, too, and computed from the exact sums on the host.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact. It has
        no variance: ValueError.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        ddof is negative; mode is "fast"; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_var([3.0, 4.0, 1.0], [0, 2, 3])
    array([0.25, 0.  ])
    """

@overload
def segment_var(x: Vector, offsets: Vector, *, ddof: float = 0, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_std(x: Vector, offsets: Vector, *, ddof: float = 0, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls std for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of std on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    ddof : int or float
        0 (default) for the variance of a population, 1 for that of a sample. With a fraction the result is rounded
        once, too, and computed from the exact sums on the host.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact. It has
        no variance: ValueError.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        ddof is negative; mode is "fast"; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_std([3.0, 4.0, 1.0], [0, 2, 3])
    array([0.5, 0. ])
    """

@overload
def segment_std(x: Vector, offsets: Vector, *, ddof: float = 0, mode: Literal['exact', 'fast'] = 'exact',
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_min(x: Vector, offsets: Vector, *, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls min for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of min on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        The vector is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_min([3.0, 4.0, 1.0], [0, 2, 3])
    array([3., 1.])
    """

@overload
def segment_min(x: Vector, offsets: Vector, *, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_max(x: Vector, offsets: Vector, *, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls max for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of max on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        The vector is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_max([3.0, 4.0, 1.0], [0, 2, 3])
    array([4., 1.])
    """

@overload
def segment_max(x: Vector, offsets: Vector, *, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_argmin(x: Vector, offsets: Vector, *, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls argmin for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of argmin on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        The vector is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_argmin([3.0, 4.0, 1.0], [0, 2, 3])
    array([0, 0])
    """

@overload
def segment_argmin(x: Vector, offsets: Vector, *, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def segment_argmax(x: Vector, offsets: Vector, *, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None) -> Any:
    """
    Calls argmax for each segment of a vector.

    Segment i holds elements offsets[i] to before offsets[i + 1]. Each result has the bits of argmax on
    its elements alone.

    Parameters
    ----------
    x : 1-D array, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    offsets : 1-D array of int32, int64, uint32 or uint64
        One more than there are segments. They never decrease; the first need not be 0, nor the last the length.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    array of one result per segment, or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        The vector is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.segment_argmax([3.0, 4.0, 1.0], [0, 2, 3])
    array([1, 0])
    """

@overload
def segment_argmax(x: Vector, offsets: Vector, *, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

@overload
def group_dot(a: Vector, b: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls dot for each group of elements with the same key.

    Each result has the bits of dot on the elements of its group alone, in any order.

    Parameters
    ----------
    a, b : arrays of shape (n, ...), whose axes after the first are broadcast, of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient;
        one vector holds integers, the other floating-point numbers.
    ValueError
        A key is out of range; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_dot([1, 2, 3], [4, 5, 6], [0, 1, 0])
    array([22, 10])
    """

@overload
def group_dot(a: Vector, b: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_sum(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls sum for each group of elements with the same key.

    Each result has the bits of sum on the elements of its group alone, in any order.

    Parameters
    ----------
    x : array of shape (n, ...), of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_sum([3.0, 5.0, 4.0], [0, 1, 0])
    array([7., 5.])
    """

@overload
def group_sum(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_asum(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls asum for each group of elements with the same key.

    Each result has the bits of asum on the elements of its group alone, in any order.

    Parameters
    ----------
    x : array of shape (n, ...), of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_asum([3.0, 5.0, 4.0], [0, 1, 0])
    array([7., 5.])
    """

@overload
def group_asum(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_sum_of_squares(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls sum_of_squares for each group of elements with the same key.

    Each result has the bits of sum_of_squares on the elements of its group alone, in any order.

    Parameters
    ----------
    x : array of shape (n, ...), of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type, of two floating-point types one that holds both; of integers int64, or uint64 if all
        are unsigned; of booleans int64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    OverflowError
        An integer result exceeds its type.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_sum_of_squares([3.0, 5.0, 4.0], [0, 1, 0])
    array([25., 25.])
    """

@overload
def group_sum_of_squares(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_norm(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls norm for each group of elements with the same key.

    Each result has the bits of norm on the elements of its group alone, in any order.

    Parameters
    ----------
    x : array of shape (n, ...), of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_norm([3.0, 5.0, 4.0], [0, 1, 0])
    array([5., 5.])
    """

@overload
def group_norm(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_mean(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls mean for each group of elements with the same key.

    Each result has the bits of mean on the elements of its group alone, in any order.

    Parameters
    ----------
    x : array of shape (n, ...), of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_mean([3.0, 5.0, 4.0], [0, 1, 0])
    array([3.5, 5. ])
    """

@overload
def group_mean(x: Vector, keys: Vector, groups: int | None = None, *,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_var(x: Vector, keys: Vector, groups: int | None = None, *, ddof: float = 0,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls var for each group of elements with the same key.

    Each result has the bits of var on the elements of its group alone, in any order.

    Parameters
    ----------
    x : array of shape (n, ...), of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    ddof : int or float
        0 (default) for the variance of a population, 1 for that of a sample. With a fraction the result is rounded
        once, too, and computed from the exact sums on the host.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; ddof is negative; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_var([3.0, 5.0, 4.0], [0, 1, 0])
    array([0.25, 0.  ])
    """

@overload
def group_var(x: Vector, keys: Vector, groups: int | None = None, *, ddof: float = 0,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_std(x: Vector, keys: Vector, groups: int | None = None, *, ddof: float = 0,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls std for each group of elements with the same key.

    Each result has the bits of std on the elements of its group alone, in any order.

    Parameters
    ----------
    x : array of shape (n, ...), of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    ddof : int or float
        0 (default) for the variance of a population, 1 for that of a sample. With a fraction the result is rounded
        once, too, and computed from the exact sums on the host.
    dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
        The type to which the result is rounded. Default: the element type; of integers float64.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; ddof is negative; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_std([3.0, 5.0, 4.0], [0, 1, 0])
    array([0.5, 0. ])
    """

@overload
def group_std(x: Vector, keys: Vector, groups: int | None = None, *, ddof: float = 0,
        dtype: DType | None = None, threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_min(x: Vector, keys: Vector, groups: int | None = None, *,
        threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls min for each group of elements with the same key.

    Each result has the bits of min on the elements of its group alone, in any order.

    Parameters
    ----------
    x : array of shape (n, ...), of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; a group is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_min([3.0, 5.0, 4.0], [0, 1, 0])
    array([3., 5.])
    """

@overload
def group_min(x: Vector, keys: Vector, groups: int | None = None, *,
        threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_max(x: Vector, keys: Vector, groups: int | None = None, *,
        threads: int = 0, device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Calls max for each group of elements with the same key.

    Each result has the bits of max on the elements of its group alone, in any order.

    Parameters
    ----------
    x : array of shape (n, ...), of float16, bfloat16, float32, float64, or integers of 8 to 64 bits
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
        tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
        objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
        vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
        them during the call.
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of shape (groups, ...), or out if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; a group is empty; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_max([3.0, 5.0, 4.0], [0, 1, 0])
    array([4., 5.])
    """

@overload
def group_max(x: Vector, keys: Vector, groups: int | None = None, *,
        threads: int = 0, device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

@overload
def group_count(keys: Vector, groups: int | None = None, *, threads: int = 0,
        device: str = 'auto', out: EllipsisType | None = None, stream: Any = None, skip_out_of_range: bool = False) -> Any:
    """
    Counts the elements of each group: how many keys there are of each value.

    numpy.bincount does the same, by one thread.

    Parameters
    ----------
    keys : 1-D array of integers of any width, or booleans
        The group of each element, in any order: codes of categories, for example. Keys that never decrease cost
        less.
    groups : int, optional
        The number of groups: keys are 0 to groups - 1. Default: the greatest key plus 1, which takes a pass over them,
        and may be at most 2^20 and 16 for each key; keys in GPU memory need it.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array or ..., optional
        The array that receives the results, rounded to its element type: of the shape of the results, or for one result
        of one element, 0-D or 1-D. With out=... one result is a new array of no dimension, too. An array must not share memory with the inputs. If it is in GPU memory, the call does not
        wait: the results are ordered by the stream, and an integer result that does not fit is stored as 0. So are
        several results in GPU memory without out, which are a new array of PyTorch, CuPy or JAX.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.
    skip_out_of_range : bool
        With True elements whose key is no group's are left out; otherwise the first such key is an error.

    Returns
    -------
    array of int64, or out, of int64 or uint64, if it was passed

    Raises
    ------
    TypeError
        An argument is no vector of numbers, a masked array, or a PyTorch tensor that requires a gradient.
    ValueError
        A key is out of range; an array has a shape that the function does not take, or holds nulls; an option is unknown.
    RuntimeError
        The call needs a GPU, and there is none or the build has no CUDA engine; or CUDA reports an error.
    KeyboardInterrupt
        Ctrl-C ends a long call on the CPU within a second.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.group_count([0, 2, 0])
    array([2, 0, 1])
    """

@overload
def group_count(keys: Vector, groups: int | None = None, *, threads: int = 0,
        device: str = 'auto', out: Out, stream: Any = None, skip_out_of_range: bool = False) -> Out: ...

def info() -> dict[str, Any]:
    """
    Describes this build and this machine.

    Returns
    -------
    dict with the keys
        version : str
            With the commit, such as "0.3.0.dev0+g1234567".
        instruction_set : str
            The one in use, such as "avx512".
        instruction_sets : list of str
            Those that this build contains and this machine supports, best first.
        threads : int
            The maximum number of CPU threads with threads=0.
        environment : dict with the keys
            rounding : str, the rounding mode of this thread, such as "to_nearest"
            flush_to_zero : bool, whether subnormal results of this thread become zero
            denormals_are_zero : bool, whether its subnormal operands count as zero
            traps : bool, whether floating-point exceptions stop it
        cuda : dict with the keys
            built : bool, whether the build has the CUDA engine
            toolkit : str, the version of the CUDA toolkit of the build, or ""
            devices : list of str, the names of the GPUs
            note : str, the reason for having no devices, or ""

    Notes
    -----
    Calls compute in the default floating-point environment, whatever that of the thread is, and leave the thread's as it was.
    A module that was linked with -ffast-math sets flush_to_zero when it is imported.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.info()["instruction_set"] in xd.info()["instruction_sets"]
    True
    """

def use_instruction_set(name: str) -> None:
    """
    Selects the instruction set of all later calls, in every thread.

    For tests and measurements: no result depends on it.

    Parameters
    ----------
    name : str
        One of info()["instruction_sets"], or "" for the best.

    Raises
    ------
    ValueError
        The name is none of these.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.use_instruction_set("")
    """

def check(x: Vector, *, stream: Any = None) -> None:
    """
    Waits for a stream and raises the error of earlier calls on it that could not: they returned before the GPU had seen the
    data.

    Such calls have several results, or out, in GPU memory. What their data made wrong is NaN or 0 there, and noted: an
    integer that does not fit, a key or an offset out of range, an empty group under min or max. The note is cleared. Calls
    whose result is an integer in host memory raise it, too.

    Parameters
    ----------
    x : array
        An array in GPU memory, which names the GPU and, as in other calls, the stream. In host memory nothing is left to
        check.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream. Default: as for reductions of x.

    Raises
    ------
    OverflowError
        An integer result did not fit into its type.
    ValueError
        A key or an offset was out of range, or a group was empty; x is no array.
    RuntimeError
        There is no GPU, or CUDA reports an error.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.check([1, 2, 3])
    """

class Accumulator:
    """
    An exact sum of products or numbers, held as integers.

    Accumulators are merged by adding their words elementwise, so any system that sums int64 arrays can distribute an
    exact sum. Threads may share an accumulator. +, -, comparisons and / work on the exact sums of accumulators and numbers
    (int, float, NumPy's scalars, Fraction, Decimal). Accumulators cannot be hashed, and the class cannot be subclassed.

    An accumulator takes every element type whose sums it holds exactly: one of float64 all, of float32, float16 or bfloat16
    these three and the integers, of integers of 64 bits all integers, of others those of up to 32 bits.

    Parameters
    ----------
    dtype : whatever numpy.dtype or a framework accepts, such as "float32"
        The element type of the vectors: float16, bfloat16, float32, float64, or integers of 8 to 64 bits.

    Raises
    ------
    ValueError
        The dtype is another.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> acc = xd.Accumulator("float64")
    >>> acc.add(np.array([1e200, 1.0]), np.array([1e200, 1.0]))
    >>> acc.add(np.array([1e200]), np.array([-1e200]))
    >>> float(acc)
    1.0
    """

    def __init__(self, dtype: DType = 'float64') -> None:
        """Creates an empty sum of elements of this type."""

    def add(self, a: Vector, b: Vector | None = None, *, threads: int = 0, device: str = 'auto', stream: Any = None) -> None:
        """
        Adds the dot product of a and b, or the sum of a if b is None.

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
        """

    def add_squares(self, a: Vector, *, threads: int = 0, device: str = 'auto', stream: Any = None) -> None:
        """
        Adds the sum of the squares of a.

        If the call raises an exception, it adds nothing.

        Parameters
        ----------
        a, threads, device, stream
            As in add.

        Raises
        ------
        TypeError, ValueError, BufferError, RuntimeError, KeyboardInterrupt, OverflowError
            As in add.

        Examples
        --------
        >>> import exactdot as xd
        >>> acc = xd.Accumulator()
        >>> acc.add_squares([3.0, 4.0])
        >>> acc.round_root()
        5.0
        """

    def subtract(self, a: Vector | Accumulator, b: Vector | None = None, *, threads: int = 0, device: str = 'auto', stream: Any = None) -> None:
        """
        Subtracts the dot product of a and b, or the sum of a if b is None.

        If the call raises an exception, it subtracts nothing. Infinities do not cancel: what is subtracted counts with the
        opposite sign.

        Parameters
        ----------
        a : 1-D array of an element type that the accumulator takes, or another accumulator of one
        b, threads, device, stream
            As in add.

        Raises
        ------
        TypeError, ValueError, BufferError, RuntimeError, KeyboardInterrupt, OverflowError
            As in add.

        Examples
        --------
        >>> import exactdot as xd
        >>> acc = xd.Accumulator()
        >>> acc.add([0.1, 0.2])
        >>> acc.subtract([0.1])
        >>> float(acc)
        0.2
        """

    def negate(self) -> None:
        """
        Changes the sign of the sum and of the infinities.

        Examples
        --------
        >>> import exactdot as xd
        >>> acc = xd.Accumulator()
        >>> acc.add([1.5])
        >>> acc.negate()
        >>> float(acc)
        -1.5
        """

    def merge(self, other: Accumulator) -> None:
        """
        Adds the sum of another accumulator; the same as +=.

        If the call raises an exception, it adds nothing.

        Parameters
        ----------
        other : Accumulator
            Of an element type that this one takes.

        Raises
        ------
        TypeError
            The other one's dtype is one that this one does not take.
        OverflowError
            The sum exceeds 2^63 products of the largest magnitude.

        Examples
        --------
        >>> import exactdot as xd
        >>> total, other = xd.Accumulator(), xd.Accumulator()
        >>> total.merge(other)
        """

    def clear(self) -> None:
        """
        Sets the sum to zero.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator().clear()
        """

    def round(self, dtype: DType | None = None) -> float:
        """
        Rounds the sum once, to nearest, ties to even.

        Parameters
        ----------
        dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
            A floating-point type; for an accumulator of integers also "int64" or "uint64". Default: the accumulator's; of
            integers int64, or uint64 if they are unsigned.

        Returns
        -------
        float, or int for an integer type

        Raises
        ------
        ValueError
            The dtype is another.
        OverflowError
            The integer type does not hold the sum.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator("float32").round("float64")
        0.0
        """

    def round_root(self, dtype: DType | None = None) -> float:
        """
        Rounds the root of the sum once: of a sum of squares the norm.

        Parameters
        ----------
        dtype : a floating-point type, optional
            Default: the element type; of integers float64.

        Returns
        -------
        float
            NaN for a negative sum.

        Raises
        ------
        ValueError
            The dtype is another.

        Examples
        --------
        >>> import exactdot as xd
        >>> acc = xd.Accumulator("int64")
        >>> acc.add_squares([3, 4])
        >>> acc.round_root()
        5.0
        """

    def round_quotient(self, count: int, dtype: DType | None = None) -> float:
        """
        Rounds the sum over `count` once: of elements the mean.

        Parameters
        ----------
        count : int
        dtype : a floating-point type, optional
            Default: the element type; of integers float64.

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
        """

    def __float__(self) -> float:
        """
        Rounds the sum once, to the accumulator's dtype; of integers to float64.
        """

    @property
    def words(self) -> NDArray[numpy.int64]:
        """
        The state as a new int64 array.

        It has 24 words for float32, float16 and bfloat16, 138 for float64, 8 for integers of up to 32 bits and 10 for those of
        64 bits. Two accumulators of finite vectors of one dtype hold the same sum if and only if their words are equal.
        Infinities and NaNs are counted, so with them the words may differ for the same sum. The words of up to 2^31 - 1
        accumulators may be added elementwise; from_words turns the result into an accumulator of the whole sum.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator("float32").words.shape
        (24,)
        """

    @property
    def dtype(self) -> str:
        """
        The name of the element type, such as "float64".

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator("float32").dtype
        'float32'
        """

    def __repr__(self) -> str: ...

    def copy(self) -> Accumulator:
        """
        Returns a new accumulator with the same sum.

        Returns
        -------
        Accumulator

        Examples
        --------
        >>> import exactdot as xd
        >>> acc = xd.Accumulator()
        >>> acc.copy() == acc
        True
        """

    def __copy__(self) -> Accumulator: ...

    def __deepcopy__(self, memo: object) -> Accumulator: ...

    @staticmethod
    def from_words(words: ArrayLike, dtype: DType | None = None) -> Accumulator:
        """
        Creates an accumulator from words: those of one accumulator, or the elementwise sum of those of several.

        Parameters
        ----------
        words : int64 array
        dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
            The element type, which words do not tell. Default: float32 for 24 words, float64 for 138.

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
        """

    def __getstate__(self) -> tuple[str, NDArray[numpy.int64]]: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, state: tuple[str, NDArray[numpy.int64]]) -> None: ...

    def __add__(self, other: Operand) -> Accumulator:
        """
        Returns the exact sum of this and another accumulator, or a number.

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
        """

    def __radd__(self, other: Operand) -> Accumulator: ...

    def __sub__(self, other: Operand) -> Accumulator: ...

    def __rsub__(self, other: Operand) -> Accumulator: ...

    def __iadd__(self, other: Operand) -> Accumulator:
        """Adds the sum of another accumulator, or a number, exactly."""

    def __isub__(self, other: Operand) -> Accumulator:
        """Subtracts the sum of another accumulator, or a number, exactly."""

    def __neg__(self) -> Accumulator: ...

    def __pos__(self) -> Accumulator: ...

    def __abs__(self) -> Accumulator: ...

    def __eq__(self, other: object) -> bool:
        """
        Compares the exact sums, of any dtypes, or the sum with a number.

        Infinities and NaN compare as floats.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator() + 0.5 == 0.5, xd.Accumulator("int8") + 2 < 3
        (True, True)
        """

    def __lt__(self, other: Operand) -> bool: ...

    def __le__(self, other: Operand) -> bool: ...

    def __gt__(self, other: Operand) -> bool: ...

    def __ge__(self, other: Operand) -> bool: ...

    def __truediv__(self, other: Operand) -> float:
        """
        Divides by another exact sum or a number and rounds once; quotient says more.
        """

    def __rtruediv__(self, other: Operand) -> float: ...

    def quotient(self, other: Operand, dtype: DType | None = None) -> float:
        """
        Divides by another exact sum or a number and rounds once.

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
        """

    def as_integer_ratio(self) -> tuple[int, int]:
        """
        Returns the exact sum as two ints in lowest terms, the second positive.

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
        """

    def __int__(self) -> int:
        """The integer part of the exact sum, towards zero, as int(float)."""

    def __bool__(self) -> bool:
        """Whether the exact sum is not zero."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    __array_ufunc__: None = None

class Moments:
    """
    The moments of a vector, exactly: its length, its sum and its sum of squares.

    Means, variances and norms of any parts of the data, merged in any order, have the bits of those of the whole. Moments
    are merged like accumulators: by adding their words elementwise.

    Parameters
    ----------
    dtype : whatever numpy.dtype or a framework accepts, such as "float32"
        The element type of the vectors: float16, bfloat16, float32, float64, or integers of 8 to 64 bits.

    Raises
    ------
    ValueError
        The dtype is another.

    Examples
    --------
    >>> import exactdot as xd
    >>> first, second = xd.Moments(), xd.Moments()
    >>> first.add([1.0, 2.0])
    >>> second.add([6.0])
    >>> first += second
    >>> first.count, first.mean(), first.var(ddof=1)
    (3, 3.0, 7.0)
    """

    def __init__(self, dtype: DType = 'float64') -> None:
        """Creates the moments of nothing."""

    def add(self, x: Vector, *, threads: int = 0, device: str = 'auto', stream: Any = None) -> None:
        """
        Adds the elements of x.

        If the call raises an exception, it adds nothing. It reads the vector twice.

        Parameters
        ----------
        x : 1-D array of the element type, or of one that an Accumulator of it takes
        threads, device, stream
            As in Accumulator.add.

        Raises
        ------
        TypeError, ValueError, BufferError, RuntimeError, KeyboardInterrupt, OverflowError
            As in Accumulator.add.

        Examples
        --------
        >>> import exactdot as xd
        >>> moments = xd.Moments()
        >>> moments.add([1.0, 2.0])
        >>> moments.mean()
        1.5
        """

    def merge(self, other: Moments) -> None:
        """
        Adds the elements of other moments; the same as +=.

        Parameters
        ----------
        other : Moments
            Of an element type that an Accumulator of this one takes.

        Raises
        ------
        TypeError
            The other one's dtype is one that this one does not take.
        OverflowError
            A sum exceeds 2^63 products of the largest magnitude.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Moments().merge(xd.Moments())
        """

    def __iadd__(self, other: Moments) -> Moments:
        """Adds the elements of other moments; the same as merge."""

    def __add__(self, other: Moments) -> Moments:
        """
        Returns the moments of the elements of both, of the dtype that Accumulator + Accumulator has.
        """

    def mean(self, dtype: DType | None = None) -> float:
        """
        The exact mean, rounded once.

        Parameters
        ----------
        dtype : a floating-point type, optional
            Default: the element type; of integers float64.

        Returns
        -------
        float
            NaN if there are no elements.

        Raises
        ------
        ValueError
            The dtype is another.

        Examples
        --------
        >>> import exactdot as xd
        >>> moments = xd.Moments()
        >>> moments.add([1e308, 1e308])
        >>> moments.mean()
        1e+308
        """

    def norm(self, dtype: DType | None = None) -> float:
        """
        The Euclidean norm: the root of the exact sum of squares, rounded once.

        Parameters
        ----------
        dtype : a floating-point type, optional
            Default: the element type; of integers float64.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            The dtype is another.

        Examples
        --------
        >>> import exactdot as xd
        >>> moments = xd.Moments()
        >>> moments.add([3.0, 4.0])
        >>> moments.norm()
        5.0
        """

    def var(self, ddof: float = 0, dtype: DType | None = None) -> float:
        """
        The exact variance, rounded once.

        Parameters
        ----------
        ddof : int or float
            0 (default) for the variance of a population, 1 for that of a sample.
        dtype : a floating-point type, optional
            Default: the element type; of integers float64.

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
        """

    def std(self, ddof: float = 0, dtype: DType | None = None) -> float:
        """
        The root of the exact variance, rounded once.

        Parameters
        ----------
        ddof, dtype
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
        """

    @property
    def count(self) -> int:
        """
        The number of elements.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Moments().count
        0
        """

    @property
    def words(self) -> NDArray[numpy.int64]:
        """
        A new int64 array: the count, the words of the sum, the words of the squares.

        The words of several moments may be added elementwise; from_words turns the result into the moments of the whole.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Moments("float32").words.shape
        (49,)
        """

    @property
    def dtype(self) -> str:
        """
        The name of the element type, such as "float64".

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Moments().dtype
        'float64'
        """

    def __repr__(self) -> str: ...

    def __eq__(self, other: object) -> bool: ...

    def copy(self) -> Moments:
        """
        Returns new moments with the same elements.

        Returns
        -------
        Moments

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Moments().copy().count
        0
        """

    def __copy__(self) -> Moments: ...

    def __deepcopy__(self, memo: object) -> Moments: ...

    @staticmethod
    def from_words(words: ArrayLike, dtype: DType | None = None) -> Moments:
        """
        Creates moments from words: those of one object, or the elementwise sum of those of several.

        Parameters
        ----------
        words : int64 array
        dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
            The element type, which words do not tell. Default: float32 for 49 words, float64 for 277.

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
        """

    def __getstate__(self) -> tuple[str, NDArray[numpy.int64]]: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, state: tuple[str, NDArray[numpy.int64]]) -> None: ...

    __hash__: ClassVar[None]  # type: ignore[assignment]
