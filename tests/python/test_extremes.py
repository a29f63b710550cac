"""minmax beside min and max, iamax beside its definition, and the norms of the orders 0, 1, infinity and minus infinity."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from element_types import dtype_of
from hypothesis import given, strategies as st
from reference import bits

import exactdot as xd

ALL = ["float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64", *(f"{sign}int{n}" for sign in ("", "u") for n in (8, 16, 32, 64))]
NUMBERS = st.sampled_from([0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 100.0, -100.0, math.inf, -math.inf, math.nan])


def same(found: Any, expected: Any) -> bool:
    """Of arrays or numbers: their types, and their bits."""
    if isinstance(expected, np.ndarray):
        return isinstance(found, np.ndarray) and (found.dtype, found.shape) == (expected.dtype, expected.shape) and found.tobytes() == expected.tobytes()
    return type(found) is type(expected) and bits(float(found)) == bits(float(expected))


def are_both(found: Any, *arguments: Any, of: str = "", **options: Any) -> bool:
    """Whether a tuple holds the results of min and of max."""
    least, greatest = (getattr(xd, f"{of}{name}")(*arguments, **options) for name in ("min", "max"))
    return type(found) is tuple and len(found) == 2 and same(found[0], least) and same(found[1], greatest)


@pytest.mark.parametrize("dtype", ALL)
def test_every_type_and_shape(dtype: str) -> None:
    random = np.random.default_rng(7)
    x = random.integers(-100 if dtype[0] != "u" else 0, 100, (6, 700)).astype(dtype_of(dtype))
    for array in (x, x[::-1, ::3], x.T, x[0], x[0, :1], np.asfortranarray(x)):
        assert are_both(xd.minmax(array), array) and are_both(xd.minmax(array, threads=2), array)
        for axis in range(array.ndim):
            assert are_both(xd.minmax(array, axis), array, axis) and are_both(xd.minmax(array, axis=axis, keepdims=True), array, axis=axis, keepdims=True)
    keys, offsets = random.integers(0, 3, 6), [0, 1, 699, 700]
    assert are_both(xd.group_minmax(x, keys, 3), x, keys, 3, of="group_") and are_both(xd.segment_minmax(x[0], offsets), x[0], offsets, of="segment_")
    mask = random.random(x.shape) < 0.5
    assert are_both(xd.minmax(x, axis=1, where=mask), x, axis=1, where=mask) and are_both(xd.minmax(x, where=mask, initial=3), x, where=mask, initial=3)


def test_long_vectors_are_read_in_stretches() -> None:
    x = np.linspace(-1.0, 1.0, 2**18 + 7)
    np.random.default_rng(1).shuffle(x)
    for n in (2047, 2048, 2049, 4096, 131_072, len(x)):
        for array in (x[:n], x[: 2 * n : 2], x[:n].astype("f4"), x[:n].astype(">f8"), x[:n][::-1]):
            for threads in (1, 2):
                assert are_both(xd.minmax(array, threads=threads), array)
                assert xd.iamax(array, threads=threads) == int(np.argmax(np.abs(array)))
    late = np.zeros(10_000)
    late[[5000, 9000]] = -5, 5
    assert xd.iamax(late) == 5000 and xd.minmax(late) == (-5, 5)


@given(st.lists(NUMBERS, min_size=1, max_size=9), st.sampled_from(["f2", "f4", "f8"]))
def test_special_values(values: list[float], dtype: str) -> None:
    x = np.array(values, dtype)
    assert are_both(xd.minmax(x), x) and are_both(xd.minmax(values), values)
    at = next((i for i, value in enumerate(values) if value != value), None)
    expected = at if at is not None else max(range(len(values)), key=lambda i: (abs(values[i]), -i))
    assert xd.iamax(x) == xd.iamax(values) == xd.iamax(x[None], axis=1)[0] == xd.iamax(x[:, None]) == expected
    assert xd.iamax(x, threads=2) == xd.iamax(iter(values)) == expected
    present = [value for value in values if value == value]
    if present:
        kept = [i for i, value in enumerate(values) if value == value]
        assert xd.iamax(x, skip_nan=True) == max(kept, key=lambda i: (abs(values[i]), -i))


@pytest.mark.parametrize("dtype", ("f8", ">f4", "f2", "i8", "u1", ">i2"))
def test_magnitudes_along_axes(dtype: str) -> None:
    random = np.random.default_rng(5)
    whole = random.integers(-9 if dtype[-2] != "u" else 0, 9, (4, 5, 6)).astype(dtype)
    if dtype[-2] == "f":
        whole[1, 2, 3] = whole[3, 0, 1] = np.nan
    for x in (whole, whole[::-1, ::2, ::-3], whole.T, np.asfortranarray(whole), np.broadcast_to(whole[:1], (3, 5, 6))):
        plain = np.abs(x.astype("f8"))
        assert xd.iamax(x) == int(np.argmax(plain))
        mask = random.random(x.shape) < 0.8
        mask[0, 0, 0] = True
        kept = np.where(mask, plain, -1)
        assert xd.iamax(x, where=mask) == int(np.argmax(kept))
        for axis in (0, 1, -1):
            assert np.array_equal(xd.iamax(x, axis=axis), np.argmax(plain, axis=axis))
            assert np.array_equal(xd.iamax(x, axis=axis, keepdims=True), np.argmax(plain, axis=axis, keepdims=True))
            if mask.any(axis=axis).all():
                assert np.array_equal(xd.iamax(x, axis=axis, where=mask), np.argmax(kept, axis=axis))


@pytest.mark.parametrize("dtype", [name for name in ALL if "int" in name])
def test_the_largest_magnitude_of_integers(dtype: str) -> None:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    for values in ([0, low, high], [high, low], [low, low, high], [high - 1, 1, high], [0, 0]):
        x = np.array(values, dtype)
        expected = max(range(len(values)), key=lambda i: (abs(values[i]), -i))
        rows = np.stack([x, x[::-1]])
        assert xd.iamax(x) == xd.iamax(rows, axis=1)[0] == xd.iamax(x[::-1][::-1]) == expected
        assert xd.iamax(rows, axis=1, keepdims=True).shape == (2, 1)
        largest, least = max(map(abs, values)), min(map(abs, values))
        for order, magnitude in ((math.inf, largest), (-math.inf, least), (0, sum(value != 0 for value in values))):
            assert xd.norm(x, ord=order) == float(magnitude) and xd.norm(x, ord=order, dtype="f4") == float(np.float32(float(magnitude)))
            assert xd.norm(rows, ord=order, axis=1).tolist() == [float(magnitude)] * 2


@pytest.mark.parametrize("call", [xd.norm, xd.linalg.vector_norm])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "bfloat16", "float8_e4m3fn"])
def test_norms_of_other_orders(call: Any, dtype: str) -> None:
    random = np.random.default_rng(3)
    x = random.integers(-9, 9, (3, 4, 5)).astype(dtype_of(dtype))
    plain = x.astype(float)
    for axis in (None, 0, 2, (0, 1), (0, 1, 2), -1):
        axes = tuple(range(3)) if axis is None else axis
        for keepdims in (False, True):
            for order, expected in ((math.inf, np.abs(plain).max(axes, keepdims=keepdims)), (-math.inf, np.abs(plain).min(axes, keepdims=keepdims)),
                                    (0, (plain != 0).sum(axes, keepdims=keepdims)), (1, np.abs(plain).sum(axes, keepdims=keepdims))):
                found = call(x, ord=order, axis=axis, keepdims=keepdims, dtype="f8")
                assert np.array_equal(found, expected) and np.shape(found) == np.shape(expected)
                typed = call(x, ord=order, axis=axis, keepdims=keepdims)
                assert not isinstance(typed, np.ndarray) or typed.dtype == x.dtype
    assert call(x, ord=2) == call(x) and call(x[0], ord=2.0, axis=0).dtype == x.dtype
    out = np.zeros(3, "f4")
    assert call(x, ord=np.inf, axis=(1, 2), out=out) is out and out.tolist() == np.abs(plain).max((1, 2)).tolist()
    assert call(x, ord=0, out=...).dtype == x.dtype and call(x, ord=-np.inf, out=...).shape == ()


def test_norms_of_special_values_and_nothing() -> None:
    nan = np.array([[1.0, np.nan], [-0.0, -np.inf]])
    assert math.isnan(xd.norm(nan, ord=np.inf)) and math.isnan(xd.norm(nan, ord=-np.inf)) and xd.norm(nan, ord=0) == 3
    assert xd.norm(nan, ord=np.inf, skip_nan=True) == np.inf and xd.norm(nan, ord=-np.inf, skip_nan=True) == 0 and xd.norm(nan, ord=0, skip_nan=True) == 2
    assert bits(xd.norm([-0.0], ord=np.inf)) == bits(xd.norm([-0.0], ord=-np.inf)) == bits(xd.norm([-0.0], ord=0)) == bits(0.0)
    assert xd.norm(nan, ord=0, where=[[True], [False]], axis=1).tolist() == [2, 0]
    assert xd.norm(nan, ord=np.inf, where=[[True], [False]], axis=1, skip_nan=True).tolist() == [1, 0]
    for order in (0, 1, 2, np.inf):
        assert xd.norm([], ord=order) == 0 and xd.norm(np.zeros((2, 0)), ord=order, axis=1).tolist() == [0, 0]
    with pytest.raises(ValueError, match="^norm: the vector is empty"):
        xd.norm([], ord=-np.inf)
    with pytest.raises(ValueError, match="^norm: no element is left of a result, which has no least or greatest one then$"):
        xd.norm([np.nan], ord=-np.inf, skip_nan=True)  # norm takes no initial
    with pytest.raises(ValueError, match="^min: no element is left of a result.*; pass initial$"):
        xd.min([np.nan], skip_nan=True)


def test_what_iamax_returns() -> None:
    assert "int, or with an axis an array of int64" in xd.iamax.__doc__ and "out" not in xd.iamax.__text_signature__
    assert type(xd.iamax([1.0])) is int and xd.iamax([[1.0, -2.0]], axis=1).dtype == np.int64


def test_norms_of_other_objects() -> None:
    third = Fraction(1, 3)
    for x, largest, least, count in (([third, -2, 0], 2.0, 0.0, 2.0), ([Decimal("-0.1"), 2**70], float(2**70), 0.1, 2.0), (iter([3, -4]), 4.0, 3.0, 2.0),
                                     (range(-3, 3), 3.0, 0.0, 5.0), ([True, False], 1.0, 0.0, 1.0), (-5, 5.0, 5.0, 1.0), ([[2**70], [-third]], float(2**70), 1 / 3, 2.0)):
        values = list(x) if hasattr(x, "__next__") else x
        again = (lambda values=values, x=x: iter(values) if hasattr(x, "__next__") else values)
        assert (xd.norm(again(), ord=np.inf), xd.norm(again(), ord=-np.inf), xd.norm(again(), ord=0)) == (largest, least, count)
    assert xd.norm([[2**70, 1], [third, third]], ord=np.inf, axis=1).tolist() == [float(2**70), 1 / 3]
    for name in ("pandas", "polars", "pyarrow"):
        library = pytest.importorskip(name)
        column = library.Series([1, None, -3], dtype="Int64") if name == "pandas" else library.Series([1, None, -3]) if name == "polars" else library.array([1, None, -3])
        assert [xd.norm(column, ord=order, skip_nan=True) for order in (0, 1, np.inf, -np.inf)] == [2, 4, 3, 1]
        with pytest.raises(ValueError, match="^norm: x: holds 1 null, at index 1"):
            xd.norm(column, ord=0)
    assert xd.iamax([2**70, -2**71]) == 1 and xd.iamax([third, -third]) == 0 and xd.minmax([third, 2]) == (1 / 3, 2.0)
    assert xd.norm([np.ones(3), -np.ones((2, 2))], ord=1) == 7.0


def test_wrong_arguments() -> None:
    x = np.ones((2, 3))
    wrong: list[Any] = [
        *((lambda order=order: xd.norm(x, ord=order), ValueError, "^norm: ord is .*; use 2, 1, 0, inf or -inf") for order in (3, -1, -2, 0.5, "fro", "nuc", math.nan, [1], "inf")),
        (lambda: xd.norm([x, x], ord=np.inf), ValueError, "^norm: ord is inf; a list of arrays has norms of the orders 2 and 1"),
        (lambda: xd.norm(x, np.inf), TypeError, "^norm: 2 positional arguments; use one array, x, and name what follows: axis= or ord="),
        (lambda: xd.norm(x, p=1), TypeError, "^norm: unknown argument 'p'; use ord"),
        (lambda: xd.norm(x * 1j, ord=np.inf), TypeError, "^norm: the order of a norm of complex elements is 2"),
        (lambda: xd.norm(x, ord=0, axis=5), IndexError, "^norm: axis is 5, the array has 2 dimensions"),
        (lambda: xd.norm(x, ord=np.inf, axis=5), IndexError, "^norm: axis is 5"),
        (lambda: xd.norm(x, ord=0, where=[1, 0, 1]), TypeError, "^norm: where holds int64; use booleans"),
        (lambda: xd.norm(x, ord=0, where=[1, 0, 1], skip_nan=True), TypeError, "^norm: where holds int64; use booleans"),
        (lambda: xd.norm(x, ord=0, where=[True, False], skip_nan=True), ValueError, "^norm: where does not broadcast"),
        (lambda: xd.norm(x, ord=np.inf, out=np.zeros(2)), ValueError, "^norm: out has"),
        (lambda: xd.norm(x, ord=np.inf, stream=1), ValueError, "^norm: stream is for vectors in GPU memory"),
        (lambda: xd.norm("abc", ord=np.inf), TypeError, "^norm: x: is not a vector; it is str"),
        (lambda: xd.norm([third_of_nothing for third_of_nothing in (Fraction(1, 3), 2)], ord=0, skip_nan=True), TypeError, "^norm: x: element 0 is"),
        (lambda: xd.group_norm(x, [0, 0], ord=1), TypeError, "^group_norm: unknown argument 'ord'"),
        (lambda: xd.minmax(x, out=np.zeros(2)), TypeError, "^minmax: unknown argument 'out'"),
        (lambda: xd.minmax([]), ValueError, "^minmax: the vector is empty"),
        (lambda: xd.minmax(np.zeros((0, 0)), axis=0), ValueError, "^minmax: the vectors are empty"),
        (lambda: xd.minmax(x * 1j), TypeError, "^minmax: x: elements are of dtype complex128"),
        (lambda: xd.minmax(), TypeError, "^minmax: argument 'x' is missing"),
        (lambda: xd.minmax(x[0], stream=1), ValueError, "^minmax: stream is for vectors in GPU memory"),
        (lambda: xd.group_minmax([1.0], [1]), ValueError, "^group_minmax: .*empty"),
        (lambda: xd.segment_minmax([1.0], [0, 0]), ValueError, "^segment_minmax: .*empty"),
        (lambda: xd.iamax([]), ValueError, "^iamax: the vector is empty"),
        (lambda: xd.iamax(x, axis=(0, 1)), TypeError, "^iamax: axis is a tuple; use an integer or None"),
        (lambda: xd.iamax(np.array([math.nan]), skip_nan=True), ValueError, "^iamax: no element is left"),
        (lambda: xd.iamax(np.datetime64(5, "D")), TypeError, r"^iamax: x: elements are of dtype datetime64\[D\]"),
        (lambda: xd.iamax([np.ma.masked_array([1.0], [True])]), TypeError, "^iamax: x: "),
    ]
    for call, kind, why in wrong:
        with pytest.raises(kind, match=why):
            call()


class Lying:
    """An object whose __array__ gives something else each time."""

    def __init__(self, *given: Any) -> None:
        self.given = list(given)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        found = self.given.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


class Raising(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        raise LookupError("no item")


def test_objects_that_lie() -> None:
    calls: list[Any] = [xd.minmax, xd.iamax, *(lambda x, order=order, **more: xd.norm(x, ord=order, **more) for order in (0, np.inf, -np.inf))]
    for call in calls:
        x = np.array([1.0, -3.0, 0.0])
        for lie in (LookupError("no array"), None, np.array([None]), np.array(["a"]), np.array([1j])):
            with pytest.raises((LookupError, TypeError, ValueError)):
                call(Lying(lie))
        assert call(Lying(x, x)) == call(x)
        with pytest.raises(LookupError, match="no item"):
            call(Raising([1.0, 2.0]))
        with pytest.raises(LookupError, match="half"):
            call(half())
        for where in ("abc", object(), [[True]] * 3, {"a": 1}, [1, 0, 1]):
            with pytest.raises((TypeError, ValueError)):
                call(x, where=where)
            with pytest.raises((TypeError, ValueError)):
                call(x, where=where, skip_nan=True)


def half() -> Any:
    yield 1.0
    raise LookupError("half")


def test_scalars_of_dates_are_refused() -> None:
    for value in (np.datetime64("2026-01-01"), np.timedelta64(3, "s"), np.array("2026-01-01", "M8[D]"), [np.timedelta64(3, "s")]):
        for call in (xd.sum, xd.minmax, xd.Accumulator("int64").add, lambda x: xd.states("sum", x), lambda x: xd.dot(x, [1])):
            with pytest.raises(TypeError, match="is of dtype|are of dtype (datetime|timedelta)64|is (datetime|timedelta)64"):
                call(value)
