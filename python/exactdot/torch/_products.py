"""The public products: dot, vecdot, a matrix by a vector, linear layers of few tokens, and sums with broadcasts."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from exactdot.torch._operators import FLOATS, autocast_dtype, check_tensors
from exactdot.torch._product_operators import ADD, MV, VECDOT
from exactdot.torch._reduction_operators import reduce_in_engine, stored

MAX_TOKENS_OF_GPU = 16  # more are a product of matrices, which this package has not


def product_dtype(caller: str, a: Tensor, b: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    """Of floats the type that holds both, or autocast's; of integers int64. One of each is refused, as by the engine."""
    are_floats = a.dtype in FLOATS
    if are_floats != (b.dtype in FLOATS):
        raise TypeError(f"{caller}: a is of {a.dtype}, b of {b.dtype}; convert one of them")
    if dtype is None:
        return autocast_dtype(a, precise=False, dtype=torch.promote_types(a.dtype, b.dtype)) if are_floats else torch.int64
    if dtype in FLOATS or (not are_floats and dtype in (torch.int64, torch.uint64)):
        return dtype
    raise TypeError(f"{caller}: dtype is {dtype}; use a floating-point type" + ("" if are_floats else ", int64 or uint64"))


def _check_broadcast(caller: str, a: Tensor, b: Tensor) -> None:
    if any(n != m and n != 1 and m != 1 for n, m in zip(reversed(a.shape), reversed(b.shape))):
        raise ValueError(f"{caller}: shapes {tuple(a.shape)} and {tuple(b.shape)} do not broadcast")


def vecdot(a: Tensor, b: Tensor, *, dim: int = -1, dtype: torch.dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Computes exact dot products along a dim, each rounded once: torch.linalg.vecdot of real tensors.

    Parameters
    ----------
    a, b : Tensor
        Of two floating-point or two integer types and of shapes that broadcast.
    dim : int
        The dimension of both that is summed.
    dtype : torch.dtype, optional
        The type to which results are rounded; default: one that holds both types, of integers int64; within autocast its type for
        float32.
    out : Tensor, optional
        Of the shape and dtype of the result, which it then holds.

    Returns
    -------
    Tensor
        Gradient: products with the result's gradient; of an input that was broadcast their exact sums.

    Raises
    ------
    TypeError, ValueError, OverflowError
        As of `sum`; floats with integers; shapes that do not broadcast.
    IndexError
        A dim that a or b does not have.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.vecdot(torch.tensor([[1e30, 1.0, 1e30]]), torch.tensor([1e8, 1.0, -1e8]))
    tensor([1.])
    """
    result = reduce_in_engine("vecdot", "vecdot", a, b, dim, dtype=dtype, out=out)
    if result is not None:
        return result
    check_tensors("vecdot", a=a, b=b)
    kind = product_dtype("vecdot", a, b, dtype)
    ndim = max(a.ndim, b.ndim)
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise TypeError(f"vecdot: dim is {dim!r}; use an integer")
    if min(a.ndim, b.ndim) == 0 or not -min(a.ndim, b.ndim) <= (dim - ndim if dim >= 0 else dim) < 0:
        raise IndexError(f"vecdot: dim {dim} of tensors of {a.ndim} and {b.ndim} dimensions")
    _check_broadcast("vecdot", a, b)
    return stored("vecdot", VECDOT(a, b, dim - ndim if dim >= 0 else dim, kind), out)


def dot(a: Tensor, b: Tensor, *, dtype: torch.dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Computes the exact dot product of two vectors, rounded once: torch.dot.

    Parameters
    ----------
    a, b : Tensor
        Vectors of one length, of two floating-point or two integer types.
    dtype, out
        As of `vecdot`.

    Returns
    -------
    Tensor
        Of no dimension. Gradients: g·b and g·a.

    Raises
    ------
    TypeError, OverflowError
        As of `vecdot`.
    ValueError
        No vectors, or of two lengths.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.dot(torch.tensor([1e30, 1.0, 1e30]), torch.tensor([1e8, 1.0, -1e8]))
    tensor(1.)
    """
    result = reduce_in_engine("dot", "dot", a, b, None, dtype=dtype, out=out)
    if result is not None:
        return result
    check_tensors("dot", a=a, b=b)
    if a.ndim != 1 or b.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"dot: shapes are {tuple(a.shape)} and {tuple(b.shape)}; use two vectors of one length")
    return stored("dot", VECDOT(a, b, -1, product_dtype("dot", a, b, dtype)), out)


