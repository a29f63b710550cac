"""Accumulators and Moments as numbers: sums, comparisons, quotients and conversions against Fraction."""

from __future__ import annotations

import math
import operator
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from element_types import FLOATS, INTEGERS, dtype_of
from reference import FORMATS, bits, rounded

TYPES = FLOATS + INTEGERS
finite = st.floats(allow_nan=False, allow_infinity=False)


def value(acc: xd.Accumulator) -> Fraction:
    return Fraction(*acc.as_integer_ratio())


def sum_of(*numbers: Any, dtype: str = "float64") -> xd.Accumulator:
    acc = xd.Accumulator(dtype)
    for number in numbers:
        acc += number
    return acc


@given(st.lists(finite, max_size=6), st.lists(finite, max_size=6))
def test_sums_are_exact(a: list[float], b: list[float]) -> None:
    left, right = sum_of(*a), sum_of(*b)
    exact_left, exact_right = sum(map(Fraction, a), Fraction()), sum(map(Fraction, b), Fraction())
    assert value(left) == exact_left and value(right) == exact_right
    assert value(left + right) == value(right + left) == exact_left + exact_right
    assert value(left - right) == exact_left - exact_right
    assert value(-left) == -exact_left and value(+left) == exact_left and value(abs(left)) == abs(exact_left)
    for x in b:
        assert value(left + x) == value(x + left) == exact_left + Fraction(x)
        assert value(left - x) == -value(x - left) == exact_left - Fraction(x)
        for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
            assert compare(left, x) == compare(exact_left, Fraction(x))
            assert compare(x, left) == compare(Fraction(x), exact_left)
    for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        assert compare(left, right) == compare(exact_left, exact_right)
    assert int(left) == int(exact_left) and bool(left) == bool(exact_left)
    left -= right
    assert value(left) == exact_left - exact_right


def test_the_operands_stay_as_they_are() -> None:
    a, b = sum_of(1.5), sum_of(0.25)
    for made in (a + b, a - b, -a, +a, abs(a), a + 1, 1 - a):
        assert made is not a and made is not b
        made.clear()
    assert a == 1.5 and b == 0.25
    same = a
    same += 1
    assert a is same and a == 2.5
    a += a
    assert a == 5 and a - a == 0 and float(a) == 5.0
    a -= a
    assert a == 0 and not a


@pytest.mark.parametrize("number, expected", [
    (1, 1), (True, 1), (-2**100, -2**100), (0.5, Fraction(1, 2)), (5e-324, Fraction(5e-324)), (-0.0, 0),
    (np.float32(0.1), Fraction(float(np.float32(0.1)))), (np.float16(0.1), Fraction(float(np.float16(0.1)))),
    (np.float64(0.1), Fraction(0.1)), (np.int8(-5), -5), (np.uint64(2**64 - 1), 2**64 - 1), (np.bool_(True), 1),
    (np.array(1.5), Fraction(3, 2)), (Fraction(3, 8), Fraction(3, 8)), (Decimal("0.125"), Fraction(1, 8)),
    (2**2047, 2**2047), (Fraction(1, 2**2148), Fraction(1, 2**2148))])
def test_numbers_of_every_kind(number: Any, expected: Any) -> None:
    acc = sum_of(1)
    assert value(acc + number) == 1 + expected and value(number + acc) == 1 + expected
    assert value(acc - number) == 1 - expected and value(number - acc) == expected - 1
    acc += number
    acc -= 1
    assert acc == number and acc == expected and value(acc) == expected


@pytest.mark.parametrize("dtype", TYPES)
def test_numbers_for_every_element_type(dtype: str) -> None:
    is_float = dtype in FORMATS
    acc = sum_of(3, 2.0, np.float32(4), np.int64(-1), Fraction(8), dtype=dtype)
    assert acc == 16 and acc.dtype == dtype and acc.as_integer_ratio() == (16, 1)
    if is_float:
        assert sum_of(0.1, dtype=dtype) == 0.1 and sum_of(-1e-40, 5e-324 if dtype == "float64" else 1e-45, dtype=dtype)
    else:
        for wrong in (0.5, math.nan, math.inf, Fraction(1, 2)):
            with pytest.raises(ValueError, match="is not an integer"):
                acc += wrong
    with pytest.raises(OverflowError, match="exceeds the headroom"):
        acc += 10**2000
    with pytest.raises(ValueError, match=r"is not a multiple of 2\^-|is not an integer"):
        acc += Fraction(1, 3)
    assert acc == 16


