"""The public functions: arguments checked (_arguments.py), a primitive called within jit."""

from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from exactdot.jax._arguments import FLOATS, INTEGERS, array_of, count, has_64_bits, normal_axes, result_dtype, without
from exactdot.jax._primitives import REDUCTIONS, SEGMENT_SUM, TAKE, VECDOT, gathered

Function = Callable[..., Array]


@functools.lru_cache(maxsize=4096, typed=True)
def compiled_reduction(name: str, of: Any, ndim: int, axis: Any, keepdims: Any, dtype: Any, ddof: Any,
                       x64: bool) -> Function:
    """The function of arrays of type `of`. Its arguments are checked once, since that takes longer than a short sum."""
    axes, kind, number = normal_axes(name, axis, ndim), result_dtype(name, (of,), dtype), count(name, "ddof", ddof)
    if not isinstance(keepdims, (bool, np.bool_)):
        raise TypeError(f"{name}: keepdims is {keepdims!r}; use True or False")

    def reduction(x: Array) -> Array:
        result = REDUCTIONS[name].bind(gathered(x), axes=axes, dtype=kind, number=number)
        return result if keepdims else result.reshape(without(x.shape, axes))

    reduction.__name__ = f"exactdot_{name}"
    return jax.jit(reduction)


@functools.lru_cache(maxsize=1024)
def compiled_vecdot(axis: int, dtype: Any) -> Function:
    def vecdot(a: Array, b: Array) -> Array:
        result = VECDOT.bind(gathered(a), gathered(b), axes=(axis,), dtype=dtype)
        return result.reshape(without(result.shape, (axis,)))

    vecdot.__name__ = "exactdot_vecdot"
    return jax.jit(vecdot)


@jax.jit
def compiled_take(x: Array, ids: Array) -> Array:
    return TAKE.bind(gathered(x), gathered(ids).reshape(-1), number=0).reshape(ids.shape + x.shape[1:])


@functools.lru_cache(maxsize=1024)
def compiled_segment_sum(groups: int, dtype: Any) -> Function:
    def segment_sum(data: Array, segment_ids: Array) -> Array:
        return SEGMENT_SUM.bind(gathered(data), gathered(segment_ids), number=0, groups=groups, dtype=dtype)

    segment_sum.__name__ = "exactdot_segment_sum"
    return jax.jit(segment_sum)


def reduce(name: str, x: Any, axis: Any, keepdims: Any, dtype: Any, ddof: Any = 0) -> Array:
    """What the functions of one array share."""
    x = array_of(name, "x", x)
    if isinstance(axis, list):
        axis = tuple(axis)
    try:
        compiled = compiled_reduction(name, x.dtype, x.ndim, axis, keepdims, dtype, ddof, has_64_bits())
    except TypeError as refused:
        if not str(refused).startswith("unhashable"):
            raise
        raise TypeError(f"{name}: axis, keepdims, dtype or ddof is an array, or what else cannot be hashed") from None
    return compiled(x)


def sum(x: ArrayLike, axis: int | Sequence[int] | None = None, *, keepdims: bool = False, dtype: Any = None) -> Array:
    """Computes the exact sum over axes, rounded once: jnp.sum, with the same bits for every order, batch and split.

    Parameters
    ----------
    x : ArrayLike
        Of floats of 8 to 64 bits, integers or booleans, on a CPU; of any shape.
    axis : int, sequence of int, or None
        The axes that are reduced; None: all.
    keepdims : bool
        Keep the reduced axes with length 1.
    dtype : dtype, optional
        The type to which the sum is rounded; the elements are read as they are, not converted first. Default: that of
        x, of integers jnp.sum's: int32 or uint32, with jax_enable_x64 int64 or uint64.

    Returns
    -------
    Array
        0 where there are no elements. Gradient: that of the result, for each element.

    Raises
    ------
    TypeError
        No array; an element type without sums; a dtype that the sum cannot have.
    ValueError
        An axis out of range, or named twice.
    jax.errors.JaxRuntimeError
        A sum of integers beyond its type, when the result is computed.
    NotImplementedError
        Compiled for another platform than a CPU.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.sum(jnp.array([[1e30, 1.0, -1e30], [1.0, 2.0, 3.0]]), axis=1)
    Array([1., 6.], dtype=float32)
    """
    return reduce("sum", x, axis, keepdims, dtype)


