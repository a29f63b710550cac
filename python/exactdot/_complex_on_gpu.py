"""Reductions of complex elements in GPU memory, with the functions of the array's library.

compute() gets these calls (python/src/complex_calls.cpp). A sum is that of the real parts and that of the imaginary ones; a norm
of n numbers is the norm of 2n reals; a part of a dot product is one dot product of 2n reals, so that what cancels between them
cancels exactly. Parts are read in place. A product of two complex arrays takes copies of the second one by its library, with the parts of each
number conjugated or exchanged, and of the first one unless its numbers follow each other.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any


class _Torch:
    """PyTorch's functions."""

    name = "PyTorch"

    def __init__(self) -> None:
        self.library: Any = sys.modules["torch"]

    def pairs(self, x: Any) -> Any:
        return self.library.view_as_real(x.resolve_conj())

    def joined(self, real: Any, imaginary: Any) -> Any:
        return self.library.stack((real, imaginary), -1)

    def numbers(self, pairs: Any) -> Any:
        return self.library.view_as_complex(pairs.contiguous())

    def wide(self, integers: Any) -> Any:
        return integers.to(self.library.int64)

    def twice(self, keys: Any) -> Any:
        return keys.repeat_interleave(2)

    def store(self, out: Any, results: Any) -> None:
        out.copy_(results)

    def moved(self, x: Any, axis: int) -> Any:
        return self.library.moveaxis(x, axis, -1)

    def with_axis(self, x: Any, axis: int) -> Any:
        return x.unsqueeze(axis)


class _CuPy:
    """CuPy's functions."""

    name = "CuPy"

    def __init__(self) -> None:
        self.library: Any = sys.modules["cupy"]

    def pairs(self, x: Any) -> Any:
        half = x.itemsize // 2
        return self.library.lib.stride_tricks.as_strided(x.real, (*x.shape, 2), (*x.strides, half))

    def joined(self, real: Any, imaginary: Any) -> Any:
        return self.library.stack((real, imaginary), -1)

    def numbers(self, pairs: Any) -> Any:
        kind = self.library.complex64 if pairs.dtype == self.library.float32 else self.library.complex128
        return self.library.ascontiguousarray(pairs).view(kind)[..., 0]

    def wide(self, integers: Any) -> Any:
        return integers.astype(self.library.int64)

    def twice(self, keys: Any) -> Any:
        return self.library.repeat(keys, 2)

    def store(self, out: Any, results: Any) -> None:
        out[...] = results

    def moved(self, x: Any, axis: int) -> Any:
        return self.library.moveaxis(x, axis, -1)

    def with_axis(self, x: Any, axis: int) -> Any:
        return self.library.expand_dims(x, axis)


class _Jax(_CuPy):
    """JAX's functions. Its arrays are not written to."""

    name = "JAX"

    def __init__(self) -> None:
        self.library = sys.modules["jax"].numpy

    def pairs(self, x: Any) -> Any:
        return self.joined(x.real, x.imag)

    def numbers(self, pairs: Any) -> Any:
        return sys.modules["jax"].lax.complex(pairs[..., 0], pairs[..., 1])

    def store(self, out: Any, results: Any) -> None:
        raise TypeError("out is a JAX array, which cannot be written to")


_LIBRARIES = {"torch": _Torch, "cupy": _CuPy, "jaxlib": _Jax, "jax": _Jax}
_PARTS = {"complex64": "float32", "complex128": "float64"}
_OPTIONAL = ("axis", "dtype", "out", "stream", "where", "add_to", "ord")  # whose None is the same as nothing


def is_complex(x: Any) -> bool:
    dtype = getattr(x, "dtype", None)
    return getattr(dtype, "kind", "") == "c" or getattr(dtype, "is_complex", False) is True


def _module_of(x: Any) -> str:
    return type(x).__module__.partition(".")[0]


