"""Variances and deviations with a fractional ddof: from the exact sums, rounded once.

Cost: the states of the call, and a few microseconds a result; with a filter also the number of the result of each element.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from exactdot import _engine
from exactdot._exact import _array_of, _beside, _finished, _integers, _listed, root_of, round_to

_engine_call: Any = _engine  # functions without public names


def _total(words: Any, kind: str) -> Fraction | None:
    """The sum that the words of a state hold; None with infinities or NaN."""
    total = _engine.Accumulator.from_words(words, kind)
    try:
        return Fraction(*total.as_integer_ratio())
    except (ValueError, OverflowError):
        return None


def deviations(caller: str, x: Any, after: tuple[Any, ...], ddof: float, dtype: str, **options: Any) -> Any:
    """Variances and deviations with a fractional ddof: of the exact sums, one rounding.

    options: shape of x; elements of x as an array of NumPy if where or skip_nan leaves some of them; valid: a byte for each of
    these, 0 for a null, or none.
    """
    axes: Any = None
    if options["elements"] is not None:
        words, axes = _kept_moments(caller, after, options)
    else:
        words, axes = _moments(caller, x, after, options)
    host = words.cpu() if hasattr(words, "cpu") else words.get() if hasattr(words, "get") else words
    if host is not words:
        _engine.check(x, stream=options["stream"])  # what the call on the GPU could not raise
    values = exact_moments(np.asarray(host), ddof, caller.endswith("std"))
    shape = tuple(host.shape[:-1])
    if options["keepdims"]:
        shape = tuple(1 if i in axes else n for i, n in enumerate(options["shape"]))
    as_array = options["keepdims"] or options["as_array"]
    asked = None if options["out"] is not None else dtype  # out has a type
    made = _finished(caller, values, shape, (asked, dtype), options["out"], as_array, x)
    return made if made is options["out"] or isinstance(made, float) else _beside(x, made, dtype)


def _moments(caller: str, x: Any, after: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """The states of the results, and the axes that are reduced."""
    from exactdot import _states

    where = {name: options[name] for name in ("threads", "stream")}
    if caller.startswith("segment_"):
        return _states.segment_states("var", x, after[0], **where), None
    if caller.startswith("group_"):
        keys = _listed(after[0])
        groups = after[1]
        if groups is None:
            _engine_call._check_integers(keys, "keys", caller)
            read = _engine_call._read_for_numpy(keys, caller)
            groups = int(read.max()) + 1 if read.size else 0
        return _states.group_states("var", x, keys, groups, skip_out_of_range=options["skip_out_of_range"], **where), None
    axis = options["axis"]
    axes = None if axis is None and not options["keepdims"] else _engine_call._read_axes(axis, len(options["shape"]), caller)
    return _states.states("var", x, axis=axes, **where), axes


def _kept_moments(caller: str, after: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """The same of the elements that a filter keeps: the groups of all elements, by the number of their result."""
    from exactdot import _states

    array, valid = options["elements"], options["valid"]
    there = np.ones(array.shape, bool) if options["where"] is None else _mask_of(caller, options["where"], array.shape)
    if options["skip_nan"]:
        there = there & (array == array)
        there = there & np.frombuffer(valid, bool).reshape(there.shape) if valid else there
    axes: Any = None
    if caller.startswith("segment_"):
        offsets = np.array(_integers(caller, "offsets", after[0]))
        _engine.segment_sum(there, offsets)  # which names what is wrong with them
        shape: tuple[int, ...] = (len(offsets) - 1,)
        at = np.searchsorted(offsets, np.arange(len(array)), "right") - 1
    elif caller.startswith("group_"):
        keys = np.array(_integers(caller, "keys", after[0]), np.int64)
        counts = _engine.group_count(keys, after[1], skip_out_of_range=options["skip_out_of_range"])
        if array.ndim == 0 or len(keys) != len(array):
            raise ValueError(f"{caller}: there are {len(keys)} keys and {len(array) if array.ndim else 1} elements")
        shape, columns = (len(counts), *array.shape[1:]), math.prod(array.shape[1:])
        keys = np.where((keys < 0) | (keys >= len(counts)), -1, keys)
        at = keys[:, None] * columns + np.where(keys < 0, 0, 1)[:, None] * np.arange(columns)
        at = np.where(keys[:, None] < 0, -1, at)
    else:
        axes = _engine_call._read_axes(options["axis"], array.ndim, caller)
        kept = [i for i in range(array.ndim) if i not in axes]
        shape = tuple(array.shape[i] for i in kept)
        array, there = (each.transpose(*kept, *axes) for each in (array, there))
        at = np.repeat(np.arange(math.prod(shape)), math.prod(array.shape[len(kept):]))
    count = math.prod(shape)
    keys = np.where(there.reshape(-1), at.reshape(-1), -1)
    keys = np.where(keys < count, keys, -1)  # beyond the last segment
    words = _states.group_states("var", array.reshape(-1), keys, count, skip_out_of_range=True, threads=options["threads"])
    return words.reshape(*shape, -1) if count else words.reshape(*shape, words.shape[-1]), axes


def _mask_of(caller: str, where: Any, shape: tuple[int, ...]) -> Any:
    try:
        return np.broadcast_to(where, shape)
    except ValueError:
        raise ValueError(f"{caller}: where does not broadcast to the shape of the first array: {where.shape} for {shape}") from None


def exact_moments(words: Any, ddof: float, root: bool) -> list[Any]:
    """The exact variances, or their roots, of full states of 'var', in C order."""
    from exactdot import _states

    kinds = ("float32", "float64", "int32", "int64")  # every element type has the states of one of them
    kind = next(each for each in kinds if _states.state_words("var", each) == words.shape[-1])
    values: list[Any] = []
    for row in words.reshape(-1, words.shape[-1]):
        half, n = (len(row) - 1) // 2, int(row[0])
        total, squares = (_total(row[1:1 + half], kind), _total(row[1 + half:], kind)) if n > ddof else (None, None)
        if total is None or squares is None:
            values.append(math.nan)
            continue
        value = (n * squares - total**2) / (n * (n - Fraction(ddof)))
        values.append(root_of(value) if root else value)
    return values


def round_moments(words: Any, ddof: float, root: bool, dtype: str) -> Any:
    """Full states of 'var' rounded to a type: an array of the shape of the states."""
    values = exact_moments(words, ddof, root)
    return _array_of([round_to(value, dtype) for value in values], words.shape[:-1], dtype)
