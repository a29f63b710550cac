"""Results have the bits of the oracle, which sums fractions: every element type, axes, with jit and without, batches and orders."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
pytest.importorskip("jax")  # before what imports it
import exactdot as xd
import exactdot.jax as xj
import jax
import jax.numpy as jnp
from exactdot.jax._primitives import FLOAT32, quotient

from cases import FLOATS, INTEGERS, RANDOM, dtype_of, numbers, pattern, samples
from reference import exact_dot, exact_reduction

REDUCTIONS = {"sum": xj.sum, "mean": xj.mean, "var": lambda x, a, **o: xj.var(x, a, ddof=1, **o), "std": xj.std,
              "norm": lambda x, a, **o: xj.norm(x, axis=a, **o), "asum": xj.asum, "sum_of_squares": xj.sum_of_squares}
COMPUTED = (jax.errors.JaxRuntimeError, ValueError)  # the latter where JAX computes before the call returns
SUMS = ("sum", "asum", "sum_of_squares")
AXES: list[Any] = [None, 0, 1, -1, (0, 2), [2, 1], (0, 1, 2), ()]


def expected(name: str, x: Any, axis: Any, keepdims: bool, dtype: Any) -> Any:
    every = range(x.ndim)
    reduced = [d % x.ndim for d in (every if axis is None else [axis] if isinstance(axis, int) else axis)]
    kept = [d for d in every if d not in reduced]
    rows = x.transpose(*kept, *reduced).reshape(*[x.shape[d] for d in kept], math.prod(x.shape[d] for d in reduced))
    values = [exact_reduction(name, numbers(row), dtype.name, int(name == "var")) for row in rows.reshape(-1, rows.shape[-1])]
    shape = [1 if d in reduced else x.shape[d] for d in every if keepdims or d not in reduced]
    exact = np.array(values, object if dtype.kind in "iu" else np.float64)
    return exact.astype(dtype).reshape(shape)


def default_dtype(name: str, dtype: Any, bits: int) -> Any:
    if dtype.name in FLOATS:
        return dtype
    kind = "float" if name not in SUMS else "uint" if dtype.kind == "u" else "int"
    return np.dtype(f"{kind}{bits}")


def check_reductions(name: str, element: str, bits: int) -> None:
    """All axes, each with one of the options; two of them within jit, whose compilation takes longer than all the rest."""
    x = samples(element, 3, 4, 5)
    options: list[dict[str, Any]] = [{}, {"dtype": jnp.float32}, {"keepdims": True}, {"dtype": "bfloat16", "keepdims": True}]
    first = len(name) + len(element)
    for i, axis in enumerate(AXES):
        more = options[(first + i) % 4]
        dtype = np.dtype(more["dtype"]) if "dtype" in more else default_dtype(name, x.dtype, bits)
        wanted = pattern(expected(name, x, axis, "keepdims" in more, dtype))
        assert pattern(REDUCTIONS[name](x, axis, **more)) == wanted, (axis, more)
        if i % 4 == first % 4:
            assert pattern(jax.jit(lambda x: REDUCTIONS[name](x, axis, **more))(x)) == wanted, ("jit", axis, more)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("element", FLOATS + INTEGERS)
def test_reductions(x64: None, name: str, element: str) -> None:
    check_reductions(name, element, 64)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("element", [each for each in FLOATS + INTEGERS if "64" not in each])
def test_reductions_in_32_bits(name: str, element: str) -> None:
    check_reductions(name, element, 32)


@pytest.mark.parametrize("element", FLOATS)
def test_special_values(x64: None, element: str) -> None:
    for special in ([math.inf, 1.0], [math.inf, -math.inf], [math.nan, 1.0], [-0.0, 0.0], [-0.0, -0.0]):
        y = np.array([special]).astype(dtype_of(element))
        for name in REDUCTIONS:
            assert pattern(REDUCTIONS[name](y, 1)) == pattern(expected(name, y, 1, False, y.dtype)), (name, special)


def test_subnormal_numbers_are_numbers() -> None:
    """XLA's threads flush them in its own operations."""
    x = np.array([1e-40, 3e-39, 1e-45, -2e-39], "f4")
    for f in (xj.sum, jax.jit(xj.sum), lambda x: jax.vmap(xj.sum)(x[None])[0]):
        assert float(f(x)) == xd.sum(x)
    assert pattern(jax.jit(jax.grad(xj.dot))(x, x[::-1])) == pattern(x[::-1])
    assert pattern(jax.jit(jax.grad(xj.sum_of_squares))(x)) == pattern(2 * x)