def mv(a: Tensor, x: Tensor, *, dtype: torch.dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Multiplies a matrix by a vector, each result an exact dot product rounded once: torch.mv.

    Parameters
    ----------
    a, x : Tensor
        Of shapes (m, n) and (n,), of two floating-point or two integer types.
    dtype, out
        As of `vecdot`.

    Returns
    -------
    Tensor
        Of shape (m,). Gradients: of a the products of g and x; of x exact sums of products.

    Raises
    ------
    TypeError, OverflowError
        As of `vecdot`.
    ValueError
        Other shapes.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.mv(torch.tensor([[1e30, 1.0, -1e30], [1.0, 2.0, 3.0]]), torch.ones(3))
    tensor([1., 6.])
    """
    result = reduce_in_engine("mv", "matvec", a, x, None, dtype=dtype, out=out)
    if result is not None:
        return result
    check_tensors("mv", a=a, x=x)
    if a.ndim != 2 or x.ndim != 1 or a.shape[1] != x.shape[0]:
        raise ValueError(f"mv: shapes are {tuple(a.shape)} and {tuple(x.shape)}; use (m, n) and (n,)")
    return stored("mv", MV(a, x, product_dtype("mv", a, x, dtype)), out)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Applies a linear layer whose outputs are exact dot products: torch.nn.functional.linear, of few tokens.

    Parameters
    ----------
    x : Tensor
        Of shape (…, n): tokens of n features; on a GPU at most 16.
    weight, bias : Tensor
        Of shapes (m, n) and, if any, (m,).

    Returns
    -------
    Tensor
        Of shape (…, m): x·weightᵀ, rounded once, plus the bias, rounded again. The gradients of x, weight and bias are exact sums,
        each rounded once, also over the tokens.

    Raises
    ------
    TypeError
        As of `vecdot`.
    ValueError
        Other shapes; more than 16 tokens on a GPU, where every 16 would read all weights: a product of matrices.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.linear(torch.tensor([[1e30, 1.0, 1e30]]), torch.tensor([[1e8, 1.0, -1e8]]), torch.tensor([2.0]))
    tensor([[3.]])
    """
    check_tensors("linear", x=x, weight=weight, **({} if bias is None else {"bias": bias}))
    if weight.ndim != 2 or x.ndim == 0 or x.shape[-1] != weight.shape[1]:
        raise ValueError(f"linear: shapes are {tuple(x.shape)} and {tuple(weight.shape)}; use (…, n) and (m, n)")
    if bias is not None and bias.shape != weight.shape[:1]:
        raise ValueError(f"linear: bias has shape {tuple(bias.shape)}; use ({weight.shape[0]},)")
    if bias is not None and (bias.dtype in FLOATS) != (weight.dtype in FLOATS):
        raise TypeError(f"linear: bias is of {bias.dtype}, weight of {weight.dtype}; convert one of them")
    tokens = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    if x.is_cuda and tokens.shape[0] > MAX_TOKENS_OF_GPU:
        raise ValueError(f"linear: {tokens.shape[0]} tokens on a GPU, of at most {MAX_TOKENS_OF_GPU}: every 16 would read all weights, "
                         "and products of matrices are not exact here; pass fewer, or use torch.nn.functional.linear")
    result = VECDOT(tokens.unsqueeze(1), weight, -1, product_dtype("linear", x, weight, None))
    if bias is not None:
        result = ADD(result, bias.to(result.dtype))
    return result.reshape(*x.shape[:-1], weight.shape[0])


def add(a: Tensor, b: Tensor) -> Tensor:
    """Adds two tensors that broadcast, with exact gradients: a bias, or embeddings of positions.

    The sum is PyTorch's, element by element. The gradient of an input that was broadcast is a sum over those dims, which PyTorch
    rounds in an order of its own; here it is exact and rounded once.

    Parameters
    ----------
    a, b : Tensor
        Of floats, of shapes that broadcast.

    Returns
    -------
    Tensor
        a + b, of the type that PyTorch gives it: a tensor of no dimension does not widen others.

    Raises
    ------
    TypeError, ValueError
        As of `sum`; integers; shapes that do not broadcast.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> bias = torch.zeros(1, requires_grad=True)
    >>> xt.add(torch.zeros(3), bias).backward(torch.tensor([1e30, 1.0, -1e30]))
    >>> bias.grad
    tensor([1.])
    """
    check_tensors("add", a=a, b=b)
    if a.dtype not in FLOATS or b.dtype not in FLOATS:
        raise TypeError(f"add: a is of {a.dtype}, b of {b.dtype}; use floating-point types")
    _check_broadcast("add", a, b)
    return ADD(a, b)
