"""Complex elements: each part of a result is the real number, rounded once, in every shape."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import bits, exact_dot, exact_reduction

import exactdot as xd

PARTS = {"c8": "float32", "c16": "float64", ">c16": "float64"}
OF_PARTS = ("sum", "mean")
OF_PAIRS = ("asum", "sum_of_squares", "norm")


def numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: str, special: bool = False) -> Any:
    """Exponents far apart, and half of the elements the negatives of the others: sums cancel."""
    def reals() -> Any:
        values = random.integers(-2**20, 2**20, shape) * 2.0 ** random.integers(-30, 30, shape)
        flat = values.reshape(-1)
        half = flat.size // 2
        flat[half:2 * half] = -flat[:half][::-1]
        if special and flat.size > 3:
            flat[random.integers(0, flat.size)] = random.choice([np.inf, -np.inf, np.nan])
        return values

    found = np.empty(shape, dtype)
    found.real, found.imag = reals(), reals()
    return found


def same(found: Any, expected: Any) -> bool:
    """The same bits of both parts, whatever the type."""
    found, expected = np.asarray(found, "c16").ravel(), np.asarray(expected, "c16").ravel()
    return found.size == expected.size and all(bits(each.real) == bits(other.real) and bits(each.imag) == bits(other.imag)
                                               for each, other in zip(found.tolist(), expected.tolist()))


def pairs_of(x: Any) -> list[float]:
    return [part for each in x.tolist() for part in (each.real, each.imag)]


def expected_of(name: str, x: Any) -> complex:
    """Of one vector, by rational numbers."""
    part = PARTS[x.dtype.str.replace("<", "").replace(">c8", "c8")]
    if name in OF_PARTS:
        return complex(exact_reduction(name, x.real.tolist(), part), exact_reduction(name, x.imag.tolist(), part))
    return complex(exact_reduction(name, pairs_of(x), part))


def expected_dot(a: Any, b: Any, conjugated: bool) -> complex:
    part = PARTS[a.dtype.str.replace("<", "")]
    left = np.concatenate([a.real, a.imag])
    sign = -1.0 if conjugated else 1.0
    return complex(exact_dot(left, np.concatenate([b.real, -sign * b.imag]), part),
                   exact_dot(left, np.concatenate([b.imag, sign * b.real]), part))


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
    assert xd.vdot([1.0, 2.0], [3.0, 4.0]) == 11 and isinstance(xd.vdot(real, real), float)


def test_what_cancels_between_the_parts() -> None:
    big = 2.0**40 + 1
    x = np.array([complex(big, big)])  # the real part of x·x is big² − big², NumPy's products are rounded before
    y = np.array([complex(big, np.nextafter(big, 0))])
    assert xd.dot(x, x) == complex(0, 2 * big * big)
    exact = Fraction(big) ** 2 - Fraction(big) * Fraction(float(np.nextafter(big, 0)))
    assert xd.dot(x, y).real == float(exact)
    assert xd.norm(np.array([3e300 + 4e300j])) == 5e300


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


X = np.ones((2, 3), "c16")
REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: xd.var(X), TypeError, "^var: x: elements are of dtype complex128"),
    (lambda: xd.max(X), TypeError, "^max: x: elements are of dtype complex128"),
    (lambda: xd.corr(X[0], X[0]), TypeError, "^corr: x: elements are of dtype complex128"),
    (lambda: xd.sum(X.astype("clongdouble")), TypeError, "^sum: x: elements are of dtype (longdouble|float128)"),
    (lambda: xd.sum(np.ma.masked_array(X, X == 0)), TypeError, "^sum: x: is a masked array"),
    (lambda: xd.sum(X, axis=2), ValueError, "^sum: axis is 2, the array has 2 dimensions"),
    (lambda: xd.norm(X, axis=-3), ValueError, "^norm: axis is -3, the array has 2 dimensions"),
    (lambda: xd.norm(X, axis=(0, 0)), ValueError, "^norm: axis .*0"),
    (lambda: xd.norm(X, axis=1.5), TypeError, "^norm: axis is 1.5"),
    (lambda: xd.norm(X, out=np.empty(3), axis=1), ValueError, "^norm: out has shape"),
    (lambda: xd.sum(X, out=np.empty(3, "c16"), axis=1), ValueError, r"^sum: out has shape \(3,\), the result \(2,\)"),
    (lambda: xd.sum(X, out=np.empty(2), axis=1), TypeError, "^sum: out is of float64"),
    (lambda: xd.sum(X, out=np.empty(2, "c8"), dtype="c16", axis=1), ValueError, "^sum: out is of complex64"),
    (lambda: xd.sum(X, dtype="f8"), ValueError, "^sum: dtype is float64; use complex64 or complex128"),
    (lambda: xd.sum(X, dtype="quad"), ValueError, "^sum: dtype is quad; use complex64 or complex128"),
    (lambda: xd.norm(X, dtype="c16"), ValueError, "^norm: dtype is complex128; the result is real"),
    (lambda: xd.linalg.vector_norm(X, ord=1), TypeError, "^vector_norm: the order of a norm of complex elements is 2"),
    (lambda: xd.sum(X, mode="quick"), ValueError, "^sum: mode is quick"),
    (lambda: xd.sum(X, skip_nan=3), TypeError, "^sum: skip_nan is 3"),
    (lambda: xd.sum(X, where=[1, 0, 1]), TypeError, "^sum: where holds int64"),
    (lambda: xd.norm(X, where=[True, False]), ValueError, "^norm: where"),
    (lambda: xd.dot(X[0], X[0, :2]), ValueError, "^dot: the vectors differ in length: 3 and 2"),
    (lambda: xd.vdot(X, X[0]), ValueError, "^vecdot: the vectors differ in length: 6 and 3"),
    (lambda: xd.dot(X[0], np.arange(3)), TypeError, "^dot: a holds float64, b int64"),
    (lambda: xd.segment_norm(X[0], [0, 7]), ValueError, "^segment_norm: offset 1 is 7, past the end of 3 elements"),
    (lambda: xd.segment_norm(X[0], [0.5, 2]), (TypeError, ValueError), "^segment_norm: "),
    (lambda: xd.segment_dot(X[0], X[0], [2, 1]), ValueError, "^segment_dot: offset 1 is 1, below the one before it, 2"),
    (lambda: xd.group_norm(X[0], [0, 1]), ValueError, "^group_norm: "),
    (lambda: xd.group_sum(X[0], [0, 1, 2], add_to=np.zeros(3)), TypeError, "^group_sum: add_to is for real elements"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case: int) -> None:
    call, kind, sentence = REFUSED[case]
    with pytest.raises(kind, match=sentence):
        call()
