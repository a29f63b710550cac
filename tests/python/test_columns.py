"""Columns of pandas, Polars and PyArrow: one rule for nulls, booleans, chunks, and element types."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest

TYPES = ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def polars_series(values: list[Any], dtype: str) -> Any:
    polars = pytest.importorskip("polars")
    names = {"bool": "Boolean", "uint8": "UInt8", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64"}
    return polars.Series(values, dtype=getattr(polars, names.get(dtype, dtype.title())))


def arrow_array(values: list[Any], dtype: str) -> Any:
    arrow = pytest.importorskip("pyarrow")
    return arrow.array(values, {"float32": arrow.float32(), "float64": arrow.float64(), "bool": arrow.bool_()}.get(
        dtype) or dtype)


def chunked_array(values: list[Any], dtype: str) -> Any:
    arrow = pytest.importorskip("pyarrow")
    whole = arrow_array(values, dtype)
    return arrow.chunked_array([whole[:1], whole[1:1], whole[1:]])


def pandas_series(values: list[Any], dtype: str) -> Any:
    names = {"bool": "boolean", "float32": "Float32", "float64": "Float64"}
    name = names.get(dtype, dtype.replace("uint", "UInt").replace("int", "Int") if "uint" not in dtype else
                     dtype.replace("uint", "UInt"))
    return pytest.importorskip("pandas").Series(values, dtype=name)


def pandas_arrow_series(values: list[Any], dtype: str) -> Any:
    pytest.importorskip("pyarrow")
    names = {"float32": "float", "float64": "double"}
    return pytest.importorskip("pandas").Series(values, dtype=names.get(dtype, dtype) + "[pyarrow]")


def plain_pandas_series(values: list[Any], dtype: str) -> Any:
    return pytest.importorskip("pandas").Series(np.array(values, dtype))


WITH_NULLS = [polars_series, arrow_array, chunked_array, pandas_series, pandas_arrow_series]
Maker = Callable[[list[Any], str], Any]


@pytest.mark.parametrize("make", [*WITH_NULLS, plain_pandas_series])
@pytest.mark.parametrize("dtype", TYPES)
def test_values(make: Maker, dtype: str) -> None:
    x = make([1, 2, 4, 100], dtype)
    array = np.array([1, 2, 4, 100], dtype)
    for name in ("sum", "mean", "norm", "max", "argmin"):
        call = getattr(xd, name)
        assert (type(call(x)), call(x)) == (type(call(array)), call(array))
    assert xd.dot(x, array) == xd.dot(array, x) == xd.dot(array, array)
    assert xd.sum(x[1:3]) == 6 and xd.sum(x[:0]) == 0
    if "int" in dtype and array.itemsize >= 4:
        assert xd.group_sum([1.0, 2.0], make([1, 0], dtype)).tolist() == [2.0, 1.0]


@pytest.mark.parametrize("make", WITH_NULLS)
@pytest.mark.parametrize("dtype", [*TYPES, "bool"])
def test_nulls_are_refused(make: Maker, dtype: str) -> None:
    for values, held in (([1, None, 0, None], "2 nulls, the first at index 1"), ([1, 0, None], "1 null, at index 2")):
        x = make([value if value is None or dtype != "bool" else bool(value) for value in values], dtype)
        for call in (xd.sum, xd.min, xd.Accumulator("float64").add, lambda x: xd.states("sum", x)):
            with pytest.raises(ValueError, match=f"x|a: holds {held}; drop or fill nulls first"):
                call(x)
        with pytest.raises(ValueError, match=f"keys: holds {held}[,;]"):
            xd.group_sum(np.ones(len(values)), x)


@pytest.mark.parametrize("make", [*WITH_NULLS, plain_pandas_series])
def test_booleans_are_counted(make: Maker) -> None:
    values = [i % 3 == 0 for i in range(21)]
    x = make(values, "bool")
    assert type(xd.sum(x)) is int and xd.sum(x) == 7 and xd.sum(x[1:20]) == 6
    assert xd.mean(x) == 1 / 3 and xd.max(x) == 1


def test_nan_is_a_value() -> None:
    for x in (plain_pandas_series([1.0, np.nan], "float64"), polars_series([1.0, np.nan], "float64"),
              arrow_array([1.0, np.nan], "float64")):
        assert np.isnan(xd.sum(x))


def test_slices_of_bits() -> None:
    values = [True, False, False, True, True, True, False, True, True, False, True]
    for make in (arrow_array, polars_series):
        for i in range(len(values)):
            for j in range(i, len(values) + 1):
                assert xd.sum(make(values, "bool")[i:j]) == sum(values[i:j])
    x = arrow_array([None, *range(20), None], "int64")
    assert xd.sum(x[1:21]) == 190
    with pytest.raises(ValueError, match="holds 1 null, at index 20"):
        xd.sum(x[1:])


def test_data_frames() -> None:
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    columns = {"a": [1.0, 2.0], "b": [3.0, None]}
    for frame in (polars.DataFrame(columns), arrow.table(columns)):
        with pytest.raises(ValueError, match="x: holds 1 null in column 'b', at index 1; drop or fill"):
            xd.sum(frame)
    assert xd.sum(polars.DataFrame({"a": [1.0, 2.0]}), axis=0).tolist() == [3.0]


def frames(columns: dict[str, np.ndarray]) -> list[Any]:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table(columns)
    nullable = {name: pandas_series(x.tolist(), x.dtype.name) for name, x in columns.items()}
    return [pandas.DataFrame(columns), pandas.DataFrame(nullable), table.to_pandas(types_mapper=pandas.ArrowDtype),
            polars.DataFrame(columns), table, table.to_batches()[0]]


@pytest.mark.parametrize("types", [(a, b) for a in [*TYPES, "bool"] for b in [*TYPES, "bool"]])
def test_frames_of_two_types_are_exact_or_refused(types: tuple[str, str]) -> None:
    largest = [np.array([1, 1], t) if t[0] in "fb" else np.full(2, np.iinfo(t).max, t) for t in types]
    is_mixed = "float" in str(np.result_type(*types)) and any(t in ("int64", "uint64") for t in types)
    for frame in frames(dict(zip("nw", largest))):
        if is_mixed:
            with pytest.raises(TypeError, match=f"x: no element type holds all columns exactly: 'n' of {types[0]}, 'w' "
                                                f"of {types[1]}; reduce each column alone, or convert"):
                xd.sum(frame, axis=0)
        else:
            assert xd.max(frame, axis=0).tolist() == [column[0] for column in largest]


def test_nulls_in_columns_of_frames() -> None:
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    for dtype, value in [("Int64", 1999), ("Float64", 2.5), ("boolean", True), ("int64[pyarrow]", 7), ("Int8", 1)]:
        column = pandas.array([value, None, None], dtype=dtype)
        for frame in (pandas.DataFrame({"cents": column}),
                      pandas.DataFrame({"w": np.array([1, 2, 3], "int8"), "cents": column})):
            for call in (lambda x: xd.sum(x, axis=0), xd.max, xd.norm, lambda x: xd.states("sum", x)):
                with pytest.raises(ValueError, match="[ax]: holds 2 nulls in column 'cents', the first at index 1; "):
                    call(frame)
            assert xd.sum(frame.iloc[:1]) == value + (frame.shape[1] - 1)
    with pytest.raises(ValueError, match="x: holds 1 null, at index 1"):
        xd.sum([pytest.importorskip("polars").Series([1, None]), [1, 2]])


def test_columns_that_are_no_numbers() -> None:
    for make in (polars_series, arrow_array):
        x = pytest.importorskip("polars").Series(["a"]) if make is polars_series else arrow_array(["a"], "string")
        with pytest.raises(TypeError, match="x: elements are of Arrow's format"):
            xd.sum(x)
    money = [Decimal("0.1")] * 3
    for x in (pytest.importorskip("pandas").Series(money), pytest.importorskip("polars").Series(money)):
        with pytest.raises(TypeError, match="; a list of the numbers is read one by one, exactly"):
            xd.sum(x)
        assert xd.sum(list(x)) == 0.3


def test_codes_of_categories_are_no_values() -> None:
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    encoded = pa.array([5, 6, 5]).dictionary_encode()
    for column in (
        encoded,
        pa.chunked_array([encoded, encoded]),
        pl.Series(["a", "b"], dtype=pl.Categorical),
        pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"])),
    ):
        for call in (xd.sum, xd.max, xd.Accumulator("int64").add):
            with pytest.raises(TypeError, match="is encoded by a dictionary"):
                call(column)
    assert xd.sum(encoded.dictionary_decode()) == 16
    assert xd.sum(encoded.indices) == 1


def test_columns_of_nothing() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    for empty in (polars.Series([]), arrow.array([]), arrow.chunked_array([arrow.array([])]), pandas.Series([])):
        assert (xd.sum(empty), type(xd.sum(empty)), xd.dot(empty, [])) == (0.0, float, 0.0)
    for nulls in (polars.Series([None, None]), arrow.array([None, None]), arrow.nulls(2)):
        with pytest.raises(ValueError, match="x: holds nulls alone, 2: no element has a value"):
            xd.sum(nulls)


@pytest.mark.parametrize("options", [{}, {"skip_nan": True}])
def test_categories_are_refused_alone_and_in_frames(options: dict[str, bool]) -> None:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    numbers, words = pandas.Categorical([5, None, 5]), polars.Series(["a", None], dtype=polars.Enum(["a"]))
    encoded = arrow.array([5, None, 5]).dictionary_encode()
    of_arrow = pandas.Series(encoded, dtype=pandas.ArrowDtype(encoded.type))
    for column in (numbers, pandas.Series(numbers), encoded, arrow.chunked_array([encoded]), words, of_arrow):
        with pytest.raises(TypeError, match=r"^sum: x: is encoded by a dictionary \(categorical\); decode it, or pass its codes"):
            xd.sum(column, **options)
    for frame in (pandas.DataFrame({"a": numbers}), pandas.DataFrame({"b": [1, 2, 3], "a": numbers}), polars.DataFrame({"a": words}),
                  arrow.table({"a": encoded}), arrow.table({"a": encoded, "b": [1, 2, 3]}), pandas.DataFrame({"a": of_arrow})):
        with pytest.raises(TypeError, match=r"^sum: x: column 'a' is encoded by a dictionary \(categorical\); decode it"):
            xd.sum(frame, axis=0, **options)


@pytest.mark.parametrize("options", [{}, {"skip_nan": True}])
def test_what_holds_no_numbers_is_refused_for_that(options: dict[str, bool]) -> None:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    texts, prices = ["a", None], [Decimal("1.5"), None]
    for column in (polars.Series(texts), arrow.array(texts), pandas.array(texts, dtype="string"), pandas.Series(texts), polars.Series(prices),
                   arrow.array(prices), pandas.Series(prices, dtype=pandas.ArrowDtype(arrow.decimal128(5, 2))), polars.Series([[1], None])):
        with pytest.raises(TypeError, match="^sum: x: (elements are of|is of)") as caught:
            xd.sum(column, **options)
        assert "null, at" not in str(caught.value) and "drop or fill" not in str(caught.value)
    for frame in (polars.DataFrame({"a": texts}), arrow.table({"a": texts}), pandas.DataFrame({"a": pandas.array(texts, dtype="string")}),
                  polars.DataFrame({"a": prices}), arrow.table({"a": prices}), polars.DataFrame({"b": [1.0, 2.0], "a": prices})):
        with pytest.raises(TypeError, match="^sum: x: column 'a' is of"):
            xd.sum(frame, **options)


def test_columns_of_nulls_alone() -> None:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for column in (polars.Series([None, None]), polars.Series([None, None], dtype=polars.Int8), arrow.nulls(2), arrow.array([None, None], arrow.float32()),
                   pandas.Series([None, None], dtype=object), pandas.array([None, None], dtype="Int64")):
        with pytest.raises(ValueError, match="^sum: x: holds nulls alone, 2: no element has a value"):
            xd.sum(column)
        assert xd.sum(column, skip_nan=True) == 0
    with pytest.raises(ValueError, match="^sum: x: holds nulls alone in column 'a', 2"):
        xd.sum(polars.DataFrame({"b": [1, 2], "a": [None, None]}), axis=0)
    with pytest.raises(TypeError, match="^sum: x: elements are of dtype object"):
        xd.sum(pandas.Series([None, object()]))
