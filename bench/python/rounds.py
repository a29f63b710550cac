"""Times several calls in interleaved rounds, in one process.

A round times every contender once, in random order. So changes of the clock frequency, other processes and the cache
contents left by the previous contender affect all of them. A sample is a run of calls of at least SAMPLE_SECONDS.
"""

from __future__ import annotations

import random
import time
from typing import Any, Callable

Run = Callable[[int], float]  # makes this number of calls and returns their time in seconds
SAMPLE_SECONDS = 1e-3
WARM_SECONDS = 0.3


def repeated(call: Callable[..., object], *arguments: Any, wait: Callable[[], object] | None = None) -> Run:
    """A run of consecutive calls; `wait` is called once, after the last."""
    def run(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            call(*arguments)
        if wait is not None:
            wait()
        return time.perf_counter() - start
    return run


def calls_of(run: Run, seconds: float) -> int:
    """The number of calls that take about this time; at least one."""
    run(1)
    count = 1
    while (took := run(count)) < seconds / 10:
        count *= 4
    return max(1, round(count * seconds / took))


def interleaved(contenders: dict[Any, Run], rounds: int, pause: float = 0) -> dict[Any, list[float]]:
    """Seconds per call of each contender, one sample per round.

    Threads of OpenBLAS and OpenMP spin for tens of milliseconds after a call and take a core from the next contender.
    After `pause` seconds they sleep; an untimed run then wakes the contender's threads.
    """
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_SECONDS:  # warms up clocks and memory pools
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
