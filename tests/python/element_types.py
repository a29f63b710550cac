"""Vectors of every element type, and the comparison of results with expected ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from reference import bits

SUMS = ["sum", "asum", "sum_of_squares"]
MEANS = ["norm", "mean", "var", "std"]
EXTREMA = ["min", "max", "argmin", "argmax"]
OF_ML_DTYPES = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]  # which has no byte orders
STORED = {1: "uint8", 2: "int16"}  # integers of their size, which PyTorch has too
FLOATS = ["float16", "float32", "float64", *OF_ML_DTYPES]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def dtype_of(name: str) -> np.dtype:
    """The dtype; a test of a type of ml_dtypes is skipped where that is not installed."""
    if name in OF_ML_DTYPES:
        return np.dtype(getattr(pytest.importorskip("ml_dtypes"), name))
    return np.dtype(name)


def default_result(name: str, dtype: str) -> str:
    """NumPy's: floating-point types stay; sums of integers are of 64 bits, other results of integers float64."""
    if dtype in FLOATS:
        return dtype
    return ("uint64" if dtype.startswith("u") else "int64") if name in SUMS else "float64"


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, int):
        return type(found) is int and found == expected
    return type(found) is float and bits(found) == bits(expected)


@st.composite
def vectors(draw: st.DrawFn, names: list[str], min_size: int = 0) -> np.ndarray:
    """A vector of one of these types: any numbers, or a sum that cancels."""
    dtype = dtype_of(draw(st.sampled_from(names)))
    sizes = {"min_size": min_size, "max_size": 24}
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array(draw(st.lists(st.integers(int(info.min), int(info.max)), **sizes)), dtype)
    special = draw(st.booleans())
    width = 8 * dtype.itemsize
    if dtype.name in OF_ML_DTYPES:
        word = np.dtype(f"u{dtype.itemsize}")
        finite = np.isfinite(np.arange(2 ** (8 * word.itemsize)).astype(word).view(dtype).astype("f4"))
        words = st.integers(0, len(finite) - 1).filter(lambda i: special or finite[i])
        x = np.array(draw(st.lists(words, **sizes)), word).view(dtype)
    else:
        numbers = st.floats(width=width, allow_nan=special, allow_infinity=special)  # type: ignore[arg-type]
        x = np.array(draw(st.lists(numbers, **sizes)), dtype)
    return np.concatenate([x, -x[::-1]]) if draw(st.booleans()) else x


def samples(name: str, n: int) -> np.ndarray:
    """Numbers of every size that the type has, whose sums do not overflow 64 bits."""
    dtype = dtype_of(name)
    generator = np.random.default_rng(n)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return generator.integers(max(info.min, -(2**20)), min(info.max, 2**20), n).astype(dtype)
    return (generator.standard_normal(n) * 2.0 ** generator.integers(-8, 6, n)).astype(dtype)
