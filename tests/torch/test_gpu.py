"""CUDA tensors have the bits of CPU tensors: every function and gradient, on streams, in graphs, compiled. Skipped without a GPU."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
pytest.importorskip("torch")  # before what imports it
import exactdot as xd
import exactdot.torch as xt
import torch

from cases import CASES, Case, make_of, operators
from test_bits import DIMS, FLOATS, REDUCTIONS, pattern, samples
from test_deterministic import TABLE
from test_operators import backward_of, same
from test_short_way import pass_by_attributes

pytestmark = pytest.mark.skipif(not xd.info()["cuda"]["devices"] or not torch.cuda.is_available(), reason="no GPU")
by_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
ROOT = Path(__file__).parents[2]


def on_gpu(value: Any) -> Any:
    """Tensors of a value on the GPU."""
    if isinstance(value, torch.Tensor):
        return value.detach().cuda().requires_grad_(value.requires_grad)
    return type(value)(map(on_gpu, value)) if isinstance(value, (list, tuple)) else value


class Placed:
    """Makes the constants of cases and tables lie on the GPU while it is on."""

    def __init__(self, module: Any) -> None:
        self._module, self._before = module, {}

    def __enter__(self) -> None:
        for name, value in vars(self._module).items():
            if isinstance(value, torch.Tensor) and not value.is_meta:
                self._before[name] = value
                setattr(self._module, name, value.cuda())

    def __exit__(self, *_: Any) -> None:
        for name, value in self._before.items():
            setattr(self._module, name, value)


@by_case
@pytest.mark.parametrize("element", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_bits_of_the_cpu(case: Case, element: torch.dtype) -> None:
    import cases
    inputs = case.inputs(make_of(element))
    expected, gradients = case.function(*inputs), backward_of(case, inputs)
    with Placed(cases):
        placed = on_gpu(inputs)
        found = case.function(*placed)
        assert found.is_cuda and torch.equal(found.cpu(), expected)
        assert same([g.cpu() for g in backward_of(case, placed)], gradients)
    xt.check(found)


@by_case
def test_gpu_compile_and_vmap(case: Case) -> None:
    import cases
    torch.compiler.reset()
    inputs, batched = case.inputs(make_of(torch.float32)), case.inputs(make_of(torch.float32, batch=3))
    with Placed(cases):
        compiled = torch.compile(case.function, fullgraph=True, backend="aot_eager")
        placed, batch = on_gpu(inputs), on_gpu(batched)
        assert torch.equal(compiled(*placed), case.function(*placed))
        found = torch.func.vmap(case.function)(*batch)
        for i in range(3):
            assert torch.equal(found[i], case.function(*[x[i] for x in batch]))


@pytest.mark.parametrize("name", sorted(operators(make_of(torch.float32))))
def test_gpu_opcheck(name: str) -> None:
    arguments = on_gpu(operators(make_of(torch.float32, requires_grad=name != "list_norm"))[name])
    torch.library.opcheck(getattr(torch.ops.exactdot, name).default, arguments)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_gpu_reductions(name: str, element: str) -> None:
    x = samples(element, 3, 4, 500)
    for dims in DIMS:
        for layout in (x, x.transpose(0, 2).contiguous().transpose(0, 2), x[:, :, ::2]):
            found = REDUCTIONS[name](layout.cuda(), dims, True)
            assert pattern(found.cpu()) == pattern(REDUCTIONS[name](layout, dims, True)), dims


@pytest.mark.parametrize("overload, call, exact", TABLE, ids=[str(row[0]) for row in TABLE])
def test_gpu_deterministic(overload: Any, call: Any, exact: Any) -> None:
    import test_deterministic
    expected = exact()
    with Placed(test_deterministic):
        with xt.deterministic() as run:
            found = call()
    assert run.report().exact == {str(overload): 1} and not run.report().other
    for x, y in zip(*([value] if isinstance(value, torch.Tensor) else value for value in (found, expected)), strict=True):
        assert x.is_cuda and torch.equal(x.cpu(), y)


def test_gradients_of_autograds_threads_are_replaced() -> None:
    """The backward of CUDA tensors runs on a thread of autograd, which inherits the mode."""
    ids, g = torch.randint(0, 5, (3000,)), torch.randn(3000, 8)
    expected = xt.index_add(torch.zeros(5, 8), 0, ids, g)
    table = torch.zeros(5, 8, device="cuda", requires_grad=True)
    with xt.deterministic() as run:
        torch.nn.functional.embedding(ids.cuda(), table).backward(g.cuda())
    assert run.report().exact == {"aten.embedding_dense_backward.default": 1} and torch.equal(table.grad.cpu(), expected)


def test_gpu_norms() -> None:
    for element in ("float32", "bfloat16", "float16"):
        tensors = [samples(element, *shape) for shape in ((300, 40), (7,), (0,), (2, 2, 2))]
        for order in (2, 1, math.inf):
            assert torch.equal(xt.get_total_norm([x.cuda() for x in tensors], order).cpu(), xt.get_total_norm(tensors, order))
    parameters = [torch.nn.Parameter(x.cuda()) for x in tensors]
    for p in parameters:
        p.grad = p.detach().clone()
    torch.cuda.set_sync_debug_mode("error")  # nothing waits
    try:
        xt.clip_grad_norm_(parameters, 1e-3)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("shape", [(3, 5), (64, 1000), (17, 4096), (5, 20000), (2, 3, 264)], ids=str)
@pytest.mark.parametrize("element", ["float32", "bfloat16", "float16"])
def test_gradients_of_normalised_rows(element: str, shape: tuple[int, ...]) -> None:
    """In one launch, with the bits of the CPU's operators one after the other."""
    from exactdot.torch import _normalisation_operators as operators
    x, g, (weight, bias) = samples(element, *shape), samples(element, *shape) / 7, samples(element, 2, shape[-1])
    x[0] = g[-1] = 0

    def gradients_of(name: str, *tensors: torch.Tensor) -> list[torch.Tensor]:
        inputs = [t.detach().requires_grad_() for t in tensors[:-1]]
        if name == "rms_norm":
            return list(torch.autograd.grad(xt.rms_norm(inputs[0], shape[-1:], inputs[1], eps=1e-6), inputs[:2], tensors[-1]))
        return list(torch.autograd.grad(xt.layer_norm(inputs[0], shape[-1:], *inputs[1:], eps=1e-5), inputs, tensors[-1]))

    on_gpu = [t.cuda() for t in (x, weight, bias, g)]
    with torch.no_grad():
        assert operators.rows_in_one_launch(on_gpu[3], on_gpu[0], on_gpu[1], 1e-5, True, 1) is not None
    for name in ("rms_norm", "layer_norm"):
        for found, expected in zip(gradients_of(name, *on_gpu), gradients_of(name, x, weight, bias, g), strict=True):
            assert pattern(found.cpu()) == pattern(expected), name


