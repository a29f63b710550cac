"""Compares exactdot with other dot products in Python: time, error in ulps, and the same bits on another CPU.

python bench/python/dots.py [--json FILE] [--quick] [--gpu] prints the tables of docs/python.md for this machine. Peers
that are not installed are left out and named. The calls of all peers are interleaved (rounds.py). Each peer also runs in
a process that does not use the newest instruction set. With a GPU, another table compares PyTorch and CuPy (on_gpu.py).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import exactdot as xd
import numpy as np
from exactdot import _engine

import on_gpu
from peers import LESSER, Peer, peers, ulps, vectors
from rounds import interleaved, repeated

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from speed import python_tables

SIZES = (16, 1000, 100_000, 10_000_000)
GPU_SIZES = [1 << 10, 1 << 16, 1 << 20, 1 << 24]
THREADED = 100_000  # from this length on some peers use threads
DATA = ("uniform", "cancelling")


def bits(peer: Peer, a: np.ndarray, b: np.ndarray) -> str:
    return struct.pack(">d", peer.dot(a, b)).hex()


def case(n: int, data: str) -> str:
    return f"{n} {data}"


def bits_of_all() -> dict[str, dict[str, str]]:
    """The result's bits of each peer, for each case up to its maximum length."""
    found, _ = peers()
    return {name: {case(n, data): bits(peer, *vectors(n, data)) for n in SIZES for data in DATA if n <= peer.max_length}
            for name, peer in found.items()}


def bits_elsewhere() -> dict[str, dict[str, str]]:
    answer = subprocess.run([sys.executable, __file__, "--bits"], env={**os.environ, **LESSER}, check=True,
                            stdout=subprocess.PIPE, text=True)
    return json.loads(answer.stdout)


def cpu_rows(rounds: int) -> list[dict[str, Any]]:
    found, _ = peers()
    elsewhere = bits_elsewhere()
    rows = []
    for n in SIZES:
        for data in DATA:
            a, b = vectors(n, data)
            measured = {name: peer for name, peer in found.items() if n <= peer.max_length}
            samples = interleaved({name: repeated(peer.dot, a, b) for name, peer in measured.items()}, rounds,
                                  pause=0.05 if n >= THREADED else 0)
            rows += [{"n": n, "data": data, "peer": name, "ns": statistics.median(samples[name]) * 1e9,
                      "error_ulps": ulps(peer.dot(a, b), a, b),
                      "same_bits_elsewhere": bits(peer, a, b) == elsewhere.get(name, {}).get(case(n, data))}
                     for name, peer in measured.items()]
    return rows


def overhead_rows(rounds: int) -> list[dict[str, Any]]:
    """The same call in C++ and in Python, interleaved: the time in C++, and the median of the rounds' ratios."""
    rows = []
    for n in SIZES:
        a, b = vectors(n, "uniform")
        for threads in (0, 1) if n >= THREADED else (0,):
            def in_cpp(count: int) -> float:
                return _engine._seconds_of_dot(a, b, count, threads) * count

            in_python = repeated(xd.dot, a, b) if threads == 0 else repeated(lambda: xd.dot(a, b, threads=1))
            samples = interleaved({"Python": in_python, "C++": in_cpp}, rounds)
            ratios = [python / cpp for python, cpp in zip(samples["Python"], samples["C++"])]
            rows.append({"n": n, "threads": threads, "ns": statistics.median(samples["C++"]) * 1e9,
                         "python_over_cpp": statistics.median(ratios)})
    return rows


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def measure(rounds: int, cpu: bool, libraries: dict[str, on_gpu.Library], missing: list[str]) -> dict[str, Any]:
    """`libraries`: those whose GPU arrays are measured; `missing`: those that are not installed."""
    machine: dict[str, Any] = {"cpu": processor(), "exactdot": xd.info(), "numpy": np.__version__,
                               "python": platform.python_version()}
    if libraries:
        machine["gpu"] = {"driver": on_gpu.driver(), "libraries": [library.version for library in libraries.values()]}
    result: dict[str, Any] = {"machine": machine, "rounds": rounds, "missing": missing}
    if cpu:
        found, result["missing"] = peers()
        result["missing"] += missing
        result["called"] = [{"name": name, "how": peer.description} for name, peer in found.items()]
        result["rows"] = cpu_rows(rounds)
        result["overhead"] = overhead_rows(rounds)
    if libraries:
        result["gpu_rows"] = on_gpu.gpu_rows(libraries, GPU_SIZES, rounds)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", metavar="FILE", help="also write the results to this file")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds: too few for a measurement")
    parser.add_argument("--gpu", action="store_true", help="only the table of the GPU")
    parser.add_argument("--bits", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.bits:
        print(json.dumps(bits_of_all()))
        return
    gpu = xd.info()["cuda"]
    libraries, missing = on_gpu.libraries() if gpu["devices"] else ({}, [])
    if chosen.gpu and not libraries:
        reason = f"not usable: {', '.join(missing)}" if gpu["devices"] else f"exactdot finds no GPU: {gpu['note']}"
        sys.exit(f"dots.py: --gpu: {reason}")
    result = measure(5 if chosen.quick else 51, not chosen.gpu, libraries, missing)
    print(python_tables.text_of(result))
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
