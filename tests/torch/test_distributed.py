"""Ranks of Gloo have the bits of one process: sums of tensors, of shares, gradients' norms and means, and DDP with the hook."""

from __future__ import annotations

import math
import os
import socket
from typing import Any, Callable

import pytest
pytest.importorskip("torch")  # before what imports it
import exactdot as xd
import exactdot.torch as xt
import exactdot.torch.distributed as xdist
import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from torch import Tensor

from reference import exact_reduction
from test_bits import FLOATS, name_of, numbers, pattern, samples

pytestmark = pytest.mark.skipif(not dist.is_available(), reason="this PyTorch has no torch.distributed")
ELEMENTS = ["float64", "float32", "float16", "bfloat16"]


def shards(x: Tensor, ranks: int, rank: int) -> Tensor:
    """Shares of unequal sizes."""
    ends = [0, *(len(x) * (i + 1) ** 2 // ranks**2 for i in range(ranks))]
    return x[ends[rank]:ends[rank + 1]]


def tensor_of(element: str, rank: int) -> Tensor:
    torch.manual_seed(rank + 10)
    return samples(element, 7, 5)


def elementwise(ranks: int, rank: int) -> None:
    for element in FLOATS:
        every = [tensor_of(element, i) for i in range(ranks)]
        for op in ("sum", "mean"):
            found = xdist.all_reduce_exact(every[rank].t(), op).t()
            wanted = [exact_reduction(op, [each[i, j].double().item() for each in every], element) for i in range(7) for j in range(5)]
            assert found.dtype is every[0].dtype and pattern(found) == pattern(torch.tensor(wanted, dtype=torch.float64)), (element, op)
    integers = torch.full((3,), 2**60 + rank)
    assert xdist.all_reduce_exact(integers).tolist() == [sum(2**60 + i for i in range(ranks))] * 3
    assert xdist.all_reduce_exact(torch.empty(0, 2)).shape == (0, 2) and xdist.all_reduce_exact(torch.tensor(1.0)).item() == ranks


def shares(ranks: int, rank: int) -> None:
    functions: dict[str, Callable[..., Tensor]] = {"sum": xt.sum, "mean": xt.mean, "var": xt.var, "std": xt.std, "norm": xt.vector_norm,
                                                   "asum": lambda x, **o: xt.vector_norm(x, 1, **o)}
    for element in [*FLOATS, "int32", "int64", "bool"]:
        torch.manual_seed(1)
        x = samples(element, 100, 3)
        for name, function in functions.items():
            of = {} if element in FLOATS or name == "sum" else {"dtype": torch.float64}
            for dim in (0, None):
                found = xdist.reduce_shards(name, shards(x, ranks, rank), dim, **of)
                assert pattern(found) == pattern(function(x, dim=dim, **of)), (element, name, dim)
    assert xdist.reduce_shards("var", torch.tensor(float(rank)), correction=0).item() == exact_reduction("var", list(range(ranks)), "float32")


def norms(ranks: int, rank: int) -> None:
    for element in ELEMENTS:
        torch.manual_seed(1)
        tensors = [samples(element, 7, 3), samples(element, 11), samples("float64" if element == "float64" else "bfloat16", 5)]
        whole = torch.cat([x.reshape(-1).to(torch.float64) for x in tensors])
        kind = torch.float64 if element == "float64" else torch.float32
        mine = [x for i, x in enumerate(tensors) if i % ranks == rank]
        for order in (2, 1, math.inf):
            found = xdist.get_sharded_norm(mine, order, dtype=kind)
            assert torch.equal(found, xt.get_total_norm(tensors, order, dtype=kind))
            assert found.item() == {2: exact_reduction("norm", numbers(whole), name_of(kind)), 1: exact_reduction("asum", numbers(whole), name_of(kind)),
                                    math.inf: whole.abs().max().item()}[order]
    assert xdist.get_sharded_norm([torch.tensor([math.nan])] if rank == 0 else [], math.inf).isnan()


def gradient_sums(ranks: int, rank: int) -> None:
    for element in FLOATS:
        torch.manual_seed(1)
        x = samples(element, 12, 2, 3)
        for size in (1, 3):
            total = xdist.GradientSum([x[0], x[0, 0]])
            mine = shards(x, ranks, rank)
            for part in mine.split(size):
                total.add([part, part[:, 0]], batched=True)
            total.all_reduce()
            for found, f in ((total.sum(), xt.sum), (total.mean(), xt.mean)):
                assert pattern(found[0]) == pattern(f(x, 0)) and pattern(found[1]) == pattern(f(x[:, 0], 0)), (element, size)


def test_a_refused_gradient_adds_nothing() -> None:
    total = xdist.GradientSum([torch.zeros(2), torch.zeros(3)])
    for wrong, batched, error, sentence in (
            ([torch.ones(2), torch.ones(2)], False, ValueError, "gradient 1 is of torch.float32 and shape (2,)"),
            ([torch.ones(2), 1.0], False, TypeError, "gradient 1 is a float; use a tensor, or None"),
            ([torch.ones(4, 2), torch.ones(3)], True, ValueError, "and (3,) on cpu, after a dimension of examples"),
            ([None, None], True, ValueError, "None is a gradient of zeros of each example"),
    ):
        with pytest.raises(error) as refused:
            total.add(wrong, batched=batched)
        assert sentence in str(refused.value)
    assert total.sum()[0].tolist() == [0, 0] and total.mean()[0].isnan().all()
    total.add([torch.ones(3, 2), None], batched=True)  # three gradients of zeros
    total.add([None, torch.ones(3)])
    assert total.mean()[0].tolist() == [0.75] * 2 and total.mean()[1].tolist() == [0.25] * 3


def hook(ranks: int, rank: int) -> None:
    torch.manual_seed(1)
    model, x = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2)), torch.randn(4 * ranks, 6)
    gradients = []
    for i in range(ranks):  # of each rank's share, in this process
        model.zero_grad()
        model(x[4 * i:4 * i + 4]).square().sum().backward()
        gradients.append([p.grad.clone() for p in model.parameters()])
    model.zero_grad()
    for element in (torch.float32, torch.bfloat16):
        parallel = torch.nn.parallel.DistributedDataParallel(model.to(element), bucket_cap_mb=0.0001)
        parallel.register_comm_hook(None, xdist.exact_hook)
        parallel.zero_grad()
        parallel(x[4 * rank:4 * rank + 4].to(element)).square().sum().backward()
        if element is torch.float32:
            for p, *each in zip(model.parameters(), *gradients):
                assert torch.equal(p.grad, xt.mean(torch.stack(each), 0))
        same = [torch.empty_like(model[0].weight.grad) for _ in range(ranks)]
        dist.all_gather(same, model[0].weight.grad)
        assert all(torch.equal(each, same[0]) for each in same)


