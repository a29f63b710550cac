"""The expected results: the exact dot product by `fractions`, rounded once; and strategies for difficult vectors."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

LARGEST = {"float32": Fraction(2) ** 128, "float64": Fraction(2) ** 1024}


def bits(value: float) -> str:
    """The bit pattern: comparing it, NaN equals NaN and +0 differs from -0."""
    return struct.pack(">d", value).hex()


def rounded(value: Fraction, dtype: str) -> float:
    """The value rounded to nearest, ties to even, to the precision and range of dtype."""
    precision, lowest = (24, -149) if dtype == "float32" else (53, -1074)
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - precision + 1, lowest)
    result = round(size / unit) * unit  # Python's round takes ties to even
    number = math.inf if result >= LARGEST[dtype] else float(result)
    return -number if value < 0 else number


def exact_dot(a: np.ndarray, b: np.ndarray, dtype: str) -> float:
    """The result that docs/contract.md specifies: special values first, then the real sum, rounded once."""
    total = Fraction(0)
    infinities = set()
    for x, y in zip(a.tolist(), b.tolist()):
        if math.isnan(x) or math.isnan(y) or (math.isinf(x) and y == 0) or (math.isinf(y) and x == 0):
            return math.nan
        if math.isinf(x) or math.isinf(y):
            infinities.add(math.copysign(1, x) * math.copysign(1, y))
        else:
            total += Fraction(x) * Fraction(y)
    if infinities:
        return math.nan if len(infinities) == 2 else math.inf * infinities.pop()
    return rounded(total, dtype)


dtypes = st.sampled_from(["float32", "float64"])


@st.composite
def pairs(draw: st.DrawFn, max_length: int = 40, special: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Two vectors of the same length and type: any floating-point numbers, or a sum that cancels."""
    width = 32 if draw(dtypes) == "float32" else 64
    element = st.floats(width=width, allow_nan=special, allow_infinity=special)
    n = draw(st.integers(0, max_length))
    a = np.array(draw(st.lists(element, min_size=n, max_size=n)), dtype=f"float{width}")
    b = np.array(draw(st.lists(element, min_size=n, max_size=n)), dtype=f"float{width}")
    if draw(st.booleans()):
        a, b = np.concatenate([a, a[::-1]]), np.concatenate([b, -b[::-1]])
        if n and draw(st.booleans()):
            a[0] = np.nextafter(a[0], a.dtype.type(0))
    return a, b


def views(a: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers in other layouts."""
    spread = np.full(3 * len(a) + 1, np.nan, a.dtype)
    spread[: 3 * len(a) : 3] = a
    shifted = np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view(a.dtype) if len(a) else a
    return {
        "contiguous": a,
        "strided": spread[: 3 * len(a) : 3],
        "reversed twice": a[::-1].copy()[::-1],
        "unaligned": shifted,
        "big endian": a.astype(a.dtype.newbyteorder(">")),
        "little endian": a.astype(a.dtype.newbyteorder("<")),
        "strided big endian": spread.astype(a.dtype.newbyteorder(">"))[: 3 * len(a) : 3],
    }
