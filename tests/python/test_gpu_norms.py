"""Norms of rows in GPU memory: the bits of the same call on the host. Skipped without a GPU."""

from __future__ import annotations

import exactdot as xd
import numpy as np
import pytest

from element_types import dtype_of
from test_gpu_axes import LIBRARIES, check, converter

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"], reason="no GPU")

TYPES = ["float16", "bfloat16", "float32", "float64"]
SHAPES = [(1, 1), (3, 33), (64, 1000), (64, 1024), (64, 4096), (5, 4097), (16, 8192), (2, 100_000)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", TYPES)
def test_norms_have_the_bits_of_the_host(library: str, dtype: str, shape: tuple[int, int]) -> None:
    generator, to_gpu = np.random.default_rng(sum(shape)), converter(library, dtype)
    x, weight, bias = (generator.standard_normal(size).astype(dtype_of(dtype)) for size in (shape, shape[1:], shape[1:]))
    on_gpu = [to_gpu(each) for each in (x, weight, bias)]
    check(xd.rms_norm(on_gpu[0], on_gpu[1], epsilon=1e-6), xd.rms_norm(x, weight, epsilon=1e-6), on_gpu[0])
    check(xd.layer_norm(*on_gpu, epsilon=1e-5), xd.layer_norm(x, weight, bias, epsilon=1e-5), on_gpu[0])


def test_a_row_has_the_same_bits_in_every_batch() -> None:
    torch = pytest.importorskip("torch")
    x = torch.randn(512, 4096, device="cuda").bfloat16()
    weight = torch.randn(4096, device="cuda")
    together = xd.rms_norm(x, weight, epsilon=1e-6)
    for first, last in ((0, 1), (1, 2), (7, 300), (511, 512)):
        alone = xd.rms_norm(x[first:last], weight, epsilon=1e-6)
        assert torch.equal(alone.view(torch.int16), together[first:last].view(torch.int16))


def test_norms_in_graphs() -> None:
    torch = pytest.importorskip("torch")
    x, out = (torch.zeros(64, 1024, device="cuda") for _ in range(2))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        assert xd.rms_norm(x, epsilon=1e-6, out=out) is out
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        xd.rms_norm(x, epsilon=1e-6, out=out)
    for _ in range(2):
        x.copy_(torch.randn(64, 1024))
        graph.replay()
        torch.cuda.synchronize()
        assert np.array_equal(out.cpu().numpy(), xd.rms_norm(x.cpu().numpy(), epsilon=1e-6))
