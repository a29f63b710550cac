"""Accumulators and moments of every element type: additions, subtractions, roundings, words, pickles."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from element_types import FLOATS, INTEGERS, same, samples, vectors
from reference import bits, exact_reduction, plain

WORDS = {"float8_e4m3fn": 24, "float8_e5m2": 24, "float16": 24, "bfloat16": 24, "float32": 24, "float64": 138,
         "int8": 8, "int16": 8, "int32": 8, "int64": 10, "uint8": 8, "uint16": 8, "uint32": 8, "uint64": 10}


def default_sum(dtype: str) -> str:
    return dtype if dtype in FLOATS else "uint64" if dtype.startswith("u") else "int64"


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_accumulators_of_every_type(dtype: str) -> None:
    x, y = samples(dtype, 400), samples(dtype, 401)[:400]
    acc = xd.Accumulator(dtype)
    assert acc.dtype == dtype and acc.words.shape == (WORDS[dtype],)
    acc.add(x, y)
    assert same(acc.round(), xd.dot(x, y)) and same(acc.round("f8"), xd.dot(x, y, dtype="f8"))
    acc.add(x)
    acc.subtract(x, y)
    assert same(acc.round(), xd.sum(x)) and same(acc.round_quotient(400), xd.mean(x))
    assert same(float(acc), xd.sum(x, dtype=dtype if dtype in FLOATS else "f8"))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(acc, protocol))
        assert again == acc and again.dtype == dtype
    assert xd.Accumulator.from_words(acc.words, dtype=dtype) == acc
    acc.subtract(x)
    assert acc == xd.Accumulator(dtype)
    acc.add_squares(x[::-1])
    assert same(acc.round(), xd.sum_of_squares(x)) and same(acc.round_root(), xd.norm(x))
    half = acc.copy()
    acc += half
    assert same(acc.round("f8"), 2 * xd.sum_of_squares(x, dtype="f8"))
    acc -= half
    acc.subtract(half)
    assert acc == xd.Accumulator(dtype)


@given(vectors(FLOATS + INTEGERS), st.sampled_from(FLOATS), st.integers(0, 3))
def test_moments_equal_the_reference(x: np.ndarray, dtype: str, ddof: int) -> None:
    moments = xd.Moments(x.dtype)
    cut = len(x) // 3
    for share in (x[cut:], x[:cut]):
        other = xd.Moments(x.dtype)
        other.add(share)
        moments += pickle.loads(pickle.dumps(other))
    whole = xd.Moments(x.dtype)
    whole.add(x)
    assert moments.count == whole.count == len(x)
    values = plain(x)
    for name, found in (("mean", moments.mean(dtype)), ("norm", moments.norm(dtype)),
                        ("var", moments.var(ddof, dtype)), ("std", moments.std(ddof=ddof, dtype=dtype))):
        assert same(found, exact_reduction(name, values, dtype, ddof)), name
    if np.isfinite(x.astype(np.float64)).all():
        assert moments == whole
    default = x.dtype.name if x.dtype.name in FLOATS else "float64"
    assert same(moments.var(), exact_reduction("var", values, default))


@given(vectors(FLOATS + INTEGERS))
def test_negation_and_subtraction(x: np.ndarray) -> None:
    acc = xd.Accumulator(x.dtype)
    acc.add(x)
    acc.negate()
    expected = exact_reduction("sum", [-value for value in plain(x)], "float64")
    assert same(acc.round("float64"), expected)
    other = xd.Accumulator(x.dtype)
    other.subtract(x)
    assert same(other.round("float64"), expected)


def test_roundings() -> None:
    acc = xd.Accumulator("int8")
    acc.add(np.full(3, -100, "i1"))
    assert same(acc.round(), -300) and same(acc.round("f2"), -300.0) and same(acc.round("bfloat16"), -300.0)
    assert math.isnan(acc.round_root()) and math.isnan(acc.round_quotient(0))
    assert same(acc.round_quotient(7, "f4"), float(np.float32(-300 / 7)))
    with pytest.raises(OverflowError, match="the sum does not fit into uint64"):
        acc.round("uint64")
    with pytest.raises(ValueError, match="a sum of int8 cannot be rounded to int16"):
        acc.round("int16")
    with pytest.raises(ValueError, match="Accumulator.round_quotient: count is -1"):
        acc.round_quotient(-1)
    for call in (acc.round_root, lambda dtype: acc.round_quotient(1, dtype), xd.Moments().var, xd.Moments().mean):
        with pytest.raises(ValueError, match="dtype is int64; use a floating-point type"):
            call(dtype="int64")
    with pytest.raises(ValueError, match="a sum of float64 cannot be rounded to int64"):
        xd.Accumulator().round("int64")
    large = xd.Accumulator("uint64")
    large.add(np.full(3, 2**64 - 1, "u8"))
    assert large.round("f8") == 3 * 2.0**64 and float(large) == 3 * 2.0**64
    with pytest.raises(OverflowError, match="does not fit into uint64"):
        large.round()
    assert repr(acc) == "<exactdot.Accumulator of int8, about -300.0>"
    infinite = xd.Accumulator("f2")
    infinite.add(np.array([math.inf], "f2"))
    infinite.subtract(np.array([math.inf], "f2"))
    assert math.isnan(float(infinite))  # infinities do not cancel


def test_additions_of_other_objects() -> None:
    acc = xd.Accumulator("int64")
    acc.add([1, 2])
    acc.add(5)
    acc.add(range(3), (1, 1, 1))
    assert acc.round() == 11
    for wrong in (np.ones(2), [1.5], np.ones(2, "f2")):
        with pytest.raises(TypeError, match="Accumulator.add: the accumulator is of int64, the vectors hold .*a is"):
            acc.add(wrong)
    with pytest.raises(TypeError, match="Accumulator.add: a holds int64, b float32; convert one.*b is"):
        acc.add(np.array([1, 2]), np.ones(2, "f4"))
    with pytest.raises(TypeError, match="Accumulator.subtract: the accumulator is of int64"):
        acc.subtract(np.ones(2))
    with pytest.raises(TypeError, match="Accumulator.add_squares: the accumulator is of int64"):
        acc.add_squares(np.ones(2))
    with pytest.raises(TypeError, match="this accumulator is of int64, the other of float32"):
        acc.subtract(xd.Accumulator("float32"))
    with pytest.raises(TypeError, match="this accumulator is of int64, the other of float16"):
        acc -= xd.Accumulator("float16")
    with pytest.raises(ValueError, match="Accumulator.add_squares: stream is for vectors in GPU memory"):
        acc.add_squares([1], stream=3)
    assert acc.round() == 11
    acc.subtract(acc)
    assert acc.round() == 0


def test_sums_of_different_types_are_compared_by_value() -> None:
    for kind in (xd.Accumulator, xd.Moments):
        states: list[Any] = [kind(dtype) for dtype in WORDS]
        assert all(first == second for first in states for second in states)
        for i, changed in enumerate(states):
            changed.add(np.array([i + 1], "i1"))
            assert [changed == second for second in states] == [changed is second for second in states]
    assert xd.Accumulator() != xd.Moments() and xd.Moments() != xd.Accumulator()


def test_words() -> None:
    for dtype, count in WORDS.items():
        words = xd.Accumulator(dtype).words
        assert words.dtype == np.int64 and len(words) == count and len(xd.Moments(dtype).words) == 1 + 2 * count
        assert xd.Accumulator.from_words(words, dtype).dtype == xd.Moments.from_words(xd.Moments(dtype).words,
                                                                                      dtype=dtype).dtype == dtype
    assert xd.Accumulator.from_words(np.eye(1, 24, 23, dtype=int)[0]).dtype == "float32"
    assert xd.Moments.from_words(xd.Moments().words).dtype == "float64"
    small = xd.Accumulator("int8").words
    with pytest.raises(ValueError, match="8 words; a float32 state has 24; a float64 state has 138; states of other"):
        xd.Accumulator.from_words(small)
    with pytest.raises(ValueError, match="^Accumulator: 8 words; a int64 state has 10"):
        xd.Accumulator.from_words(small, dtype="int64")
    with pytest.raises(ValueError, match="^Moments: 8 words; a float32 state has 49; a float64 state has 277"):
        xd.Moments.from_words(small)
    with pytest.raises(ValueError, match="^Moments: 0 words"):
        xd.Moments.from_words(np.zeros(0, int), dtype="int8")
    with pytest.raises(ValueError, match="dtype is complex64"):
        xd.Accumulator.from_words(small, dtype="complex64")
    negative = xd.Moments().words
    negative[0] = -1
    with pytest.raises(ValueError, match="Moments: the count is negative"):
        xd.Moments.from_words(negative)
    with pytest.raises(TypeError, match="Moments: words are integers"):
        xd.Moments.from_words(np.zeros(277))


def test_words_of_moments_add_up() -> None:
    x = samples("float16", 1000)
    all_words = []
    for share in np.split(x, [100, 500]):
        moments = xd.Moments("float16")
        moments.add(share, threads=2)
        all_words.append(moments.words)
    total = xd.Moments.from_words(sum(all_words), dtype="float16")
    assert total.count == 1000
    assert same(total.var(1, "f8"), xd.var(x, ddof=1, dtype="f8")) and same(total.mean(), xd.mean(x))
    assert same(total.std(), xd.std(x)) and same(total.norm(), xd.norm(x))


def test_moments_as_objects() -> None:
    moments = xd.Moments("int32")
    moments.add(np.array([3, 4], "i4"))
    assert repr(moments) == "<exactdot.Moments of 2 int32, mean about 3.5>"
    for made in (copy.copy(moments), copy.deepcopy(moments), moments.copy()):
        assert made == moments and made is not moments and made.dtype == "int32"
        made.merge(moments)
        assert made.count == 4 and moments.count == 2
    moments += moments
    assert moments.count == 4 and moments.mean() == 3.5
    with pytest.raises(TypeError, match="these moments are of int32, the other of float64"):
        moments += xd.Moments()
    with pytest.raises(TypeError, match="Moments.add: the accumulator is of int32, the vectors hold float64.*x is"):
        moments.add([1.5])
    with pytest.raises(ValueError, match="Moments.var: ddof is -1"):
        moments.var(-1)
    with pytest.raises(ValueError, match="Moments.add: device is tpu"):
        moments.add([1], device="tpu")
    with pytest.raises(ValueError, match="^Moments: dtype is complex64"):
        xd.Moments("complex64")
    with pytest.raises(TypeError, match="unhashable"):
        hash(moments)
    assert moments.count == 4 and moments != 4
    nothing = xd.Moments()
    assert bits(nothing.norm()) == bits(0.0) and math.isnan(nothing.mean()) and math.isnan(nothing.var())