def captured_graph(step: Callable[[], list[torch.Tensor]]) -> tuple[torch.cuda.CUDAGraph, list[torch.Tensor]]:
    """The graph of a call, and its results, which a replay writes."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        results = step()
    return graph, results


@pytest.mark.parametrize("element", ["float64", "float32", "float16", "bfloat16"])
def test_out_and_normalised_rows_in_graphs(element: str) -> None:
    """What takes compiled code from the checks to the result: captured, and replayed with other data."""
    x, y, weight = samples(element, 16, 300).cuda(), samples(element, 300).cuda(), samples(element, 300).cuda()
    out = [torch.empty(16, dtype=x.dtype, device="cuda") for _ in range(3)]

    def step() -> list[torch.Tensor]:
        xt.sum(x, 1, out=out[0]), xt.vecdot(x, y, out=out[1]), xt.mv(x, y, out=out[2])
        return [xt.rms_norm(x, 300, weight, eps=1e-6), xt.layer_norm(x, 300, weight, weight, eps=1e-5), xt.amax(x, 0), *out]

    graph, found = captured_graph(step)
    x.copy_(samples(element, 16, 300) * 2)
    graph.replay()
    torch.cuda.synchronize()
    replayed = [each.clone() for each in found]
    assert all(torch.equal(each, wanted) for each, wanted in zip(replayed, step(), strict=True))
    cpu = x.cpu()
    assert torch.equal(replayed[3].cpu(), xt.sum(cpu, 1)) and torch.equal(replayed[1].cpu(), xt.layer_norm(cpu, 300, weight.cpu(), weight.cpu(), eps=1e-5))


def test_gpu_before_pytorch_offered_its_c_functions() -> None:
    """CUDA tensors and streams by attributes and functions of Python."""
    pass_by_attributes("gpu_reductions or graphs or normalised_rows or norms or float32-sum", __file__)


def test_graphs_and_streams() -> None:
    x, index, rows = torch.randn(64, 300, device="cuda"), torch.randint(0, 9, (64,), device="cuda"), torch.zeros(9, 300, device="cuda")

    def step() -> list[torch.Tensor]:
        return [xt.sum(x, 1), xt.var(x, 0), xt.vector_norm(x), xt.vecdot(x, x), xt.mean(x, dtype=torch.float64),
                xt.index_add(rows, 0, index, x)]

    graph, captured = captured_graph(step)
    for _ in range(3):
        x.copy_(torch.randn(64, 300, device="cuda"))
        graph.replay()
        torch.cuda.synchronize()
        expected = step()
        assert all(torch.equal(found, other) for found, other in zip(captured, expected))


def test_gpu_refusals() -> None:
    x, index = torch.zeros(3, 2, device="cuda"), torch.tensor([0, 3], device="cuda")
    with pytest.raises(ValueError, match="two devices: x on cuda:0, index on cpu"):
        xt.index_add(x, 0, index.cpu(), x[:2])
    with pytest.raises(ValueError, match="linear: 17 tokens on a GPU, of at most 16"):
        xt.linear(torch.ones(17, 4, device="cuda"), torch.ones(2, 4, device="cuda"))
    xt.index_add(x, 0, index, torch.ones(2, 2, device="cuda"))
    with pytest.raises(ValueError, match="key 1 of an earlier call is out of range"):  # which only the data tell
        xt.check(x)
    xt.check(x)


def test_gpu_autocast() -> None:
    x = torch.randn(5, 300, device="cuda").half()
    with torch.autocast("cuda", dtype=torch.float16):
        assert torch.equal(xt.sum(x), xt.sum(x, dtype=torch.float32)) and xt.linear(x, x.float()).dtype is torch.float16


@pytest.mark.parametrize("ranks", [1, 2])
def test_gpu_ranks(ranks: int) -> None:
    """The checks of Gloo's ranks, over NCCL with a GPU each."""
    if torch.cuda.device_count() < ranks:
        pytest.skip(f"{torch.cuda.device_count()} GPU")
    from test_distributed import run_ranks
    run_ranks(ranks, "nccl")


def test_gpu_example() -> None:
    subprocess.run([sys.executable, str(ROOT / "examples/python/pytorch/language_model.py"), "--device", "cuda", "--steps", "3"], check=True,
                   timeout=500)
