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
    The dot product of two vectors: exact, rounded once.

    The sum of the products a[i]·b[i] as a real number, rounded once to nearest, ties to even: the same bits at any
    thread count, on any instruction set, on any GPU and in any order of the elements. Contiguous vectors in native byte
    order are read in place, as are all vectors in a GPU's memory. Other vectors in host memory are copied in chunks, through
    128 KiB per thread.

    Parameters
    ----------
    a, b : vectors of the same length and element type
        1-D, float32 or float64, of any stride. Anything with the buffer protocol (NumPy, array.array, memoryview; either
        byte order), DLPack or __cuda_array_interface__ (PyTorch, CuPy, JAX). Vectors in a GPU's memory are computed
        there. They must not be written to while the call runs.
    mode : "exact" or "fast"
        "fast" adds with plain fused multiply-adds in one fixed order: the same bits everywhere, not exact.
    dtype : "float32" or "float64", or a dtype of that name; by default that of the elements
        To what the result is rounded.
    threads : int
        At most so many CPU threads; 0 for as many as pay off. Never changes a result.
    device : "auto", "cpu", "cuda:N", or "cuda" for the first GPU
        Where vectors in host memory are computed. Vectors in a GPU's memory are computed where they are; it is an error
        to name another place.
    out : array of one element, 0-D or 1-D, optional
        Where the result is written; it is returned. On a GPU nothing waits: the result is there when the stream comes to it.
    stream : int, or an object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream to compute on. By default the current stream of PyTorch or CuPy if a vector is theirs, else the
        one that a vector's __cuda_array_interface__ names, else the default stream. For vectors in a GPU's memory only.

    Returns
    -------
    float, or out if it was given. The empty dot is 0.0.

    Raises
    ------
    TypeError
        Not a vector of float32 or float64, or of two element types; masked, or complex, or objects.
    ValueError
        Lengths that differ, other than one dimension, vectors on two devices, an unknown option.
    BufferError
        What a producer raises that will not export its memory, as PyTorch does for tensors that require a gradient.
    RuntimeError
        No GPU, or no CUDA engine in this build, where one is needed; a failure that CUDA reports.
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
    What this build and this machine can do.

    Returns
    -------
    dict with
        version : str
        instruction_set : str, the one in use, such as "avx512"
        instruction_sets : list of str, all that this build has and this machine runs, best first
        threads : int, how many CPU threads threads=0 may use
        cuda : dict with built (bool: whether the build has the CUDA engine), toolkit (str: the CUDA toolkit it was
            built with, or empty), devices (list of the GPUs' names) and note (str: why there are none, or empty)

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.info()["instruction_set"] in xd.info()["instruction_sets"]
    True
    """

def use_instruction_set(name: str) -> None:
    """
    Computes with one instruction set from here on, in every thread.

    For tests and measurements: no result depends on it.

    Parameters
    ----------
    name : str
        One of info()["instruction_sets"]; "" returns to the best.

    Raises
    ------
    ValueError
        For any other name.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.use_instruction_set("")
    """

class Accumulator:
    """
    The exact state of a sum of products, as integers.

    States merge by adding their words, elementwise: whatever sums arrays of int64 distributes an exact dot. Threads may
    share an accumulator. It compares equal to one with the same words, cannot be hashed, and cannot be subclassed.

    Parameters
    ----------
    dtype : "float32" or "float64", or a dtype of that name
        The elements of the vectors.

    Raises
    ------
    ValueError
        For another dtype.

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
        """The empty sum of products of vectors of this type."""

    def add(self, a: Vector, b: Vector | None = None, *, threads: int = 0, device: str = 'auto', stream: Any = None) -> None:
        """
        Adds the dot product of a and b, exactly; without b the sum of a.

        Parameters
        ----------
        a, b : vectors as dot takes them, of the accumulator's element type
            The sum of a alone is for vectors in host memory.
        threads, device, stream
            As in dot. A call with vectors in a GPU's memory waits for the GPU.

        Raises
        ------
        TypeError, ValueError, RuntimeError, KeyboardInterrupt
            As dot does; nothing is added then.
        OverflowError
            The sum passes 2^63 largest products; nothing is added then.

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
        Adds another state, as += does.

        Parameters
        ----------
        other : Accumulator of the same dtype

        Raises
        ------
        TypeError
            Of another dtype.
        OverflowError
            The sum passes 2^63 largest products; this state stays as it was.

        Examples
        --------
        >>> import exactdot as xd
        >>> total, part = xd.Accumulator(), xd.Accumulator()
        >>> total.merge(part)
        """

    def __iadd__(self, other: Accumulator) -> Accumulator:
        """Adds another state of the same dtype, as merge does."""

    def round(self, dtype: DType | None = None) -> float:
        """
        The sum rounded once, to nearest, ties to even.

        Parameters
        ----------
        dtype : "float32" or "float64", or a dtype of that name; by default the accumulator's

        Returns
        -------
        float. float(acc) is acc.round().

        Raises
        ------
        ValueError
            For another dtype.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator("float32").round("float64")
        0.0
        """

    def __float__(self) -> float:
        """The sum rounded once, to the accumulator's dtype: round()."""

    def clear(self) -> None:
        """
        Back to the empty sum.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator().clear()
        """

    def copy(self) -> Accumulator:
        """
        A state of its own with the same sum.

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
        counted, so that words differ where the sum is the same. The elementwise sum of the words of up to 2^31 - 1 accumulators
        is the state of all of them; hand it to from_words.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator("float32").words.shape
        (24,)
        """

    @property
    def dtype(self) -> str:
        """
        "float32" or "float64": the elements of the vectors.

        Examples
        --------
        >>> import exactdot as xd
        >>> xd.Accumulator("float32").dtype
        'float32'
        """

    @staticmethod
    def from_words(words: ArrayLike) -> Accumulator:
        """
        The state with these words: one accumulator's, or the sum of several's.

        Parameters
        ----------
        words : int64 array of 24 (float32) or 138 (float64) elements

        Returns
        -------
        Accumulator

        Raises
        ------
        ValueError
            Another number of words.
        TypeError
            Not integers.
        OverflowError
            The sum of more than 2^31 - 1 states, or a sum beyond 2^63 largest products.

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
