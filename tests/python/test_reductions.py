"""Every reduction of one vector has the value of the reference, for every element type, layout and protocol."""

from __future__ import annotations

import math
import struct
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlpack_capsules import CapsuleArray
from element_types import EXTREMA, FLOATS, INTEGERS, MEANS, OF_ML_DTYPES, SUMS, default_result, same, samples, vectors
from reference import FORMATS, bits, exact_dot, exact_reduction, plain, rounded, rounded_root, views


def test_the_reference() -> None:
    assert rounded_root(Fraction(2), "float64") == math.sqrt(2)
    assert rounded_root(Fraction(9, 4), "float16") == 1.5
    assert rounded_root(Fraction(2) ** -2148, "float64") == 2.0**-1074
    assert rounded(Fraction(65520), "float16") == math.inf and rounded(Fraction(65519), "float16") == 65504
    assert exact_reduction("argmin", [0.0, -0.0, -0.0], "int64") == 1
    assert exact_reduction("argmax", [1.0, math.nan, math.inf, math.nan], "int64") == 1
    assert exact_reduction("var", [1.0, 3.0], "float64", 1) == 2.0


@given(vectors(FLOATS), st.sampled_from(FLOATS), st.integers(0, 2))
def test_floats_equal_the_reference(x: np.ndarray, dtype: str, ddof: int) -> None:
    values = plain(x)
    for name in SUMS + MEANS:
        options = {"ddof": ddof} if name in ("var", "std") else {}
        expected = exact_reduction(name, values, dtype, ddof)
        assert same(getattr(xd, name)(x, dtype=dtype, **options), expected), name
        expected = exact_reduction(name, values, x.dtype.name, ddof)
        assert same(getattr(xd, name)(x, **options), expected), name


@given(vectors(INTEGERS), st.sampled_from(FLOATS), st.integers(0, 2))
def test_integers_equal_the_reference(x: np.ndarray, dtype: str, ddof: int) -> None:
    values = plain(x)
    for name in SUMS + MEANS:
        options = {"ddof": ddof} if name in ("var", "std") else {}
        expected = exact_reduction(name, values, dtype, ddof)
        assert same(getattr(xd, name)(x, dtype=dtype, **options), expected), name
        default = default_result(name, x.dtype.name)
        expected = exact_reduction(name, values, default, ddof)
        if default not in FORMATS and not np.iinfo(default).min <= expected <= np.iinfo(default).max:
            with pytest.raises(OverflowError, match=f"^{name}: the result does not fit into {default}"):
                getattr(xd, name)(x)
        else:
            assert same(getattr(xd, name)(x, **options), expected), name


@given(vectors(FLOATS), vectors(FLOATS), st.sampled_from(FLOATS))
def test_dots_of_floats_equal_the_reference(a: np.ndarray, b: np.ndarray, dtype: str) -> None:
    n = min(len(a), len(b))
    a, b = a[:n], b[len(b) - n :]
    assert same(xd.dot(a, b, dtype=dtype), exact_dot(a.astype("f8"), b.astype("f8"), dtype))


@given(vectors(INTEGERS), vectors(INTEGERS), st.sampled_from(FLOATS))
def test_dots_of_integers_equal_the_reference(a: np.ndarray, b: np.ndarray, dtype: str) -> None:
    n = min(len(a), len(b))
    a, b = a[:n], b[len(b) - n :]
    exact = sum(x * y for x, y in zip(a.tolist(), b.tolist()))
    assert same(xd.dot(a, b, dtype=dtype), rounded(Fraction(exact), dtype))
    default = "uint64" if a.dtype.kind == b.dtype.kind == "u" else "int64"
    if np.iinfo(default).min <= exact <= np.iinfo(default).max:
        assert same(xd.dot(a, b), exact)
    else:
        with pytest.raises(OverflowError, match=f"^dot: the result does not fit into {default}"):
            xd.dot(a, b)


@given(vectors(FLOATS + INTEGERS, min_size=1))
def test_extrema_equal_the_reference(x: np.ndarray) -> None:
    for name in EXTREMA:
        assert same(getattr(xd, name)(x), exact_reduction(name, plain(x), x.dtype.name)), name


