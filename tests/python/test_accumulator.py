"""Accumulators: splits, merges, words, pickling, copies, threads."""

from __future__ import annotations

import copy
import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import bits, dtypes, exact_dot, pairs


def same_state(a: xd.Accumulator, b: xd.Accumulator) -> bool:
    """Stronger than ==, and true of two sums that are NaN."""
    return a.dtype == b.dtype and np.array_equal(a.words, b.words)


@given(pairs(), st.data())
def test_splits_change_nothing(pair: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    a, b = pair
    cuts = sorted(data.draw(st.lists(st.integers(0, len(a)), max_size=4)))
    dtype = data.draw(dtypes)
    whole, total = xd.Accumulator(a.dtype), xd.Accumulator(a.dtype)
    whole.add(a, b)
    words = xd.Accumulator(a.dtype).words
    for start, end in zip([0, *cuts], [*cuts, len(a)]):
        partial = xd.Accumulator(a.dtype)
        partial.add(a[start:end], b[start:end])
        words = words + partial.words
        total += pickle.loads(pickle.dumps(partial))
    assert same_state(total, whole)
    assert same_state(xd.Accumulator.from_words(words), whole)
    for acc in (whole, total):
        assert bits(acc.round(dtype)) == bits(exact_dot(a, b, dtype))
    assert bits(float(whole)) == bits(xd.dot(a, b))


@given(pairs())
def test_pickles_and_copies(pair: tuple[np.ndarray, np.ndarray]) -> None:
    acc = xd.Accumulator(pair[0].dtype)
    acc.add(*pair)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert same_state(pickle.loads(pickle.dumps(acc, protocol)), acc)
    for made in (copy.copy(acc), copy.deepcopy(acc), acc.copy()):
        assert same_state(made, acc) and made is not acc
        made.clear()
        assert made == xd.Accumulator(acc.dtype)


@given(pairs())
def test_plain_sums(pair: tuple[np.ndarray, np.ndarray]) -> None:
    a = pair[0]
    acc = xd.Accumulator(a.dtype)
    acc.add(a)
    assert bits(float(acc)) == bits(exact_dot(a, np.ones_like(a), a.dtype.name))


def test_words_are_a_copy() -> None:
    acc = xd.Accumulator()
    acc.add(np.array([1.0]), np.array([2.0]))
    words = acc.words
    assert words.dtype == np.int64 and words.shape == (138,) and words.flags.writeable
    words[:] = 0
    assert float(acc) == 2.0


def test_an_accumulator_may_be_added_to_itself() -> None:
    acc = xd.Accumulator()
    acc.add(np.array([1.5]), np.array([1.0]))
    acc += acc
    assert float(acc) == 3.0


def test_threads_may_share_an_accumulator() -> None:
    generator = np.random.default_rng(3)
    inputs = [generator.standard_normal((2, n)) for n in range(0, 40_000, 997)]
    shared = xd.Accumulator()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda pair: shared.add(*pair), inputs))
    alone = xd.Accumulator()
    for pair in inputs:
        alone.add(*pair)
    assert shared == alone


def test_refusals() -> None:
    acc, single = xd.Accumulator(), xd.Accumulator("float32")
    with pytest.raises(TypeError, match="this accumulator is of float32, the other of float64"):
        single += acc
    with pytest.raises(TypeError, match="accumulator is of float32, the vectors hold float64"):
        single.add(np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="3 words; a float32 state has 24"):
        xd.Accumulator.from_words(np.zeros(3, np.int64))
    with pytest.raises(TypeError, match="words are integers"):
        xd.Accumulator.from_words(np.zeros(138))
    with pytest.raises(TypeError, match="masked"):
        xd.Accumulator.from_words(np.ma.masked_array(np.zeros(24, int), [1] + 23 * [0]))
    with pytest.raises(ValueError, match="dtype is complex64"):
        xd.Accumulator("complex64")
    with pytest.raises(ValueError, match="lengths?: 2 and 3"):
        acc.add(np.ones(2), np.ones(3))
    with pytest.raises(TypeError, match="unsupported operand"):
        acc += "1.0"
    too_much = np.zeros(138, np.int64)
    too_much[133], too_much[137] = 2**62, 1
    with pytest.raises(OverflowError):
        xd.Accumulator.from_words(too_much)
    assert acc == xd.Accumulator() and acc != "0.0"


def test_repr() -> None:
    acc = xd.Accumulator("float32")
    acc.add(np.array([math.inf], "f"), np.array([1], "f"))
    assert repr(acc) == "<exactdot.Accumulator of float32, about inf>"


def test_cannot_be_hashed_or_subclassed() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(xd.Accumulator())
    with pytest.raises(TypeError, match="prohibits subclassing"):
        type("Mine", (xd.Accumulator,), {})


def test_words_count_infinities() -> None:
    """Of sums that are not finite, as the docstring of words says."""
    once, twice = xd.Accumulator(), xd.Accumulator()
    once.add(np.array([math.inf]))
    twice.add(np.array([math.inf, math.inf]))
    assert float(once) == float(twice) == math.inf and once == twice and not same_state(once, twice)
