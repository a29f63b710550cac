"""Rows of a tensor by an index: index_add, scatter_add, segments, embeddings, and the sums that are their gradients.

Four operators carry all of it. `embedding` gathers rows by keys, and its gradient is `group_sum`: the exact sum of the rows of each
key, whose gradient gathers again. `group_dot` weighs the rows, `group_mean` divides; `index_add` adds to what is there, as one more
exact term. So no result and no gradient depends on the order of the rows. Cost: that of xd.group_sum, some ns an element on a CPU.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import Tensor

import exactdot as xd
from exactdot.torch._operators import array, define, quotient
from exactdot.torch._product_operators import VECDOT

KEYS = (torch.int32, torch.int64)


def _compute(function: Any, *weights: Tensor, rows: Tensor, keys: Tensor, groups: int, skip: bool, dtype: torch.dtype) -> Tensor:
    result = rows.new_empty((groups, *rows.shape[1:]), dtype=dtype)
    if rows.ndim == 1 or result.numel():
        function(array(rows), *map(array, weights), array(keys), groups, skip_out_of_range=skip, out=result)
    return result


def _fake(rows: Tensor, groups: int, dtype: torch.dtype) -> Tensor:
    return rows.new_empty((groups, *rows.shape[1:]), dtype=dtype)


def gathered(rows: Tensor, keys: Tensor, skip: bool) -> Tensor:
    """rows[keys]; 0 for keys that were skipped, if they may be."""
    if not skip:
        return EMBEDDING(rows, keys, -1)
    inside = (keys >= 0) & (keys < rows.shape[0])
    found = EMBEDDING(rows, keys.where(inside, 0), -1)
    return found.where(inside.reshape(inside.shape + (1,) * (rows.ndim - 1)), 0)


def batched_keys(keys: Tensor, groups: int, batch: int) -> Tensor:
    """Keys of a batch, (B, n) or (n,), as keys of B·groups groups; those out of range stay so."""
    step = torch.arange(batch, device=keys.device, dtype=torch.int64).unsqueeze(1) * groups
    moved = torch.where(keys < 0, keys, torch.where(keys < groups, keys + step, batch * groups))
    return moved.flatten()


def first(x: Tensor, at: int | None, batch: int) -> Tensor:
    return x.expand(batch, *x.shape) if at is None else x.movedim(at, 0)


# group_sum, group_mean

def define_group(name: str, function: Any, save: Any, backward: Any) -> Callable[..., Tensor]:
    def compute(rows: Tensor, keys: Tensor, groups: int, skip: bool, dtype: torch.dtype) -> Tensor:
        return _compute(function, rows=rows, keys=keys, groups=groups, skip=skip, dtype=dtype)

    def fake(rows: Tensor, keys: Tensor, groups: int, skip: bool, dtype: torch.dtype) -> Tensor:
        return _fake(rows, groups, dtype)

    def vmap(info: Any, in_dims: tuple[Any, ...], rows: Tensor, keys: Tensor, groups: int, skip: bool,
             dtype: torch.dtype) -> tuple[Tensor, int]:
        batch = info.batch_size
        rows = first(rows, in_dims[0], batch)
        all_keys = batched_keys(first(keys, in_dims[1], batch), groups, batch)
        result = operator(rows.flatten(0, 1), all_keys, batch * groups, skip, dtype)
        return result.unflatten(0, (batch, groups)), 0

    operator = define(name, "(Tensor rows, Tensor keys, SymInt groups, bool skip, ScalarType dtype) -> Tensor", compute, fake,
                      save=save, backward=backward, vmap=vmap)
    return operator


def save_keys(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    rows, keys, ctx.groups, ctx.skip, _ = inputs
    ctx.dtype = rows.dtype
    ctx.save_for_backward(keys)


def gradient_of_group_sum(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    return gathered(g, ctx.saved_tensors[0], ctx.skip).to(ctx.dtype), None, None, None, None


def gradient_of_group_mean(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    (keys,) = ctx.saved_tensors
    counts = GROUP_SUM(torch.ones_like(keys), keys, ctx.groups, ctx.skip, torch.int64)
    each = quotient(g, counts.reshape(counts.shape + (1,) * (g.ndim - 1)))
    return gathered(each.to(g.dtype), keys, ctx.skip).to(ctx.dtype), None, None, None, None


GROUP_SUM = define_group("group_sum", xd.group_sum, save_keys, gradient_of_group_sum)
GROUP_MEAN = define_group("group_mean", xd.group_mean, save_keys, gradient_of_group_mean)


# group_dot: rows with a weight each

def compute_group_dot(rows: Tensor, weights: Tensor, keys: Tensor, groups: int, skip: bool, dtype: torch.dtype) -> Tensor:
    return _compute(xd.group_dot, weights, rows=rows, keys=keys, groups=groups, skip=skip, dtype=dtype)


def fake_group_dot(rows: Tensor, weights: Tensor, keys: Tensor, groups: int, skip: bool, dtype: torch.dtype) -> Tensor:
    return _fake(rows, groups, dtype)


def save_rows(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.skip = inputs[4]
    ctx.save_for_backward(*inputs[:3])


def gradient_of_group_dot(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    rows, weights, keys = ctx.saved_tensors
    each = gathered(g, keys, ctx.skip)
    of_rows = of_weights = None
    if ctx.needs_input_grad[0]:
        of_rows = (each * weights.reshape(weights.shape + (1,) * (rows.ndim - 1))).to(rows.dtype)
    if ctx.needs_input_grad[1]:
        of_weights = VECDOT(each.flatten(1), rows.flatten(1), -1, weights.dtype) if rows.ndim > 1 else \
            (each * rows).to(weights.dtype)
    return of_rows, of_weights, None, None, None, None


def batched_group_dot(info: Any, in_dims: tuple[Any, ...], rows: Tensor, weights: Tensor, keys: Tensor, groups: int, skip: bool,
                      dtype: torch.dtype) -> tuple[Tensor, int]:
    batch = info.batch_size
    rows, weights, keys = (first(x, at, batch) for x, at in zip((rows, weights, keys), in_dims))
    result = GROUP_DOT(rows.flatten(0, 1), weights.flatten(), batched_keys(keys, groups, batch), batch * groups, skip, dtype)
    return result.unflatten(0, (batch, groups)), 0


GROUP_DOT = define("group_dot", "(Tensor rows, Tensor weights, Tensor keys, SymInt groups, bool skip, ScalarType dtype) -> Tensor",
                   compute_group_dot, fake_group_dot, save=save_rows, backward=gradient_of_group_dot, vmap=batched_group_dot)


# embedding: rows by keys

def compute_embedding(rows: Tensor, keys: Tensor, padding: int) -> Tensor:
    return rows.index_select(0, keys.flatten()).reshape(*keys.shape, *rows.shape[1:])


def fake_embedding(rows: Tensor, keys: Tensor, padding: int) -> Tensor:
    return rows.new_empty((*keys.shape, *rows.shape[1:]))


def save_embedding(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    rows, keys, ctx.padding = inputs
    ctx.count = rows.shape[0]
    ctx.save_for_backward(keys)


def gradient_of_embedding(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    (keys,) = ctx.saved_tensors
    flat = keys.flatten()
    rows = g.flatten(0, keys.ndim - 1) if keys.ndim else g.unsqueeze(0)
    has_padding = ctx.padding >= 0
    flat = flat.where(flat != ctx.padding, -1) if has_padding else flat
    return GROUP_SUM(rows, flat, ctx.count, has_padding, g.dtype), None, None


def batched_embedding(info: Any, in_dims: tuple[Any, ...], rows: Tensor, keys: Tensor, padding: int) -> tuple[Tensor, int]:
    batch = info.batch_size
    if in_dims[0] is None:
        return EMBEDDING(rows, keys.movedim(in_dims[1], 0), padding), 0
    rows = rows.movedim(in_dims[0], 1)  # a row of every table
    if in_dims[1] is None:
        return EMBEDDING(rows, keys, padding), keys.ndim
    count, keys = rows.shape[0], keys.movedim(in_dims[1], 0)
    tables = rows.movedim(1, 0).flatten(0, 1)
    if padding >= 0:  # of one table; as many paddings there would be as tables
        zero = (keys == padding).reshape(keys.shape + (1,) * (rows.ndim - 2))
        found = EMBEDDING(tables, batched_keys(keys.flatten(1), count, batch).reshape(keys.shape), -1)
        return found.where(~zero, found.detach()), 0
    return EMBEDDING(tables, batched_keys(keys.flatten(1), count, batch).reshape(keys.shape), -1), 0


EMBEDDING = define("embedding", "(Tensor rows, Tensor keys, SymInt padding) -> Tensor", compute_embedding, fake_embedding,
                   save=save_embedding, backward=gradient_of_embedding, vmap=batched_embedding)


# index_add: what is there is one more term

def out_of_range(index: Tensor, length: int) -> ValueError | None:
    """The error of the first index that is not in the range of a dimension, if there is one."""
    wrong = index[(index < 0) | (index >= length)]
    return ValueError(f"index {int(wrong[0])} is out of range for dimension of size {length}") if wrong.numel() else None


def add_rows(x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: float) -> Tensor:
    """Adds in place, and returns x."""
    if source.numel():
        table, rows = array(x), source
        if dim != 0:
            table, rows = table.movedim(dim, 0), rows.movedim(dim, 0)
        weights = () if alpha == 1 else (torch.full((rows.shape[0],), alpha, dtype=rows.dtype, device=rows.device),)
        try:
            (xd.group_dot if weights else xd.group_sum)(array(rows), *weights, array(index), add_to=table)
        except ValueError as refused:
            raise out_of_range(index, x.shape[dim]) or refused from None
    return x


def compute_index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: float) -> Tensor:
    return add_rows(x.clone(memory_format=torch.contiguous_format), dim, index, source, alpha)


def fake_index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def save_index(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    _, ctx.dim, index, _, ctx.alpha = inputs
    ctx.save_for_backward(index)


def gradient_of_index_add(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    (index,) = ctx.saved_tensors
    of_source = None
    if ctx.needs_input_grad[3]:
        of_source = EMBEDDING(g.movedim(ctx.dim, 0), index, -1).movedim(0, ctx.dim)
        if ctx.alpha != 1:  # a factor of the source's type, as in the sum
            of_source = of_source * torch.full((), ctx.alpha, dtype=g.dtype, device=g.device)
    return g, None, None, of_source, None


def batched_index_add(info: Any, in_dims: tuple[Any, ...], x: Tensor, dim: int, index: Tensor, source: Tensor,
                      alpha: float) -> tuple[Tensor, int]:
    batch = info.batch_size
    x, source = first(x, in_dims[0], batch).movedim(dim + 1, 1), first(source, in_dims[3], batch).movedim(dim + 1, 1)
    count = x.shape[1]
    keys = batched_keys(first(index, in_dims[2], batch), count, batch)
    result = INDEX_ADD(x.flatten(0, 1), 0, keys, source.flatten(0, 1), alpha)
    return result.unflatten(0, (batch, count)).movedim(1, dim + 1), 0


INDEX_ADD = define("index_add", "(Tensor x, int dim, Tensor index, Tensor source, Scalar alpha) -> Tensor", compute_index_add,
                   fake_index_add, save=save_index, backward=gradient_of_index_add, vmap=batched_index_add)


# extrema of rows by keys that never decrease; what is empty has the extreme infinity

def compute_segment_extremum(rows: Tensor, keys: Tensor, groups: int, greatest: bool) -> Tensor:
    result = rows.new_full((groups, *rows.shape[1:]), -float("inf") if greatest else float("inf"))
    if not rows.numel():
        return result
    present, numbered = torch.unique_consecutive(keys, return_inverse=True)
    found = rows.new_empty((present.shape[0], *rows.shape[1:]))
    (xd.group_max if greatest else xd.group_min)(array(rows), numbered, present.shape[0], out=found)
    return result.index_copy_(0, present.to(torch.int64), found)


def fake_segment_extremum(rows: Tensor, keys: Tensor, groups: int, greatest: bool) -> Tensor:
    return _fake(rows, groups, rows.dtype)


def save_extremum(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    rows, keys, ctx.groups, _ = inputs
    ctx.save_for_backward(rows, keys, output)


def gradient_of_segment_extremum(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    rows, keys, result = ctx.saved_tensors
    ties = rows == EMBEDDING(result, keys, -1)
    counts = GROUP_SUM(ties, keys, ctx.groups, False, torch.int64)
    return ties * EMBEDDING(quotient(g, counts.clamp(min=1)).to(g.dtype), keys, -1), None, None, None


def batched_segment_extremum(info: Any, in_dims: tuple[Any, ...], rows: Tensor, keys: Tensor, groups: int,
                             greatest: bool) -> tuple[Tensor, int]:
    batch = info.batch_size
    if in_dims[1] is None:
        return SEGMENT_EXTREMUM(rows.movedim(in_dims[0], -1), keys, groups, greatest), rows.ndim - 1
    rows, keys = first(rows, in_dims[0], batch), first(keys, in_dims[1], batch)
    result = SEGMENT_EXTREMUM(rows.flatten(0, 1), batched_keys(keys, groups, batch), batch * groups, greatest)
    return result.unflatten(0, (batch, groups)), 0


SEGMENT_EXTREMUM = define("segment_extremum", "(Tensor rows, Tensor keys, SymInt groups, bool greatest) -> Tensor",
                          compute_segment_extremum, fake_segment_extremum, save=save_extremum,
                          backward=gradient_of_segment_extremum, vmap=batched_segment_extremum)
