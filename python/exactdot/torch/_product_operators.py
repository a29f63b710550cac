"""Operators of products that end in a sum, vecdot and mv, and the sum with broadcasts.

Each result is the sum of exact products, rounded once. Gradients are products of the same kind: where an input was broadcast,
its gradient is a sum over the broadcast dims, one exact sum of exact products too.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

import exactdot as xd
from exactdot.torch._operators import array, broadcast_shape, define
from exactdot.torch._reduction_operators import OPERATORS, reduce_in_engine

SUM = OPERATORS["sum"]


def _without(shape: Any, dim: int) -> list[int]:
    return [*shape[:dim], *(shape[dim + 1:] if dim != -1 else ())]


def compute_vecdot(a: Tensor, b: Tensor, dim: int, dtype: torch.dtype) -> Tensor:
    found = reduce_in_engine("vecdot", "vecdot", a, b, dim, dtype=dtype)
    if found is not None:
        return found
    shape = broadcast_shape(a.shape, b.shape)
    result = a.new_empty(_without(shape, dim), dtype=dtype)
    a, b = (_with_length(x, dim, shape[dim]) for x in (a, b))  # the other dims the engine broadcasts, faster than strides of 0
    xd.vecdot(array(a), array(b), axis=dim, out=result)
    return result


def _with_length(x: Tensor, dim: int, n: int) -> Tensor:
    return x if x.shape[dim] == n else x.expand([n if i == x.ndim + dim else -1 for i in range(x.ndim)])


def fake_vecdot(a: Tensor, b: Tensor, dim: int, dtype: torch.dtype) -> Tensor:
    return a.new_empty(_without(torch.broadcast_shapes(a.shape, b.shape), dim), dtype=dtype)


def contracted(g: Tensor, other: Tensor, of: Tensor) -> Tensor:
    """Σ g·other over the dims along which `of` was broadcast; without such dims the products, each rounded once."""
    full = broadcast_shape(g.shape, other.shape, of.shape)
    lengths = [1] * (len(full) - of.ndim) + list(of.shape)
    summed = [i for i, n in enumerate(full) if lengths[i] == 1 and n != 1]
    if not summed:
        return (g * other).expand(full).reshape(of.shape).to(of.dtype)
    if summed == list(range(len(summed))) and g.shape == other.shape == full and g.is_contiguous() and other.is_contiguous():
        matrix = math.prod(full[:len(summed)]), math.prod(full[len(summed):])  # of columns, which the engine reads as they lie
        return VECDOT(g.view(matrix), other.view(matrix), -2, of.dtype).reshape(of.shape)
    order = [i for i in range(len(full)) if i not in summed] + summed

    lengths = [full[i] for i in summed]

    def summed_last(y: Tensor) -> Tensor:
        """Terms of a sum lie beside each other in memory: a copy of y alone, without its broadcasts, for a fraction of the time."""
        if y.ndim != len(full):
            y = y.reshape([1] * (len(full) - y.ndim) + list(y.shape))
        y = y.permute(order).contiguous()
        if list(y.shape[-len(summed):]) != lengths:
            y = y.expand(*y.shape[:-len(summed)], *lengths)
        return y.flatten(-len(summed)) if len(summed) > 1 else y

    result = VECDOT(summed_last(g), summed_last(other), -1, of.dtype)
    if result.shape == of.shape:
        return result
    return result.expand([full[i] for i in order[:len(full) - len(summed)]]).reshape(of.shape)  # both may have length 1 along one


def save_two(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs[:2])
    ctx.dim = inputs[2]


def gradient_of_vecdot(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    a, b = ctx.saved_tensors
    g = g.unsqueeze(ctx.dim)
    needs_a, needs_b = ctx.needs_input_grad[:2]
    return contracted(g, b, a) if needs_a else None, contracted(g, a, b) if needs_b else None, None, None


def _with_batch(x: Tensor, at: int | None, ndim: int) -> Tensor:
    """x with the batch first and `ndim` dims after it; a length of 1 where x has none."""
    x = x.unsqueeze(0) if at is None else x.movedim(at, 0)
    for _ in range(ndim + 1 - x.ndim):
        x = x.unsqueeze(1)
    return x


def batched_vecdot(info: Any, in_dims: tuple[Any, ...], a: Tensor, b: Tensor, dim: int,
                   dtype: torch.dtype) -> tuple[Tensor, int]:
    ndim = max(x.ndim - (at is not None) for x, at in ((a, in_dims[0]), (b, in_dims[1])))
    return VECDOT(_with_batch(a, in_dims[0], ndim), _with_batch(b, in_dims[1], ndim), dim, dtype), 0


def compute_mv(a: Tensor, x: Tensor, dtype: torch.dtype) -> Tensor:
    result = a.new_empty(a.shape[:1], dtype=dtype)
    xd.matvec(array(a), array(x), out=result)
    return result


def fake_mv(a: Tensor, x: Tensor, dtype: torch.dtype) -> Tensor:
    return a.new_empty(a.shape[:1], dtype=dtype)


def gradient_of_mv(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    a, x = ctx.saved_tensors
    needs_a, needs_x = ctx.needs_input_grad[:2]
    return ((g.unsqueeze(1) * x).to(a.dtype) if needs_a else None,
            VECDOT(a, g.unsqueeze(1), -2, x.dtype) if needs_x else None, None)


def batched_mv(info: Any, in_dims: tuple[Any, ...], a: Tensor, x: Tensor, dtype: torch.dtype) -> tuple[Tensor, int]:
    rows, vectors = _with_batch(a, in_dims[0], 2), _with_batch(x, in_dims[1], 1)
    return VECDOT(rows, vectors.unsqueeze(1), -1, dtype), 0


VECDOT = define("vecdot", "(Tensor a, Tensor b, int dim, ScalarType dtype) -> Tensor", compute_vecdot, fake_vecdot,
                save=save_two, backward=gradient_of_vecdot, vmap=batched_vecdot)
MV = define("mv", "(Tensor a, Tensor x, ScalarType dtype) -> Tensor", compute_mv, fake_mv, save=save_two,
            backward=gradient_of_mv, vmap=batched_mv)


def summed_to(g: Tensor, of: Tensor) -> Tensor:
    """Σ g over the dims along which `of` was broadcast."""
    lengths = [1] * (g.ndim - of.ndim) + list(of.shape)
    summed = [i for i, n in enumerate(g.shape) if lengths[i] == 1 and n != 1]
    return SUM(g, summed, True, of.dtype).reshape(of.shape) if summed else g.reshape(of.shape).to(of.dtype)


def compute_add(a: Tensor, b: Tensor) -> Tensor:
    return a + b


def fake_add(a: Tensor, b: Tensor) -> Tensor:
    return a.new_empty(torch.broadcast_shapes(a.shape, b.shape), dtype=torch.result_type(a, b))


def save_addends(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def gradient_of_add(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    return tuple(summed_to(g, x) if needed else None for x, needed in zip(ctx.saved_tensors, ctx.needs_input_grad))


def batched_add(info: Any, in_dims: tuple[Any, ...], a: Tensor, b: Tensor) -> tuple[Tensor, int]:
    dims = [x.ndim - (at is not None) for x, at in ((a, in_dims[0]), (b, in_dims[1]))]
    a, b = (_with_batch(x, at, max(dims)) for x, at in ((a, in_dims[0]), (b, in_dims[1])))
    if a.dtype is not b.dtype and 0 in dims:  # the type of one example's sum, in which an operand of no dimension counts less
        kind = torch.result_type(*(x.new_empty((1,) * n) for x, n in zip((a, b), dims)))
        a, b = a.to(kind), b.to(kind)
    return ADD(a, b), 0


ADD = define("add", "(Tensor a, Tensor b) -> Tensor", compute_add, fake_add, save=save_addends, backward=gradient_of_add,
             vmap=batched_add)
