"""group_by of data frames: the bits of the functions on each group, in the order and the kind of the frame's own library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference import bits

import exactdot as xd

KINDS = ("pandas", "polars", "pyarrow")


def make(kind: str, values: dict[str, Any]) -> Any:
    library = pytest.importorskip(kind)
    return library.table(values) if kind == "pyarrow" else library.DataFrame(values)


def data(n: int = 300) -> dict[str, Any]:
    random = np.random.default_rng(2)
    return {"city": [str(each) for each in random.choice(["Rome", "Oslo", "Bonn"], n)], "year": random.integers(1999, 2003, n),
            "x": random.normal(size=n) * 1e9, "y": random.normal(size=n).astype("f4"), "w": random.integers(1, 9, n)}


def column(frame: Any, name: str) -> list[Any]:
    is_table = hasattr(frame, "column_names")
    found = frame.column(name) if is_table else frame[name]
    return list(found.to_pylist() if is_table else found.to_list())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by", ["city", ["city", "year"], ["year"]])
def test_results_are_those_of_the_functions(kind: str, by: Any) -> None:
    values = data()
    frame = make(kind, values)
    groups = xd.group_by(frame, by)
    names = [by] if isinstance(by, str) else by
    keys = sorted(set(zip(*(values[name] if isinstance(values[name], list) else values[name].tolist() for name in names))))
    of_row = list(zip(*(values[name] if isinstance(values[name], list) else values[name].tolist() for name in names)))
    rows = [[i for i, key in enumerate(of_row) if key == wanted] for wanted in keys]
    assert len(groups) == len(keys) and column(groups.count(), "count") == [len(each) for each in rows]
    for name in ("sum", "asum", "sum_of_squares", "norm", "mean", "var", "std", "standard_error", "min", "max"):
        found = getattr(groups, name)(["x", "y"])
        assert isinstance(found, type(frame))
        for each in ("x", "y"):
            expected = [getattr(xd, name)(values[each][part]) for part in rows]
            assert [bits(float(value)) for value in column(found, each)] == [bits(float(value)) for value in expected]
    for name in ("weighted_mean", "weighted_var", "weighted_std", "cov", "corr"):
        found = getattr(groups, name)("x", "w")
        expected = [getattr(xd, name)(values["x"][part], values["w"][part]) for part in rows]
        assert [bits(float(value)) for value in column(found, "x")] == [bits(float(value)) for value in expected]
    whole = groups.sum()
    if kind == "pandas":
        assert whole.index.equals(frame.groupby(by).size().index) and list(whole.columns) == [each for each in ("year", "x", "y", "w") if each not in names]
    else:
        kept = list(whole.columns) if kind == "polars" else whole.column_names
        assert kept == [*names, *(each for each in ("year", "x", "y", "w") if each not in names)]
        assert list(zip(*(column(whole, name) for name in names))) == keys
    assert column(groups.sum("w"), "w") == [int(values["w"][part].sum()) for part in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_many_groups(kind: str) -> None:
    random = np.random.default_rng(3)
    n = 80_000
    keys = np.concatenate([np.arange(70_000), random.integers(0, 70_000, n - 70_000)])
    values = {"k": keys, "x": random.normal(size=n), "i": random.integers(0, 9, n), "y": random.normal(size=n)}
    groups = xd.group_by(make(kind, values), "k")
    found = groups.sum()
    for name in ("x", "i", "y"):
        assert column(found, name) == xd.group_sum(values[name], keys).tolist()
    assert column(groups.max("y"), "y") == xd.group_max(values["y"], keys).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_nulls(kind: str) -> None:
    frame = make(kind, {"k": ["a", None, "b", "a"], "x": [1.0, 2.0, None, 4.0]})
    groups = xd.group_by(frame, "k")
    assert len(groups) == 2 and column(groups.sum(skip_nan=True), "x") == [5, 0] and column(groups.count(), "count") == [2, 1]
    if kind != "pandas":  # whose missing floats are NaN
        with pytest.raises(ValueError, match="holds 1 null"):
            groups.sum()
    empty = xd.group_by(make(kind, {"k": ["a"], "x": [1.0]})[:0] if kind != "pyarrow" else frame.slice(0, 0), "k")
    assert len(empty) == 0 and column(empty.sum("x"), "x") == []


def test_categories_and_dates() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame({"k": pandas.Categorical(["b", "a", "b"], categories=["b", "a", "c"]), "x": [1, 2, 3]})
    assert xd.group_by(frame, "k").sum()["x"].to_dict() == {"b": 4, "a": 2}
    days = polars.DataFrame({"day": polars.Series(["2026-01-02", "2026-01-01"]).str.to_date(), "x": [1, 2]})
    assert column(xd.group_by(days, "day").sum(), "x") == [2, 1]


def test_keys_of_arrow() -> None:
    arrow = pytest.importorskip("pyarrow")
    nan = float("nan")
    table = arrow.table({"k": arrow.chunked_array([["b", None], ["a", "b"], []]), "l": [1.0, nan, 2.0, 1.0], "n": arrow.nulls(4),
                         "d": arrow.array(["z", "y", None, "z"]).dictionary_encode(), "x": [1, 2, 4, 8]})
    for by, keys, sums in (("k", [("a",), ("b",)], [4, 9]), ("d", [("y",), ("z",)], [2, 9]), ("n", [], []), (["k", "n"], [], []),
                           (["k", "l"], [("a", 2.0), ("b", 1.0)], [4, 9]), (["d", "l", "k"], [("z", 1.0, "b")], [9]),
                           (["l", "k"], [(1.0, "b"), (2.0, "a")], [9, 4])):
        found = xd.group_by(table, by).sum("x")
        assert column(found, "x") == sums and list(zip(*(column(found, name) for name in ([by] if isinstance(by, str) else by)))) == keys
        assert found.schema.field(0).type == table.schema.field(by if isinstance(by, str) else by[0]).type
    assert column(xd.group_by(table, "l").sum("x"), "x") == [9, 4, 2] and len(xd.group_by(table.slice(0, 0), ["k", "l"])) == 0
    random = np.random.default_rng(8)
    keys = {name: random.integers(0, count, 500) for name, count in (("a", 7), ("b", 11), ("c", 3))}
    frame = make("pyarrow", {**keys, "x": np.arange(500)})
    expected = make("pandas", {**keys, "x": np.arange(500)}).groupby(list(keys))["x"].sum()
    found = xd.group_by(frame, list(keys)).sum()
    assert column(found, "x") == expected.tolist() and [column(found, name) for name in keys] == [expected.index.get_level_values(name).tolist() for name in keys]


def test_relations_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    with duckdb.connect() as connection:
        text = "SELECT * FROM (VALUES ('a', 1e100::DOUBLE, 1), ('b', 2.0::DOUBLE, 2), ('a', -1e100::DOUBLE, 4), (NULL, 1.0::DOUBLE, 8)) t(k, x, i)"
        relation = connection.sql(text)
        groups = xd.group_by(relation, "k")
        assert len(groups) == 2
        first, second = groups.sum(), groups.mean("i")
        assert type(first) is type(relation) and first.columns == ["k", "x", "i"]
        assert first.fetchall() == [("a", 0.0, 5), ("b", 2.0, 2)] and second.fetchall() == [("a", 2.5), ("b", 2.0)]
        assert first.fetchall() == [("a", 0.0, 5), ("b", 2.0, 2)]
        joined = relation.set_alias("l").join(first.set_alias("r"), "k")  # of the same connection
        assert len(joined.fetchall()) == 3
        assert groups.count().order("k DESC").fetchall() == [("b", 1), ("a", 2)]
        with pytest.raises(KeyError, match="the frame has no column 'z'"):
            xd.group_by(relation, "z")
        with pytest.raises(TypeError, match="^group_by: frame is .*DuckDBPyConnection"):
            xd.group_by(connection, "k")


def test_wrong_arguments() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"k": [1], "x": [2.0], "name": ["n"]})
    with pytest.raises(TypeError, match="^group_by: frame is builtins.dict; use a DataFrame .*, or a relation of DuckDB"):
        xd.group_by({"k": [1]}, "k")
    with pytest.raises(KeyError, match="the frame has no column 'z'; it has 'k', 'x', 'name'"):
        xd.group_by(frame, "z")
    with pytest.raises(ValueError, match="^group_by: by names no column"):
        xd.group_by(frame, [])
    with pytest.raises(KeyError, match="no column 'z'"):
        xd.group_by(frame, "k").sum("z")
    with pytest.raises(TypeError, match="^group_sum: x: "):
        xd.group_by(frame, "k").sum("name")
    with pytest.raises(TypeError, match="unknown argument 'mode'"):
        xd.group_by(frame, "k").sum("x", mode="fast")
    assert list(xd.group_by(frame, "k").sum().columns) == ["x"] and "1 groups by k" in repr(xd.group_by(frame, "k"))
