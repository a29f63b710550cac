"""Measures the relative error of Python's methods for dot products, over the condition number.

python bench/python/accuracy.py [--json FILE] prints a line for each power of ten. The test data come from algorithm 6.1
of Ogita, Rump and Oishi, "Accurate sum and dot product": half of the elements have random exponents, each of the others
is chosen to cancel the sum so far. The exact results are computed by `fractions`.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
from fractions import Fraction
from typing import Any, Callable

import exactdot as xd
import numpy as np

N = 100
CONDITIONS = [10.0**exponent for exponent in range(0, 61)]


def exact(a: list[float], b: list[float]) -> Fraction:
    return sum((Fraction(x) * Fraction(y) for x, y in zip(a, b)), Fraction(0))


def ill_conditioned(n: int, condition: float, source: random.Random) -> tuple[np.ndarray, np.ndarray]:
    """Two vectors whose dot product has about this condition number."""
    bits = math.log2(condition)
    half = n // 2
    exponents = [round(source.uniform(0, bits / 2)) for _ in range(half)]
    exponents[0], exponents[-1] = round(bits / 2) + 1, 0
    a = [source.uniform(-1, 1) * 2.0**e for e in exponents]
    b = [source.uniform(-1, 1) * 2.0**e for e in exponents]
    total = exact(a, b)
    for e in np.linspace(bits / 2, 0, n - half).round().tolist():
        x = source.uniform(-1, 1) * 2.0**e
        y = float((Fraction(source.uniform(-1, 1) * 2.0**e) - total) / Fraction(x))
        a.append(x)
        b.append(y)
        total += Fraction(x) * Fraction(y)
    order = list(range(n))
    source.shuffle(order)
    return np.array(a)[order], np.array(b)[order]


def dot2(a: np.ndarray, b: np.ndarray) -> float:
    """Dot2 of Ogita, Rump and Oishi, with TwoSum and TwoProduct (by splitting): as accurate as in twice the precision."""
    def split(x: float) -> tuple[float, float]:
        scaled = 134217729.0 * x
        high = scaled - (scaled - x)
        return high, x - high

    total = error = 0.0
    for x, y in zip(a.tolist(), b.tolist()):
        product = x * y
        (xh, xl), (yh, yl) = split(x), split(y)
        product_error = xl * yl - (((product - xh * yh) - xl * yh) - xh * yl)
        new = total + product
        back = new - total
        error += (total - (new - back)) + (product - back) + product_error
        total = new
    return total + error


METHODS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "naive": lambda a, b: float(np.cumsum(a * b)[-1]),
    "numpy.sum(a * b)": lambda a, b: float(np.sum(a * b)),
    "numpy.dot": lambda a, b: float(np.dot(a, b)),
    "Dot2": dot2,
    "math.fsum": lambda a, b: math.fsum((a * b).tolist()),
    "exactdot": xd.dot,
}
if hasattr(math, "sumprod"):
    METHODS["math.sumprod"] = lambda a, b: math.sumprod(a.tolist(), b.tolist())


def measure() -> list[dict[str, Any]]:
    source = random.Random(1)
    points = []
    for condition in CONDITIONS:
        a, b = ill_conditioned(N, condition, source)
        reference = exact(a.tolist(), b.tolist())
        magnitude = sum(abs(Fraction(x) * Fraction(y)) for x, y in zip(a.tolist(), b.tolist()))
        errors = {name: float(abs((Fraction(dot(a, b)) - reference) / reference)) for name, dot in METHODS.items()}
        points.append({"condition": float(2 * magnitude / abs(reference)), "errors": errors})
    return points


def show(points: list[dict[str, Any]]) -> None:
    print("condition".rjust(9), *(name.rjust(16) for name in METHODS))
    for point in points:
        print(f"{point['condition']:9.1e}", *(f"{point['errors'][name]:16.1e}" for name in METHODS))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", metavar="FILE", help="also write the results to this file")
    chosen = parser.parse_args()
    results: dict[str, Any] = {"n": N, "python": platform.python_version(), "numpy": np.__version__,
                               "accuracy": measure()}
    show(results["accuracy"])
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
