"""Reductions of complex64 and complex128: each part of a result is the real number, rounded once.

compute() gets the calls that hold complex elements (python/src/complex_calls.cpp). A sum is that of the real parts and that
of the imaginary ones; a norm of n numbers is the norm of 2n reals; a part of a dot product is one dot product of 2n reals, so
that what cancels between them cancels exactly. The engine reads the parts in place, where memory holds them side by side;
what is not complex it gets as it was passed, so it is read, and refused, as in calls without complex elements.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from exactdot import _complex_on_gpu, _engine
from exactdot._columns import Refusal
from exactdot._numbers import ExactNumbers, convert
from exactdot._states import _flag

_PARTS = {"complex64": "float32", "complex128": "float64"}
_OPTIONAL = ("axis", "dtype", "out", "stream", "where", "add_to", "ord")  # whose None is the same as nothing
_CONJUGATES = ("vecdot", "vdot")  # conjugate their first input
_MALFORMED = (TypeError, ValueError, IndexError, OverflowError)


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
    complex, or float or int of real elements
        vdot(a, a) has the imaginary part 0.

    Raises
    ------
    TypeError, ValueError
        As of `dot`.

    Notes
    -----
    Cost: that of two dot products of twice the length; of vectors without options nothing is copied.

    Examples
    --------
    >>> import numpy as np
    >>> import exactdot as xd
    >>> xd.vdot(np.array([1j, 2.0]), np.array([1j, 3.0]))
    (7+0j)
    """
    return _engine.vdot(_flat("a", a), _flat("b", b), **options)


def _flat(label: str, x: Any) -> Any:
    if isinstance(x, np.ndarray) or hasattr(x, "__cuda_array_interface__") or (hasattr(x, "__dlpack__") and hasattr(x, "ndim")):
        return x if x.ndim == 1 else x.reshape(-1)
    if _is_complex(x):
        return _imported("vdot", label, x).reshape(-1)
    x = tuple(x) if isinstance(x, Iterator) else x
    found = convert(x)
    if isinstance(found, ExactNumbers):
        return found.values
    flat = _checked("vdot", label, found).reshape(-1)
    return flat.tolist() if isinstance(x, (list, tuple)) else flat  # numbers of a list have no type yet


def compute(name: str, kind: str, inputs: tuple[Any, ...], after: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The call name(*inputs, *after, **options); an input holds complex elements.

    kind: the result is complex, of the "parts" or of "products", or real, of the "pairs" of parts.
    """
    options = {key: value for key, value in options.items() if value is not None or key not in _OPTIONAL}
    if "add_to" in options:
        raise TypeError(f"{name}: add_to is for real elements; add the real and the imaginary parts apart")
    order = options.pop("ord", 2)
    if not isinstance(order, (int, float)) or order != 2:
        raise TypeError(f"{name}: the order of a norm of complex elements is 2")
    if any(_is_on_gpu(x) for x in inputs):
        return _complex_on_gpu.compute(name, kind, getattr(_engine, name), inputs, after, options)
    labels = ("a", "b") if len(inputs) == 2 else ("x",)
    arrays: list[Any] = [_imported(name, label, x) if _is_complex(x) else tuple(x) if isinstance(x, Iterator) else x
              for label, x in zip(labels, inputs)]
    after = tuple(tuple(x) if isinstance(x, Iterator) else x for x in after)
    if "where" in options:
        options["where"] = _imported(name, "where", options["where"])
        if options["where"].dtype != bool:
            raise TypeError(f"{name}: where holds {options['where'].dtype}; use booleans")
    function = getattr(_engine, name)
    if kind == "products":
        return _products(function, arrays[0], arrays[1], after, options)
    if arrays[0].ndim == 64:
        raise ValueError(f"{name}: x has 64 dimensions; complex elements have up to 63")
    if _flag(options.pop("skip_nan", False), "skip_nan", name):
        options["where"] = _intersection(name, options, ~np.isnan(arrays[0]))
    return (_of_pairs if kind == "pairs" else _of_parts)(function, arrays[0], after, options)


def _is_on_gpu(x: Any) -> bool:
    return getattr(x, "is_cuda", False) is True or hasattr(type(x), "__cuda_array_interface__")


def _is_complex(x: Any) -> bool:
    return getattr(getattr(x, "dtype", None), "kind", "") == "c"


def _imported(name: str, label: str, x: Any) -> Any:
    """The array that the engine would read."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name}: {label}: is a masked array; fill or compress it first")
    return np.asarray(x) if isinstance(x, (np.ndarray, np.generic)) else _checked(name, label, convert(x))


def _checked(name: str, label: str, found: Any) -> Any:
    if isinstance(found, Refusal):
        raise (TypeError if found.is_type_error else ValueError)(f"{name}: {label}: {found.sentence}")
    if isinstance(found, ExactNumbers):
        raise TypeError(f"{name}: {label}: {found.reason}")
    return found


