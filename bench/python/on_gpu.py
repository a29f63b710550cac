"""The GPU's rows: exactdot called with arrays of PyTorch and of CuPy, beside their own dots; float32.

Two times of each: result_stays, the mean of calls one after the other with one wait at their end; result_on_host, a
call that returns a Python float.
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
    """12040 is 12.4."""
    return f"{version // 1000}.{version % 1000 // 10}"


def libraries() -> tuple[dict[str, Library], list[str]]:
    found, missing = {}, []
    for name, make in (("torch", pytorch), ("cupy", cupy)):
        try:
            how = make()
            how.zero()  # it may be there without a GPU
            found[name] = how
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


def contenders(library: str, how: Library, x: Any, y: Any) -> dict[tuple[str, str], tuple[Run, Callable[[], float]]]:
    """For each peer and time the run, and the call that gives its value."""
    out = how.zero()
    own, ours = f"{library}.dot", f"exactdot on {library}"

    def theirs() -> float:
        return float(how.dot(x, y))

    def exact() -> float:
        return float(xd.dot(x, y))

    return {
        (own, "us"): (repeated(how.dot, x, y, wait=how.wait), theirs),
        (own, "us_with_result_on_host"): (repeated(theirs), theirs),
        (ours, "us"): (repeated(functools.partial(xd.dot, out=out), x, y, wait=how.wait), exact),
        (ours, "us_with_result_on_host"): (repeated(xd.dot, x, y), exact),
    }


def gpu_rows(found: dict[str, Library], sizes: list[int], rounds: int) -> list[dict[str, Any]]:
    rows = []
    for n in sizes:
        for data in ("uniform", "cancelling"):
            a, b = vectors(n, data, "float32")
            timed: dict[tuple[str, str], tuple[Run, Callable[[], float]]] = {}
            for library, how in found.items():
                timed |= contenders(library, how, how.to_gpu(a), how.to_gpu(b))
            samples = interleaved({key: run for key, (run, _) in timed.items()}, rounds)
            micros = {key: statistics.median(taken) * 1e6 for key, taken in samples.items()}
            rows += [{"n": n, "data": data, "peer": peer, "us": micros[peer, "us"],
                      "us_with_result_on_host": micros[peer, "us_with_result_on_host"],
                      "error_ulps": ulps(timed[peer, "us"][1](), a, b)}
                     for peer, kind in timed if kind == "us"]
    return rows
