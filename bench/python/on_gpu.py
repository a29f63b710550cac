"""The GPU's rows: exactdot with float32 arrays of PyTorch and CuPy, beside the dot products of these libraries.

Two times of each. us: the mean of consecutive calls whose results stay on the GPU, with one wait at the end.
us_with_result_on_host: a call that returns a Python float.
"""

from __future__ import annotations

import functools
import importlib
import statistics
import subprocess
from typing import Any, Callable, NamedTuple

import exactdot as xd
import numpy as np

from peers import ulps, vectors
from rounds import Run, interleaved, repeated


class Library(NamedTuple):
    version: str
    to_gpu: Callable[[np.ndarray], Any]
    zero: Callable[[], Any]
    dot: Callable[[Any, Any], Any]
    wait: Callable[[], object]


def pytorch() -> Library:
    import torch

    return Library(f"PyTorch {torch.__version__} (CUDA {torch.version.cuda})",
                   lambda array: torch.as_tensor(array, device="cuda"), lambda: torch.zeros((), device="cuda"),
                   torch.dot, torch.cuda.synchronize)


def cupy() -> Library:
    cupy = importlib.import_module("cupy")
    return Library(f"CuPy {cupy.__version__} (CUDA runtime {dotted(cupy.cuda.runtime.runtimeGetVersion())})",
                   cupy.asarray, lambda: cupy.zeros((), "f"), cupy.dot, cupy.cuda.Device().synchronize)


def dotted(version: int) -> str:
    """CUDA's version number as text: 12040 becomes 12.4."""
    return f"{version // 1000}.{version % 1000 // 10}"


def libraries() -> tuple[dict[str, Library], list[str]]:
    found, missing = {}, []
    for name, make in (("torch", pytorch), ("cupy", cupy)):
        try:
            library = make()
            library.zero()  # fails if the library is installed but cannot use a GPU
            found[name] = library
        except Exception as reason:
            missing.append(f"{name} ({type(reason).__name__})")
    return found, missing


def driver() -> str:
    try:
        answer = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], check=True,
                                capture_output=True, text=True)
        return answer.stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def contenders(name: str, library: Library, x: Any, y: Any) -> dict[tuple[str, str], tuple[Run, Callable[[], float]]]:
    """For each peer and kind of time: the run, and a call that returns the peer's result."""
    out = library.zero()
    peer, exactdot = f"{name}.dot", f"exactdot on {name}"

    def by_peer() -> float:
        return float(library.dot(x, y))

    def by_exactdot() -> float:
        return float(xd.dot(x, y))

    return {
        (peer, "us"): (repeated(library.dot, x, y, wait=library.wait), by_peer),
        (peer, "us_with_result_on_host"): (repeated(by_peer), by_peer),
        (exactdot, "us"): (repeated(functools.partial(xd.dot, out=out), x, y, wait=library.wait), by_exactdot),
        (exactdot, "us_with_result_on_host"): (repeated(xd.dot, x, y), by_exactdot),
    }


def gpu_rows(found: dict[str, Library], sizes: list[int], rounds: int) -> list[dict[str, Any]]:
    rows = []
    for n in sizes:
        for data in ("uniform", "cancelling"):
            a, b = vectors(n, data, "float32")
            timed: dict[tuple[str, str], tuple[Run, Callable[[], float]]] = {}
            for name, library in found.items():
                timed |= contenders(name, library, library.to_gpu(a), library.to_gpu(b))
            samples = interleaved({key: run for key, (run, _) in timed.items()}, rounds)
            micros = {key: statistics.median(taken) * 1e6 for key, taken in samples.items()}
            rows += [{"n": n, "data": data, "peer": peer, "us": micros[peer, "us"],
                      "us_with_result_on_host": micros[peer, "us_with_result_on_host"],
                      "error_ulps": ulps(timed[peer, "us"][1](), a, b)}
                     for peer, kind in timed if kind == "us"]
    return rows
