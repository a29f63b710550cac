"""Reductions over dims of a tensor: a row each of one table, registered by one function.

Every result is the real number, rounded once to its dtype, from the elements as they are. Gradients hold no sums but those that a
row names: an element of a gradient is computed by PyTorch's element-wise operators, whose bits depend on nothing but their inputs.
They are differentiable, so second derivatives follow. Source of the formulas: derivatives.yaml of PyTorch.
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

import torch
from torch import Tensor

import exactdot as xd
from exactdot.torch._operators import (FLOATS, array, autocast_dtype, check_tensors, define, new_scalar, normal_dims,
                                       quotient, reduced_shape, wide_of)


class Call(NamedTuple):
    """What a gradient is computed from; result and g have the reduced dims. x and result are there if the row saves them."""
    shape: Any
    dims: list[int]
    correction: float
    x: Any = None
    result: Any = None

    @property
    def count(self) -> Any:
        return math.prod(self.shape[d] for d in self.dims)


class Reduction(NamedTuple):
    compute: Callable[..., Any]
    gradient: Callable[[Tensor, Call], Tensor]
    saves_x: bool = True
    has_correction: bool = False


def gradient_of_sum(g: Tensor, of: Call) -> Tensor:
    return g.expand(of.shape)


def gradient_of_mean(g: Tensor, of: Call) -> Tensor:
    return quotient(g, of.count).expand(of.shape)


def gradient_of_var(g: Tensor, of: Call) -> Tensor:
    """(x − m)·(2g/(n − correction)); m is the exact mean, of 16-bit floats in float32."""
    wide = wide_of(of.x.dtype)
    divisor = of.count - of.correction
    scale = g.to(wide) * (2 / divisor if divisor > 0 else math.nan)
    return (of.x.to(wide) - OPERATORS["mean"](of.x, of.dims, True, wide)) * scale


def gradient_of_std(g: Tensor, of: Call) -> Tensor:
    return gradient_of_var((g / (of.result * 2)).masked_fill(of.result == 0, 0), of)


def gradient_of_norm(g: Tensor, of: Call) -> Tensor:
    return of.x.to(of.result.dtype) * (g / of.result).masked_fill(of.result == 0, 0)


def gradient_of_asum(g: Tensor, of: Call) -> Tensor:
    return of.x.sgn().to(g.dtype) * g


def gradient_of_extremum(g: Tensor, of: Call) -> Tensor:
    """Equal extreme elements share the gradient; their number is a sum of integers."""
    ties = of.x == of.result
    return ties * quotient(g, OPERATORS["sum"](ties, of.dims, True, torch.int64))


TABLE = {
    "sum": Reduction(xd.sum, gradient_of_sum, saves_x=False),
    "mean": Reduction(xd.mean, gradient_of_mean, saves_x=False),
    "var": Reduction(xd.var, gradient_of_var, has_correction=True),
    "std": Reduction(xd.std, gradient_of_std, has_correction=True),
    "norm": Reduction(xd.norm, gradient_of_norm),
    "asum": Reduction(xd.asum, gradient_of_asum),
    "amax": Reduction(xd.max, gradient_of_extremum),
    "amin": Reduction(xd.min, gradient_of_extremum),
}
OPERATORS: dict[str, Any] = {}


def register(name: str, row: Reduction) -> None:
    def compute(x: Tensor, dim: list[int], keepdim: bool, dtype: torch.dtype, *extra: Any) -> Tensor:
        options: dict[str, Any] = {"ddof": extra[0]} if extra else {}
        if len(dim) == x.ndim and not keepdim:
            result, out = new_scalar(x, dtype)  # without axes, which take as long as a short sum
        else:
            result = x.new_empty(reduced_shape(x.shape, dim, keepdim), dtype=dtype)
            out = array(result)
            options |= {"axis": tuple(dim), "keepdims": keepdim} if x.ndim else {}
        try:
            row.compute(array(x if x.ndim else x.reshape(1)), out=out, **options)
        except ModuleNotFoundError as missing:
            raise ImportError(f"{name}: a correction with a fraction rounded to {dtype} needs the package {missing.name}; install it, or "
                              "pass dtype=torch.float32") from missing
        return result

    def fake(x: Tensor, dim: list[int], keepdim: bool, dtype: torch.dtype, *extra: Any) -> Tensor:
        return x.new_empty(reduced_shape(x.shape, dim, keepdim), dtype=dtype)

    def save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        x, dims, ctx.keepdim, _, *extra = inputs
        ctx.dtype = x.dtype
        ctx.of = Call(x.shape, dims, *extra) if extra else Call(x.shape, dims, 0)
        if row.saves_x:
            ctx.save_for_backward(x, output)

    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        def with_dims(y: Tensor) -> Tensor:
            for d in () if ctx.keepdim else ctx.of.dims:
                y = y.unsqueeze(d)
            return y

        of = ctx.of
        if row.saves_x:
            x, result = ctx.saved_tensors
            of = of._replace(x=x, result=with_dims(result))
        grad = row.gradient(with_dims(g), of).to(ctx.dtype)
        return (grad, None, None, None) + ((None,) if row.has_correction else ())

    def vmap(info: Any, in_dims: tuple[Any, ...], x: Tensor, dim: list[int], *rest: Any) -> tuple[Tensor, int]:
        return OPERATORS[name](x.movedim(in_dims[0], 0), [d + 1 for d in dim], *rest), 0

    schema = "(Tensor x, int[] dim, bool keepdim, ScalarType dtype" + (", float correction)" if row.has_correction else ")")
    OPERATORS[name] = define(name, schema + " -> Tensor", compute, fake, save=save, backward=backward, vmap=vmap)


for _name, _row in TABLE.items():
    register(_name, _row)


def result_dtype(caller: str, x: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    """Of sums: int64, or uint64, of integers. Others: a floating-point type, which integers have to be given."""
    is_float = x.dtype in FLOATS
    if dtype is None:
        if is_float:
            return autocast_dtype(x, precise=True)
        if caller == "sum":
            return torch.uint64 if x.dtype is torch.uint64 else torch.int64
        raise TypeError(f"{caller}: x is of {x.dtype}; pass dtype, a floating-point type, for the result")
    if dtype in FLOATS or (caller == "sum" and not is_float and dtype in (torch.int64, torch.uint64)):
        return dtype
    raise TypeError(f"{caller}: dtype is {dtype}; use a floating-point type"
                    + (", or int64 or uint64" if caller == "sum" and not is_float else ""))


def reduce(caller: str, name: str, x: Tensor, dim: Any, keepdim: bool, dtype: torch.dtype | None, out: Tensor | None,
           *extra: Any) -> Tensor:
    """What the public functions share: arguments checked, dims made canonical, the operator called."""
    check_tensors(caller, x=x)
    if not isinstance(keepdim, bool):
        raise TypeError(f"{caller}: keepdim is {keepdim!r}; use True or False")
    kind = x.dtype if name in ("amax", "amin") else result_dtype(caller, x, dtype)
    return stored(caller, OPERATORS[name](x, normal_dims(caller, dim, x.ndim), keepdim, kind, *extra), out)


def stored(caller: str, result: Tensor, out: Tensor | None) -> Tensor:
    """The result, in `out` if there is one. Raises TypeError and ValueError for one of another dtype, shape or device."""
    if out is None:
        return result
    if not isinstance(out, Tensor) or out.dtype is not result.dtype:
        found = out.dtype if isinstance(out, Tensor) else type(out).__name__
        raise TypeError(f"{caller}: out is {found}, the result {result.dtype}; pass dtype={found} or another out")
    if out.shape != result.shape or out.device != result.device:
        raise ValueError(f"{caller}: out has shape {tuple(out.shape)} on {out.device}, the result {tuple(result.shape)} on "
                         f"{result.device}")
    return out.copy_(result)


def sum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None,
        out: Tensor | None = None) -> Tensor:
    """Computes the exact sum over dims, rounded once: torch.sum, with the same bits for every order, split and device.

    Parameters
    ----------
    x : Tensor
        Of floats of 8 to 64 bits, integers or booleans, of any shape and strides, on a CPU or a CUDA device.
    dim : int, tuple of int, or None
        The dimensions that are reduced; None and (): all.
    keepdim : bool
        Keep the reduced dimensions with length 1.
    dtype : torch.dtype, optional
        The type to which the sum is rounded; the elements are read as they are, not converted first. Default: that of x, of
        integers int64; within autocast float32 for 16-bit floats.
    out : Tensor, optional
        Of the shape and dtype of the result, which it then holds.

    Returns
    -------
    Tensor
        0 where there are no elements. Gradient: that of the result, for each element.

    Raises
    ------
    TypeError
        No tensor; an element type without sums; a dtype that the sum cannot have; out of another dtype.
    IndexError, ValueError
        A dim out of range, or named twice; out of another shape or device.
    OverflowError
        A sum of integers beyond its type, on a CPU; on a GPU the result is 0, and `check` raises it.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.sum(torch.tensor([[1e30, 1.0, -1e30], [1.0, 2.0, 3.0]]), dim=1)
    tensor([1., 6.])
    """
    return reduce("sum", "sum", x, dim, keepdim, dtype, out)


def mean(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None,
         out: Tensor | None = None) -> Tensor:
    """Computes the exact mean over dims, the quotient rounded once: torch.mean.

    Parameters
    ----------
    x, dim, keepdim, dtype, out
        As of `sum`; the mean of integers needs a floating-point dtype.

    Returns
    -------
    Tensor
        NaN where there are no elements. Gradient: g/n, of 16-bit floats rounded in float32 first.

    Raises
    ------
    TypeError, IndexError, ValueError
        As of `sum`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.mean(torch.tensor([1, 2, 4], dtype=torch.int8), dtype=torch.float64)
    tensor(2.3333, dtype=torch.float64)
    """
    return reduce("mean", "mean", x, dim, keepdim, dtype, out)


def _correction(caller: str, correction: Any) -> float:
    if isinstance(correction, bool) or not isinstance(correction, (int, float)) or correction != correction:
        raise TypeError(f"{caller}: correction is {correction!r}; use a number")
    return float(correction)


def var(x: Tensor, dim: Any = None, *, correction: float = 1, keepdim: bool = False, dtype: torch.dtype | None = None,
        out: Tensor | None = None) -> Tensor:
    """Computes the exact variance over dims, rounded once: torch.var, with n − correction as divisor.

    Parameters
    ----------
    x, dim, keepdim, dtype, out
        As of `mean`.
    correction : int or float
        What is taken from the number of elements, by default 1. With a fraction a result takes some microseconds on the host, which
        waits for a GPU, and needs the package ml_dtypes for bfloat16 and 8-bit floats.

    Returns
    -------
    Tensor
        NaN where there are no more than `correction` elements. Gradient: (x − m)·2g/(n − correction) with the exact mean m.

    Raises
    ------
    TypeError, IndexError, ValueError
        As of `sum`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.var(torch.tensor([1e9, 1e9 + 64, 1e9 + 128]))
    tensor(4096.)
    """
    return reduce("var", "var", x, dim, keepdim, dtype, out, _correction("var", correction))


def std(x: Tensor, dim: Any = None, *, correction: float = 1, keepdim: bool = False, dtype: torch.dtype | None = None,
        out: Tensor | None = None) -> Tensor:
    """Computes the exact standard deviation over dims, the root of the quotient rounded once: torch.std.

    Parameters
    ----------
    x, dim, correction, keepdim, dtype, out
        As of `var`.

    Returns
    -------
    Tensor
        NaN where there are no more than `correction` elements. Gradient: that of `var` over twice the result, 0 where it is 0.

    Raises
    ------
    TypeError, IndexError, ValueError
        As of `sum`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.std(torch.tensor([[1.0, 3.0], [5.0, 5.0]]), dim=1, correction=0)
    tensor([1., 0.])
    """
    return reduce("std", "std", x, dim, keepdim, dtype, out, _correction("std", correction))


def vector_norm(x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None,
                out: Tensor | None = None) -> Tensor:
    """Computes the exact norm over dims, rounded once: torch.linalg.vector_norm of orders 2, 1, ∞ and −∞.

    Parameters
    ----------
    x, dim, keepdim, dtype, out
        As of `mean`.
    ord : {2, 1, inf, -inf}
        √Σx², Σ|x|, the greatest or the least |x|.

    Returns
    -------
    Tensor
        0 where there are no elements. No square over- or underflows. Gradient: g·x/result of order 2, 0 where it is 0; g·sign(x)
        of order 1; shared by the extreme elements of the others.

    Raises
    ------
    ValueError
        Another order; infinite orders of no elements. As of `sum`.
    TypeError, IndexError
        As of `sum`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.vector_norm(torch.tensor([3e30, 4e30]))
    tensor(5.0000e+30)
    """
    if isinstance(ord, bool) or ord not in (1, 2, math.inf, -math.inf):
        raise ValueError(f"vector_norm: ord is {ord!r}; use 2, 1, inf or -inf")
    if ord in (1, 2):
        return reduce("vector_norm", "norm" if ord == 2 else "asum", x, dim, keepdim, dtype, out)
    check_tensors("vector_norm", x=x)
    extreme = reduce("vector_norm", "amax" if ord > 0 else "amin", x.abs(), dim, keepdim, None, None)
    return stored("vector_norm", extreme.to(result_dtype("vector_norm", x, dtype)), out)


def amax(x: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Finds the greatest elements over dims: torch.amax, with NaN above all and −0 < +0 on every device.

    Parameters
    ----------
    x, dim, keepdim, out
        As of `sum`.

    Returns
    -------
    Tensor
        Of the type of x. Gradient: shared equally by the elements that equal the result.

    Raises
    ------
    ValueError
        There are no elements; as of `sum`.
    TypeError, IndexError
        As of `sum`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.amax(torch.tensor([[1.0, 3.0], [-0.0, 0.0]]), dim=1)
    tensor([3., 0.])
    """
    return reduce("amax", "amax", x, dim, keepdim, None, out)


def amin(x: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Finds the least elements over dims: torch.amin, with NaN below all and −0 < +0 on every device.

    Parameters
    ----------
    x, dim, keepdim, out
        As of `sum`.

    Returns
    -------
    Tensor
        Of the type of x. Gradient: shared equally by the elements that equal the result.

    Raises
    ------
    ValueError
        There are no elements; as of `sum`.
    TypeError, IndexError
        As of `sum`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.amin(torch.tensor([[1.0, 3.0], [-0.0, 0.0]]), dim=1)
    tensor([1., -0.])
    """
    return reduce("amin", "amin", x, dim, keepdim, None, out)
