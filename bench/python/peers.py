"""The dot products that dots.py compares on a CPU, and their test data."""

from __future__ import annotations

import importlib.metadata
import math
import os
from fractions import Fraction
from typing import Any, Callable, NamedTuple

import exactdot as xd
import numpy as np

# environment variables that disable the newest instruction set in exactdot, OpenBLAS, NumPy and (the last) numkong
LESSER = {
    "EXACTDOT_TARGET": "avx2",
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4",
    "EXACTDOT_BENCH_LESSER": "1",
}


class Peer(NamedTuple):
    dot: Callable[[Any, Any], float]
    description: str
    max_length: int = 1 << 62  # excludes calls that take about a second


def peers() -> tuple[dict[str, Peer], list[str]]:
    """The installed peers by name, and the missing ones."""
    found = {
        "exactdot": Peer(xd.dot, "`exactdot.dot(a, b)`"),
        "exactdot fast": Peer(lambda a, b: xd.dot(a, b, mode="fast"), '`exactdot.dot(a, b, mode="fast")`'),
        "numpy.dot": Peer(np.dot, f"`numpy.dot(a, b)`, NumPy {np.__version__}"),
        "math.fsum": Peer(lambda a, b: math.fsum((a * b).tolist()), "`math.fsum((a * b).tolist())`", 1_000_000),
    }
    missing = []
    if hasattr(math, "sumprod"):
        found["math.sumprod"] = Peer(lambda a, b: math.sumprod(a.tolist(), b.tolist()),
                                     "`math.sumprod(a.tolist(), b.tolist())`", 1_000_000)
    else:
        missing.append("math.sumprod (Python 3.12)")
    for name, make in (("xsum", xsum), ("numkong", numkong)):
        try:
            peer = make()
            peer.dot(np.ones(2), np.ones(2))
            found[name] = peer
        except Exception as reason:
            missing.append(f"{name} ({type(reason).__name__})")
    return found, missing


def xsum() -> Peer:
    """Rounds each product; the sum of the rounded products is exact."""
    import xsum

    def dot(a: np.ndarray, b: np.ndarray) -> float:
        state = xsum.xsum_large_accumulator()
        xsum.xsum_add_dot(state, a, b)
        return float(xsum.xsum_round(state))

    return Peer(dot, f"`xsum_add_dot` into an `xsum_large_accumulator`; {from_pypi('xsum')}")


def numkong() -> Peer:
    import numkong

    if os.environ.get("EXACTDOT_BENCH_LESSER"):
        for newer in ("skylake", "icelake", "genoa", "sapphire", "turin"):
            numkong.disable_capability(newer)
    return Peer(lambda a, b: float(numkong.dot(a, b)), f"`numkong.dot(a, b)`; {from_pypi('numkong')}")


def from_pypi(package: str) -> str:
    return f"PyPI's package {package} {importlib.metadata.version(package)}"


def vectors(n: int, data: str, dtype: str = "float64") -> tuple[np.ndarray, np.ndarray]:
    """Uniform in (-1, 1); "cancelling": the second half of the products cancels the first up to the last bits."""
    generator = np.random.default_rng(n)
    a, b = generator.uniform(-1, 1, (2, n)).astype(dtype)
    if data == "cancelling" and n > 1:
        half = n // 2
        a[half : 2 * half] = a[:half]
        b[half : 2 * half] = -b[:half] * (1 + 4 * np.finfo(dtype).eps)
    return a, b


def ulps(value: float, a: np.ndarray, b: np.ndarray) -> float:
    """The error of a result in units of the last place of the correctly rounded one.

    The exact sum is read from an accumulator's words, 32-bit limbs from 2^-2148 on (docs/contract.md); a test compares
    it with `fractions`.
    """
    acc = xd.Accumulator()
    acc.add(a.astype("float64"), b.astype("float64"))
    words = acc.words[:134].tolist()
    real = sum(word << (32 * i) for i, word in enumerate(words)) * Fraction(2) ** -2148
    unit = np.spacing(a.dtype.type(abs(xd.dot(a, b))))
    return float(abs(Fraction(value) - real) / Fraction(float(unit)))