def test_numbers_that_the_state_has_no_bits_for() -> None:
    with pytest.raises(ValueError, match=r"5e-324 is not a multiple of 2\^-298, the last bit of an .* of float32"):
        xd.Accumulator("float32") + 5e-324
    with pytest.raises(ValueError, match=r"0.1 is not a multiple of 2\^-2148"):
        xd.Accumulator() + Decimal("0.1")
    assert xd.Accumulator("float32") + 2.0**-298 == 2.0**-298


def test_what_is_no_number() -> None:
    acc = sum_of(1)
    for other in ("1", None, 1j, [1], (1,), np.ones(2), b"1", object(), float, np.float64):
        assert acc != other and not acc == other if not isinstance(other, np.ndarray) else True
        for operate in (operator.add, operator.sub, operator.truediv, operator.iadd, operator.isub, operator.lt):
            with pytest.raises(TypeError):
                operate(acc, other)
            with pytest.raises(TypeError):
                operate(other, acc)
    with pytest.raises(TypeError, match="use an Accumulator or a number"):
        acc.quotient("1")
    assert acc == 1


def test_numbers_that_lie() -> None:
    class Lying:
        def __init__(self, ratio: Any) -> None:
            self.ratio = ratio

        def as_integer_ratio(self) -> Any:
            return self.ratio

    acc = sum_of(1)
    for ratio in ((1, 0), (1, -1), (1,), (1, 2, 3), (1.0, 2), None, [1, 2]):
        for operate in (operator.add, operator.truediv, operator.eq):
            with pytest.raises((TypeError, ValueError), match="as_integer_ratio of"):
                operate(acc, Lying(ratio))
    assert acc + Lying((6, 4)) == 2.5

    class Raising:
        def __index__(self) -> int:
            raise LookupError("index")

    with pytest.raises(LookupError, match="index"):
        acc += Raising()


def test_infinities_and_nan_are_as_of_float() -> None:
    inf, minus, nan, one = sum_of(math.inf), sum_of(-math.inf), sum_of(math.nan), sum_of(1)
    for a, x in ((inf, math.inf), (minus, -math.inf), (nan, math.nan), (inf + minus, math.nan), (one, 1.0)):
        for b, y in ((inf, math.inf), (minus, -math.inf), (nan, math.nan), (one, 1.0)):
            for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
                assert compare(a, b) == compare(a, y) == compare(x, b) == compare(x, y)
            assert bits(a / b) == bits(a / y) == bits(x / b) == bits(abs(x / y) if math.isnan(x / y) else x / y)
        assert bool(a)
    assert sum_of(0) / minus == 0 and math.copysign(1, (-one) / inf) == -1
    for special, error in ((inf, OverflowError), (minus, OverflowError), (nan, ValueError)):
        for convert in (int, xd.Accumulator.as_integer_ratio):
            with pytest.raises(error, match="cannot convert"):
                convert(special)


@given(st.lists(finite, min_size=1, max_size=4), st.lists(finite, min_size=1, max_size=4), st.sampled_from(FLOATS))
def test_quotients_are_rounded_once(a: list[float], b: list[float], dtype: str) -> None:
    dividend, divisor = sum_of(*a), sum_of(*b)
    if divisor == 0:
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            dividend / divisor
        return
    exact = value(dividend) / value(divisor)
    assert bits(dividend / divisor) == bits(rounded(exact, "float64"))
    assert bits(dividend.quotient(divisor, dtype)) == bits(rounded(exact, dtype))
    assert bits(dividend.quotient(divisor, dtype=dtype)) == bits(rounded(exact, dtype))
    if b[0] != 0:
        assert bits(dividend / b[0]) == bits(rounded(value(dividend) / Fraction(b[0]), "float64"))
        assert bits(b[0] / divisor) == bits(rounded(Fraction(b[0]) / value(divisor), "float64"))


