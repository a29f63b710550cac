"""Timing of several calls against each other, in one process.

A round times every contender once; each round has another order, so that a change of clock, a noisy neighbour or what
the one before left in the caches meets all of them. A sample is a run of calls that lasts long enough for the clock.
"""

from __future__ import annotations

import random
import time
from typing import Any, Callable

Run = Callable[[int], float]  # makes so many calls and returns the seconds that they took
SAMPLE_SECONDS = 1e-3
WARM_SECONDS = 0.3


def repeated(call: Callable[..., object], *arguments: Any, wait: Callable[[], object] | None = None) -> Run:
    """Calls one after the other; with `wait` it waits once, after the last."""
    def run(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            call(*arguments)
        if wait is not None:
            wait()
        return time.perf_counter() - start
    return run


def calls_of(run: Run, seconds: float) -> int:
    """How many calls take about so long; at least one."""
    run(1)
    count = 1
    while (took := run(count)) < seconds / 10:
        count *= 4
    return max(1, round(count * seconds / took))


def interleaved(contenders: dict[Any, Run], rounds: int, pause: float = 0) -> dict[Any, list[float]]:
    """Seconds a call, for each contender a sample from each round.

    Threads wait in a loop for some time after a call, OpenBLAS's and OpenMP's for tens of milliseconds, and take a core
    from whoever comes next. `pause` seconds let them go to sleep; the contender then wakes its own, untimed.
    """
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_SECONDS:  # clocks and memory pools settle
        for run in contenders.values():
            run(1)
    counts = {}
    for name, run in contenders.items():
        time.sleep(pause)
        counts[name] = calls_of(run, SAMPLE_SECONDS)
    samples: dict[Any, list[float]] = {name: [] for name in contenders}
    order, source = list(contenders), random.Random(1)
    for _ in range(rounds):
        source.shuffle(order)
        for name in order:
            if pause > 0:
                time.sleep(pause)
                contenders[name](counts[name])
            samples[name].append(contenders[name](counts[name]) / counts[name])
    return samples