def mean(x: ArrayLike, axis: int | Sequence[int] | None = None, *, keepdims: bool = False, dtype: Any = None) -> Array:
    """Computes the exact mean over axes, the quotient rounded once: jnp.mean.

    Parameters
    ----------
    x, axis, keepdims
        As of `sum`.
    dtype : dtype, optional
        A floating-point type. Default: that of x, of integers float32, with jax_enable_x64 float64.

    Returns
    -------
    Array
        NaN where there are no elements. Gradient: that of the result over their number, rounded once.

    Raises
    ------
    TypeError, ValueError, NotImplementedError
        As of `sum`.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.mean(jnp.array([1e30, 3.0, -1e30]))
    Array(1., dtype=float32)
    """
    return reduce("mean", x, axis, keepdims, dtype)


def var(x: ArrayLike, axis: int | Sequence[int] | None = None, *, ddof: int = 0, keepdims: bool = False,
        dtype: Any = None) -> Array:
    """Computes the exact variance over axes, rounded once: jnp.var, with n − ddof as divisor.

    Parameters
    ----------
    x, axis, keepdims, dtype
        As of `mean`.
    ddof : int
        What is taken from the number of elements: 0, or 1 for a sample.

    Returns
    -------
    Array
        NaN where there are no more than `ddof` elements. Gradient: (x − m)·2g/(n − ddof) with the exact mean m.

    Raises
    ------
    TypeError, ValueError, NotImplementedError
        As of `sum`; another ddof.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.var(jnp.array([1e9, 1e9 + 64, 1e9 + 128]), ddof=1)
    Array(4096., dtype=float32)
    """
    return reduce("var", x, axis, keepdims, dtype, ddof)


def std(x: ArrayLike, axis: int | Sequence[int] | None = None, *, ddof: int = 0, keepdims: bool = False,
        dtype: Any = None) -> Array:
    """Computes the exact standard deviation over axes, the root of the quotient rounded once: jnp.std.

    Parameters
    ----------
    x, axis, ddof, keepdims, dtype
        As of `var`.

    Returns
    -------
    Array
        NaN where there are no more than `ddof` elements. Gradient: (x − m)·g/((n − ddof)·result), 0 where the result
        is 0.

    Raises
    ------
    TypeError, ValueError, NotImplementedError
        As of `var`.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.std(jnp.array([[1.0, 3.0], [5.0, 5.0]]), axis=1)
    Array([1., 0.], dtype=float32)
    """
    return reduce("std", x, axis, keepdims, dtype, ddof)


def norm(x: ArrayLike, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: Any = None) -> Array:
    """Computes the exact Euclidean norm √Σx² over axes, rounded once: jnp.linalg.norm of the array as a vector.

    Parameters
    ----------
    x, axis, keepdims, dtype
        As of `mean`; axis by its name, since the second argument of jnp.linalg.norm is the order.

    Returns
    -------
    Array
        0 where there are no elements. No square over- or underflows. Gradient: x·g/result, 0 where the result is 0.

    Raises
    ------
    TypeError, ValueError, NotImplementedError
        As of `sum`.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.norm(jnp.array([3e30, 4e30]))
    Array(5.e+30, dtype=float32)
    """
    return reduce("norm", x, axis, keepdims, dtype)


def asum(x: ArrayLike, axis: int | Sequence[int] | None = None, *, keepdims: bool = False, dtype: Any = None) -> Array:
    """Computes the exact sum of magnitudes Σ|x| over axes, rounded once.

    Parameters
    ----------
    x, axis, keepdims, dtype
        As of `sum`.

    Returns
    -------
    Array
        0 where there are no elements. Gradient: sign(x)·g.

    Raises
    ------
    TypeError, ValueError, JaxRuntimeError, NotImplementedError
        As of `sum`.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.asum(jnp.array([1.0, -2.0]))
    Array(3., dtype=float32)
    """
    return reduce("asum", x, axis, keepdims, dtype)


