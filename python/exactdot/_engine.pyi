"""The compiled part of exactdot. Use the package exactdot."""

import numpy


from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Buffer

class SupportsDLPack(Protocol):
    def __dlpack__(self, *, stream: Any = ...) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class SupportsCudaArrayInterface(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

Vector: TypeAlias = Buffer | SupportsDLPack | SupportsCudaArrayInterface
class FrameworkDType(Protocol):  # np.dtype, torch.dtype
    @property
    def itemsize(self) -> int: ...

DType: TypeAlias = (Literal['float32', 'float64'] | type[float] | type[np.float32] | type[np.float64]
                    | FrameworkDType)
Out = TypeVar('Out')

__version__: str

@overload
def dot(a: Vector, b: Vector, *, mode: Literal['exact', 'fast'] = 'exact', dtype: DType | None = None,
        threads: int = 0, device: str = 'auto', out: None = None, stream: Any = None) -> float:
    """
    Computes the dot product of two vectors exactly and rounds it once.

    The result is the sum of the products a[i]·b[i] as a real number, rounded to nearest, ties to even. It has the same
    bits with any number of threads, on any instruction set, on any GPU and in any order of the elements.

    Parameters
    ----------
    a, b : 1-D arrays of float32 or float64, of the same length and element type
        Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
        (PyTorch, CuPy, JAX), with any stride and byte order. Contiguous vectors in native byte order and vectors in GPU
        memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to them during
        the call.
    mode : {"exact", "fast"}
        "fast" adds with plain fused multiply-adds in a fixed order: the same bits everywhere, not exact.
    dtype : {"float32", "float64"} or a dtype of that name, optional
        The type to which the result is rounded. Default: the element type.
    threads : int
        The maximum number of CPU threads; 0 (default): automatic. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        The device that computes for vectors in host memory; "cuda" is the first GPU. Vectors in GPU memory are computed
        on their GPU; naming another device is an error.
    out : array of one element, 0-D or 1-D, optional
        The array that receives the result, rounded to its element type. If it is in GPU memory, the call does not wait:
        the result is ordered by the stream.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for vectors in GPU memory only. Default: the current stream of PyTorch or CuPy if an array
        belongs to one of them, else the stream that __cuda_array_interface__ names, else the default stream.

    Returns
    -------
    float, or out if it was passed
        0.0 for vectors of length 0.

    Raises
    ------
    TypeError
        An argument is not a vector of float32 or float64, or is a masked array; the element types differ.
    ValueError
        The lengths or devices differ, an array does not have one dimension, or an option is unknown.
    BufferError
        An array refuses to export its memory, such as a PyTorch tensor that requires a gradient.
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
        threads: int = 0, device: str = 'auto', out: Out, stream: Any = None) -> Out: ...

def info() -> dict[str, Any]:
    """
    Describes this build and this machine.

    Returns
    -------
    dict with the keys
        version : str
        instruction_set : str
            The one in use, such as "avx512".
        instruction_sets : list of str
            Those that this build contains and this machine supports, best first.
        threads : int
            The maximum number of CPU threads with threads=0.
        cuda : dict with the keys
            built : bool, whether the build has the CUDA engine
            toolkit : str, the version of the CUDA toolkit of the build, or ""
            devices : list of str, the names of the GPUs
            note : str, the reason for having no devices, or ""

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

class Accumulator:
    """
    An exact sum of products, held as integers.

    Accumulators are merged by adding their words elementwise, so any system that sums int64 arrays can distribute an
    exact dot product. Threads may share an accumulator. Accumulators with the same words are equal. They cannot be
    hashed, and the class cannot be subclassed.

    Parameters
    ----------
    dtype : {"float32", "float64"} or a dtype of that name
        The element type of the vectors.

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
        """Creates an empty sum of products of elements of this type."""

    def add(self, a: Vector, b: Vector | None = None, *, threads: int = 0, device: str = 'auto', stream: Any = None) -> None:
        """
        Adds the dot product of a and b, or the sum of a if b is None.

        If the call raises an exception, it adds nothing.

        Parameters
        ----------
        a, b : 1-D arrays of the accumulator's element type
            As in dot. Without b, a must be in host memory.
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

    def merge(self, other: Accumulator) -> None:
        """
        Adds the sum of another accumulator; the same as +=.

        If the call raises an exception, it adds nothing.

        Parameters
        ----------
        other : Accumulator
            Of the same dtype.

        Raises
        ------
        TypeError
            The dtypes differ.
        OverflowError
            The sum exceeds 2^63 products of the largest magnitude.

        Examples
        --------
        >>> import exactdot as xd
        >>> total, other = xd.Accumulator(), xd.Accumulator()
        >>> total.merge(other)
        """

    def __iadd__(self, other: Accumulator) -> Accumulator:
        """Adds the sum of another accumulator; the same as merge."""

    def round(self, dtype: DType | None = None) -> float:
        """
        Rounds the sum once, to nearest, ties to even.

        Parameters
        ----------
        dtype : {"float32", "float64"} or a dtype of that name, optional
            The type to which the sum is rounded. Default: the accumulator's.

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
        >>> xd.Accumulator("float32").round("float64")
        0.0
        """

    def __float__(self) -> float:
        """Rounds the sum once, to the accumulator's dtype."""

    def clear(self) -> None:
        """
        Sets the sum to zero.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator().clear()
        """

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

    def __eq__(self, other: object) -> bool: ...

    @property
    def words(self) -> NDArray[numpy.int64]:
        """
        The state as a new int64 array: 24 words for float32, 138 for float64.

        Two accumulators of finite vectors hold the same sum if and only if their words are equal. Infinities and NaNs are
        counted, so with them the words may differ for the same sum. The words of up to 2^31 - 1 accumulators may be added
        elementwise; from_words turns the result into an accumulator of the whole sum.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator("float32").words.shape
        (24,)
        """

    @property
    def dtype(self) -> str:
        """
        The name of the element type: "float32" or "float64".

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator("float32").dtype
        'float32'
        """

    @staticmethod
    def from_words(words: ArrayLike) -> Accumulator:
        """
        Creates an accumulator from words: those of one accumulator, or the elementwise sum of those of several.

        Parameters
        ----------
        words : int64 array of 24 (float32) or 138 (float64) elements

        Returns
        -------
        Accumulator

        Raises
        ------
        ValueError
            The number of words is another, or no accumulators have this sum of words.
        TypeError
            The words are not integers.
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

    def __getstate__(self) -> NDArray[numpy.int64]: ...

    def __setstate__(self, state: NDArray[numpy.int64]) -> None: ...

    def __repr__(self) -> str: ...

    __hash__: ClassVar[None]  # type: ignore[assignment]
