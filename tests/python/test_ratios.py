"""Ratios of sums beside fractions: weighted means, cosines, distances, covariances, correlations, lines, standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from element_types import dtype_of
from hypothesis import given
from hypothesis import strategies as st
from reference import bits, rounded, rounded_root

import exactdot as xd

RATIOS = ("weighted_mean", "cosine", "distance", "cov", "corr", "slope", "intercept")


def expected(name: str, x: Any, y: Any, dtype: str, ddof: int = 1) -> float:
    """The contract's quotient in fractions."""
    a, b = [Fraction(float(each)) for each in x], [Fraction(float(each)) for each in y]
    n = len(a)
    sx, sy, xx, yy = sum(a), sum(b), sum(v * v for v in a), sum(v * v for v in b)
    xy = sum(v * w for v, w in zip(a, b))
    comoment, of_x, of_y = n * xy - sx * sy, n * xx - sx * sx, n * yy - sy * sy
    if name == "standard_error":
        return rounded_root(Fraction(of_x, n * n * (n - ddof)), dtype) if n > ddof else math.nan
    if name == "distance":
        return rounded_root(Fraction(xx - 2 * xy + yy), dtype)
    above, below = {"weighted_mean": (xy, sy), "cosine": (xy, xx * yy), "cov": (comoment, n * (n - ddof)), "slope": (comoment, of_x),
                    "corr": (comoment, of_x * of_y), "intercept": (sy * xx - sx * xy, of_x)}[name]
    if below == 0 or (name == "cov" and n <= ddof):
        return math.nan
    if name in ("cosine", "corr"):
        root = rounded_root(Fraction(above) ** 2 / below, dtype)
        return -root if above < 0 else root
    return rounded(Fraction(above) / below, dtype)


numbers = st.one_of(st.integers(-9, 9).map(float), st.floats(-1e3, 1e3, width=32), st.floats(2.0**-100, 2.0**-60, width=32))


@given(st.sampled_from(RATIOS), st.lists(st.tuples(numbers, numbers), max_size=20), st.sampled_from(["float16", "float32", "float64"]),
       st.sampled_from(["float32", "float64", "bfloat16"]))
def test_ratios(name: str, pairs: list[tuple[float, float]], dtype: str, result: str) -> None:
    x, y = np.array([each[0] for each in pairs], dtype), np.array([each[1] for each in pairs], dtype)
    call: Callable[..., Any] = getattr(xd, name)
    assert bits(float(call(x, y))) == bits(expected(name, x, y, dtype))
    assert bits(float(call(x, y, dtype=result))) == bits(expected(name, x, y, result))
    sem = xd.standard_error(x, ddof=0)
    assert bits(float(sem)) == bits(expected("standard_error", x, x, dtype, 0))


@pytest.mark.parametrize("name", RATIOS)
def test_shapes(name: str) -> None:
    random = np.random.default_rng(7)
    call, of_segments, of_groups = (getattr(xd, prefix + name) for prefix in ("", "segment_", "group_"))
    for dtype in ("float16", "bfloat16", "float32", "float64", "int8", "int64"):
        x, y = (random.integers(-9, 9, (6, 7)).astype(dtype_of(dtype)) for _ in range(2))
        for axis in (0, 1, -1):
            found = call(x, y, axis=axis)
            a, b = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
            assert [bits(float(each)) for each in found] == [bits(float(call(v, w))) for v, w in zip(a, b)]
            assert call(x, y, axis=axis, keepdims=True).shape == found[..., None].shape if axis else (1, 7)
            weights = b[0].copy()  # one vector goes along the axis
            assert [bits(float(each)) for each in call(x, weights, axis=axis)] == [bits(float(call(v, weights))) for v in a]
        assert bits(float(call(x, y))) == bits(float(call(x.reshape(-1), y.reshape(-1))))
        assert call(x, y, keepdims=True).shape == (1, 1)
        flat, other = x.reshape(-1), y.reshape(-1)
        offsets = [0, 3, 3, 20, 42]
        parts = [call(flat[i:k], other[i:k]) for i, k in zip(offsets, offsets[1:])]
        assert [bits(float(each)) for each in of_segments(flat, other, offsets)] == [bits(float(each)) for each in parts]
        keys = random.integers(0, 4, 42)
        parts = [call(flat[keys == k], other[keys == k]) for k in range(5)]
        assert [bits(float(each)) for each in of_groups(flat, other, keys, 5)] == [bits(float(each)) for each in parts]
        columns = of_groups(x, y, [0, 1, 0, 1, 0, 7], 2, skip_out_of_range=True)
        assert columns.shape == (2, 7) and bits(float(columns[1, 3])) == bits(float(call(x[[1, 3], 3], y[[1, 3], 3])))
    out = np.empty(6, "f4")
    assert call(x.astype("f8"), y.astype("f8"), axis=1, out=out) is out


def test_values_that_rounding_each_step_misses() -> None:
    ones = np.ones(2, "f4")
    assert xd.cosine(ones, ones) == 1 < xd.dot(ones, ones) / (xd.norm(ones) * xd.norm(ones))
    assert xd.weighted_mean([0.1, 0.1], [1.0, 2.0]) == 0.1 != xd.dot([0.1, 0.1], [1.0, 2.0]) / xd.sum([1.0, 2.0])
    x = np.array([1e9, 1e9 + 1, 1e9 + 2])
    assert xd.cov(x, x) == xd.var(x, ddof=1) == 1 and xd.cov(x, x, ddof=0) == xd.var(x)
    assert xd.corr(x, 3 * x) == 1 and xd.corr(x, -x) == -1 and xd.standard_error(x) == xd.standard_error(x, correction=1)
    matrix = np.random.default_rng(1).normal(size=(50, 4))
    found = xd.cov(matrix[:, :, None], matrix[:, None, :], axis=0)
    assert np.array_equal(found, found.T) and np.abs(found - np.cov(matrix.T)).max() <= 1e-14
    assert np.array_equal(xd.corr(matrix[:, :, None], matrix[:, None, :], axis=0).diagonal(), np.ones(4))


