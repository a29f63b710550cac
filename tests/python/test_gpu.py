"""PyTorch, CuPy and JAX arrays in GPU memory: bits, no copy to the host, errors, two GPUs. Skipped without a GPU."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import exactdot as xd
import numpy as np
import pytest

from gpu import FRAMEWORKS, CudaArrayInterface, ill_conditioned, converter
from reference import bits

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"], reason="no GPU")


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 1000, 100_003, 3_000_001])
def test_bits(framework: str, dtype: str, n: int) -> None:
    to_gpu = converter(framework)
    a, b = ill_conditioned(n, dtype)
    x, y = to_gpu(a), to_gpu(b)
    for mode in ("exact", "fast"):
        for result in ("float32", "float64"):
            assert bits(xd.dot(x, y, mode=mode, dtype=result)) == bits(xd.dot(a, b, mode=mode, dtype=result))
    acc, same = xd.Accumulator(dtype), xd.Accumulator(dtype)
    acc.add(x, y)
    same.add(a, b)
    assert acc == same


@pytest.mark.parametrize("framework", ["torch", "cupy", "interface"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_views(framework: str, dtype: str) -> None:
    cupy = pytest.importorskip("cupy")
    for n in (10, 50_001, 2_500_003):
        a, b = ill_conditioned(n, dtype)
        wide = cupy.zeros(2 * n, dtype)
        wide[::2] = cupy.asarray(a)
        view: Any = wide[::2]
        reverse: Any = cupy.asarray(b[::-1].copy())[::-1]
        if framework == "torch":
            torch = pytest.importorskip("torch")
            view, reverse = torch.as_tensor(wide, device="cuda")[::2], torch.as_tensor(b, device="cuda")
        elif framework == "interface":
            view, reverse = CudaArrayInterface(view), CudaArrayInterface(reverse)
        for mode in ("exact", "fast"):
            for result in ("float32", "float64"):
                expected = bits(xd.dot(a, b, mode=mode, dtype=result))
                assert bits(xd.dot(view, reverse, mode=mode, dtype=result)) == expected
                out = cupy.zeros((), result)
                assert xd.dot(view, reverse, mode=mode, out=out) is out
                assert bits(float(out)) == expected
        acc, same = xd.Accumulator(dtype), xd.Accumulator(dtype)
        acc.add(view, reverse)
        same.add(a, b)
        assert acc == same


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_nothing_is_copied_to_the_host(framework: str) -> None:
    torch = pytest.importorskip("torch")
    from torch.profiler import ProfilerActivity, profile

    a, b = ill_conditioned(1_000_000, "float64")
    x, y = converter(framework)(a), converter(framework)(b)
    expected = xd.dot(x, y)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        assert xd.dot(x, y) == expected
        torch.zeros(1, device="cuda").cpu()  # a copy that the profiler must record
        torch.cuda.synchronize()
    names = [event.name for event in seen.events()]
    assert sum("DtoH" in name for name in names) == 1, names


def test_torch_tensors_that_cannot_be_exported() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(3, device="cuda", requires_grad=True)
    with pytest.raises(TypeError, match=r"a: requires a gradient, .* pass its detach\(\)"):
        xd.dot(x, x)
    assert xd.dot(x.detach(), x.detach()) == 3.0
    for device in ("cuda", "cpu"):
        negative = torch.tensor([1 + 2j, 3 + 4j], device=device).conj().imag  # a view that PyTorch has not negated yet
        one = torch.ones(2, device=device)
        with pytest.raises(TypeError, match="resolve_neg"):
            xd.dot(negative, one)
        assert xd.dot(negative.resolve_neg(), one) == -6.0


def test_refusals() -> None:
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    x = cupy.ones(3)
    for a, b, kind, why in (
        (x, np.ones(3), ValueError, "a is in GPU memory, b in host memory"),
        (np.ones(3), x, ValueError, "a is in host memory, b in GPU memory"),
        (x, cupy.ones(4), ValueError, "differ in length: 3 and 4"),
        (x, cupy.ones(3, int), TypeError, "a holds float64, b int64; convert one"),
        (x, cupy.ones((3, 3)), ValueError, "2 dimensions"),
    ):
        with pytest.raises(kind, match=why) as caught:
            xd.dot(a, b)
        assert "a is" in str(caught.value) and "b is" in str(caught.value)
    with pytest.raises(ValueError, match="out"):
        xd.dot(x, x, out=np.zeros(1))
    with pytest.raises(ValueError, match="2 elements"):
        xd.dot(x, x, out=cupy.zeros(2))
    with pytest.raises(ValueError, match='device is cpu'):
        xd.dot(x, x, device="cpu")
    mixed = torch.ones(3, dtype=torch.float64, device="cuda")
    assert xd.dot(x, mixed) == 3.0


def test_host_arrays_on_a_gpu() -> None:
    a, b = ill_conditioned(300_001, "float64")
    assert xd.dot(a, b, device="cuda") == xd.dot(a, b, device="cpu")
    assert xd.dot(a[::3], b[::3], device="cuda:0", mode="fast") == xd.dot(a[::3], b[::3], mode="fast")


@pytest.mark.skipif(len(xd.info()["cuda"]["devices"]) < 2, reason="one GPU")
class TestTwoGpus:
    """Vectors on the second GPU are computed there. No call changes the current GPU."""

    def test_bits(self) -> None:
        cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
        for n in (3, 100_003, 3_000_001):
            a, b = ill_conditioned(n, "float64")
            for mode in ("exact", "fast"):
                expected = bits(xd.dot(a, b, mode=mode))
                with cupy.cuda.Device(1):
                    x, y = cupy.asarray(a), cupy.asarray(b)
                pairs = [(x, y), (CudaArrayInterface(x), CudaArrayInterface(y)),
                         (torch.as_tensor(a, device="cuda:1"), torch.as_tensor(b, device="cuda:1"))]
                for pair in pairs:
                    assert bits(xd.dot(*pair, mode=mode)) == expected
                    assert bits(xd.dot(*pair, mode=mode, device="cuda:1")) == expected
                out = torch.zeros(1, dtype=torch.float64, device="cuda:1")
                assert bits(xd.dot(*pairs[2], mode=mode, out=out).item()) == expected
                assert bits(xd.dot(*pairs[0], mode=mode, out=out).item()) == expected
                assert bits(xd.dot(a, b, mode=mode, device="cuda:1")) == expected
            total, same = xd.Accumulator(), xd.Accumulator()
            total.add(x, y)
            total.add(cupy.asarray(a), cupy.asarray(b))
            same.add(a, b)
            same.add(a, b)
            assert total == same
            assert torch.cuda.current_device() == cupy.cuda.runtime.getDevice() == 0

    def test_views(self) -> None:
        torch = pytest.importorskip("torch")
        a, b = ill_conditioned(1_000_001, "float32")
        x, y = (torch.as_tensor(np.repeat(one, 2), device="cuda:1")[::2] for one in (a, b))
        out = torch.zeros((), device="cuda:1")
        for mode in ("exact", "fast"):
            assert xd.dot(x, y, mode=mode) == xd.dot(x, y, mode=mode, out=out).item() == xd.dot(a, b, mode=mode)

    def test_threads_on_both(self) -> None:
        torch = pytest.importorskip("torch")
        a, b = ill_conditioned(500_000, "float64")
        on = [[torch.as_tensor(one, device=f"cuda:{gpu}") for one in (a, b)] for gpu in (0, 1)]
        expected = xd.dot(a, b)
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda i: xd.dot(*on[i % 2]), range(200))) == {expected}

    def test_refusals(self) -> None:
        cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
        first, second = torch.ones(3, device="cuda:0"), torch.ones(3, device="cuda:1")
        with cupy.cuda.Device(1):
            other = cupy.ones(3, "f")
        for a, b in ((first, second), (cupy.ones(3, "f"), other), (first, CudaArrayInterface(other))):
            with pytest.raises(ValueError, match="a is on GPU 0, b on GPU 1"):
                xd.dot(a, b)
        for device in ("cuda", "cuda:0", "cpu"):
            with pytest.raises(ValueError, match="but a is in the memory of GPU 1"):
                xd.dot(second, second, device=device)
        with pytest.raises(ValueError, match="out is on GPU 0, a on GPU 1"):
            xd.dot(second, second, out=torch.zeros(1, device="cuda:0"))
        assert xd.dot(second, second) == 3.0
