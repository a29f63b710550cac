"""Norms of the orders 0, infinity and minus infinity, and the index of the largest magnitude, from extrema and counts.

A largest magnitude is that of the least or of the greatest element, so the array is read in place; a least magnitude and a
count of what is not zero need a copy. Every value is exact, and rounded once where it becomes a result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from exactdot import _engine
from exactdot._callers import called_as
from exactdot._exact import _beside, _object_array
from exactdot._numbers import OF_ML_DTYPES, ExactNumbers

_engine_call: Any = _engine  # functions without public names


def norm(caller: str, x: Any, elements: Any, order: float, dtype: str, *, where: Any, skip_nan: bool, valid: bytes, out: Any,
         as_array: bool, axis: Any, keepdims: bool, threads: int) -> Any:
    """The norm of one of these orders of an array in host memory, rounded to dtype, or to the type of out.

    elements: those of x as an array, or as numbers that no type holds; valid: a byte for each, 0 for a null, or none.
    """
    values = _object_array(elements).tolist() if isinstance(elements, ExactNumbers) else elements
    where = _mask(caller, values, where, skip_nan, valid)
    options = {"axis": axis, "keepdims": keepdims, "threads": threads}
    options |= {} if where is None else {"where": where}
    if order == 0:
        found = called_as(caller, lambda: _engine.sum(_is_not_zero(values), **options))
    elif order > 0:
        nothing: dict[str, Any] = {"initial": 0} if where is not None or np.size(values) == 0 else {}  # the norm of nothing is 0
        found = _larger(*called_as(caller, lambda: _engine.minmax(values, **options, **nothing)))
    else:
        found = called_as(caller, lambda: _engine.min(_magnitudes(values), **options), without="; pass initial")
    return _rounded(caller, x, found, {"out": out} if out is not None else {"dtype": dtype}, out, as_array)


def _mask(caller: str, values: Any, where: Any, skip_nan: bool, valid: bytes) -> Any:
    """Which elements are there; None if all are."""
    if not skip_nan or (values.dtype.kind in "biu" and not valid):
        return where
    there = values == values if values.dtype.kind not in "biu" else np.ones(values.shape, bool)
    there = there & np.frombuffer(valid, bool).reshape(values.shape) if valid else there
    if where is None:
        return there
    try:
        return there & np.broadcast_to(where, values.shape)
    except ValueError:
        raise ValueError(f"{caller}: where does not broadcast to the shape of the array: {where.shape} for {values.shape}") from None


def _is_not_zero(values: Any) -> Any:
    if isinstance(values, list):
        return np.array(values, object) != 0
    return values != 0


def _magnitudes(values: Any) -> Any:
    if isinstance(values, list):
        return np.abs(np.array(values, object)).tolist()
    found = np.abs(values) if values.dtype.kind != "b" else values
    return found.view(f"u{found.itemsize}") if found.dtype.kind == "i" else found  # as which the least integer is right


def _larger(least: Any, greatest: Any) -> Any:
    """The largest of the magnitudes of these two; NaN if they are."""
    if not isinstance(least, np.ndarray):
        return greatest if greatest != greatest else max(abs(least), abs(greatest))
    return np.maximum(_magnitudes(least), _magnitudes(greatest))


def _rounded(caller: str, x: Any, found: Any, to: dict[str, Any], out: Any, as_array: bool) -> Any:
    """Exact values rounded once: as sums of one element each."""
    if isinstance(found, np.ndarray):
        if to.get("dtype") in OF_ML_DTYPES and np.all(found <= 2 ** 53):
            found = found.astype(float)  # counts and small integers
        is_float = found.dtype.kind not in "biu"  # which the library of x holds: it may have result types that NumPy lacks
        values = _beside(x, found) if is_float and out is None else found
        made = called_as(caller, lambda: _engine.sum(values[..., None], axis=-1, **to))
        if out is not None:
            return made
        if not hasattr(made, "shape"):
            return _beside(x, np.array(made, found.dtype))
        return made if is_float else _beside(x, made)
    to |= {} if out is not None or not as_array else {"out": ...}
    return called_as(caller, lambda: _engine.sum([found], **to))


def index_of_magnitude(least: Any, greatest: Any, at_least: Any, at_greatest: Any) -> Any:
    """The lower index of the larger magnitude of the least and the greatest elements; of NaNs both are the first one's."""
    if not isinstance(least, np.ndarray) and not hasattr(least, "shape"):
        if abs(least) == abs(greatest) or least != least:
            return min(at_least, at_greatest)
        return at_least if abs(least) > abs(greatest) else at_greatest
    low, high = (_host(each) for each in (least, greatest))
    below, above = _host(at_least), _host(at_greatest)
    low, high = _magnitudes(low), _magnitudes(high)
    chosen = np.where(low > high, below, np.where(low < high, above, np.minimum(below, above)))
    return _beside(at_least, np.asarray(chosen, np.int64))


def _host(array: Any) -> Any:
    array = array.cpu() if hasattr(array, "cpu") else array.get() if hasattr(array, "get") else array
    return _engine_call._read_for_numpy(array, "iamax")
