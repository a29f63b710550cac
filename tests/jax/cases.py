"""What the tests share: samples of every element type, patterns of bits, and the table of functions with a gradient."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import exactdot.jax as xj
import jax
import jax.numpy as jnp
import numpy as np

FLOATS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
RANDOM = np.random.default_rng(1)


def dtype_of(name: str) -> Any:
    return np.dtype(getattr(jnp, name)) if name != "bool" else np.dtype(bool)


def samples(name: str, *shape: int) -> Any:
    """Numbers of many sizes, half of which cancel the others but for one; an array of NumPy."""
    if name in INTEGERS:
        return RANDOM.integers(0 if name[0] in "ub" else -100, 2 if name == "bool" else 100, shape).astype(dtype_of(name))
    reach = 4 if name.startswith("float8") else 10
    x = RANDOM.standard_normal(shape) * 2.0 ** RANDOM.integers(-reach, reach, shape)
    flat = x.reshape(-1)
    half = len(flat) // 2
    flat[half:2 * half] = -flat[:half][::-1]
    if half:
        flat[0] *= 1 + 2**-5
    return x.astype(dtype_of(name))


def numbers(x: Any) -> list[Any]:
    """The elements as Python numbers, exactly."""
    x = np.asarray(x)
    return x.ravel().tolist() if x.dtype.kind in "iub" else x.astype(np.float64).ravel().tolist()


def pattern(x: Any) -> tuple[Any, ...]:
    """Type, shape and bits; all NaN are one."""
    x = np.asarray(x)
    is_nan = np.isnan(x.astype(np.float64)) if x.dtype.kind not in "iub" else np.zeros(x.shape, bool)
    return x.dtype.name, x.shape, tuple("nan" if nan else each.tobytes() for nan, each in zip(is_nan.ravel(), x.ravel()))


class Case(NamedTuple):
    """A function of the library, the formula that jnp computes, and the shapes of the inputs."""
    name: str
    function: Callable[..., Any]
    formula: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]


IDS = jnp.array([2, 0, 2, -1, 7])
CASES = [
    Case("sum", lambda x: xj.sum(x, (0, 2)), lambda x: jnp.sum(x, (0, 2)), ((3, 4, 2),)),
    Case("sum_all", xj.sum, jnp.sum, ((3, 4),)),
    Case("mean", lambda x: xj.mean(x, 1, keepdims=True), lambda x: jnp.mean(x, 1, keepdims=True), ((3, 5, 2),)),
    Case("var", lambda x: xj.var(x, 1, ddof=1), lambda x: jnp.var(x, 1, ddof=1), ((3, 4),)),
    Case("std", lambda x: xj.std(x, 0), lambda x: jnp.std(x, 0), ((4, 3),)),
    Case("norm", lambda x: xj.norm(x, axis=-1), lambda x: jnp.sqrt(jnp.sum(x * x, -1)), ((3, 4),)),
    Case("norm_0d", xj.norm, jnp.abs, ((),)),
    Case("asum", lambda x: xj.asum(x, 0), lambda x: jnp.sum(jnp.abs(x), 0), ((3, 4),)),
    Case("sum_of_squares", lambda x: xj.sum_of_squares(x, 1), lambda x: jnp.sum(x * x, 1), ((3, 4),)),
    Case("dot", xj.dot, jnp.vdot, ((5,), (5,))),
    Case("vecdot", xj.vecdot, lambda a, b: jnp.sum(a * b, -1), ((3, 1, 5), (4, 5))),
    Case("vecdot_0", lambda a, b: xj.vecdot(a, b, axis=0), lambda a, b: jnp.sum(a * b, 0), ((5, 3), (5, 1))),
    Case("segment_sum", lambda x: xj.segment_sum(x, IDS, 3), lambda x: jax.ops.segment_sum(x, jnp.where(IDS < 0, 3, IDS), 3), ((5, 2),)),
    Case("take", lambda x: xj.take(x, IDS[None]), lambda x: jnp.stack([x[i] if 0 <= i < 3 else x[0] * 0 for i in IDS.tolist()])[None], ((3, 2),)),
]


def inputs_of(case: Case, dtype: Any = np.float32, batch: tuple[int, ...] = ()) -> list[Any]:
    return [jnp.asarray(RANDOM.standard_normal(batch + shape).astype(dtype)) for shape in case.shapes]
