"""Calls ordered by streams: they do not wait, graphs, threads, lifetime of the arrays. Skipped without a GPU."""

from __future__ import annotations

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Callable

import exactdot as xd
import numpy as np
import pytest

from gpu import CudaArrayInterface, ill_conditioned, converter

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"], reason="no GPU")


def returns_early(attempt: Callable[[int], bool]) -> bool:
    """Whether a call returned before the GPU had done the work queued ahead of it. attempt(load) queues `load` times
    the work; on a busy machine the host may take longer than a small load, so each attempt has twice the last."""
    return any(attempt(2**i) for i in range(7))


def test_torch_streams_are_not_waited_for() -> None:
    torch = pytest.importorskip("torch")
    a, b = ill_conditioned(1_000_000, "float32")
    expected = xd.dot(a, b)
    x, y = torch.zeros(len(a), device="cuda"), torch.as_tensor(b, device="cuda")
    source, out = torch.as_tensor(a, device="cuda"), torch.zeros(1, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        xd.dot(x, y, out=out)  # the first call on a stream makes its workspace, the first of a kernel loads it
        x.copy_(source)
        out * 2
        stream.synchronize()

    def attempt(load: int) -> bool:
        x.zero_()
        for _ in range(load):
            torch.cuda._sleep(200_000_000)
        x.copy_(source)
        assert xd.dot(x, y, out=out) is out
        doubled = out * 2
        early = not stream.query()
        stream.synchronize()
        assert out.item() == expected and doubled.item() == 2 * expected
        return early

    with torch.cuda.stream(stream):
        assert returns_early(attempt), "the call waited"


def test_cupy_streams_are_not_waited_for() -> None:
    cupy = pytest.importorskip("cupy")
    a, b = ill_conditioned(1_000_000, "float64")
    expected = xd.dot(a, b)
    source, y = cupy.asarray(a), cupy.asarray(b)
    x, out, big = cupy.zeros_like(source), cupy.zeros(()), cupy.ones((8192, 8192))
    big @ big
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        xd.dot(x, y, out=out)
        big @ big
        stream.synchronize()

    def attempt(load: int) -> bool:
        x[:] = 0
        for _ in range(10 * load):
            big @ big
        cupy.copyto(x, source)
        xd.dot(x, y, out=out)
        early = not stream.done
        stream.synchronize()
        assert float(out) == expected
        return early

    with stream:
        assert returns_early(attempt), "the call waited"


def test_stream_arguments_and_producers_streams() -> None:
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    a, b = ill_conditioned(1_000_000, "float32")
    expected = xd.dot(a, b)
    producer, given = cupy.cuda.Stream(non_blocking=True), torch.cuda.Stream()
    source, y, big = cupy.asarray(a), cupy.asarray(b), cupy.ones((8192, 8192))
    x = cupy.zeros_like(source)
    cupy.cuda.Device().synchronize()
    with producer:
        for _ in range(5):
            big @ big
        cupy.copyto(x, source)
        named = CudaArrayInterface(x)  # names the producer's stream
        assert xd.dot(named, CudaArrayInterface(y), stream=given) == expected
    with producer:
        x[:] = 0
        for _ in range(5):
            big @ big
        cupy.copyto(x, source)
        assert xd.dot(x, y, stream=given.cuda_stream) == expected
    out = torch.zeros((), device="cuda")
    with producer:
        xd.dot(x, y, out=out)
    torch.cuda.synchronize()
    assert out.item() == expected
    with torch.cuda.stream(given):
        late = torch.zeros(1_000_000, device="cuda")
        torch.cuda._sleep(100_000_000)
        late.copy_(torch.as_tensor(a, device="cuda"))
        assert xd.dot(late, y, stream=producer) == expected
    with pytest.raises(TypeError, match="stream is a str"):
        xd.dot(x, y, stream="mine")


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


def test_a_capture_needs_an_earlier_call_on_its_stream() -> None:
    torch = pytest.importorskip("torch")
    x, out = torch.ones(5000, device="cuda"), torch.zeros((), device="cuda")
    with pytest.raises(ValueError, match="a stream has no workspace yet"):
        with torch.cuda.graph(torch.cuda.CUDAGraph(), stream=torch.cuda.Stream()):
            xd.dot(x, x, out=out)
    assert xd.dot(x, x) == 5000


def test_a_graph_outlives_many_streams() -> None:
    """With more streams than workspaces, and a capture while the arrays of an earlier call are kept alive."""
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
    for each in [*streams, *raw]:
        assert xd.dot(x, x, stream=each) == 100_000
    for _ in range(3):
        out.zero_()
        torch.cuda.synchronize()
        graph.replay()
        torch.cuda.synchronize()
        assert out.item() == 100_000


def test_threads_release_arrays_kept_by_others() -> None:
    """The destructor of a JAX array releases the GIL, so another thread may use the list of kept arrays meanwhile."""
    torch, to_gpu = pytest.importorskip("torch"), converter("jax")
    pairs = [[to_gpu(one) for one in ill_conditioned(2000 + i, "float64")] for i in range(4)]
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


def test_per_thread_default_streams() -> None:
    """Handle 2 is each thread's own default stream, so a workspace must not be shared under it."""
    cupy = pytest.importorskip("cupy")
    vectors = [[cupy.asarray(one) for one in ill_conditioned(50_000 + i, "float64")] for i in range(4)]
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


def test_jax_arrays_live_until_they_are_read() -> None:
    torch, to_gpu = pytest.importorskip("torch"), converter("jax")
    out = torch.zeros(64, device="cuda", dtype=torch.float64)
    expected = []
    torch.cuda._sleep(200_000_000)
    for i in range(64):
        a, b = ill_conditioned(10_000 + i, "float64")
        xd.dot(to_gpu(a), to_gpu(b), out=out[i : i + 1])
        gc.collect()
        expected.append(xd.dot(a, b))
    assert out.cpu().tolist() == expected
    with pytest.raises(TypeError, match="JAX"):
        xd.dot(to_gpu(a), to_gpu(b), out=to_gpu(np.zeros(1)))


def test_threads_on_one_stream() -> None:
    to_gpu = converter("cupy")
    vectors = [ill_conditioned(n, "float64") for n in (100, 30_000, 1_000_000)]
    on_gpu = [(to_gpu(a), to_gpu(b)) for a, b in vectors]
    expected = [xd.dot(a, b) for a, b in vectors]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda i: xd.dot(*on_gpu[i % 3]), range(200)))
    assert results == [expected[i % 3] for i in range(200)]
