#!/usr/bin/env python3
"""Times rms_norm and layer_norm on the CPU beside NumPy's formulas, which round at every step.

usage: norms_on_cpu.py [OUT.json] [--seconds S]

A time is the median of calls in turns, in milliseconds, with one thread and with all; S (default 1) seconds for each. NumPy
computes in one thread, and float16 by way of float32. `ratio` is that of exactdot's time with all threads to NumPy's.
"""
import json
import statistics
import sys
import time

import exactdot as xd
import numpy as np

SHAPES = (("float32", 4096, 4096), ("float32", 100_000, 128), ("float16", 4096, 4096), ("float64", 2048, 4096))


def rms_norm(x, weight, bias, epsilon):
    mean = np.mean(np.square(x, dtype=np.promote_types(x.dtype, "f4")), axis=-1, keepdims=True)
    return x * weight / np.sqrt(mean + x.dtype.type(epsilon))


def layer_norm(x, weight, bias, epsilon):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred * weight / np.sqrt(x.var(axis=-1, keepdims=True) + x.dtype.type(epsilon)) + bias


def calls_of(name, out, x, weight, bias):
    arguments = (x, weight) if name == "rms_norm" else (x, weight, bias)
    exact = getattr(xd, name)
    yield "exactdot", lambda: exact(*arguments, epsilon=1e-3, out=out)
    yield "exactdot, 1 thread", lambda: exact(*arguments, epsilon=1e-3, out=out, threads=1)
    yield "numpy", lambda: globals()[name](x, weight, bias, 1e-3)


def main():
    arguments = sys.argv[1:]
    seconds = float(arguments.pop(arguments.index("--seconds") + 1)) if "--seconds" in arguments else 1.0
    generator, rows = np.random.default_rng(1), []
    for dtype, m, n in SHAPES:
        x, weight, bias = (generator.standard_normal(shape).astype(dtype) for shape in ((m, n), n, n))
        for name in ("rms_norm", "layer_norm"):
            calls, times = dict(calls_of(name, np.empty_like(x), x, weight, bias)), {}
            end = time.perf_counter() + seconds * len(calls)
            while time.perf_counter() < end or not times:
                for which, call in calls.items():
                    start = time.perf_counter()
                    call()
                    times.setdefault(which, []).append(1e3 * (time.perf_counter() - start))
            row = {"call": name, "type": dtype, "shape": [m, n]}
            row |= {which: round(statistics.median(found), 2) for which, found in times.items()}
            rows.append(row | {"ratio": round(row["exactdot"] / row["numpy"], 2)})
            print(*rows[-1].items(), flush=True)
    files = [each for each in arguments if not each.startswith("--")]
    if files:
        with open(files[0], "w") as file:
            json.dump({"threads": xd.info()["threads"], "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
