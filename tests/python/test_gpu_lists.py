"""Lists of arrays in GPU memory: the bits of the same call on the host. Skipped without a GPU."""

from __future__ import annotations

from typing import Any

import exactdot as xd
import numpy as np
import pytest

from element_types import FLOATS, samples
from test_gpu_axes import LIBRARIES, check, converter
from test_gpu_streams import returns_early

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"], reason="no GPU")

COMPARED = [name for name in FLOATS if name != "float8_e4m3fn"]  # whose sums overflow to NaN, which equals nothing
LENGTHS = [0, 1, 7, 4096, 100_000, 5, 0, 3000]


@pytest.mark.parametrize("name", ["list_sum", "list_asum", "list_sum_of_squares", "list_norm"])
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", [*COMPARED, "int32", "uint8", "int64"])
def test_lists_have_the_bits_of_the_host(library: str, dtype: str, name: str) -> None:
    to_gpu, call = converter(library, dtype), getattr(xd, name)
    x = [samples(dtype, n + skew)[skew:] for skew, n in enumerate(LENGTHS)]
    on_gpu = [to_gpu(samples(dtype, n + skew))[skew:] for skew, n in enumerate(LENGTHS)]
    x += [x[4].reshape(400, 250).T[::3], x[3].reshape(64, 64)[:, 3:7]]
    on_gpu += [to_gpu(x[4].reshape(400, 250)).T[::3], to_gpu(x[3].reshape(64, 64))[:, 3:7]]
    check(call(on_gpu), call(x), on_gpu[0])
    check(call(on_gpu, dtype="f8"), call(x, dtype="f8"), on_gpu[0])
    for given in (on_gpu, on_gpu[::-1]):
        assert str(call(given, joined=True)) == str(call(x, joined=True))  # of narrow types NaN, too


def test_out_and_graphs_of_lists() -> None:
    torch = pytest.importorskip("torch")
    x = [samples("float32", n) for n in LENGTHS]
    on_gpu = [torch.as_tensor(each, device="cuda") for each in x]
    one, each = torch.zeros((), device="cuda"), torch.zeros(len(x), device="cuda", dtype=torch.float64)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        assert xd.norm(on_gpu, out=one) is one and xd.list_norm(on_gpu, out=each) is each
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        xd.norm(on_gpu, out=one)
        xd.list_norm(on_gpu, out=each)
    for scale in (1.0, 2.0):
        for tensor, host in zip(on_gpu, x):
            tensor.copy_(torch.as_tensor(host) * scale)
        graph.replay()
        torch.cuda.synchronize()
        scaled = [host * np.float32(scale) for host in x]
        assert one.item() == xd.norm(scaled) and each.tolist() == xd.list_norm(scaled, dtype="f8").tolist()


def test_many_tensors() -> None:
    torch = pytest.importorskip("torch")
    x = [torch.randn(n % 37, device="cuda").to((torch.float16, torch.float32)[n % 2]) for n in range(3000)]
    host = [each.cpu().numpy() for each in x]
    assert xd.list_norm(x).tolist() == xd.list_norm(host).tolist() and xd.norm(x) == xd.norm(host)


def test_calls_on_lists_do_not_wait() -> None:
    torch = pytest.importorskip("torch")
    x, out = [torch.ones(n + 1, device="cuda") for n in range(300)], torch.zeros((), device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        xd.norm(x, out=out)
        stream.synchronize()

    def attempt(load: int) -> bool:
        for _ in range(load):
            torch.cuda._sleep(200_000_000)
        xd.norm(x, out=out)
        early = not stream.query()
        stream.synchronize()
        return early

    with torch.cuda.stream(stream):
        assert returns_early(attempt), "the call waited"


def test_errors_of_lists_in_gpu_memory() -> None:
    torch = pytest.importorskip("torch")
    single, double, host = torch.ones(3, device="cuda"), torch.ones(3, device="cuda", dtype=torch.float64), torch.ones(3)
    x: Any
    for x, kind, why in (([single, double], TypeError, r"x\[1\] holds float64, x\[0\] float32"),
                         ([single, host], ValueError, r"x\[1\] is in host memory, x\[0\] in GPU memory"),
                         ([host, single], ValueError, r"x\[1\] is in GPU memory, x\[0\] in host memory"),
                         (single, TypeError, "x is one array; pass a list of arrays")):
        with pytest.raises(kind, match=f"^list_norm: {why}"):
            xd.list_norm(x)
    if torch.cuda.device_count() > 1:
        with pytest.raises(ValueError, match=r"^norm: x\[1\] is on GPU 1, x\[0\] on GPU 0"):
            xd.norm([single, torch.ones(3, device="cuda:1")])
