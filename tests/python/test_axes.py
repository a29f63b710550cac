"""Reductions over axes of arrays: each result has the bits of the call on its elements, and shapes are NumPy's."""

from __future__ import annotations

import itertools
from typing import Any

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from element_types import EXTREMA, FLOATS, INTEGERS, MEANS, OF_ML_DTYPES, SUMS, default_result, dtype_of, samples
from reference import bits

ALL = SUMS + MEANS + EXTREMA


def result_dtype(name: str, dtype: str) -> np.dtype:
    if name.startswith("arg"):
        return np.dtype("int64")
    return dtype_of(dtype if name in EXTREMA else default_result(name, dtype))


def one_by_one(name: str, x: np.ndarray, axis: Any, keepdims: bool, **options: Any) -> np.ndarray:
    """The results of vector calls, in an array of the shape that NumPy gives."""
    shape = np.sum(np.empty(x.shape, bool), axis=axis, keepdims=keepdims).shape
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(sorted(a % x.ndim for a in axes))
    rest = [i for i in range(x.ndim) if i not in axes]
    out = np.empty([x.shape[i] for i in rest], result_dtype(name, x.dtype.name))
    moved = np.transpose(x, [*rest, *axes])
    for index in itertools.product(*(range(x.shape[i]) for i in rest)):
        out[index] = getattr(xd, name)(np.ascontiguousarray(moved[index]).reshape(-1), **options)
    return out.reshape(shape)


def same_bits(found: Any, expected: np.ndarray) -> bool:
    if expected.shape == ():
        return not isinstance(found, np.ndarray) and bits(float(found)) == bits(float(expected))
    return (type(found) is np.ndarray and found.dtype == expected.dtype and found.shape == expected.shape
            and found.tobytes() == expected.tobytes())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_every_reduction_and_type(name: str, dtype: str) -> None:
    x = samples(dtype, 60).reshape(3, 4, 5)
    for array in (x, x[::-1, :, ::2], x.transpose(2, 0, 1), np.asfortranarray(x), x.astype(x.dtype.newbyteorder())
                  if dtype not in OF_ML_DTYPES else x):
        for axis in (None, 0, 1, -1, (0, 2), (1, 0), (-1, 0, 1)):
            if name.startswith("arg") and isinstance(axis, tuple):
                continue
            for keepdims in (False, True):
                found = getattr(xd, name)(array, axis=axis, keepdims=keepdims)
                native = array.astype(x.dtype)
                assert same_bits(found, one_by_one(name, native, axis, keepdims)), (axis, keepdims)


@given(st.data())
def test_shapes(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    x = np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape) / 3
    axis = data.draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)))
    mode = data.draw(st.sampled_from(["exact", "fast"]))
    threads = data.draw(st.integers(0, 3))
    found = xd.sum(x, axis=axis, mode=mode, threads=threads)
    assert same_bits(found, one_by_one("sum", x, axis, False, mode=mode))


def test_many_rows_and_columns() -> None:
    x = np.random.default_rng(1).standard_normal((700, 300)) * 10.0 ** np.arange(-150, 150)
    for name in ("sum", "norm", "var", "max"):
        for axis in (0, 1):
            assert same_bits(getattr(xd, name)(x, axis=axis), one_by_one(name, x, axis, False))
    narrow = x[:, 100:200].astype("f4")
    for name in ("sum", "mean"):
        assert same_bits(getattr(xd, name)(narrow, axis=0), one_by_one(name, narrow, 0, False))


def test_dtype_and_out() -> None:
    x = np.arange(12, dtype="f4").reshape(3, 4) / 3
    assert xd.sum(x, axis=0, dtype="f8").dtype == np.float64
    for out in (np.zeros(4), np.zeros((4, 2))[:, 1], np.zeros(4, ">f8"), np.zeros(4, "f2")[::-1]):
        assert xd.sum(x, axis=0, out=out) is out
        assert np.array_equal(out, xd.sum(x, axis=0, dtype=out.dtype.newbyteorder("=").name))
    kept = np.zeros((1, 4))
    assert np.array_equal(xd.sum(x, axis=0, keepdims=True, out=kept), xd.sum(x, axis=0, dtype="f8")[None, :])
    last = np.concatenate([x, np.zeros((3, 1), "f4")], axis=1)
    xd.sum(last[:, :-1], axis=1, out=last[:, -1])  # results between the rows
    assert np.array_equal(last[:, -1], xd.sum(x, axis=1))
    before = x.copy()
    for wrong, why in ((x[0], "results lie within x"), (np.zeros(3), r"out has shape \(3,\), the results have \(4,\)"),
                       (np.zeros((1, 4)), "out has shape"), (np.broadcast_to(np.zeros(1), 4), "read-only"),
                       (np.lib.stride_tricks.as_strided(np.zeros(1), (4,), (0,)), "overwrite each other")):
        with pytest.raises(ValueError, match=f"^sum: .*{why}"):
            xd.sum(x, axis=0, out=wrong)
    assert np.array_equal(x, before)