def test_a_quotient_of_zero_has_the_product_of_the_signs() -> None:
    for dtype in FLOATS:
        for divisor in (-5, 5, -math.inf, math.inf):
            zero, sum_of_it = sum_of(0, dtype=dtype), sum_of(float(divisor), dtype=dtype)
            for made in (zero / divisor, zero / sum_of_it, 0 / sum_of_it, zero.quotient(divisor),
                         zero.quotient(sum_of_it), zero.quotient(sum_of_it, "float32")):
                assert made == 0 and math.copysign(1, made) == math.copysign(1, divisor)
    for dtype in INTEGERS:
        zero, divisor = sum_of(0, dtype=dtype), sum_of(-5, dtype=dtype)
        for made in (zero / divisor, zero / -5, 0 / divisor, zero / sum_of(-math.inf)):
            assert made == 0 and math.copysign(1, made) == -1


def test_quotients_of_every_type() -> None:
    for dtype in TYPES:
        a, b = sum_of(1, dtype=dtype), sum_of(3, dtype=dtype)
        result = dtype if dtype in FORMATS else "float64"
        assert a / b == 1 / b == a / 3 == a.quotient(3) == rounded(Fraction(1, 3), result)
    assert sum_of(1, dtype="float16") / sum_of(3, dtype="float32") == rounded(Fraction(1, 3), "float32")
    assert sum_of(1) / Fraction(1, 3) == 3 and sum_of(1) / 10**400 == 0 and 10**400 / sum_of(1) == math.inf
    assert sum_of(5e-324) / 2 == 0 and sum_of(5e-324, 5e-324, 5e-324) / 2 == 1e-323
    with pytest.raises(ValueError, match="use a floating-point type"):
        sum_of(1).quotient(3, "int64")
    with pytest.raises(ZeroDivisionError):
        1 / xd.Accumulator()


TAKES = [("float64", set(TYPES)), ("float32", set(TYPES) - {"float64"}), ("float16", set(TYPES) - {"float64"}),
         ("bfloat16", set(TYPES) - {"float64"}), ("float8_e4m3fn", set(TYPES) - {"float64"}), ("int64", set(INTEGERS)),
         ("uint64", set(INTEGERS)), ("int8", {"int8", "int16", "int32", "uint8", "uint16", "uint32"}),
         ("uint32", {"int8", "int16", "int32", "uint8", "uint16", "uint32"})]


@pytest.mark.parametrize("dtype, taken", TAKES)
def test_the_types_that_an_accumulator_takes(dtype: str, taken: set[str]) -> None:
    for name in TYPES:
        x = np.array([1, 2, 3], dtype_of(name))
        part = xd.Accumulator(name)
        part.add(x, x)
        acc, moments, other = xd.Accumulator(dtype), xd.Moments(dtype), xd.Moments(name)
        other.add(x)
        if name not in taken:
            for refused in (lambda: acc.add(x), lambda: acc.add_squares(x), lambda: acc.add(x, x),
                            lambda: acc.merge(part), lambda: acc.subtract(part), lambda: operator.iadd(acc, part), lambda: moments.add(x),
                            lambda: moments.merge(other), lambda: operator.iadd(moments, other)):
                with pytest.raises(TypeError, match=f"of {dtype}, the (vectors hold|other of) {name}"):
                    refused()
            assert acc == 0 and moments.count == 0
            continue
        acc.add(x)
        assert acc == 6
        acc.add(x, x)
        acc.add_squares(x)
        acc += part
        acc.merge(part)
        acc.subtract(x)
        acc.subtract(part)
        assert acc == 56 - 14 and acc.dtype == dtype
        moments.add(x)
        moments += other
        assert (moments.count, moments.mean(), moments.var()) == (6, 2.0, moments.var()) and moments.dtype == dtype
        assert moments == other + other