def refusals(ranks: int, rank: int) -> None:
    for call, error, sentence in (
            (lambda: xdist.all_reduce_exact(torch.ones(2), "max"), ValueError, "all_reduce_exact: op is 'max'"),
            (lambda: xdist.all_reduce_exact(torch.ones(2, dtype=torch.int32)), TypeError, "all_reduce_exact: x is of torch.int32"),
            (lambda: xdist.reduce_shards("max", torch.ones(2)), ValueError, "reduce_shards: reduction is 'max'"),
            (lambda: xdist.reduce_shards("mean", torch.ones(2).int()), TypeError, "reduce_shards: x is of torch.int32; pass dtype"),
            (lambda: xdist.reduce_shards("var", torch.ones(2), correction=0.5), TypeError, "reduce_shards: correction is 0.5"),
            (lambda: xdist.reduce_shards("sum", torch.ones(2), 1), IndexError, "reduce_shards: dim 1"),
            (lambda: xdist.get_sharded_norm([torch.ones(2).double()]), TypeError, "get_sharded_norm: tensor 0 is of torch.float64"),
            (lambda: xdist.get_sharded_norm([torch.ones(2)], 3), ValueError, "get_sharded_norm: norm_type is 3"),
            (lambda: xdist.get_sharded_norm([torch.ones(2)], dtype=torch.float16), TypeError, "get_sharded_norm: dtype is torch.float16"),
            (lambda: xdist.GradientSum([torch.ones(2).int()]), TypeError, "GradientSum: tensor 0 is of torch.int32"),
            (lambda: xdist.GradientSum([torch.ones(2)]).add([]), ValueError, "GradientSum.add: 0 gradients of 1 parameters"),
            (lambda: xdist.GradientSum([torch.ones(2)]).add([torch.ones(3)]), ValueError, "GradientSum.add: gradient 0 is of")):
        with pytest.raises(error) as refused:
            call()
        assert sentence in str(refused.value)


