"""What is computed in Python reads the elements that the engine reads, whatever NumPy makes of the object: arrays of DLPack alone,
arrays that NumPy refuses, types that NumPy lacks; and their results."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from element_types import OF_ML_DTYPES, dtype_of

import exactdot as xd
from standard_arrays import Exported, Standard, as_numpy, library

ENGINE: Any = xd._engine  # its functions without public names
ORDERS = [0, math.inf, -math.inf, 1, 2]
TYPES = [*OF_ML_DTYPES, "float16", "float32", "float64", "int8", "uint16", "int64", "bool"]


def array_of(dtype: str) -> np.ndarray:
    x = np.random.default_rng(5).integers(0 if dtype[0] in "ub" else -9, 9, (3, 4, 5))
    return x.astype(bool if dtype == "bool" else dtype_of(dtype))


def same(found: Any, expected: Any, of: type = np.ndarray) -> bool:
    """Of arrays: their class, type and elements."""
    if isinstance(expected, np.ndarray):
        host = as_numpy(found)
        return type(found) is of and (host.dtype, host.shape, host.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())
    return type(found) is type(expected) and found == expected


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("exported", [Exported, Standard])
def test_norms(dtype: str, exported: Any) -> None:
    x = array_of(dtype)
    of = Standard if exported is Standard else np.ndarray
    mask = x[0].astype(float) > 1
    mask[0, 0], mask[1:, 1] = True, True
    for order in ORDERS:
        for part in (x, x[0, 0], x[:, ::2, ::-1]):
            for given in ({}, {"dtype": "f8"}, {"axis": -1}, {"axis": 0, "dtype": "f4"}, {"keepdims": True}):
                assert same(xd.norm(exported(part), ord=order, **given), xd.norm(part, ord=order, **given), of), (order, given)
        assert order < 0 or xd.norm(exported(x[:0]), ord=order) == 0
        for skip_nan in (False, True):
            assert xd.norm(exported(x[0]), ord=order, where=exported(mask), skip_nan=skip_nan) == xd.norm(x[0], ord=order, where=mask)


def test_elements_outlive_what_exported_them() -> None:
    one = Exported(np.array([3.0, -4.0]))
    assert xd.norm(one, ord=math.inf) == 4 and xd.norm(one, ord=0) == 2 and one.memory.deleted == 2  # once for each call
    assert xd.norm(bytearray(b"ab"), ord=math.inf) == 98 and xd.norm(memoryview(b"").cast("d"), ord=0) == 0


@pytest.mark.parametrize("exported", [Exported, Standard])
def test_fractional_ddof(exported: Any) -> None:
    x = np.array([[1.0, 4.0, math.nan, 9.0], [2.0, 2.0, 5.0, 7.0]])
    mask = np.array([True, True, False, True])
    of = Standard if exported is Standard else np.ndarray
    for given in ({"skip_nan": True}, {"where": mask}, {"skip_nan": True, "axis": 1}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"keepdims": True},
                  {"where": mask, "axis": 1, "skip_nan": True}):
        wrapped = given | ({"where": exported(mask)} if "where" in given else {})
        for call in (xd.var, xd.std):
            found, expected = call(exported(x), ddof=0.5, **wrapped), call(x, ddof=0.5, **given)
            assert same(found, expected, of) or found != found and expected != expected, given
    assert same(xd.segment_std(exported(x[1]), [0, 2, 4], ddof=0.5, skip_nan=True), xd.segment_std(x[1], [0, 2, 4], ddof=0.5), of)
    keys = np.array([1, 0], "i4")
    for groups in (2, None):
        assert same(xd.group_var(x[:, :2], exported(keys), groups, ddof=0.5), xd.group_var(x[:, :2], keys, 2, ddof=0.5))
        assert same(xd.group_var(x, exported(keys), groups, ddof=0.5, skip_nan=True), xd.group_var(x, keys, 2, ddof=0.5, skip_nan=True))
    assert xd.group_var(x[:0], exported(np.array([], "u1")), ddof=0.5).shape == (0, 4)
    with pytest.raises(TypeError, match="^group_var: .*keys"):
        xd.group_var(x, exported(np.array([0.5, 1.0])), ddof=0.5)
    assert xd.var(x, ddof=0.5, skip_nan=True) == pytest.approx(np.nanvar(x) * 7 / 6.5, rel=1e-15)  # these are not NaN alone


def test_exact_numbers_beside_an_array() -> None:
    third = Fraction(1, 3)
    assert xd.dot([third, third], Exported(np.array([3.0, 6.0]))) == 3 and xd.dot(Standard(np.array([3, 6])), [third, third]) == 3


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("exported", [Exported, Standard])
def test_indices_of_magnitudes(dtype: str, exported: Any) -> None:
    x = array_of(dtype)
    of = Standard if exported is Standard else np.ndarray
    for axis in (0, 1, 2, -1):
        found = xd.iamax(exported(x), axis=axis)
        assert same(found, np.argmax(np.abs(x.astype(float)), axis), of)
    assert xd.iamax(exported(x[0, 0])) == xd.iamax(x[0, 0])


@pytest.mark.parametrize("dtype", OF_ML_DTYPES)
def test_types_that_numpy_lacks(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ml_dtypes they are float32, of every code."""
    of = dtype_of(dtype)
    codes = np.arange(2 ** (8 * of.itemsize), dtype=f"u{of.itemsize}").view(of)
    expected, x, rows = codes.astype("f4"), array_of(dtype), Standard(array_of(dtype))
    indices, largest = xd.iamax(x, axis=1).tolist(), xd.norm(x, ord=math.inf)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    found = ENGINE._read_for_numpy(Exported(codes), "test")
    assert found.dtype == np.float32 and np.array_equal(np.isnan(found), np.isnan(expected))
    assert found[~np.isnan(found)].tobytes() == expected[~np.isnan(expected)].tobytes()
    assert as_numpy(xd.iamax(rows, axis=1)).tolist() == indices and xd.norm(rows, ord=math.inf) == largest
    assert xd.norm(rows, ord=-math.inf, dtype="f4") == 0 == ENGINE._read_for_numpy(Exported(codes[:1].reshape(())), "test")


def test_narrow_results(monkeypatch: pytest.MonkeyPatch) -> None:
    x = Standard(np.arange(6, dtype="i2").reshape(2, 3))
    found = xd.sum(x, axis=1, dtype="i1")
    assert isinstance(found, Standard) and found.memory.data.dtype == "i1" and found.memory.data.tolist() == [3, 12]
    monkeypatch.delattr(library, "astype")
    with pytest.raises(TypeError, match="^sum: results are .*Standard.*, whose library converts none to int8; pass out, or no dtype"):
        xd.sum(x, axis=1, dtype="i1")
    out = np.zeros(2, "i1")
    assert xd.sum(x, axis=1, out=out).tolist() == [3, 12]
