"""Gradients, tangents and second derivatives: those of the formulas, and of the same bits with jit and without, alone and in batches."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
pytest.importorskip("jax")  # before what imports it
import exactdot.jax as xj
import jax
import jax.numpy as jnp
from exactdot.jax._primitives import _handlers, target_of
from jax.test_util import check_grads

from cases import CASES, IDS, RANDOM, Case, dtype_of, inputs_of, numbers, pattern, samples
from reference import exact_dot, exact_reduction, rounded

OF_CASES = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def scalar(function: Any) -> Any:
    """A function of one result, whose gradient depends on all of those of `function`."""
    def loss(*inputs: Any) -> Any:
        y = function(*inputs)
        return jnp.sum(jnp.arange(1, y.size + 1).reshape(y.shape) * y * y)
    return loss


@OF_CASES
def test_derivatives_of_the_formulas(x64: None, case: Case) -> None:
    """First and second derivatives in forward and reverse mode, by differences, and beside those of jnp."""
    x = inputs_of(case, np.float64)
    check_grads(case.function, x, order=2, modes=("fwd", "rev"))
    argnums = tuple(range(len(x)))
    for derivative in (jax.grad, jax.jacfwd, jax.hessian, lambda f, i: jax.jacrev(jax.jacrev(f, i), i)):
        found, wanted = (derivative(scalar(f), argnums)(*x) for f in (case.function, case.formula))
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10), found, wanted)


@OF_CASES
@pytest.mark.parametrize("element", ["float32", "bfloat16"])
def test_bits_of_gradients(case: Case, element: str) -> None:
    """With jit and without; alone and in a batch, wherever its dimension is; in a tangent, too."""
    x = [jnp.asarray(each, dtype_of(element)) for each in inputs_of(case, np.float32, (3,))]
    g = jnp.asarray(RANDOM.standard_normal(case.function(*(each[0] for each in x)).shape), dtype_of(element))

    def gradients(*inputs: Any) -> Any:
        return jax.vjp(case.function, *inputs)[1](g)

    def tangent(*inputs: Any) -> Any:
        return jax.jvp(case.function, inputs, tuple(each[::-1] if each.ndim else -each for each in inputs))[1]

    for f in (gradients, tangent):
        alone = [jax.tree.map(pattern, f(*(each[i] for each in x))) for i in range(3)]
        compiled = [jax.tree.map(pattern, jax.jit(f)(*(each[i] for each in x))) for i in range(3)]
        assert alone == compiled
        in_batches = jax.jit(jax.vmap(f))(*x)
        last = jax.vmap(f, in_axes=-1)(*(jnp.moveaxis(each, 0, -1) for each in x))
        for i in range(3):
            assert jax.tree.map(lambda y: pattern(y[i]), in_batches) == alone[i] == jax.tree.map(lambda y: pattern(y[i]), last)


def fractions(x: Any) -> list[Fraction]:
    return [Fraction(v) for v in numbers(x)]


@pytest.mark.parametrize("element", ["float64", "float32", "float16", "bfloat16"])
def test_an_element_of_a_gradient_is_rounded_once(x64: None, element: str) -> None:
    x, y = samples(element, 30), samples(element, 30)
    g = dtype_of(element).type(0.7)
    for gradient, f in ((y, lambda x: g * xj.dot(x, y)), (2 * x, lambda x: g * xj.sum_of_squares(x))):
        wanted = [rounded(Fraction(float(g)) * v, element) for v in fractions(gradient)]
        assert numbers(jax.grad(f)(x)) == numbers(jax.jit(jax.grad(f))(x)) == wanted
    mean = rounded(Fraction(float(g)) / 30, element)
    assert numbers(jax.jit(jax.grad(lambda x: g * xj.mean(x)))(x)) == [mean] * 30
    wide = "float64" if element == "float64" else "float32"
    scale = Fraction(rounded(Fraction(float(g)) / fractions(xj.norm(x))[0], wide))
    assert numbers(jax.jit(jax.grad(lambda x: g * xj.norm(x)))(x)) == [rounded(v * scale, element) for v in fractions(x)]
    if element == "float32":  # a subnormal number, which XLA's conversion would flush
        assert numbers(jax.jit(jax.grad(lambda x: xj.sum(x, dtype="float64") * 1e-40))(x))[0] == np.float32(1e-40)
    wide_sum = jax.grad(lambda x: xj.dot(x, y.astype("f8"), dtype="float64") * np.float64(1 / 3))(x)
    assert numbers(wide_sum) == [rounded(Fraction(1 / 3) * v, element) for v in fractions(y)]


@pytest.mark.parametrize("element", ["float32", "bfloat16"])
def test_gradients_that_are_sums(element: str) -> None:
    """Of what was repeated: the oracle's sums of products, also in second derivatives."""
    a, b, g = samples(element, 40, 3), samples(element, 1, 3), samples(element, 40)
    for f in (lambda b: jnp.vdot(g, xj.vecdot(a, b)), lambda b: jnp.vdot(g, jax.vmap(xj.dot, (0, None))(a, b[0]))):
        found = jax.jit(jax.grad(f))(jnp.asarray(b))
        assert numbers(found) == [exact_dot(g.astype("f8"), a[:, j].astype("f8"), element) for j in range(3)]

    ids = RANDOM.integers(-1, 4, 40)

    def gradient_of_sums(table: Any) -> Any:  # linear in the table: its rows at the ids
        return jax.vjp(lambda x: xj.segment_sum(x, ids, 4), jnp.zeros((40, 3), a.dtype))[1](table)[0]

    rows, again = jax.vjp(gradient_of_sums, jnp.asarray(samples(element, 4, 3)))
    (found,) = again(jnp.asarray(a))
    wanted = [[exact_reduction("sum", numbers(a[ids == k, j]), element) for j in range(3)] for k in range(4)]
    assert found.astype(jnp.float32).tolist() == wanted and not rows[ids < 0].any()

    found = jax.jit(jax.grad(lambda t: jnp.vdot(xj.take(t, ids.reshape(5, 8)), a.reshape(5, 8, 3))))(jnp.zeros((4, 3), a.dtype))
    assert found.astype(jnp.float32).tolist() == wanted

    (found,) = jax.vjp(jax.grad(lambda x: xj.mean(x)), jnp.zeros(40, a.dtype))[1](jnp.asarray(a[:, 0]))
    assert not found.any()  # linear
    repeated = jax.vjp(lambda t: jax.vjp(xj.sum, jnp.zeros(40, a.dtype))[1](t)[0], jnp.ones((), a.dtype))[1]
    assert numbers(repeated(jnp.asarray(a[:, 0]))[0]) == [exact_reduction("sum", numbers(a[:, 0]), element)]