def test_empty_arrays_and_scalars() -> None:
    for f, theirs in ((xj.sum, jnp.sum), (xj.mean, jnp.mean), (xj.var, jnp.var), (xj.std, jnp.std), (xj.asum, jnp.sum)):
        for shape, axis in (((0,), None), ((0, 3), 0), ((0, 3), 1), ((3, 0), 1), ((3, 0), None), ((2, 0, 3), (0, 1))):
            x = jnp.zeros(shape)
            assert pattern(f(x, axis)) == pattern(theirs(x, axis)), (f, shape, axis)
            assert pattern(jax.jit(f, static_argnums=1)(x, axis)) == pattern(theirs(x, axis))
        assert f(3.0) == theirs(3.0) and f(np.float32(3), ()) == theirs(3.0)
    x = jnp.ones((2, 3))
    assert xj.vecdot(x[:, :0], x[:, :0]).tolist() == [0, 0] and xj.dot(x[0, :0], x[0, :0]) == 0 and xj.norm(-3.0) == 3
    assert xj.segment_sum(x[:0], jnp.zeros(0, int), 2).tolist() == [[0] * 3] * 2 and xj.segment_sum(x, jnp.zeros(2, int), 0).shape == (0, 3)
    assert xj.segment_sum(x[:0], jnp.zeros(0, int)).shape == (0, 3) and xj.segment_sum(x, jnp.array([-1, -2])).shape == (0, 3)


@pytest.mark.parametrize("element", FLOATS)
def test_products(x64: None, element: str) -> None:
    a, b = samples(element, 3, 40), samples(element, 2, 1, 40)
    for dtype in (a.dtype, np.dtype("float64")):
        wanted = [exact_dot(a[j].astype("f8"), b[i, 0].astype("f8"), dtype.name) for i in range(2) for j in range(3)]
        for f in (xj.vecdot, jax.jit(xj.vecdot, static_argnames="dtype")):
            found = f(a, b, dtype=dtype)
            assert found.dtype == dtype and found.shape == (2, 3) and numbers(found) == wanted
        assert numbers(xj.vecdot(a.T, np.moveaxis(b, -1, 0), axis=0, dtype=dtype)) == wanted
    assert pattern(xj.dot(a[0], b[0, 0])) == pattern(xj.vecdot(a, b)[0, 0])
    mixed = xj.dot(a[0], b[0, 0].astype("f4"))
    assert mixed.dtype == (jnp.float64 if element == "float64" else jnp.float32)
    assert numbers(mixed) == [exact_dot(a[0].astype("f8"), b[0, 0].astype("f4"), mixed.dtype.name)]
    integers = samples("int16", 3, 7)
    assert numbers(xj.vecdot(integers, integers.astype("i1"))) == numbers((integers.astype("i8") ** 2).sum(1))


@pytest.mark.parametrize("element", [*FLOATS[:4], "int8", "uint32", "bool"])
def test_segment_sum(x64: None, element: str) -> None:
    """The oracle's sum of each segment, in any order of the rows; rows out of range are left out, as jax.ops does."""
    x, ids, order = samples(element, 64, 3), RANDOM.integers(-2, 7, 64), RANDOM.permutation(64)
    kind = default_dtype("sum", x.dtype, 64)
    wanted = [[exact_reduction("sum", numbers(x[ids == i, j]), kind.name) for j in range(3)] for i in range(5)]
    for keys in ("int8", "int32", "int64", "uint16", "uint64"):
        found = xj.segment_sum(x, ids.astype(keys), 5)
        assert found.dtype == kind and found.tolist() == wanted, keys
    assert pattern(jax.jit(xj.segment_sum, static_argnums=2)(x[order], ids[order], 5)) == pattern(found)
    assert pattern(xj.segment_sum(x[:, 1], ids, 5, True, unique_indices=False)) == pattern(found[:, 1])
    assert xj.segment_sum(x, ids).shape == (7, 3) and xj.segment_sum(x[..., None], ids, 5).shape == (5, 3, 1)
    small = jnp.arange(64).reshape(64, 1) * jnp.ones((1, 3))
    assert xj.segment_sum(small, ids, 5).tolist() == jax.ops.segment_sum(small, ids, 5).tolist()


def test_take() -> None:
    x = jnp.arange(6).reshape(3, 2) + 1
    for keys in ("int8", "uint16", "int32"):
        ids = np.array([[0, 2], [1, 100], [2, 255 if keys[0] == "u" else -1]]).astype(keys)
        assert xj.take(x, ids).tolist() == jax.jit(xj.take)(x, ids).tolist() == [[[1, 2], [5, 6]], [[3, 4], [0, 0]], [[5, 6], [0, 0]]]
    assert xj.take(x, jnp.zeros((0, 2), int)).shape == (0, 2, 2) and xj.take(x[:0], jnp.array([0])).tolist() == [[0, 0]]
    assert xj.take(x, 1).tolist() == [3, 4] and jax.vmap(xj.take, (0, None))(x, jnp.array([1, 0])).tolist() == [[2, 1], [4, 3], [6, 5]]


