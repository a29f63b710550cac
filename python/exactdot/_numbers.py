"""How Python objects other than arrays become numbers: exactly, or with a sentence that names the element.

The engine reads floats, ints, bools and lists and tuples of them itself, if one element type holds them all. It asks
`convert` about everything else: other sequences and iterators, numbers of NumPy, Decimal and Fraction, ints beyond 64
bits, and types of pandas. Each object is read in one pass. Cost: that of Python, per element.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable

import numpy as np

from exactdot._columns import COLUMNAR, Refusal, Refused, array_of, array_of_columns, as_array, backing, columns_of, fill_nulls, modules_of

OF_ML_DTYPES = ("bfloat16", "float8_e4m3fn", "float8_e5m2")  # NumPy has these with ml_dtypes only
_max_exponent = 100_000  # of ten in a Decimal: the integers of greater ones take minutes


def numpy_dtype(name: str) -> Any:
    """The dtype of this name. Throws ImportError for a type of ml_dtypes where it is not installed."""
    if name in OF_ML_DTYPES:
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


class _Memory:
    """Elements for numpy.asarray, whose array keeps this."""

    def __init__(self, keeper: Any, **interface: Any) -> None:
        self.keeper, self.__array_interface__ = keeper, {"version": 3, **interface}


def array_at(address: int, shape: tuple[int, ...], strides: tuple[int, ...], name: str, swapped: bool, keeper: Any) -> Any:
    """The elements that the engine has located, in place. keeper: the owner of their memory.

    Of a type of ml_dtypes where that is not installed: their float32, exactly.
    """
    has_words = name in OF_ML_DTYPES
    of = np.dtype(name if not has_words else np.uint16 if name == "bfloat16" else np.uint8)
    if math.prod(shape) == 0:
        words = np.empty(shape, of)
    else:
        words = np.asarray(_Memory(keeper, data=(address, True), shape=shape, strides=strides,
                                   typestr=(of.newbyteorder() if swapped else of).str))
    if not has_words:
        return words
    try:
        return words.view(numpy_dtype(name))
    except ImportError:
        return _widened(words, name)


def _widened(words: Any, name: str) -> Any:
    """The float32 of the bits of a type of ml_dtypes: the upper half of float32, or of float16 but for its exponent."""
    if name == "bfloat16":
        return np.asarray(words.astype(np.uint32) << 16, np.uint32).view(np.float32)
    halves = np.asarray(words.astype(np.uint16) << 8, np.uint16)
    if name == "float8_e5m2":
        return halves.view(np.float16).astype(np.float32)
    halves = np.asarray(halves & 0x8000 | (halves & 0x7F00) >> 1, np.uint16)
    floats = halves.view(np.float16).astype(np.float32) * np.float32(256)
    return np.where(words & 0x7F == 0x7F, np.float32(math.nan), floats)  # it has no infinities


class ExactNumbers:
    """Numbers that no one element type holds: ints, floats and Fractions in C order of a shape."""

    def __init__(self, values: list[Any], shape: tuple[int, ...], reason: str) -> None:
        self.values, self.shape, self.reason = values, shape, reason


def convert(x: Any) -> Any:
    """Returns an ndarray, ExactNumbers or a Refusal."""
    try:
        return _convert(x)
    except Refused as refused:
        return refused.args[0]


def _convert(x: Any) -> Any:
    if type(x) is list or type(x) is tuple:
        return _from_items(tuple(x))
    if isinstance(x, (str, bytes, Mapping)) or x is None:
        return Refusal(f"is not a vector; it is {_named(x)}")
    if isinstance(x, range):
        array = np.asarray(x)
        return array if array.dtype != object else _from_items(tuple(x))
    if _is_number(x):
        return _numbers_or_array([x], (), x)
    if not _is_array_like(x):
        return _from_items(tuple(x)) if isinstance(x, Iterable) else Refusal(f"is not a vector; it is {_named(x)}")
    return array_of(x)


def _is_number(x: Any) -> bool:
    if isinstance(x, np.generic):
        return not isinstance(x, (np.flexible, np.character, np.timedelta64, np.datetime64))
    return isinstance(x, (int, float)) or not (isinstance(x, type) or _is_array_like(x)) and (
        hasattr(x, "as_integer_ratio") or hasattr(type(x), "__index__"))


def _is_array_like(x: Any) -> bool:
    return any(hasattr(type(x), name) for name in ("__array__", "__array_interface__", "__dlpack__", "__buffer__"))


def _named(x: Any) -> str:
    try:
        text = repr(x)
    except ValueError:  # an integer of more digits than Python prints
        text = "of thousands of digits"
    text = text if len(text) <= 40 else text[:37] + "..."
    kind = type(x).__name__
    return text if x is None or text.startswith(kind) else f"{kind} {text}"


def _from_items(items: tuple[Any, ...]) -> Any:
    kinds = set(map(type, items))
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if kind is np.ndarray:
        is_exact = len({item.dtype for item in items}) == 1
    elif kind is not None and issubclass(kind, np.number) and not issubclass(kind, np.timedelta64):
        is_exact = True
    else:
        is_exact = all(issubclass(each, (float, np.float32, np.float16)) for each in kinds)
    if is_exact:
        return as_array(items)  # arrays or numbers of one type, or floats, which float64 holds
    values, shape = _flatten(items, "")
    return _numbers_or_array(values, shape, items)


def _flatten(items: tuple[Any, ...], before: str) -> tuple[list[Any], tuple[int, ...]]:
    """The numbers in C order and their shape. `before`: the indices of the list that holds these items."""
    plain = _plain_numbers(items)
    if plain is not None:
        return plain, (len(items),)
    values: list[Any] = []
    shape: tuple[int, ...] | None = None
    for i, item in enumerate(items):
        index = f"{before}{i}"
        inner, its_shape = _flatten_item(item, index)
        if shape is None:
            shape = its_shape
        elif shape != its_shape:
            why = f"is inhomogeneous: element {index} has shape {its_shape}, the first {shape}"
            raise Refused(Refusal(why, is_type_error=False))
        values += inner
    return values, (len(items), *(shape or ()))


def coprime(numerator: int, denominator: int) -> Fraction:
    """The Fraction of a ratio in lowest terms: Fraction itself would look for a divisor, in twice the time."""
    made: Any = object.__new__(Fraction)
    made._numerator, made._denominator = numerator, denominator
    return made  # type: ignore[no-any-return]


def _from_decimal(x: Decimal) -> Fraction:
    if abs(x.adjusted()) > _max_exponent:
        raise ValueError
    return coprime(*x.as_integer_ratio())


_PLAIN: dict[type, Callable[[Any], Any]] = {Decimal: _from_decimal, Fraction: lambda x: x, int: int, bool: int,
                                            float: float}


def _plain_numbers(items: tuple[Any, ...]) -> list[Any] | None:
    """Numbers of Python's own types as _checked makes them; None if there is another object, or one to refuse."""
    kinds = set(map(type, items))
    if not kinds <= _PLAIN.keys():
        return None
    try:
        if len(kinds) == 1:
            return list(map(_PLAIN[kinds.pop()], items))
        return [_PLAIN[type(item)](item) for item in items]
    except (ValueError, OverflowError):  # infinities, NaN, far exponents
        return None


