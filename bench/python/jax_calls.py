"""Times exactdot.jax beside JAX's own functions, compiled.

python bench/python/jax_calls.py [--write] [--rounds N]. One processor; times are the least of interleaved samples (rounds.py), each call
waits for its result. --write puts the table into docs/jax.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any, Callable

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before the threads of XLA are there
import exactdot as xd
import exactdot.jax as xj
import jax
import jax.numpy as jnp
import numpy as np

from rounds import interleaved, repeated
from shapes import processor

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import speed.python_tables as tables  # noqa: E402
from shared.documents import update  # noqa: E402

RANDOM = np.random.default_rng(1)
Call = Callable[[], Any]


def make(*shape: int, dtype: Any = jnp.float32) -> Any:
    return jnp.asarray(RANDOM.standard_normal(shape), dtype)


def both(theirs: Callable[..., Any], ours: Callable[..., Any], *inputs: Any, wrap: Any = jax.jit) -> tuple[Call, Call]:
    first, second = wrap(theirs), wrap(ours)
    return lambda: jax.block_until_ready(first(*inputs)), lambda: jax.block_until_ready(second(*inputs))


def cases() -> dict[str, tuple[Call, Call]]:
    """JAX's call and ours, by name."""
    found = {}
    for dtype, suffix in ((jnp.float32, ""), (jnp.bfloat16, ", bfloat16")):
        for n in (64, 10_000, 1_000_000):
            found[f"`sum`, {n:,} elements{suffix}"] = both(jnp.sum, xj.sum, make(n, dtype=dtype))
    found["`sum`, 64 elements, without `jit`"] = both(jnp.sum, xj.sum, make(64), wrap=lambda f: f)
    x, narrow = make(1000, 1000), make(1000, 1000, dtype=jnp.bfloat16)
    for name, each in (("", x), (", bfloat16", narrow)):
        found[f"`sum` of 1000 rows of 1000{name}"] = both(lambda x: jnp.sum(x, 1), lambda x: xj.sum(x, 1), each)
        found[f"`sum` of 1000 columns of 1000{name}"] = both(lambda x: jnp.sum(x, 0), lambda x: xj.sum(x, 0), each)
    found["`var` of 1000 rows of 1000"] = both(lambda x: jnp.var(x, 1), lambda x: xj.var(x, 1), x)
    found["`dot`, 1,000,000 elements"] = both(jnp.vdot, xj.dot, make(10**6), make(10**6))
    found["`vecdot` of 1000 rows of 1000 and a vector"] = both(lambda a, b: a @ b, xj.vecdot, x, make(1000))
    found["gradient of `norm`, 1,000,000 elements"] = both(jax.grad(jnp.linalg.norm), jax.grad(xj.norm), make(10**6))
    found["gradient of `norm`, 1,000,000 elements, bfloat16"] = both(jax.grad(jnp.linalg.norm), jax.grad(xj.norm), make(10**6, dtype=jnp.bfloat16))
    rows, ids, table = make(20_000, 64), jnp.asarray(RANDOM.integers(1000, size=20_000)), make(1000, 64)
    found["`segment_sum`, 20,000 rows of 64 into 1000"] = both(lambda x, i: jax.ops.segment_sum(x, i, 1000),
                                                                lambda x, i: xj.segment_sum(x, i, 1000), rows, ids)
    found["gradient of `take`, the same"] = both(lambda t, i, g: jax.vjp(lambda t: t[i], t)[1](g), lambda t, i, g: jax.vjp(lambda t: xj.take(t, i), t)[1](g),
                                                  table, ids, rows)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    rows = []
    for name, (theirs, ours) in cases().items():
        samples = interleaved({"jax": repeated(theirs), "exactdot": repeated(ours)}, given.rounds)
        rows.append({"what": name} | {peer + "_ns": round(1e9 * min(taken)) for peer, taken in samples.items()})
        print(f"{name:60} {rows[-1]['jax_ns'] / 1e3:10.1f} {rows[-1]['exactdot_ns'] / 1e3:10.1f} µs  {rows[-1]['exactdot_ns'] / rows[-1]['jax_ns']:.2f}",
              flush=True)
    results = {"machine": {"cpu": processor(), "python": platform.python_version(), "jax": jax.__version__, "exactdot": xd.info(),
                           "date": time.strftime("%Y-%m-%d")}, "rounds": given.rounds, "rows": rows}
    if given.write:
        update("jax_calls", "this run", {ROOT / "docs/jax.md": {"jax calls machine": lambda _: tables.jax_machine(results),
                                                                "jax calls": lambda _: tables.jax_calls(results)}}, False)


if __name__ == "__main__":
    main()
