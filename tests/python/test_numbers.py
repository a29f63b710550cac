"""How lists and other objects of Python's numbers become elements: exactly, or with a sentence that names the element."""

from __future__ import annotations

import collections
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from element_types import EXTREMA, FLOATS, MEANS, SUMS, dtype_of, same
from reference import bits, exact_reduction, rounded

THIRD = Fraction(1, 3)


@pytest.mark.parametrize("values, expected", [
    ([2**63 + 1, -2**63], 1),
    ([2**53 + 1, -2.0**53], 1.0),
    ([-2.0**53, 2**53 + 1], 1.0),
    ([2**63, 2**63 - 1], 2**64 - 1),
    ([10**30, 1, -10**30], 1),
    ([1, 2.5, True], 4.5),
    ([True, False, True], 2),
    ([Decimal("0.1")] * 10, 1.0),
    ([THIRD] * 3, 1.0),
    ([Decimal("1e-400"), 1.0], 1.0),
    ([10**30, math.inf], math.inf),
    ([10**400, -(10**400), math.nan], math.nan),
    ([10**400, math.inf, -math.inf], math.nan),
    ([], 0.0), ((), 0.0), ([[], []], 0.0),
    (3, 3), (3.5, 3.5), (True, 1), (THIRD, 1 / 3), (2**64 + 1 - 2**64, 1),
    (range(5), 10), (range(2**63, 2**63 + 1), 2**63),
    (collections.deque([0.5, 0.25]), 0.75), ({1.5: 0}.keys(), 1.5), ({0.5, 0.25}, 0.75),
    ([np.float64(0.5), 0.25], 0.75), ([np.float32(0.5), np.float16(2)], 2.5),
    ([np.int64(2**53 + 1), -2.0**53], 1.0), ([np.uint64(2**63), np.int64(-1)], 2**63 - 1),
    ([np.array(2**53 + 1), -2.0**53], 1.0),
])
def test_sums(values: Any, expected: Any) -> None:
    assert same(xd.sum(values), expected), xd.sum(values)


def test_an_iterator_is_read_once() -> None:
    assert xd.sum(x / 2 for x in range(5)) == 5.0
    assert xd.mean(iter([1, 2**63])) == 2.0**62
    assert xd.dot((x for x in (1, 10**30)), (x for x in (3, 0))) == 3

    def raises() -> Any:
        yield 1.0
        raise OSError("lost")

    with pytest.raises(OSError, match="lost"):
        xd.sum(raises())


@pytest.mark.parametrize("values, kind, why", [
    ([1.0, 2.0, 3.0, None], TypeError, "x: element 3 is None, no number"),
    ([Decimal(1), "2"], TypeError, "x: element 1 is str '2', no number"),
    ([1, 2j], TypeError, "x: element 1 is complex 2j; lists hold real numbers, arrays complex ones, too"),
    ([1, np.complex64(2j)], TypeError, "x: element 1 is complex64 .*; lists hold real numbers"),
    ([[1, 2], [3, None]], TypeError, "x: element 1, 1 is None"),
    ([[1, 2], [3]], ValueError, r"x: is inhomogeneous: element 1 has shape \(1,\), the first \(2,\)"),
    ([1, [2]], ValueError, r"x: is inhomogeneous: element 1 has shape \(1,\), the first \(\)"),
    ([{}], TypeError, r"x: element 0 is dict \{\}, no number"),
    ({1: 2}, TypeError, "x: is not a vector; it is dict"),
    ("12", TypeError, "x: is not a vector; it is str '12'"),
    (None, TypeError, "x: is not a vector; it is None"),
    (object(), TypeError, "x: is not a vector; it is object"),
])
def test_refusals(values: Any, kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match="^sum: " + why):
        xd.sum(values)


def test_a_list_that_holds_itself() -> None:
    values: list[Any] = []
    values.append(values)
    with pytest.raises((RecursionError, ValueError, TypeError)):
        xd.sum(values)


