"""Prefix sums and moving windows: each result has the bits of the function on its elements alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from element_types import dtype_of
from reference import bits

import exactdot as xd

KINDS = ("sum", "mean", "var", "std")
TYPES = ("float64", "float32", "float16", "bfloat16", ">f8", "int8", "uint32", "int64", "bool")


def elements(random: np.random.Generator, n: int, dtype: str, spread: int = 20) -> Any:
    kind = np.dtype(dtype) if dtype[0] == ">" else dtype_of(dtype)
    if kind.kind in "iub":
        return random.integers(0 if kind.kind in "ub" else -100, 2 if kind.kind == "b" else 100, n).astype(kind)
    return (random.normal(size=n) * 2.0 ** random.integers(-spread, 3, n)).astype(kind)


def result_type(kind: str, x: Any) -> str:
    return "float64" if x.dtype.kind in "iub" else ""


def expected(kind: str, x: Any, window: int, least: int, skip: bool = False, **options: Any) -> list[float]:
    call: Callable[..., Any] = getattr(xd, kind)
    found = []
    for i in range(len(x)):
        part = x[max(0, i + 1 - window):i + 1]
        if skip:
            part = part[~np.isnan(part.astype("f8"))]
        dtype = {"dtype": "float64"} if x.dtype.kind in "iub" else {}
        found.append(float(call(part, **dtype, **options)) if len(part) >= least else math.nan)
    return found


def same(found: Any, values: list[float]) -> bool:
    return [bits(float(each)) for each in np.asarray(found).ravel()] == [bits(each) for each in values]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_windows(kind: str, dtype: str) -> None:
    random = np.random.default_rng(3)
    roll = getattr(xd, f"rolling_{kind}")
    for n, spread in ((0, 1), (1, 1), (50, 2), (600, 30)):
        x = elements(random, n, dtype, spread)
        for window in (1, 2, 5, 49, 1000):
            for least in {min(window, n), 0, 1, window}:
                assert same(roll(x, window, min_periods=least), expected(kind, x, window, least))
        assert same(roll(x[::-1], 3), expected(kind, x[::-1].copy(), 3, 3))
        assert roll(x, 4).dtype == (np.dtype("f8") if x.dtype.kind in "iub" else x.dtype.newbyteorder("="))
        assert same(roll(x, 4, dtype="float32"), [float(np.float32(each)) if math.isnan(each) else each for each in
                                                  expected_as(kind, x, 4, "float32")])


def expected_as(kind: str, x: Any, window: int, dtype: str) -> list[float]:
    call = getattr(xd, kind)
    return [float(call(x[i + 1 - window:i + 1], dtype=dtype)) if i + 1 >= window else math.nan for i in range(len(x))]


@pytest.mark.parametrize("kind", KINDS)
def test_hard_windows(kind: str) -> None:
    """Sums that cancel, ties, every exponent, constants, and windows that NaNs and infinities enter and leave."""
    random = np.random.default_rng(4)
    roll = getattr(xd, f"rolling_{kind}")
    wide = random.normal(size=400) * 2.0 ** random.integers(-1060, 1000, 400)
    cancels = np.concatenate([np.array([1e100, 1.0, -1e100, 3.0] * 50), random.normal(size=100)])
    ties = random.integers(0, 4, 300) * 2.0**52 + random.integers(0, 2, 300) * 0.5
    special = random.normal(size=300)
    special[random.random(300) < 0.05] = np.nan
    special[random.random(300) < 0.05] = np.inf
    special[random.random(300) < 0.03] = -np.inf
    with_nans = random.normal(size=300)
    with_nans[random.random(300) < 0.3] = np.nan
    for x in (wide, cancels, ties, np.full(100, 0.1), np.zeros(50), -np.zeros(50), special, with_nans, np.full(40, np.nan)):
        for window in (1, 3, 17, 250):
            assert same(roll(x, window), expected(kind, x, window, window))
            assert same(roll(x, window, min_periods=2 if window > 1 else 1, skip_nan=True),
                        expected(kind, x, window, 2 if window > 1 else 1, True))
    if kind in ("var", "std"):
        x = random.normal(size=60)
        assert same(roll(x, 5, ddof=1), expected(kind, x, 5, 5, ddof=1)) and np.isnan(roll(x, 2, ddof=2)).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_prefixes(dtype: str) -> None:
    random = np.random.default_rng(5)
    for n in (0, 1, 700):
        x = elements(random, n, dtype, 25)
        found = xd.cumsum(x)
        assert found.dtype == (np.asarray(xd.sum(x, out=...)).dtype if n else found.dtype)
        assert [bits(float(each)) for each in found] == [bits(float(xd.sum(x[:i + 1]))) for i in range(n)]
    x = elements(random, 60, dtype, 3).reshape(3, 4, 5)
    assert np.array_equal(xd.cumsum(x), xd.cumsum(x.reshape(-1)))
    for axis in range(3):
        lines = np.moveaxis(xd.cumsum(x, axis), axis, -1).reshape(-1, x.shape[axis])
        for line, given in zip(lines, np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])):
            assert np.array_equal(line, xd.cumsum(given))
        assert np.array_equal(xd.rolling_mean(x, 2, axis=axis, min_periods=1), np.moveaxis(np.stack(
            [xd.rolling_mean(line, 2, min_periods=1) for line in np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])]).reshape(
                np.moveaxis(x, axis, -1).shape), -1, axis))


def test_integers() -> None:
    big = np.array([2**62, 2**62, -2**62, 2**62], "i8")
    with pytest.raises(OverflowError, match="^cumsum: result 1 does not fit into int64"):
        xd.cumsum(big)
    assert xd.cumsum(big, dtype="f8").tolist() == [2.0**62, 2.0**63, 2.0**62, 2.0**63]
    assert xd.cumsum(np.array([1, 2], "u1")).dtype == np.uint64 and xd.cumsum([True, True]).tolist() == [1, 2]
    assert xd.rolling_sum(np.array([2**53 + 1, -2**53], "i8"), 2).tolist()[1] == 1
    with pytest.raises(ValueError, match="^rolling_var: element 0 has more than 53 bits"):
        xd.rolling_var(np.array([2**53 + 1, 2], "i8"), 2)


def test_arguments() -> None:
    x = np.arange(6.0)
    assert xd.cumsum([[1.0, 2.0], [3.0, 4.0]]).tolist() == [1, 3, 6, 10] and xd.cumsum(5.0).tolist() == [5]
    assert xd.cumsum(np.arange(24.0).reshape(2, 3, 4)[::-1, :, ::2]).tolist() == np.cumsum(np.arange(24.0).reshape(2, 3, 4)[::-1, :, ::2]).tolist()
    assert xd.cumsum(np.zeros((0, 3))).tolist() == [] and xd.cumsum([[1.0, 2.0], [3.0, 4.0]], axis=1).tolist() == [[1, 3], [3, 7]]
    out = np.empty(6, "f4")
    assert xd.rolling_sum(x, 2, out=out) is out and out.tolist()[1:] == [1, 3, 5, 7, 9]
    assert xd.cumsum(x.astype("f4"), out=np.empty((2, 6)).T[:, 1]).tolist() == [0, 1, 3, 6, 10, 15]
    assert xd.cumsum([1e100, 1.0, -1e100, 2.0]).tolist() == [1e100, 1e100, 1, 3]
    wrong: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: xd.rolling_sum(x, 0), ValueError, "^rolling_sum: window is 0; use 1 or more"),
        (lambda: xd.rolling_sum(x, -1), ValueError, "^rolling_sum: window is -1; use 1 or more"),
        (lambda: xd.rolling_sum(x, 2.0), TypeError, "^rolling_sum: window is 2.0; use an integer"),
        (lambda: xd.rolling_sum(x, 2, min_periods=3), ValueError, "^rolling_sum: min_periods is 3, more than the window of 2"),
        (lambda: xd.rolling_sum(x, 2, skip_nan=1), TypeError, "^rolling_sum: skip_nan is 1; use"),
        (lambda: xd.rolling_var(x, 2, ddof=-1), ValueError, "^rolling_var: ddof is -1"),
        (lambda: xd.rolling_var(x, 2, ddof=0.5), ValueError, "^rolling_var: ddof is a fraction"),
        (lambda: xd.rolling_mean(x, 2, axis=1), ValueError, "^rolling_mean: axis is 1, the array has 1 dimension"),
        (lambda: xd.rolling_mean(5.0, 2), ValueError, "^rolling_mean: x has no dimension"),
        (lambda: xd.rolling_mean(x, 2, dtype="i8"), ValueError, "^rolling_mean: the result type is int64; use a floating-point type"),
        (lambda: xd.rolling_sum(np.arange(3), 2, dtype="i8"), ValueError, "^rolling_sum: the result type is int64"),
        (lambda: xd.cumsum(np.arange(3), dtype="i4"), ValueError, "^cumsum: the result type is int32; use int64"),
        (lambda: xd.cumsum(x, out=x), ValueError, "^cumsum: results lie within x"),
        (lambda: xd.cumsum(x, out=np.empty(5)), ValueError, "^cumsum: out has shape"),
        (lambda: xd.rolling_sum(x, True), TypeError, "^rolling_sum: window is True; use an integer"),
        (lambda: xd.cumsum(x, out=np.lib.stride_tricks.as_strided(np.empty(1), (6,), (0,))), ValueError, "^cumsum: results would overwrite"),
        (lambda: xd.cumsum(["a"]), TypeError, "^cumsum: x: "),
        (lambda: xd.cumsum([1j]), TypeError, "^cumsum: x: "),
    ]
    for call, kind, message in wrong:
        with pytest.raises(kind, match=message):
            call()
    assert xd.rolling_sum(x, 10**30, min_periods=1).tolist() == xd.cumsum(x).tolist()


def test_beside_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    x = np.random.default_rng(6).normal(size=500)
    x[::17] = np.nan
    column = pandas.Series(x)
    for window, least in ((5, 5), (5, 1), (30, 10)):
        roll = column.rolling(window, min_periods=least)
        for kind, options in (("sum", {}), ("mean", {}), ("var", {"ddof": 0}), ("std", {"ddof": 0})):
            found = getattr(xd, f"rolling_{kind}")(column, window, min_periods=least, skip_nan=True)
            assert np.allclose(found, getattr(roll, kind)(**options), equal_nan=True, atol=1e-12)


def test_nulls_of_columns() -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    expected = [1, 1, 3, 7]
    for x in (pandas.Series([1, None, 3, 4], dtype="Int64"), pandas.Series([1, None, 3, 4], dtype="Float32"), polars.Series([1, None, 3, 4]),
              polars.Series([1.0, None, 3.0, 4.0]), pyarrow.array([1, None, 3, 4]), pyarrow.chunked_array([[1, None], [3, 4]])):
        assert xd.rolling_sum(x, 2, min_periods=1, skip_nan=True).tolist() == expected
        with pytest.raises(ValueError, match="^rolling_sum: x: holds 1 null, at index 1"):
            xd.rolling_sum(x, 2)
    with pytest.raises(ValueError, match="^rolling_sum: x: holds nulls, and integers beyond"):
        xd.rolling_sum(polars.Series([2**53 + 1, None]), 2, skip_nan=True)
    with pytest.raises(TypeError, match="^rolling_sum: x: "):
        xd.rolling_sum(polars.Series(["a", None]), 2, skip_nan=True)
    flags = polars.Series([True, None, True])
    assert xd.rolling_mean(flags, 2, min_periods=1, skip_nan=True).tolist() == [1, 1, 1]
    assert xd.rolling_sum(iter([1.0, 2.0, 3.0]), 2, min_periods=1, skip_nan=True).tolist() == [1, 3, 5]
    with pytest.raises(TypeError, match="^rolling_sum: x: no element type holds all columns exactly"):
        xd.rolling_sum(pandas.DataFrame({"a": pandas.array([1, None], "Int64"), "b": [1.5, 2.0]}), 2, axis=0, skip_nan=True)
    for x in (pandas.NA, pyarrow.scalar(1.5)):
        with pytest.raises((TypeError, ValueError), match="^rolling_sum: x: "):
            xd.rolling_sum(x, 2, skip_nan=True)
