"""What `deterministic` puts in the place of PyTorch's normalisations of rows and of their gradients; see _replaced.py.

Beside the result, aten's operators give the mean and the reciprocal deviation of each row to their gradients: here the exact mean and
variance, rounded to float32 or float64.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from exactdot.torch._normalisation_operators import NORMALISE, row_gradient, scale_of
from exactdot.torch._operators import wide_of
from exactdot.torch._product_operators import contracted, summed_to
from exactdot.torch._reduction_operators import OPERATORS
from exactdot.torch._replaced import FLOATS, aten, replaces


def _takes(x: Tensor, shape: Any, *parameters: Tensor | None, eps: float = 0.0) -> bool:
    given = [p for p in parameters if p is not None]
    kinds, shape = {p.dtype for p in given}, tuple(shape)
    return (x.dtype in FLOATS and len(kinds) <= 1 and kinds <= {x.dtype, x.dtype if x.dtype is torch.float64 else torch.float32}
            and 0 < len(shape) <= x.ndim and x.shape[-len(shape):] == shape and all(p.shape == shape for p in given)
            and (eps == 0 or 1e-150 <= eps <= 1e100))


@replaces(aten.native_layer_norm.default)
def exact_layer_norm(x: Tensor, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    if not _takes(x, shape, weight, bias, eps=eps):
        return NotImplemented
    dims, wide = len(shape), x.to(wide_of(x.dtype))
    mean = OPERATORS["mean"](wide, list(range(x.ndim - dims, x.ndim)), True, wide.dtype)
    has_wide = x.is_cuda or any(p is not None and p.dtype is not x.dtype for p in (weight, bias))
    kind = wide.dtype if has_wide else x.dtype  # as PyTorch, whose own gradient may follow
    return NORMALISE(x, weight, bias, eps, True, dims), mean.to(kind), scale_of(wide, eps, True, dims).to(kind)


def _gradients(g: Tensor, x: Tensor, mean: Tensor | None, scale: Tensor, weight: Any, bias: Any, mask: Any, dims: int) -> tuple[Any, ...]:
    wide = wide_of(x.dtype)
    g = g.to(wide)
    normal = (x.to(wide) if mean is None else x.to(wide) - mean.to(wide)) * scale.to(wide)
    h = g if weight is None else g * weight.to(wide)
    of_x = row_gradient(h, normal, scale.to(wide), mean is not None, dims).to(x.dtype) if mask[0] else None
    of_weight = contracted(g, normal, weight) if weight is not None and mask[1] else None
    return of_x, of_weight, summed_to(g, bias) if bias is not None and mask[2] else None


@replaces(aten.native_layer_norm_backward.default)
def exact_layer_norm_gradient(g: Tensor, x: Tensor, shape: Any, mean: Tensor, scale: Tensor, weight: Any, bias: Any, mask: Any) -> Any:
    takes = _takes(x, shape, weight, bias) and g.shape == x.shape
    return _gradients(g, x, mean, scale, weight, bias, mask, len(shape)) if takes else NotImplemented


def exact_rms_norm(x: Tensor, shape: Any, weight: Any, eps: Any) -> Any:
    if x.dtype not in FLOATS:
        return NotImplemented
    epsilon, dims = torch.finfo(wide_of(x.dtype)).eps if eps is None else eps, len(shape)
    if not _takes(x, shape, weight, eps=epsilon):
        return NotImplemented
    return NORMALISE(x, weight, None, epsilon, False, dims), scale_of(x.to(wide_of(x.dtype)), epsilon, False, dims)


def exact_rms_norm_gradient(g: Tensor, x: Tensor, shape: Any, scale: Tensor, weight: Any, mask: Any) -> Any:
    takes = _takes(x, shape, weight) and g.shape == x.shape
    return _gradients(g, x, None, scale, weight, None, (*mask, False), len(shape))[:2] if takes else NotImplemented


if hasattr(aten, "_fused_rms_norm"):  # not in older versions, which add, divide and multiply by several operators
    replaces(aten._fused_rms_norm.default)(exact_rms_norm)
    replaces(aten._fused_rms_norm_backward.default)(exact_rms_norm_gradient)
