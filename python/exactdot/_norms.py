"""Norms of the orders 0, infinity and minus infinity, and the index of the largest magnitude, from extrema and counts.

A largest magnitude is that of the least or of the greatest element, so the array is read in place; a least magnitude and a
count of what is not zero need a copy. Every value is exact, and rounded once where it becomes a result.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from exactdot import _engine
from exactdot._columns import Refusal
from exactdot._exact import _beside, _object_array
from exactdot._numbers import ExactNumbers, convert, convert_without_nulls


def norm(caller: str, x: Any, order: float, dtype: str, *, where: Any, skip_nan: bool, out: Any, as_array: bool, axis: Any,
         keepdims: bool, threads: int) -> Any:
    """The norm of one of these orders of an array in host memory, rounded to dtype, or to the type of out."""
    values, where = _read(caller, x, where, skip_nan)
    options = {"axis": axis, "keepdims": keepdims, "threads": threads}
    options |= {} if where is None else {"where": where}
    if order == 0:
        found = _named(caller, lambda: _engine.sum(_is_not_zero(values), **options))
    elif order > 0:
        nothing: dict[str, Any] = {"initial": 0} if where is not None or np.size(values) == 0 else {}  # the norm of nothing is 0
        found = _larger(*_named(caller, lambda: _engine.minmax(values, **options, **nothing)))
    else:
        found = _named(caller, lambda: _engine.min(_magnitudes(values), **options))
    return _rounded(caller, x, found, {"out": out} if out is not None else {"dtype": dtype}, out, as_array)


def _read(caller: str, x: Any, where: Any, skip_nan: bool) -> tuple[Any, Any]:
    """The elements as an array, or as nested lists of numbers that no type holds; and a mask of what is there."""
    valid = b""
    if isinstance(x, np.ndarray):
        read: Any = x
    elif skip_nan:
        read, valid = convert_without_nulls(x)
    else:
        read = convert(x)
    if isinstance(read, Refusal):
        raise (TypeError if read.is_type_error else ValueError)(f"{caller}: x: {read.sentence}")
    if isinstance(read, ExactNumbers):
        if where is not None or skip_nan:
            raise TypeError(f"{caller}: x: {read.reason}")
        return _object_array(read).tolist(), None
    if not skip_nan or (read.dtype.kind in "biu" and not valid):
        return read, where
    there = read == read if read.dtype.kind not in "biu" else np.ones(read.shape, bool)
    there = there & np.frombuffer(valid, bool).reshape(read.shape) if valid else there
    if where is None:
        return read, there
    mask = np.asarray(where)
    if mask.dtype != bool:
        raise TypeError(f"{caller}: where holds {mask.dtype}; use booleans")
    try:
        return read, there & np.broadcast_to(mask, read.shape)
    except ValueError:
        raise ValueError(f"{caller}: where does not broadcast to the shape of the array: {mask.shape} for {read.shape}") from None


def _named(caller: str, call: Callable[[], Any]) -> Any:
    """The result, or the error with the name of the caller."""
    try:
        return call()
    except (TypeError, ValueError) as failure:
        name, colon, sentence = str(failure).partition(": ")
        if not colon or not hasattr(_engine, name):
            raise
        raise type(failure)(f"{caller}: {sentence}") from None


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
        made = _named(caller, lambda: _engine.sum(found[..., None], axis=-1, **to))
        made = made if isinstance(made, np.ndarray) or out is not None else np.array(made, found.dtype)
        return made if out is not None else _beside(x, made)
    to |= {} if out is not None or not as_array else {"out": ...}
    return _named(caller, lambda: _engine.sum([found], **to))


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
    return np.asarray(array)