def compute(name: str, kind: str, function: Callable[..., Any], inputs: tuple[Any, ...], after: tuple[Any, ...],
            options: dict[str, Any]) -> Any:
    """The call name(*inputs, *after, **options), which is one of `function`; an input holds complex elements.

    kind: the result is complex, of the "parts" or of "products", or real, of the "pairs" of parts.
    """
    options = {key: value for key, value in options.items() if value is not None or key not in _OPTIONAL}
    if "add_to" in options and "out" in options:
        raise TypeError(f"{name}: out and add_to; add_to alone is the array that the results go to")
    order = options.pop("ord", 2)
    if not isinstance(order, (int, float)) or order != 2:
        raise TypeError(f"{name}: the order of a norm of complex elements is 2")
    if name == "vdot":
        inputs = tuple(x if getattr(x, "ndim", 1) == 1 else x.reshape(-1) for x in inputs)
    first = next(x for x in inputs if is_complex(x))
    module = _module_of(first)
    if module not in _LIBRARIES:
        raise TypeError(f"{name}: complex elements in GPU memory are reduced in arrays of PyTorch, CuPy or JAX, not {type(first).__name__}")
    library: Any = _LIBRARIES[module]()
    try:
        return _computed(name, kind, library, function, inputs, after, dict(options))
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError):
        if kind != "products" and not after:  # whose axes are the caller's
            raise
        real = {key: value for key, value in options.items() if key not in ("out", "dtype")}
        if (table := real.pop("add_to", None)) is not None and hasattr(table, "shape"):
            real["add_to"] = table.real + 0  # a copy
        function(*(x.real if is_complex(x) else x for x in inputs), *after, **real)  # names what is wrong by the caller's shapes
        raise


def _computed(name: str, kind: str, library: Any, function: Callable[..., Any], inputs: tuple[Any, ...], after: tuple[Any, ...],
              options: dict[str, Any]) -> Any:
    if kind == "pairs":
        return _of_pairs(name, library, function, next(x for x in inputs if is_complex(x)), after, options)
    added = options.get("add_to")
    out, called = (_taken_out(name, options), "out") if added is None else (added, "add_to")
    if out is not None and not is_complex(out):
        raise TypeError(f"{name}: {called} is of {getattr(out, 'dtype', type(out).__name__)}; use an array of complex64 or complex128")
    if out is not None and _LIBRARIES.get(_module_of(out)) is not type(library):
        raise TypeError(f"{name}: {called} is no array of {library.name} as the elements are")
    if added is not None:
        parts = library.pairs(added)
        options["add_to"] = library.joined(parts[..., 0], parts[..., 1])  # a copy
    if options.get("dtype") is not None:
        dtype = str(getattr(options["dtype"], "__name__", options["dtype"])).removeprefix("torch.")
        if dtype not in _PARTS:
            raise ValueError(f"{name}: dtype is {dtype}; use complex64 or complex128")
        options["dtype"] = _PARTS[dtype]
    elif out is not None:
        options["dtype"] = _PARTS[str(out.dtype).removeprefix("torch.")]
    results = (_of_parts if kind == "parts" else _of_products)(name, library, function, inputs, after, options)
    if out is None:
        return results
    if tuple(out.shape) != (getattr(results, "shape", ()) or tuple(out.shape)):
        raise ValueError(f"{name}: out has shape {tuple(out.shape)}, the results have {tuple(results.shape)}")
    library.store(out, results)
    return out


def _taken_out(name: str, options: dict[str, Any]) -> Any:
    out = options.pop("out", None)
    if out is ...:
        raise TypeError(f"{name}: out=... is for arrays in host memory")
    return out


def _axes(name: str, options: dict[str, Any], dimensions: int) -> tuple[int, ...]:
    """The axes that are reduced, from 0 on."""
    axes = options.get("axis")
    axes = tuple(range(dimensions)) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
    return tuple(_axis(name, axis, dimensions) for axis in axes)