def one_rank_fails(ranks: int, rank: int) -> None:
    """What one rank refuses all ranks raise, and the next call works."""
    last = ranks - 1
    large = torch.zeros(3 * ranks, dtype=torch.int64)
    large[-1] = 2**62  # in the piece that the last rank sums
    large = large if ranks > 2 else large * 1 + large.sign() * (2**62 - 1)
    if ranks > 1 and large.is_cpu:
        with pytest.raises(OverflowError, match=rf"all_reduce_exact: .*\(on rank {last}\)"):
            xdist.all_reduce_exact(large)
    elif ranks > 1:  # nothing waits for a GPU: its rank's check() raises
        found = xdist.all_reduce_exact(large)
        if rank == last:
            with pytest.raises(OverflowError):
                xt.check(found)
    for wrong, error, sentence in (([torch.ones(2).int()], TypeError, "get_sharded_norm: tensor 0 is of torch.int32"),
                                   ([1.0], TypeError, "get_sharded_norm: tensor 0 is a float"),
                                   ([torch.ones(2), torch.ones(2, device="meta")], ValueError, "get_sharded_norm: tensors on two devices")):
        for order in (2, math.inf):
            with pytest.raises(error, match=sentence + rf".*\(on rank {last}\)"):
                xdist.get_sharded_norm(wrong if rank == last else [torch.ones(2)], order)
    for name, dim, error, sentence in (("sum", 2, IndexError, "reduce_shards: dim 2"), ("median", 0, ValueError, "reduce_shards: reduction is 'median'")):
        with pytest.raises(error, match=sentence + rf".*\(on rank {last}\)"):
            xdist.reduce_shards(*((name, torch.ones(2, 2), dim) if rank == last else ("sum", torch.ones(2, 2), 0)))
    with pytest.raises((TypeError, RuntimeError), match=rf"reduce_shards: .*\(on rank {last}\)"):
        xdist.reduce_shards("sum", torch.ones(2, 2).to_sparse() if rank == last else torch.ones(2, 2))
    assert xdist.all_reduce_exact(torch.full((3,), 2**40)).tolist() == [ranks * 2**40] * 3
    assert xdist.get_sharded_norm([torch.ones(4)] if rank == 0 else []).item() == 2


CHECKS = [elementwise, shares, norms, gradient_sums, hook, refusals, one_rank_fails]


def run_rank(rank: int, ranks: int, port: int, backend: str) -> None:
    torch.set_num_threads(1)
    if backend == "nccl":  # all tensors of the checks then lie on this rank's GPU
        torch.cuda.set_device(rank)
        torch.set_default_device(f"cuda:{rank}")
    dist.init_process_group(backend, init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    try:
        for check in CHECKS:
            check(ranks, rank)
            dist.barrier()
    finally:
        dist.destroy_process_group()
    os._exit(0)  # threads of PyTorch that want the GIL while Python ends abort the process at times


def run_ranks(ranks: int, backend: str) -> None:
    with socket.socket() as probe:  # a free port
        probe.bind(("127.0.0.1", 0))
        port: Any = probe.getsockname()[1]
    processes.spawn(run_rank, args=(ranks, port, backend), nprocs=ranks)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks(ranks: int) -> None:
    run_ranks(ranks, "gloo")


def test_sizes_that_docstrings_name() -> None:
    words = {(element, name): xd.state_words(name, element, compact=True) for element in FLOATS for name in ("sum", "mean", "var", "norm", "asum")}
    sizes = {element: torch.empty(0, dtype=getattr(torch, element)).element_size() for element in FLOATS}
    assert f"{min(words.values())} to {max(words.values())} words" in (xdist.reduce_shards.__doc__ or "")
    ratios = [8 * words[element, "sum"] // sizes[element] for element in FLOATS]
    assert f"{min(ratios)} to {max(ratios)} times as many" in (xdist.__doc__ or "")
    assert f"{words['float32', 'mean']} words of float32 and {words['bfloat16', 'mean']} of bfloat16" in (xdist.GradientSum.__doc__ or "")
    assert f"{2 * words['float32', 'mean']} and {4 * words['bfloat16', 'mean']} times" in (xdist.GradientSum.__doc__ or "").replace("\n    ", " ")
    assert f"{xd.state_words('norm', 'float32')} or {xd.state_words('norm', 'float64')} words" in (xdist.get_sharded_norm.__doc__ or "")


def test_no_process_group_is_an_error() -> None:
    with pytest.raises((RuntimeError, ValueError), match="process group"):
        xdist.all_reduce_exact(torch.ones(2))
