"""What a call costs beyond the computation: a short one a constant, a long one neither a copy nor a second pass.

Other processes must not decide these tests: times are processor times of the calling thread, the calls compared
alternate, the shortest of each kind count, and one of many attempts has to succeed. The limits leave out what noise
remains: a short call takes half of NumPy's time, a copy of both vectors would more than double a long one.
"""

from __future__ import annotations

import math
import sys
import time
from typing import Callable

import exactdot as xd
import numpy as np
import pytest
from exactdot import _engine

ATTEMPTS = 20


def processor_seconds(call: Callable[[], object], count: int) -> float:
    start = time.thread_time()
    for _ in range(count):
        call()
    return time.thread_time() - start


def ratio(call: Callable[[], object], baseline: Callable[[], object], count: int) -> float:
    """The shortest of some samples of one over the shortest of the other."""
    samples = [(processor_seconds(call, count), processor_seconds(baseline, count)) for _ in range(20)]
    return min(first for first, _ in samples) / min(second for _, second in samples)


def test_a_short_call_costs_at_most_three_of_numpy() -> None:
    a, b = np.random.default_rng(1).standard_normal((2, 16))
    assert any(ratio(lambda: xd.dot(a, b), lambda: np.dot(a, b), 500) <= 3 for _ in range(ATTEMPTS))


def test_a_long_call_costs_what_the_library_takes() -> None:
    a, b = np.random.default_rng(1).standard_normal((2, 5_000_000))

    def in_cpp() -> object:
        return _engine._seconds_of_dot(a, b, 1, 1)

    assert any(ratio(lambda: xd.dot(a, b, threads=1), in_cpp, 1) <= 1.5 for _ in range(ATTEMPTS))


def test_short_lists_and_scalars_cost_little() -> None:
    """Beside math.fsum, which reads the same list: at most six times for 10 numbers, no more for 1000."""
    ten, thousand = (np.random.default_rng(1).standard_normal(n).tolist() for n in (10, 1000))
    for values, limit, count in ((ten, 6.0, 300), (thousand, 1.0, 10)):
        assert any(ratio(lambda: xd.sum(values), lambda: math.fsum(values), count) <= limit for _ in range(ATTEMPTS))
    for scalar in (3.0, 3, np.float32(3)):
        array = np.asarray(scalar)
        assert any(ratio(lambda: xd.sum(scalar), lambda: xd.sum(array), 300) <= 3 for _ in range(ATTEMPTS))


def test_a_dtype_costs_little() -> None:
    x = np.ones(4)
    for dtype in ("f4", np.float32, np.dtype("f4")):
        assert any(ratio(lambda: xd.sum(x, dtype=dtype), lambda: xd.sum(x), 300) <= 2.5 for _ in range(ATTEMPTS))


def test_a_series_costs_at_most_three_of_its_values() -> None:
    values = np.random.default_rng(1).standard_normal(100)
    series = pytest.importorskip("pandas").Series(values)
    assert any(ratio(lambda: xd.sum(series), lambda: xd.sum(series.values), 100) <= 3 for _ in range(ATTEMPTS))
    column = pytest.importorskip("polars").Series(values)
    assert any(ratio(lambda: xd.sum(column), lambda: xd.sum(column.to_numpy()), 100) <= 3 for _ in range(ATTEMPTS))


def test_lists_scalars_and_dtypes_run_no_python_code() -> None:
    """Neither a function of Python, an import among them, nor a search for an attribute that fails."""
    x = np.ones(2)
    calls = [lambda: xd.sum([1.0, 2, True]), lambda: xd.dot((1, 2), [3, 4]), lambda: xd.sum([[1, 2], [3, 4]]),
             lambda: xd.sum(3.0), lambda: xd.sum(np.float32(3)), lambda: xd.sum(x, dtype="f4"),
             lambda: xd.sum([np.float64(3)])]
    for call in calls:
        call()
        events: list[str] = []
        sys.setprofile(lambda frame, event, argument: events.append(frame.f_code.co_name) if event == "call" else None)
        call()
        sys.setprofile(None)
        assert events == ["<lambda>"], events
