"""exactdot beside what Python programs compute dots with: time, error, and whether another CPU gives the same bits.

python bench/python/dots.py [--json FILE] [--quick] [--gpu]. Peers that are not installed are left out and named. Every
peer runs again in a process that was told to do without the newest instruction set; errors are in ulps. On a machine
with a GPU a second table has PyTorch and CuPy.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import struct
import subprocess
import sys
import time
from fractions import Fraction
from typing import Any, Callable

import exactdot as xd
import numpy as np

Dot = Callable[[Any, Any], float]
LESSER = {
    "EXACTDOT_TARGET": "avx2",
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4",
    "EXACTDOT_BENCH_LESSER": "1",
}


def peers() -> tuple[dict[str, Dot], list[str]]:
    """Name and dot of each, and who is missing."""
    found: dict[str, Dot] = {
        "exactdot": xd.dot,
        "exactdot fast": lambda a, b: xd.dot(a, b, mode="fast"),
        "numpy.dot": np.dot,
        "math.fsum": lambda a, b: math.fsum((a * b).tolist()),
    }
    missing = []
    if hasattr(math, "sumprod"):
        found["math.sumprod"] = lambda a, b: math.sumprod(a.tolist(), b.tolist())
    else:
        missing.append("math.sumprod (Python 3.12)")
    try:
        import xsum

        found["xsum"] = lambda a, b: xsum_dot(xsum, a, b)
        found["xsum"](np.ones(2), np.ones(2))
    except Exception as reason:
        found.pop("xsum", None)
        missing.append(f"xsum ({type(reason).__name__})")
    try:
        import numkong

        if os.environ.get("EXACTDOT_BENCH_LESSER"):
            for newer in ("skylake", "icelake", "genoa", "sapphire", "turin"):
                numkong.disable_capability(newer)
        found["numkong"] = lambda a, b: float(numkong.dot(a, b))
        found["numkong"](np.ones(2), np.ones(2))
    except Exception as reason:
        found.pop("numkong", None)
        missing.append(f"numkong ({type(reason).__name__})")
    return found, missing


def xsum_dot(xsum: Any, a: np.ndarray, b: np.ndarray) -> float:
    """The products rounded, their sum exact."""
    state = xsum.xsum_large_accumulator()
    xsum.xsum_add_dot(state, a, b)
    return float(xsum.xsum_round(state))


def seconds(call: Callable[[], object], budget: float) -> float:
    """The least of many runs, each long enough for the clock."""
    start = time.perf_counter()
    call()
    once = time.perf_counter() - start
    number = max(1, int(2e-4 / max(once, 1e-9)))
    best, spent = math.inf, 0.0
    while spent < budget:
        start = time.perf_counter()
        for _ in range(number):
            call()
        took = time.perf_counter() - start
        best, spent = min(best, took / number), spent + took
    return best


def vectors(n: int, data: str) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(n)
    a, b = generator.uniform(-1, 1, (2, n))
    if data == "cancelling" and n > 1:
        half = n // 2
        a[half : 2 * half], b[half : 2 * half] = a[:half], -b[:half] * (1 + 2.0**-50)
    return a, b


def ulps(value: float, a: np.ndarray, b: np.ndarray) -> float:
    """How far from the real sum, in units of the last place of the rounded one."""
    acc = xd.Accumulator()
    acc.add(a, b)
    words = acc.words[:134].tolist()
    real = sum(word << (32 * i) for i, word in enumerate(words)) * Fraction(2) ** -2148
    return float(abs(Fraction(value) - real) / Fraction(math.ulp(float(acc))))


def bits_of_all(cases: list[tuple[int, str]]) -> dict[str, list[str]]:
    found, _ = peers()
    made = [vectors(n, data) for n, data in cases]
    return {name: [struct.pack(">d", dot(a, b)).hex() for a, b in made] for name, dot in found.items()}


def on_cpu(cases: list[tuple[int, str]], budget: float) -> list[dict[str, Any]]:
    found, _ = peers()
    here = bits_of_all(cases)
    answer = subprocess.run([sys.executable, __file__, "--bits", json.dumps(cases)], env={**os.environ, **LESSER},
                            check=True, capture_output=True, text=True)
    there = json.loads(answer.stdout)
    rows = []
    for index, (n, data) in enumerate(cases):
        a, b = vectors(n, data)
        slow = {"math.fsum", "math.sumprod"}
        for name, dot in found.items():
            if name in slow and n > 1_000_000:
                continue
            took = seconds(lambda: dot(a, b), budget)
            rows.append({"n": n, "data": data, "peer": name, "ns": took * 1e9, "error_ulps": ulps(dot(a, b), a, b),
                         "same_bits_elsewhere": here[name][index] == there.get(name, [""] * len(cases))[index]})
        for threads, name in ((0, "C++ (exactdot)"), (1, "C++ (exactdot), 1 thread")):
            took = interleaved(a, b, threads, budget)
            rows.append({"n": n, "data": data, "peer": name, "ns": took["C++"] * 1e9,
                         "python_over_cpp": took["ratio"]})
    return rows


def interleaved(a: np.ndarray, b: np.ndarray, threads: int, budget: float) -> dict[str, float]:
    """The call in Python and in C++, in turns, so that both see the same machine: C++'s least time, and the median of
    the turns' ratios."""
    from exactdot import _engine

    best, ratios = math.inf, []
    number = max(1, int(2e-4 / max(_engine._seconds_of_dot(a, b, 1, threads), 1e-9)))
    end = time.perf_counter() + 2 * budget
    while time.perf_counter() < end:
        in_cpp = _engine._seconds_of_dot(a, b, number, threads)
        start = time.perf_counter()
        for _ in range(number):
            xd.dot(a, b, threads=threads)
        ratios.append((time.perf_counter() - start) / number / in_cpp)
        best = min(best, in_cpp)
    return {"C++": best, "ratio": statistics.median(ratios)}


