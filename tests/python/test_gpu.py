"""PyTorch, CuPy and JAX arrays where they are: bits, streams, and no copy to the host. Skipped without a GPU."""

from __future__ import annotations

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import exactdot as xd
import numpy as np
import pytest

from truth import bits

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"], reason="no GPU")


class CudaArrayInterface:
    """A CuPy array that offers nothing but __cuda_array_interface__."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def mover(framework: str) -> Callable[[np.ndarray], Any]:
    """From NumPy to an array of the framework on the GPU."""
    if framework == "torch":
        torch = pytest.importorskip("torch")
        return lambda a: torch.as_tensor(np.ascontiguousarray(a), device="cuda")
    if framework == "jax":
        jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
        return lambda a: jax.device_put(np.ascontiguousarray(a))
    cupy = pytest.importorskip("cupy")
    return cupy.asarray if framework == "cupy" else lambda a: CudaArrayInterface(cupy.asarray(a))


FRAMEWORKS = ["torch", "cupy", "jax", "interface"]


def hard(n: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(n)
    a, b = generator.standard_normal((2, n)) * 2.0 ** generator.integers(-20, 20, (2, n))
    half = n // 2
    b[half : 2 * half], a[half : 2 * half] = b[:half], -a[:half]
    return a.astype(dtype), b.astype(dtype)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 1000, 100_003, 3_000_001])
def test_bits(framework: str, dtype: str, n: int) -> None:
    to_gpu = mover(framework)
    a, b = hard(n, dtype)
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
        a, b = hard(n, dtype)
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


def test_torch_streams_are_not_waited_for() -> None:
    torch = pytest.importorskip("torch")
    a, b = hard(1_000_000, "float32")
    expected = xd.dot(a, b)
    x, y = torch.zeros(len(a), device="cuda"), torch.as_tensor(b, device="cuda")
    source, out = torch.as_tensor(a, device="cuda"), torch.zeros(1, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        xd.dot(x, y, out=out)  # the first call on a stream makes its workspace, the first of a kernel loads it
        x.copy_(source)
        doubled = out * 2
        stream.synchronize()
        x.zero_()
        torch.cuda._sleep(200_000_000)
        x.copy_(source)
        assert xd.dot(x, y, out=out) is out
        doubled = out * 2
        assert not stream.query(), "the call waited"
    stream.synchronize()
    assert out.item() == expected and doubled.item() == 2 * expected


def test_cupy_streams_are_not_waited_for() -> None:
    cupy = pytest.importorskip("cupy")
    a, b = hard(1_000_000, "float64")
    source, y = cupy.asarray(a), cupy.asarray(b)
    x, out, big = cupy.zeros_like(source), cupy.zeros(()), cupy.ones((8192, 8192))
    big @ big
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        xd.dot(x, y, out=out)
        big @ big
        stream.synchronize()
        for _ in range(10):
            big @ big
        cupy.copyto(x, source)
        xd.dot(x, y, out=out)
        assert not stream.done, "the call waited"
    stream.synchronize()
    assert float(out) == xd.dot(a, b)


def test_given_and_producers_streams() -> None:
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    a, b = hard(1_000_000, "float32")
    expected = xd.dot(a, b)
    producer, mine = cupy.cuda.Stream(non_blocking=True), torch.cuda.Stream()
    source, y, big = cupy.asarray(a), cupy.asarray(b), cupy.ones((8192, 8192))
    x = cupy.zeros_like(source)
    cupy.cuda.Device().synchronize()
    with producer:
        for _ in range(5):
            big @ big
        cupy.copyto(x, source)
        shown = CudaArrayInterface(x)  # names the stream
        assert xd.dot(shown, CudaArrayInterface(y), stream=mine) == expected
    with producer:
        x[:] = 0
        for _ in range(5):
            big @ big
        cupy.copyto(x, source)
        assert xd.dot(x, y, stream=mine.cuda_stream) == expected
    out = torch.zeros((), device="cuda")
    with producer:
        xd.dot(x, y, out=out)
    torch.cuda.synchronize()
    assert out.item() == expected
    with torch.cuda.stream(mine):
        late = torch.zeros(1_000_000, device="cuda")
        torch.cuda._sleep(100_000_000)
        late.copy_(torch.as_tensor(a, device="cuda"))
        assert xd.dot(late, y, stream=producer) == expected
    with pytest.raises(TypeError, match="stream is a str"):
        xd.dot(x, y, stream="mine")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_nothing_is_copied_to_the_host(framework: str) -> None:
    torch = pytest.importorskip("torch")
    from torch.profiler import ProfilerActivity, profile

    a, b = hard(1_000_000, "float64")
    x, y = mover(framework)(a), mover(framework)(b)
    expected = xd.dot(x, y)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        assert xd.dot(x, y) == expected
        torch.zeros(1, device="cuda").cpu()  # one copy that has to show
        torch.cuda.synchronize()
    names = [event.name for event in seen.events()]
    assert sum("DtoH" in name for name in names) == 1, names


def test_graphs() -> None:
    torch = pytest.importorskip("torch")
    x, y, out = torch.ones(5000, device="cuda"), torch.ones(5000, device="cuda"), torch.zeros((), device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        xd.dot(x, y, out=out)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        xd.dot(x, y, out=out)
    x.fill_(3)
    graph.replay()
    torch.cuda.synchronize()
    assert out.item() == 15000


def test_a_capture_needs_a_call_before() -> None:
    torch = pytest.importorskip("torch")
    x, out = torch.ones(5000, device="cuda"), torch.zeros((), device="cuda")
    with pytest.raises(ValueError, match="needs one on the same stream before"):
        with torch.cuda.graph(torch.cuda.CUDAGraph(), stream=torch.cuda.Stream()):
            xd.dot(x, x, out=out)
    assert xd.dot(x, x) == 5000


def test_a_graph_outlives_many_streams() -> None:
    """More streams than workspaces are kept for; and a capture while an earlier call's operands are still kept."""
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    x, out = torch.ones(100_000, device="cuda"), torch.zeros(1, device="cuda")
    kept = cupy.ones(100_000, "f")
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        xd.dot(x, x, out=out)
        torch.cuda._sleep(50_000_000)
        xd.dot(kept, kept, out=out, stream=stream)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        xd.dot(x, x, out=out)
    streams = [torch.cuda.Stream() for _ in range(70)]
    raw = [cupy.cuda.Stream(non_blocking=True) for _ in range(70)]
    for one in [*streams, *raw]:
        assert xd.dot(x, x, stream=one) == 100_000
    for _ in range(3):
        out.zero_()
        torch.cuda.synchronize()
        graph.replay()
        torch.cuda.synchronize()
        assert out.item() == 100_000


