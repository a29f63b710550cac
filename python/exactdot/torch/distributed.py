"""Exact sums over the ranks of torch.distributed: the bits of one process, for any number of ranks and any way to share the data.

Two kinds of sums. Data of which each rank holds a share: states, sums in words of 64-bit integers, are what is sent, and one
all_reduce of integers merges them (`reduce_shards`, `get_sharded_norm`, `GradientSum`). Tensors of one shape, one on each rank, that
are added element by element (`all_reduce_exact`, the hook of DDP): each rank gets a piece of all tensors, sums it exactly, and sends
the result to all; that moves as many bytes as a plain all_reduce in a ring, where states would move 32 to 73 times as many.
Over Gloo for CPU tensors and NCCL for CUDA ones, ordered by PyTorch's current stream.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

import exactdot as xd
from exactdot.torch._gradient_sum import GradientSum, rounded, states_of, type_name
from exactdot.torch._operators import FLOATS, check_tensors, normal_dims, reduced_shape
from exactdot.torch._reduction_operators import OPERATORS, reduce, result_dtype

__all__ = ["GradientSum", "all_reduce_exact", "exact_hook", "get_sharded_norm", "reduce_shards"]

_FINISHES = ("sum", "mean", "var", "std", "norm", "asum")


def all_reduce_exact(x: Tensor, op: str = "sum", *, group: Any = None) -> Tensor:
    """Adds the tensors of all ranks, element by element, exactly and rounded once: torch.distributed.all_reduce.

    Parameters
    ----------
    x : Tensor
        Floats, int64 or uint64, of one shape and type on all ranks.
    op : {'sum', 'mean'}
        The sum, or the exact quotient by the number of ranks, of floats.
    group : ProcessGroup, optional
        Default: all ranks.

    Returns
    -------
    Tensor
        A new one, the same on all ranks. Without gradient. Moves 2·(ranks − 1)/ranks of the bytes of x out of each rank.

    Raises
    ------
    TypeError, ValueError
        As of `sum`; another op.
    OverflowError
        A sum of integers beyond its type, of CPU tensors: on all ranks. Of CUDA tensors it is 0 on all ranks, and `check` raises it on
        the rank that summed it.
    RuntimeError, ValueError
        No process group.

    Examples
    --------
    >>> import torch, torch.distributed as dist, exactdot.torch.distributed as xdist
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> xdist.all_reduce_exact(torch.tensor([1.0, 2.0]), "mean")
    tensor([1., 2.])
    >>> dist.destroy_process_group()
    """
    check_tensors("all_reduce_exact", x=x)
    if op not in ("sum", "mean"):
        raise ValueError(f"all_reduce_exact: op is {op!r}; use 'sum' or 'mean'")
    if x.dtype not in FLOATS and (op == "mean" or x.dtype not in (torch.int64, torch.uint64)):
        raise TypeError(f"all_reduce_exact: x is of {x.dtype}; use floats" + ("" if op == "mean" else ", int64 or uint64"))
    ranks = dist.get_world_size(group)
    with torch.no_grad():
        flat = x.detach().reshape(-1)
        n = -(-flat.numel() // ranks)
        padded = flat
        if flat.numel() != ranks * n:
            padded = torch.zeros(ranks * n, dtype=x.dtype, device=x.device)
            padded[:flat.numel()] = flat
        pieces, results = torch.empty_like(padded), torch.empty_like(padded)
        if n:  # as bytes, which every backend moves whatever the type
            dist.all_to_all_single(pieces.view(torch.uint8), padded.view(torch.uint8), group=group)
            mine = _summed_alike(op, pieces.view(ranks, n), group)
            dist.all_gather_into_tensor(results.view(torch.uint8), mine.view(torch.uint8), group=group)
        return results[:flat.numel()].reshape(x.shape)


def _summed_alike(op: str, pieces: Tensor, group: Any) -> Tensor:
    """The sums of this rank's piece; of integers that overflow on one rank the error on all."""
    error: Exception | None = None
    mine = pieces[0]
    try:
        mine = OPERATORS[op](pieces, [0], False, pieces.dtype)
    except OverflowError as refused:
        error = refused
    if pieces.dtype not in FLOATS and pieces.is_cpu:
        _raise_on_all_ranks("all_reduce_exact", error, pieces.device, group)
    return mine


_KINDS: tuple[type[Exception], ...] = (TypeError, ValueError, IndexError, OverflowError, RuntimeError)


