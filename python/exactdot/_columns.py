"""Columns and data frames of pandas, Polars and PyArrow as arrays: nulls, categories and columns that NumPy would round are refused
with a sentence.
"""

from __future__ import annotations

from typing import Any

import numpy as np

COLUMNAR = {"pandas", "polars", "pyarrow"}  # the packages whose columns have nulls


class Refusal:
    """Why an object is no vector: the rest of a sentence that begins with the argument's name."""

    def __init__(self, sentence: str, is_type_error: bool = True) -> None:
        self.sentence, self.is_type_error = sentence, is_type_error


class Refused(Exception):
    """Carries a Refusal out of nested lists."""


def array_of(x: Any) -> Any:
    """The array of an object that NumPy converts; nulls, and columns of a frame that would be rounded, are refused."""
    named = columns_of(x)
    if named is not None:
        is_plain = "pandas" in modules_of(x) and len(set(x.dtypes)) == 1 and isinstance(x.dtypes.iloc[0], np.dtype)
        if is_plain:  # NumPy's types have no nulls, unlike pandas' own
            return as_array(x.to_numpy())
        return array_of_columns(named, x)
    if modules_of(x) & COLUMNAR:
        _refuse_other_types(x, "")
        _refuse_nulls(x, "")
    dtype = getattr(getattr(x, "dtype", None), "numpy_dtype", None)  # of pandas' own types
    return as_array(x) if dtype is None else x.to_numpy(dtype=dtype)


def columns_of(x: Any) -> list[tuple[Any, Any]] | None:
    """Names and columns of a data frame of pandas, Polars or PyArrow; None of others."""
    modules = modules_of(x)
    if "pandas" in modules and getattr(x, "ndim", 0) == 2:
        return list(x.items())
    if "polars" in modules and hasattr(x, "get_columns"):
        return [(column.name, column) for column in x.get_columns()]
    if "pyarrow" in modules and hasattr(x, "column_names"):
        return list(zip(x.column_names, x.columns))
    return None


def array_of_columns(columns: list[tuple[Any, Any]], frame: Any = None) -> Any:
    """Of one type that holds every column exactly: NumPy would round 64-bit integers beside floats.

    frame: what NumPy converts in one step if the columns are of one of its types.
    """
    for name, column in columns:
        _refuse_other_types(column, f"column {name!r} ")
        _refuse_nulls(column, f" in column {name!r}")
    types = {getattr(column, "dtype", getattr(column, "type", None)) for _, column in columns}
    if frame is not None and len(types) <= 1 and not any(hasattr(dtype, "numpy_dtype") for dtype in types):
        return as_array(frame)
    arrays = [array_of(column) for _, column in columns]
    if any(array.dtype.kind not in "biuf" for array in arrays):
        return np.stack([array.astype(object) for array in arrays], axis=1)  # no numbers: the engine names the type
    common = np.result_type(*arrays)
    if common.kind == "f" and any(array.dtype.kind in "iu" and array.dtype.itemsize == 8 for array in arrays):
        listed = ", ".join(f"{name!r} of {array.dtype}" for (name, _), array in list(zip(columns, arrays))[:8])
        listed += ", ..." if len(columns) > 8 else ""
        raise Refused(Refusal(f"no element type holds all columns exactly: {listed}; reduce each column alone, or "
                               "convert"))
    return np.stack([array.astype(common, copy=False) for array in arrays], axis=1)