def test_results_beyond_64_bits() -> None:
    for values in ([2**63, 2**63], [-2**63, -1], [10**30], [2**62] * 3 + [-1]):
        with pytest.raises(OverflowError, match='^sum: the result does not fit .*; use dtype="(float|uint)64"'):
            xd.sum(values)
        assert xd.sum(values, dtype="float64") == float(sum(values))
    with pytest.raises(OverflowError, match="^sum: the result does not fit into uint64"):
        xd.sum([2**64, -2**64, -1], dtype="uint64")
    with pytest.raises(ValueError, match="^sum: the result type is int64; use a floating-point type$"):
        xd.sum([THIRD], dtype="int64")
    assert xd.max([10**400, 1.0]) == math.inf


EXACT = st.one_of(st.integers(-2**70, 2**70), st.fractions(max_denominator=10**6), st.floats(allow_nan=False),
                  st.decimals(allow_nan=False, allow_infinity=False, places=6))


@given(st.lists(EXACT, max_size=12), st.sampled_from([*SUMS, *MEANS]), st.sampled_from(FLOATS))
def test_exact_numbers_as_the_reference(values: list[Any], name: str, dtype: str) -> None:
    plain = [float(x) if isinstance(x, float) and not math.isfinite(x) else Fraction(x) for x in values]
    found = getattr(xd, name)([*values, 2**80, THIRD], dtype=dtype)
    assert bits(found) == bits(exact_reduction(name, [*plain, Fraction(2**80), THIRD], dtype))  # type: ignore[list-item]


@given(st.lists(st.one_of(st.integers(-2**60, 2**60), st.floats(), st.booleans()), max_size=12),
       st.sampled_from(SUMS + MEANS))
def test_lists_of_python_numbers(values: list[Any], name: str) -> None:
    """Every mixture of ints, floats and bools has the exact result, whichever way it is read."""
    if all(isinstance(x, int) for x in values):
        values = [float(2**40), *values]
    plain = [x if isinstance(x, float) and not math.isfinite(x) else Fraction(x) for x in values]
    expected = exact_reduction(name, plain, "float64")  # type: ignore[arg-type]
    for given_as in (values, tuple(values), iter(values)):
        assert bits(getattr(xd, name)(given_as)) == bits(expected)


def test_extrema() -> None:
    values = [THIRD, 2**63 + 1, -0.0, 0.0, Decimal("-0.5")]
    assert [getattr(xd, name)(values) for name in EXTREMA] == [-0.5, 2.0**63, 4, 1]
    assert (xd.min([2**64, 7]), xd.argmax([2**64, 7])) == (7, 0)
    assert bits(xd.min([0.0, -0.0, 10**30])) == bits(-0.0)
    assert math.isnan(xd.max([10**30, math.nan])) and xd.argmin([10**30, math.nan]) == 1
    with pytest.raises(OverflowError, match="^max: the result does not fit"):
        xd.max([2**64, 7])


def test_matrices_segments_and_groups() -> None:
    x = [[Decimal("0.1"), 2**63], [Decimal("0.2"), -2**63]]
    assert xd.sum(x, 0).tolist() == [0.3, 0.0] and xd.sum(x, axis=1).tolist() == [2.0**63, -2.0**63]
    assert xd.sum(x, axis=(0, 1)) == 0.3 and xd.sum(x) == 0.3 and xd.sum(x, keepdims=True).shape == (1, 1)
    assert xd.matvec(x, [1, 0]).tolist() == [0.1, 0.2]
    assert xd.vecdot(x, [[1], [1]], axis=0).tolist() == [0.3, 0.0]
    assert xd.vecdot(x, x, axis=0, keepdims=True).shape == (1, 2)
    assert xd.dot([Decimal("0.1"), Decimal("0.2")], [3, 1]) == 0.5
    assert xd.dot([2**64, 1], np.array([0, 5])) == 5
    prices, keys = [Decimal("0.1"), Decimal("0.2"), Decimal("0.3")], [1, 0, 1]
    assert xd.group_sum(prices, keys).tolist() == [0.2, 0.4]
    assert xd.group_mean([[p, 1] for p in prices], keys).tolist() == [[0.2, 1.0], [0.2, 1.0]]
    assert xd.group_sum(prices, [0, -1, 7], 2, skip_out_of_range=True).tolist() == [0.1, 0.0]
    with pytest.raises(ValueError, match="^group_sum: key -1 is out of range"):
        xd.group_sum(prices, [0, -1, 7], 2)
    assert xd.segment_sum(prices, [0, 2, 2, 3]).tolist() == [0.3, 0.0, 0.3]
    assert xd.segment_dot(prices, [1, 1, 2], [0, 1, 3]).tolist() == [0.1, 0.8]
    out = np.zeros(2, "f4")
    assert xd.sum(x, axis=0, out=out) is out and out.tolist() == [np.float32(0.3), 0.0]
    with pytest.raises(ValueError, match="^sum: out has shape"):
        xd.sum(x, axis=0, out=np.zeros(3))
    with pytest.raises(ValueError, match="differ in length: 2 and 1"):
        xd.dot([THIRD, 1], [1])
    with pytest.raises(IndexError, match="^sum: axis is 2, the array has 2 dimensions"):
        xd.sum(x, axis=2)
    with pytest.raises(ValueError, match="^sum: axis 0 is named twice"):
        xd.sum(x, axis=(0, -2))
    with pytest.raises(ValueError, match="^dot: the inputs have 2 and 1 dimensions; use 1"):
        xd.dot(x, [1])
    assert same(xd.linalg.vector_norm([10**30, -1], ord=1), float(10**30 + 1))
    with pytest.raises(ValueError, match="^segment_min: the vector is empty"):
        xd.segment_min([THIRD], [0, 0])


