"""What a call costs beyond the computation: a short one a constant, a long one neither a copy nor a second pass.

Other processes must not decide these tests: times are processor times of the calling thread, the calls compared
alternate, the shortest of each kind count, and one of many attempts has to succeed. The limits leave out what noise
remains: a short call takes half of NumPy's time, a copy of both vectors would more than double a long one.
"""

from __future__ import annotations

import time
from typing import Callable

import exactdot as xd
import numpy as np
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