def test_lists_and_other_libraries() -> None:
    assert np.array_equal(xd.sum([[1, 2], [3, 4]], axis=0), [4, 6]) and xd.sum([[1, 2], [3, 4]]) == 10
    torch = pytest.importorskip("torch")
    found = xd.sum(torch.ones(2, 3), axis=1)
    assert isinstance(found, torch.Tensor) and found.tolist() == [3, 3]


def test_vecdot() -> None:
    a, b = np.random.default_rng(2).standard_normal((2, 4, 3, 5))
    assert same_bits(xd.vecdot(a, b), np.array([[xd.dot(p, q) for p, q in zip(u, v)] for u, v in zip(a, b)]))
    assert np.array_equal(xd.vecdot(a, b[0, 0]), [[xd.dot(p, b[0, 0]) for p in u] for u in a])
    assert np.array_equal(xd.vecdot(a, b, axis=0), xd.vecdot(np.moveaxis(a, 0, -1), np.moveaxis(b, 0, -1)))
    assert np.array_equal(xd.vecdot(a[:, :1], b[:1]), xd.vecdot(*np.broadcast_arrays(a[:, :1], b[:1])))
    assert type(xd.vecdot(a[0, 0], b[0, 0])) is float
    assert xd.vecdot(np.ones((2, 0)), np.ones(0)).tolist() == [0, 0]
    for left, right, kind, why in ((a, b[..., :4], ValueError, "differ in length: 5 and 4"),
                                   (a, b[:3, :2], ValueError, "cannot be broadcast"),
                                   (a, 1.0, ValueError, "no dimension"),
                                   (a, np.ones(5, int), TypeError, "integers and floating-point numbers do not mix")):
        with pytest.raises(kind, match=f"^vecdot: .*{why}"):
            xd.vecdot(left, right)


def test_matvec() -> None:
    rng = np.random.default_rng(3)
    matrix, x = rng.standard_normal((4, 5)), rng.standard_normal(5)
    assert same_bits(xd.matvec(matrix, x), np.array([xd.dot(row, x) for row in matrix]))
    assert same_bits(xd.matvec(matrix.T, x[:4]), np.array([xd.dot(column.copy(), x[:4]) for column in matrix.T]))
    several, vectors = rng.standard_normal((3, 4, 5)), rng.standard_normal((3, 5))
    assert np.array_equal(xd.matvec(several, vectors), [xd.matvec(m, v) for m, v in zip(several, vectors)])
    for dtype in ("f2", "f4", "f8", "i4"):
        for count in (1, 2, 16, 17):
            rows, columns = (rng.integers(-9, 9, shape).astype(dtype) / 4 if dtype != "i4" else
                             rng.integers(-9, 9, shape, dtype=dtype) for shape in ((60, 90), (count, 90)))
            rows, columns = rows.astype(dtype), columns.astype(dtype)
            expected = np.array([xd.matvec(rows, each) for each in columns])
            assert same_bits(xd.matvec(rows, columns), expected) and expected.shape == (count, 60)
            assert same_bits(xd.matvec(rows, np.asfortranarray(columns)), expected)
    out = np.zeros(4)
    assert xd.matvec(matrix, x, out=out) is out and np.array_equal(out, xd.matvec(matrix, x))
    for left, why in ((x, "use a matrix"), (matrix[:, :4], "differ in length: 4 and 5")):
        with pytest.raises(ValueError, match=f"^matvec: .*{why}"):
            xd.matvec(left, x)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_segments(name: str, dtype: str) -> None:
    x = samples(dtype, 60)
    call, segment_call = getattr(xd, name), getattr(xd, f"segment_{name}")
    for array in (x, x[::-2]):
        for offsets in ([0, 7, 8, len(array)], np.array([3, 9, 20], "u4"), np.array([0, 5], "i8")[::1], [4]):
            expected = np.array([call(array[start:end]) for start, end in zip(offsets[:-1], offsets[1:])],
                                result_dtype(name, dtype))
            assert segment_call(array, offsets).tobytes() == expected.tobytes()
    if name in SUMS:
        assert segment_call(x, [0, 0, 60])[0] == 0