def test_types_mix() -> None:
    x, counts = np.array([1, 2, 4], "f4"), np.array([1, 1, 2])
    assert xd.weighted_mean(x, counts) == 2.75 and xd.weighted_mean(counts, x, dtype="f8") == xd.weighted_mean([1.0, 1, 2], [1, 2, 4])
    assert xd.weighted_mean(x.reshape(1, 3), counts, axis=1).dtype == np.float32
    assert xd.weighted_mean(x, [True, False, True]) == 2.5 and xd.weighted_mean(x.tolist(), (1, 1, 2)) == 2.75
    assert xd.weighted_mean([math.inf, 1.0], np.array([1, 5])) == math.inf and xd.group_weighted_mean([math.inf, 1.0], np.array([1, 5]), [0, 0])[0] == math.inf
    assert math.isnan(xd.weighted_mean([math.inf, 1.0], np.array([0, 5]))) and xd.weighted_mean([-math.inf, 1.0], np.array([2**60, 1])) == -math.inf
    a, b = np.array([1, 2, 4], "f4"), np.array([1, 3, 4], "i4")
    assert xd.corr(a, b) == xd.corr(b, a) == np.float32(xd.corr(a, b))
    odd = 2**53 + 1  # no double
    assert xd.weighted_mean([1.0, 0.0], np.array([odd, 2 - odd])) == 2.0**52
    assert xd.weighted_mean([1, 2], np.array([odd, 0])) == 1


def test_wrong_arguments() -> None:
    x = np.ones((2, 3))
    wrong: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: xd.cov(x), TypeError, "^cov: argument 'y' is missing"),
        (lambda: xd.weighted_mean(x), TypeError, "^weighted_mean: argument 'weights' is missing"),
        (lambda: xd.cosine(x, x, 1), TypeError, "^cosine: 3 positional arguments; use two arrays and keyword arguments"),
        (lambda: xd.cosine(x, x, mode="fast"), TypeError, "^cosine: unknown argument 'mode'"),
        (lambda: xd.corr(x, x.T), ValueError, "^corr: the shapes differ; name the axis along which the vectors lie"),
        (lambda: xd.corr(x, x.T, axis=1), ValueError, "^corr: the vectors differ in length: 3 and 2"),
        (lambda: xd.corr(x, x, axis=2), ValueError, "^corr: axis is 2, the array has 2 dimensions"),
        (lambda: xd.corr(x[0], x[0], axis=1), ValueError, "^corr: axis is 1, the array has 1 dimension"),
        (lambda: xd.corr(x[0], x[0], axis="a"), TypeError, "^corr: axis is a; use an integer"),
        (lambda: xd.corr(x, x, axis=(0, 1)), TypeError, "^corr: axis is a tuple; use an integer"),
        (lambda: xd.cov(x, x, ddof=-1), ValueError, "^cov: ddof is -1; use 0 or more"),
        (lambda: xd.cov(x, x, ddof=0.5), ValueError, "^cov: ddof is a fraction, which only var and std take; use an integer"),
        (lambda: xd.slope(x, x, dtype="i8"), ValueError, "^slope: the result type is int64; use a floating-point type"),
        (lambda: xd.slope([1.0, None], [1.0, 2.0]), TypeError, "^slope: x: .*None"),
        (lambda: xd.slope([Fraction(1, 3), 2], [1.0, 2.0]), TypeError, "^slope: x: "),
        (lambda: xd.group_corr([1.0, 2], [1.0, 2], [0, 3], 2), ValueError, "^group_corr: .*key"),
        (lambda: xd.group_corr([1.0, 2], [1.0, 2, 3], [0, 1]), ValueError, "^group_corr: "),
        (lambda: xd.segment_cov([1.0, 2], [1.0, 2], [0, 3]), ValueError, "^segment_cov: offset 1 is 3, past the end"),
        (lambda: xd.cosine(x, x, axis=1, out=np.zeros(3)), ValueError, "^cosine: out has shape"),
        (lambda: xd.states("corr", x[0], x[0]), TypeError, '^states: b is for "dot" only'),
        (lambda: xd.states("standard_error", x[0]), ValueError, "^states: standard_error has no states; those of its sums"),
    ]
    for call, kind, message in wrong:
        with pytest.raises(kind, match=message):
            call()


def test_special_values() -> None:
    x = np.array([1.0, 2.0])
    far = np.array([np.inf, 1.0])
    assert math.isnan(xd.weighted_mean(x, [1.0, -1.0])) and math.isnan(xd.weighted_mean([], [])) and math.isnan(xd.cosine([], []))
    assert xd.distance([], []) == 0 and xd.distance(far, x) == np.inf and math.isnan(xd.distance(far, far))
    assert xd.weighted_mean(far, x) == np.inf and math.isnan(xd.corr(far, x)) and math.isnan(xd.cov([1.0], [1.0]))
    assert xd.weighted_mean([1.0, 2.0], [2.0, -1.0]) == 0