def test_other_functions_name_the_element() -> None:
    for call in (xd.Accumulator().add, xd.Moments().add, lambda x: xd.states("sum", x)):
        with pytest.raises(TypeError, match="element 1 is int 18446744073709551617, which no element type holds beside"):
            call([-1, 2**64 + 1])


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=9), st.floats(0, 2.5), st.sampled_from(["var", "std"]))
def test_a_fractional_ddof(values: list[float], ddof: float, name: str) -> None:
    expected = exact_reduction(name, values, "float64", Fraction(ddof))  # type: ignore[arg-type]
    assert bits(getattr(xd, name)(np.array(values), ddof=ddof)) == bits(expected)
    assert bits(getattr(xd, name)(np.array(values), correction=ddof)) == bits(expected)


@pytest.mark.parametrize("dtype", [*FLOATS, "int8", "int64", "uint8", "uint64"])
def test_a_fractional_ddof_of_every_type_and_shape(dtype: str) -> None:
    x = np.array([[1, 2, 4, 9], [3, 3, 3, 5]]).astype(dtype_of(dtype))
    result = x.dtype.name if x.dtype.kind not in "iu" else "float64"
    expected = [exact_reduction("var", row, result, Fraction(1.5)) for row in  # type: ignore[arg-type]
                x.astype(float).tolist()]
    assert xd.var(x, axis=1, ddof=1.5).astype(float).tolist() == expected
    assert xd.var(x, 1, ddof=1.5).dtype == result
    assert xd.segment_var(x.reshape(-1), [0, 4, 8], ddof=1.5).astype(float).tolist() == expected
    assert xd.group_var(x.reshape(-1), [0] * 4 + [1] * 4, ddof=1.5).astype(float).tolist() == expected
    assert xd.var(x, axis=0, ddof=0.5, keepdims=True).shape == (1, 4)
    assert math.isnan(xd.var(x[0], ddof=4.5)) and math.isnan(xd.var(x[0][:0], ddof=0.5))
    assert xd.var(x[0], ddof=1.5, dtype="float32") == rounded(Fraction(*xd.var(x[0], ddof=1.5, dtype="float64")
                                                                       .as_integer_ratio()), "float32")