def test_threads_give_back_what_others_kept() -> None:
    """Arrays of JAX let go of the GIL when they go, and then another thread looks at the same list."""
    torch, to_gpu = pytest.importorskip("torch"), mover("jax")
    pairs = [[to_gpu(one) for one in hard(2000 + i, "float64")] for i in range(4)]
    expected = [xd.dot(*pair) for pair in pairs]

    def work(i: int) -> float:
        out = torch.zeros(1, device="cuda", dtype=torch.float64)
        for _ in range(200):
            xd.dot(pairs[i % 4][0] + 0, pairs[i % 4][1] + 0, out=out)
        return float(out.item())

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(8)))
    torch.cuda.synchronize()
    assert results == [expected[i % 4] for i in range(8)]


def test_the_default_streams_of_threads_are_theirs() -> None:
    """Handle 2 is each thread's own default stream, so a workspace must not be shared under it."""
    cupy = pytest.importorskip("cupy")
    vectors = [[cupy.asarray(one) for one in hard(50_000 + i, "float64")] for i in range(4)]
    expected = [xd.dot(*pair) for pair in vectors]
    cupy.cuda.Device().synchronize()

    def work(i: int) -> bool:
        results = cupy.zeros(100)
        for k in range(100):
            xd.dot(*vectors[i], out=results[k : k + 1], stream=2)
        cupy.cuda.Device().synchronize()
        return bool((results == expected[i]).all())

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


IMPORTED_FIRST = """
import os, exactdot as xd, numpy as np
a = np.ones(10_000)
assert xd.dot(a, a) == 10_000
child = os.fork()
if child == 0:
    import cupy
    os._exit(int(cupy.ones(3).sum()) != 3)
assert os.waitpid(child, 0)[1] == 0
"""


def test_the_import_leaves_cuda_to_forked_children() -> None:
    pytest.importorskip("cupy")
    assert subprocess.run([sys.executable, "-c", IMPORTED_FIRST], timeout=120).returncode == 0


