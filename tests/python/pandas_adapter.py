"""A plugin of pytest that gives pandas' own tests exactdot's functions (test_pandas_suite.py runs them with it).

It replaces sums, means, variances, deviations, standard errors, extrema and their indices in pandas.core.nanops, and the sums,
means and variances of windows. What pandas' functions do beyond the reduction stays theirs: results of too few elements, the
types of results, dates and objects, which go to the original. EXACTDOT_OUTCOMES names the file that gets how many calls were
exactdot's, and the outcome of every test.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pandas.core.nanops as nanops
import pandas.core.window.rolling as rolling
import pytest

import exactdot as xd

calls: Counter[str] = Counter()
outcomes: dict[str, str] = {}

REDUCTIONS = {"nansum": xd.sum, "nanmean": xd.mean, "nanvar": xd.var, "nanstd": xd.std, "nansem": xd.standard_error, "nanmin": xd.min, "nanmax": xd.max,
              "nanargmin": xd.argmin, "nanargmax": xd.argmax}


def is_ours(values: Any, skipna: bool, mask: Any, name: str) -> bool:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf" or values.dtype == np.longdouble or values.size == 0:
        return False
    if values.dtype == np.float16 and name in ("nansum", "nanmean"):
        return False  # whose results are float64
    return skipna or (mask is None and not name.startswith("nanarg"))  # whose NaNs are an error then


def reduced(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """pandas' function, by exactdot's."""
    exact = REDUCTIONS[name]
    has_ddof = name in ("nanvar", "nanstd", "nansem")

    def call(values: Any, *, axis: Any = None, skipna: bool = True, mask: Any = None, min_count: int = 0, ddof: int = 1) -> Any:
        options: dict[str, Any] = {"axis": axis, "skipna": skipna, "mask": mask}
        if name == "nansum":
            options["min_count"] = min_count
        if has_ddof:
            options["ddof"] = ddof
        if not is_ours(values, skipna, mask, name):
            return original(values, **options)
        given: dict[str, Any] = {"axis": axis, "skip_nan": bool(skipna) and mask is None} | ({"ddof": ddof} if has_ddof else {})
        if mask is not None:  # which alone says what is missing
            given["where"] = ~mask
        calls[name] += 1
        try:
            found = exact(values, **given)
        except ValueError as failure:
            if "no element is left" in str(failure):
                return original(values, **options)  # the NaN or the error that pandas has for nothing
            raise
        if name == "nansum":
            missing = mask if mask is not None else np.isnan(values) if values.dtype.kind == "f" else None
            found = np.asarray(found, values.dtype if values.dtype.kind == "f" else None)[()]
            return nanops._maybe_null_out(found, axis, missing if skipna else None, values.shape, min_count=min_count)
        if isinstance(found, np.ndarray):
            return found
        if name.startswith("nanarg"):
            return np.int64(found)
        kind = values.dtype if values.dtype.kind == "f" or name in ("nanmin", "nanmax") else np.dtype("f8")
        return kind.type(found)

    call.__name__ = name
    return call


def windows(name: str, exact: Callable[..., Any], of_window: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    """A function of windows from start[i] to before end[i]: of moving windows of one length by `exact`, else one by one."""

    def call(values: Any, start: Any, end: Any, minp: int, **options: Any) -> Any:
        n = len(values)
        is_plain = isinstance(values, np.ndarray) and values.dtype == np.float64 and len(start) == len(end) and minp >= 0
        if not is_plain or not isinstance(options.get("ddof", 0), int):
            return original(values, start, end, minp, **options)
        calls[name] += 1
        minp = max(minp, 1) if name != "roll_sum" else minp
        length = int((end - start).max(initial=0))
        moves = len(end) == n and np.array_equal(end, np.arange(1, n + 1)) and np.array_equal(start, np.maximum(0, end - length))
        if moves and length >= max(minp, 1):
            calls[f"{name}, moving"] += 1
            return exact(values, length, min_periods=minp, skip_nan=True, **options)
        parts = (values[first:last] for first, last in zip(start, end))
        return np.array([of_window(part, skip_nan=True, **options) if np.count_nonzero(part == part) >= minp else np.nan for part in parts])

    return call


class Aggregations:
    """pandas' functions of windows, three of them replaced."""

    def __init__(self, originals: Any) -> None:
        self.originals = originals
        self.roll_sum = windows("roll_sum", xd.rolling_sum, xd.sum, originals.roll_sum)
        self.roll_mean = windows("roll_mean", xd.rolling_mean, xd.mean, originals.roll_mean)
        variance = windows("roll_var", xd.rolling_var, xd.var, originals.roll_var)
        self.roll_var = lambda values, start, end, minp, ddof=1: variance(values, start, end, minp, ddof=ddof)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.originals, name)


def pytest_configure(config: pytest.Config) -> None:
    for name in REDUCTIONS:
        setattr(nanops, name, reduced(name, getattr(nanops, name)))
    rolling.window_aggregations = Aggregations(rolling.window_aggregations)
    for marker in ("slow", "network", "db", "single_cpu", "arm_slow", "skip_ubsan", "clipboard", "thread_unsafe"):
        config.addinivalue_line("markers", f"{marker}: of pandas' own tests")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        error = " ".join(line[4:] for line in str(report.longrepr).splitlines() if line.startswith("E   "))
        outcomes[f"{Path(report.location[0]).name}::{report.nodeid.partition('::')[2]}"] = report.outcome + (f": {error}" if error else "")


def pytest_sessionfinish() -> None:
    Path(os.environ["EXACTDOT_OUTCOMES"]).write_text(json.dumps({"calls": calls, "outcomes": outcomes}))