def _axis(name: str, axis: Any, dimensions: int) -> int:
    number = operator.index(axis)
    if isinstance(axis, bool) or not -dimensions <= number < dimensions:
        raise ValueError(f"{name}: axis {axis} is out of range for {dimensions} dimensions")
    return number % dimensions


def _of_parts(name: str, library: Any, function: Callable[..., Any], inputs: tuple[Any, ...], after: tuple[Any, ...],
              options: dict[str, Any]) -> Any:
    x = inputs[0]
    pairs = library.pairs(x)
    if name.startswith("segment_"):
        return library.numbers(library.joined(*(function(pairs[..., k], *after, **options) for k in range(2))))
    if not after:
        options["axis"] = _axes(name, options, x.ndim)
    results = function(pairs, *after, **options)
    if results.ndim == 1:
        return complex(float(results[0]), float(results[1]))
    return library.numbers(results)


def _interleaved(library: Any, pairs: Any, after: tuple[Any, ...]) -> Any:
    """The reals of pairs, one after the other along the axis that is reduced: the first of segments and groups, else the last."""
    if not after:
        return pairs.reshape((*pairs.shape[:-2], 2 * pairs.shape[-2]))
    return library.library.moveaxis(pairs, -1, 1).reshape((2 * pairs.shape[0], *pairs.shape[1:-1]))


def _of_reals(name: str, library: Any, after: tuple[Any, ...]) -> tuple[Any, ...]:
    """The offsets or keys of numbers, for their reals."""
    if name.startswith("segment_"):
        return (2 * library.wide(after[0]), *after[1:])
    return (library.twice(after[0]), *after[1:]) if after else after


def _of_pairs(name: str, library: Any, function: Callable[..., Any], x: Any, after: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if after:
        return function(_interleaved(library, library.pairs(x), after), *_of_reals(name, library, after), **options)
    axes = _axes(name, options, x.ndim)
    options["axis"] = (*axes, x.ndim)
    keeps, out = bool(options.get("keepdims")), options.get("out")
    if not keeps:
        return function(library.pairs(x), **options)
    if out is not None:
        options["out"] = out[..., None]
    results = function(library.pairs(x), **options)
    return results[..., 0] if out is None else out


def _of_products(name: str, library: Any, function: Callable[..., Any], inputs: tuple[Any, ...], after: tuple[Any, ...],
                 options: dict[str, Any]) -> Any:
    a, b = inputs
    conjugates = name in ("vecdot", "vdot")
    added = options.pop("add_to", None)

    def part(k: int, first: Any, second: Any) -> Any:
        to = {} if added is None else {"add_to": added[..., k]}
        return function(first, second, *after, **options, **to)

    if is_complex(a) and is_complex(b):
        keeps, axis = bool(options.pop("keepdims", False)), options.pop("axis", -1)
        first, second = (x if axis == -1 else library.moved(x, axis) for x in (a, b))
        left, parts = _interleaved(library, library.pairs(first), after), library.pairs(second)
        real, imaginary = parts[..., 0], parts[..., 1]
        sign = -1 if conjugates else 1
        factors = (real, -sign * imaginary), (imaginary, sign * real)
        rights = [_interleaved(library, library.joined(*each), after) for each in factors]
        after = _of_reals(name, library, after)
        found = tuple(part(k, left, rights[k]) for k in range(2))
        if keeps:
            found = tuple(each[..., None] if axis == -1 else library.with_axis(each, axis) for each in found)
    else:
        is_first = is_complex(a)
        parts = library.pairs(a if is_first else b)
        imaginary = -parts[..., 1] if conjugates and is_first else parts[..., 1]
        of_parts = parts[..., 0], imaginary
        found = tuple(part(k, *((of_parts[k], b) if is_first else (a, of_parts[k]))) for k in range(2))
    if isinstance(found[0], float):
        return complex(*found)
    return library.numbers(library.joined(*found))
