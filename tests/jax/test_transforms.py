"""What JAX does with the functions: batches, jit, loops, devices, threads, shapes; and which platforms have them."""

from __future__ import annotations

import threading
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
pytest.importorskip("jax")  # before what imports it
import exactdot.jax as xj
import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from cases import CASES, RANDOM, Case, inputs_of, pattern

X = jnp.asarray(RANDOM.standard_normal((4, 6)).astype("f4"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_batches(case: Case) -> None:
    """Of all inputs, of each alone, at the front and at the end, twice."""
    x = inputs_of(case, batch=(2, 3))
    for i, j in ((0, 1), (1, 2)):
        wanted = pattern(case.function(*(each[i, j] for each in x)))
        assert pattern(jax.vmap(jax.vmap(case.function))(*x)[i, j]) == wanted
        back = [jnp.moveaxis(each, (0, 1), (-1, -2)) for each in x]
        assert pattern(jax.jit(jax.vmap(jax.vmap(case.function, -1, -1), -1))(*back)[i, ..., j]) == wanted
        for one in range(len(x) if len(x) > 1 else 0):
            axes = [0 if k == one else None for k in range(len(x))]
            only = [each[i] if k == one else each[i, j] for k, each in enumerate(x)]
            assert pattern(jax.vmap(case.function, axes)(*only)[j]) == wanted


def test_batches_of_segments() -> None:
    x, ids = RANDOM.standard_normal((2, 5, 3)).astype("f4"), RANDOM.integers(-1, 5, (2, 5))

    def sums(x: Any, ids: Any) -> Any:
        return xj.segment_sum(x, ids, 4)

    wanted = [[pattern(sums(x[i], ids[j])) for j in range(2)] for i in range(2)]
    both = jax.vmap(jax.vmap(sums, (None, 0)), (0, None))(x, ids)
    swapped = jax.jit(jax.vmap(jax.vmap(sums, (0, None), 1), (None, 0)))(x, ids)
    back = jax.vmap(jax.vmap(sums, (None, -1)), (-1, None), -1)(np.moveaxis(x, 0, -1), ids.T)
    for i in range(2):
        for j in range(2):
            assert wanted[i][j] == pattern(both[i, j]) == pattern(swapped[j, :, i]) == pattern(back[j, ..., i])
        assert pattern(jax.vmap(sums)(x, ids)[i]) == wanted[i][i]

    def gradient(x: Any, ids: Any, g: Any) -> Any:
        return jax.vjp(lambda x: sums(x, ids), x)[1](g)[0]

    g = RANDOM.standard_normal((2, 4, 3)).astype("f4")
    found = jax.vmap(gradient, (None, 0, 0))(x[0], ids, g)
    assert all(pattern(found[j]) == pattern(gradient(x[0], ids[j], g[j])) for j in range(2))
    shared = jax.grad(lambda x: jnp.sum(jax.vmap(sums, (None, 0))(x, ids) * g))(x[0])
    np.testing.assert_allclose(shared, sum(gradient(x[0], ids[j], g[j]) for j in range(2)), rtol=1e-6)


def test_nested_transforms_and_loops() -> None:
    def loss(x: Any) -> Any:
        return xj.norm(xj.mean(x, 0)) ** 2

    wanted = jax.grad(loss)(X)
    assert pattern(jax.jit(jax.grad(jax.jit(loss)))(X)) == pattern(wanted)
    assert pattern(jax.grad(jax.checkpoint(loss))(X)) == pattern(wanted)
    assert pattern(jax.vmap(jax.grad(loss))(jnp.stack([X, X]))[1]) == pattern(wanted)
    total, means = jax.lax.scan(lambda c, row: (c + xj.sum(row), xj.mean(row)), 0.0, X)
    assert pattern(means) == pattern(xj.mean(X, 1)) and total.shape == ()
    with jax.disable_jit():
        assert pattern(jax.jit(jax.grad(loss))(X)) == pattern(wanted)
    assert jax.lax.cond(True, xj.sum, xj.asum, X) == xj.sum(X)
    assert jax.lax.while_loop(lambda y: xj.norm(y) > 1, lambda y: y / 2, X).shape == X.shape
    assert pattern(jax.lax.map(xj.var, X)) == pattern(xj.var(X, 1))
    assert pattern(jax.linearize(xj.norm, X)[1](X)) == pattern(jax.jvp(xj.norm, (X,), (X,))[1])
    assert jax.linear_transpose(xj.sum, X)(1.0)[0].tolist() == jnp.ones_like(X).tolist()


def test_shapes_and_caches() -> None:
    shape = jax.eval_shape(partial(xj.sum, axis=0, keepdims=True, dtype=jnp.bfloat16), X)
    assert (shape.shape, shape.dtype) == ((1, 6), jnp.bfloat16)
    assert jax.eval_shape(partial(xj.segment_sum, num_segments=3), X, jnp.zeros(4, int)).shape == (3, 6)
    traces = []

    @jax.jit
    def compiled(x: Any) -> Any:
        traces.append(x.shape)
        return xj.sum(x)

    for x in (X, X + 1, X[:2], X):
        compiled(x)
    assert traces == [(4, 6), (2, 6)]
    assert not jnp.asarray(xj.sum(3.0)).weak_type and xj.sum(X, dtype=float).dtype == jnp.float32
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a donated array that has no use
        donated = jax.jit(lambda x: (xj.mean(x), x * 2), donate_argnums=0)(X + 1)
    assert pattern(donated[0]) == pattern(xj.mean(X + 1)) and pattern(donated[1]) == pattern((X + 1) * 2)


def test_x64_within_the_program() -> None:
    """A context of 64 bits after calls without, and the reverse."""
    enable = jax.enable_x64 if hasattr(jax, "enable_x64") else __import__("jax.experimental", fromlist=["enable_x64"]).enable_x64
    x = np.arange(3, dtype="i4")
    for _ in range(2):
        assert xj.sum(x).dtype == jnp.int32 and xj.mean(x).dtype == jnp.float32 and xj.sum(np.ones(3)).dtype == jnp.float32
        with enable(True):
            assert xj.sum(x).dtype == jnp.int64 and xj.mean(x).dtype == jnp.float64 and xj.sum(np.ones(3)).dtype == jnp.float64


def test_devices() -> None:
    """Sharded arrays are gathered, so that a sum over shards is one sum; within shard_map and pmap each shard has its own."""
    mesh = Mesh(np.array(jax.devices()[:2]), ("d",))
    shards = jax.device_put(X, NamedSharding(mesh, PartitionSpec("d")))
    for f in (xj.sum, jax.jit(lambda x: xj.var(x, 0)), jax.jit(jax.grad(xj.norm))):
        assert pattern(f(shards)) == pattern(f(X))
    assert pattern(jax.pmap(xj.sum)(X.reshape(2, 12))) == pattern(xj.sum(X.reshape(2, 12), 1))
    if hasattr(jax, "shard_map"):
        of_shards = partial(jax.shard_map, mesh=mesh, in_specs=PartitionSpec("d"), out_specs=PartitionSpec("d"))
        rows = of_shards(lambda x: xj.norm(x, axis=1))
        assert pattern(rows(X)) == pattern(xj.norm(X, axis=1))
        assert pattern(jax.jit(jax.grad(lambda x: rows(x).sum()))(X)) == pattern(jax.grad(lambda x: xj.norm(x, axis=1).sum())(X))


@pytest.mark.skipif(not hasattr(jax, "set_mesh"), reason="a JAX without shardings in types")
def test_devices_in_types() -> None:
    """The axes of make_mesh are explicit: the sharding is part of the type. Results are on each device as a whole, gradients
    sharded as the array is. Without set_mesh JAX differentiates no function of them."""
    mesh, ids = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Explicit,)), jnp.array([0, 2, 1, 0])
    x = jnp.asarray(RANDOM.standard_normal((4, 6)), jnp.float32)
    functions = [xj.sum, jax.jit(xj.sum), lambda x: xj.sum(x, 0), lambda x: xj.var(x, 1), lambda x: xj.norm(x, axis=0),
                 lambda x: xj.segment_sum(x, ids, 3), lambda x: xj.take(x, ids), lambda x: xj.vecdot(x, x), lambda y: xj.vecdot(y, x[0])]
    for spec in (PartitionSpec("d"), PartitionSpec(None, "d")):
        shards = jax.device_put(x, NamedSharding(mesh, spec))
        for f in functions:
            assert pattern(f(shards)) == pattern(f(x)) and f(shards).sharding.is_fully_replicated
            gradient = jax.grad(lambda x, f=f: xj.sum_of_squares(f(x)))
            wanted = gradient(x)
            with jax.set_mesh(mesh):
                for found in (gradient(shards), jax.jit(gradient)(shards)):
                    assert pattern(found) == pattern(wanted) and found.sharding.is_equivalent_to(shards.sharding, 2)


def test_other_platforms_are_refused() -> None:
    with pytest.raises(NotImplementedError, match=r"exactdot.jax: sum is computed on CPUs; functions of exactdot itself take"):
        jax.jit(xj.sum).trace(X).lower(lowering_platforms=("cuda",))


def test_threads() -> None:
    """Handlers run in XLA's threads, several at a time."""
    x = RANDOM.standard_normal((8, 300_000)).astype("f4")
    wanted, found = pattern(xj.var(x, 1)), []
    compiled = jax.jit(lambda x: xj.var(x, 1))

    def work() -> None:
        for _ in range(5):
            found.append(pattern(compiled(x)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 20 and set(found) == {wanted}
    rows = jax.jit(lambda x: [xj.sum(row) for row in x])(x)  # independent calls of one program
    assert [pattern(each) for each in rows] == [pattern(xj.sum(row)) for row in x]