def test_integers_beyond_their_type() -> None:
    """An error with the library's sentence, with jit and without; what fits is exact, however large the sums on the way."""
    x = np.array([[2**31 - 1, 2**31 - 1, -2**31], [2**31 - 1, 1, 0]], "i4")
    assert xj.sum(x[0]) == 2**31 - 2 and xj.sum(x, dtype="float32") == 2.0**32
    for call in (lambda: xj.sum(x[1]), lambda: jax.jit(xj.sum)(x[1]), lambda: jax.jit(jax.vmap(xj.sum))(x[1:])):
        with pytest.raises(COMPUTED, match="sum: result 0 does not fit into int32; pass a floating-point dtype, which rounds it"):
            jax.block_until_ready(call())
    with pytest.raises(COMPUTED, match="sum: result 1 does not fit into int32"):
        jax.block_until_ready(xj.sum(x, 1))
    with pytest.raises(COMPUTED, match="segment_sum: result 2 does not fit into int8"):
        jax.block_until_ready(xj.segment_sum(np.full(3, 100, "i1"), np.array([2, 2, 0]), 3, dtype="int8"))
    with pytest.raises(COMPUTED, match="vecdot: result 0 does not fit into uint8"):
        jax.block_until_ready(xj.dot(np.full(3, 16, "u1"), np.full(3, 16, "u1"), dtype="uint8"))
    assert xj.sum(np.full(3, 200, "u1")).dtype == jnp.uint32


def test_integers_beyond_64_bits(x64: None) -> None:
    with pytest.raises(COMPUTED, match="sum: result 0 does not fit into int64; pass a floating-point dtype"):
        jax.block_until_ready(xj.sum(np.full(2, 2**62)))
    assert xj.sum(np.full(2, 2**62), dtype="float64") == 2.0**63 and int(xj.sum(np.full(2, 2**63 - 1, "u8"))) == 2**64 - 2


def test_splits_orders_and_batches() -> None:
    """The same bits for every split of a batch, order of its elements, layout, and with jit and without."""
    x = (RANDOM.standard_normal((64, 3000)) * 10.0 ** RANDOM.integers(-6, 6, (64, 3000))).astype("f4")
    whole = xj.sum(x, 1), xj.mean(x), xj.var(x, 0), xj.norm(x)
    for parts in (2, 7, 64):
        assert pattern(jnp.concatenate([xj.sum(each, 1) for each in np.array_split(x, parts)])) == pattern(whole[0])
    order = RANDOM.permutation(3000)
    assert pattern(jax.jit(lambda x: xj.sum(x[:, order], 1))(x)) == pattern(whole[0]) and pattern(xj.mean(x[:, order])) == pattern(whole[1])
    assert pattern(xj.var(x[RANDOM.permutation(64)], 0)) == pattern(whole[2]) and pattern(jax.jit(lambda x: xj.norm(x.T))(x)) == pattern(whole[3])
    assert pattern(jax.vmap(xj.sum)(x)) == pattern(jax.vmap(xj.sum, 1)(x.T)) == pattern(whole[0])
    assert pattern(jnp.sum(x[:, order], 1)) != pattern(jnp.sum(x, 1))  # JAX's own depends on the order


def test_number_of_threads() -> None:
    code = ("import numpy, exactdot.jax as xj; x = numpy.random.default_rng(3).standard_normal((4, 10**6)).astype('f4');"
            "print([float(v).hex() for v in [*xj.sum(x, 1), *xj.var(x, 1), xj.norm(x)]])")
    found = {subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, timeout=240,
                            env={**__import__("os").environ, "OMP_NUM_THREADS": threads}).stdout for threads in ("1", "2")}
    assert len(found) == 1


def test_quotients_of_subnormal_numbers(x64: None) -> None:
    """One that lies by 2**-75 beside the middle of two floats is rounded once, to the right one."""
    middle, b = 2**24 + 1, 2**50 - 1  # middle·b ≡ −1 modulo 2²⁴
    a = (middle * b + 1) >> 24
    for scale in (2.0**-1074, 2.0**-1020, 2.0**-952, 2.0**-700, 1.0):
        for sign in (1, -1):
            found = quotient(jnp.array([sign * a * scale]), jnp.array([b * scale]), FLOAT32)
            assert found.tolist() == [sign * (1 + 2.0**-23)]
