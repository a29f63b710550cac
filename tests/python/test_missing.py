"""Elements that are left out: where=, skip_nan=, initial= and the nan functions have the results of what stays, alone."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from element_types import dtype_of
from reference import bits, exact_reduction

import exactdot as xd

ONE = ("sum", "asum", "sum_of_squares", "norm", "mean", "var", "std", "min", "max", "standard_error")
INDICES = ("argmin", "argmax")
TWO = ("weighted_mean", "weighted_var", "cosine", "distance", "cov", "corr", "slope", "intercept")
TYPES = ("float64", "float32", "float16", "bfloat16", ">f8", "int16", "int64", "bool", "uint8")


def elements(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    kind = np.dtype(dtype) if dtype[0] == ">" else dtype_of(dtype)
    x = random.integers(0, 2 if dtype == "bool" else 40, shape).astype(kind)
    if "float" in dtype or "f8" in dtype:
        x[random.random(shape) < 0.3] = np.nan
    return x


def is_nan(x: Any) -> Any:
    return np.isnan(x.astype("f8"))


def same(found: Any, expected: list[Any]) -> bool:
    return [bits(float(each)) for each in np.asarray(found, "f8").ravel()] == [bits(float(each)) for each in expected]


@pytest.mark.parametrize("dtype", TYPES)
def test_one_array(dtype: str) -> None:
    random = np.random.default_rng(5)
    for shape in ((57,), (6, 9), (3, 4, 5), (0,), (2500,)):
        x = elements(random, shape, dtype)
        mask = random.random(shape) < 0.6
        for name in ONE:
            call: Callable[..., Any] = getattr(xd, name)
            initial = {"initial": 3} if name in ("min", "max") and dtype != "bool" else {}
            more = [np.array(3).astype(x.dtype)] if initial else []
            if name in ("min", "max") and not initial:
                continue
            for where, skip in ((mask, False), (None, True), (mask, True)):
                stays = (np.ones(shape, bool) if where is None else where) & ~(is_nan(x) & skip)
                expected = call(np.array([*x[stays], *more], x.dtype))
                assert same(call(x, where=where, skip_nan=skip, **initial), [expected]), (name, shape)
                for axis in range(len(shape)):
                    if 0 in shape:
                        continue
                    lines, kept = np.moveaxis(x, axis, -1), np.moveaxis(stays, axis, -1)
                    parts = [call(np.array([*line[keep], *more], x.dtype)) for line, keep in
                             zip(lines.reshape(-1, shape[axis]), kept.reshape(-1, shape[axis]))]
                    assert same(call(x, axis=axis, where=where, skip_nan=skip, **initial), parts)
                    assert call(x, axis=axis, keepdims=True, skip_nan=skip, **initial).shape[axis] == 1
        view = x[..., ::-1]
        assert same(xd.sum(view, where=mask), [xd.sum(np.array(view[mask]))])


@pytest.mark.parametrize("dtype", TYPES)
def test_indices_are_those_of_the_array(dtype: str) -> None:
    random = np.random.default_rng(6)
    for _ in range(20):
        x = elements(random, (7, 8), dtype)
        x[:, 0] = 1
        mask = random.random(x.shape) < 0.7
        mask[:, 0] = True
        for name in INDICES:
            call, least = getattr(xd, name), name == "argmin"
            stays = mask & ~is_nan(x)
            filled = np.where(stays, x.astype("f8"), np.inf if least else -np.inf)
            assert call(x, where=mask, skip_nan=True) == getattr(np, name)(filled)
            assert np.array_equal(call(x, axis=1, where=mask, skip_nan=True), getattr(np, name)(filled, axis=1))
            assert np.array_equal(call(x, axis=0, where=mask, skip_nan=True), getattr(np, name)(filled, axis=0))


@pytest.mark.parametrize("dtype", TYPES)
def test_two_arrays(dtype: str) -> None:
    random = np.random.default_rng(7)
    x, y = elements(random, (6, 30), dtype), elements(random, (6, 30), dtype)
    mask = random.random(x.shape) < 0.8
    nans = is_nan(x) | is_nan(y)
    for name in TWO:
        call = getattr(xd, name)
        for stays, arguments in ((mask, {"where": mask}), (~nans, {"skip_nan": True}), (mask & ~nans, {"where": mask, "skip_nan": True})):
            assert same(call(x, y, **arguments), [call(x[stays], y[stays])])
            assert same(call(x, y, axis=1, **arguments), [call(a[s], b[s]) for a, b, s in zip(x, y, stays)])
    stays = mask & ~nans
    assert same(xd.vecdot(x, y, where=mask, skip_nan=True), [xd.dot(a[s], b[s]) for a, b, s in zip(x, y, stays)])
    for first in (x[0], x[:1]):  # which y's shape repeats, and its mask with it
        assert same(xd.vecdot(first, y, where=mask[0], skip_nan=True),
                    [xd.dot(x[0][s], b[s]) for b in y for s in [mask[0] & ~is_nan(x[0]) & ~is_nan(b)]])
    assert same(xd.dot(x[0], y[0], where=mask[0], skip_nan=True), [xd.dot(x[0][stays[0]], y[0][stays[0]])])
    weights = y[0]
    kept = [~(is_nan(a) | is_nan(weights)) for a in x]
    assert same(xd.weighted_mean(x, weights, axis=1, skip_nan=True), [xd.weighted_mean(a[s], weights[s]) for a, s in zip(x, kept)])
    wide = xd.cov(x[:, :3, None], x[:, None, :3], axis=0, skip_nan=True)  # pairs of columns, as data frames
    for i in range(3):
        for k in range(3):
            s = ~(is_nan(x[:, i]) | is_nan(x[:, k]))
            assert bits(float(wide[i, k])) == bits(float(xd.cov(x[s, i], x[s, k])))


@pytest.mark.parametrize("dtype", TYPES)
def test_segments_and_groups(dtype: str) -> None:
    random = np.random.default_rng(8)
    x, y = elements(random, (90,), dtype), elements(random, (90,), dtype)
    mask = random.random(90) < 0.7
    offsets, keys = [2, 2, 30, 31, 77], random.integers(0, 6, 90)
    stays = mask & ~is_nan(x)
    both = stays & ~is_nan(y)
    for name in ONE:
        initial = {"initial": 1} if name in ("min", "max") else {}
        more = [np.array(1).astype(x.dtype)] if initial else []
        call = getattr(xd, name)
        parts = [call(np.array([*x[i:k][stays[i:k]], *more], x.dtype)) for i, k in zip(offsets, offsets[1:])]
        assert same(getattr(xd, f"segment_{name}")(x, offsets, where=mask, skip_nan=True, **initial), parts)
        parts = [call(np.array([*x[stays & (keys == k)], *more], x.dtype)) for k in range(7)]
        assert same(getattr(xd, f"group_{name}")(x, keys, 7, where=mask, skip_nan=True, **initial), parts)
    for name in TWO:
        call = getattr(xd, name)
        parts = [call(x[i:k][both[i:k]], y[i:k][both[i:k]]) for i, k in zip(offsets, offsets[1:])]
        assert same(getattr(xd, f"segment_{name}")(x, y, offsets, where=mask, skip_nan=True), parts)
        parts = [call(x[both & (keys == k)], y[both & (keys == k)]) for k in range(7)]
        assert same(getattr(xd, f"group_{name}")(x, y, keys, 7, where=mask, skip_nan=True), parts)
    table = elements(random, (40, 3), dtype)
    keys = random.integers(-1, 5, 40)
    found = xd.group_mean(table, keys, 4, skip_nan=True, skip_out_of_range=True)
    kept = ~is_nan(table)
    assert same(found, [xd.mean(table[kept[:, j] & (keys == k), j]) for k in range(4) for j in range(3)])
    places = np.where(stays[2:30])[0]
    assert xd.segment_argmax(x, [2, 30], where=mask, skip_nan=True)[0] == places[int(np.argmax(x[2:30][stays[2:30]].astype("f8")))]


def test_nulls_of_columns() -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    columns = [*(pandas.Series([1, None, 3], dtype=dtype) for dtype in ("Int64", "Float32", "UInt8", "int64[pyarrow]", "float64")),
               polars.Series([1, None, 3]), polars.Series([1.0, None, 3.0]), polars.concat([polars.Series([1, None]), polars.Series([3])], rechunk=False),
               pyarrow.array([1, None, 3]), pyarrow.chunked_array([[1, None], [3]]), pyarrow.array([9, 1, None, 3]).slice(1)]
    for x in columns:
        assert (xd.sum(x, skip_nan=True), xd.mean(x, skip_nan=True), xd.max(x, skip_nan=True)) == (4, 2, 3)
        assert xd.sum(x, skip_nan=True, where=[True, True, False]) == 1 and xd.argmax(x, skip_nan=True) == 2
        assert xd.group_sum(x, [1, 0, 1], 2, skip_nan=True).tolist() == [0, 4]
        assert xd.weighted_mean([5.0, 6.0, 7.0], x, skip_nan=True) == 6.5
        if not (isinstance(x, pandas.Series) and x.dtype == "float64"):
            with pytest.raises(ValueError, match="^sum: x: holds 1 null, at index 1"):
                xd.sum(x, where=[True, False, True])
    for x in (pandas.Series([True, None, True], dtype="boolean"), polars.Series([True, None, True]), pyarrow.array([True, None, True])):
        assert xd.sum(x, skip_nan=True) == 2
    assert xd.sum(pyarrow.nulls(3), skip_nan=True) == 0 and math.isnan(xd.mean(polars.Series([None, None]), skip_nan=True))
    with pytest.raises(ValueError, match="holds 1 null"):
        xd.group_sum([1.0, 2.0], polars.Series([0, None]), 1, skip_nan=True)
    with pytest.raises(ValueError, match="^weighted_mean: a column with nulls beside an array of another shape"):
        xd.weighted_mean(np.ones((2, 3)), polars.Series([1.0, None, 2.0]), axis=1, skip_nan=True)


def frames_of(columns: dict[str, list[Any]]) -> list[Any]:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    kinds = {bool: "boolean", int: "Int32", float: "Float64"}
    kind_of = {name: kinds[type(values[0])] for name, values in columns.items()}
    return [pandas.DataFrame({name: pandas.array(values, dtype=kind_of[name]) for name, values in columns.items()}),
            polars.DataFrame(columns), pyarrow.table(columns)]


@pytest.mark.parametrize("columns", [
    {"a": [1, None, 3, 7], "b": [4, 5, None, 1]}, {"a": [1.5, None, 3.0, 2.0], "b": [4.0, 5.0, None, 1.0], "c": [9.0, 9.0, 9.0, 9.0]},
    {"a": [True, None, True, True], "b": [4, 5, None, None]}, {"a": [True, False, None, True]}])
def test_nulls_of_frames(columns: dict[str, list[Any]]) -> None:
    rows = list(zip(*columns.values()))
    mask = [True, False, True, True]
    for frame in frames_of(columns):
        for name in ("sum", "mean", "max", "var"):
            call = getattr(xd, name)
            assert call(frame, axis=0, skip_nan=True).tolist() == [call([v for v in each if v is not None]) for each in columns.values()]
            assert call(frame, axis=1, skip_nan=True, initial=0).tolist() if name == "max" else True
            assert same(call(frame, skip_nan=True), [call([v for row in rows for v in row if v is not None])])
            kept = [call([v for v, keep in zip(each, mask) if keep and v is not None]) for each in columns.values()]
            assert call(frame, axis=0, skip_nan=True, where=[[keep] for keep in mask]).tolist() == kept
        with pytest.raises(ValueError, match="^sum: x: holds 1 null in column 'a', at index"):
            xd.sum(frame)


def test_nulls_that_are_no_numbers() -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    assert xd.sum(pandas.Index([1, None, 3], dtype="Int64"), skip_nan=True) == 4
    for frame in (polars.DataFrame({"a": ["x", None]}), pyarrow.table({"a": ["x", None]}), pandas.DataFrame({"a": ["x", None]}),
                  pandas.Series(["x", None], dtype="string"), polars.DataFrame({"a": ["x", None], "b": [1, None]})):
        with pytest.raises((TypeError, ValueError), match="^sum: x: "):
            xd.sum(frame, skip_nan=True)
    with pytest.raises(ValueError, match="^sum: where has more|^sum: where does not broadcast"):
        xd.sum(polars.DataFrame({"a": [1, None], "b": [1, 2]}), axis=0, skip_nan=True, where=[True, True, True])
    with pytest.raises(ValueError, match="^weighted_mean: a column with nulls beside an array of another shape"):
        xd.weighted_mean(np.ones(4), polars.DataFrame({"a": [1.0, None], "b": [1.0, 2.0]}), skip_nan=True)
    nothing = [polars.DataFrame({"a": [None, None], "b": [1.0, 2.0]}), pyarrow.table({"a": pyarrow.nulls(2), "b": [1.0, 2.0]})]
    assert all(xd.sum(frame, axis=0, skip_nan=True).tolist() == [0, 3] for frame in nothing)
    twice = pyarrow.table([[1, None], [None, 5]], names=["a", "a"])
    assert xd.sum(twice, axis=0, skip_nan=True).tolist() == [1, 5]
    for x in (pandas.NA, pandas.MultiIndex.from_tuples([(1, 2)]), pyarrow.table({"a": pyarrow.array([Decimal(1), None])})):
        with pytest.raises((TypeError, ValueError), match="^sum: x: "):
            xd.sum(x, skip_nan=True)
    left, right = (polars.DataFrame({"a": values, "b": [1.0, 2.0, 4.0]}) for values in ([1.0, None, 3.0], [None, 5.0, 2.0]))
    assert xd.weighted_mean(left, right, axis=0, skip_nan=True).tolist() == [3.0, 3.0]


def test_nan_functions() -> None:
    random = np.random.default_rng(9)
    x = elements(random, (20, 11), "float64")
    x[:, 0] = 2
    for name in ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax"):
        ours, theirs = getattr(xd, f"nan{name}"), getattr(np, f"nan{name}")
        assert np.allclose(ours(x, axis=1), theirs(x, axis=1)) and np.allclose(ours(x), theirs(x))
        assert same(ours(x, 0), list(getattr(xd, name)(x, axis=0, skip_nan=True)))
    assert xd.nansum([1.0, math.nan]) == 1 and math.isnan(xd.nanmean([math.nan])) and xd.nanvar([1.0, math.nan, 3.0], ddof=1) == 2


def test_wrong_arguments() -> None:
    x = np.array([[1.0, np.nan], [3.0, 4.0]])
    wrong: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: xd.sum(x, where=[1, 0]), TypeError, "^sum: where holds int64; use booleans"),
        (lambda: xd.sum(x, where=np.ones((3, 2), bool)), ValueError, "^sum: where does not broadcast .*: 3 positions for 2 along axis 0"),
        (lambda: xd.sum(x, where=np.ones((1, 2, 2), bool)), ValueError, "^sum: where has more dimensions than the first array"),
        (lambda: xd.sum(x, skip_nan="yes"), TypeError, "^sum: skip_nan is yes; use"),
        (lambda: xd.sum(x, skipna=True), TypeError, "^sum: unknown argument 'skipna'; use skip_nan"),
        (lambda: xd.sum(x, initial=1), TypeError, "^sum: unknown argument 'initial'"),
        (lambda: xd.max(x, initial="1"), ValueError, "^max: initial is 1, which is no float64"),
        (lambda: xd.max(x, initial=2**53 + 1), ValueError, "^max: initial is 9007199254740993, which is no float64"),
        (lambda: xd.max(x, initial=Decimal("0.1")), ValueError, "^max: initial is 0.1, which is no float64"),
        (lambda: xd.max(np.array([1]), initial=1.5), ValueError, "^max: initial is 1.5, which is no int64"),
        (lambda: xd.max(np.array([True]), initial=5), ValueError, "^max: initial is 5, which is no bool"),
        (lambda: xd.argmax(np.array([math.nan]), skip_nan=True), ValueError, "^argmax: no element is left of a result, .* then$"),
        (lambda: xd.group_sum(np.ones(3), np.zeros(5, int), skip_nan=True), ValueError, "^group_sum: the numbers of elements and of keys differ"),
        (lambda: xd.group_sum(np.ones(3), [0], skip_nan=True), ValueError, "^group_sum: the numbers of elements and of keys differ"),
        (lambda: xd.sum(x, axis=1, skip_nan=True, out=x[0]), ValueError, "^sum: results lie within x"),
        (lambda: xd.segment_sum(x[0], [0, 2], skip_nan=True, out=x[0, :1]), ValueError, "^segment_sum: results lie within x"),
        (lambda: xd.max(x.astype("f4"), initial=0.1), ValueError, "^max: initial is 0.1, which is no float32"),
        (lambda: xd.max(np.array([1], "i1"), initial=200), ValueError, "^max: initial is 200, which is no int8"),
        (lambda: xd.min(np.array([math.nan]), skip_nan=True), ValueError, "^min: no element is left of a result"),
        (lambda: xd.min(x, axis=1, where=[False, True], skip_nan=True), ValueError, "^min: no element is left of a result"),
        (lambda: xd.matvec(x, [1.0, 2.0], skip_nan=True), TypeError, "^matvec: unknown argument 'skip_nan'"),
        (lambda: xd.sum([Decimal(1)], where=[True]), TypeError, "^sum: x: "),
        (lambda: xd.group_sum([1.0], [5], 2, skip_nan=True), ValueError, "^group_sum: .*key"),
        (lambda: xd.group_sum([1.0], [0], 1, skip_nan=True, add_to=np.zeros(1)), TypeError, "^group_sum: add_to with where or skip_nan"),
        (lambda: xd.segment_sum([1.0], [0, 2], skip_nan=True), ValueError, "^segment_sum: offset 1 is 2, past the end"),
        (lambda: xd.sum([1.0], negative_zero=True, where=[True]), ValueError, "^sum: negative_zero is for all of one vector"),
    ]
    for call, kind, message in wrong:
        with pytest.raises(kind, match=message):
            call()
    before = out = np.full(2, 7.0)
    with pytest.raises(ValueError, match="no element is left"):
        xd.min(x, axis=1, where=False, out=out)
    assert np.array_equal(out, before)


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
def test_a_fractional_ddof_of_what_stays(dtype: str) -> None:
    random = np.random.default_rng(5)
    x = random.integers(-50, 50, (4, 5, 6)).astype(dtype)
    x[random.random(x.shape) < 0.3] = np.nan
    mask = random.random((5, 1)) < 0.7
    mask[0] = True
    kept = np.where(mask, x, np.nan)

    def expected(elements: Any) -> str:
        return bits(exact_reduction("var", [value for value in elements.astype(float).tolist() if value == value], np.dtype(dtype).name, Fraction(0.25)))  # type: ignore[arg-type]

    for axis in (0, 1, 2, (0, 2), None, -1):
        for given, of in (({}, x), ({"where": mask}, kept)):
            found = xd.nanvar(x, axis=axis, ddof=0.25, keepdims=True, **given)
            axes = tuple(range(3)) if axis is None else axis
            lines = np.moveaxis(of, axes, range(-len(np.atleast_1d(axes)), 0)).reshape(found.size, -1)  # type: ignore[arg-type]
            assert [bits(float(value)) for value in found.reshape(-1)] == [expected(line) for line in lines]
    keys = random.integers(-1, 3, 4)
    found = xd.group_var(x, keys, 3, ddof=0.25, skip_nan=True, skip_out_of_range=True)
    for group in range(3):
        assert [bits(float(value)) for value in found[group].reshape(-1)] == [expected(x[keys == group].reshape(-1, 30)[:, i]) for i in range(30)]
    line = x.reshape(-1)
    offsets = [3, 3, 50, 110]
    assert [bits(float(value)) for value in xd.segment_var(line, offsets, ddof=0.25, skip_nan=True)] == [
        expected(line[first:end]) for first, end in zip(offsets, offsets[1:])]
    assert xd.nanstd(x, ddof=0.25, where=iter([True] * 6)) == xd.nanstd(x, ddof=0.25) and xd.nanvar(x[:, :0], axis=1, ddof=0.5).shape == (4, 6)


def test_a_fractional_ddof_of_columns_with_nulls_and_wrong_arguments() -> None:
    for column in (pytest.importorskip("polars").Series([1, None, 4]), pytest.importorskip("pandas").array([1, None, 4], dtype="Int64"),
                   pytest.importorskip("pyarrow").array([1, None, 4])):
        assert xd.nanvar(column, ddof=0.5) == xd.var([1, 4], ddof=0.5)
        assert math.isnan(xd.nanvar(column, ddof=2.5))
    x = np.ones((2, 3))
    for call, kind, why in (
            (lambda: xd.nanvar(x, ddof=0.5, where=[True, False]), ValueError, "^nanvar: where does not broadcast"),
            (lambda: xd.nanvar(x, ddof=0.5, where=[1, 0, 1]), TypeError, "^nanvar: where holds int64; use booleans"),
            (lambda: xd.group_var(x, [0, 5], 2, ddof=0.5, skip_nan=True), ValueError, "key"),
            (lambda: xd.group_var(x, [0], 2, ddof=0.5, skip_nan=True), ValueError, "^group_var: there are 1 keys and 2 elements"),
            (lambda: xd.segment_var(x[0], [0, 5], ddof=0.5, skip_nan=True), ValueError, "offset 1 is 5, past the end"),
            (lambda: xd.nanvar(x, axis=7, ddof=0.5), IndexError, "^nanvar: axis is 7")):
        with pytest.raises(kind, match=why):
            call()


def test_out_and_types() -> None:
    x = np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, 4.0]])
    out = np.empty((3, 2), ">f4")[1]
    assert xd.sum(x, axis=1, skip_nan=True, out=out) is out and out.tolist() == [3, 4]
    assert xd.sum(x, skip_nan=True, dtype="f4") == 7 and xd.sum(x, skip_nan=True, mode="fast") == 7
    assert xd.mean(x, skip_nan=True, out=...).shape == () and xd.sum(5.0, where=False) == 0 and xd.sum(5.0, where=True) == 5
    assert xd.min([1, 2], initial=0) == 0 and xd.max([], initial=-math.inf) == -math.inf
    assert xd.sum(x, where=[True, False, True], skip_nan=True) == 7 and xd.norm(np.array([3, math.nan, 4]), skip_nan=True) == 5
    assert xd.group_max([1.0, 5.0], [0, 0], 2, initial=-math.inf).tolist() == [5, -math.inf]
    assert xd.group_min(np.ones((2, 2)), [1, 1], 3, initial=4).tolist() == [[4, 4], [1, 1], [4, 4]]


def test_wide_frames_with_nulls_take_linear_time() -> None:
    pandas = pytest.importorskip("pandas")

    def seconds(columns: int) -> float:
        frame = pandas.DataFrame({f"c{i}": pandas.array([1, None, 3], dtype="Int64") for i in range(columns)})
        start = time.thread_time()
        assert xd.sum(frame, axis=0, skip_nan=True).tolist() == [4] * columns
        return time.thread_time() - start

    assert any(seconds(4000) <= 8 * seconds(1000) for _ in range(5))  # linear: 4; quadratic: 16


@pytest.mark.parametrize("name", [name for name in xd.__all__ if name.startswith("nan")])
def test_errors_name_what_was_called(name: str) -> None:
    call = getattr(xd, name)
    for wrong in (lambda: call("abc"), lambda: call([1.0], axis=5), lambda: call([[1.0]], device="nothing"), lambda: call([1.0], unknown=1),
                  lambda: call([1.0], where=[1]), lambda: call([[1.0]], axis=0, out=np.zeros(7))):
        with pytest.raises((TypeError, ValueError, IndexError), match=f"^{name}: "):
            wrong()
