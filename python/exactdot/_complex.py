"""Reductions of complex64 and complex128: each part of a result is the real number, rounded once.

compute() gets the calls that hold complex elements (python/src/reductions.cpp). A sum is that of the real parts and that of
the imaginary ones; a norm of n numbers is the norm of 2n reals; a part of a dot product is one dot product of 2n reals, so
that what cancels between them cancels exactly. Arrays lie in host memory; products copy their second one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from exactdot import _engine
from exactdot._states import _flag

_PARTS = {"complex64": "float32", "complex128": "float64"}


def vdot(a: Any, b: Any, **options: Any) -> Any:
    """Computes the dot product of conj(a) and b, of all elements in the order of C, and rounds its parts once.

    Of real elements that of `dot`.

    Parameters
    ----------
    a, b : arrays of equal numbers of elements, of any shape
        As of `dot`.
    **options
        As of `dot`.

    Returns
    -------
    complex, or float of real elements
        vdot(a, a) has the imaginary part 0.

    Raises
    ------
    TypeError, ValueError
        As of `dot`.

    Notes
    -----
    Cost: that of two dot products of twice the length, and of a copy of b.

    Examples
    --------
    >>> import numpy as np
    >>> import exactdot as xd
    >>> xd.vdot(np.array([1j, 2.0]), np.array([1j, 3.0]))
    (7+0j)
    """
    flat_a, flat_b = (x if getattr(x, "ndim", 1) == 1 else np.asarray(x).reshape(-1) for x in (a, b))
    return _engine.vecdot(flat_a, flat_b, **options)


def compute(name: str, kind: str, inputs: tuple[Any, ...], after: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The call name(*inputs, *after, **options); an input holds complex elements.

    kind: the result is complex, of the "parts" or of "products", or real, of the "pairs" of parts.
    """
    if any(hasattr(x, "__cuda_array_interface__") for x in inputs):
        raise TypeError(f"{name}: complex elements lie in GPU memory; reduce their real and imaginary parts")
    if options.pop("add_to", None) is not None:
        raise TypeError(f"{name}: add_to is for real elements; add the real and the imaginary parts apart")
    if options.pop("ord", None) not in (None, 2):
        raise TypeError(f"{name}: the order of a norm of complex elements is 2")
    options = {key: value for key, value in options.items() if value is not None}
    arrays = [np.asarray(x) for x in inputs]
    if _flag(options.pop("skip_nan", False), "skip_nan", name):
        there = ~np.isnan(arrays[0]) if len(arrays) == 1 else ~(np.isnan(arrays[0]) | np.isnan(arrays[1]))
        options["where"] = there & options.get("where", True)
    function = getattr(_engine, name)
    if kind == "pairs":
        return _of_pairs(function, arrays[0], after, options)
    to = _Results(name, options)
    if kind == "parts":
        return to.store(*_of_parts(function, arrays[0], after, options))
    return to.store(*_products(function, arrays[0], arrays[1], after, options))


def _is_complex(x: Any) -> bool:
    return getattr(getattr(x, "dtype", None), "kind", "") == "c"


class _Results:
    """Where complex results go; takes dtype and out from the options, which become those of a part."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name, self.out = name, None
        if options.get("out") is not ...:
            self.out = options.pop("out", None)
        if self.out is not None and not (isinstance(self.out, np.ndarray) and self.out.dtype.name in _PARTS):
            held = getattr(self.out, "dtype", type(self.out).__name__)
            raise TypeError(f"{name}: out is of {held}; use an array of complex64 or complex128")
        dtype = options.get("dtype", None if self.out is None else self.out.dtype)
        if dtype is None:
            return
        try:
            kind = np.dtype(dtype).name
        except TypeError:
            kind = str(dtype)
        if kind not in _PARTS:
            raise ValueError(f"{name}: dtype is {kind}; use complex64 or complex128")
        if self.out is not None and self.out.dtype.name != kind:
            raise ValueError(f"{name}: out is of {self.out.dtype.name}, and dtype is {kind}")
        options["dtype"] = _PARTS[kind]

    def store(self, real: Any, imaginary: Any) -> Any:
        if self.out is None and not isinstance(real, np.ndarray):
            return complex(real, imaginary)
        result = self.out
        if result is None:
            result = np.empty(real.shape, np.complex64 if real.dtype == np.float32 else np.complex128)
        elif result.shape != np.shape(real):
            raise ValueError(f"{self.name}: out has shape {result.shape}, the result {np.shape(real)}")
        elif not result.flags.writeable:
            raise ValueError(f"{self.name}: out is read-only")
        result.real, result.imag = real, imaginary
        return result


def _of_pairs(function: Callable[..., Any], x: Any, after: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A reduction of real terms, of the real and the imaginary parts together."""
    name = function.__name__
    if "dtype" in options and np.dtype(options["dtype"]).kind == "c":
        raise ValueError(f"{name}: dtype is {np.dtype(options['dtype'])}; the result is real: use float32 or float64")
    try:
        if not after:
            return _of_axes(function, x[..., None].view(x.real.dtype), options)
        twice, after_twice = _layout(name, x, after, options)
        given = {**options}
        if "where" in options:
            mask = np.broadcast_to(options["where"], x.shape)
            given["where"] = twice(mask, mask)
        return function(_parts(x, twice), *after_twice, **given)
    except (TypeError, ValueError):
        function(x.real, *after, **options)  # which names what is wrong by the shapes of the caller
        raise