def on_gpu(sizes: list[int], budget: float) -> list[dict[str, Any]]:
    rows = []
    import cupy
    import torch

    for n in sizes:
        a, b = (vector.astype("float32") for vector in vectors(n, "uniform"))
        frameworks = {
            "torch": (torch.as_tensor(a, device="cuda"), torch.as_tensor(b, device="cuda"),
                      torch.zeros((), device="cuda"), torch.dot, torch.cuda.synchronize),
            "cupy": (cupy.asarray(a), cupy.asarray(b), cupy.zeros((), "f"), cupy.dot,
                     cupy.cuda.Device().synchronize),
        }
        for name, (x, y, out, dot, wait) in frameworks.items():
            def repeated(call: Callable[[], object], count: int = 50) -> float:
                def batch() -> None:
                    for _ in range(count):
                        call()
                    wait()
                return seconds(batch, budget) / count

            rows += [
                {"n": n, "peer": f"{name}.dot", "us": repeated(lambda: dot(x, y)) * 1e6,
                 "us_with_result_on_host": seconds(lambda: float(dot(x, y)), budget) * 1e6},
                {"n": n, "peer": f"exactdot on {name}", "us": repeated(lambda: xd.dot(x, y, out=out)) * 1e6,
                 "us_with_result_on_host": seconds(lambda: xd.dot(x, y), budget) * 1e6},
            ]
    return rows


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def show(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        cells = [f"{row['n']:>9}", f"{row.get('data', ''):11}", f"{row['peer']:26}"]
        cells += [f"{row['ns']:>14,.0f} ns"] if "ns" in row else [f"{row['us']:>10.2f} us"]
        if "error_ulps" in row:
            cells.append(f"{row['error_ulps']:>10.3g} ulp   {'same' if row['same_bits_elsewhere'] else 'other'} bits")
        if "python_over_cpp" in row:
            cells.append(f"Python takes {row['python_over_cpp']:.3f} of it")
        if "us_with_result_on_host" in row:
            cells.append(f"{row['us_with_result_on_host']:>10.2f} us with the result on the host")
        print(" ".join(cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", help="write the rows here")
    parser.add_argument("--quick", action="store_true", help="a fifth of the time")
    parser.add_argument("--gpu", action="store_true", help="the GPU's table alone")
    parser.add_argument("--bits", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.bits:
        print(json.dumps(bits_of_all(json.loads(chosen.bits))))
        return
    cases = [(n, data) for n in (16, 1000, 100_000, 10_000_000) for data in ("uniform", "cancelling")]
    budget = 0.1 if chosen.quick else 0.5
    result: dict[str, Any] = {"machine": {"cpu": processor(), "exactdot": xd.info(), "numpy": np.__version__,
                                          "python": platform.python_version()}, "missing": peers()[1]}
    if result["missing"]:
        print("not here:", ", ".join(result["missing"]))
    if not chosen.gpu:
        result["rows"] = on_cpu(cases, budget)
        show(result["rows"])
    if xd.info()["cuda"]["devices"]:
        result["gpu_rows"] = on_gpu([1 << 10, 1 << 16, 1 << 20, 1 << 24], budget)
        show(result["gpu_rows"])
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
