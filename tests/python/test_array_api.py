"""The array API standard (2024.12) on sum, mean, var, std, min, max, vecdot and linalg.vector_norm.

Written from the standard's text: arguments, shapes, types, special cases. Values are compared with exact
ones, to the last bit. Arrays are NumPy's and, if it is installed, array_api_strict's, an implementation of the standard
and of nothing else: results are then its arrays.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from element_types import FLOATS, INTEGERS, OF_ML_DTYPES, dtype_of
from reference import bits, exact_dot, exact_reduction, plain

REDUCTIONS = ["sum", "mean", "var", "std", "min", "max"]
TYPES = [name for name in FLOATS + INTEGERS if name not in ("float16", *OF_ML_DTYPES)]  # the standard's


def libraries() -> list[Any]:
    """NumPy, and array_api_strict if it is installed."""
    try:
        import array_api_strict

        return [np, array_api_strict]
    except ImportError:
        return [np]


LIBRARIES = libraries()


def test_arguments() -> None:
    """Arrays are positional, all others keyword arguments, with the standard's names and defaults."""
    standard: dict[Callable[..., Any], dict[str, Any]] = {
        xd.sum: {"axis": None, "dtype": None, "keepdims": False}, xd.mean: {"axis": None, "keepdims": False},
        xd.var: {"axis": None, "correction": 0.0, "keepdims": False},
        xd.std: {"axis": None, "correction": 0.0, "keepdims": False}, xd.min: {"axis": None, "keepdims": False},
        xd.max: {"axis": None, "keepdims": False}, xd.vecdot: {"axis": -1}, xd.linalg.vecdot: {"axis": -1},
        xd.linalg.vector_norm: {"axis": None, "keepdims": False, "ord": 2}}
    x = np.arange(6.0).reshape(2, 3)
    for call, arguments in standard.items():
        inputs = (x, x) if "vecdot" in call.__name__ else (x,)
        parameters = inspect.signature(call).parameters
        for name in arguments:
            may_be_positional = name == "axis" and len(inputs) == 1 and call is not xd.linalg.vector_norm  # as in NumPy
            kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
            assert parameters[name].kind is kinds[not may_be_positional]
        assert np.array_equal(call(*inputs, **arguments), call(*inputs))  # the defaults


@given(st.data())
def test_shapes_and_values(data: st.DataObject) -> None:
    """One result for each index of the axes that are left, in the shape that NumPy gives; an empty tuple leaves all."""
    x = data.draw(arrays.arrays(st.sampled_from([np.dtype(name) for name in TYPES]),
                                arrays.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=3)))
    name = data.draw(st.sampled_from(REDUCTIONS))
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1),
                               st.lists(st.integers(0, x.ndim - 1), unique=True).map(tuple)))
    keepdims = data.draw(st.booleans())
    shape = np.empty(x.shape, bool).all(axis=axis, keepdims=keepdims).shape
    axes = range(x.ndim) if axis is None else [i % x.ndim for i in np.atleast_1d(np.array(axis, int))]
    rest = [i for i in range(x.ndim) if i not in axes]
    vectors = np.transpose(x, [*rest, *axes]).reshape(math.prod(x.shape[i] for i in rest),
                                                      math.prod(x.shape[i] for i in axes))
    call = getattr(xd, name)
    if name in ("min", "max") and vectors.shape[1] == 0:
        if vectors.shape[0]:
            with pytest.raises(ValueError, match="empty"):
                call(x, axis=axis, keepdims=keepdims)
        return
    try:
        found = call(x, axis=axis, keepdims=keepdims)
    except OverflowError:
        assert x.dtype.kind in "iu" and name == "sum"
        return
    dtype = x.dtype if name in ("min", "max") or x.dtype.kind == "f" else np.dtype("f8")
    if name == "sum" and x.dtype.kind in "iu":
        dtype = np.dtype("i8" if x.dtype.kind == "i" else "u8")
    expected = np.array([exact_reduction(name, plain(v), dtype.name) for v in vectors], dtype).reshape(shape)
    assert np.shape(found) == shape and np.asarray(found, dtype).tobytes() == expected.tobytes()
    if shape:
        assert found.dtype == dtype


