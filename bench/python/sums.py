"""Compares exact sums with numpy.sum: by element type, length and layout, on one thread; and with other sums of doubles.

python bench/python/sums.py --json FILE [--rounds N]. Times are the least of interleaved samples (rounds.py), so that other
processes of the machine do not count. Of each sum of doubles also: its error, and how many results it has for ORDERS orders
of the same numbers. scripts/python_figures writes figures of README.md and docs/index.md from the file.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import platform
import time
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable

import exactdot as xd
import numpy as np

from rounds import interleaved, repeated
from shapes import processor

TYPES = ("float64", "float32", "float16", "int64")
LENGTHS = [10**exponent for exponent in range(1, 8)]
MATRICES = ((1000, 1000), (100_000, 10))
PEER_LENGTHS = (1_000, 1_000_000)
ORDERS = 100


def numbers(dtype: str, *shape: int) -> np.ndarray:
    """Uniform in (-1, 1), or integers of 32 bits."""
    generator = np.random.default_rng(shape[0])
    if dtype == "int64":
        return generator.integers(-(2**31), 2**31, shape)
    return generator.uniform(-1, 1, shape).astype(dtype)


def least(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Nanoseconds of each call."""
    samples = interleaved({name: repeated(call) for name, call in calls.items()}, rounds)
    return {name: 1e9 * min(taken) for name, taken in samples.items()}


def rows(rounds: int) -> list[dict[str, Any]]:
    layouts = [((n,), None) for n in LENGTHS] + [(shape, axis) for shape in MATRICES for axis in (1, 0)]
    measured = []
    for dtype in TYPES:
        for shape, axis in layouts:
            x = numbers(dtype, *shape)
            row = {"dtype": dtype, "layout": "vector" if axis is None else ("columns", "rows")[axis],
                   "shape": " × ".join(f"{n:,}" for n in shape)}
            row.update(least({"numpy_ns": lambda: np.sum(x, axis=axis),
                              "exactdot_ns": lambda: xd.sum(x, axis=axis, threads=1)}, rounds))
            measured.append(row)
            print(row, flush=True)
    return measured


def cancelling(n: int) -> np.ndarray:
    """Uniform numbers, their negatives, and n / 10 numbers of the size of their last bits; shuffled."""
    generator = np.random.default_rng(1)
    large, small = generator.uniform(-1, 1, n // 20 * 9), generator.uniform(-1, 1, n // 10) * 2.0**-50
    return generator.permutation(np.concatenate([large, -large, small]))


def peers() -> tuple[dict[str, tuple[str, Callable[[np.ndarray], float]]], list[str]]:
    """Sums of doubles by name, each with what is called; and the missing ones."""
    found = {"exactdot": ("`xd.sum(x)`", lambda x: xd.sum(x, threads=1)), "numpy": ("`np.sum(x)`", np.sum),
             "fsum": ("`math.fsum(x)`", math.fsum)}
    try:
        import xsum
        version = importlib.metadata.version("xsum")

        def exact_sum(x: np.ndarray) -> float:
            state = xsum.xsum_large_accumulator()
            xsum.xsum_add(state, x)
            return float(xsum.xsum_round(state))

        exact_sum(np.ones(3))
        found["xsum"] = (f"`xsum_add`, package xsum {version}", exact_sum)
    except (ImportError, AttributeError, TypeError) as reason:
        return found, [f"xsum ({type(reason).__name__})"]
    return found, []


def exact_value(x: np.ndarray) -> Fraction:
    """With integers, and nothing of exactdot."""
    significand, exponent = np.frexp(x)
    scaled = zip(np.ldexp(significand, 53).astype("int64").tolist(), (exponent - 53).tolist())
    low = int(exponent.min()) - 53
    return Fraction(sum(number << (power - low) for number, power in scaled)) * Fraction(2) ** low


def peer_rows(found: dict[str, Any], rounds: int) -> list[dict[str, Any]]:
    ns = {n: least({name: lambda call=call, x=numbers("float64", n): call(x) for name, (_, call) in found.items()}, rounds)
          for n in PEER_LENGTHS}
    n = PEER_LENGTHS[0]
    hard, generator = cancelling(n), np.random.default_rng(2)
    value = exact_value(hard)
    unit = Fraction(float(np.spacing(abs(float(value)))))
    orders = [generator.permutation(hard) for _ in range(ORDERS)]
    made = []
    for name, (how, call) in found.items():
        results = {float(call(order)) for order in orders}
        error = max(abs(Fraction(result) - value) / unit for result in results)
        made.append({"peer": name, "how": how, "error_ulps": float(error), "results": len(results),
                     **{f"ns_{n}": taken[name] for n, taken in ns.items()}})
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=60)
    arguments = parser.parse_args()
    found, missing = peers()
    about = {"cpu": processor(), "python": platform.python_version(), "numpy": np.__version__, "exactdot": xd.info(),
             "date": time.strftime("%Y-%m-%d")}
    report = {"machine": about, "rounds": arguments.rounds, "orders": ORDERS, "missing": missing,
              "peers": peer_rows(found, arguments.rounds), "rows": rows(arguments.rounds)}
    arguments.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
