"""Compares the time of sums of groups by an integer key with NumPy's and pandas'.

python bench/python/groups.py --json FILE [--rounds N]. 10^7 elements, uniform in (-1, 1), with uniform int64 keys in any
order; the calls are interleaved (rounds.py). NumPy's bincount adds in double, in the order of the elements, and pandas'
group-by with a compensated sum; each uses one thread. exactdot's calls include the passes over the keys that count and
check them; the number of groups is passed to all that take it. scripts/python_figures writes the table of
docs/shapes.md from the file.
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    rows = [row for dtype in ("float32", "float64") for groups in GROUPS
            for row in rows_of(dtype, groups, arguments.rounds)]
    about = {"cpu": processor(), "python": platform.python_version(), "numpy": np.__version__,
             "pandas": pd.__version__, "exactdot": xd.info(), "date": datetime.date.today().isoformat()}
    arguments.json.write_text(json.dumps({"machine": about, "rounds": arguments.rounds, "elements": ELEMENTS,
                                          "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