def test_ddof() -> None:
    x = np.array([1.0, 2.0, 4.0])
    for one in (1, 1.0, np.int8(1), np.float32(1), True):
        assert xd.var(x, ddof=one) == xd.var(x, correction=one) == xd.segment_var(x, [0, 3], ddof=one)[0] == 7 / 3
    for wrong in (-1, -0.5, math.nan, math.inf):
        with pytest.raises(ValueError, match="^var: (ddof|correction) is .*; use (a finite number, )?0 or more"):
            xd.var(x, ddof=wrong)
    for far in (1e300, 1e19, 1e17 + 0.5, 2.0**53, 2**62, 2**63, 10**400, np.float32(1e30)):
        assert math.isnan(xd.var(x, ddof=far)) and math.isnan(xd.segment_std(x, [0, 3], ddof=far)[0])
        assert math.isnan(xd.var([Decimal(1), 2], ddof=far))
    with pytest.raises(ValueError, match="ddof is inf; use a finite number, 0 or more"):
        xd.var(x, ddof=math.inf)
    for wrong_out in ([0.0], 0.0, (0.0,)):
        with pytest.raises(TypeError, match="^sum: out: is not a vector in memory; lists and numbers are not allowed"):
            xd.sum(x, out=wrong_out)
    for text in ("1", [1]):
        with pytest.raises(TypeError, match="^std: ddof is .*; use a number"):
            xd.std(x, ddof=text)


def test_states_with_a_fractional_ddof() -> None:
    for dtype in ("float16", "float32", "float64", "int8", "uint64"):
        x = np.array([[1, 2, 4, 9], [3, 3, 3, 5]], dtype)
        for compact in (False, True):
            words = xd.states("var", x, axis=1, compact=compact)
            for name in ("var", "std"):
                found = xd.round_states(words, "var", dtype, finish=name, ddof=1.5)
                assert found.dtype == getattr(xd, name)(x, axis=1).dtype
                assert found.tolist() == getattr(xd, name)(x, axis=1, ddof=1.5).tolist()
        assert xd.round_states(words, "var", dtype, ddof=1.0).tolist() == xd.var(x, axis=1, ddof=1).tolist()
    with pytest.raises(ValueError, match="^round_states: ddof is -0.5; use 0 or more"):
        xd.round_states(words, "var", dtype, ddof=-0.5)


@pytest.mark.parametrize("wrong", ["false", 1, None])
def test_switches_of_states_are_true_or_false(wrong: Any) -> None:
    x = np.ones(3)
    for call in (lambda: xd.states("sum", x, compact=wrong), lambda: xd.segment_states("sum", x, [0, 3], compact=wrong),
                 lambda: xd.group_states("sum", x, [0] * 3, 1, compact=wrong),
                 lambda: xd.convert_states(xd.states("sum", x), "sum", "f8", compact=wrong),
                 lambda: xd.state_words("sum", "f8", wrong)):
        with pytest.raises(TypeError, match="_?states?.*: compact is .*; use True or False"):
            call()
    with pytest.raises(TypeError, match="^group_states: skip_out_of_range is"):
        xd.group_states("sum", x, [0] * 3, 1, skip_out_of_range=wrong)


class Indexed:
    def __index__(self) -> int:
        return 2**70


class Ratio:
    def __init__(self, ratio: Any = (1, 3)) -> None:
        self.ratio = ratio

    def as_integer_ratio(self) -> Any:
        return self.ratio


@pytest.mark.parametrize("number, value", [
    (Decimal("NaN"), math.nan), (Decimal("sNaN"), math.nan), (Decimal("Infinity"), math.inf),
    (Decimal("-Infinity"), -math.inf), (Decimal("0.25"), 0.25), (Indexed(), 2.0**70), (Ratio((3, 4)), 0.75),
    (Fraction(3, 8), 0.375), (2**70, 2.0**70), (True, 1.0), (np.float32(1.5), 1.5), (np.int8(-3), -3.0)], ids=repr)
def test_lists_and_accumulators_take_the_same_numbers(number: Any, value: float) -> None:
    for made in ((xd.Accumulator() + number).round(), xd.sum([number], dtype="float64"),
                 xd.sum(number, dtype="float64"), xd.sum([number, 0.0]), xd.sum([[number], [0.0]])):
        assert bits(float(made)) == bits(value)


def test_numbers_of_other_classes() -> None:
    assert xd.sum([Ratio(), Ratio((2, 3))]) == 1.0 and xd.mean([Indexed(), -2**70]) == 0
    for ratio, kind in (((1, 0), ValueError), ((1, -1), ValueError), ((1,), TypeError), (None, TypeError)):
        with pytest.raises(kind, match="x: element 1 is .*, whose as_integer_ratio returns"):
            xd.sum([0.5, Ratio(ratio)])


