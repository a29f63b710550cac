"""Compares the time of sums of groups by an integer key with NumPy's and pandas'.

python bench/python/groups.py --json FILE [--rounds N] [--only elements|columns|orders]. 10^7 elements, uniform in (-1, 1), with uniform int64 keys in any
order; the calls are interleaved (rounds.py). NumPy's bincount adds in double, in the order of the elements, and pandas'
group-by with a compensated sum; each uses one thread. exactdot's calls include the passes over the keys that count and
check them; the number of groups is passed to all that take it. scripts/python_figures writes the table of
docs/shapes.md from the file.

Beside these, which no table has: ten columns of 10^6 rows in C order and column by column, against pandas' group-by of a
data frame; and sorted keys against the same keys in random order. They are printed as ratios, as well.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import statistics
from pathlib import Path
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pandas as pd

from rounds import interleaved, repeated
from shapes import processor

ELEMENTS = 10**7
GROUPS = (10**2, 10**4, 10**6)
ROWS, COLUMNS = 10**6, 10
GROUPS_OF_ROWS = (10**2, 10**3, 10**4, 10**5, 10**6)
LENGTHS = (10**3, 10**4, 10**6)
MEAN_SIZES = (1, 2, 5, 10, 100)


def calls(x: np.ndarray, keys: np.ndarray, groups: int) -> dict[str, dict[str, Callable[[], Any]]]:
    """For each operation the call of each contender."""
    series = pd.Series(x)
    return {
        "sum": {"numpy": lambda: np.bincount(keys, weights=x, minlength=groups),
                "pandas": lambda: series.groupby(keys, sort=False).sum(),
                "exactdot, 1 thread": lambda: xd.group_sum(x, keys, groups, threads=1),
                "exactdot": lambda: xd.group_sum(x, keys, groups)},
        "variance": {"pandas": lambda: series.groupby(keys, sort=False).var(),
                     "exactdot, 1 thread": lambda: xd.group_var(x, keys, groups, ddof=1, threads=1),
                     "exactdot": lambda: xd.group_var(x, keys, groups, ddof=1)},
        "maximum": {"pandas": lambda: series.groupby(keys, sort=False).max(),
                    "exactdot, 1 thread": lambda: xd.group_max(x, keys, groups, threads=1),
                    "exactdot": lambda: xd.group_max(x, keys, groups)},
    }


def rows_of(dtype: str, groups: int, rounds: int) -> list[dict[str, Any]]:
    random = np.random.default_rng(groups)
    x = random.uniform(-1, 1, ELEMENTS).astype(dtype)
    keys = random.permutation(np.arange(ELEMENTS) % groups)
    measured = []
    for operation, contenders in calls(x, keys, groups).items():
        samples = interleaved({name: repeated(call) for name, call in contenders.items()}, rounds, pause=0.02)
        measured += [{"operation": operation, "dtype": dtype, "groups": groups, "peer": name,
                      "ns": 1e9 * statistics.median(times)} for name, times in samples.items()]
    return measured


def values(random: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    if np.dtype(dtype).kind == "i":
        return random.integers(-1000, 1000, shape).astype(dtype)
    return random.uniform(-1, 1, shape).astype(dtype)


def times_of(contenders: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    samples = interleaved({name: repeated(call) for name, call in contenders.items()}, rounds, pause=0.02)
    return {name: statistics.median(times) for name, times in samples.items()}


def print_ratio(name: str, times: dict[str, float], first: str, second: str) -> None:
    print(f"{name}: {first} {1e3 * times[first]:.3f} ms, {times[first] / times[second]:.2f} of {second}", flush=True)


def column_rows(dtype: str, order: str, groups: int, rounds: int) -> list[dict[str, Any]]:
    """Sums of ten columns, by keys in any order and by sorted ones."""
    random = np.random.default_rng(groups)
    x = np.asarray(values(random, dtype, (ROWS, COLUMNS)), order=order)
    frame = pd.DataFrame(x)
    shuffled = random.permutation(np.arange(ROWS) % groups)
    measured = []
    for name, keys in (("shuffled", shuffled), ("sorted", np.sort(shuffled))):
        times = times_of({"pandas": lambda keys=keys: frame.groupby(keys).sum(),
                          "exactdot, 1 thread": lambda keys=keys: xd.group_sum(x, keys, threads=1),
                          "exactdot": lambda keys=keys: xd.group_sum(x, keys)}, rounds)
        for peer in ("exactdot, 1 thread", "exactdot"):
            print_ratio(f"10 columns of {dtype}, order {order}, {groups} groups, {name}", times, peer, "pandas")
        measured += [{"dtype": dtype, "order": order, "groups": groups, "keys": name, "peer": peer, "ns": 1e9 * time}
                     for peer, time in times.items()]
    return measured


def order_rows(dtype: str, length: int, size: int, rounds: int) -> list[dict[str, Any]]:
    """Sums of one column, by sorted keys and by the same keys in random order."""
    random = np.random.default_rng(length)
    x, groups = values(random, dtype, (length,)), length // size
    shuffled = random.permutation(np.arange(length) % groups)
    ordered = np.sort(shuffled)
    times = times_of({"sorted": lambda: xd.group_sum(x, ordered, threads=1),
                      "shuffled": lambda: xd.group_sum(x, shuffled, threads=1)}, rounds)
    print_ratio(f"{length} elements of {dtype} in groups of {size}", times, "sorted", "shuffled")
    return [{"dtype": dtype, "elements": length, "groups": groups, "keys": name, "ns": 1e9 * time}
            for name, time in times.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=("elements", "columns", "orders"), help="measure these only")
    arguments = parser.parse_args()
    rounds, dtypes = arguments.rounds, ("float32", "float64", "int64")
    rows, columns, orders = [], [], []
    if arguments.only in (None, "elements"):
        rows = [row for dtype in ("float32", "float64") for groups in GROUPS for row in rows_of(dtype, groups, rounds)]
    if arguments.only in (None, "columns"):
        columns = [row for dtype in dtypes for order in "CF" for groups in GROUPS_OF_ROWS
                   for row in column_rows(dtype, order, groups, rounds)]
    if arguments.only in (None, "orders"):
        orders = [row for dtype in dtypes for length in LENGTHS for size in MEAN_SIZES
                  for row in order_rows(dtype, length, size, rounds)]
    about = {"cpu": processor(), "python": platform.python_version(), "numpy": np.__version__,
             "pandas": pd.__version__, "exactdot": xd.info(), "date": datetime.date.today().isoformat()}
    arguments.json.write_text(json.dumps({"machine": about, "rounds": arguments.rounds, "elements": ELEMENTS,
                                          "rows": rows, "columns": columns, "orders": orders}, indent=1) + "\n")


if __name__ == "__main__":
    main()