@pytest.mark.parametrize("xp", LIBRARIES, ids=lambda xp: xp.__name__)
@pytest.mark.parametrize("dtype", TYPES)
def test_results_are_arrays_of_the_library(xp: Any, dtype: str) -> None:
    x = xp.reshape(xp.arange(6, dtype=getattr(xp, dtype)), (2, 3))
    kind = "float" if dtype.startswith("f") else dtype.rstrip("0123456789")
    sums = {"float": dtype, "int": "int64", "uint": "uint64"}[kind]
    means = dtype if kind == "float" else "float64"
    for found, expected, result in (
        (xd.sum(x, axis=0), [3, 5, 7], sums), (xd.sum(x, axis=1, dtype=xp.float64), [3, 12], "float64"),
        (xd.mean(x, axis=1, keepdims=True), [[1], [4]], means), (xd.max(x, axis=-1), [2, 5], dtype),
        (xd.var(x, axis=1, correction=1), [1, 1], means), (xd.vecdot(x, x), [5, 50], sums),
        (xd.linalg.vector_norm(x, axis=0, ord=1), [3, 5, 7], means), (xd.matvec(x, x[1, :]), [14, 50], sums),
        (xd.std(x, axis=()), [[0] * 3] * 2, means),
    ):
        assert type(found) is type(x) and found.dtype == getattr(xp, result)
        assert np.array_equal(np.asarray(found), expected)
    out = xp.zeros((3,), dtype=xp.float64)
    assert xd.sum(x, axis=0, out=out) is out and np.array_equal(np.asarray(out), [3, 5, 7])


def test_special_cases() -> None:
    """The sum of nothing is 0, a mean of nothing and a variance with N - correction <= 0 NaN; NaN and infinities go
    through."""
    empty = np.empty((2, 0))
    assert xd.sum(empty, axis=1).tolist() == [0, 0] and xd.sum(np.empty(0, "u4")) == 0
    assert np.isnan(xd.mean(empty, axis=1)).all() and np.isnan(xd.var(empty, axis=1)).all()
    x = np.array([[1.0, 3.0], [math.nan, 1.0], [math.inf, 1.0], [math.inf, -math.inf]])
    assert bits_of(xd.sum(x, axis=1)) == bits_of([4, math.nan, math.inf, math.nan])
    assert bits_of(xd.mean(x, axis=1)) == bits_of([2, math.nan, math.inf, math.nan])
    assert bits_of(xd.var(x, axis=1)) == bits_of([1, math.nan, math.nan, math.nan])
    assert bits_of(xd.max(x, axis=1)) == bits_of([3, math.nan, math.inf, math.inf])
    assert bits_of(xd.linalg.vector_norm(x, axis=1)) == bits_of([10**0.5, math.nan, math.inf, math.inf])
    for correction in (2, 3, 2.0):
        assert np.isnan(xd.var(x[0], correction=correction)) and np.isnan(xd.std(x[0], correction=correction))
    assert xd.var([1.0, 3.0], correction=1) == xd.var([1.0, 3.0], ddof=1) == xd.var([1.0, 3.0], correction=1.0) == 2


def bits_of(values: Any) -> list[str]:
    return [bits(float(x)) for x in values]


@given(st.data())
def test_vecdot(data: st.DataObject) -> None:
    """The axis is contracted, all others are broadcast; each result is the exact dot product, rounded once."""
    shapes = data.draw(arrays.mutually_broadcastable_shapes(signature="(n),(n)->()", max_dims=3, max_side=3))
    dtype = data.draw(st.sampled_from(["f4", "f8"]))
    elements = st.floats(width=8 * np.dtype(dtype).itemsize)
    a, b = (data.draw(arrays.arrays(dtype, shape, elements=elements)) for shape in shapes.input_shapes)
    expected = np.array([exact_dot(p, q, a.dtype.name) for p, q in
                         zip(np.broadcast_to(a, (*shapes.result_shape, a.shape[-1])).reshape(-1, a.shape[-1]),
                             np.broadcast_to(b, (*shapes.result_shape, b.shape[-1])).reshape(-1, b.shape[-1]))],
                        dtype).reshape(shapes.result_shape)
    found = xd.vecdot(a, b)
    assert np.shape(found) == shapes.result_shape and np.asarray(found, dtype).tobytes() == expected.tobytes()
    axis = data.draw(st.integers(-min(a.ndim, b.ndim), -1))
    moved = xd.vecdot(np.moveaxis(a, -1, axis), np.moveaxis(b, -1, axis), axis=axis)
    assert np.asarray(moved).tobytes() == np.asarray(found).tobytes()
    kept = xd.vecdot(np.moveaxis(a, -1, axis), np.moveaxis(b, -1, axis), axis=axis, keepdims=True)
    assert kept.shape == np.expand_dims(expected, axis).shape and kept.tobytes() == np.asarray(found, dtype).tobytes()


