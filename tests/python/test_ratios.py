"""Ratios of sums beside fractions: weighted means and variances, cosines, distances, covariances, correlations, lines, standard
errors, variances about given means; matrices of covariances."""

from __future__ import annotations

import math
import pickle
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

RATIOS = ("weighted_mean", "weighted_var", "weighted_std", "cosine", "distance", "cov", "corr", "slope", "intercept")


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
    if name.startswith("weighted_") and name != "weighted_mean":
        variance = Fraction(sy * sum(v * v * w for v, w in zip(a, b)) - xy * xy, sy * (sy - ddof)) if sy * (sy - ddof) > 0 else None
        if variance is None or (name == "weighted_std" and variance < 0):
            return math.nan
        return rounded(variance, dtype) if name == "weighted_var" else rounded_root(variance, dtype)
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
    ddof = {"ddof": 1} if name.startswith("weighted_") and name != "weighted_mean" else {}
    assert bits(float(call(x, y, **ddof))) == bits(expected(name, x, y, dtype))
    assert bits(float(call(x, y, dtype=result, **ddof))) == bits(expected(name, x, y, result))
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


def test_weighted_variances() -> None:
    random = np.random.default_rng(3)
    for value in (0.1, 1e300, 5e-324, -1e-200):
        x, weights = np.full(7, value), random.normal(size=7)
        assert bits(xd.weighted_var(x, weights)) == bits(0.0) == bits(xd.weighted_std(x, weights))
    x, counts = random.normal(size=20), random.integers(0, 5, 20)
    for ddof in (0, 1, 2):
        assert xd.weighted_var(x, counts, ddof=ddof) == xd.var(np.repeat(x, counts), ddof=ddof)
        assert xd.weighted_std(x, counts, correction=ddof) == xd.std(np.repeat(x, counts), ddof=ddof)
    assert xd.weighted_var([1.0, 2.0], [-1.0, 3.0]) == -0.75 and math.isnan(xd.weighted_std([1.0, 2.0], [-1.0, 3.0]))
    assert math.isnan(xd.weighted_var([1.0, 2.0], [1.0, -1.0])) and math.isnan(xd.weighted_var([1.0, 2.0], [0.5, 0.5], ddof=1))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int64"])
def test_variances_about_a_mean(dtype: str) -> None:
    random = np.random.default_rng(4)
    x = random.integers(-9, 9, (4, 5, 6)).astype(dtype_of(dtype))
    result = dtype if "float" in dtype else "float64"

    def about(values: Any, mean: Any, ddof: int) -> tuple[float, float]:
        above = sum((Fraction(float(v)) - Fraction(float(m))) ** 2 for v, m in zip(values, mean))
        n = len(values) - ddof
        return (rounded(above / n, result), rounded_root(above / n, result)) if n > 0 else (math.nan, math.nan)

    for ddof in (0, 2, 5):
        for mean in (0.1, -3, np.float32(2.5), np.array(7)):
            for call, which in ((xd.var, 0), (xd.std, 1)):
                flat = x.reshape(-1)
                assert bits(float(call(flat, mean=mean, ddof=ddof))) == bits(about(flat, [mean] * flat.size, ddof)[which])
                assert float(call(x, mean=mean)) == float(call(flat, mean=mean)) == float(call(list(flat.astype("f8")), mean=mean, dtype=result))
                found = call(x, axis=1, mean=mean, ddof=ddof)
                assert found.shape == (4, 6) and bits(float(found[2, 3])) == bits(about(x[2, :, 3], [mean] * 5, ddof)[which])
    means = x.astype("f8").mean(axis=(0, 2), keepdims=True)
    found = xd.var(x, axis=(0, 2), mean=means, keepdims=True)
    assert found.shape == (1, 5, 1) and bits(float(found[0, 1, 0])) == bits(about(x[:, 1].reshape(-1), [means[0, 1, 0]] * 24, 0)[0])
    segments = xd.segment_std(x[0, 0], [0, 4, 6], mean=1, ddof=1)
    assert [bits(float(each)) for each in segments] == [bits(about(part, [1] * len(part), 1)[1]) for part in (x[0, 0, :4], x[0, 0, 4:])]
    grouped = xd.group_var(x[0], [0, 1, 0, 1, 1], mean=0.5)
    assert grouped.shape == (2, 6) and bits(float(grouped[1, 2])) == bits(about(x[0, [1, 3, 4], 2], [0.5] * 3, 0)[0])
    mask = random.random(6) < 0.5
    assert bits(float(xd.var(x[0, 0], mean=1, where=mask))) == bits(about(x[0, 0][mask], [1] * mask.sum(), 0)[0])