def test_extrema_of_zeros_and_nans() -> None:
    assert bits(xd.min([0.0, -0.0])) == bits(-0.0) and bits(xd.max([-0.0, 0.0])) == bits(0.0)
    assert (xd.argmin([0.0, -0.0, -0.0]), xd.argmax([-0.0, 0.0, 0.0])) == (1, 1)
    x = np.array([1.0, -math.nan, math.inf, math.nan])
    assert math.isnan(xd.min(x)) and math.isnan(xd.max(x)) and xd.argmin(x) == xd.argmax(x) == 1


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("n", [1, 37, 5000])
def test_layouts_and_threads_change_nothing(dtype: str, n: int) -> None:
    x = samples(dtype, n)
    if dtype in OF_ML_DTYPES:  # ml_dtypes has no byte orders
        layouts = {"strided": np.repeat(x, 3)[::3], "reversed twice": x[::-1].copy()[::-1]}
    else:
        layouts = views(x)
    for name in SUMS + MEANS + EXTREMA:
        call = getattr(xd, name)
        expected = call(x)
        assert n > 37 or same(expected, exact_reduction(name, plain(x), default_result(name, dtype))), name
        for layout, y in layouts.items():
            for threads in (1, 3):
                assert same(call(y, threads=threads), expected), (name, layout)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_protocols(dtype: str) -> None:
    x = samples(dtype, 20)
    expected = xd.sum(x)
    code = {"bfloat16": 4, "float8_e4m3fn": 10, "float8_e5m2": 12}.get(dtype, "iuf".find(x.dtype.kind))
    stored = x.view(f"u{x.itemsize}") if dtype in OF_ML_DTYPES else x
    for versioned in (True, False):
        assert same(xd.sum(CapsuleArray(stored, code=code, versioned=versioned)), expected)
        assert same(xd.sum(CapsuleArray(np.repeat(stored, 2)[::2], code=code, versioned=versioned)), expected)
    if dtype not in OF_ML_DTYPES:
        assert same(xd.sum(memoryview(x)), expected)
    typestr = f"{'|' if x.itemsize == 1 else '<'}{x.dtype.kind}{x.itemsize}"
    interface = {"typestr": typestr, "shape": (3,), "data": (4096, False), "version": 3}
    there = type("There", (), {"__cuda_array_interface__": interface, "dtype": x.dtype})()
    with pytest.raises(ValueError, match="a is in GPU memory, b in host memory"):
        xd.dot(there, x)


def test_buffer_formats() -> None:
    import array

    for code in "bBhHiIlLqQfd":
        x = array.array(code, [1, 2, 3])
        assert same(xd.sum(x), float(6) if code in "fd" else 6), code
    for code in "nN":
        assert same(xd.sum(memoryview(struct.pack(f"3{code}", 1, 2, 3)).cast(code)), 6)
    for x in (np.array([True, False, True]), memoryview(b"\1\0\1").cast("?"), CapsuleArray(np.ones(2, "u1"), code=6)):
        assert same(xd.sum(x), 2)
    assert same(xd.sum(b"\1\2"), 3) and same(xd.sum(bytearray(3)), 0)


@pytest.mark.parametrize("dtype", FLOATS + ["uint8", "int32", "int64"])
def test_torch_tensors_in_host_memory(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([1, 2, 4], dtype=getattr(torch, dtype))
    assert same(xd.sum(x), 7.0 if dtype in FLOATS else 7)
    assert same(xd.sum([1, 2], dtype=x.dtype) if dtype in FLOATS else 3.0, 3.0)


def test_mode_fast() -> None:
    x = np.tile(np.array([1e16, 1.0, -1e16, 3.0, -1.0, 0.1]), 5000)
    expected = {name: getattr(xd, name)(x, mode="fast") for name in (*SUMS, "norm", "mean")}
    assert expected["sum"] != xd.sum(x) and expected["mean"] == expected["sum"] / len(x)
    assert expected["norm"] == math.sqrt(expected["sum_of_squares"])
    for name, value in expected.items():
        assert same(getattr(xd, name)(np.repeat(x, 2)[::2], mode="fast", threads=3), value)
        assert same(getattr(xd, name)(np.array([3, 4]), mode="fast"), getattr(xd, name)(np.array([3, 4])))
    for call in (xd.var, xd.std):
        with pytest.raises(ValueError, match=f"^{call.__name__}: mode \"fast\" has no variance"):
            call(x, mode="fast")


def test_long_calls_and_threads() -> None:
    """Lengths that release the GIL, and lengths that run on a worker."""
    x = np.random.default_rng(5).integers(-100, 100, 2**24 + 3).astype(np.int8)
    wide = x.astype(np.int64)
    expected: dict[str, Any] = {"sum": int(wide.sum()), "sum_of_squares": int((wide * wide).sum()),
                                "asum": int(np.abs(wide).sum()), "argmax": int(x.argmax()), "min": int(x.min())}
    with ThreadPoolExecutor(3) as pool:
        found = dict(zip(expected, pool.map(lambda name: getattr(xd, name)(x), expected)))
    assert found == expected
