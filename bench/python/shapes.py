"""Compares the time of reductions over axes with NumPy's.

python bench/python/shapes.py --json FILE [--rounds N]. All arrays hold 2^22 elements; the calls of both are interleaved
(rounds.py), with one thread and with as many as exactdot chooses. NumPy's sums use one thread, its matrix-vector products
those of its BLAS. scripts/python_figures writes the table of docs/shapes.md from the file.
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

ELEMENTS = 1 << 22
LENGTHS = (4, 32, 1024, 1 << 18)


def matrix(rows: int, columns: int, dtype: str) -> np.ndarray:
    return np.random.default_rng(rows).uniform(-1, 1, (rows, columns)).astype(dtype)


def calls(x: np.ndarray, threads: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """For each operation the call of NumPy and that of exactdot."""
    vector = np.ones(x.shape[1], x.dtype)
    return {
        "sum of rows": (lambda: np.sum(x, axis=1), lambda: xd.sum(x, axis=1, threads=threads)),
        "sum of columns": (lambda: np.sum(x, axis=0), lambda: xd.sum(x, axis=0, threads=threads)),
        "norm of rows": (lambda: np.linalg.norm(x, axis=1), lambda: xd.norm(x, axis=1, threads=threads)),
        "variance of rows": (lambda: np.var(x, axis=1), lambda: xd.var(x, axis=1, threads=threads)),
        "maximum of rows": (lambda: np.max(x, axis=1), lambda: xd.max(x, axis=1, threads=threads)),
        "matrix times vector": (lambda: x @ vector, lambda: xd.matvec(x, vector, threads=threads)),
    }


def rows_of(dtype: str, length: int, threads: int, rounds: int) -> list[dict[str, Any]]:
    x = matrix(ELEMENTS // length, length, dtype)
    measured = []
    for name, (numpy_call, exact_call) in calls(x, threads).items():
        samples = interleaved({"numpy": repeated(numpy_call), "exactdot": repeated(exact_call)}, rounds, pause=0.02)
        ratios = [ours / theirs for ours, theirs in zip(samples["exactdot"], samples["numpy"])]
        measured.append({"operation": name, "dtype": dtype, "rows": x.shape[0], "columns": x.shape[1],
                         "threads": threads, "ns": 1e9 * statistics.median(samples["exactdot"]),
                         "ratio": statistics.median(ratios)})
    return measured


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    rows = [row for dtype in ("float32", "float64") for length in LENGTHS for threads in (1, 0)
            for row in rows_of(dtype, length, threads, arguments.rounds)]
    info = xd.info()
    about = {"cpu": processor(), "python": platform.python_version(), "numpy": np.__version__, "exactdot": info}
    arguments.json.write_text(json.dumps({"machine": about, "rounds": arguments.rounds, "elements": ELEMENTS,
                                          "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