def test_matrices() -> None:
    x = np.random.default_rng(5).normal(size=(40, 6)).astype("f4")
    x[:, 2] = 0.1
    for call, ddof in ((xd.cov, {"ddof": 0}), (xd.cov, {}), (xd.corr, {})):
        found = call(x, rowvar=False, **ddof)
        assert found.shape == (6, 6) and found.dtype == np.float32 and np.array_equal(found, found.T, equal_nan=True)
        assert np.array_equal(found, call(x[:, :, None], x[:, None, :], axis=0, **ddof), equal_nan=True)
        assert np.array_equal(found, call(x.T, **ddof), equal_nan=True)
        assert np.array_equal(found, call(x.T, None, rowvar=True, threads=2, dtype="f8").astype("f4"), equal_nan=True) or ddof
    assert np.array_equal(xd.cov(x, rowvar=False).diagonal(), xd.var(x, axis=0, ddof=1))
    assert np.array_equal(xd.corr(x, rowvar=False).diagonal(), [1, 1, np.nan, 1, 1, 1], equal_nan=True)
    assert np.abs(xd.cov(x, dtype="f8") - np.cov(x.astype("f8"))).max() <= 1e-14
    assert xd.cov(x[:, 0]) == xd.var(x[:, 0], ddof=1) and xd.corr(x[:, 0]) == 1 and xd.cov(x[:, 0], out=...).shape == ()
    out = np.empty((6, 6))
    assert xd.cov(x, rowvar=False, out=out) is out and np.array_equal(out, xd.cov(x, rowvar=False, dtype="f8"))
    assert xd.cov(np.ones((0, 3))).shape == (0, 0) and np.isnan(xd.cov(np.ones((2, 0)))).all()
    assert xd.cov([[1, 2], [3, 5]]).tolist() == [[0.5, 1], [1, 2]]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64"])
def test_merged_moments(dtype: str) -> None:
    random = np.random.default_rng(6)
    x, y = (random.integers(-99, 99, 50).astype(dtype_of(dtype)) for _ in range(2))
    parts = []
    for i in range(0, 50, 20):
        part = xd.BivariateMoments(dtype)
        part.add(x[i : i + 20], y[i : i + 20], threads=2)
        parts.append(pickle.loads(pickle.dumps(part)))
        assert parts[-1] == part == part.copy() and repr(part).startswith("<exactdot.BivariateMoments of ")
    total = xd.BivariateMoments.from_words(sum(part.words for part in parts[1:]), dtype)
    total += parts[0]
    assert total == parts[0] + parts[1] + parts[2] and total.count == 50 and total.dtype == dtype
    for ddof in (0, 1, 50):
        assert bits(total.cov(ddof)) == bits(float(xd.cov(x, y, ddof=ddof)))
    for name in ("corr", "slope", "intercept", "cosine", "distance", "weighted_mean"):
        assert bits(getattr(total, name)()) == bits(float(getattr(xd, name)(x, y)))
        assert bits(getattr(total, name)(dtype="bfloat16")) == bits(float(getattr(xd, name)(x, y, dtype="bfloat16")))
    wide = xd.BivariateMoments()
    wide.merge(total)
    assert wide.corr(dtype="float32") == total.corr(dtype="float32") and (wide + total).dtype == "float64"
    before = wide.words
    for wrong, kind, message in (((x, y[1:]), ValueError, "^BivariateMoments.add: the vectors differ in length"), ((x, None), TypeError, "^BivariateMoments.add: y: ")):
        with pytest.raises(kind, match=message):
            wide.add(*wrong)
    assert np.array_equal(before, wide.words)
    with pytest.raises(ValueError, match="ddof is -1"):
        wide.cov(-1)
    with pytest.raises(ValueError, match="^BivariateMoments: 3 words"):
        xd.BivariateMoments.from_words([1, 2, 3])
    if dtype != "float64":
        with pytest.raises(TypeError, match="^BivariateMoments: these moments are of"):
            total.merge(wide)


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
        (lambda: xd.slope(x), TypeError, "^slope: argument 'y' is missing"),
        (lambda: xd.cov(x, axis=0), ValueError, "^cov: axis is for two arrays; pass y, or rowvar for the matrix of x"),
        (lambda: xd.corr(x, skip_nan=True), ValueError, "^corr: skip_nan is for two arrays"),
        (lambda: xd.cov(x, x, rowvar=False), ValueError, "^cov: rowvar is for the matrix of one array; name the axis of two"),
        (lambda: xd.cov(x, rowvar=1), TypeError, "^cov: rowvar is 1; use True or False"),
        (lambda: xd.cov(np.ones((2, 2, 2))), ValueError, "^cov: x has 3 dimensions; use a vector or a matrix"),
        (lambda: xd.cov(x, out=np.zeros((3, 3))), ValueError, "^cov: out has shape"),
        (lambda: xd.var(x, mean=np.zeros(2)), ValueError, "^var: mean does not broadcast to the shape of x"),
        (lambda: xd.std(x[0], mean=x), ValueError, "^std: mean has more dimensions than x"),
        (lambda: xd.var(x, mean="a"), TypeError, "^var: mean: "),
        (lambda: xd.var(x, mean=0.0, ddof=0.5), ValueError, "^var: ddof is a fraction, which only var and std take, without mean"),
        (lambda: xd.var(x, mean=0.0, mode="fast"), ValueError, "^var: mode"),
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
        (lambda: xd.cov(x, x, ddof=0.5), ValueError, "^cov: ddof is a fraction, which only var and std take, without mean; use an integer"),
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
