"""Reductions of arrays in GPU memory: the bits of the same call on the host. Skipped without a GPU.

The host's results are tested against a reference in test_reductions.py and test_states.py.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest

from element_types import EXTREMA, FLOATS, INTEGERS, MEANS, OF_ML_DTYPES, STORED, SUMS, samples, same
from gpu import CudaArrayInterface
from reference import bits

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"], reason="no GPU")


def torch_converter(dtype: str) -> Callable[[np.ndarray], Any]:
    """A function to tensors on the GPU. Older versions of PyTorch lack some types: skipped."""
    torch = pytest.importorskip("torch")
    if not hasattr(torch, dtype):
        pytest.skip(f"this PyTorch has no {dtype}")
    if dtype in OF_ML_DTYPES:
        return lambda a: torch.as_tensor(np.ascontiguousarray(a).view(STORED[a.itemsize]),
                                         device="cuda").view(getattr(torch, dtype))
    return lambda a: torch.as_tensor(a, device="cuda")


def converter(framework: str, dtype: str) -> Callable[[np.ndarray], Any]:
    if framework == "torch":
        return torch_converter(dtype)
    cupy = pytest.importorskip("cupy")
    if dtype in OF_ML_DTYPES:
        pytest.skip(f"CuPy has no {dtype}")
    return cupy.asarray if framework == "cupy" else lambda a: CudaArrayInterface(cupy.asarray(a))


@pytest.mark.parametrize("framework", ["torch", "cupy", "interface"])
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("n", [1, 1000, 300_001])
def test_bits(framework: str, dtype: str, n: int) -> None:
    to_gpu = converter(framework, dtype)
    x = samples(dtype, n)
    on_gpu = to_gpu(x)
    for name in SUMS + MEANS + EXTREMA:
        call = getattr(xd, name)
        assert same(call(on_gpu), call(x)), name
        if name in SUMS + MEANS:
            for result in FLOATS:
                assert same(call(on_gpu, dtype=result), call(x, dtype=result)), (name, result)
    for name in (*SUMS, "norm", "mean"):
        call = getattr(xd, name)
        assert same(call(on_gpu, mode="fast"), call(x, mode="fast")), name
    assert same(xd.var(on_gpu, ddof=1), xd.var(x, ddof=1))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float32", "int32"])
def test_views_of_tensors(dtype: str) -> None:
    to_gpu = torch_converter(dtype)
    x = samples(dtype, 20_000)
    wide = to_gpu(np.repeat(x, 3))
    for name in SUMS + MEANS + EXTREMA:
        call = getattr(xd, name)
        assert same(call(wide[::3]), call(x)), name
        assert same(call(wide[:1][0]), call(x[:1])), name


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e5m2", "float32", "int32"])
def test_out_is_ordered_by_the_stream(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x = samples(dtype, 100_000)
    on_gpu = torch_converter(dtype)(x)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    for name in SUMS + MEANS + EXTREMA:
        call = getattr(xd, name)
        result = "int64" if name.startswith("arg") or (dtype == "int32" and name in SUMS) else dtype
        if dtype == "int32" and name in MEANS:
            result = "float64"
        out = torch.zeros((), dtype=getattr(torch, result), device="cuda")
        with torch.cuda.stream(stream):
            assert call(on_gpu, out=out) is out
            twice = out.double() * 2  # PyTorch does not multiply 8-bit floats
        stream.synchronize()
        assert out.item() == call(x) and twice.item() == (out.double() * 2).item(), name


def test_extrema_of_zeros_and_nans() -> None:
    torch = pytest.importorskip("torch")
    zeros = torch.tensor([0.0, -0.0, -0.0], device="cuda")
    assert bits(xd.min(zeros)) == bits(-0.0) and xd.argmin(zeros) == 1 and xd.argmax(zeros) == 0
    nans = torch.tensor([1.0, math.inf, math.nan, math.nan], device="cuda", dtype=torch.float16)
    assert math.isnan(xd.min(nans)) and math.isnan(xd.max(nans)) and xd.argmax(nans) == xd.argmin(nans) == 2


def test_negative_zero() -> None:
    torch = pytest.importorskip("torch")
    for n in (0, 1, 5000):
        zeros = torch.full((n,), -0.0, device="cuda")
        assert bits(xd.sum(zeros)) == bits(0.0) and bits(xd.sum(zeros, negative_zero=True)) == bits(-0.0)
    mixed = torch.tensor([-0.0, 0.0], device="cuda")
    assert bits(xd.sum(mixed, negative_zero=True)) == bits(0.0)
    with pytest.raises(ValueError, match="negative_zero needs the result on the host"):
        xd.sum(mixed, negative_zero=True, out=torch.zeros(1, device="cuda"))


def test_dots_of_two_types() -> None:
    torch = pytest.importorskip("torch")
    for a in FLOATS:
        for b in FLOATS:
            x, y = samples(a, 5000), samples(b, 5001)[:5000]
            assert same(xd.dot(torch_converter(a)(x), torch_converter(b)(y)), xd.dot(x, y)), (a, b)
    x, y = samples("uint8", 5000), samples("int64", 5000)
    assert same(xd.dot(torch_converter("uint8")(x), torch_converter("int64")(y)), xd.dot(x, y))
    assert torch.cuda.current_device() == 0


def test_booleans() -> None:
    torch = pytest.importorskip("torch")
    assert same(xd.sum(torch.tensor([True, False, True], device="cuda")), 2)
    cupy = pytest.importorskip("cupy")
    for x in (cupy.asarray([True, False, True]), CudaArrayInterface(cupy.asarray([True, False, True]))):
        assert same(xd.sum(x), 2)


@pytest.mark.parametrize("dtype", FLOATS + ["int8", "int64", "uint32"])
def test_states(dtype: str) -> None:
    to_gpu = torch_converter(dtype)
    x, y = samples(dtype, 50_000), samples(dtype, 50_001)[:50_000]
    found, expected = xd.Accumulator(dtype), xd.Accumulator(dtype)
    moments, expected_moments = xd.Moments(dtype), xd.Moments(dtype)
    for acc, moment, a, b in ((found, moments, to_gpu(x), to_gpu(y)), (expected, expected_moments, x, y)):
        acc.add(a, b)
        acc.add(a)
        acc.add_squares(b)
        acc.subtract(b[::2])
        acc.subtract(a[:0])
        moment.add(a)
        moment.add(b[1::3])
    assert found == expected and moments == expected_moments
    assert same(moments.var(), expected_moments.var())


def test_errors() -> None:
    torch = pytest.importorskip("torch")
    x = torch.full((3,), 2**62, dtype=torch.int64, device="cuda")
    with pytest.raises(OverflowError, match="fit"):
        xd.sum(x)
    assert same(xd.sum(x, dtype="f8"), 3 * 2.0**62)
    with pytest.raises(ValueError, match="^min: the vector is empty"):
        xd.min(x[:0])
    with pytest.raises(ValueError, match="^mean: the result type is int64; use a floating-point type"):
        xd.mean(x, dtype=int)
    with pytest.raises(ValueError, match="^max: the result type is float32; use int64"):
        xd.max(x, out=torch.zeros(1, device="cuda"))
    with pytest.raises(ValueError, match="^sum: device is cpu, but x is in the memory of GPU 0"):
        xd.sum(x, device="cpu")
    with pytest.raises(ValueError, match="^sum: out: is on another device than x"):
        xd.sum(x, out=np.zeros(1))