def test_segments_of_two_vectors_and_errors() -> None:
    a, b = np.random.default_rng(4).standard_normal((2, 50))
    offsets = np.array([0, 0, 10, 50], "i4")
    expected = [xd.dot(a[i:k], b[i:k]) for i, k in zip(offsets[:-1], offsets[1:])]
    assert xd.segment_dot(a, b, offsets).tolist() == expected
    out = np.zeros(3, "f4")
    assert xd.segment_dot(a, b, offsets=offsets, out=out) is out
    assert np.array_equal(out, xd.segment_dot(a, b, offsets, dtype="f4"))
    out[:] = 7
    for wrong, kind, why in (([0, 20, 10, 5], ValueError, "offset 2 is 10, below the one before it, 20"),
                             ([0, 1, 2, 51], ValueError, "offset 3 is 51, past the end of 50"),
                             ([-1, 1, 2, 3], ValueError, "offset 0 is -1"), ([0.0, 1.0], TypeError, "holds float64"),
                             ([], ValueError, "no offset"),
                             (5, ValueError, "has no dimension"), ([[0, 1]], ValueError, "has 2 dimensions"),
                             ([0, 50], ValueError, r"out has shape \(3,\), the results have \(1,\)"),
                             (None, TypeError, "offsets: is not a vector")):
        with pytest.raises(kind, match=f"^segment_dot: .*{why}"):
            xd.segment_dot(a, b, wrong, out=out)
    assert (out == 7).all()
    with pytest.raises(ValueError, match="^segment_max: segment 1 is empty"):
        xd.segment_max(a, [0, 3, 3, 4])
    with pytest.raises(TypeError, match="^segment_sum: argument 'offsets' is missing"):
        xd.segment_sum(a)
    with pytest.raises(ValueError, match="^segment_sum: x: has 2 dimensions"):
        xd.segment_sum(a.reshape(5, 10), [0, 1])


def test_errors() -> None:
    x = np.ones((2, 3))
    for axis, why in ((2, "axis is 2, the array has 2 dimensions"), (-3, "axis is -3"), ((0, 5), "axis is 5")):
        with pytest.raises(ValueError, match=why) as caught:
            xd.sum(x, axis=axis)
        assert isinstance(caught.value, IndexError)  # NumPy's AxisError
    for axis, kind, why in (((0, -2), ValueError, "axis 0 is named twice"), (1.0, TypeError, "axis is 1.0"),
                            ("0", TypeError, "axis is 0"), (True, TypeError, "axis is a bool"),
                            ({0}, TypeError, "axis is .0.")):
        with pytest.raises(kind, match=f"^sum: {why}"):
            xd.sum(x, axis=axis)
    with pytest.raises(TypeError, match="^argmax: axis is a tuple"):
        xd.argmax(x, axis=(0, 1))
    with pytest.raises(ValueError, match="^min: each of the 2 vectors is empty"):
        xd.min(np.ones((2, 0)), axis=1)
    with pytest.raises(ValueError, match="^max: each of the 3 vectors is empty"):
        xd.max(np.ones((0, 3)), axis=0)
    for shape in ((0, 0), (0, 3), (3, 0)):  # as NumPy: an error for vectors of nothing, even if there is none of them
        for axis in (0, 1):
            for call in (xd.min, xd.max, xd.argmin, xd.argmax):
                if shape[axis] == 0:
                    with pytest.raises(ValueError, match=f"^{call.__name__}: .*no least or greatest element"):
                        call(np.ones(shape), axis=axis)
                else:
                    assert call(np.ones(shape), axis=axis).shape == (0,)
    assert xd.segment_min([], [0]).shape == xd.group_min([], [], 0).shape == (0,)  # no segment is empty
    assert xd.argmax(np.array([[1, 5], [7, 2]])) == 2
    with pytest.raises(OverflowError, match="^sum: result 1 does not fit into int64"):
        xd.sum(np.array([[1, 1], [2**62, 2**62]]), axis=1)
    with pytest.raises(ValueError, match="^sum: negative_zero is for all of one vector"):
        xd.sum(x, axis=0, negative_zero=True)
    for call in (lambda: xd.dot(x, x), lambda: xd.Accumulator("f8").add(x)):
        with pytest.raises(ValueError, match="has 2 dimensions; use a 1-D array"):
            call()
