"""dot has the bits of the program `exactdot`. Skipped unless EXACTDOT_PROGRAM names the program."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
from pathlib import Path

import exactdot as xd
import numpy as np
import pytest

PROGRAM = os.environ.get("EXACTDOT_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="EXACTDOT_PROGRAM names no program")


def pattern(value: float, dtype: str) -> str:
    return struct.pack(">f" if dtype == "float32" else ">d", value).hex()


def vectors(n: int, dtype: str, kind: str) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(n)
    a, b = generator.standard_normal((2, n))
    if kind == "wide":
        a = np.ldexp(a, generator.integers(-60, 60, n))
    if kind == "cancelling":
        b = np.concatenate([b[: n // 2], b[: n - n // 2]])
        a = np.concatenate([a[: n // 2], -a[: n - n // 2]])
    if kind == "infinite":
        a[n // 3] = math.inf
    return a.astype(dtype), b.astype(dtype)


@pytest.mark.parametrize("kind", ["plain", "wide", "cancelling", "infinite"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 1000, 100_003])
def test_same_bits(n: int, dtype: str, kind: str, tmp_path: Path) -> None:
    a, b = vectors(n, dtype, kind)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    for mode in ("exact", "fast"):
        for result in ("float32", "float64"):
            output = subprocess.run(
                [str(PROGRAM), "dot", "a.npy", "b.npy", "--mode", mode, "--result", result, "--json"],
                cwd=tmp_path, check=True, capture_output=True, text=True,
            ).stdout
            assert json.loads(output)["bits"] == pattern(xd.dot(a, b, mode=mode, dtype=result), result)
