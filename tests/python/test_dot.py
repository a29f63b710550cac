"""dot has the bits of the reference: special values, strides, byte orders, threads, instruction sets."""

from __future__ import annotations

import math
import random
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import bits, dtypes, exact_dot, pairs, rounded, views


def test_the_reference() -> None:
    assert rounded(Fraction(0.1) + Fraction(0.2), "float64") == 0.1 + 0.2
    assert rounded(Fraction(2) ** -1075, "float64") == 0.0
    assert rounded(Fraction(2) ** -1075 * 3, "float64") == 2.0**-1073
    assert rounded(Fraction(2) ** 1024 - Fraction(2) ** 970, "float64") == math.inf
    assert rounded(Fraction(2) ** 1024 - Fraction(2) ** 970 - 1, "float64") == np.finfo(float).max
    assert rounded(Fraction(1, 3), "float32") == np.float32(1) / np.float32(3)


@given(pairs(), dtypes)
def test_dot_equals_the_reference(pair: tuple[np.ndarray, np.ndarray], dtype: str) -> None:
    a, b = pair
    assert bits(xd.dot(a, b, dtype=dtype)) == bits(exact_dot(a, b, dtype))


@given(pairs(), st.data())
def test_layouts_change_nothing(pair: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    a, b = pair
    mode = data.draw(st.sampled_from(["exact", "fast"]))
    expected = bits(xd.dot(a, b, mode=mode))
    right = views(b)
    for name, x in views(a).items():
        y = right[data.draw(st.sampled_from(sorted(right)))]
        assert bits(xd.dot(x, y, mode=mode)) == expected, name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", ["exact", "fast"])
@pytest.mark.parametrize("n", [1000, 8191, 8193, 40_000, 250_001])
def test_long_views_equal_their_contiguous_copies(n: int, mode: str, dtype: str) -> None:
    generator = np.random.default_rng(n)
    a, b = generator.standard_normal((2, n)).astype(dtype)
    expected = bits(xd.dot(a, b, mode=mode, threads=1))
    for name, x in views(a).items():
        assert bits(xd.dot(x, b, mode=mode)) == expected, name
        assert bits(xd.dot(b, x, mode=mode, threads=2)) == expected, name


@pytest.mark.parametrize("n", [65_536, 300_001])
def test_threads_share_a_view(n: int) -> None:
    """Lengths at which several threads share the chunks of a view."""
    generator = np.random.default_rng(n)
    a, b = generator.standard_normal((2, n)) * 2.0 ** generator.integers(-300, 300, (2, n))
    for mode in ("exact", "fast"):
        expected = bits(xd.dot(a, b, mode=mode, threads=1))
        for name, x in views(a).items():
            for y in (b, b.astype(">f8")):
                found = {bits(xd.dot(x, y, mode=mode, threads=threads)) for threads in (0, 1, 2, 3, 9)}
                assert found == {expected}, (mode, name)
    whole = xd.Accumulator()
    whole.add(a, np.ones(n))
    for name, x in views(a).items():
        for threads in (0, 1, 3):
            total = xd.Accumulator()
            total.add(x, threads=threads)
            assert total == whole, name


@given(pairs(max_length=12), st.randoms(use_true_random=False))
def test_order_changes_nothing(pair: tuple[np.ndarray, np.ndarray], source: random.Random) -> None:
    a, b = pair
    order = list(range(len(a)))
    source.shuffle(order)
    assert bits(xd.dot(a[order], b[order])) == bits(xd.dot(b, a))


def test_threads_and_instruction_sets_change_nothing() -> None:
    generator = np.random.default_rng(1)
    a = generator.standard_normal(200_000) * 2.0 ** generator.integers(-400, 400, 200_000)
    b = np.concatenate([generator.standard_normal(100_000)] * 2)
    found = set()
    try:
        for instruction_set in xd.info()["instruction_sets"]:
            xd.use_instruction_set(instruction_set)
            for mode in ("exact", "fast"):
                found |= {(mode, bits(xd.dot(a, b, mode=mode, threads=n))) for n in (0, 1, 2, 3, 8)}
    finally:
        xd.use_instruction_set("")
    assert len(found) == 2


def test_calls_from_many_threads() -> None:
    generator = np.random.default_rng(2)
    vectors = [generator.standard_normal((2, n)) for n in (16, 3000, 100_000, 500_000)]
    expected = [bits(xd.dot(a, b)) for a, b in vectors]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda i: bits(xd.dot(*vectors[i % 4], threads=1 + i % 3)), range(400)))
    assert results == [expected[i % 4] for i in range(400)]


def test_special_values() -> None:
    assert xd.dot(np.array([]), np.array([])) == 0.0
    assert xd.dot(np.full(4096, 2.0**-540), np.full(4096, 2.0**-540)) == 2.0**-1068
    assert bits(xd.dot(np.array([-0.0]), np.array([1.0]))) == bits(0.0)
    assert math.isnan(xd.dot(np.array([math.inf, 1.0]), np.array([0.0, 1.0])))
    assert xd.dot(np.array([math.inf, 1.0]), np.array([1.0, 1.0])) == math.inf