def test_jax_operands_live_until_they_are_read() -> None:
    torch, to_gpu = pytest.importorskip("torch"), mover("jax")
    out = torch.zeros(64, device="cuda", dtype=torch.float64)
    expected = []
    torch.cuda._sleep(200_000_000)
    for i in range(64):
        a, b = hard(10_000 + i, "float64")
        xd.dot(to_gpu(a), to_gpu(b), out=out[i : i + 1])
        gc.collect()
        expected.append(xd.dot(a, b))
    assert out.cpu().tolist() == expected
    with pytest.raises(TypeError, match="JAX"):
        xd.dot(to_gpu(a), to_gpu(b), out=to_gpu(np.zeros(1)))


def test_threads_on_one_stream() -> None:
    to_gpu = mover("cupy")
    vectors = [hard(n, "float64") for n in (100, 30_000, 1_000_000)]
    on_gpu = [(to_gpu(a), to_gpu(b)) for a, b in vectors]
    expected = [xd.dot(a, b) for a, b in vectors]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda i: xd.dot(*on_gpu[i % 3]), range(200)))
    assert results == [expected[i % 3] for i in range(200)]


def test_torch_refuses_what_would_be_lost() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(3, device="cuda", requires_grad=True)
    with pytest.raises(BufferError):
        xd.dot(x, x)
    assert xd.dot(x.detach(), x.detach()) == 3.0
    for device in ("cuda", "cpu"):
        negative = torch.tensor([1 + 2j, 3 + 4j], device=device).conj().imag  # a view with its sign set aside
        one = torch.ones(2, device=device)
        with pytest.raises(TypeError, match="resolve_neg"):
            xd.dot(negative, one)
        assert xd.dot(negative.resolve_neg(), one) == -6.0


def test_refusals() -> None:
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    x = cupy.ones(3)
    for a, b, kind, why in (
        (x, np.ones(3), ValueError, "a lies in the memory of a GPU, b in that of the CPU"),
        (np.ones(3), x, ValueError, "a lies in the memory of the CPU, b in that of a GPU"),
        (x, cupy.ones(4), ValueError, "differ in length: 3 and 4"),
        (x, cupy.ones(3, "f"), TypeError, "a holds float64, b float32"),
        (x, cupy.ones((3, 3)), ValueError, "2 dimensions"),
        (x.astype(int), x.astype(int), TypeError, "not float32 or float64"),
        (torch.ones(3, dtype=torch.float16, device="cuda"), x, TypeError, "16 bits"),
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
    a, b = hard(300_001, "float64")
    assert xd.dot(a, b, device="cuda") == xd.dot(a, b, device="cpu")
    assert xd.dot(a[::3], b[::3], device="cuda:0", mode="fast") == xd.dot(a[::3], b[::3], mode="fast")


@pytest.mark.skipif(len(xd.info()["cuda"]["devices"]) < 2, reason="one GPU")
class TestTwoGpus:
    """What lies on the second GPU is computed there, and neither call changes which GPU is the current one."""

    def test_bits(self) -> None:
        cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
        for n in (3, 100_003, 3_000_001):
            a, b = hard(n, "float64")
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
        a, b = hard(1_000_001, "float32")
        x, y = (torch.as_tensor(np.repeat(one, 2), device="cuda:1")[::2] for one in (a, b))
        out = torch.zeros((), device="cuda:1")
        for mode in ("exact", "fast"):
            assert xd.dot(x, y, mode=mode) == xd.dot(x, y, mode=mode, out=out).item() == xd.dot(a, b, mode=mode)

    def test_threads_on_both(self) -> None:
        torch = pytest.importorskip("torch")
        a, b = hard(500_000, "float64")
        on = [[torch.as_tensor(one, device=f"cuda:{gpu}") for one in (a, b)] for gpu in (0, 1)]
        expected = xd.dot(a, b)
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda i: xd.dot(*on[i % 2]), range(200))) == {expected}

    def test_refusals(self) -> None:
        cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
        first, second = torch.ones(3, device="cuda:0"), torch.ones(3, device="cuda:1")
        with cupy.cuda.Device(1):
            there = cupy.ones(3, "f")
        for a, b in ((first, second), (cupy.ones(3, "f"), there), (first, CudaArrayInterface(there))):
            with pytest.raises(ValueError, match="a lies on GPU 0, b on GPU 1"):
                xd.dot(a, b)
        for device in ("cuda", "cuda:0", "cpu"):
            with pytest.raises(ValueError, match="but a lies in the memory of GPU 1"):
                xd.dot(second, second, device=device)
        with pytest.raises(ValueError, match="out lies on GPU 0, a on GPU 1"):
            xd.dot(second, second, out=torch.zeros(1, device="cuda:0"))
        assert xd.dot(second, second) == 3.0
