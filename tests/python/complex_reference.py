"""Complex numbers for the tests, and their reductions by rational numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from reference import bits, exact_dot, exact_reduction

PARTS = {"c8": "float32", "c16": "float64", ">c16": "float64"}
OF_PARTS = ("sum", "mean")
OF_PAIRS = ("asum", "sum_of_squares", "norm")


def numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: str, special: bool = False) -> Any:
    """Exponents far apart, and half of the elements the negatives of the others: sums cancel."""
    def reals() -> Any:
        values = random.integers(-2**20, 2**20, shape) * 2.0 ** random.integers(-30, 30, shape)
        flat = values.reshape(-1)
        half = flat.size // 2
        flat[half:2 * half] = -flat[:half][::-1]
        if special and flat.size > 3:
            flat[random.integers(0, flat.size)] = random.choice([np.inf, -np.inf, np.nan])
        return values

    found = np.empty(shape, dtype)
    found.real, found.imag = reals(), reals()
    return found


def same(found: Any, expected: Any) -> bool:
    """The same bits of both parts, whatever the type."""
    found, expected = np.asarray(found, "c16").ravel(), np.asarray(expected, "c16").ravel()
    return found.size == expected.size and all(bits(each.real) == bits(other.real) and bits(each.imag) == bits(other.imag)
                                               for each, other in zip(found.tolist(), expected.tolist()))


def pairs_of(x: Any) -> list[float]:
    return [part for each in x.tolist() for part in (each.real, each.imag)]


def expected_of(name: str, x: Any) -> complex:
    """Of one vector, by rational numbers."""
    part = PARTS[x.dtype.str.replace("<", "").replace(">c8", "c8")]
    if name in OF_PARTS:
        return complex(exact_reduction(name, x.real.tolist(), part), exact_reduction(name, x.imag.tolist(), part))
    return complex(exact_reduction(name, pairs_of(x), part))


def expected_dot(a: Any, b: Any, conjugated: bool) -> complex:
    part = PARTS[a.dtype.str.replace("<", "")]
    left = np.concatenate([a.real, a.imag])
    sign = -1.0 if conjugated else 1.0
    return complex(exact_dot(left, np.concatenate([b.real, -sign * b.imag]), part),
                   exact_dot(left, np.concatenate([b.imag, sign * b.real]), part))
