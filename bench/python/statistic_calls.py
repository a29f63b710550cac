"""Times ratios, missing values, complex numbers, windows, extrema and groups of frames beside NumPy, pandas, Polars and DuckDB.

python bench/python/statistic_calls.py [--write] [--rounds N]. One processor; times are the least of interleaved samples (rounds.py).
--write puts the table into docs/python.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any, Callable

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before the threads of Polars are there
import duckdb
import exactdot as xd
import numpy as np
import pandas as pd
import polars as pl

from rounds import interleaved, repeated
from shapes import processor

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import speed.python_tables as tables  # noqa: E402
from shared.documents import update  # noqa: E402

RANDOM = np.random.default_rng(1)
Call = Callable[[], Any]


def make(n: int, dtype: str) -> Any:
    if dtype.startswith("int"):
        return RANDOM.integers(-1000, 1000, n).astype(dtype)
    if dtype.startswith("complex"):
        return (RANDOM.standard_normal(n) + 1j * RANDOM.standard_normal(n)).astype(dtype)
    return RANDOM.standard_normal(n).astype(dtype)


def of_ratios() -> dict[str, tuple[str, Call, Call]]:
    found: dict[str, tuple[str, Call, Call]] = {}
    for dtype in ("float64", "float32", "float16", "int64"):
        for n in (1000, 10**6):
            x, y = make(n, dtype), make(n, dtype)
            weights = np.abs(y) + y.dtype.type(1)
            found[f"`corr`, {n:,} of {dtype}"] = "np.corrcoef", lambda x=x, y=y: np.corrcoef(x, y), lambda x=x, y=y: xd.corr(x, y)
            found[f"`weighted_mean`, {n:,} of {dtype}"] = ("np.average", lambda x=x, w=weights: np.average(x, weights=w),
                                                           lambda x=x, w=weights: xd.weighted_mean(x, w))
    rows, others = make(10**6, "float64").reshape(-1, 100), make(10**6, "float64").reshape(-1, 100)
    found["`slope`, 10,000 rows of 100 of float64"] = (
        "sums of products", lambda: ((rows - rows.mean(1)[:, None]) * others).sum(1) / ((rows - rows.mean(1)[:, None]) ** 2).sum(1),
        lambda: xd.slope(rows, others, axis=1))
    return found


def of_missing() -> dict[str, tuple[str, Call, Call]]:
    found: dict[str, tuple[str, Call, Call]] = {}
    for dtype in ("float64", "float32", "float16"):
        x = make(10**6, dtype)
        x[RANDOM.random(x.size) < 0.1] = np.nan
        found[f"`nansum`, 1,000,000 of {dtype}"] = "np.nansum", lambda x=x: np.nansum(x), lambda x=x: xd.nansum(x)
        found[f"`nanvar`, 1,000,000 of {dtype}"] = "np.nanvar", lambda x=x: np.nanvar(x), lambda x=x: xd.nanvar(x)
    x, mask = make(10**6, "int64"), RANDOM.random(10**6) < 0.5
    found["`sum` with `where`, 1,000,000 of int64"] = "np.sum", lambda: x.sum(where=mask), lambda: xd.sum(x, where=mask)
    return found


def of_complex() -> dict[str, tuple[str, Call, Call]]:
    found: dict[str, tuple[str, Call, Call]] = {}
    for dtype in ("complex64", "complex128"):
        for n in (10, 10**6):
            x, y = make(n, dtype), make(n, dtype)
            found[f"`sum`, {n:,} of {dtype}"] = "np.sum", lambda x=x: np.sum(x), lambda x=x: xd.sum(x)
            found[f"`vdot`, {n:,} of {dtype}"] = "np.vdot", lambda x=x, y=y: np.vdot(x, y), lambda x=x, y=y: xd.vdot(x, y)
            found[f"`norm`, {n:,} of {dtype}"] = "np.linalg.norm", lambda x=x: np.linalg.norm(x), lambda x=x: xd.norm(x)
    return found


def of_windows() -> dict[str, tuple[str, Call, Call]]:
    found: dict[str, tuple[str, Call, Call]] = {}
    for dtype in ("float64", "float32", "float16", "int64"):
        x = make(10**6, dtype)
        found[f"`cumsum`, 1,000,000 of {dtype}"] = "np.cumsum", lambda x=x: np.cumsum(x), lambda x=x: xd.cumsum(x)
        rolling = pd.Series(x.astype("float32") if dtype == "float16" else x).rolling(100)  # pandas has no windows of float16
        found[f"`rolling_sum`, windows of 100, 1,000,000 of {dtype}"] = "pandas", rolling.sum, lambda x=x: xd.rolling_sum(x, 100)
        found[f"`rolling_var`, windows of 100, 1,000,000 of {dtype}"] = "pandas", rolling.var, lambda x=x: xd.rolling_var(x, 100, ddof=1)
    return found


def of_extremes() -> dict[str, tuple[str, Call, Call]]:
    found: dict[str, tuple[str, Call, Call]] = {}
    for dtype in ("float64", "float32", "int64"):
        for n in (1000, 10**6):
            x = make(n, dtype)
            found[f"`minmax`, {n:,} of {dtype}"] = "np.min, np.max", lambda x=x: (np.min(x), np.max(x)), lambda x=x: xd.minmax(x)
            found[f"`iamax`, {n:,} of {dtype}"] = "np.argmax, np.abs", lambda x=x: np.argmax(np.abs(x)), lambda x=x: xd.iamax(x)
            found[f"`norm`, order inf, {n:,} of {dtype}"] = ("np.linalg.norm", lambda x=x: np.linalg.norm(x, np.inf),
                                                             lambda x=x: xd.norm(x, ord=np.inf))
    return found


def of_frames() -> dict[str, tuple[str, Call, Call]]:
    found: dict[str, tuple[str, Call, Call]] = {}
    connection = duckdb.connect(config={"threads": 1})
    for groups in (10**3, 10**6):
        columns = {"key": RANDOM.integers(0, groups, 10**6)} | {f"x{i}": make(10**6, "float64") for i in range(10)}
        frames: dict[str, Any] = {"pandas": pd.DataFrame(columns), "Polars": pl.DataFrame(columns)}
        name = f"frame_of_{groups}"
        connection.register(name, frames["Polars"].to_arrow())
        connection.sql(f"CREATE TABLE stored_{name} AS FROM {name}")
        frames["DuckDB"] = connection.sql(f"FROM stored_{name}")
        sums = ", ".join(f"sum(x{i})" for i in range(10))
        calls: dict[str, Call] = {"pandas": lambda f=frames["pandas"]: f.groupby("key").sum(),
                                  "Polars": lambda f=frames["Polars"]: f.group_by("key").sum(),
                                  "DuckDB": lambda f=frames["DuckDB"], sums=sums: f.aggregate(f"key, {sums}", "key").to_arrow_table()}
        for library, call in calls.items():
            found[f"`group_by`, sums of 10 columns of 1,000,000, {groups:,} groups, {library}"] = (
                library, call, lambda f=frames[library]: xd.group_by(f, "key").sum())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="cases whose names hold this, which are not written")
    given = parser.parse_args()
    rows = []
    for what, (peer, theirs, ours) in (of_ratios() | of_missing() | of_complex() | of_windows() | of_extremes() | of_frames()).items():
        if given.only not in what:
            continue
        samples = interleaved({"peer": repeated(theirs), "exactdot": repeated(ours)}, given.rounds)
        rows.append({"what": what, "peer": peer} | {f"{name}_ns": round(1e9 * min(taken)) for name, taken in samples.items()})
        print(f"{what:75} {rows[-1]['peer_ns'] / 1e3:10.1f} {rows[-1]['exactdot_ns'] / 1e3:10.1f} µs  "
              f"{rows[-1]['exactdot_ns'] / rows[-1]['peer_ns']:.2f}", flush=True)
    versions = {"python": platform.python_version(), "numpy": np.__version__, "pandas": pd.__version__, "polars": pl.__version__, "duckdb": duckdb.__version__}
    results = {"machine": {"cpu": processor(), **versions, "exactdot": xd.info(), "date": time.strftime("%Y-%m-%d")},
               "load": os.getloadavg()[0], "rounds": given.rounds, "rows": rows}
    if given.write and not given.only:
        update("statistic_calls", "this run", {ROOT / "docs/python.md": {
            "statistics machine": lambda _: tables.statistics_machine(results), "statistics": lambda _: tables.statistic_calls(results)}}, False)


if __name__ == "__main__":
    main()