def test_a_fractional_ddof_everywhere() -> None:
    x = np.array([1.0, 2.0, 4.0])
    moments, words = xd.Moments(), xd.states("var", x)
    moments.add(x)
    for ddof in (0.5, np.float32(0.5), np.float64(0.5), Decimal("0.5"), Fraction(1, 2), 1.0, 1, np.int8(1)):
        for name in ("var", "std"):
            expected = bits(exact_reduction(name, x.tolist(), "float64", Fraction(float(ddof))))  # type: ignore[arg-type]
            assert bits(getattr(xd, name)(x, ddof=ddof)) == expected
            assert bits(getattr(moments, name)(ddof)) == bits(getattr(moments, name)(ddof=ddof)) == expected
            assert bits(xd.round_states(words, "var", "float64", finish=name, ddof=ddof)) == expected
    assert moments.var(0.5, "float32") == np.float32(moments.var(0.5)) and math.isnan(moments.std(3.5))
    for wrong, kind, why in ((-0.5, ValueError, "0 or more"), (math.nan, ValueError, "a finite number"),
                             (-1, ValueError, "0 or more"), ("1", TypeError, "a number")):
        for caller, call in (("var", lambda: xd.var(x, ddof=wrong)), ("Moments.var", lambda: moments.var(wrong)),
                             ("Moments.std", lambda: moments.std(ddof=wrong)),
                             ("round_states", lambda: xd.round_states(words, "var", "float64", ddof=wrong))):
            with pytest.raises(kind, match=f"^{caller}: ddof is .*; use {why}"):
                call()
    for axis, kind, why in ((True, TypeError, "axis is a bool"), (0.0, TypeError, "use an integer"),
                            (1, IndexError, "axis is 1, the array has 1 dimension")):
        for keepdims in (False, True):
            with pytest.raises(kind, match=f"^var: .*{why}"):
                xd.var(x, axis=axis, ddof=0.5, keepdims=keepdims)


@pytest.mark.parametrize("x", [[THIRD, 1, 2], [2**70, 1, 2], [1.0, 1.0, 2.0]], ids=["Fraction", "int", "float"])
def test_arguments_beside_exact_numbers(x: list[Any]) -> None:
    for axis, kind, why in ((False, TypeError, "axis is a bool"), (0.0, TypeError, "axis is 0.0; use an integer"),
                            ((0, 0), ValueError, "axis 0 is named twice"), (1, IndexError, "axis is 1"),
                            ("0", TypeError, "use an integer")):
        with pytest.raises(kind, match=f"^sum: .*{why}"):
            xd.sum(x, axis=axis)
    for axis, why in ((False, "axis is a bool"), ((0,), "axis is a tuple; use an integer"), (0.5, "use an integer")):
        with pytest.raises(TypeError, match=f"^vecdot: {why}" if axis is False else f"^vecdot: .*{why}"):
            xd.vecdot(x, x, axis=axis)
    for keys in ([0.0, 1.0, 0.0], ["a", "b", "a"], [0, 0.5, 1]):
        with pytest.raises(TypeError, match="^group_sum: keys"):
            xd.group_sum(x, keys)
        with pytest.raises(TypeError, match="^segment_sum: offsets"):
            xd.segment_sum(x, keys)
    with pytest.raises(ValueError, match="^segment_sum: .*there is no offset"):
        xd.segment_sum(x, [])
    for groups, kind, why in ((-1, ValueError, "groups is -1; use 0 or more"), (1.0, TypeError, "use an integer")):
        with pytest.raises(kind, match=f"^group_sum: .*{why}"):
            xd.group_sum(x, [0, 1, 0], groups)
    assert len(xd.group_mean(x, iter([0, 1, 0]))) == 2 and len(xd.segment_mean(x, [0, 2, 3])) == 2


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("make", [list, tuple, lambda x: [np.array(v)[()] for v in x], lambda x: np.array(x).tolist()])
def test_lists_of_integers_beside_floats(dtype: str, make: Any) -> None:
    floats = np.array([0.5, 0.25], dtype_of(dtype))
    integers = make([1, 2])
    for a, b in ((integers, floats), (floats, integers), ([0.5, 0.25], integers), (integers, [0.5, 0.25])):
        assert (xd.dot(a, b), type(xd.dot(a, b))) == (1.0, float) and xd.vecdot(a, b) == 1.0
        assert xd.group_dot(a, b, [0, 1]).tolist() == [0.5, 0.5] and xd.segment_dot(a, b, [0, 2]).tolist() == [1.0]
        if dtype == "float64":
            assert xd.round_states(xd.states("dot", a, b), "dot", dtype) == 1.0
    assert xd.matvec([integers, integers], floats).tolist() == [1.0, 1.0]
    large = make([2**53 + 1, -2**53])
    assert xd.dot(large, np.array([1, 1], floats.dtype)) == xd.dot([1.0, 1.0], large) == 1.0
    assert xd.dot(make([2**63, 1]), [1.0, -2.0**63]) == 0.0
    with pytest.raises(TypeError, match="a: holds integers that float64 does not hold; the other input holds floats"):
        xd.states("dot", large, [1.0, 1.0])
    for array in (np.array([1, 2]), np.array([1, 2], "uint8")):
        with pytest.raises(TypeError, match="integers and floating-point numbers do not mix"):
            xd.dot(array, floats)
    assert type(xd.dot([2**70, 1], make([0, 2]))) is int
    assert xd.dot(range(3), np.array([0.5] * 3, floats.dtype)) == 1.5


