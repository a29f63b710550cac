"""States: the exact sums of rows, segments or groups as int64 arrays, which + merges.

A state is the sum of shards' terms before it is rounded. Arrays of states have the shape of the results and one more
axis, of the words. Words carry no type: keep reduction and element type beside them.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Callable, Literal, TypeVar

import numpy as np

from exactdot import _engine
from exactdot._keys import integers_of
from exactdot._numbers import numpy_dtype

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    Reduction = Literal["dot", "sum", "asum", "sum_of_squares", "norm", "nrm2", "mean", "var", "variance", "std",
                        "stddev"]
    Words = NDArray[np.int64]

_engine_call: Any = _engine  # functions without public names


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _with_hints(function: _Function) -> _Function:
    """The function, with the sentence of the engine's functions for what other libraries call axis."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in names:
                is_axis = name in ("dim", "dims", "axes", "axis")
                hint = "" if not is_axis else "; use axis" if "axis" in names else way_out
                raise TypeError(f"{function.__name__}: unknown argument '{name}'{hint}")
        return function(*args, **kwargs)

    names = frozenset(inspect.signature(function).parameters)
    way_out = "; keys go along the first axis" if "keys" in names else "; segments are of vectors"
    return call  # type: ignore[return-value]


def _flag(value: Any, name: str, caller: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{caller}: {name} is {value}; use True or False")
    return bool(value)


@_with_hints
def states(reduction: Reduction, a: ArrayLike, b: ArrayLike | None = None, *,
           axis: int | tuple[int, ...] | list[int] | None = None, compact: bool = False, threads: int = 0,
           stream: Any = None) -> Words:
    """Computes the exact sums of a reduction over axes of an array, as int64 words that merge by addition.

    The sum of the states of shards of the data is the state of all, in any order; `round_states` gives it the bits of
    the reduction of all. Up to 2^31 - 1 states may be added.

    Parameters
    ----------
    reduction : {'dot', 'sum', 'asum', 'sum_of_squares', 'norm', 'mean', 'var', 'std'}
        What the states are for; 'nrm2', 'variance' and 'stddev' are other names of three. 'mean' also counts the
        elements, 'var' and 'std' also have the sum of squares.
    a, b : array_like
        Arrays of floats or integers of 8 to 64 bits, all in host memory or all in that of
        one GPU; b for 'dot' only, of the same type, broadcast with a.
    axis : int, tuple or list of int, or None
        The axes that are reduced; None: all.
    compact : bool
        Leave out the words that no sum of such elements needs (`state_words`).
    threads : int
        At most so many CPU threads; 0: automatic. No effect on the words.
    stream : int or object with __cuda_stream__, cuda_stream or ptr, optional
        The CUDA stream, for arrays in GPU memory only; default as of `sum`.

    Returns
    -------
    ndarray of int64
        Of the shape of the results, then the words of a state. Of arrays in GPU memory a new array of PyTorch, CuPy or
        JAX there (of JAX with jax_enable_x64): the call does not wait, and `check` raises what it could not. `round_states`
        takes its copy on the host.

    Raises
    ------
    ValueError
        An unknown reduction; shapes that cannot be broadcast; an axis that the array does not have; a and b of two
        element types, or of two memories.
    TypeError
        An element type that is not supported; b is missing or not wanted.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> first, second = np.array([[1e100, 1.0]]), np.array([[-1e100, 2.0]])
    >>> words = xd.states("sum", first, axis=1) + xd.states("sum", second, axis=1)
    >>> xd.round_states(words, "sum", "float64")
    array([3.])
    """
    words: Words = _engine_call._states_of_axes("states", reduction, a, b, axis,
                                               _flag(compact, "compact", "states"), threads, stream)
    return words


@_with_hints
def segment_states(reduction: Reduction, a: ArrayLike, offsets: ArrayLike, b: ArrayLike | None = None, *,
                   compact: bool = False, threads: int = 0, stream: Any = None) -> Words:
    """Computes the states of the segments of a vector: elements offset i to before offset i + 1.

    Parameters
    ----------
    reduction, a, b, compact, threads, stream
        As of `states`, of one dimension.
    offsets : array_like of int
        n + 1 integers of any width that never decrease, for n segments, in the memory of a.

    Returns
    -------
    ndarray of int64
        Of shape (n, words).

    Raises
    ------
    ValueError, TypeError
        As of `states` and `segment_sum`.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> words = xd.segment_states("mean", np.array([1.0, 2.0, 6.0]), [0, 1, 3])
    >>> xd.round_states(words, "mean", "float64")
    array([1., 4.])
    """
    words: Words = _engine_call._states_of_segments("segment_states", reduction, a, offsets, b,
                                                  _flag(compact, "compact", "segment_states"), threads, stream)
    return words


@_with_hints
def group_states(reduction: Reduction, a: ArrayLike, keys: ArrayLike, groups: int,
                 b: ArrayLike | None = None, *, skip_out_of_range: bool = False, compact: bool = False,
                 threads: int = 0, stream: Any = None) -> Words:
    """Computes the states of the groups of elements with the same key, along the first axis.

    Parameters
    ----------
    reduction, a, b, compact, threads, stream
        As of `states`.
    keys : array_like of int
        One integer, of any width, for each index of the first axis, in the memory of a.
    groups : int
        Keys are below this; the same number for all shards whose states are added. It has no default: shards whose
        greatest keys differ would have words of different shapes, and NumPy's + would broadcast them to wrong sums.
    skip_out_of_range : bool
        Leave out elements with other keys; otherwise they are an error.

    Returns
    -------
    ndarray of int64
        Of shape (groups, …, words), with the further axes of a between.

    Raises
    ------
    ValueError, TypeError
        As of `states` and `group_sum`.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> words = xd.group_states("sum", np.array([1.0, 2.0, 4.0], "float16"), [1, 0, 1], 2, compact=True)
    >>> words.shape
    (2, 8)
    >>> xd.round_states(words, "sum", "float16")
    array([2., 5.], dtype=float16)
    """
    if groups is None:
        raise TypeError("group_states: groups is None; pass the number of groups, the same for all shards")
    read = integers_of("group_states", keys, groups, _flag(skip_out_of_range, "skip_out_of_range", "group_states"))
    keys = keys if read is None else read[0]
    words: Words = _engine_call._states_of_groups("group_states", reduction, a, keys, groups, b,
                                                  _flag(skip_out_of_range, "skip_out_of_range", "group_states"),
                                                  _flag(compact, "compact", "group_states"), threads, stream)
    return words


def _as_words(words: ArrayLike, name: str) -> Words:
    if isinstance(words, np.ma.MaskedArray):
        raise TypeError(f"{name}: words are a masked array; fill it first")
    array = np.asarray(words)
    if array.dtype != np.int64 or array.ndim == 0:
        kind = f"of {array.dtype}" if array.ndim else "no array"
        raise TypeError(f"{name}: words is {kind}; use an int64 array whose last axis has the words of a state")
    return np.ascontiguousarray(array)


def round_states(words: ArrayLike, reduction: Reduction, element_type: DTypeLike, *, finish: Reduction | None = None,
                 dtype: DTypeLike | None = None, ddof: float | None = None, correction: float | None = None) -> Any:
    """Rounds states once, to the bits of the reduction of all elements that were added to them.

    Parameters
    ----------
    words : ndarray of int64
        States, or sums of states; the last axis has the words of one, full or compact.
    reduction : str
        What the states are of.
    element_type : dtype
        The type of the elements that they were made of.
    finish : str or None
        The result, if it is another one: of 'sum_of_squares' and 'norm' the other one; of 'mean' also 'sum'; of 'var'
        and 'std' also each other, 'mean', 'sum', 'sum_of_squares' and 'norm'.
    dtype : dtype or None
        The type of the results; None: as of the reduction.
    ddof : int or float, optional
        'var' and 'std' divide by n - ddof; by default by n. With a fraction a result costs some microseconds.
    correction : int or float, optional
        The array API's name of ddof.

    Returns
    -------
    ndarray
        Of the shape of words without the last axis; of one state a Python number.

    Raises
    ------
    ValueError
        The last axis does not have the words of such a state; words that are no states, whose index is named.
    OverflowError
        An integer dtype does not hold a result; more than 2^31 - 1 states or 2^63 largest terms.
    TypeError
        words is not an int64 array, or is a masked one.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> words = xd.states("var", np.array([1, 2, 3, 4], "int32"))
    >>> xd.round_states(words, "var", "int32", ddof=1)
    1.6666666666666667
    >>> xd.round_states(words, "var", "int32", finish="mean")
    2.5
    """
    array = _as_words(words, "round_states")

    def make_out(name: str) -> NDArray[Any]:
        return np.empty(array.shape[:-1], numpy_dtype(name))

    ddof = _engine_call._read_ddof(ddof, correction, "round_states")
    is_fraction = isinstance(ddof, float)
    whole = 0 if is_fraction else ddof
    out = _engine_call._round_words("round_states", array, reduction, element_type, finish, dtype, whole, make_out)
    of = _engine_call._reduction_name("round_states", finish or reduction)
    if is_fraction and of in ("variance", "stddev"):
        from exactdot import _deviations
        full = convert_states(array, reduction, element_type, compact=False)
        out = _deviations.round_moments(full, ddof, of == "stddev", out.dtype.name)
    return out if out.ndim else out.item()


def convert_states(words: ArrayLike, reduction: Reduction, element_type: DTypeLike, *, compact: bool) -> Words:
    """Returns the same states in the compact or in the full form, normalised.

    Parameters
    ----------
    words, reduction, element_type
        As of `round_states`.
    compact : bool
        The form of the result.

    Returns
    -------
    ndarray of int64
        The last axis has the words of that form.

    Raises
    ------
    ValueError, OverflowError, TypeError
        As of `round_states`; ValueError also for sums that do not fit into the compact form.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> words = xd.states("sum", np.ones((3, 5), "float16"), axis=1)
    >>> xd.convert_states(words, "sum", "float16", compact=True).shape
    (3, 8)
    """
    array = _as_words(words, "convert_states")
    converted: Words = _engine_call._convert_words("convert_states", array, reduction, element_type,
                                                    _flag(compact, "compact", "convert_states"),
                                                    lambda count: np.empty((*array.shape[:-1], count), np.int64))
    return converted


def normalise_states(words: ArrayLike, reduction: Reduction, element_type: DTypeLike) -> Words:
    """Returns the states in canonical form: equal words for equal finite sums and counts.

    Each counts as one state again, so that 2^31 - 1 may be added.

    Parameters
    ----------
    words, reduction, element_type
        As of `round_states`.

    Returns
    -------
    ndarray of int64

    Raises
    ------
    ValueError, OverflowError, TypeError
        As of `round_states`.

    Examples
    --------
    >>> import exactdot as xd
    >>> import numpy as np
    >>> half, whole = xd.states("sum", [0.5]), xd.states("sum", [0.5, 0.5])
    >>> bool((xd.normalise_states(half + half, "sum", "float64") == whole).all())
    True
    """
    array = _as_words(words, "normalise_states")
    compact = array.shape[-1] != state_words(reduction, element_type)
    converted: Words = _engine_call._convert_words("normalise_states", array, reduction, element_type, compact,
                                                    lambda count: np.empty((*array.shape[:-1], count), np.int64))
    return converted


def state_words(reduction: Reduction, element_type: DTypeLike, compact: bool = False) -> int:
    """Returns the number of int64 words of a state.

    Parameters
    ----------
    reduction : str
        As of `states`.
    element_type : dtype
        Of the elements.
    compact : bool
        Of the compact form.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        An unknown reduction or element type.

    Examples
    --------
    >>> import exactdot as xd
    >>> xd.state_words("sum", "float32"), xd.state_words("sum", "float32", compact=True)
    (24, 16)
    """
    is_compact = _flag(compact, "compact", "state_words")
    return int(_engine_call._words_of_state("state_words", reduction, element_type, is_compact))