def sum_of_squares(x: ArrayLike, axis: int | Sequence[int] | None = None, *, keepdims: bool = False,
                   dtype: Any = None) -> Array:
    """Computes the exact sum of squares Σx² over axes, rounded once.

    Parameters
    ----------
    x, axis, keepdims, dtype
        As of `sum`.

    Returns
    -------
    Array
        0 where there are no elements. Gradient: 2x·g.

    Raises
    ------
    TypeError, ValueError, JaxRuntimeError, NotImplementedError
        As of `sum`.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.sum_of_squares(jnp.array([3.0, 4.0]))
    Array(25., dtype=float32)
    """
    return reduce("sum_of_squares", x, axis, keepdims, dtype)


def factors(caller: str, a: Any, b: Any, dtype: Any) -> tuple[Array, Array, Any]:
    """Two arrays of floats or two of integers, and the type of the result."""
    a, b = array_of(caller, "a", a), array_of(caller, "b", b)
    if (a.dtype in FLOATS) != (b.dtype in FLOATS):
        raise TypeError(f"{caller}: a holds {a.dtype}, b {b.dtype}; convert one, as integers and "
                        "floating-point numbers do not mix")
    return a, b, result_dtype(caller, (a.dtype, b.dtype), dtype)


def dot(a: ArrayLike, b: ArrayLike, *, dtype: Any = None) -> Array:
    """Computes the exact dot product of two vectors, rounded once: products are exact, too.

    Parameters
    ----------
    a, b : ArrayLike
        1-D, of the same length; two floating-point or two integer types, which may differ.
    dtype : dtype, optional
        As of `sum`. Default: the type of both; of two floating-point types float64 if it is one of them, else float32.

    Returns
    -------
    Array
        A scalar; 0 of no elements. Gradients: b·g and a·g.

    Raises
    ------
    ValueError
        Other dimensions, for which there is `vecdot`; two lengths.
    TypeError, JaxRuntimeError, NotImplementedError
        As of `sum`; a floating-point and an integer type.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.dot(jnp.array([1e20, 1e20, 1.0]), jnp.array([1e20, -1e20, 1.0]))
    Array(1., dtype=float32)
    """
    a, b, kind = factors("dot", a, b, dtype)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(f"dot: a has {a.ndim} dimensions, b {b.ndim}; use vectors, or vecdot")
    if a.shape != b.shape:
        raise ValueError(f"dot: the vectors differ in length: {a.shape[0]} and {b.shape[0]}")
    return compiled_vecdot(0, kind)(a, b)


def vecdot(a: ArrayLike, b: ArrayLike, *, axis: int = -1, dtype: Any = None) -> Array:
    """Computes exact dot products along an axis, each rounded once: jnp.vecdot. The other axes are broadcast.

    Parameters
    ----------
    a, b : ArrayLike
        Of types as of `dot`. A matrix and a vector give the product of both.
    axis : int
        The axis of each array that is reduced.
    dtype : dtype, optional
        As of `dot`.

    Returns
    -------
    Array
        Gradients: b·g and a·g; of an array that was broadcast exact sums of these products, rounded once.

    Raises
    ------
    ValueError
        An axis out of range; lengths that differ; shapes that do not broadcast.
    TypeError, JaxRuntimeError, NotImplementedError
        As of `dot`.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.vecdot(jnp.array([[1e20, 1e20, 1.0], [1.0, 2.0, 3.0]]), jnp.array([1e20, -1e20, 1.0]))
    Array([ 1.e+00, -1.e+20], dtype=float32)
    """
    a, b, kind = factors("vecdot", a, b, dtype)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"vecdot: a has {a.ndim} dimensions, b {b.ndim}; use vectors or arrays of them")
    if axis is None or isinstance(axis, (tuple, list)):
        raise TypeError(f"vecdot: axis is {axis!r}; use an integer")
    along_a, along_b = (normal_axes("vecdot", (axis,), x.ndim)[0] for x in (a, b))
    if a.shape[along_a] != b.shape[along_b]:
        raise ValueError(f"vecdot: the vectors differ in length: {a.shape[along_a]} and {b.shape[along_b]}")
    if a.ndim != b.ndim:
        a, b, along_a = jnp.moveaxis(a, along_a, -1), jnp.moveaxis(b, along_b, -1), max(a.ndim, b.ndim) - 1
        a, b = (x.reshape((1,) * (along_a + 1 - x.ndim) + x.shape) for x in (a, b))
    if not all(n == m or 1 in (n, m) for n, m in zip(a.shape, b.shape)):
        raise ValueError(f"vecdot: shapes {a.shape} and {b.shape} do not broadcast")
    return compiled_vecdot(along_a, kind)(a, b)


