"""The expected results: exact values by `fractions`, rounded once; and strategies for difficult vectors."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

# significant bits, the last place of the subnormals as a power of two, the first number beyond the range
FORMATS = {"float16": (11, -24, 2**16), "bfloat16": (8, -133, 2**128), "float32": (24, -149, 2**128),
           "float64": (53, -1074, 2**1024), "float8_e4m3fn": (4, -9, 480), "float8_e5m2": (3, -16, 2**16)}


def infinity(dtype: str) -> float:
    """Or the NaN that stands for it."""
    return math.nan if dtype == "float8_e4m3fn" else math.inf


def bits(value: float) -> str:
    """The bit pattern: comparing it, NaN equals NaN and +0 differs from -0."""
    return struct.pack(">d", value).hex()


def rounded(value: Fraction, dtype: str) -> float:
    """The value rounded to nearest, ties to even, to the precision and range of dtype."""
    precision, lowest, largest = FORMATS[dtype]
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - precision + 1, lowest)
    result = round(size / unit) * unit  # Python's round takes ties to even
    number = infinity(dtype) if result >= largest else float(result)
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
        return math.nan if len(infinities) == 2 else math.copysign(infinity(dtype), infinities.pop())
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


def rounded_root(value: Fraction, dtype: str) -> float:
    """The root rounded once: of at least 100 bits, and if it is not exact of one more, which decides no tie."""
    scale = max(0, 100 + value.denominator.bit_length() - value.numerator.bit_length() // 2)
    radicand = value * 4**scale
    root = math.isqrt(radicand.numerator // radicand.denominator)
    exact = root * root == radicand
    return rounded(Fraction(2 * root + (0 if exact else 1), 2 ** (scale + 1)), dtype)


def exact_reduction(name: str, values: list[float], dtype: str, ddof: int = 0) -> float | int:
    """What docs/contract.md specifies for a reduction of one vector to a result of dtype."""
    if name.endswith(("min", "max")):
        return extremum(name, values)
    squares = name in ("sum_of_squares", "norm")
    special = sum_of_specials([abs(x) for x in values] if squares or name == "asum" else values)
    if special is not None:
        if math.isinf(special) and dtype in FORMATS:
            special = math.copysign(infinity(dtype), special)
        return math.nan if name in ("var", "std") else special
    terms = [Fraction(x) for x in values]
    total = sum((x * x if squares else abs(x) if name == "asum" else x for x in terms), Fraction(0))
    n = len(values)
    if name in ("mean", "var", "std") and n <= (0 if name == "mean" else ddof):
        return math.nan
    if name in ("var", "std"):
        total = (n * sum((x * x for x in terms), Fraction(0)) - total**2) / (n * (n - ddof))
    elif name == "mean":
        total /= n
    if dtype in FORMATS:
        return (rounded_root if name in ("norm", "std") else rounded)(total, dtype)
    return int(total)


def sum_of_specials(values: list[float]) -> float | None:
    """The sum of values with an infinity or NaN; None if there is none."""
    special = [x for x in values if not math.isfinite(x)]
    if not special:
        return None
    return math.nan if math.isnan(sum(special)) else sum(special)


def extremum(name: str, values: list[float]) -> float | int:
    """IEEE 754-2019 minimum or maximum: NaN wins, -0 < +0; or the lowest index of that element."""
    sign = 1 if name.endswith("min") else -1

    def key(i: int) -> tuple[bool, float, float, int]:
        x = values[i]
        is_nan = math.isnan(x)
        return not is_nan, 0 if is_nan else sign * x, 0 if is_nan else sign * math.copysign(1, x), i

    best = min(range(len(values)), key=key)
    if name.startswith("arg"):
        return best
    return math.nan if math.isnan(values[best]) else values[best]


def plain(a: np.ndarray) -> list[float]:
    """The elements as Python numbers, exactly."""
    return a.tolist() if a.dtype.kind in "iub" else a.astype(np.float64).tolist()


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
