"""Checks of arguments: element types, result types, axes, counts."""

from __future__ import annotations

import operator
from typing import Any, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from exactdot.jax._primitives import FLOAT32, FLOAT64

FLOATS = frozenset(map(np.dtype, (jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64, jnp.float8_e4m3fn,
                                   jnp.float8_e5m2)))
INTEGERS = frozenset(np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64))
_ELEMENTS = FLOATS | INTEGERS | {np.dtype(bool)}
_SUMS = ("sum", "asum", "sum_of_squares", "dot", "vecdot", "segment_sum")  # which integers can have as results


def array_of(caller: str, name: str, x: Any) -> Array:
    """x as an array of JAX, of an element type. Raises TypeError."""
    if not isinstance(x, (jax.Array, np.ndarray, np.generic, int, float, complex)) and not hasattr(x, "__jax_array__"):
        raise TypeError(f"{caller}: {name} is a {type(x).__name__}; use an array")
    if not isinstance(x, jax.Array):
        x = jnp.asarray(x)
    if x.dtype not in _ELEMENTS:
        is_complex = jnp.issubdtype(x.dtype, jnp.complexfloating)
        remedy = "reduce its real and imaginary parts" if is_complex else "use floats or integers"
        raise TypeError(f"{caller}: {name} is of {x.dtype}, which has no exact sums; {remedy}")
    return x


def has_64_bits() -> bool:
    return bool(jax.config.jax_enable_x64)


def result_dtype(caller: str, dtypes: Sequence[Any], dtype: Any) -> Any:
    """The type of the result: the one passed, that of the operands, one that holds two, or jnp.sum's for integers."""
    are_floats = dtypes[0] in FLOATS
    if dtype is None:
        if are_floats:
            return dtypes[0] if len(set(dtypes)) == 1 else FLOAT64 if FLOAT64 in dtypes else FLOAT32
        kind = "float" if caller not in _SUMS else "uint" if all(each.kind == "u" for each in dtypes) else "int"
        return np.dtype(f"{kind}{64 if has_64_bits() else 32}")
    try:
        found = np.dtype(jax.dtypes.canonicalize_dtype(dtype) if dtype in (int, float) else dtype)
    except TypeError:
        raise TypeError(f"{caller}: dtype is {dtype!r}; use a dtype, such as jnp.float32") from None
    has_integers = caller in _SUMS and not are_floats
    if found not in FLOATS and not (has_integers and found in INTEGERS):
        raise TypeError(f"{caller}: dtype is {found}; use a floating-point type"
                        + (", or an integer type" if has_integers else ""))
    if found.itemsize == 8 and not has_64_bits():
        raise TypeError(f"{caller}: dtype is {found}; JAX has it only after jax.config.update('jax_enable_x64', True)")
    return found


def normal_axes(caller: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """The reduced axes, ascending; None: all. Raises TypeError and ValueError."""
    if axis is None:
        return tuple(range(ndim))
    try:
        if isinstance(axis, bool):
            raise TypeError
        numbers = [operator.index(each) for each in (axis if isinstance(axis, tuple) else (axis,))]
    except TypeError:
        raise TypeError(f"{caller}: axis is {axis!r}; use an integer, a tuple of integers, or None") from None
    for each in numbers:
        if not -ndim <= each < ndim:
            raise ValueError(f"{caller}: axis {each} of an array of {ndim} dimensions; expected "
                             + (f"{-ndim} to {ndim - 1}" if ndim else "None or ()"))
    axes = tuple(sorted({each % ndim for each in numbers}))
    if len(axes) != len(numbers):
        raise ValueError(f"{caller}: axis is {axis}, which names an axis twice")
    return axes


def count(caller: str, name: str, value: Any) -> int:
    """An integer, 0 or more. Raises TypeError and ValueError."""
    sentence = f"{caller}: {name} is {value!r}; use an integer, 0 or more"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(sentence)
    if operator.index(value) < 0:
        raise ValueError(sentence)
    return operator.index(value)


def without(shape: Sequence[int], axes: tuple[int, ...]) -> list[int]:
    return [n for i, n in enumerate(shape) if i not in axes]