def test_where_there_is_no_derivative() -> None:
    zero = jnp.zeros(3)
    for f in (xj.norm, xj.std, xj.asum):
        assert jax.grad(f)(zero).tolist() == [0, 0, 0]
    assert np.isnan(jax.grad(lambda x: xj.var(x, ddof=3))(zero)).all() and np.isnan(jax.jvp(lambda x: xj.std(x, ddof=4), (zero,), (zero,))[1])
    assert jax.grad(xj.mean)(zero[:0]).shape == (0,)
    with pytest.raises(TypeError, match="grad requires real- or complex-valued inputs"):
        jax.grad(xj.mean)(jnp.arange(3))
    found = jax.grad(lambda x: xj.segment_sum(x, IDS, 3).sum())(jnp.ones(5))
    assert found.tolist() == [1, 1, 1, 0, 0]


def test_surroundings_do_not_change_bits() -> None:
    """XLA joins quotients, constants and sums of its own, not with those of a derivative."""
    x, c = (jnp.asarray(RANDOM.standard_normal(1000).astype("f4")) for _ in range(2))

    def gradient(x: Any, c: Any) -> Any:
        return jax.grad(lambda x: xj.norm(x) / 3)(x) + c

    r, third = xj.norm(x), np.float32(1) / np.float32(3)
    scale = np.float32(third / np.float32(r))
    assert pattern(jax.jit(gradient)(x, c)) == pattern(np.asarray(x) * scale + np.asarray(c))
    means = jax.jit(lambda x: jax.vjp(lambda y: xj.mean(y.reshape(10, 100), 1), x)[1](x[:10] * 7)[0])(x)
    assert pattern(means[::100]) == pattern(np.asarray(x[:10]) * np.float32(7) / np.float32(100))
    assert math.isfinite(float(scale))


@pytest.mark.parametrize("name, ddof", [("mean", None), ("var", 0), ("var", 1), ("std", 1)])
def test_symbolic_shapes(name: str, ddof: int | None) -> None:
    """Gradients of an exported program whose shape is not known have the bits of those without one."""
    jax_export = pytest.importorskip("jax.export")
    function = getattr(xj, name)
    options = {} if ddof is None else {"ddof": ddof}

    def loss(x: Any) -> Any:
        return jnp.sum(function(x, 1, **options) * jnp.array([1.0, 3.0], x.dtype))

    gradient, second = jax.grad(loss), jax.grad(lambda x: jnp.sum(jax.grad(loss)(x)[:, :1]))
    checks = [jax_export.DisabledSafetyCheck.custom_call(target_of(target)) for target in _handlers]
    for element in ("float32", "bfloat16"):
        shape = jax_export.symbolic_shape("2, n")
        for f in (gradient, second):
            exported = jax_export.export(jax.jit(f), disabled_checks=checks)(jax.ShapeDtypeStruct(shape, dtype_of(element)))
            for n in (1, 3, 700):
                x = jnp.asarray(samples(element, 2, n))
                assert pattern(exported.call(x)) == pattern(jax.jit(f)(x))