def _no_real_number(item: Any, index: str) -> Refused:
    why = "; lists hold real numbers, arrays complex ones, too" if isinstance(item, (complex, np.complexfloating)) else ", no number"
    return Refused(Refusal(f"element {index} is {_named(item)}{why}"))


def _flatten_item(item: Any, index: str) -> tuple[list[Any], tuple[int, ...]]:
    if _is_number(item):
        return [_checked(item, index)], ()
    if isinstance(item, (str, bytes, Mapping, complex, np.timedelta64, np.datetime64)) or item is None:
        raise _no_real_number(item, index)
    if _is_array_like(item):
        if getattr(item, "requires_grad", False) is True:
            why = f"element {index} requires a gradient, which this package does not compute; pass its detach()"
            raise Refused(Refusal(why))
        array = array_of(item)
        if array.dtype.kind in "mM":
            raise Refused(Refusal(f"element {index} is of dtype {array.dtype}, no number"))
        flat = array.astype(float) if array.dtype.name in OF_ML_DTYPES else array
        return [_checked(value, index) for value in flat.ravel().tolist()], array.shape
    if isinstance(item, Iterable):
        return _flatten(tuple(item), index + ", ")
    raise _no_real_number(item, index)


def _checked(value: Any, index: str) -> Any:
    """The value as an int, a float or a Fraction, exactly: by the rule of the accumulators' operators."""
    if isinstance(value, (int, np.integer, np.bool_)):
        return int(value)
    if isinstance(value, (float, np.float32, np.float16)):
        return float(value)
    if isinstance(value, np.generic) and value.dtype.name in OF_ML_DTYPES:
        return float(value)
    if hasattr(value, "as_integer_ratio"):
        return _from_ratio(value, index)
    if hasattr(type(value), "__index__"):
        return operator.index(value)
    raise _no_real_number(value, index)


def _from_ratio(value: Any, index: str) -> Any:
    """The number whose as_integer_ratio is exact; as of floats, that of an infinity or NaN raises."""
    if isinstance(value, Decimal) and value.is_finite() and value != 0 and abs(value.adjusted()) > _max_exponent:
        why = f"element {index} is {_named(value)}; use numbers between 10^-{_max_exponent} and 10^{_max_exponent}"
        raise Refused(Refusal(why, is_type_error=False))
    try:
        ratio = value.as_integer_ratio()
    except ValueError:
        return math.nan
    except OverflowError:
        return -math.inf if value < 0 else math.inf
    if not isinstance(ratio, tuple) or len(ratio) != 2 or not all(isinstance(part, int) for part in ratio):
        raise Refused(Refusal(f"element {index} is {_named(value)}, whose as_integer_ratio returns no two ints"))
    if ratio[1] <= 0:
        why = f"element {index} is {_named(value)}, whose as_integer_ratio returns a denominator that is not positive"
        raise Refused(Refusal(why, is_type_error=False))
    return Fraction(*ratio)


