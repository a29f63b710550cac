"""Norms of gradients and losses whose mean is exact.

The norm of all gradients is one sum over all their elements, rounded once: no order, no grouping into parameters and no sharding
changes a bit, and no square overflows. A loss is the exact mean of what PyTorch computes for each element.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

import exactdot as xd
from exactdot.torch._operators import FLOATS, array, autocast_dtype, check_tensors, define, wide_of
from exactdot.torch._reduction_operators import reduce
from exactdot.torch._reductions import mean, sum
from exactdot.torch._row_operators import GROUP_MEAN


def common_elements(tensors: list[Tensor]) -> list[Tensor]:
    """The tensors, or their conversions to float64 where some are of that type: states hold either that or narrower floats."""
    has_doubles = any(x.dtype is torch.float64 for x in tensors)
    return [x.to(torch.float64) for x in tensors] if has_doubles else tensors


def compute_list_norm(tensors: list[Tensor], squares: bool, dtype: torch.dtype) -> Tensor:
    result = tensors[0].new_empty((), dtype=dtype)
    function = xd.list_norm if squares else xd.list_asum
    function([array(x) for x in common_elements(tensors)], joined=True, out=result)
    return result


def fake_list_norm(tensors: list[Tensor], squares: bool, dtype: torch.dtype) -> Tensor:
    return tensors[0].new_empty((), dtype=dtype)


LIST_NORM = define("list_norm", "(Tensor[] tensors, bool squares, ScalarType dtype) -> Tensor", compute_list_norm, fake_list_norm)


def _gradients(caller: str, tensors: Any) -> list[Tensor]:
    found = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    check_tensors(caller, **{f"tensor {i}": x for i, x in enumerate(found)})
    for i, x in enumerate(found):
        if x.dtype not in FLOATS:
            raise TypeError(f"{caller}: tensor {i} is of {x.dtype}; use floating-point numbers")
    return found


def _norm_dtype(tensors: list[Tensor]) -> torch.dtype:
    """float32, or float64 if a tensor is: a norm of 16-bit gradients that is rounded to 16 bits clips coarsely."""
    return torch.float64 if any(x.dtype is torch.float64 for x in tensors) else torch.float32


@torch.no_grad()
def get_total_norm(tensors: Iterable[Tensor] | Tensor, norm_type: float = 2.0, error_if_nonfinite: bool = False, *,
                   dtype: torch.dtype | None = None) -> Tensor:
    """Computes the norm of all elements of all tensors, rounded once: torch.nn.utils.get_total_norm.

    Parameters
    ----------
    tensors : iterable of Tensor, or Tensor
        Floats of any types and shapes, on one device.
    norm_type : {2, 1, inf}
    error_if_nonfinite : bool
        Raise an error if the norm is an infinity or NaN; waits for a GPU.
    dtype : torch.dtype, optional
        The type of the norm. Default: float32, or float64 if a tensor is.

    Returns
    -------
    Tensor
        Of no dimension; 0 of no tensors. It has no gradient.

    Raises
    ------
    TypeError, ValueError
        As of `sum`; integers; another norm_type.
    RuntimeError
        A norm that is not finite, if asked for.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.get_total_norm([torch.full((2, 2), 1.5e30), torch.full((1, 4), 2e30)])
    tensor(5.0000e+30)
    """
    norm_type = float(norm_type)
    if norm_type not in (1.0, 2.0, math.inf):
        raise ValueError(f"get_total_norm: norm_type is {norm_type}; use 2, 1 or inf")
    found = _gradients("get_total_norm", tensors)
    kind = dtype or _norm_dtype(found)
    if not found:
        return torch.zeros((), dtype=kind)
    if norm_type == math.inf:
        extrema = [reduce("get_total_norm", "amax", x.abs(), None, False, None, None).to(kind) for x in found if x.numel()]
        total = reduce("get_total_norm", "amax", torch.stack(extrema), None, False, None, None) if extrema else \
            found[0].new_zeros((), dtype=kind)
    else:
        total = LIST_NORM(found, norm_type == 2.0, kind)
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(f"get_total_norm: the norm of order {norm_type} of the tensors is {total.item()}; pass "
                           "error_if_nonfinite=False to go on with it")
    return total


@torch.no_grad()
def clip_grads_with_norm_(parameters: Iterable[Tensor] | Tensor, max_norm: float, total_norm: Tensor) -> None:
    """Scales gradients by max_norm/(total_norm + 1e-6), or 1 if that is more: torch.nn.utils.clip_grads_with_norm_.

    Parameters
    ----------
    parameters : iterable of Tensor, or Tensor
        Tensors whose grad, if there is one, is scaled in place.
    max_norm : float
    total_norm : Tensor
        Of no dimension.

    Raises
    ------
    TypeError, ValueError
        total_norm is no tensor, or has a dimension.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> p = torch.zeros(1)
    >>> p.grad = torch.tensor([8.0])
    >>> xt.clip_grads_with_norm_(p, 2.0, torch.tensor(4.0))
    >>> p.grad
    tensor([4.0000])
    """
    if not isinstance(total_norm, Tensor):
        raise TypeError(f"clip_grads_with_norm_: total_norm is a {type(total_norm).__name__}; use a tensor")
    if total_norm.ndim:
        raise ValueError(f"clip_grads_with_norm_: total_norm has shape {tuple(total_norm.shape)}; use a tensor of no dimension")
    scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for p in [parameters] if isinstance(parameters, Tensor) else parameters:
        if p.grad is not None:
            p.grad.mul_(scale.to(p.grad.device))


def clip_grad_norm_(parameters: Iterable[Tensor] | Tensor, max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False) -> Tensor:
    """Clips the norm of the gradients of all parameters, in place: torch.nn.utils.clip_grad_norm_.

    Parameters
    ----------
    parameters : iterable of Tensor, or Tensor
        Tensors of which those with a grad count.
    max_norm : float
        The norm is at most this afterwards.
    norm_type, error_if_nonfinite
        As of `get_total_norm`.

    Returns
    -------
    Tensor
        The norm before, exact and rounded once.

    Raises
    ------
    TypeError, ValueError, RuntimeError
        As of `get_total_norm`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> p, q = torch.zeros(1), torch.zeros(1)
    >>> p.grad, q.grad = torch.tensor([3.0]), torch.tensor([4.0])
    >>> xt.clip_grad_norm_([p, q], 10.0), p.grad
    (tensor(5.), tensor([3.]))
    """
    held = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm([p.grad for p in held if p.grad is not None], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(held, max_norm, total)
    return total


def _reduced(caller: str, each: Tensor, reduction: str, dtype: torch.dtype) -> Tensor:
    if reduction == "none":
        return each
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{caller}: reduction is {reduction!r}; use 'mean', 'sum' or 'none'")
    return (mean if reduction == "mean" else sum)(each, dtype=dtype)


def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """Computes the mean of squared differences; the mean is exact and rounded once: torch.nn.functional.mse_loss.

    Parameters
    ----------
    input, target : Tensor
        Floats of one shape.
    reduction : {'mean', 'sum', 'none'}

    Returns
    -------
    Tensor
        Differences and squares are rounded each, those of 16-bit floats in float32. Gradients are products and differences.

    Raises
    ------
    TypeError, ValueError
        As of `sum`; two shapes, an unknown reduction.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.mse_loss(torch.tensor([1.0, 3.0]), torch.tensor([0.0, 1.0]))
    tensor(2.5000)
    """
    check_tensors("mse_loss", input=input, target=target)
    if input.shape != target.shape:
        raise ValueError(f"mse_loss: shapes are {tuple(input.shape)} and {tuple(target.shape)}; use one shape")
    kind = torch.promote_types(input.dtype, target.dtype)
    if kind not in FLOATS:
        raise TypeError(f"mse_loss: input is of {input.dtype}, target of {target.dtype}; use floating-point numbers")
    wide = wide_of(kind)
    difference = input.to(wide) - target.to(wide)
    dtype = autocast_dtype(input.new_empty(0, dtype=kind), precise=True)
    squares = difference * difference
    return squares.to(dtype) if reduction == "none" else _reduced("mse_loss", squares, reduction, dtype)


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int = -100,
             reduction: str = "mean") -> Tensor:
    """Computes the mean negative log-likelihood of tokens, exact and rounded once: torch.nn.functional.nll_loss.

    Parameters
    ----------
    input : Tensor
        Logarithms of probabilities, of shape (n, classes), (classes,) or (n, classes, …).
    target : Tensor
        Of int64: a class for each token.
    weight : Tensor, optional
        A factor of each class; then 'mean' is the quotient of two exact sums, each rounded, and is rounded again.
    ignore_index : int
        Tokens of this target do not count.
    reduction : {'mean', 'sum', 'none'}

    Returns
    -------
    Tensor
        NaN if all tokens are ignored and the mean is asked for. Gradient: −g over the number of tokens at each target.

    Raises
    ------
    TypeError, ValueError
        As of `sum`; shapes that do not fit; an unknown reduction.
    IndexError, RuntimeError
        A target that is no class, of CPU tensors.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.nll_loss(torch.tensor([[-1.0, -2.0], [-4.0, -0.5]]), torch.tensor([1, 1]))
    tensor(1.2500)
    """
    check_tensors("nll_loss", input=input, target=target, **({} if weight is None else {"weight": weight}))
    if input.dtype not in FLOATS or target.dtype is not torch.int64:
        raise TypeError(f"nll_loss: input is of {input.dtype}, target of {target.dtype}; use floats and int64")
    classes = 1 if input.ndim > 1 else 0
    if input.ndim == 0 or target.shape != input.shape[:classes] + input.shape[classes + 1:]:
        raise ValueError(f"nll_loss: shapes are {tuple(input.shape)} and {tuple(target.shape)}; use (n, classes, …) and (n, …)")
    if weight is not None and weight.shape != input.shape[classes:classes + 1]:
        raise ValueError(f"nll_loss: weight has shape {tuple(weight.shape)}; use ({input.shape[classes]},)")
    if not isinstance(ignore_index, int) or isinstance(ignore_index, bool):
        raise TypeError(f"nll_loss: ignore_index is {ignore_index!r}; use an integer")
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"nll_loss: reduction is {reduction!r}; use 'mean', 'sum' or 'none'")
    counted = target != ignore_index
    places = target.where(counted, 0)
    if input.shape[classes]:
        each = -input.gather(classes, places.unsqueeze(classes)).squeeze(classes)
    else:  # all tokens are ignored
        if target.is_cpu and not torch.compiler.is_compiling() and bool(counted.any()):
            raise IndexError("nll_loss: a target is out of bounds: there are no classes")
        each = -input.sum(classes)
    dtype = autocast_dtype(input, precise=True)
    factors = None if weight is None else weight[places] if input.shape[classes] else torch.zeros_like(each)
    if factors is not None:
        each = each * factors
    if reduction == "none":
        return each.where(counted, 0)
    if reduction == "sum":
        return sum(each.where(counted, 0), dtype=dtype)
    if factors is not None:
        return sum(each.where(counted, 0), dtype=dtype) / sum(factors.where(counted, 0), dtype=dtype)
    keys = torch.where(counted, 0, -1).reshape(-1)
    return GROUP_MEAN(each.reshape(-1), keys, 1, True, dtype).squeeze(0)
