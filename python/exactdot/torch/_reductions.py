"""The public reductions over dims of a tensor; _reduction_operators.py has the operators and the gradients."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from exactdot.torch._operators import FLOATS, check_tensors
from exactdot.torch._reduction_operators import reduce, result_dtype, rounded_once, stored


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
        waits for a GPU.

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
    kind = result_dtype("vector_norm", x, dtype)
    magnitudes = x.abs() if x.dtype in FLOATS else rounded_once("asum", x, kind)  # some integers have no negative
    extreme = reduce("vector_norm", "amax" if ord > 0 else "amin", magnitudes, dim, keepdim, None, None)
    return stored("vector_norm", extreme if extreme.dtype is kind else rounded_once("sum", extreme, kind), out)


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