def _intersection(name: str, options: dict[str, Any], there: Any) -> Any:
    """The mask of what is there, and of the mask that was passed."""
    if "where" not in options:
        return there
    try:
        return there & np.broadcast_to(options["where"], there.shape)
    except ValueError:
        raise ValueError(f"{name}: where does not broadcast to the shape of the first array: {options['where'].shape} for "
                         f"{there.shape}") from None


class _Results:
    """Where complex results go; takes dtype and out from the options, which become those of a part."""

    def __init__(self, name: str, options: dict[str, Any], inputs: tuple[Any, ...]) -> None:
        self.name, self.inputs, self.out = name, inputs, None
        if options.get("out") is not ...:
            self.out = options.pop("out", None)
        if self.out is not None and not (isinstance(self.out, np.ndarray) and self.out.dtype.name in _PARTS
                                         and not isinstance(self.out, np.ma.MaskedArray)):
            held = type(self.out).__name__ if isinstance(self.out, np.ma.MaskedArray) else getattr(self.out, "dtype", type(self.out).__name__)
            raise TypeError(f"{name}: out is of {held}; use an array of complex64 or complex128")
        dtype = options.get("dtype", None if self.out is None else self.out.dtype)
        if dtype is None:
            return
        kind = _name_of_dtype(dtype)
        if kind not in _PARTS:
            raise ValueError(f"{name}: dtype is {kind}; use complex64 or complex128")
        if self.out is not None and self.out.dtype.name != kind:
            raise ValueError(f"{name}: out is of {self.out.dtype.name}, and dtype is {kind}")
        options["dtype"] = _PARTS[kind]

    def store(self, real: Any, imaginary: Any) -> Any:
        out = self.out
        if out is None:
            if not isinstance(real, np.ndarray):
                return complex(real, imaginary)
            result = np.empty(real.shape, np.complex64 if real.dtype == np.float32 else np.complex128)
            result.real, result.imag = real, imaginary
            return result
        shape = np.shape(real)
        if out.shape != shape and not (shape == () and out.shape == (1,)):
            raise ValueError(f"{self.name}: out has shape {out.shape}, the results have {shape}")
        if not out.flags.writeable:
            raise ValueError(f"{self.name}: out is read-only")
        if _overlaps_itself(out):
            raise ValueError(f"{self.name}: results would overwrite each other; check their strides")
        if out.size > 1 and any(isinstance(x, np.ndarray) and np.may_share_memory(out, x) for x in self.inputs):
            raise ValueError(f"{self.name}: results lie within an input, or may; pass memory outside the array")
        out.real, out.imag = real, imaginary
        return out


def _name_of_dtype(dtype: Any) -> str:
    try:
        return str(np.dtype(dtype).name)
    except TypeError:
        return str(dtype)


def _overlaps_itself(out: Any) -> bool:
    """Whether some elements may share bytes."""
    extent = out.itemsize
    for stride, n in sorted((abs(stride), n) for stride, n in zip(out.strides, out.shape) if n > 1):
        if stride < extent:
            return bool(out.size)
        extent += stride * (n - 1)
    return False