def test_the_type_of_a_sum() -> None:
    for a, b, expected in [("float64", "float32", "float64"), ("float16", "bfloat16", "float32"),
                           ("float8_e4m3fn", "float8_e5m2", "float32"), ("float8_e5m2", "int64", "float8_e5m2"),
                           ("float16", "float32", "float32"), ("int8", "int32", "int32"), ("uint8", "int8", "int8"),
                           ("uint32", "int8", "int32"), ("int64", "uint8", "int64"), ("uint64", "int64", "int64"),
                           ("int64", "float32", "float32"), ("int8", "int8", "int8"), ("int64", "float64", "float64")]:
        for one, two in ((a, b), (b, a)):
            made = sum_of(1, dtype=one) + sum_of(2, dtype=two)
            assert made == 3 and made.dtype == expected
            assert (sum_of(1, dtype=one) - sum_of(2, dtype=two)) == -1
            assert (xd.Moments(one) + xd.Moments(two)).dtype == expected


@given(st.data())
def test_products_of_two_types(data: st.DataObject) -> None:
    group = data.draw(st.sampled_from([FLOATS, INTEGERS]))
    names = data.draw(st.sampled_from(group)), data.draw(st.sampled_from(group))
    n = data.draw(st.integers(0, 9))
    numbers = st.lists(st.integers(0, 120), min_size=n, max_size=n)
    a, b = (np.array(data.draw(numbers), dtype_of(name)) for name in names)
    acc = xd.Accumulator("float64" if group is FLOATS else "int64")
    acc.add(a, b)
    assert acc == sum(int(x) * int(y) for x, y in zip(a.astype(float), b.astype(float)))


def test_narrow_values_in_a_wide_accumulator_keep_every_bit() -> None:
    smallest = np.array([2.0**-149], "f4")
    acc = xd.Accumulator()
    acc.add(smallest, smallest)
    assert value(acc) == Fraction(1, 2**298)
    acc.add(smallest[:, None][:, 0].astype(">f4"), np.array([2.0**-1074]))
    assert value(acc) == Fraction(1, 2**298) + Fraction(1, 2 ** (149 + 1074))
    ints = xd.Accumulator("float16")
    ints.add(np.array([2**64 - 1], "u8"), np.array([2**64 - 1], "u8"))
    assert value(ints) == (2**64 - 1) ** 2
    lists = xd.Accumulator()
    lists.add([1, 2, 3])
    lists.add([0.5])
    assert lists == 6.5


def test_sum_and_numpy_leave_the_operation_to_accumulators() -> None:
    parts = [sum_of(0.1), sum_of(0.2), sum_of(-0.1)]
    total = sum(parts)
    assert isinstance(total, xd.Accumulator) and float(total) == 0.2 and parts[0] == 0.1
    for made in (np.float64(1.5) + parts[0], parts[0] + np.float64(1.5), np.int8(1) + parts[0]):
        assert type(made) is xd.Accumulator
    assert np.float64(0.1) == parts[0] and parts[0] == np.float64(0.1) and np.float32(0.1) != parts[0]


def test_moments_are_compared_by_value() -> None:
    a, b, narrow = xd.Moments(), xd.Moments(), xd.Moments("float32")
    a.add([1.0, 2.0, 3.0])
    b.add([3.0, 1.0])
    assert a != b
    b.add([2.0])
    narrow.add(np.array([1, 2, 3], "f4"))
    assert a == b == narrow and a != 3 and (a + narrow).count == 6 and a.count == 3
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(a, protocol)) == a
    with pytest.raises(TypeError, match="unsupported operand"):
        a + 1


def test_times_are_no_numbers_and_far_decimals_are_refused() -> None:
    for time in (np.timedelta64(1, "ns"), np.datetime64(1, "ns"), np.array(1, "m8[ns]")):
        with pytest.raises(TypeError):
            xd.Accumulator() + time
        assert xd.Accumulator() != time
    for number in (Decimal("1e99999999"), Decimal("-1e-99999999")):
        for call in (lambda a: a + number, lambda a: a < number, lambda a: a == number, lambda a: number - a):
            with pytest.raises(ValueError, match=r"the number is .*; use numbers between 10\^-100000 and 10\^100000"):
                call(xd.Accumulator())
    assert (xd.Accumulator() + Decimal("0e-99999999") + Decimal("0.25")).round() == 0.25