def test_vector_norm() -> None:
    x = np.array([[3.0, -4.0], [5.0, 12.0]])
    norm = xd.linalg.vector_norm
    assert norm(x, axis=1).tolist() == [5, 13] and norm(x, axis=1, ord=1).tolist() == [7, 17]
    assert norm(x) == xd.norm(x) and norm(x, ord=1.0) == 24 and norm(x, keepdims=True).shape == (1, 1)
    assert norm(np.arange(4), ord=1) == 6.0 and type(norm(np.arange(4), ord=1)) is float
    assert norm(x, axis=(0, 1)) == norm(x.reshape(-1)) and norm(x, axis=()).tolist() == np.abs(x).tolist()
    for order in (0, math.inf, -math.inf):
        assert np.array_equal(norm(x, ord=order, axis=1), np.linalg.vector_norm(x, ord=order, axis=1))
        assert norm(x, ord=order) == np.linalg.norm(x.reshape(-1), order) and norm(x, axis=(), ord=order).shape == x.shape
    for order in (3, -1, 1.5, "fro"):
        with pytest.raises(ValueError, match="^vector_norm: ord is .*; use 2, 1, 0, inf or -inf"):
            norm(x, ord=order)


def test_errors() -> None:
    x = np.ones((2, 3))
    for arguments, kind, why in (
        ({"ddof": 1, "correction": 1}, ValueError, "ddof and correction mean the same; pass one"),
        ({"correction": -1}, ValueError, "correction is -1"),
        ({"correction": "1"}, TypeError, "correction is 1; use a number"),
        ({"correction": math.nan}, ValueError, "correction is nan"), ({"axis": 2}, IndexError, "axis is 2"),
        ({"keepdims": True, "axis": (0, 0)}, ValueError, "axis 0 is named twice"),
    ):
        with pytest.raises(kind, match=f"^var: {why}"):
            xd.var(x, **arguments)
    with pytest.raises(TypeError, match="^sum: unknown argument 'correction'"):
        xd.sum(x, correction=1)


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "uint64"])
def test_norm_of_a_list_of_arrays(dtype: str) -> None:
    """One sum over all elements, of any shapes and strides, and one rounding."""
    rng = np.random.default_rng(5)
    shapes = ((3, 4), (5,), (), (0, 2), (2, 3, 4), (70, 90))
    x = [rng.integers(0, 100, shape).astype(dtype_of(dtype)) for shape in shapes]
    x += [x[0].T, x[4][::-1, ::2, 1:3], np.asfortranarray(x[5])[:, ::-1], x[1][:0], np.broadcast_to(x[1], (3, 5))]
    result = {"dtype": "float32"} if dtype == "float8_e4m3fn" else {}  # whose range is too short
    expected = xd.norm(np.concatenate([each.reshape(-1) for each in x]), **result)
    for given_list in (x, tuple(x), x[::-1]):
        assert xd.norm(given_list, **result) == xd.norm(given_list, threads=2, **result) == expected
    out = np.zeros((), "f4")
    assert xd.norm(x, out=out) is out and out == xd.norm(np.concatenate([e.reshape(-1) for e in x]), dtype="f4")
    assert xd.norm([x[1]]) == xd.norm(x[1]) and xd.norm([x[3]]) == 0


def test_types_of_a_list_of_arrays() -> None:
    half, single, double = (np.full(3, 1e-3, dtype) for dtype in ("f2", "f4", "f8"))
    brain = np.full(2, 2, dtype_of("bfloat16"))
    together = np.concatenate([half.astype("f4"), single, brain.astype("f4")])
    assert xd.norm([half, single, brain]) == xd.norm([brain, half, single]) == xd.norm(together)
    assert xd.norm([half, brain]) == xd.norm(np.concatenate([half.astype("f4"), brain.astype("f4")]))
    assert xd.norm([half, half], dtype="f8") == xd.norm(np.concatenate([half, half]), dtype="f8")
    huge = [np.array([3e300, 0]), np.array([[4e300]])]
    assert xd.norm(huge) == 5e300 and math.isnan(xd.norm([*huge, np.array(math.nan)]))
    assert xd.norm([[3.0, 4.0], [0.0, 12.0]]) == 13 and xd.norm([np.float32(3), np.float32(4)]) == 5  # one array
    assert xd.norm([np.array([3.0]), np.array([4.0])], axis=1).tolist() == [3, 4]
    for x, kind, why in (([single, double], TypeError, r"x\[1\] holds float64, x\[0\] float32, which one exact sum"),
                         ([single, np.ones(2, int)], TypeError, r"x\[1\] holds int64"),
                         ([single, np.ones(2, complex)], TypeError, r"x\[1\]: elements are of dtype complex128"),
                         ([single, [[1], [2, 3]]], ValueError, r"x\[1\]: is inhomogeneous"),
                         ([single, None], TypeError, r"x\[1\]: is not a vector")):
        with pytest.raises(kind, match=f"^norm: {why}"):
            xd.norm(x)
    with pytest.raises(ValueError, match="^norm: the result type is int64; use a floating-point type"):
        xd.norm([single, single], dtype=int)
    with pytest.raises(ValueError, match="^norm: stream is for vectors in GPU memory"):
        xd.norm([single], stream=1)