def _of_pairs(function: Callable[..., Any], x: Any, after: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A reduction of real terms, of the real and the imaginary parts together."""
    name = function.__name__
    if "dtype" in options and _name_of_dtype(options["dtype"]).startswith("complex"):
        raise ValueError(f"{name}: dtype is {_name_of_dtype(options['dtype'])}; the result is real: use float32 or float64")
    try:
        if not after:
            return _of_axes(function, _pairs(x), options)
        twice, after_twice = _layout(name, x, after)
        given = {**options}
        if "where" in options:
            mask = np.broadcast_to(options["where"], x.shape)
            given["where"] = twice(mask, mask)
        return function(_side_by_side(x, twice), *after_twice, **given)
    except _MALFORMED:
        function(x.real, *after, **options)  # which names what is wrong by the shapes of the caller
        raise


def _of_axes(function: Callable[..., Any], pairs: Any, options: dict[str, Any]) -> Any:
    given = {**options, "axis": (*_axes(options, pairs.ndim - 1), pairs.ndim - 1)}
    if "where" in options:
        given["where"] = options["where"][..., None]
    keeps = _flag(options.get("keepdims", False), "keepdims", function.__name__)
    out = options.get("out", ...)
    if keeps and out is not ...:
        given["out"] = np.asarray(out)[..., None]
    result = function(pairs, **given)
    return out if out is not ... else result[..., 0] if keeps else result


def _axes(options: dict[str, Any], dimensions: int) -> tuple[int, ...]:
    """The axes that are reduced, from 0 on. Raises TypeError or ValueError for what the engine refuses, too."""
    if "axis" not in options:
        return tuple(range(dimensions))
    axes = options["axis"] if isinstance(options["axis"], (tuple, list)) else (options["axis"],)
    return tuple(_axis(axis, dimensions) % dimensions for axis in axes)


def _axis(axis: Any, dimensions: int) -> int:
    number = operator.index(axis)
    if isinstance(axis, (bool, np.bool_)) or not -dimensions <= number < dimensions:
        raise ValueError
    return number


def _of_parts(function: Callable[..., Any], x: Any, after: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The reduction of the real parts and that of the imaginary ones: of the columns of an array of pairs."""
    name = function.__name__
    to = _Results(name, options, (x,))
    if name.startswith("segment_") or x.ndim == 0 or "negative_zero" in options:
        return to.store(function(x.real, *after, **options), function(x.imag, *after, **options))
    given = {**options}
    as_array = given.pop("out", None) is ...
    try:
        if not after:
            given["axis"] = _axes(options, x.ndim)
        if "where" in options:
            given["where"] = options["where"][..., None]
        results = function(_pairs(x), *after, **given)
    except _MALFORMED:
        function(x.real, *after, **options)  # which names what is wrong by the shapes of the caller
        raise
    if results.ndim == 1 and not as_array:
        return to.store(float(results[0]), float(results[1]))
    return to.store(results[..., 0], results[..., 1])


def _layout(name: str, x: Any, after: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """How two arrays of n reals become one of 2n whose elements have the same result, and the offsets or keys of that."""
    if name.startswith("segment_"):
        offsets = _imported(name, "offsets", after[0])
        if x.ndim != 1 or offsets.dtype.kind not in "iu" or any(not 0 <= int(each) <= x.size for each in (offsets.min(), offsets.max())):
            raise ValueError
        return _interleaved, (offsets.astype(np.int64) * 2,)
    if name.startswith("group_"):
        keys = _imported(name, "keys", after[0])
        return (lambda first, second: np.concatenate([first, second])), (np.concatenate([keys, keys]), *after[1:])
    return _interleaved, after


def _pairs(x: Any) -> Any:
    """A view of the real and the imaginary parts along one more axis, the last one."""
    return x[..., None].view(x.real.dtype)


def _interleaved(first: Any, second: Any) -> Any:
    both = np.empty((*first.shape, 2), first.dtype)
    both[..., 0], both[..., 1] = first, second
    return both.reshape(*first.shape[:-1], 2 * first.shape[-1])


def _side_by_side(x: Any, twice: Callable[..., Any]) -> Any:
    """twice(x.real, x.imag), without a copy where memory holds that."""
    if twice is _interleaved and x.flags.c_contiguous:
        return _pairs(x).reshape(*x.shape[:-1], 2 * x.shape[-1])
    return twice(x.real, x.imag)


def _products(function: Callable[..., Any], a: Any, b: Any, after: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Σ a·b; Σ conj(a)·b for vecdot and vdot, as the array API and NumPy have them."""
    to = _Results(function.__name__, options, (a, b))
    of = _of_two if _is_complex(a) and _is_complex(b) else _of_one
    return to.store(*of(function, a, b, after, options))


def _of_one(function: Callable[..., Any], a: Any, b: Any, after: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """One of both is complex. The other one is the engine's to read."""
    name, is_first = function.__name__, _is_complex(a)
    z, other = (a, b) if is_first else (b, a)
    if _flag(options.get("skip_nan", False), "skip_nan", name):
        if name in _CONJUGATES and isinstance(other, np.ndarray):
            z = np.broadcast_to(z, np.broadcast_shapes(z.shape, other.shape))
        options["where"] = _intersection(name, options, ~np.isnan(z))  # of both parts; NaNs of the other input the engine skips
        is_first = True  # as the mask has its shape
    imaginary = -z.imag if name in _CONJUGATES and _is_complex(a) else z.imag
    real, imaginary = (function(*((part, other) if is_first else (other, part)), *after, **options) for part in (z.real, imaginary))
    return real, imaginary


def _of_two(function: Callable[..., Any], a: Any, b: Any, after: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    name = function.__name__
    given = {key: value for key, value in options.items() if key not in ("where", "skip_nan", "axis", "keepdims")}
    try:
        is_skipping = _flag(options.get("skip_nan", False), "skip_nan", name)
        axis = _axis(options.get("axis", -1), min(a.ndim, b.ndim)) if name == "vecdot" else -1
        mask = np.broadcast_to(options["where"], a.shape) if "where" in options else None
        first, second = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
        if mask is not None or is_skipping:
            shape = np.broadcast_shapes(first.shape, second.shape)
            there = True if mask is None else np.moveaxis(mask, axis, -1)
            if is_skipping:
                there = there & ~(np.isnan(first) | np.isnan(second))
            first, mask = np.broadcast_to(first, shape), np.broadcast_to(there, shape)
        if first.shape[-1] != second.shape[-1]:
            raise ValueError
        twice, after_twice = _layout(name, a, after)
        if mask is not None:
            given["where"] = twice(mask, mask)
        left, right = _side_by_side(first, twice), second if name in _CONJUGATES else np.conj(second)
        results = (function(left, _side_by_side(right, twice), *after_twice, **given),
                   function(left, twice(second.imag, -second.real if name in _CONJUGATES else second.real), *after_twice, **given))
    except _MALFORMED:
        function(a.real, b.real, *after, **options)  # which names what is wrong by the shapes of the caller
        raise
    if name == "vecdot" and _flag(options.get("keepdims", False), "keepdims", name):
        return np.expand_dims(results[0], axis), np.expand_dims(results[1], axis)
    return results
