"""Keys of groups that columns hold: categories of pandas, Polars and PyArrow by their codes; nulls belong to no group."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import exactdot as xd

X = np.array([1e100, 2.0, 4.0, -1e100, 8.0])
KEYS = ["b", "a", None, "b", "c"]
CODES = [1, 0, -1, 1, 2]  # of the categories a, b, c, d
Maker = Callable[[list[Any]], Any]


def categorical(values: list[Any]) -> Any:
    return pytest.importorskip("pandas").Categorical(values, categories=["a", "b", "c", "d"])


def index(values: list[Any]) -> Any:
    return pytest.importorskip("pandas").CategoricalIndex(categorical(values))


def series(values: list[Any]) -> Any:
    return pytest.importorskip("pandas").Series(categorical(values))


def enumeration(values: list[Any]) -> Any:
    polars = pytest.importorskip("polars")
    return polars.Series(values, dtype=polars.Enum(["a", "b", "c", "d"]))


def dictionary(values: list[Any]) -> Any:
    arrow = pytest.importorskip("pyarrow")
    codes = arrow.array([None if value is None else "abcd".index(value) for value in values], arrow.int8())
    return arrow.DictionaryArray.from_arrays(codes, ["a", "b", "c", "d"])


def chunks(values: list[Any]) -> Any:
    """Chunks whose dictionaries differ: of nothing with all categories, and of the values by first appearance."""
    arrow = pytest.importorskip("pyarrow")
    parts = [arrow.array(part, arrow.string()).dictionary_encode() for part in (values[:2], values[2:])]
    return arrow.chunked_array([arrow.DictionaryArray.from_arrays(arrow.array([], arrow.int32()), ["a", "b", "c", "d"]), *parts])


def arrow_in_pandas(values: list[Any]) -> Any:
    return pytest.importorskip("pandas").Series(dictionary(values), dtype=pytest.importorskip("pandas").ArrowDtype(dictionary(values).type))


MAKERS = [categorical, index, series, enumeration, dictionary, chunks, arrow_in_pandas]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: str(make.__name__))
def test_codes_are_keys(make: Maker) -> None:
    keys = make(["b", "a", "b", "b", "c"])
    codes = [1, 0, 1, 1, 2]
    assert xd.group_sum(X, keys).tolist() == xd.group_sum(X, codes, 4).tolist() == [2, 4, 8, 0]
    assert xd.group_count(keys).tolist() == [1, 3, 1, 0] and xd.group_count(keys, 3).tolist() == [1, 3, 1]
    assert xd.group_var(X[1:3], keys[1:3], ddof=0.5).tolist()[:2] == [0, 0]
    assert xd.group_mean(X, keys=keys, groups=3, skip_nan=True).tolist() == [2, 4 / 3, 8]
    assert xd.group_dot(X, np.ones(5, "f4"), keys).tolist() == [2, 4, 8, 0]
    assert xd.group_cov(X, X, keys).shape == xd.group_sum(X * 1j, keys).shape == (4,)
    assert np.array_equal(xd.group_states("sum", X, keys, 4), xd.group_states("sum", X, codes, 4))
    assert xd.group_sum([10**30] * 5, keys, dtype="float64").tolist() == [1e30, 3e30, 1e30, 0]
    with pytest.raises(ValueError, match="^group_sum: key 2, at index 4, is out of range|^group_sum: .*key.* 2"):
        xd.group_sum(X, keys, 2)
    with pytest.raises(ValueError, match="^group_sum: the numbers of elements and of keys differ"):
        xd.group_sum(X[:3], keys)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: str(make.__name__))
def test_a_null_is_named_or_left_out(make: Maker) -> None:
    keys = make(KEYS)
    for call in (xd.group_sum, xd.group_max, lambda x, keys: xd.group_count(keys), lambda x, keys: xd.group_states("sum", x, keys, 4),
                 lambda x, keys: xd.group_sum([10**30] * 5, keys)):
        with pytest.raises(ValueError, match=r"^group_\w+: keys: holds 1 null, at index 2, which belongs to no group; skip_out_of_range=True"):
            call(X, keys)
    assert xd.group_sum(X, keys, skip_out_of_range=True).tolist() == xd.group_sum(X, CODES, 4, skip_out_of_range=True).tolist() == [2, 0, 8, 0]
    assert xd.group_count(keys, skip_out_of_range=True).tolist() == [1, 2, 1, 0]
    with pytest.raises(ValueError, match="keys: holds 2 nulls, the first at index 0, which belong to no group"):
        xd.group_sum(X[:3], make([None, "a", None]))


def test_a_categorical_of_polars_has_its_physical_codes() -> None:
    polars = pytest.importorskip("polars")
    keys = polars.Series(["b", "a", "b"], dtype=polars.Categorical)
    codes = keys.to_physical().to_numpy()
    assert xd.group_sum([1, 2, 4], keys).tolist() == xd.group_sum([1, 2, 4], codes).tolist()


def test_integers_and_booleans_with_nulls() -> None:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for values in ([1, None, 0, 1], [True, None, False, True]):
        of_pandas = "boolean" if values[0] is True else "Int8"
        for keys in (pandas.Series(values, dtype=of_pandas), pandas.array(values, dtype=of_pandas), polars.Series(values), arrow.array(values),
                     arrow.chunked_array([values[:1], values[1:]]), pandas.Series(arrow.array(values), dtype=pandas.ArrowDtype(arrow.array(values).type))):
            assert xd.group_sum([1, 2, 4, 8], keys, skip_out_of_range=True).tolist() == [4, 9]
            with pytest.raises(ValueError, match="keys: holds 1 null, at index 1, which belongs to no group"):
                xd.group_sum([1, 2, 4, 8], keys)
            without = keys[2:]
            assert xd.group_sum([4, 8], without).tolist() == [4, 8]


@pytest.mark.parametrize("dtype", ["?", *"bBhHiIlL"])
@pytest.mark.parametrize("order", "<>")
def test_every_width_is_a_key(dtype: str, order: str) -> None:
    keys = np.array([1, 0, 1, 1, 0]).astype(np.dtype(dtype).newbyteorder(order))
    assert xd.group_sum(X, keys).tolist() == [10, 4] and xd.group_count(keys[::-1]).tolist() == [2, 3]


def test_what_is_no_key() -> None:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    days = pandas.Series(pandas.to_datetime(["2026-01-01"]))
    for keys in (polars.Series(["a"]), arrow.array(["a"]), pandas.Series(["a"]), pandas.Series([0.5]), days, arrow.array([0.5]), np.datetime64(1, "D"),
                 pandas.Interval(0, 1), polars.Series([[1]]), pandas.array([pandas.Period("2026")])):
        with pytest.raises(TypeError, match=r"^group_sum: keys: .*np.unique\(keys, return_inverse=True\) numbers any keys"):
            xd.group_sum([1.0], keys)
    frame = pandas.DataFrame({"k": categorical(["a"])})
    with pytest.raises((TypeError, ValueError), match="^group_sum: keys: "):
        xd.group_sum([1.0], frame)
    null = arrow.DictionaryArray.from_arrays(arrow.array([0, 1, 1]), arrow.array(["a", None]))  # a code may stand for a null
    with pytest.raises(ValueError, match="keys: holds 2 nulls, the first at index 1"):
        xd.group_sum([1.0, 2.0, 3.0], null)
    assert xd.group_sum([1.0, 2.0, 3.0], null, skip_out_of_range=True).tolist() == [1, 0]
    empty = categorical([])
    assert xd.group_sum([], empty).tolist() == [0, 0, 0, 0]


def test_columns_that_raise() -> None:
    pandas = pytest.importorskip("pandas")

    class Lying(pandas.Categorical):  # type: ignore[misc, name-defined]
        lie: Any = None

        @property
        def codes(self) -> Any:
            if isinstance(self.lie, Exception):
                raise self.lie
            return self.lie

    for lie, kind, why in ((LookupError("no codes"), LookupError, "no codes"), (np.array([0.5, 1.5]), TypeError, "keys: .*codes are float64"),
                           (np.array(["a", "b"]), TypeError, "keys: .*codes are <U1"), (np.array([0]), ValueError, "the numbers of elements and of keys differ"),
                           (np.array([0, 9]), ValueError, "key"), (np.array([0, 2**63], "u8"), ValueError, "key|null"), ([0, 1], None, "")):
        keys = Lying(["a", "b"])
        keys.lie = lie
        if kind is None:
            assert xd.group_sum([1.0, 2.0], keys).tolist() == [1, 2]
            continue
        with pytest.raises(kind, match=why):
            xd.group_sum([1.0, 2.0], keys)
