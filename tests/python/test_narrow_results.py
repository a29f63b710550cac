"""Integer results of 8 to 32 bits, by dtype and by out: the exact value, or an OverflowError that names it; never wrapped."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import exactdot as xd

NARROW = ["int8", "int16", "int32", "uint8", "uint16", "uint32"]


@pytest.mark.parametrize("dtype", NARROW)
def test_the_limits(dtype: str) -> None:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    for value in (low, high, 0, low - 1, high + 1, 2**62, -2**62):
        x = np.array([value - 5, 5])
        rows = np.stack([[0, 0], x])
        out, outs = np.zeros((), np.dtype(dtype).newbyteorder(">")), np.full(4, 7, dtype)
        calls: list[Any] = [lambda: xd.sum(x, dtype=dtype), lambda: xd.sum(x, out=out), lambda: xd.dot(x, [1, 1], dtype=dtype),
                            lambda: xd.sum(rows, axis=1, dtype=dtype), lambda: xd.sum(rows, axis=1, out=outs[::2]),
                            lambda: xd.segment_sum(x, [0, 0, 2], dtype=dtype), lambda: xd.group_sum(x, [1, 1], dtype=dtype),
                            lambda: xd.matvec(rows, [1, 1], dtype=dtype), lambda: xd.sum(rows, dtype=dtype, out=...),
                            lambda: xd.vecdot(rows, [1, 1], dtype=dtype), lambda: xd.sum(x, where=[True, True], dtype=dtype)]
        if low <= value <= high:
            for call in calls:
                found = call()
                assert np.asarray(found).reshape(-1)[-1] == value
                assert not isinstance(found, np.ndarray) or found.dtype in (dtype, out.dtype)
            assert outs.tolist() == [0, 7, value, 7]
            continue
        for call in calls:
            with pytest.raises(OverflowError, match=f"the result( at index 1)? is {value}, and {dtype} holds {low} to {high}; use .*int64.*, which holds it"):
                call()
        assert out == 0 and outs.tolist() == [7] * 4  # nothing is written before all fit


@given(st.lists(st.integers(-200, 200), min_size=0, max_size=6), st.sampled_from(NARROW))
def test_values(values: list[int], dtype: str) -> None:
    total, limits = sum(values), np.iinfo(dtype)
    x = np.array(values, "i2")
    if limits.min <= total <= limits.max:
        assert xd.sum(x, dtype=dtype) == total and type(xd.sum(x, dtype=dtype)) is int
    else:
        with pytest.raises(OverflowError):
            xd.sum(x, dtype=dtype)


def test_indices_and_counts() -> None:
    x = np.array([[1.0, 3.0, 2.0]])
    out = np.zeros((), "i1")
    assert xd.argmax(x, out=out) is out and out == 1
    assert xd.argmin(x, axis=1, out=np.zeros(1, "u4")).tolist() == [0]
    with pytest.raises(OverflowError, match="^argmax: the result is 299, and int8 holds -128 to 127; use out of int64"):
        xd.argmax(np.arange(300), out=out)
    assert xd.group_count([0, 1, 1], out=np.zeros(2, ">u2")).tolist() == [1, 2]
    with pytest.raises(OverflowError, match="^group_count: the result at index 0 is 300, and uint8 holds 0 to 255"):
        xd.group_count([0] * 300, out=np.zeros(1, "u1"))


def test_shapes_and_kinds_of_results() -> None:
    x = np.arange(6, dtype="u1").reshape(2, 3)
    assert xd.sum(x, dtype="i2", keepdims=True).tolist() == [[15]] and xd.sum(x, axis=(), dtype="i1").tolist() == x.tolist()
    assert xd.sum(x, axis=1, dtype="u1").dtype == "u1" and xd.sum(x[:, :0], axis=1, dtype="i4").tolist() == [0, 0]
    for zero in (np.array(3), np.array(3.0, "f4"), np.float64(3), 3):
        kept = xd.sum(zero, keepdims=True)
        assert isinstance(kept, np.ndarray) and kept.shape == () and kept == 3
    assert xd.sum(np.array(3), keepdims=True, dtype="i1").dtype == "i1"
    assert xd.sum([1, 2], dtype="i1", out=...).dtype == "i1" and xd.sum([1, 2], out=...).shape == ()
    assert xd.sum(x, axis=0, dtype="f2").dtype == "f2" and xd.mean(x, axis=0, dtype="f4").dtype == "f4"
    assert xd.sum(iter([100, 27]), dtype="i1") == 127
    with pytest.raises(OverflowError, match="^sum: the result is 128, and int8 holds -128 to 127"):
        xd.sum(iter([100, 28]), dtype="i1")
    with pytest.raises(OverflowError, match='^sum: the result does not fit into int64; use dtype="uint64", which holds it'):
        xd.sum([2**63 - 1, 1], dtype="i1")
    overlapping = np.arange(4, dtype="i4")
    assert xd.sum(overlapping.reshape(2, 2), axis=1, out=overlapping[:2]).tolist() == [1, 5]  # computed before any is stored


def test_what_is_refused() -> None:
    x = np.ones((2, 3), "i4")
    frozen = np.zeros(3, "i2")
    frozen.flags.writeable = False
    wrong: list[Any] = [
        (lambda: xd.sum(x, axis=0, out=np.zeros(2, "i2")), ValueError, r"^sum: out has shape \(2,\), the results have \(3,\)"),
        (lambda: xd.sum(x, out=np.zeros((1, 1), "i2")), ValueError, "^sum: out has shape"),
        (lambda: xd.sum(x[0], out=np.zeros((1, 1), "i2")), ValueError, "^sum: out: has 2 dimensions; use a 1-D array"),
        (lambda: xd.sum(x, axis=0, out=frozen), ValueError, "^sum: out is read-only"),
        (lambda: xd.sum(x, axis=0, out=np.zeros(3, "?")), ValueError, "^sum: out holds bool; use integers or floats"),
        (lambda: xd.sum(x[0], out=np.zeros((), "?")), ValueError, "^sum: out holds bool"),
        (lambda: xd.sum(x, axis=0, dtype="i1", out=np.zeros(3, "i2")), ValueError, "^sum: out does not have the dtype"),
        (lambda: xd.sum(x, axis=0, out=np.lib.stride_tricks.as_strided(np.zeros(3, "i2"), (3,), (0,))), ValueError, "^sum: results would overwrite each other"),
        (lambda: xd.sum(x, axis=0, out=np.lib.stride_tricks.as_strided(np.zeros(3, "i2"), (3,), (1,))), ValueError, "^sum: results would overwrite each other"),
        (lambda: xd.sum(x * 1.5, dtype="i2"), ValueError, "^sum: the result type is int16; use a floating-point type for elements of float64"),
        (lambda: xd.mean(x, dtype="i2"), ValueError, "^mean: the result type is int16; use a floating-point type"),
        (lambda: xd.norm(x, dtype="u1"), ValueError, "^norm: the result type is uint8; use a floating-point type"),
        (lambda: xd.group_sum(x, [0, 1], add_to=np.zeros((2, 3), "i4")), ValueError, "the result type is int32; use int64"),
        (lambda: xd.sum([Decimal("0.5")], dtype="i1"), ValueError, "^sum: the result type is int8; use a floating-point type"),
        (lambda: xd.list_sum([x], dtype="i1"), ValueError, "^list_sum: the result type is int8; use int64"),
    ]
    for call, kind, why in wrong:
        with pytest.raises(kind, match=why):
            call()