def test_elements_beyond_64_bits_name_what_works() -> None:
    for call in (xd.max, lambda x: xd.segment_max(x, [0, 2]), lambda x: xd.group_max(x, [0, 0])):
        with pytest.raises(OverflowError, match="max: the result does not fit into int64 or uint64; convert the elem"):
            call([2**70, 1])
    assert xd.max([float(2**70), 1.0]) == 2.0**70 and xd.sum([2**70, 1], dtype="float64") == 2.0**70
    with pytest.raises(OverflowError, match='use dtype="float64"'):
        xd.sum([2**70, 1])


def test_exact_numbers_keep_the_rules_of_arrays() -> None:
    quiet = np.array([0x7FF8000000000000], "u8").view("f8")[0]
    other = np.array([0xFFF8000000000001], "u8").view("f8")[0]
    for call in (xd.sum, xd.mean, xd.max):
        assert np.float64(call([THIRD, other])).tobytes() == quiet.tobytes()
    for dtype in ("int8", "int16", "uint32"):
        assert xd.sum([2**70, -2**70, 1], dtype=dtype) == 1 and xd.sum([[2**70, -2**70, 1]], axis=1, dtype=dtype).dtype == dtype
        with pytest.raises(OverflowError, match=f'sum: the result is {2**40}, and {dtype} holds .*; use dtype="int64", which holds it'):
            xd.sum([2**70, -2**70, 2**40], dtype=dtype)
    for call, x in ((xd.mean, [2**70, 1]), (xd.var, [2**70, 1]), (xd.sum, [THIRD, 1 - THIRD]), (xd.norm, [2**70])):
        with pytest.raises(ValueError, match="the result type is int64; use a floating-point type$"):
            call(x, dtype="int64")
    for x in ([np.timedelta64(5, "ns"), 1], [np.timedelta64(5, "D")] * 2, [np.array([5], "M8[ns]"), np.array([1])]):
        with pytest.raises(TypeError, match="x: element"):
            xd.sum(x)
    assert xd.sum([10**5000, -10**5000, 1]) == 1 and xd.sum([Decimal("1e-5000"), 0.5]) == 0.5
    for number in (Decimal("1e99999999"), Decimal("-1e-99999999")):
        with pytest.raises(ValueError, match="element 0 is Decimal"):
            xd.sum([number, 1])
    assert xd.sum([Decimal("0e-99999999"), 1]) == 1
    with pytest.raises(ValueError, match="group_sum: 1099511627777 groups of 3 exact numbers; use at most"):
        xd.group_sum([THIRD, 1, 2], [0, 2**40, 0])
    out = np.zeros((), "f8")
    assert xd.std(np.array([1, 2, 4], "f4"), ddof=0.5, out=out) is out
    assert bits(float(out)) == bits(xd.std(np.array([1.0, 2, 4]), ddof=0.5))
