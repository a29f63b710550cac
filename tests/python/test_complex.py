"""Complex elements: each part of a result is the real number, rounded once, in every shape."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from complex_reference import OF_PAIRS, OF_PARTS, PARTS, expected_dot, expected_of, numbers, same

import exactdot as xd
from exactdot import _complex_on_gpu, _engine


def test_the_oracle_itself() -> None:
    a, b = np.array([1 + 2j, 3 - 1j]), np.array([2 - 1j, 1j])
    assert expected_dot(a, b, False) == a @ b and expected_dot(a, b, True) == np.vdot(a, b)
    assert expected_of("norm", np.array([3 + 4j])) == 5 and expected_of("asum", a) == 7 and expected_of("sum", a) == 4 + 1j
    assert Fraction(expected_of("mean", a).real) == 2


@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("name", OF_PARTS + OF_PAIRS)
def test_vectors_and_axes(name: str, dtype: str) -> None:
    random = np.random.default_rng(4)
    call: Callable[..., Any] = getattr(xd, name)
    for n in (0, 1, 2, 3, 17, 256, 1001):
        for special in (False, True):
            x = numbers(random, (n,), dtype, special)
            assert same(call(x), expected_of(name, x)), n
            assert isinstance(call(x), complex if name in OF_PARTS else float)
            assert same(call(x[::-2]), expected_of(name, x[::-2]))
    x = numbers(random, (3, 4, 5), dtype, True)
    for axis in range(3):
        lines = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
        expected = [expected_of(name, line) for line in lines]
        for view, along in ((x, axis), (x, axis - 3), (x.T, 2 - axis)):
            found = call(view, axis=along)
            assert same(found.T if view is not x else found, expected), axis
        assert found.dtype == (np.dtype(dtype) if name in OF_PARTS else np.dtype(PARTS[dtype])).newbyteorder("=")
        kept = call(x, axis=axis, keepdims=True)
        assert same(kept, expected) and kept.shape == np.sum(x, axis=axis, keepdims=True).shape
        out = np.zeros_like(kept)
        assert call(x, axis=axis, keepdims=True, out=out) is out and same(out, expected)
    assert same(call(x, axis=(0, 2)), [expected_of(name, x[:, i].reshape(-1)) for i in range(4)])
    assert same(call(x, axis=(0, -1), keepdims=True), call(x, axis=(0, 2)))
    assert same(call(x, keepdims=True), expected_of(name, x.reshape(-1))) and call(x, keepdims=True).shape == (1, 1, 1)
    assert call(x[0, 0], out=...).shape == () and same(call(x[0, 0, 0]), expected_of(name, x[0, 0, :1]))


@pytest.mark.parametrize("dtype", ("c8", "c16"))
def test_products(dtype: str) -> None:
    random = np.random.default_rng(5)
    for n in (0, 1, 2, 3, 40, 1001):
        for special in (False, True):
            a, b = numbers(random, (n,), dtype, special), numbers(random, (n,), dtype)
            plain, conjugated = expected_dot(a, b, False), expected_dot(a, b, True)
            assert same(xd.dot(a, b), plain) and same(xd.vdot(a, b), conjugated) and same(xd.vecdot(a, b), conjugated), n
            assert same(xd.linalg.vecdot(a, b), conjugated)
            assert same(xd.segment_dot(a, b, [0, n]), [plain]) and same(xd.group_dot(a, b, [0] * n, 1), [plain])
            itself = xd.vdot(a, a)
            if not special:
                assert itself.imag == 0 and itself.real == xd.sum_of_squares(a)
    a, b = numbers(random, (4, 6), dtype), numbers(random, (4, 6), dtype)
    assert same(xd.vdot(a, b), expected_dot(a.ravel(), b.ravel(), True))
    assert same(xd.vecdot(a, b), [expected_dot(*both, True) for both in zip(a, b)])
    assert same(xd.vecdot(a, b, axis=0, keepdims=True), [expected_dot(*both, True) for both in zip(a.T, b.T)])
    assert same(xd.vecdot(a, b[0]), [expected_dot(line, b[0], True) for line in a])
    assert same(xd.matvec(a, b[0]), [expected_dot(line, b[0], False) for line in a])
    assert xd.matvec(a, b[0]).dtype == dtype and xd.vecdot(a, b, axis=0, keepdims=True).shape == (1, 6)
    real = a.real.copy()
    assert same(xd.dot(real[0], b[0]), expected_dot(real[0].astype(dtype), b[0], False))
    assert same(xd.dot(b[0], real[0]), expected_dot(b[0], real[0].astype(dtype), False))
    assert same(xd.vecdot(b, real), [expected_dot(x, y.astype(dtype), True) for x, y in zip(b, real)])
    assert same(xd.vecdot(real, b), [expected_dot(x.astype(dtype), y, True) for x, y in zip(real, b)])
    if dtype == "c16":  # two types: the result is of the wider one
        single = a[0].astype("c8")
        assert same(xd.dot(single, b[0]), expected_dot(single.astype("c16"), b[0], False))
    for x, y in itertools.product((a.reshape(2, 3, 4), a.T.reshape(24), np.asfortranarray(a), a[:, ::-1]), repeat=2):
        assert same(xd.vdot(x, y), expected_dot(x.ravel(), y.ravel(), True)) and xd.vdot(x.real, y.real) == xd.dot(x.real.ravel(), y.real.ravel())
    assert xd.vdot(memoryview(a.real.copy()), a.real) == xd.sum_of_squares(a.real)
    assert xd.vdot([1.0, 2.0], [3.0, 4.0]) == 11 and isinstance(xd.vdot(real, real), float)


def test_what_cancels_between_the_parts() -> None:
    big = 2.0**40 + 1
    x = np.array([complex(big, big)])  # the real part of x·x is big² − big², NumPy's products are rounded before
    y = np.array([complex(big, np.nextafter(big, 0))])
    assert xd.dot(x, x) == complex(0, 2 * big * big)
    exact = Fraction(big) ** 2 - Fraction(big) * Fraction(float(np.nextafter(big, 0)))
    assert xd.dot(x, y).real == float(exact)
    assert xd.norm(np.array([3e300 + 4e300j])) == 5e300


def test_missing_elements() -> None:
    random = np.random.default_rng(7)
    x, y = numbers(random, (6, 8), "c16"), numbers(random, (6, 8), "c16")
    x.real[random.random(x.shape) < 0.2] = np.nan
    y.imag[random.random(x.shape) < 0.2] = np.nan
    mask, there = random.random(x.shape) < 0.7, ~np.isnan(x)
    for name in OF_PARTS + OF_PAIRS:
        call = getattr(xd, name)
        assert same(call(x, skip_nan=True), expected_of(name, x[there])), name
        assert same(call(x, where=mask, skip_nan=True), expected_of(name, x[there & mask]))
        assert same(call(x, axis=1, where=mask[0], skip_nan=True),
                    [expected_of(name, line[keep & mask[0]]) for line, keep in zip(x, there)])
    both = there & ~np.isnan(y)
    assert same(xd.nansum(x), expected_of("sum", x[there]))
    assert same(xd.vecdot(x, y, skip_nan=True), [expected_dot(a[keep], b[keep], True) for a, b, keep in zip(x, y, both)])
    assert same(xd.vecdot(x, y[0], where=mask, skip_nan=True),
                [expected_dot(a[keep & ~np.isnan(y[0])], y[0][keep & ~np.isnan(y[0])], True) for a, keep in zip(x, there & mask)])
    assert same(xd.dot(x[0], y[0], where=mask[0], skip_nan=True),
                expected_dot(x[0][(both & mask)[0]], y[0][(both & mask)[0]], False))


def test_types_and_out() -> None:
    x = np.array([1 + 2.0**-30, 1j, 2], "c16")
    assert xd.sum(x, dtype="c8", keepdims=True).dtype == np.complex64 and xd.sum(x, dtype=np.complex64) == 3 + 1j
    assert xd.norm(x, dtype="f4", keepdims=True).dtype == np.float32
    out = np.zeros((), "c16")
    assert xd.sum(x, out=out) is out and out[()] == x.sum()
    single = np.zeros((), "c8")
    assert xd.dot(x, x, out=single)[()] == 4
    assert xd.sum(x, out=x[1:2].reshape(())) == 3 + 2.0**-30 + 1j and x[1] == 3 + 2.0**-30 + 1j  # it may be an element
    strided = np.zeros((2, 6), "c8")[:, ::2]
    xd.sum(np.ones((3, 2, 3), "c8"), axis=0, out=strided)
    assert strided.tolist() == [[3 + 0j] * 3] * 2


def test_what_is_not_complex_is_read_as_elsewhere() -> None:
    """The other input of a product, keys, offsets, masks: lists, iterators and columns as in calls without complex elements."""
    x = np.array([1 + 2j, 3 - 1j, 2j])
    big, out = [2**53 + 1, -2.0**53], np.zeros((2,), "c16")
    turned = np.array([[2 + 1j, 2 + 1j], [1j, 1j]])
    assert xd.vecdot(turned, big).tolist() == [2 - 1j, -1j] and xd.matvec(turned, big, out=out) is out and out.tolist() == [2 + 1j, 1j]
    assert xd.vecdot(turned, big, dtype="c8", keepdims=True).dtype == "c8" and type(xd.segment_dot(turned[0], big, [0, 2])[0]) is np.complex128
    with pytest.raises(TypeError, match="^matvec: out is of float64; use an array of complex64"):
        xd.matvec(turned, big, out=np.zeros(2))
    assert xd.dot(np.ones(2, "c16"), [2**53 + 1, -2.0**53]) == 1 and xd.vdot([2**53 + 1, -2.0**53], np.ones(2, "c16")) == 1
    assert xd.vdot([[2**53 + 1], [-2.0**53]], [[1], [1]]) == 1 and xd.vdot([[1.0, 2.0], [3.0, 4.0]], np.array([1.0, 2.0, 3.0, 4.0])) == 30
    assert xd.dot(x, [1, 2, 3]) == xd.dot(iter([1.0, 2.0, 3.0]), x) == 7 + 6j
    assert xd.vdot(x, [1, 2, 3]) == 7 - 6j and xd.vdot([1, 2, 3], x) == 7 + 6j
    assert xd.group_sum(x, iter([0, 1, 0])).tolist() == [1 + 4j, 3 - 1j] and xd.group_asum(x, iter([0, 1, 0])).tolist() == [5, 4]
    assert xd.segment_asum(x, iter([0, 1, 3])).tolist() == [3, 6] and xd.sum(x, where=iter([True, False, True])) == 1 + 4j
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    for mask in (polars.Series([True, False, True]), pandas.Series([True, False, True]), pandas.array([True, False, True], "boolean")):
        assert xd.sum(x, where=mask, skip_nan=True) == 1 + 4j and xd.asum(x, where=mask) == 5
    assert xd.dot(x, polars.Series([1.0, None, 3.0]), skip_nan=True) == 1 + 8j
    for call, sentence in (
            (lambda: xd.dot(x, polars.Series([1.0, None, 3.0])), "^dot: b: holds 1 null, at index 1"),
            (lambda: xd.sum(x, where=pandas.Series([True, None, True], dtype="boolean"), skip_nan=True), "^sum: where: holds 1 null"),
            (lambda: xd.vdot(pandas.DataFrame({"a": pandas.array([1, None], "Float64")}), np.ones(2)), "^vdot: a: holds 1 null")):
        with pytest.raises(ValueError, match=sentence):
            call()
    frame = pandas.DataFrame({"a": [2**53 + 1], "b": [-2.0**53]})
    for product in (lambda: xd.vecdot(np.ones(2, "c16"), frame), lambda: xd.vdot(frame, np.ones(2))):
        with pytest.raises(TypeError, match="no element type holds all columns exactly"):
            product()


def test_shapes_of_products() -> None:
    random = np.random.default_rng(8)
    x, table = numbers(random, (5,), "c16"), numbers(random, (3, 5), "c16")
    table[1, 2] = np.nan
    kept = [expected_dot(x[keep], line[keep], True) for line, keep in zip(table, ~np.isnan(table))]
    assert same(xd.vecdot(x, table, skip_nan=True), kept) and same(xd.vecdot(x[None], table, skip_nan=True), kept)
    real = table.real.copy()
    there = ~np.isnan(real)
    assert same(xd.vecdot(x, real, skip_nan=True), [expected_dot(x[keep], line[keep].astype("c16"), True) for line, keep in zip(real, there)])
    assert same(xd.vecdot(real, x, skip_nan=True, where=np.ones((3, 5), bool)),
                [expected_dot(line[keep].astype("c16"), x[keep], True) for line, keep in zip(real, there)])
    assert same(xd.vecdot(x, table, where=True), xd.vecdot(x, table)) and xd.sum(x, where=True) == xd.sum(x)
    half = np.array([1 + 2j, complex(1, np.nan)])  # an element with one NaN is not there, for either part
    assert xd.dot(half, np.ones(2), skip_nan=True) == xd.dot(np.ones(2), half, skip_nan=True) == xd.nansum(half) == 1 + 2j
    mask = np.array([True, False, True, True, False])
    assert same(xd.vecdot(x, table[:1], where=mask), [expected_dot(x[mask], table[0][mask], True)])
    a, b = numbers(random, (4, 1000), "c16"), numbers(random, (4, 1000), "c16")
    fast = xd.vecdot(a, b, mode="fast")
    assert same(fast, xd.vecdot(np.ascontiguousarray(a.T), np.ascontiguousarray(b.T), axis=0, mode="fast"))
    assert xd.sum(table[:1], axis=[0, 1]) == xd.sum(table[0]) and xd.asum(table[:1], axis=[0, 1]) == xd.asum(table[0])
    for one in (np.zeros(1, "c16"), np.zeros((), "c16")):
        assert xd.sum(x, out=one) is one and same(one, xd.sum(x)) and xd.dot(x, x, out=one) is one


X = np.ones((2, 3), "c16")
MASKED = np.ma.masked_array(X[0], [1, 0, 0])
OVERLAPPING = np.lib.stride_tricks.as_strided(np.zeros(2, "c16"), (3,), (8,))
@pytest.mark.parametrize("dtype", ("c8", "c16"))
def test_whole_vectors_have_the_bits_of_calls_with_options(dtype: str) -> None:
    random = np.random.default_rng(9)
    for n in (0, 1, 2, 8, 511, 512, 513, 3000, 20000):
        for step in (1, -1, 3):
            a, b = (((random.standard_normal(n * 3) + 1j * random.standard_normal(n * 3)) * 10.0 ** random.integers(-9, 9, n * 3)).astype(dtype)[::step][:n]
                    for _ in range(2))
            a[n // 2:], b[n // 2:] = -a[:n - n // 2], b[:n - n // 2]
            if n > 1 and step == 3:
                a[1] = complex(math.nan, 0) if n % 2 else complex(0, math.inf)
            for name in ("sum", "mean", "asum", "sum_of_squares", "norm"):
                call = getattr(xd, name)
                assert type(call(a)) is type(call(a, threads=1)) and same(call(a), call(a, threads=1)), (name, n, step)
            for name in ("dot", "vdot", "vecdot"):
                call = getattr(xd, name)
                assert same(call(a, b), call(a, b, threads=1)), (name, n, step)
    square = (random.standard_normal((30, 40)) + 1j).astype(dtype)
    assert same(xd.sum(square), xd.sum(square, threads=1)) and same(xd.norm(square.T), xd.norm(square.T, threads=1))
    mixed = square[0].astype("c16" if dtype == "c8" else "c8")
    assert same(xd.dot(square[0], mixed), xd.dot(square[0], mixed, threads=1))


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: xd.var(X), TypeError, "^var: x: elements are of dtype complex128"),
    (lambda: xd.max(X), TypeError, "^max: x: elements are of dtype complex128"),
    (lambda: xd.corr(X[0], X[0]), TypeError, "^corr: x: elements are of dtype complex128"),
    (lambda: xd.sum(X.astype("clongdouble")), TypeError, "^sum: x: elements are of dtype (clongdouble|complex256)"),
    (lambda: xd.sum(np.ma.masked_array(X, X == 0)), TypeError, "^sum: x: is a masked array"),
    (lambda: xd.sum(X, axis=2), ValueError, "^sum: axis is 2, the array has 2 dimensions"),
    (lambda: xd.norm(X, axis=-3), ValueError, "^norm: axis is -3, the array has 2 dimensions"),
    (lambda: xd.norm(X, axis=(0, 0)), ValueError, "^norm: axis .*0"),
    (lambda: xd.norm(X, axis=1.5), TypeError, "^norm: axis is 1.5"),
    (lambda: xd.norm(X, out=np.empty(3), axis=1), ValueError, "^norm: out has shape"),
    (lambda: xd.sum(X, out=np.empty(3, "c16"), axis=1), ValueError, r"^sum: out has shape \(3,\), the results have \(2,\)"),
    (lambda: xd.sum(X, out=np.empty(2), axis=1), TypeError, "^sum: out is of float64"),
    (lambda: xd.sum(X, out=np.empty(2, "c8"), dtype="c16", axis=1), ValueError, "^sum: out does not have the dtype that was passed"),
    (lambda: xd.sum(X, dtype="f8"), ValueError, "^sum: dtype is float64; use complex64 or complex128"),
    (lambda: xd.sum(X, dtype="quad"), ValueError, "^sum: dtype is quad; use complex64 or complex128"),
    (lambda: xd.norm(X, dtype="c16"), ValueError, "^norm: dtype is complex128; use float16"),
    (lambda: xd.linalg.vector_norm(X, ord=1), TypeError, "^vector_norm: the order of a norm of complex elements is 2"),
    (lambda: xd.sum(X, mode="quick"), ValueError, "^sum: mode is quick"),
    (lambda: xd.sum(X, skip_nan=3), TypeError, "^sum: skip_nan is 3"),
    (lambda: xd.sum(X, where=[1, 0, 1]), TypeError, "^sum: where holds int64"),
    (lambda: xd.norm(X, where=[True, False]), ValueError, "^norm: where"),
    (lambda: xd.dot(X[0], X[0, :2]), ValueError, "^dot: the vectors differ in length: 3 and 2"),
    (lambda: xd.vdot(X, X[0]), ValueError, "^vdot: the vectors differ in length: 6 and 3"),
    (lambda: xd.dot(X[0], np.arange(3)), TypeError, "^dot: a holds complex128, b int64"),
    (lambda: xd.segment_norm(X[0], [0, 7]), ValueError, "^segment_norm: offset 1 is 7, past the end of 3 elements"),
    (lambda: xd.segment_norm(X[0], [0.5, 2]), (TypeError, ValueError), "^segment_norm: "),
    (lambda: xd.segment_dot(X[0], X[0], [2, 1]), ValueError, "^segment_dot: offset 1 is 1, below the one before it, 2"),
    (lambda: xd.group_norm(X[0], [0, 1]), ValueError, "^group_norm: "),
    (lambda: xd.dot(X[0], MASKED), TypeError, "^dot: b: is a masked array"),
    (lambda: xd.dot(MASKED, X[0]), TypeError, "^dot: a: is a masked array"),
    (lambda: xd.dot(MASKED.real, X[0]), TypeError, "^dot: a: is a masked array"),
    (lambda: xd.group_norm(X[0], np.ma.masked_array([0, 1, 0], [0, 1, 0])), TypeError, "^group_norm: keys: is a masked array"),
    (lambda: xd.segment_norm(X[0], np.ma.masked_array([0, 3], [0, 1])), TypeError, "^segment_norm: offsets: is a masked array"),
    (lambda: xd.sum(X, where=np.ma.masked_array(X.real > 0, X.real > 0)), TypeError, "^sum: where: is a masked array"),
    (lambda: xd.segment_norm(X[0], np.array([0, 2**63 + 3], "u8")), ValueError, "^segment_norm: offset 1 is"),
    (lambda: xd.segment_asum(X[0], np.array([-2**63, 3])), ValueError, "^segment_asum: offset 0 is"),
    (lambda: xd.segment_dot(X[0], X[0], np.array([0, 2**63 + 2], "u8")), ValueError, "^segment_dot: offset 1 is"),
    (lambda: xd.sum(X, axis=0, out=OVERLAPPING), ValueError, "^sum: results would overwrite each other"),
    (lambda: xd.sum(X, axis=0, out=X[0]), ValueError, "^sum: results lie within x"),
    (lambda: xd.sum(X, axis=0, out=np.ma.masked_array(np.empty(3, "c16"))), TypeError, "^sum: out: is a masked array"),
    (lambda: xd.sum(X, axis=True), TypeError, "^sum: axis is a bool"),
    (lambda: xd.vecdot(X, X, axis=2**70), ValueError, "^vecdot: axis is 1180591620717411303424"),
    (lambda: xd.vecdot(X, X[0, 0]), ValueError, "^vecdot: an input has no dimension"),
    (lambda: xd.vecdot(X, X[:, :2], skip_nan=True), ValueError, "^vecdot: the vectors differ in length"),
    (lambda: xd.sum(X, where=[[True, False]], skip_nan=True), ValueError, "^sum: where does not broadcast"),
    (lambda: xd.sum(X, where="abc", skip_nan=True), TypeError, "^sum: where: is not a vector"),
    (lambda: xd.dot(X[0], None, skip_nan=True), TypeError, "^dot: b: is not a vector"),
    (lambda: xd.norm(X, dtype="c7"), ValueError, "^norm: dtype is c7"),
    (lambda: xd.sum(X, threads=None), TypeError, "^sum: threads is None"),
    (lambda: xd.sum(X, skip_nan=None), TypeError, "^sum: skip_nan is None"),
    (lambda: xd.linalg.vector_norm(X, ord=np.array([2, 2])), TypeError, "^vector_norm: the order of"),
    (lambda: xd.norm(np.zeros((1,) * 64, "c16"), axis=0), ValueError, "^norm: an input has 64 dimensions"),
    (lambda: xd.group_sum(X[0], [0, 1, 2], add_to=np.zeros(3)), TypeError, "^group_sum: add_to is of float64; use an array of complex64"),
    (lambda: xd.group_asum(X[0], [0, 1, 2], add_to=np.zeros(3, "c16")), TypeError, "^group_asum: add_to: .*complex"),
    (lambda: xd.group_sum(X[0], [0, 1, 2], add_to=np.zeros(2, "c16")), ValueError, "^group_sum: key 2 is 2, and there are 2 groups"),
    (lambda: xd.group_sum(X, [0, 1], add_to=X), ValueError, "^group_sum: results lie within x"),
    (lambda: xd.group_dot(X, X, [0, 1], add_to=X), ValueError, "^group_dot: results lie within a"),
    (lambda: xd.group_sum(X[0], [0, 1, 2], add_to=np.zeros(3, "c16"), out=np.zeros(3, "c16")), TypeError, "^group_sum: out and add_to"),
    (lambda: xd.group_sum(X[0], [0, 1, 2], add_to=np.zeros(3, "c16"), where=[True] * 3), TypeError, "^group_sum: add_to with where"),
    (lambda: xd.group_mean(X[0], [0, 1, 2], add_to=np.zeros(3, "c16")), TypeError, "^group_mean: unknown argument 'add_to'"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case: int) -> None:
    call, kind, sentence = REFUSED[case]
    with pytest.raises(kind, match=sentence):
        call()


class _NumPyInPlaceOfCuPy(_complex_on_gpu._CuPy):
    """The functions that arrays in GPU memory take, with arrays that a machine without a GPU has."""

    def __init__(self) -> None:
        self.library = np


@pytest.mark.parametrize("dtype", ("c8", "c16"))
def test_the_way_of_arrays_in_gpu_memory(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_complex_on_gpu._LIBRARIES, "numpy", _NumPyInPlaceOfCuPy)

    def on_gpu(name: str, kind: str, *inputs: Any, after: tuple[Any, ...] = (), **options: Any) -> Any:
        return _complex_on_gpu.compute(name, kind, getattr(_engine, name), inputs, after, options)

    random = np.random.default_rng(21)
    x, y = numbers(random, (3, 4, 5), dtype), numbers(random, (3, 4, 5), dtype)
    for name, kind in (("sum", "parts"), ("mean", "parts"), ("asum", "pairs"), ("norm", "pairs")):
        for options in ({}, {"axis": 1}, {"axis": np.int64(-1)}, {"axis": (0, 2), "keepdims": True}):
            found, expected = on_gpu(name, kind, x, **options), getattr(xd, name)(x, **options)
            assert same(found, expected) and np.shape(found) == np.shape(expected), (name, options)
    for axis in (0, 1, -1):
        assert same(on_gpu("vecdot", "products", x, y, axis=axis, keepdims=True), xd.vecdot(x, y, axis=axis, keepdims=True))
        assert same(on_gpu("vecdot", "products", x, y, axis=axis), xd.vecdot(x, y, axis=axis))
    assert same(on_gpu("matvec", "products", x[0], y[0, 0]), xd.matvec(x[0], y[0, 0]))
    assert same(on_gpu("vecdot", "products", x, y.real.copy()), xd.vecdot(x, y.real.copy()))
    assert same(on_gpu("vdot", "products", x, y.T.copy()), xd.vdot(x, y.T))
    v, w = x.reshape(-1), y.reshape(-1)
    offsets, keys = np.array([0, 3, 3, 60], "i4"), np.arange(60) % 7
    for name, kind in (("sum", "parts"), ("norm", "pairs")):
        assert same(on_gpu(f"segment_{name}", kind, v, after=(offsets,)), getattr(xd, f"segment_{name}")(v, offsets))
        assert same(on_gpu(f"group_{name}", kind, v, after=(keys, 7)), getattr(xd, f"group_{name}")(v, keys, 7))
    assert same(on_gpu("segment_dot", "products", v, w, after=(offsets,)), xd.segment_dot(v, w, offsets))
    assert same(on_gpu("group_dot", "products", v, w, after=(keys, 7)), xd.group_dot(v, w, keys, 7))
    few = np.array([4, 0, 4])
    for name, kind, inputs in (("group_sum", "parts", (v,)), ("group_asum", "pairs", (v,)), ("group_dot", "products", (v, w)),
                               ("group_dot", "products", (v, w.real.copy())), ("group_dot", "products", (w.real.copy(), v)),
                               ("group_sum", "parts", (x,)), ("group_asum", "pairs", (x,)), ("group_norm", "pairs", (x[:, 0],)),
                               ("group_dot", "products", (x, y)), ("group_dot", "products", (x[:, :, 0], v[:3])),
                               ("group_dot", "products", (x, v.real[:3].copy()))):
        of = keys if inputs[0].ndim == 1 else few
        expected = getattr(xd, name)(*inputs, of, 7)
        assert same(on_gpu(name, kind, *inputs, after=(of, 7)), expected), name
        if name == "group_norm":
            continue
        table = numbers(random, expected.shape, dtype)
        table = table.real.copy() if kind == "pairs" else table
        expected = getattr(xd, name)(*inputs, of, add_to=table.copy())
        assert on_gpu(name, kind, *inputs, after=(of,), add_to=table) is table and same(table, expected), name
    out = np.zeros((3, 4), "c16")
    assert on_gpu("sum", "parts", x, axis=2, out=out) is out and same(out, xd.sum(x, axis=2, dtype="c16"))
    for call, kind_of_error, why in (
        (lambda: on_gpu("dot", "products", v, w[:50]), ValueError, "60 and 50"),
        (lambda: on_gpu("group_norm", "pairs", v, after=(keys[:50], 7)), ValueError, "60 and 50"),
        (lambda: on_gpu("segment_norm", "pairs", v, after=(np.array([0, 61]),)), ValueError, "is 61, past the end of 60"),
        (lambda: on_gpu("group_norm", "pairs", v, after=(["a"] * 60, 7)), (TypeError, ValueError), "keys"),
        (lambda: on_gpu("sum", "parts", x, axis=3), ValueError, "axis 3 is out of range"),
        (lambda: on_gpu("group_sum", "parts", v, after=(keys, 7), add_to=np.zeros(7)), TypeError, "add_to is of float64; use an array of"),
        (lambda: on_gpu("group_sum", "parts", v, after=(keys, 7), add_to=[0]), TypeError, "add_to is of list; use an array of complex64"),
        (lambda: on_gpu("group_sum", "parts", v, after=(keys,), add_to=np.zeros(8, "c16"), out=v), TypeError, "^group_sum: out and add_to"),
        (lambda: on_gpu("group_dot", "products", v, w, after=(keys, 7), add_to=np.zeros((7, 3), "c16")), ValueError,
         r"add_to has shape \(7, 3\), the results have \(7,\)"),
        (lambda: on_gpu("group_sum", "parts", v, after=(keys, 7), add_to=np.zeros((7, 3), "c16")), ValueError,
         r"add_to has shape \(7, 3\), the results have \(7,\)"),
        (lambda: on_gpu("sum", "parts", x, axis=2, out=np.zeros((3, 4))), TypeError, "use an array of complex64"),
        (lambda: on_gpu("vecdot", "products", x, y, out=np.zeros(3, "c16")), ValueError, "out has shape"),
        (lambda: on_gpu("vecdot", "products", x, y, dtype="float32"), ValueError, "use complex64 or complex128"),
    ):
        with pytest.raises(kind_of_error, match=why):
            call()
