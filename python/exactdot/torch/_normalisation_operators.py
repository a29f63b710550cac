"""The operator of rms_norm and layer_norm: each element of a row normalised, rounded once; and their gradients.

With x̂ the normalised element before weight and bias, k = 1/√(v + ε) and h = g·w, the gradients are

    of x       k·(h − mean(h)·[layer_norm] − x̂·mean(h·x̂))
    of weight  Σ g·x̂ over the rows
    of bias    Σ g over the rows

in float32, of float64 in that, k first in float64. Every sum in them is exact and rounded once, x̂ is rounded once, and the rest are
PyTorch's element-wise operators; so the gradient of a row depends on no other row, and the sums over rows on no order.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

import exactdot as xd
from exactdot import _engine
from exactdot.torch._operators import ENGINE, array, define, quotient, route_of, wide_of
from exactdot.torch._product_operators import VECDOT, contracted, summed_to
from exactdot.torch._reduction_operators import OPERATORS

_normalised_gradients: Any = _engine._normalised_gradients  # type: ignore[attr-defined]
_OF_ONE_LAUNCH = (torch.float16, torch.bfloat16, torch.float32)
_LONGEST_ROW = 2**24  # max_gradient_row of plan/normalise.hpp

def compute_normalised(x: Tensor, weight: Tensor | None, bias: Tensor | None, epsilon: float, centred: bool, dims: int) -> Tensor:
    result = torch.empty_like(x, memory_format=torch.contiguous_format)
    n = math.prod(x.shape[x.ndim - dims:])
    if not result.numel():
        return result
    rows, out, of_rows = x.contiguous(), result, [weight, bias]
    if dims != 1:
        rows, out = rows.view(-1, n), out.view(-1, n)
        of_rows = [None if p is None else p.reshape(n) for p in of_rows]
    of_rows = [None if p is None else array(p.contiguous()) for p in of_rows]
    if centred:
        xd.layer_norm(array(rows), *of_rows, epsilon=epsilon, out=out)
    else:
        xd.rms_norm(array(rows), of_rows[0], epsilon=epsilon, out=out)
    return result


def fake_normalised(x: Tensor, weight: Tensor | None, bias: Tensor | None, epsilon: float, centred: bool, dims: int) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def save_normalised(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, weight, bias, ctx.epsilon, ctx.centred, ctx.dims = inputs
    ctx.save_for_backward(x, weight, bias)


def scale_of(x: Tensor, epsilon: float, centred: bool, dims: int) -> Tensor:
    """1/√(v + ε) of each row in float64, from the exact variance or sum of squares, rounded; the last dims have length 1."""
    rows = x.flatten(x.ndim - dims)
    if centred:
        v = OPERATORS["var"](rows, [rows.ndim - 1], False, torch.float64, 0.0)
    else:
        v = quotient(VECDOT(rows, rows, -1, torch.float64), rows.shape[-1])
    return (1 / torch.sqrt(v + epsilon)).to(x.dtype).reshape(*x.shape[:x.ndim - dims], *([1] * dims))


def row_gradient(h: Tensor, normal: Tensor, scale: Tensor, centred: bool, dims: int) -> Tensor:
    """That of x: k·(h − mean(h) − x̂·mean(h·x̂))."""
    def row_mean(total: Tensor) -> Tensor:
        return quotient(total, math.prod(h.shape[h.ndim - dims:])).reshape(scale.shape)

    last = h.ndim - dims
    along = row_mean(VECDOT(h.flatten(last), normal.flatten(last), -1, h.dtype))
    rest = h - normal * along
    if centred:
        rest = rest - row_mean(OPERATORS["sum"](h, list(range(last, h.ndim)), False, h.dtype))
    return rest * scale


def rows_in_one_launch(g: Tensor, x: Tensor, weight: Tensor | None, epsilon: float, centred: bool, dims: int) -> tuple[Tensor, Tensor] | None:
    """x̂ and the gradient of x on a GPU, with the bits of row_gradient, reading x and g once; None where PyTorch has to see
    each operation, and of types and lengths that the kernel does not take."""
    n = math.prod(x.shape[x.ndim - dims:])
    if (not x.is_cuda or x.dtype not in _OF_ONE_LAUNCH or g.dtype is not x.dtype or not 0 < n <= _LONGEST_ROW or not x.numel()
            or torch.is_grad_enabled() or route_of(g, x, weight) != ENGINE or any(t is not None and t.is_neg() for t in (g, x, weight))):
        return None
    x, g = x.contiguous(), g.contiguous()
    normal, of_x = torch.empty_like(x, dtype=torch.float32), torch.empty_like(x)
    factors = None if weight is None else weight.to(torch.float32).contiguous()
    _normalised_gradients(x.dtype, epsilon, x.get_device(), centred, x.numel() // n, n, x.data_ptr(), g.data_ptr(),
                          0 if factors is None else factors.data_ptr(), normal.data_ptr(), of_x.data_ptr())
    return normal, of_x


def gradient_of_normalised(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    x, weight, bias = ctx.saved_tensors
    found = rows_in_one_launch(g, x, weight, ctx.epsilon, ctx.centred, ctx.dims) if ctx.needs_input_grad[0] else None
    of_x = of_weight = of_bias = None
    if found is None:
        wide = wide_of(x.dtype)
        rows, g = x.to(wide), g.to(wide)
        normal = NORMALISE(rows, None, None, ctx.epsilon, ctx.centred, ctx.dims)
        if ctx.needs_input_grad[0]:
            h = g if weight is None else g * weight.to(wide)
            of_x = row_gradient(h, normal, scale_of(rows, ctx.epsilon, ctx.centred, ctx.dims), ctx.centred, ctx.dims).to(x.dtype)
    else:
        normal, of_x = found
    if weight is not None and ctx.needs_input_grad[1]:
        of_weight = contracted(g, normal, weight)
    if bias is not None and ctx.needs_input_grad[2]:
        of_bias = summed_to(g, bias)
    return of_x, of_weight, of_bias, None, None, None


def batched_normalised(info: Any, in_dims: tuple[Any, ...], x: Tensor, weight: Tensor | None, bias: Tensor | None, epsilon: float,
                       centred: bool, dims: int) -> tuple[Tensor, int]:
    rows = x.expand(info.batch_size, *x.shape) if in_dims[0] is None else x.movedim(in_dims[0], 0)
    parameters = list(zip((weight, bias), in_dims[1:3]))
    if all(at is None for _, at in parameters):
        return NORMALISE(rows, weight, bias, epsilon, centred, dims), 0
    if info.batch_size == 0:
        return torch.empty_like(rows), 0
    each = [[p if p is None or at is None else p.select(at, i) for p, at in parameters] for i in range(info.batch_size)]
    return torch.stack([NORMALISE(row, *of_row, epsilon, centred, dims) for row, of_row in zip(rows, each)]), 0


NORMALISE = define("normalise", "(Tensor x, Tensor? weight, Tensor? bias, float epsilon, bool centred, int dims) -> Tensor",
                   compute_normalised, fake_normalised, save=save_normalised, backward=gradient_of_normalised, vmap=batched_normalised)
