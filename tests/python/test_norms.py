"""rms_norm and layer_norm: every element is the real number rounded once, from fractions and integer square roots; arrays of
every kind, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest

from element_types import dtype_of
from reference import FORMATS, rounded

TYPES = ["float16", "bfloat16", "float32", "float64"]
PLACES = 1100  # binary: every number half way between two results is a multiple of 2^-PLACES, and biases are


def normalised(row: list[float], weight: list[float], bias: list[float], epsilon: float, centred: bool, dtype: str) -> list[float]:
    """The row that docs/contract.md specifies, of finite numbers."""
    x = [Fraction(each) for each in row]
    mean = sum(x, Fraction(0)) / len(x) if centred else Fraction(0)
    square = sum(((each - mean) ** 2 for each in x), Fraction(0)) / len(x) + Fraction(epsilon)
    if square == 0:
        return [math.nan] * len(x)
    results = []
    for each, w, b in zip(x, weight, bias):
        factor = (each - mean) * Fraction(w)
        quotient = factor**2 / square * 4**PLACES
        whole = math.isqrt(quotient.numerator // quotient.denominator)
        rest = Fraction(1, 2) if whole**2 != quotient else 0  # of the same unit, in place of what follows
        root = Fraction(whole + rest) / 2**PLACES
        results.append(rounded((root if factor >= 0 else -root) + Fraction(b), dtype))
    return results


def bits(values: Any, dtype: str) -> list[int]:
    return np.asarray(values, dtype_of(dtype)).view(f"u{dtype_of(dtype).itemsize}").ravel().tolist()


def check(x: np.ndarray, weight: Any, bias: Any, epsilon: float, centred: bool) -> None:
    dtype, n = x.dtype.name, x.shape[-1]
    w = [1.0] * n if weight is None else weight.astype("f8").tolist()
    b = [0.0] * n if bias is None else bias.astype("f8").tolist()
    found = xd.layer_norm(x, weight, bias, epsilon=epsilon) if centred else xd.rms_norm(x, weight, epsilon=epsilon)
    assert found.dtype == x.dtype and found.shape == x.shape
    rows = [normalised(row, w, b, epsilon, centred, dtype) for row in x.astype("f8").reshape(-1, n).tolist()]
    with np.errstate(over="ignore"):
        expected = np.array(rows, "f8").astype(x.dtype)  # which is exact
    assert bits(found, dtype) == bits(expected, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("parameters", ["float32", "own"])
def test_elements(dtype: str, parameters: str) -> None:
    generator = np.random.default_rng(1)
    of = dtype_of(dtype)
    of_parameters = of if parameters == "own" else np.dtype("f4")
    for trial in range(60):
        n = int(generator.integers(1, 40))
        x = generator.standard_normal((2, 3, n)) * 2.0 ** generator.integers(-12, 12, (2, 3, 1))
        if trial % 3 == 0:
            x = np.round(x)
        weight, bias = generator.standard_normal((2, n)).astype(of_parameters)
        epsilon = [1e-5, 0.0, 2.0**-20][trial % 3]
        check(x.astype(of), weight if trial % 4 else None, None, epsilon, False)
        check(x.astype(of), weight if trial % 4 else None, bias if trial % 5 else None, epsilon, True)


@pytest.mark.parametrize("dtype", TYPES)
def test_ties_are_even(dtype: str) -> None:
    """Of one 1 among nine elements the root of the mean of squares is 1/3: 3w has a bit more than w."""
    of, precision = dtype_of(dtype), FORMATS[dtype][0]
    generator = np.random.default_rng(2)
    for trial in range(40):
        odd = 2 * int(generator.integers(0, 2 ** (precision - 2))) + 1
        weight = np.full(9, math.ldexp(odd | 1 << (precision - 2), -precision)).astype(of)
        x = np.zeros(9)
        x[trial % 9] = 2.0 ** (trial % 5)
        check(x.astype(of), weight, None, 0.0, False)
        check(np.append(x, 0).astype(of), np.append(weight, weight[:1]), np.append(-weight, -weight[:1]), 0.0, True)


def test_special_values() -> None:
    inf, nan = math.inf, math.nan
    same: Callable[..., None] = np.testing.assert_array_equal
    x = np.array([[1.0, nan, 2.0], [inf, 2.0, 0.0], [0.0, 0.0, -0.0], [3.0, 3.0, 3.0]])
    same(xd.rms_norm(x, epsilon=0), [[nan] * 3, [nan, 0, 0], [nan] * 3, [1, 1, 1]])
    same(xd.layer_norm(x, bias=np.array([1.0, 2.0, inf]), epsilon=0), np.full((4, 3), nan))
    same(xd.layer_norm(x[2:], bias=np.array([1.0, -inf, -0.0])), [[1, -inf, 0], [1, -inf, 0]])
    same(xd.rms_norm(np.array([0.0, 2.0, -2.0, 0.0]), np.array([inf, inf, inf, 1.0])), [nan, inf, -inf, 0])
    assert not np.signbit(xd.rms_norm(np.array([-0.0, 1.0]), np.array([1.0, -0.0]))).any()


def test_defaults_are_those_of_pytorch() -> None:
    for dtype in TYPES:
        x = np.array([1e-3, 2e-3, -5e-3], "f4").astype(dtype_of(dtype))
        epsilon = 2.0 ** (-52 if dtype == "float64" else -23)  # of the type in which PyTorch computes
        assert bits(xd.rms_norm(x), dtype) == bits(xd.rms_norm(x, epsilon=epsilon), dtype)
        assert bits(xd.rms_norm(x), dtype) != bits(xd.rms_norm(x, epsilon=0.0), dtype)
        assert bits(xd.layer_norm(x), dtype) == bits(xd.layer_norm(x, epsilon=1e-5), dtype)


def test_shapes_and_layouts() -> None:
    generator = np.random.default_rng(3)
    x = generator.standard_normal((4, 5, 6))
    weight, bias = generator.standard_normal((2, 6))
    whole = xd.layer_norm(x, weight, bias)
    for i, j in np.ndindex(4, 5):
        assert (xd.layer_norm(x[i, j], weight, bias) == whole[i, j]).all()
    swapped = x.astype(">f8")
    for same in (np.asfortranarray(x), x[::-1][::-1], np.repeat(x, 2, axis=-1)[..., ::2], np.repeat(x, 2, 1)[:, ::2], swapped):
        assert (xd.layer_norm(same, np.repeat(weight, 2)[::2], bias[::-1][::-1]) == whole).all()
    assert (xd.layer_norm(x[::-1, ::2], weight, bias) == whole[::-1, ::2]).all()
    assert (xd.layer_norm(np.broadcast_to(x[0, 0], (7, 6)), weight, bias) == whole[0, 0]).all()
    out = np.zeros((4, 5, 6))
    assert xd.layer_norm(x, weight, bias, out=out) is out and (out == whole).all()
    wide = np.full((4, 5, 8), 7.0)
    xd.layer_norm(x, weight, bias, out=wide[..., :6])
    assert (wide[..., :6] == whole).all() and (wide[..., 6:] == 7).all()
    assert xd.rms_norm(x[:0]).shape == (0, 5, 6) and xd.rms_norm(x[..., :0]).shape == (4, 5, 0)
    assert xd.rms_norm([3.0, -3.0], epsilon=0).tolist() == [1, -1] and xd.rms_norm(memoryview(b"").cast("d")).shape == (0,)


@pytest.mark.parametrize("dtype", TYPES)
def test_no_bit_depends_on_threads_or_instructions(dtype: str) -> None:
    x = np.random.default_rng(4).standard_normal((300, 700)).astype(dtype_of(dtype))
    whole = bits(xd.layer_norm(x, threads=1), dtype)
    assert bits(xd.layer_norm(x, threads=4), dtype) == whole
    parts = [bits(xd.layer_norm(x[i : i + 7]), dtype) for i in range(0, 300, 7)]
    assert [word for part in parts for word in part] == whole
    try:
        for name in xd.info()["instruction_sets"]:
            xd.use_instruction_set(name)
            assert bits(xd.layer_norm(x), dtype) == whole, name
    finally:
        xd.use_instruction_set("")


def test_refused() -> None:
    x, w = np.ones((2, 3)), np.ones(3)
    f4 = x.astype("f4")
    overlapping = np.ones((3, 3))
    refused: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: xd.rms_norm(np.ones((2, 3), int)), TypeError, "^rms_norm: x holds int64; use float16, bfloat16"),
        (lambda: xd.rms_norm(x > 0), TypeError, "x holds bool"),
        (lambda: xd.rms_norm(np.float64(1)), ValueError, "no dimension"),
        (lambda: xd.rms_norm(x, w[:2]), ValueError, r"weight has another shape than one row of x, \(3,\)"),
        (lambda: xd.rms_norm(x, np.zeros(0)), ValueError, "weight has another shape"),
        (lambda: xd.rms_norm(x, x), ValueError, "weight has 2 dimensions"),
        (lambda: xd.layer_norm(x, None, w[:2]), ValueError, "bias has another shape"),
        (lambda: xd.rms_norm(f4, w), TypeError, "weight holds float64; use float32"),
        (lambda: xd.rms_norm(x, w.astype("f2")), TypeError, "use float32 or float64"),
        (lambda: xd.layer_norm(x, w, w.astype("f4")), ValueError, "different types"),
        (lambda: xd.rms_norm(x, epsilon=-1e-5), ValueError, "epsilon is -1e-05"),
        (lambda: xd.rms_norm(x, epsilon=math.nan), ValueError, "epsilon is nan"),
        (lambda: xd.rms_norm(x, epsilon="1"), TypeError, "epsilon is 1; use a number"),  # type: ignore[call-overload]
        (lambda: xd.rms_norm(x, out=f4), ValueError, "the results are of float32"),
        (lambda: xd.rms_norm(x, out=np.zeros(6)), ValueError, "out has shape"),
        (lambda: xd.rms_norm(x, out=np.zeros((3, 2)).T), ValueError, "rows of out have gaps"),
        (lambda: xd.rms_norm(x, out=x), ValueError, "results lie within x"),
        (lambda: xd.rms_norm(x, overlapping[1], out=overlapping[:2]), ValueError, "results lie within weight"),
        (lambda: xd.layer_norm(x, w, w, w), TypeError, "4 positional arguments"),  # type: ignore[call-overload]
        (lambda: xd.rms_norm(x, eps=1), TypeError, "unknown argument 'eps'; use epsilon"),  # type: ignore[call-overload]
        (lambda: xd.rms_norm(x, axis=0), TypeError, "last axis"),  # type: ignore[call-overload]
        (lambda: xd.rms_norm(x, threads=-1), ValueError, "threads is -1"),
        (lambda: xd.rms_norm(x, stream=0), ValueError, "stream is for"),
    ]
    for call, kind, sentence in refused:
        with pytest.raises(kind, match=sentence):
            call()
