"""Reductions of numbers that no element type holds: by Python's integers.

Ints of any size, Decimals and Fractions are summed as integers over common denominators; the result is the real number,
rounded once. Results of ints alone are ints that int64 or uint64 holds, others float64, unless dtype says otherwise.
Cost: a microsecond an element.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Callable

import numpy as np

from exactdot import _engine
from exactdot._numbers import OF_ML_DTYPES, ExactNumbers, coprime, numbers_of, numpy_dtype

_engine_call: Any = _engine  # functions without public names
# significant bits, the last place of the subnormals as a power of two, the first rounded number that overflows
_FORMATS = {"float16": (11, -24, 2**16), "bfloat16": (8, -133, 2**128), "float32": (24, -149, 2**128),
            "float64": (53, -1074, 2**1024), "float8_e4m3fn": (4, -9, 480), "float8_e5m2": (3, -16, 2**16)}
# of the inputs of these functions: at least, at most
_DIMENSIONS = {"dot": (1, 1), "segment": (1, 1), "group": (1, None), "vecdot": (1, None), "matvec": (1, None)}
_LIMITS = {"int64": (-2**63, 2**63 - 1), "uint64": (0, 2**64 - 1),
           **{f"int{bits}": (-2**(bits - 1), 2**(bits - 1) - 1) for bits in (8, 16, 32)},
           **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32)}}


def round_to(value: Any, name: str) -> float:
    """A rational number, infinity or NaN rounded to nearest, ties to even, to a floating-point type."""
    infinity = math.nan if name == "float8_e4m3fn" else math.inf
    if isinstance(value, float) and not math.isfinite(value):
        return math.copysign(infinity, value) if value == value else math.nan  # the canonical one
    if value == 0:
        return value if isinstance(value, float) else 0.0  # -0.0 of an extremum
    precision, lowest, overflow = _FORMATS[name]
    size = Fraction(abs(value))
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    place = max(exponent - precision + 1, lowest)
    steps = round(size / Fraction(2) ** place)  # takes ties to even
    result = infinity if steps * Fraction(2) ** place >= overflow else math.ldexp(steps, place)
    return -result if value < 0 else result


def root_of(value: Any) -> Any:
    """The root of a number >= 0, or one beside it that rounds to the same: 2 bits more than a tie needs, none lost."""
    if isinstance(value, float):
        return value
    value = Fraction(value)
    scale = max(0, 100 + value.denominator.bit_length() - value.numerator.bit_length() // 2)
    radicand = value * 4**scale
    root = math.isqrt(radicand.numerator // radicand.denominator)
    return Fraction(2 * root + (root * root != radicand), 2 ** (scale + 1))


def sum_of(terms: list[Any]) -> Any:
    """The exact sum: an int if all terms are, else a Fraction; an infinity or NaN if there is one among them."""
    numerators: dict[int, int] = {}
    special = {x for x in terms if isinstance(x, float) and not math.isfinite(x)}
    if special:
        return special.pop() if len(special) == 1 else math.nan
    for term in terms:
        numerator, denominator = term.as_integer_ratio()
        numerators[denominator] = numerators.get(denominator, 0) + numerator
    if all(isinstance(x, int) for x in terms):
        return numerators.get(1, 0)
    return sum((Fraction(numerator, denominator) for denominator, numerator in numerators.items()), Fraction(0))


def _product(x: Any, y: Any) -> Any:
    """For sum_of, which needs no lowest terms."""
    if type(x) is Fraction and type(y) is Fraction:
        return coprime(x.numerator * y.numerator, x.denominator * y.denominator)
    if isinstance(x, float) and not math.isfinite(x) or isinstance(y, float) and not math.isfinite(y):
        sign = (x > 0) - (x < 0), (y > 0) - (y < 0)
        return math.nan if x != x or y != y or 0 in sign else math.inf * sign[0] * sign[1]
    return Fraction(x) * Fraction(y) if not (isinstance(x, int) and isinstance(y, int)) else x * y


def _variance(x: list[Any], ddof: Any, root: bool) -> Any:
    n = len(x)
    total = sum_of(x)
    if n <= ddof or isinstance(total, float):
        return math.nan
    value = (n * Fraction(sum_of([_product(v, v) for v in x])) - Fraction(total) ** 2) / (n * (n - Fraction(ddof)))
    return root_of(value) if root else value


def _extremum(x: list[Any], sign: int) -> int:
    """The lowest index of the least element: NaN wins, -0.0 < 0.0."""
    def key(i: int) -> tuple[bool, Any, float]:
        value = x[i]
        is_nan = value != value
        return not is_nan, 0 if is_nan else sign * value, (
            sign * math.copysign(1.0, value) if isinstance(value, float) and value == 0 else sign * 1.0)
    return min(range(len(x)), key=key)


def _element(caller: str, x: list[Any], name: str) -> Any:
    """The least or greatest element, or its index."""
    if not x:
        raise ValueError(f"{caller}: the vector is empty, so it has no least or greatest element")
    at = _extremum(x, 1 if name.endswith("min") else -1)
    return at if name.startswith("arg") else x[at]


def _reducer(caller: str, name: str, ddof: Any) -> Callable[..., Any]:
    """The exact value of one reduction of one vector, or two."""
    if name in ("min", "max", "argmin", "argmax"):
        return lambda x: _element(caller, x, name)
    if name == "iamax":
        return lambda x: _element(caller, [abs(value) for value in x], "argmax")
    reducers: dict[str, Callable[..., Any]] = {
        "dot": lambda a, b: sum_of([_product(x, y) for x, y in zip(a, b)]),
        "sum": sum_of,
        "asum": lambda x: sum_of([abs(v) for v in x]),
        "sum_of_squares": lambda x: sum_of([_product(v, v) for v in x]),
        "norm": lambda x: root_of(sum_of([_product(v, v) for v in x])),
        "mean": lambda x: math.nan if not x else _quotient(sum_of(x), len(x)),
        "var": lambda x: _variance(x, ddof, False),
        "std": lambda x: _variance(x, ddof, True),
    }
    return reducers[name]


def _quotient(total: Any, n: int) -> Any:
    return total if isinstance(total, float) else Fraction(total) / n


def _object_array(x: ExactNumbers) -> Any:
    array = np.empty(len(x.values), object)
    array[:] = x.values
    return array.reshape(x.shape)


def _array_of(values: list[Any], shape: tuple[int, ...], dtype: str, like: Any = None) -> Any:
    """like: an array of the library that gets them by _beside(); PyTorch needs no ml_dtypes for the types that NumPy lacks."""
    wide = dtype in OF_ML_DTYPES and type(like).__module__.partition(".")[0] == "torch"
    return np.array(values, np.float32 if wide else numpy_dtype(dtype)).reshape(shape)


def _finished(caller: str, values: list[Any], shape: tuple[int, ...], types: tuple[str | None, str], out: Any,
              as_array: bool, like: Any = None) -> Any:
    """The exact results, rounded to the type asked for or the default: a number, an array (_array_of()), or out."""
    asked, default = types
    if out is not None:
        asked = _type_of_out(caller, out, shape, asked)
    name = asked or default
    allowed = [*_LIMITS, *_FORMATS] if default in _LIMITS else list(_FORMATS)
    if name not in allowed:
        ways_out = "an integer or floating-point type" if default in _LIMITS else "a floating-point type"
        raise ValueError(f"{caller}: the result type is {name}; use {ways_out}")
    if name in _FORMATS:
        results: list[Any] = [round_to(value, name) for value in values]
    else:
        results = [_as_integer(caller, value, asked) for value in values]
        if asked is None and any(value > _LIMITS["int64"][1] for value in results):
            name = "uint64"
    if out is None:
        return results[0] if shape == () and not as_array else _array_of(results, shape, name, like)
    made = _array_of(results, tuple(out.shape), name, out)
    if hasattr(out, "copy_"):  # PyTorch
        out.copy_(_beside(out, made, name))
    elif isinstance(out, np.ndarray):
        np.copyto(out, made)
    else:
        out[...] = _beside(out, made)
    return out


def _type_of_out(caller: str, out: Any, shape: tuple[int, ...], asked: str | None) -> str:
    if not hasattr(out, "shape") or not hasattr(out, "dtype"):
        raise TypeError(f"{caller}: out is a {type(out).__name__}; use an array")
    if tuple(out.shape) != shape and not (shape == () and tuple(out.shape) == (1,)):
        raise ValueError(f"{caller}: out has shape {tuple(out.shape)}, the results have {shape}")
    name = str(out.dtype).rpartition(".")[2]
    name = getattr(out.dtype, "name", name)
    if name not in _FORMATS and name not in _LIMITS:
        raise ValueError(f"{caller}: out is of {name}; use integers or floats")
    if asked is not None and asked != name:
        raise ValueError(f"{caller}: out does not have the dtype that was passed")
    return name


def _as_integer(caller: str, value: Any, name: str | None) -> int:
    low, high = _LIMITS[name] if name in _LIMITS else (_LIMITS["int64"][0], _LIMITS["uint64"][1])
    if not low <= value <= high:
        is_element = caller.endswith(("min", "max"))  # which takes no dtype
        holder = next((each for each in ("int64", "uint64") if _LIMITS[each][0] <= value <= _LIMITS[each][1]), None)
        way_out = ("convert the elements to floats, which rounds" if is_element else
                   f'use dtype="{holder}", which holds it' if holder else 'use dtype="float64", which rounds it')
        what = (f"the result does not fit into {name or 'int64 or uint64'}" if name in (None, "int64", "uint64") else
                f"the result is {value}, and {name} holds {low} to {high}")
        raise OverflowError(f"{caller}: {what}; {way_out}")
    return int(value)


def _lines(caller: str, x: Any, axis: Any, keepdims: bool) -> tuple[list[Any], tuple[int, ...]]:
    """The vectors of each result, and the shape of the results."""
    axes = _engine_call._read_axes(axis, x.ndim, caller)
    kept = [i for i in range(x.ndim) if i not in axes]
    flat = x.transpose(kept + sorted(axes)).reshape(math.prod(x.shape[i] for i in kept), -1) if x.size else (
        np.empty((math.prod(x.shape[i] for i in kept), 0), object))
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    return [(line.tolist(),) for line in flat], shape


def _pairs(caller: str, a: Any, b: Any, axis: Any) -> tuple[list[Any], tuple[int, ...]]:
    if isinstance(axis, (tuple, list)):
        raise TypeError(f"{caller}: axis is a {type(axis).__name__}; use an integer")
    a, b = (np.moveaxis(x, _engine_call._read_axes(axis, x.ndim, caller)[0], -1) for x in (a, b))
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"{caller}: the vectors differ in length: {a.shape[-1]} and {b.shape[-1]}")
    shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    a, b = np.broadcast_to(a, (*shape, a.shape[-1])), np.broadcast_to(b, (*shape, b.shape[-1]))
    n = math.prod(shape)
    return [(x.tolist(), y.tolist()) for x, y in zip(a.reshape(n, -1), b.reshape(n, -1))], shape


def _listed(given: Any) -> Any:
    """An iterator as a list: it is read twice."""
    is_array = hasattr(given, "__len__") or hasattr(given, "__dlpack__")
    return given if is_array or not isinstance(given, Iterable) else list(given)


def _integers(caller: str, name: str, given: Any) -> list[int]:
    """Offsets or keys, by the rule of those of arrays."""
    given = _listed(given)
    _engine_call._check_integers(given, name, caller)
    return [int(value) for value in _engine_call._read_for_numpy(given, caller).tolist()]


def _segments(caller: str, inputs: list[Any], offsets: Any) -> tuple[list[Any], tuple[int, ...]]:
    bounds = _integers(caller, "offsets", offsets)
    if not bounds:
        raise ValueError(f"{caller}: there is no offset; n segments have n + 1")
    if bounds != sorted(bounds) or bounds[0] < 0 or bounds[-1] > len(inputs[0]):
        raise ValueError(f"{caller}: offsets decrease or lie outside the vector")
    return [tuple(x[i:j].tolist() for x in inputs) for i, j in zip(bounds, bounds[1:])], (len(bounds) - 1,)


def _groups(caller: str, inputs: list[Any], keys: Any, groups: Any, skip: bool) -> tuple[list[Any], tuple[int, ...]]:
    of = _integers(caller, "keys", keys)
    if len(of) != len(inputs[0]):
        raise ValueError(f"{caller}: there are {len(of)} keys and {len(inputs[0])} elements")
    count = max(of, default=-1) + 1 if groups is None else _engine_call._read_count(groups, "groups", caller)
    limit = 2**20 + 16 * len(of)
    if count > limit:
        raise ValueError(f"{caller}: {count} groups of {len(of)} exact numbers; use at most {limit}, by np.unique(keys, "
                         "return_inverse=True), or elements that an array holds")
    wrong = next((key for key in of if not 0 <= key < count), None)
    if wrong is not None and not skip:
        raise ValueError(f"{caller}: key {wrong} is out of range; there are {count} groups")
    rows: list[list[int]] = [[] for _ in range(count)]
    for i, key in enumerate(of):
        if 0 <= key < count:
            rows[key].append(i)
    rest = inputs[0].shape[1:]
    lines: list[Any] = []
    for of_group in rows:
        columns = [x[of_group].reshape(len(of_group), math.prod(rest)).T.tolist() for x in inputs]
        lines += list(zip(*columns))
    return lines, (count, *rest)


def reduce(caller: str, name: str, inputs: tuple[Any, ...], after: tuple[Any, ...], dtype: str | None,
           **options: Any) -> Any:
    """A function of the package on exact numbers. caller: its name; name: that of the reduction of one vector."""
    if any(np.iscomplexobj(x) for x in inputs):
        return _of_complex(caller, name, inputs, after, dtype, options)
    numbers = [numbers_of(x) for x in inputs]
    arrays = [_object_array(x) for x in numbers]
    keepdims = options["keepdims"]
    lowest, highest = _DIMENSIONS.get(caller.partition("_")[0], (0, None))
    if any(x.ndim < lowest or (highest is not None and x.ndim > highest) for x in arrays):
        raise ValueError(f"{caller}: the inputs have {' and '.join(str(x.ndim) for x in arrays)} dimensions; use "
                         f"{lowest}{'' if highest else ' or more'}")
    if caller.startswith("segment_"):
        lines, shape = _segments(caller, arrays, after[0])
    elif caller.startswith("group_"):
        lines, shape = _groups(caller, arrays, after[0], after[1], options["skip_out_of_range"])
    elif caller == "matvec":
        lines, shape = _pairs(caller, arrays[0], arrays[1][..., None, :], -1)
    elif len(arrays) == 2:
        axis = -1 if options["axis"] is None else options["axis"]
        lines, shape = _pairs(caller, arrays[0], arrays[1], axis)
        shape = np.expand_dims(np.empty(shape), axis).shape if keepdims else shape
    else:
        lines, shape = _lines(caller, arrays[0], options["axis"], keepdims)
    call = _reducer(caller, name, options["ddof"])
    values = [call(*line) for line in lines]
    only_integers = all(isinstance(value, int) for x in numbers for value in x.values)
    default = "int64" if name.startswith("arg") or name == "iamax" or (
        only_integers and name not in ("norm", "mean", "var", "std") and caller != "vector_norm") else "float64"
    return _finished(caller, values, shape, (dtype, default), options["out"], keepdims or options["as_array"])


def _of_complex(caller: str, name: str, inputs: tuple[Any, ...], after: tuple[Any, ...], dtype: str | None, options: Any) -> Any:
    """A product of complex numbers and exact ones: that of the real parts and that of the imaginary ones."""
    out = options["out"]
    if out is not None and not np.iscomplexobj(out):
        raise TypeError(f"{caller}: out is of {getattr(out, 'dtype', type(out).__name__)}; use an array of complex64 or complex128")
    negates = caller in ("vecdot", "vdot") and np.iscomplexobj(inputs[0])
    of = None if dtype is None else "float32" if dtype == "complex64" else "float64"

    def part(which: str) -> Any:
        parts = [getattr(x, which) if np.iscomplexobj(x) else x for x in inputs]
        parts[0] = -parts[0] if negates and which == "imag" else parts[0]
        return reduce(caller, name, tuple(parts), after, of, **{**options, "out": None if out is None else getattr(out, which)})

    real, imaginary = part("real"), part("imag")
    if out is not None:
        return out
    if isinstance(real, float):
        return complex(real, imaginary)
    return np.stack((real, imaginary), -1).view(np.result_type(real, np.complex64))[..., 0]


def _beside(x: Any, results: Any, name: str = "") -> Any:
    """The results as an array of the library of x, on its device. name: their type, if that of the results is wider."""
    library = type(x).__module__.partition(".")[0]
    if library == "torch":
        import torch
        wide = torch.from_numpy(results.astype(float))  # which has bfloat16
        return wide.to(dtype=getattr(torch, name or results.dtype.name), device=x.device)
    if library == "cupy":
        import cupy  # type: ignore[import-not-found]
        return cupy.asarray(results)
    if library.startswith("jax"):
        import jax.numpy  # type: ignore[import-not-found]
        return jax.numpy.asarray(results)
    if hasattr(x, "__array_namespace__") and not isinstance(x, (np.ndarray, np.generic)):
        standard = x.__array_namespace__()  # of the array API
        if hasattr(standard, results.dtype.name):
            return standard.asarray(results, device=x.device)
    return results
