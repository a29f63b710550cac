"""Keys of groups that a column of pandas, Polars or PyArrow holds as categories, or with nulls.

The engine reads integers and booleans. Of a categorical column the codes are the keys: that of a pandas Categorical, the
physical ones of a Polars Enum or Categorical, the indices of an Arrow dictionary. A null is no group's: the element
is an error, or with skip_out_of_range left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from exactdot._columns import columns_module


def integers_of(caller: str, keys: Any, groups: Any, skips: bool) -> tuple[Any, Any] | None:
    """Keys as an array of int64, and the number of groups: that of the categories if `groups` is None.

    None: the engine reads these keys as they are. Raises ValueError for nulls.
    """
    kind = columns_module(keys)
    if kind is None or getattr(keys, "ndim", 1) != 1:
        return None
    if kind == "pandas" and hasattr(getattr(keys, "dtype", None), "pyarrow_dtype"):
        keys, kind = getattr(keys, "array", keys).__arrow_array__(), "pyarrow"  # a column of Arrow in pandas
    found = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_arrow}[kind](keys)
    if found is None:
        return None
    codes, nulls, count = found
    if codes.dtype.kind not in "iub" or codes.ndim != 1:
        raise TypeError(f"{caller}: keys: its codes are {codes.dtype}; use a column of one dimension whose codes are integers")
    total = int(nulls.sum())
    if total and not skips:
        held = "1 null, at index {}, which belongs" if total == 1 else f"{total} nulls, the first at index {{}}, which belong"
        raise ValueError(f"{caller}: keys: holds {held.format(int(nulls.argmax()))} to no group; skip_out_of_range=True leaves "
                         "such elements out")
    codes = np.where(nulls, -1, codes.astype(np.int64, copy=False)) if total else codes
    return codes, count if groups is None else groups


def _of_pandas(keys: Any) -> Any:
    values = getattr(keys, "array", keys)
    if hasattr(values, "codes") and hasattr(values, "categories"):
        codes = np.asarray(values.codes)
        nulls = codes < 0 if codes.dtype.kind == "i" else np.zeros(len(codes), bool)
        return codes, nulls, len(values.categories)
    if not hasattr(getattr(values, "dtype", None), "numpy_dtype") or values.dtype.kind not in "biu" or not values.isna().any():
        return None
    nulls = np.asarray(values.isna())
    return np.asarray(values.fillna(values.dtype.type(0)).astype(values.dtype.numpy_dtype)), nulls, None


def _of_polars(keys: Any) -> Any:
    import polars
    is_category = keys.dtype in (polars.Categorical, polars.Enum) if hasattr(keys, "dtype") else False
    if not is_category and (not hasattr(keys, "null_count") or keys.null_count() == 0
                            or not (keys.dtype.is_integer() or keys.dtype == polars.Boolean)):
        return None
    codes = keys.to_physical() if is_category else keys.cast(polars.UInt8) if keys.dtype == polars.Boolean else keys
    count = len(keys.dtype.categories) if is_category and keys.dtype == polars.Enum else None
    return codes.fill_null(0).to_numpy(), keys.is_null().to_numpy(), count


def _of_arrow(keys: Any) -> Any:
    import pyarrow
    import pyarrow.compute as compute
    types = pyarrow.types
    if not isinstance(keys, (pyarrow.Array, pyarrow.ChunkedArray)):
        return None
    if not types.is_dictionary(keys.type):
        is_known = types.is_integer(keys.type) or types.is_boolean(keys.type)
        if keys.null_count == 0 or not is_known:
            return None
        nulls = np.asarray(compute.is_null(keys))
        filled = compute.fill_null(keys, False if types.is_boolean(keys.type) else 0)
        return np.asarray(filled.cast("uint8") if types.is_boolean(keys.type) else filled), nulls, None
    one = keys
    if isinstance(keys, pyarrow.ChunkedArray):  # whose chunks may have dictionaries of their own
        one = keys.unify_dictionaries().combine_chunks()
        one = one if isinstance(one, pyarrow.Array) else pyarrow.concat_arrays(one.chunks)
    nulls = np.asarray(compute.is_null(one.indices))
    codes = np.asarray(compute.fill_null(one.indices, 0)).astype(np.int64)
    if one.dictionary.null_count:  # a code may stand for a null, too
        nulls = nulls | np.asarray(one.dictionary.is_null())[codes]
    return codes, nulls, len(one.dictionary)