def _raise_on_all_ranks(caller: str, error: Exception | None, device: torch.device, group: Any) -> None:
    """Raises the error of the first rank that has one on all ranks, so that none waits for one that has left. One small message."""
    failed = torch.tensor([error is not None], dtype=torch.int32, device=device)
    dist.all_reduce(failed, op=dist.ReduceOp.MAX, group=group)
    if not failed.item():
        return
    mine = None if error is None else (next(i for i, kind in enumerate(_KINDS) if isinstance(error, kind)), str(error))
    found: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(found, mine, group=group)
    rank, (kind, text) = next((i, each) for i, each in enumerate(found) if each is not None)
    raise _KINDS[kind](f"{caller}: {text.removeprefix(f'{caller}: ').removeprefix('sum: ').removeprefix('states: a: ')} (on rank {rank})") from error


def reduce_shards(reduction: str, x: Tensor, dim: Any = None, keepdim: bool = False, *, correction: int = 1,
                  dtype: torch.dtype | None = None, group: Any = None) -> Tensor:
    """Reduces data that lie on all ranks over dims, with the bits of one process that has them all.

    Parameters
    ----------
    reduction : {'sum', 'mean', 'var', 'std', 'norm', 'asum'}
    x : Tensor
        This rank's share: of one type on all ranks, whose dims that are not reduced have the same lengths. The others may have any,
        0 too.
    dim, keepdim, dtype
        As of the functions of exactdot.torch.
    correction : int
        Of 'var' and 'std': what is taken from the number of all elements.
    group : ProcessGroup, optional
        Default: all ranks.

    Returns
    -------
    Tensor
        The same on all ranks. Without gradient. States are sent, 7 to 212 words of 64 bits for each result of floats, after a message that
        says whether all ranks take their data.

    Raises
    ------
    TypeError, ValueError, IndexError, OverflowError
        As of `sum`; another reduction; a correction that is no whole number. What one rank refuses is an error on all ranks; tensors of
        two types or of other lengths on them are not noticed.

    Examples
    --------
    >>> import torch, torch.distributed as dist, exactdot.torch.distributed as xdist
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> xdist.reduce_shards("mean", torch.tensor([[1.0, 2.0], [3.0, 5.0]]), 0)
    tensor([2.0000, 3.5000])
    >>> dist.destroy_process_group()
    """
    error: Exception | None = None
    try:
        check_tensors("reduce_shards", x=x)
        if reduction not in _FINISHES:
            raise ValueError(f"reduce_shards: reduction is {reduction!r}; use one of {', '.join(_FINISHES)}")
        if isinstance(correction, bool) or not isinstance(correction, (int, float)) or correction != correction // 1:
            raise TypeError(f"reduce_shards: correction is {correction!r}; use a whole number")
        if not 0 <= correction < 2**53:
            raise ValueError(f"reduce_shards: correction is {correction!r}; use 0 or more")
        if not isinstance(keepdim, bool):
            raise TypeError(f"reduce_shards: keepdim is {keepdim!r}; use True or False")
        kind = result_dtype("sum" if reduction == "sum" else "reduce_shards", x, dtype)
        dims = normal_dims("reduce_shards", dim, x.ndim)
        with torch.no_grad():
            words = states_of(reduction, x if x.ndim else x.reshape(1), tuple(dims) if x.ndim else (0,), compact=True)
    except (TypeError, ValueError, IndexError, RuntimeError) as refused:
        error = refused
    device = x.device if isinstance(x, Tensor) and x.is_cuda else _device_of(group)
    _raise_on_all_ranks("reduce_shards", error, device, group)
    with torch.no_grad():
        dist.all_reduce(words, op=dist.ReduceOp.SUM, group=group)
        ddof = int(correction) if reduction in ("var", "std") else 0
        return rounded(words, reduction, x.dtype, reduction, kind, ddof).reshape(reduced_shape(x.shape, dims, keepdim))


