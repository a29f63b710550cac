"""Segments and groups of complex elements, and tables to which groups are added."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from complex_reference import OF_PAIRS, OF_PARTS, expected_dot, expected_of, numbers, pairs_of, same
from reference import exact_reduction

import exactdot as xd


@pytest.mark.parametrize("name", OF_PARTS + OF_PAIRS)
def test_segments_and_groups(name: str) -> None:
    random = np.random.default_rng(6)
    segments, groups = getattr(xd, f"segment_{name}"), getattr(xd, f"group_{name}")
    for dtype in ("c8", "c16"):
        x, keys = numbers(random, (90,), dtype, True), random.integers(0, 7, 90)
        for offsets in (np.array([0, 3, 3, 50, 90]), np.array([0, 90], "i1"), [0, 10, 90], np.array([5, 80], "u8")):
            stretches = [expected_of(name, x[first:last]) for first, last in zip(offsets[:-1], offsets[1:])]
            assert same(segments(x, offsets), stretches)
        by_key = [expected_of(name, x[keys == key]) for key in range(7)]
        for of in (keys, keys.astype("i1"), keys.tolist()):
            assert same(groups(x, of), by_key) and same(groups(x, of, 7), by_key)
        table = numbers(random, (90, 3), dtype)
        columns = [expected_of(name, table[keys == key][:, i]) for key in range(7) for i in range(3)]
        assert same(groups(table, keys), columns)
        outside = np.where(keys == 6, -1, keys)
        assert same(groups(x, outside, 6, skip_out_of_range=True), by_key[:6])
        mask = random.random(90) < 0.5
        assert same(segments(x, [0, 40, 90], where=mask), [expected_of(name, x[:40][mask[:40]]), expected_of(name, x[40:][mask[40:]])])
        assert same(groups(x, keys, where=mask), [expected_of(name, x[(keys == key) & mask]) for key in range(7)])


def test_groups_of_no_columns() -> None:
    for n in range(1, 50):  # whose empty results share no memory with the keys, wherever they lie
        none, keys = np.ones((n, 0), "c16"), (np.arange(n) % 4).astype(">i4")
        for found, dtype in ((xd.group_sum(none, keys, 4), "c16"), (xd.group_asum(none, keys, 4), "f8"), (xd.group_dot(none, none, keys, 4), "c16")):
            assert found.shape == (4, 0) and found.dtype == dtype


def added(name: str, values: list[float], old: float, part: str) -> float:
    """What is there is one more term: |re| + |im| and squares are positive, so its sign stays."""
    terms = {"sum": values, "asum": [abs(x) for x in values]}[name]
    return float(exact_reduction("sum", [*terms, old], part))


@pytest.mark.parametrize("columns", (1, 3, 17))
@pytest.mark.parametrize("dtype", ("c8", "c16"))
def test_add_to(dtype: str, columns: int) -> None:
    random = np.random.default_rng(columns)
    x, keys = numbers(random, (150, columns), dtype, True), random.integers(0, 6, 150)
    for table_dtype, part in (("c8", "float32"), ("c16", "float64"), (">c16", "float64")):
        old = numbers(random, (7, columns), table_dtype)
        old[6, 0] = complex(-0.0, np.nan)  # keeps its bits: no element has its key
        for order in (np.arange(150), np.argsort(keys, kind="stable")):
            table = old.copy()
            assert xd.group_sum(x[order], keys[order], add_to=table) is table
            for key in range(6):
                for i in range(columns):
                    of = x[keys == key][:, i]
                    expected = complex(*(added("sum", getattr(of, which).tolist(), float(getattr(old[key, i], which)), part)
                                         for which in ("real", "imag")))
                    assert same(table[key, i], expected), (key, i)
            assert table[6].tobytes() == old[6].tobytes()
        wide = np.zeros((7, 2 * columns), table_dtype)
        wide[:, ::2] = old
        assert same(xd.group_sum(x, keys, add_to=wide[:, ::2]), table) and not wide[:, 1::2].any()
    real = np.arange(7 * columns, dtype="f8").reshape(7, columns)
    found = xd.group_asum(x, keys, add_to=real.copy())
    for key in range(6):
        for i in range(columns):
            assert same(found[key, i], added("asum", pairs_of(x[keys == key][:, i]), real[key, i], "float64"))
    assert same(found[6], real[6])


def test_products_are_added() -> None:
    """What is there cancels what is added: only the exact sum of all terms gives the results."""
    a, b = np.array([1 + 2j, 3 - 1j, 2.0**60 + 1j]), np.array([2 - 1j, 1j, 2.0**60 - 1j])
    expected = expected_dot(a[2:], b[2:], False)
    assert expected.real == 2.0**120 and expected.imag == 0
    table = np.array([1j, -2.0**120])
    assert xd.group_dot(a, b, [0, 0, 1], add_to=table) is table
    assert table.tolist() == [(a[:2] * b[:2]).sum() + 1j, 1]
    for weights in (np.array([2.0**53 + 2, 1]), [2**53 + 2, 1], np.array([2.0**53 + 2, 1], "c16")):
        table = np.array([[0, -(2.0**53 + 2) * 1j]])
        assert xd.group_dot(np.array([[1, 1j], [3, 0.5]]), weights, [0, 0], add_to=table).tolist() == [[2.0**53 + 4, 0.5]]
    table = np.zeros((2, 0), "c16")
    assert xd.group_dot(np.ones((3, 0), "c16"), np.ones((3, 0)), [0, 1, 0], add_to=table) is table
    nothing = np.array([complex(-0.0, -0.0)])
    assert same(xd.group_sum(np.ones(0, "c8"), np.zeros(0, int), add_to=nothing), complex(-0.0, -0.0))


def test_a_call_that_fails_adds_nothing() -> None:
    x, table = np.ones((3, 2), "c16"), np.full((2, 2), 7 - 1j)
    calls: list[Any] = [lambda: xd.group_sum(x, [0, 1, 2], add_to=table), lambda: xd.group_dot(x, x, [0, 1, -1], add_to=table),
                        lambda: xd.group_dot(x, x[:2], [0, 1, 1], add_to=table)]
    for call in calls:
        with pytest.raises(ValueError):
            call()
        assert (table == 7 - 1j).all()
