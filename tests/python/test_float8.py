"""8-bit floats: every code and rounding beside ml_dtypes, every reduction and shape beside the same numbers as float32,
and what is refused. Needs ml_dtypes, without which all is skipped."""

from __future__ import annotations

import math
from typing import Any

import exactdot as xd
import numpy as np
import pytest

from dlpack_capsules import CapsuleArray
from element_types import EXTREMA, MEANS, SUMS, dtype_of, samples
from reference import bits

ml_dtypes = pytest.importorskip("ml_dtypes")
TYPES = ["float8_e4m3fn", "float8_e5m2"]
CODES = np.arange(256, dtype=np.uint8)


def codes_of(x: Any) -> np.ndarray:
    return np.asarray(x).view(np.uint8)


def converted(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The codes of ml_dtypes' conversion, of sums: +0 for zeros, the canonical NaN for NaNs."""
    codes = codes_of(x.astype(dtype))
    codes = np.where(x == 0, 0, codes)
    return np.where(np.isnan(x), codes_of(np.array(math.nan).astype(dtype)), codes)


@pytest.mark.parametrize("name", TYPES)
def test_every_code_has_the_value_of_ml_dtypes(name: str) -> None:
    x = CODES.view(dtype_of(name))
    for dtype in ("float32", "float64", name):
        found = xd.sum(x.reshape(-1, 1), axis=1, dtype=dtype)
        expected = (x.astype(np.float64) + 0.0).astype(dtype_of(dtype))
        assert np.array_equal(np.isnan(found), np.isnan(expected))
        assert np.array_equal(found[~np.isnan(found)].view("u1"), expected[~np.isnan(expected)].view("u1"))
    found = xd.max(x.reshape(-1, 1), axis=1)
    assert found.dtype == x.dtype and np.array_equal(codes_of(found), converted(x.astype("f4"), x.dtype) | (CODES == 0x80) * 0x80)


def numbers_beside_ties(name: str) -> np.ndarray:
    """All float16, and the float32 at and beside the middle of neighbours, beyond the largest too."""
    halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    codes = CODES[: 0x7F if name == "float8_e4m3fn" else 0x7C].view(dtype_of(name)).astype(np.float32)
    codes = np.append(codes, np.float32(480 if name == "float8_e4m3fn" else 65536))
    ties = (codes[1:] + codes[:-1]) / 2
    ties = np.concatenate([ties, np.nextafter(ties, 0, dtype="f4"), np.nextafter(ties, np.float32(1e9))])
    return np.concatenate([halves, ties, -ties, np.float32([3e38, -3e38, math.inf, -math.inf, math.nan])])


@pytest.mark.parametrize("name", TYPES)
def test_results_are_rounded_as_ml_dtypes_converts(name: str) -> None:
    x, dtype = numbers_beside_ties(name), dtype_of(name)
    for given in (x, x.astype(np.float64)):
        for mode in ("exact", "fast"):
            found = xd.sum(given.reshape(-1, 1), axis=1, dtype=dtype, mode=mode)
            assert found.dtype == dtype and np.array_equal(codes_of(found), converted(x, dtype))
    for i in range(0, len(x), 331):
        expected = np.array(converted(x[i:i + 1], dtype)).view(dtype)[0]
        assert bits(xd.sum(x[i:i + 1], dtype=name)) == bits(float(expected))
        assert bits(xd.sum([float(x[i]), 0], dtype=name)) == bits(float(expected))


@pytest.mark.parametrize("name", TYPES)
def test_products_and_sums_of_every_pair(name: str) -> None:
    dtype = dtype_of(name)
    a, b = np.repeat(CODES, 256).view(dtype).reshape(-1, 1), np.tile(CODES, 256).view(dtype).reshape(-1, 1)
    with np.errstate(all="ignore"):
        product, total = a.astype("f8") * b.astype("f8"), a.astype("f8") + b.astype("f8")  # exact
    pairs = np.concatenate([a, b], axis=1)
    for found, expected in ((xd.vecdot(a, b), product), (xd.sum(pairs, axis=1), total)):
        assert found.dtype == dtype and np.array_equal(codes_of(found), converted(expected.reshape(-1), dtype))
    with np.errstate(all="ignore"):
        single = (total.reshape(-1) + 0).astype("f4")
    assert np.array_equal(xd.sum(pairs, axis=1, dtype="float32"), single, equal_nan=True)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("n", [1, 3, 100, 5000])
def test_every_reduction_has_the_bits_of_the_same_numbers_as_float32(name: str, n: int) -> None:
    x = samples(name, n)
    wide = x.astype(np.float32)
    for reduction in SUMS + MEANS:
        call = getattr(xd, reduction)
        for dtype in (name, "float16", "float32", "float64"):
            for threads in (1, 3):
                assert bits(call(x, dtype=dtype, threads=threads)) == bits(call(wide, dtype=dtype)), (reduction, dtype)
        assert bits(call(x)) == bits(call(wide, dtype=name))
    for reduction in EXTREMA:
        for threads in (1, 3):
            assert bits(float(getattr(xd, reduction)(x, threads=threads))) == bits(float(getattr(xd, reduction)(wide)))
    assert xd.dot(x, x[::-1], dtype="float64") == xd.dot(wide, wide[::-1], dtype="float64")


@pytest.mark.parametrize("name", TYPES)
def test_every_shape_has_the_bits_of_the_same_numbers_as_float32(name: str) -> None:
    x = samples(name, 3000).reshape(60, 50)
    wide, keys, offsets = x.astype(np.float32), np.arange(60) * 7 % 11, [0, 3, 10, 31, 60]
    for reduction in SUMS + MEANS:
        call = getattr(xd, reduction)
        for axis in (0, 1):
            found = call(x, axis=axis, dtype="float32")
            assert np.array_equal(found, call(wide, axis=axis)) and found.dtype == np.float32
            assert np.array_equal(codes_of(call(x, axis=axis)), codes_of(call(wide, axis=axis, dtype=name)))
        group = getattr(xd, f"group_{reduction}")
        assert np.array_equal(group(x, keys, dtype="float32"), group(wide, keys))
        segment = getattr(xd, f"segment_{reduction}")
        flat, step = np.ascontiguousarray(x[:, 0]), np.ascontiguousarray(wide[:, 0])
        assert np.array_equal(segment(flat, offsets, dtype="float32"), segment(step, offsets))
        for compact in (False, True):
            words = xd.states(reduction, x, axis=1, compact=compact)
            assert np.array_equal(xd.round_states(words, reduction, name, dtype="float32"), call(wide, axis=1))
            assert np.array_equal(codes_of(xd.round_states(words, reduction, name)), codes_of(call(x, axis=1)))
    for reduction in EXTREMA:
        call = getattr(xd, reduction)
        for axis in (0, 1):
            found = call(x, axis=axis)
            assert np.array_equal(found.astype("f8"), call(wide, axis=axis).astype("f8"))
        if reduction in ("min", "max"):
            group = getattr(xd, f"group_{reduction}")
            assert np.array_equal(group(x, keys).astype("f4"), group(wide, keys)) and group(x, keys).dtype == x.dtype


def test_e4m3_has_nan_for_infinity() -> None:
    x = np.array([-448, -18], ml_dtypes.float8_e4m3fn)
    assert math.isnan(xd.sum(x)) and bits(xd.sum(x)) == bits(-math.nan) and xd.sum(x, dtype="float32") == -466
    assert xd.sum(np.array([448, 16], x.dtype)) == 448 and math.isnan(xd.sum([465.0], dtype=x.dtype))
    assert math.isnan(xd.sum([math.inf], dtype="float8_e4m3fn")) and xd.sum([2.0**16], dtype="float8_e5m2") == math.inf
    assert math.isnan(xd.sum([10**400], dtype="float8_e4m3fn")) and xd.sum([10**400], dtype="float8_e5m2") == math.inf
    assert math.isnan(xd.sum_of_squares(x)) and xd.norm(np.array([240, 320], x.dtype)) == 384  # 400, a tie
    assert xd.mean(np.full(1000, 448, x.dtype)) == 448


def test_mixed_pairs() -> None:
    a, b = np.array([1.5, 2], ml_dtypes.float8_e4m3fn), np.array([0.25, 3], ml_dtypes.float8_e5m2)
    for other in (b, b.astype(np.float16), b.astype(ml_dtypes.bfloat16), b.astype("f4"), b.astype("f8")):
        assert xd.dot(a, other) == xd.dot(other, a) == 6.375
        assert xd.vecdot(a.reshape(1, -1), other.reshape(1, -1)).dtype == (np.float64 if other.itemsize == 8 else np.float32)
    with pytest.raises(TypeError, match="integers and floating-point numbers do not mix"):
        xd.dot(a, np.array([1, 2]))


@pytest.mark.parametrize("name", TYPES)
def test_spellings_and_out(name: str) -> None:
    x, dtype = samples(name, 30).reshape(5, 6), dtype_of(name)
    for spelling in (name, dtype, dtype.type):
        assert xd.sum(x, axis=0, dtype=spelling).dtype == dtype
        assert xd.Accumulator(spelling).dtype == name
    out = np.zeros(6, dtype)
    assert xd.sum(x, axis=0, out=out) is out and np.array_equal(codes_of(out), codes_of(xd.sum(x, axis=0)))
    assert type(xd.sum(x[0])) is float and xd.sum(dtype.type(1.5)) == 1.5 and xd.sum([dtype.type(1.5)] * 2) == 3
    layouts = (np.repeat(x[0], 2)[::2], x[0][::-1].copy()[::-1])
    assert all(xd.sum(y) == xd.sum(x[0]) for y in layouts)


def test_dlpack_codes() -> None:
    stored = np.array([1, 2, 3], np.uint8)
    for code, name in ((10, "float8_e4m3fn"), (12, "float8_e5m2")):
        assert xd.sum(CapsuleArray(stored, code=code), dtype="float64") == xd.sum(stored.view(dtype_of(name)), dtype="f8")
    for code in (2, 4, 7, 8, 9, 11, 13, 14):
        with pytest.raises(TypeError, match=f"type code {code} with 8 bits.*float8_e4m3fn or float8_e5m2"):
            xd.sum(CapsuleArray(stored, code=code))
    for code in (10, 12):
        with pytest.raises(TypeError, match=f"type code {code} with 16 bits"):
            xd.sum(CapsuleArray(stored.astype(np.uint16), code=code))


@pytest.mark.parametrize("name", ["float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float8_e4m3", "float8_e3m4",
                                  "float4_e2m1fn", "int4"])
def test_other_types_of_ml_dtypes_are_refused(name: str) -> None:
    if not hasattr(ml_dtypes, name):
        pytest.skip(f"this ml_dtypes has no {name}")
    x = np.ones(3, getattr(ml_dtypes, name))
    with pytest.raises(TypeError, match=f"^sum: x: elements are of dtype {name}, not float32, .*float8_e4m3fn or float8_e5m2"):
        xd.sum(x)
    with pytest.raises(ValueError, match=f"^sum: dtype is {name}; use .*float8_e4m3fn or float8_e5m2"):
        xd.sum([1.0], dtype=x.dtype)
    interface = {"typestr": x.dtype.str, "shape": (3,), "data": (4096, False), "version": 3}
    there = type("There", (), {"__cuda_array_interface__": interface, "dtype": x.dtype})()
    with pytest.raises(TypeError, match=f"elements are {x.dtype.str!r}, not float32"):
        xd.sum(there)