def _of_axes(function: Callable[..., Any], pairs: Any, options: dict[str, Any]) -> Any:
    given = {**options, "axis": (*_axes(function, options, pairs.ndim - 1), pairs.ndim - 1)}
    if "where" in options:
        given["where"] = np.asarray(options["where"])[..., None]
    keeps = _flag(options.get("keepdims", False), "keepdims", function.__name__)
    if keeps and isinstance(options.get("out"), np.ndarray):
        given["out"] = options["out"][..., None]
    result = function(pairs, **given)
    return options["out"] if isinstance(options.get("out"), np.ndarray) else result[..., 0] if keeps else result


def _axes(function: Callable[..., Any], options: dict[str, Any], dimensions: int) -> tuple[int, ...]:
    """The axes that are reduced, from 0 on."""
    if "axis" not in options:
        return tuple(range(dimensions))
    axes = options["axis"] if isinstance(options["axis"], tuple) else (options["axis"],)
    numbers = [operator.index(axis) for axis in axes]
    if any(not -dimensions <= axis < dimensions for axis in numbers):
        raise ValueError(f"{function.__name__}: axis is {options['axis']}")
    return tuple(axis % dimensions for axis in numbers)


def _of_parts(function: Callable[..., Any], x: Any, after: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """The reduction of the real parts and that of the imaginary ones: of the columns of an array of pairs."""
    name = function.__name__
    if name.startswith("segment_") or x.ndim == 0 or "negative_zero" in options:
        return function(x.real, *after, **options), function(x.imag, *after, **options)
    given = {**options}
    as_array = given.pop("out", None) is ...
    try:
        if not after:
            given["axis"] = _axes(function, options, x.ndim)
        if "where" in options:
            given["where"] = np.asarray(options["where"])[..., None]
        results = function(x[..., None].view(x.real.dtype), *after, **given)
    except (TypeError, ValueError):
        function(x.real, *after, **options)  # which names what is wrong by the shapes of the caller
        raise
    if results.ndim == 1 and not as_array:
        return float(results[0]), float(results[1])
    return results[..., 0], results[..., 1]


def _layout(name: str, x: Any, after: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """How two arrays of n reals become one of 2n whose elements have the same result, and the offsets or keys of that."""
    if name.startswith("segment_"):
        offsets = np.asarray(after[0])
        if x.ndim != 1 or offsets.dtype.kind not in "iu":
            raise ValueError(f"{name}: segments are of vectors, and offsets are integers")
        return _interleaved, (offsets.astype(np.int64) * 2,)
    if name.startswith("group_"):
        keys = np.asarray(after[0])
        return (lambda first, second: np.concatenate([first, second])), (np.concatenate([keys, keys]), *after[1:])
    axis = operator.index(options.get("axis", -1))
    if x.ndim != 0 and axis in (-1, x.ndim - 1):
        return _interleaved, after
    return (lambda first, second: np.concatenate([first, second], axis=axis)), after


def _interleaved(first: Any, second: Any) -> Any:
    both = np.empty((*first.shape, 2), first.dtype)
    both[..., 0], both[..., 1] = first, second
    return both.reshape(*first.shape[:-1], 2 * first.shape[-1])


def _parts(x: Any, twice: Callable[..., Any]) -> Any:
    """twice(x.real, x.imag), without a copy where memory holds that."""
    if twice is _interleaved and x.flags.c_contiguous:
        return x[..., None].view(x.real.dtype).reshape(*x.shape[:-1], 2 * x.shape[-1])
    return twice(x.real, x.imag)


def _products(function: Callable[..., Any], a: Any, b: Any, after: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Real and imaginary parts of Σ a·b; of Σ conj(a)·b for vecdot, as the array API has it."""
    name = function.__name__
    sign = -1 if name == "vecdot" else 1
    if not _is_complex(a):
        return function(a, b.real, *after, **options), function(a, b.imag, *after, **options)
    if not _is_complex(b):
        return function(a.real, b, *after, **options), function(a.imag if sign > 0 else -a.imag, b, *after, **options)
    try:
        twice, after_twice = _layout(name, a, after, options)
        given = {**options}
        if "where" in options:
            mask = np.broadcast_to(options["where"], np.broadcast_shapes(a.shape, b.shape))
            given["where"] = twice(mask, mask)
        left = _parts(a, twice)
        return (function(left, _parts(b if sign < 0 else np.conj(b), twice), *after_twice, **given),
                function(left, twice(b.imag, -b.real if sign < 0 else b.real), *after_twice, **given))
    except (TypeError, ValueError):
        function(a.real, b.real, *after, **options)
        raise