def get_sharded_norm(tensors: Iterable[Tensor] | Tensor, norm_type: float = 2.0, *, dtype: torch.dtype = torch.float32,
                     group: Any = None) -> Tensor:
    """Computes the norm of gradients that lie on all ranks, with the bits of `get_total_norm` in one process that has them all.

    Parameters
    ----------
    tensors : iterable of Tensor, or Tensor
        This rank's: floats of any types, shapes and number, none too, of which no element lies on two ranks.
    norm_type : {2, 1, inf}
    dtype : {torch.float32, torch.float64}
        The type of the norm, on all ranks; float64 if a rank has tensors of that type.
    group : ProcessGroup, optional
        Default: all ranks. With NCCL the words are sent from this rank's current CUDA device.

    Returns
    -------
    Tensor
        Of no dimension, the same on all ranks; for `clip_grads_with_norm_`. A message of 24 or 138 words, after one that says whether
        all ranks take their tensors.

    Raises
    ------
    TypeError, ValueError
        As of `get_total_norm`; a tensor of float64 with dtype float32. Tensors that one rank refuses are an error on all ranks.

    Examples
    --------
    >>> import torch, torch.distributed as dist, exactdot.torch.distributed as xdist
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> xdist.get_sharded_norm([torch.tensor([3e30]), torch.tensor([4e30])])
    tensor(5.0000e+30)
    >>> dist.destroy_process_group()
    """
    if dtype not in (torch.float32, torch.float64):
        raise TypeError(f"get_sharded_norm: dtype is {dtype}; use torch.float32 or torch.float64")
    if float(norm_type) not in (1.0, 2.0, math.inf):
        raise ValueError(f"get_sharded_norm: norm_type is {norm_type}; use 2, 1 or inf")
    found: list[Tensor] = []
    error: Exception | None = None
    try:
        found = _floats_of(tensors, dtype)
    except (TypeError, ValueError) as refused:
        error = refused
    device = found[0].device if found else _device_of(group)
    _raise_on_all_ranks("get_sharded_norm", error, device, group)
    with torch.no_grad():
        if float(norm_type) == math.inf:
            return _sharded_maximum(found, dtype, device, group)
        name = "norm" if float(norm_type) == 2 else "asum"
        words = torch.zeros(xd.state_words(name, type_name(dtype)), dtype=torch.int64, device=device)
        for x in found:
            if x.numel():
                exact = x.to(torch.float64) if dtype is torch.float64 else x
                words += states_of(name, exact.reshape(-1), (0,), compact=False)
        dist.all_reduce(words, op=dist.ReduceOp.SUM, group=group)
        return rounded(words, name, dtype, name, dtype)


def _floats_of(tensors: Iterable[Tensor] | Tensor, dtype: torch.dtype) -> list[Tensor]:
    found = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    check_tensors("get_sharded_norm", **{f"tensor {i}": x for i, x in enumerate(found)})
    for i, x in enumerate(found):
        if x.dtype not in FLOATS or (x.dtype is torch.float64 and dtype is torch.float32):
            raise TypeError(f"get_sharded_norm: tensor {i} is of {x.dtype}; use floats" + (
                ", and dtype=torch.float64 on all ranks" if x.dtype is torch.float64 else ""))
    return found


def _device_of(group: Any) -> torch.device:
    return torch.device("cuda", torch.cuda.current_device()) if dist.get_backend(group) == "nccl" else torch.device("cpu")


def _sharded_maximum(tensors: list[Tensor], dtype: torch.dtype, device: torch.device, group: Any) -> Tensor:
    """NaN if a rank has one: a collective maximum may lose it, so that infinities and NaN are counted apart."""
    extrema = [reduce("get_sharded_norm", "amax", x.abs(), None, False, None, None).to(dtype) for x in tensors if x.numel()]
    largest = reduce("get_sharded_norm", "amax", torch.stack(extrema), None, False, None, None) if extrema else \
        torch.zeros((), dtype=dtype, device=device)
    both = torch.stack([largest.nan_to_num(0, math.inf), largest.isnan().to(dtype)])
    dist.all_reduce(both, op=dist.ReduceOp.MAX, group=group)
    return both[0].masked_fill(both[1] > 0, math.nan)


def exact_hook(group: Any, bucket: Any) -> Any:
    """Averages the gradients of DistributedDataParallel exactly: a hook of its communication.

    Each element is the exact mean of the ranks' gradients, rounded once: no order of ranks, no algorithm of the backend and no size
    of buckets changes a bit. Between numbers of ranks the bits differ, since each rank rounds the gradient of its share: `GradientSum`
    does not.

    Parameters
    ----------
    group : ProcessGroup or None
        The state of the hook; None: all ranks.
    bucket : torch.distributed.GradBucket

    Returns
    -------
    Future of Tensor
        The means. Moves as many bytes as DDP's own.

    Raises
    ------
    TypeError
        Gradients of a type that is no float.

    Examples
    --------
    >>> import torch, torch.distributed as dist, exactdot.torch.distributed as xdist
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    >>> model.register_comm_hook(None, xdist.exact_hook)
    >>> dist.destroy_process_group()
    """
    done: torch.futures.Future[Tensor] = torch.futures.Future()
    done.set_result(all_reduce_exact(bucket.buffer(), "mean", group=group))
    return done


exact_hook.__annotations__.update({"bucket": dist.GradBucket, "return": torch.futures.Future[Tensor]})  # which DDP looks at
