"""A short dot costs at most three times NumPy's; a long one what it costs in C++. With room for a busy machine."""

from __future__ import annotations

import timeit
from typing import Callable

import exactdot as xd
import numpy as np
from exactdot import _engine


def least(call: Callable[[], object], number: int) -> float:
    return min(timeit.repeat(call, number=number, repeat=20)) / number


def test_short() -> None:
    a, b = np.random.default_rng(1).standard_normal((2, 16))
    assert least(lambda: xd.dot(a, b), 2000) <= 3 * least(lambda: np.dot(a, b), 2000)


def test_long() -> None:
    a, b = np.random.default_rng(1).standard_normal((2, 5_000_000))

    def ratio() -> float:
        return least(lambda: xd.dot(a, b, threads=1), 1) / min(_engine._seconds_of_dot(a, b, 1, 1) for _ in range(20))

    assert any(ratio() <= 1.02 for _ in range(9))
