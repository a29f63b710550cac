"""Training on a graph with JAX: the same bits for every order of its edges, with jit and without.

A layer adds to each node the messages of its neighbours, and its gradient adds over the edges that leave a node. By jax.ops.segment_sum
the bits of both depend on the order of the edges. Here all sums are exact; the rest is element-wise, in one program. Beside it the same
network by JAX's own sums.

usage: graph_network.py [--nodes N] [--steps N]
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from typing import Any, Callable

try:
    import jax
except ImportError:
    print("skipped: JAX is not installed")
    sys.exit()
import exactdot.jax as xj
import jax.numpy as jnp
import numpy as np

WIDTH, LAYERS, DEGREE = 8, 3, 12
Layer = Callable[[Any, Any, Any, Any], Any]


def exact_layer(x: Any, come: Any, go: Any, mix: Any) -> Any:
    received = xj.segment_sum(xj.take(x, come), go, len(x))
    return jnp.maximum(xj.vecdot(received[:, None], mix), 0)


def plain_layer(x: Any, come: Any, go: Any, mix: Any) -> Any:
    return jnp.maximum(jax.ops.segment_sum(x[come], go, len(x)) @ mix.T, 0)


def train(layer: Layer, nodes: int, steps: int, order: int) -> str:
    """A hash of all bits of what the nodes start with after some steps down the gradient; the edges in another order."""
    random = np.random.default_rng(3)
    go, come = (nodes * random.random(nodes * DEGREE) ** 3).astype("i4"), random.integers(nodes, size=nodes * DEGREE, dtype="i4")
    start, mixes = random.standard_normal((nodes, WIDTH), "f4"), random.standard_normal((LAYERS, WIDTH, WIDTH), "f4") / 8
    if order:
        shuffled = np.random.default_rng(order).permutation(len(go))
        come, go = come[shuffled], go[shuffled]

    def loss(x: Any) -> Any:
        for mix in mixes:
            x = layer(x, come, go, mix)
        return xj.mean(x)

    gradient = jax.jit(jax.grad(loss))
    for _ in range(steps):
        start = start - 100 * np.asarray(gradient(start))
    return hashlib.sha256(start.tobytes()).hexdigest()[:12]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=5)
    given = parser.parse_args()
    exact = {train(exact_layer, given.nodes, given.steps, order) for order in range(4)}
    with jax.disable_jit():
        exact.add(train(exact_layer, given.nodes, given.steps, 4))
    assert len(exact) == 1, exact
    print(f"{given.nodes * DEGREE} edges in 5 orders, with jit and without, {given.steps} steps: the same bits ({exact.pop()})")
    print(f"by JAX's own sums: {len({train(plain_layer, given.nodes, given.steps, order) for order in range(4)})} different results")


if __name__ == "__main__":
    main()
