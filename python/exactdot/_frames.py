"""group_by: exact reductions of the groups of a data frame of pandas, Polars, PyArrow or DuckDB, as a frame of the same kind.

The frame's own library numbers the keys, whatever they are; all columns of one element type are then reduced by one call of the
group functions, which passes over the keys once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Callable

import numpy as np

from exactdot import _engine


_MANY = 2**16  # groups whose sums lie beyond the caches: one pass over the keys for all columns takes less time than one each


def group_by(frame: Any, by: str | Iterable[str]) -> GroupedFrame:
    """Groups the rows of a data frame by the values of one column, or of several.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table or duckdb.DuckDBPyRelation
        Its columns are read when a method is called; a relation is run here, into a table of Arrow, and results are relations of
        its connection.
    by : str or iterable of str
        Names of columns with keys of any type that the library groups by: numbers, strings, dates, categories. Rows with a null
        key belong to no group, as in pandas.

    Returns
    -------
    GroupedFrame
        Whose methods compute a frame with a row for each group, sorted by the keys.

    Raises
    ------
    TypeError
        The frame is none of these.
    KeyError
        The frame has no such column.

    Examples
    --------
    >>> import exactdot as xd
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"city": ["A", "B", "A"], "x": [1e100, 1.0, -1e100], "w": [1.0, 2.0, 1.0]})
    >>> xd.group_by(frame, "city").sum("x")["x"].tolist()
    [0.0, 1.0]
    """
    names = [by] if isinstance(by, str) else list(by)
    kind: Any = next((each for each in (_Pandas, _Polars, _Arrow) if each.suits(frame)), None)
    if _DuckDB.suits(frame):
        kind = _DuckDB(frame)
        frame = kind.table()
    if kind is None:
        raise TypeError(f"group_by: frame is {type(frame).__module__}.{type(frame).__qualname__}; use a DataFrame of pandas or "
                        "Polars, a Table of PyArrow, or a relation of DuckDB")
    if not names:
        raise ValueError("group_by: by names no column")
    for name in names:
        if name not in kind.columns(frame):
            raise KeyError(f"group_by: the frame has no column {name!r}; it has {', '.join(map(repr, kind.columns(frame)))}")
    return GroupedFrame(frame, names, kind)


class GroupedFrame:
    """The rows of a data frame in groups; what `group_by` returns.

    Every method computes a frame with a row for each group: of pandas with the keys as index, otherwise as first columns. A
    result has the bits of the function of the same name on the elements of its group alone. NaNs and nulls: `skip_nan`, as of
    the functions.

    Parameters
    ----------
    frame, by, kind
        `group_by` makes these objects.

    Raises
    ------
    TypeError, ValueError, KeyError
        By its methods: as the functions, and for columns that the frame does not have.

    Examples
    --------
    >>> import exactdot as xd
    >>> import pandas as pd
    >>> groups = xd.group_by(pd.DataFrame({"k": ["b", "a", "b"], "x": [0.5, 5.0, 0.25]}), "k")
    >>> groups
    <GroupedFrame of 2 groups by k>
    >>> groups.mean()["x"].to_dict()
    {'a': 5.0, 'b': 0.375}
    """

    def __init__(self, frame: Any, by: list[str], kind: Any) -> None:
        self._frame, self._by, self._kind = frame, by, kind
        self._codes, self._keys, self._count = kind.number(frame, by)

    def __len__(self) -> int:
        """The number of groups."""
        return self._count

    def __repr__(self) -> str:
        return f"<GroupedFrame of {self._count} groups by {', '.join(self._by)}>"

    def sum(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The sums of these columns, by default of all others that hold numbers. Options are those of `group_sum`."""
        return self._reduce(_engine.group_sum, columns, options)

    def asum(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The sums of the magnitudes. Otherwise as sum."""
        return self._reduce(_engine.group_asum, columns, options)

    def sum_of_squares(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The sums of the squares. Otherwise as sum."""
        return self._reduce(_engine.group_sum_of_squares, columns, options)

    def norm(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The Euclidean norms. Otherwise as sum."""
        return self._reduce(_engine.group_norm, columns, options)

    def mean(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The means. Otherwise as sum."""
        return self._reduce(_engine.group_mean, columns, options)

    def var(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The variances, with ddof=0 unless it is passed (pandas and Polars: 1). Otherwise as sum."""
        return self._reduce(_engine.group_var, columns, options)

    def std(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The standard deviations, with ddof=0 unless it is passed (pandas and Polars: 1). Otherwise as sum."""
        return self._reduce(_engine.group_std, columns, options)

    def standard_error(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The standard errors of the means. Otherwise as sum."""
        return self._reduce(_engine.group_standard_error, columns, options)

    def min(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The least elements. Otherwise as sum."""
        return self._reduce(_engine.group_min, columns, options)

    def max(self, columns: str | Iterable[str] | None = None, **options: Any) -> Any:
        """The greatest elements. Otherwise as sum."""
        return self._reduce(_engine.group_max, columns, options)

    def weighted_mean(self, columns: str | Iterable[str], weights: str, **options: Any) -> Any:
        """The means of these columns with the weights of another one."""
        return self._pairs(_engine.group_weighted_mean, columns, weights, options)

    def weighted_var(self, columns: str | Iterable[str], weights: str, **options: Any) -> Any:
        """The variances of these columns with the weights of another one, with ddof=0 unless it is passed."""
        return self._pairs(_engine.group_weighted_var, columns, weights, options)

    def weighted_std(self, columns: str | Iterable[str], weights: str, **options: Any) -> Any:
        """The standard deviations of these columns with the weights of another one, as weighted_var."""
        return self._pairs(_engine.group_weighted_std, columns, weights, options)

    def cov(self, columns: str | Iterable[str], other: str, **options: Any) -> Any:
        """The covariances of these columns with another one, with ddof=1 unless it is passed."""
        return self._pairs(_engine.group_cov, columns, other, options)

    def corr(self, columns: str | Iterable[str], other: str, **options: Any) -> Any:
        """The correlations of these columns with another one."""
        return self._pairs(_engine.group_corr, columns, other, options)

    def count(self) -> Any:
        """The numbers of rows, in a column `count`."""
        counts = _engine.group_count(self._codes, self._count, skip_out_of_range=True)
        return self._kind.frame(self._keys, {"count": counts}, self._by)

    def _chosen(self, columns: str | Iterable[str] | None) -> list[str]:
        if columns is None:
            return [name for name in self._kind.columns(self._frame)
                    if name not in self._by and self._kind.is_number(self._frame, name)]
        names = [columns] if isinstance(columns, str) else list(columns)
        for name in names:
            self._check(name)
        return names

    def _check(self, name: str) -> None:
        if name not in self._kind.columns(self._frame):
            raise KeyError(f"group_by: the frame has no column {name!r}")

    def _reduce(self, call: Callable[..., Any], columns: str | Iterable[str] | None, options: dict[str, Any]) -> Any:
        chosen, found = self._chosen(columns), {}
        alike: dict[Any, dict[str, Any]] = {}  # of many groups columns of one type pass over the keys together
        for name in chosen:
            column = self._kind.column(self._frame, name)
            plain = self._kind.plain(column) if self._count > _MANY and "out" not in options else None
            if plain is None:
                found[name] = call(column, self._codes, self._count, skip_out_of_range=True, **options)
            else:
                alike.setdefault(plain.dtype, {})[name] = plain
        for together in alike.values():
            names, arrays = list(together), list(together.values())
            table = arrays[0][:, None] if len(arrays) == 1 else np.column_stack(arrays)
            results = call(table, self._codes, self._count, skip_out_of_range=True, **options)
            found |= {name: results[:, i] for i, name in enumerate(names)}
        return self._kind.frame(self._keys, {name: found[name] for name in chosen}, self._by)

    def _pairs(self, call: Callable[..., Any], columns: str | Iterable[str], other: str, options: dict[str, Any]) -> Any:
        self._check(other)
        second = self._kind.column(self._frame, other)
        found = {name: call(self._kind.column(self._frame, name), second, self._codes, self._count, skip_out_of_range=True, **options)
                 for name in self._chosen(columns)}
        return self._kind.frame(self._keys, found, self._by)


class _Pandas:
    """Of pandas: keys become the index of results, as those of its groupby."""

    @staticmethod
    def suits(frame: Any) -> bool:
        return type(frame).__module__.split(".")[0] == "pandas" and hasattr(frame, "groupby") and hasattr(frame, "columns")

    @staticmethod
    def columns(frame: Any) -> list[Any]:
        return list(frame.columns)

    @staticmethod
    def column(frame: Any, name: str) -> Any:
        return frame[name]

    @staticmethod
    def plain(column: Any) -> Any:
        return column.values if isinstance(column.values, np.ndarray) and column.values.dtype.kind in "biuf" else None

    @staticmethod
    def is_number(frame: Any, name: str) -> bool:
        import pandas.api.types as types
        return bool(types.is_numeric_dtype(frame[name].dtype))

    @staticmethod
    def number(frame: Any, by: list[str]) -> tuple[Any, Any, int]:
        groups = frame.groupby(by if len(by) > 1 else by[0], sort=True, observed=True)
        index = groups.size().index
        codes = groups.ngroup()  # of null keys -1, or NaN
        return codes.fillna(-1).to_numpy("int64"), index, len(index)

    @staticmethod
    def frame(keys: Any, found: dict[str, Any], by: list[str]) -> Any:
        import pandas
        return pandas.DataFrame(found, index=keys)


class _Polars:
    """Of Polars: keys are the first columns of results."""

    @staticmethod
    def suits(frame: Any) -> bool:
        return type(frame).__module__.split(".")[0] == "polars" and hasattr(frame, "with_columns") and hasattr(frame, "get_columns")

    @staticmethod
    def columns(frame: Any) -> list[str]:
        return list(frame.columns)

    @staticmethod
    def column(frame: Any, name: str) -> Any:
        return frame.get_column(name)

    @staticmethod
    def plain(column: Any) -> Any:
        return column.to_numpy() if column.null_count() == 0 and column.dtype.is_numeric() and not column.dtype.is_decimal() else None

    @staticmethod
    def is_number(frame: Any, name: str) -> bool:
        import polars
        kind = frame.schema[name]
        return (kind.is_numeric() and not kind.is_decimal()) or kind == polars.Boolean

    @staticmethod
    def number(frame: Any, by: list[str]) -> tuple[Any, Any, int]:
        import polars
        code = "__exactdot_group"
        keys = frame.select(by)
        unique = keys.drop_nulls().unique().sort(by).with_row_index(code)
        codes = keys.join(unique, on=by, how="left", maintain_order="left").get_column(code)
        return codes.cast(polars.Int64).fill_null(-1), unique.drop(code), len(unique)

    @staticmethod
    def frame(keys: Any, found: dict[str, Any], by: list[str]) -> Any:
        import polars
        return polars.concat([keys, polars.DataFrame(found)], how="horizontal") if found else keys


class _Arrow:
    """Of PyArrow: keys are the first columns of results."""

    @staticmethod
    def suits(frame: Any) -> bool:
        return type(frame).__module__.split(".")[0] == "pyarrow" and type(frame).__name__ == "Table"

    @staticmethod
    def columns(frame: Any) -> list[str]:
        return list(frame.column_names)

    @staticmethod
    def column(frame: Any, name: str) -> Any:
        return frame.column(name)

    @staticmethod
    def plain(column: Any) -> Any:
        import pyarrow.types as types
        is_plain = column.null_count == 0 and (types.is_integer(column.type) or types.is_floating(column.type))
        return column.to_numpy() if is_plain else None

    @staticmethod
    def is_number(frame: Any, name: str) -> bool:
        import pyarrow.types as types
        kind = frame.schema.field(name).type
        return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)

    @staticmethod
    def number(frame: Any, by: list[str]) -> tuple[Any, Any, int]:
        import pyarrow
        columns = [_sorted_values(frame.column(name)) for name in by]
        values, places = columns[0]  # of each row the group, which has in each column one of its values, at `chosen`
        chosen = [np.arange(len(values))]
        for values, more in columns[1:]:
            both = np.where((places < 0) | (more < 0), -1, places * len(values) + more)
            found, places = np.unique(both, return_inverse=True)
            nulls = int(len(found) != 0 and found[0] < 0)
            places, found = places - nulls, found[nulls:]
            chosen = [*(each[found // max(len(values), 1)] for each in chosen), found % max(len(values), 1)]
        keys = pyarrow.table({name: values.take(pyarrow.array(each)) for name, (values, _), each in zip(by, columns, chosen)})
        return places, keys, len(keys)

    @staticmethod
    def frame(keys: Any, found: dict[str, Any], by: list[str]) -> Any:
        import pyarrow
        for name, column in found.items():
            keys = keys.append_column(name, pyarrow.array(column))
        return keys


def _sorted_values(column: Any) -> tuple[Any, Any]:
    """The values of a column of PyArrow, each once, and of each row the place of its value; -1 for a null."""
    import pyarrow
    import pyarrow.compute as compute
    kind = column.type
    plain = column.cast(kind.value_type) if pyarrow.types.is_dictionary(kind) else column
    whole = plain.combine_chunks()
    whole = whole if isinstance(whole, pyarrow.Array) else pyarrow.concat_arrays(whole.chunks)
    encoded = whole.dictionary_encode()
    count = len(encoded.dictionary)
    order = np.asarray(compute.sort_indices(encoded.dictionary))
    order = order[np.asarray(encoded.dictionary.is_valid())[order]]  # that of a column of nulls alone holds a null
    rank = np.full(count + 1, -1, np.int64)
    rank[order] = np.arange(len(order))
    places = rank[np.asarray(compute.fill_null(encoded.indices, count))]
    values = encoded.dictionary.take(pyarrow.array(order))
    return (values.dictionary_encode().cast(kind) if pyarrow.types.is_dictionary(kind) else values), places


class _DuckDB(_Arrow):
    """Of DuckDB: the relation as a table of PyArrow; results are relations of the same connection."""

    def __init__(self, relation: Any) -> None:
        self._relation = relation

    @staticmethod
    def suits(frame: Any) -> bool:
        return type(frame).__module__.split(".")[0].lstrip("_") == "duckdb" and hasattr(frame, "query") and hasattr(frame, "columns")

    def table(self) -> Any:
        read = getattr(self._relation, "to_arrow_table", None) or self._relation.fetch_arrow_table
        return read()

    def frame(self, keys: Any, found: dict[str, Any], by: list[str]) -> Any:  # type: ignore[override]
        results_of_exactdot = _Arrow.frame(keys, found, by)  # DuckDB finds variables of the caller by their names
        return self._relation.query("relation_of_exactdot", "SELECT * FROM results_of_exactdot")
