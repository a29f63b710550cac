"""Compares the time of every reduction of a vector with NumPy's.

python bench/python/reductions.py --json FILE [--rounds N]. The calls of both are interleaved (rounds.py), with one thread and
with as many as exactdot chooses; NumPy uses one thread but in dot, whose threads are those of its BLAS. Where NumPy has no
function of its own, what its users write. scripts/python_figures writes the table of docs/python.md from the file.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
from pathlib import Path
from typing import Any, Callable

import exactdot as xd
import numpy as np

from rounds import interleaved, repeated
from shapes import processor

LENGTHS = (1_000, 100_000, 10_000_000)


def calls(x: np.ndarray, y: np.ndarray, threads: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """For each reduction the call of NumPy and that of exactdot."""
    return {
        "dot": (lambda: np.dot(x, y), lambda: xd.dot(x, y, threads=threads)),
        "sum": (lambda: np.sum(x), lambda: xd.sum(x, threads=threads)),
        "asum": (lambda: np.sum(np.abs(x)), lambda: xd.asum(x, threads=threads)),
        "sum of squares": (lambda: np.sum(np.square(x)), lambda: xd.sum_of_squares(x, threads=threads)),
        "norm": (lambda: np.linalg.norm(x), lambda: xd.norm(x, threads=threads)),
        "mean": (lambda: np.mean(x), lambda: xd.mean(x, threads=threads)),
        "variance": (lambda: np.var(x), lambda: xd.var(x, threads=threads)),
        "standard deviation": (lambda: np.std(x), lambda: xd.std(x, threads=threads)),
        "minimum": (lambda: np.min(x), lambda: xd.min(x, threads=threads)),
        "maximum": (lambda: np.max(x), lambda: xd.max(x, threads=threads)),
        "index of the minimum": (lambda: np.argmin(x), lambda: xd.argmin(x, threads=threads)),
        "index of the maximum": (lambda: np.argmax(x), lambda: xd.argmax(x, threads=threads)),
    }


def rows_of(dtype: str, n: int, threads: int, rounds: int) -> list[dict[str, Any]]:
    generator = np.random.default_rng(n)
    x, y = (generator.uniform(-1, 1, n).astype(dtype) for _ in range(2))
    measured = []
    for name, (numpy_call, exact_call) in calls(x, y, threads).items():
        samples = interleaved({"numpy": repeated(numpy_call), "exactdot": repeated(exact_call)}, rounds, pause=0.01)
        ratios = [ours / theirs for ours, theirs in zip(samples["exactdot"], samples["numpy"])]
        measured.append({"operation": name, "dtype": dtype, "n": n, "threads": threads,
                         "ns": 1e9 * statistics.median(samples["exactdot"]), "ratio": statistics.median(ratios)})
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    rows = [row for dtype in ("float32", "float64") for n in LENGTHS for threads in (1, 0)
            for row in rows_of(dtype, n, threads, arguments.rounds)]
    about = {"cpu": processor(), "python": platform.python_version(), "numpy": np.__version__, "exactdot": xd.info()}
    arguments.json.write_text(json.dumps({"machine": about, "rounds": arguments.rounds, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