def integers(caller: str, name: str, x: Any) -> Array:
    x = array_of(caller, name, x)
    if x.dtype not in INTEGERS:
        raise TypeError(f"{caller}: {name} is of {x.dtype}; use integers")
    return x


def segment_sum(data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None,
                indices_are_sorted: bool = False, unique_indices: bool = False, *, dtype: Any = None) -> Array:
    """Computes the exact sum of the rows of each segment, rounded once: jax.ops.segment_sum, with any order of the rows.

    Parameters
    ----------
    data : ArrayLike
        Rows along the first axis, of types as of `sum`.
    segment_ids : ArrayLike
        1-D, an integer for each row: the segment to which it is added. A row whose integer is negative, or
        `num_segments` or more, is left out.
    num_segments : int, optional
        The number of segments. Default: the greatest integer and 1, which needs it to be known, so not within jit.
    indices_are_sorted, unique_indices : bool
        As of jax.ops.segment_sum; the result depends on neither.
    dtype : dtype, optional
        As of `sum`: of integers jnp.sum's, not that of data.

    Returns
    -------
    Array
        Of shape (num_segments, ...); 0 where a segment has no rows. Gradient: of each row that of its segment, of
        those left out 0; its own gradient is an exact sum again.

    Raises
    ------
    TypeError
        As of `sum`; segment_ids that are no integers; num_segments that is none, or missing within jit.
    ValueError
        Another number of segment_ids than of rows; a negative num_segments.
    JaxRuntimeError, NotImplementedError
        As of `sum`.

    Examples
    --------
    >>> import jax.numpy as jnp, exactdot.jax as xj
    >>> xj.segment_sum(jnp.array([1e30, 5.0, 1.0, -1e30, 7.0]), jnp.array([1, 0, 1, 1, -1]), 3)
    Array([5., 1., 0.], dtype=float32)
    """
    data, ids = array_of("segment_sum", "data", data), integers("segment_sum", "segment_ids", segment_ids)
    if data.ndim == 0 or ids.shape != data.shape[:1]:
        raise ValueError(f"segment_sum: data has shape {data.shape}, segment_ids {ids.shape}; use an integer for each row "
                         "of data")
    if num_segments is None and isinstance(ids, jax.core.Tracer):
        raise TypeError("segment_sum: num_segments is missing; pass it where segment_ids is traced, as within jit")
    if num_segments is None:
        num_segments = int(np.max(np.asarray(ids), initial=-1)) + 1
    groups = count("segment_sum", "num_segments", num_segments)
    return compiled_segment_sum(groups, result_dtype("segment_sum", (data.dtype,), dtype))(data, ids)


def take(x: ArrayLike, ids: ArrayLike) -> Array:
    """Takes the rows at `ids`, as of an embedding: jnp.take along the first axis, with exact gradients.

    Parameters
    ----------
    x : ArrayLike
        Rows along the first axis, of types as of `sum`.
    ids : ArrayLike
        Integers of any shape: rows of x. One that is negative, or the number of rows or more, gives zeros.

    Returns
    -------
    Array
        Of shape ids.shape + x.shape[1:]. Gradient: for each row of x the exact sum of those of its places, rounded
        once: `segment_sum`.

    Raises
    ------
    TypeError
        As of `sum`; ids that are no integers.
    ValueError
        x without a dimension.
    NotImplementedError
        A gradient compiled for another platform than a CPU.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, exactdot.jax as xj
    >>> xj.take(jnp.array([1.0, 2.0]), jnp.array([[1, 0], [1, -1]])).tolist()
    [[2.0, 1.0], [2.0, 0.0]]
    >>> weights = jnp.array([1e30, 1.0, -1e30])
    >>> jax.grad(lambda x: xj.dot(xj.take(x, jnp.array([1, 1, 1])), weights))(jnp.zeros(2)).tolist()
    [0.0, 1.0]
    """
    x, ids = array_of("take", "x", x), integers("take", "ids", ids)
    if x.ndim == 0:
        raise ValueError("take: x has no dimension; rows lie along the first")
    return compiled_take(x, ids)