def _numbers_or_array(values: list[Any], shape: tuple[int, ...], source: Any) -> Any:
    """The array that NumPy makes of them, if it holds the same numbers, and integers if all are."""
    if shape == ():
        values = [_checked(values[0], "0")]
    if not any(isinstance(value, Fraction) for value in values):
        is_integer = all(isinstance(value, int) for value in values)
        for given in (source if isinstance(source, tuple) or isinstance(source, np.generic) else values[0],
                      values if shape != () else None):
            array = None if given is None else as_array(given)
            if array is not None and _holds(array, values, is_integer):
                return array.reshape(shape)
    misfit = _misfit(values)
    index = ", ".join(map(str, np.unravel_index(misfit, shape))) if shape else ""
    reason = (f"{'element ' + index if index else 'it'} is {_named(values[misfit])}, which no element type holds"
              f"{' beside the others' if len(values) > 1 else ''}")
    return ExactNumbers(values, shape, reason)


def _holds(array: Any, values: list[Any], is_integer: bool) -> bool:
    if array.dtype == object or (is_integer and values and array.dtype.kind not in "iub"):
        return False
    plain = array.astype(float) if array.dtype.name in OF_ML_DTYPES else array
    found = plain.ravel().tolist()
    return len(found) == len(values) and all(a == b or a != a for a, b in zip(values, found))


def _misfit(values: list[Any]) -> int:
    """The index of the number that is to blame: no int64, or no float."""
    tests: list[Callable[[Any], bool]] = [
        lambda x: isinstance(x, Fraction), lambda x: isinstance(x, int) and not -2**63 <= x < 2**63,
        lambda x: isinstance(x, int) and abs(x) >> 53 != 0]
    for is_one in tests:
        found = next((i for i, value in enumerate(values) if is_one(value)), None)
        if found is not None:
            return found
    return 0


def as_floats(x: Any) -> Any:
    """Integers of a list as an array of float64 if it holds them exactly, else ExactNumbers."""
    array = np.asarray(x)
    floats = array.astype(float)
    if floats.tolist() == array.tolist():
        return floats
    return ExactNumbers(numbers_of(array).values, array.shape, "holds integers that float64 does not hold; the other "
                        "input holds floats")


def numbers_of(x: Any) -> ExactNumbers:
    """Any input as exact numbers."""
    if isinstance(x, ExactNumbers):
        return x
    array = np.asarray(x)
    plain = array.astype(float) if array.dtype.name in OF_ML_DTYPES else array
    return ExactNumbers([int(v) if isinstance(v, bool) else v for v in plain.ravel().tolist()], array.shape, "")


def convert_without_nulls(x: Any) -> tuple[Any, bytes]:
    """As convert() of x with 0 for its nulls, and a byte for each element: 0 for a null; no bytes if there is no null."""
    if not modules_of(x) & COLUMNAR or getattr(x, "nlevels", 1) > 1:  # several levels are no column
        return convert(x), b""
    named = columns_of(x)
    if named is None:
        filled, valid = fill_nulls(backing(x))
        return convert(filled), b"" if valid is None else valid.tobytes()
    parts = [fill_nulls(backing(column)) for _, column in named]
    if all(valid is None for _, valid in parts):
        return convert(x), b""
    present = [np.ones(len(parts[0][0]), np.uint8) if valid is None else valid for _, valid in parts]
    try:
        array = array_of_columns([(name, column) for (name, _), (column, _) in zip(named, parts)])
    except Refused as refused:
        return refused.args[0], b""
    return array, np.stack(present, axis=1).tobytes()


def nulls_as_nans(x: Any) -> Any:
    """A column with NaN for its nulls, integers as float64; x itself if it has none or is no column of numbers.

    Raises TypeError and ValueError, such as for integers that float64 does not hold.
    """
    if not modules_of(x) & COLUMNAR:
        return x
    array, valid = convert_without_nulls(x)
    if isinstance(array, Refusal):
        if columns_of(x) is None:
            return x  # the engine names the type of the column
        raise (TypeError if array.is_type_error else ValueError)(array.sentence)
    if not valid:
        return x
    floats = array.astype(np.float64) if array.dtype.kind in "biu" else array.copy()
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and any(map(operator.ne, floats.tolist(), array.tolist())):
        raise ValueError("holds nulls, and integers beyond 2**53; float64 does not hold both")
    floats[np.frombuffer(valid, np.uint8).reshape(floats.shape) == 0] = np.nan
    return floats