def _refuse_other_types(column: Any, name: str) -> None:
    """Of a column of pandas' own types, Polars or PyArrow: what holds no numbers has no sum, with nulls or without."""
    dtype = getattr(column, "dtype", getattr(column, "type", None))
    kind = str(dtype).lower()
    if any(kind.startswith(each) for each in ("category", "categorical", "enum", "dictionary")):
        raise Refused(Refusal(f"{name}is encoded by a dictionary (categorical); decode it, or pass its codes if these are "
                               "meant"))
    if kind.startswith("decimal"):  # Polars makes floats of them
        raise Refused(Refusal(f"{name}is of {dtype}; a list of the numbers, without nulls, is read one by one, exactly"))
    of_pandas = type(dtype).__module__.startswith("pandas")
    is_number = getattr(dtype, "kind", "O") in "biufc" if of_pandas else kind in _KINDS_WITH_ZERO or kind == "null"
    if not is_number and not isinstance(dtype, np.dtype) and dtype is not None:
        raise Refused(Refusal(f"{name}is of {dtype}; columns hold booleans, floats or integers of up to 64 bits"))


def _refuse_nulls(x: Any, where: str) -> None:
    """Of a column of a type of pandas' own, of Polars or of PyArrow; and of Nones alone, whatever pandas calls them."""
    count = getattr(x, "null_count", 0)
    dtype = getattr(x, "dtype", None)
    if hasattr(dtype, "numpy_dtype") or (dtype == object and hasattr(x, "isna") and getattr(x, "nlevels", 1) == 1):
        nulls = np.asarray(x.isna())
        if dtype == object and not nulls.all():
            return  # the engine names the type
    elif hasattr(x, "is_null") and (count() if callable(count) else count):
        nulls = np.asarray(x.is_null())
    else:
        return
    total = int(nulls.sum())
    if total == len(nulls) and total:
        raise Refused(Refusal(f"holds nulls alone{where}, {total}: no element has a value", False))
    if total:
        at = "null{}, at" if total == 1 else "nulls{}, the first at"
        held = f"{total} {at.format(where)} index {int(nulls.argmax())}"
        raise Refused(Refusal(f"holds {held}; drop or fill nulls first", False))


def as_array(x: Any) -> Any:
    try:
        array = np.asarray(x)
    except (TypeError, ValueError, RuntimeError) as refused:
        raise Refused(Refusal(f"NumPy does not convert it: {refused}", not isinstance(refused, ValueError))) from None
    if isinstance(x, np.ma.MaskedArray):
        raise Refused(Refusal("is a masked array; fill or compress it first"))
    return array


def modules_of(x: Any) -> set[str]:
    """The packages that the classes of an object are from."""
    return {each.__module__.partition(".")[0] for each in type(x).__mro__}


def columns_module(x: Any) -> str | None:
    """The one of pandas, Polars and PyArrow that an object is from; None of others."""
    return next(iter(modules_of(x) & COLUMNAR), None)


def backing(column: Any) -> Any:
    """The array of a Series of pandas, which takes less time; of objects the Series, which knows Nones."""
    return column if getattr(column, "dtype", None) == object else getattr(column, "array", column)


def fill_nulls(column: Any) -> tuple[Any, Any]:
    """A column of pandas' own types, Polars or PyArrow with 0 for its nulls, and a byte for each; None without nulls."""
    if hasattr(column, "isna"):  # of pandas
        nulls = np.asarray(column.isna())
        if column.dtype == object and len(nulls) and nulls.all():
            return np.zeros(len(nulls)), np.zeros(len(nulls), np.uint8)
        if not nulls.any() or not hasattr(column.dtype, "numpy_dtype") or column.dtype.kind not in "biuf":
            return column, None
        return column.fillna(column.dtype.type(0)), (~nulls).astype(np.uint8)
    count = getattr(column, "null_count", 0)
    if not (count() if callable(count) else count):
        return column, None
    is_polars = hasattr(column, "is_not_null")
    kind = str(column.dtype if is_polars else column.type).lower()
    if kind == "null":
        column, kind = column.cast(float if is_polars else "float64"), "double"
    if kind not in _KINDS_WITH_ZERO:
        return column, None
    valid = column.is_not_null() if is_polars else column.is_valid()
    return column.fill_null(False if kind.startswith("bool") else 0), np.asarray(valid).astype(np.uint8)


_KINDS_WITH_ZERO = {"bool", "boolean", "halffloat", "float", "double", "float16", "float32", "float64",
                    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}
