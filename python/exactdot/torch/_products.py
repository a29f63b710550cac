"""Products that end in a sum: dot, vecdot, a matrix by a vector, and linear layers of few tokens.

Each result is the sum of exact products, rounded once. Gradients are products of the same kind: where an input was broadcast,
its gradient is a sum over the broadcast dims, one exact sum of exact products too.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import exactdot as xd
from exactdot.torch._operators import FLOATS, array, autocast_dtype, check_tensors, define, new_scalar
from exactdot.torch._reductions import OPERATORS, stored

SUM = OPERATORS["sum"]
MAX_TOKENS_OF_GPU = 16  # more are a product of matrices, which this package has not


def _without(shape: Any, dim: int) -> list[int]:
    return [*shape[:dim], *(shape[dim + 1:] if dim != -1 else ())]


def compute_vecdot(a: Tensor, b: Tensor, dim: int, dtype: torch.dtype) -> Tensor:
    if a.ndim == 1 and a.shape == b.shape:
        result, out = new_scalar(a, dtype)
        xd.dot(array(a), array(b), out=out)
        return result
    a, b = torch.broadcast_tensors(a, b)
    result = a.new_empty(_without(a.shape, dim), dtype=dtype)
    xd.vecdot(array(a), array(b), axis=dim, out=array(result))
    return result


def fake_vecdot(a: Tensor, b: Tensor, dim: int, dtype: torch.dtype) -> Tensor:
    return a.new_empty(_without(torch.broadcast_shapes(a.shape, b.shape), dim), dtype=dtype)


def contracted(g: Tensor, other: Tensor, of: Tensor) -> Tensor:
    """Σ g·other over the dims along which `of` was broadcast; without such dims the products, each rounded once."""
    full = torch.broadcast_shapes(g.shape, other.shape, of.shape)
    lengths = [1] * (len(full) - of.ndim) + list(of.shape)
    summed = [i for i, n in enumerate(full) if lengths[i] == 1 and n != 1]
    if not summed:
        return (g * other).reshape(of.shape).to(of.dtype)
    kept = [i for i in range(len(full)) if i not in summed]
    g, other = (y.expand(full).permute(*kept, *summed).flatten(len(kept)) for y in (g, other))
    return VECDOT(g, other, -1, of.dtype).reshape(of.shape)


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
    xd.matvec(array(a), array(x), out=array(result))
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


def product_dtype(caller: str, a: Tensor, b: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    """Of floats the type that holds both, or autocast's; of integers int64. One of each is refused, as by the engine."""
    are_floats = a.dtype in FLOATS
    if are_floats != (b.dtype in FLOATS):
        raise TypeError(f"{caller}: a is of {a.dtype}, b of {b.dtype}; convert one of them")
    if dtype is None:
        return autocast_dtype(a.new_empty(0, dtype=torch.promote_types(a.dtype, b.dtype)), precise=False) if are_floats \
            else torch.int64
    if dtype in FLOATS or (not are_floats and dtype in (torch.int64, torch.uint64)):
        return dtype
    raise TypeError(f"{caller}: dtype is {dtype}; use a floating-point type" + ("" if are_floats else ", int64 or uint64"))


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
        As of `sum`; floats with integers.
    IndexError
        A dim that a or b does not have.
    RuntimeError
        Shapes that do not broadcast.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.vecdot(torch.tensor([[1e30, 1.0, 1e30]]), torch.tensor([1e8, 1.0, -1e8]))
    tensor([1.])
    """
    check_tensors("vecdot", a=a, b=b)
    kind = product_dtype("vecdot", a, b, dtype)
    ndim = max(a.ndim, b.ndim)
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise TypeError(f"vecdot: dim is {dim!r}; use an integer")
    if min(a.ndim, b.ndim) == 0 or not -min(a.ndim, b.ndim) <= (dim - ndim if dim >= 0 else dim) < 0:
        raise IndexError(f"vecdot: dim {dim} of tensors of {a.ndim} and {b.ndim} dimensions")
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
        Other shapes; more than 16 tokens on a GPU, where each token would read all weights: a product of matrices.

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
    tokens = x.reshape(-1, x.shape[-1])
    if x.is_cuda and tokens.shape[0] > MAX_TOKENS_OF_GPU:
        raise ValueError(f"linear: {tokens.shape[0]} tokens on a GPU, of at most {MAX_TOKENS_OF_GPU}: each would read all weights, "
                         "and products of matrices are not exact here; pass fewer, or use torch.nn.functional.linear")
    result = VECDOT(tokens.unsqueeze(1), weight, -1, product_dtype("linear", x, weight, None))
    if bias is not None:
        result = ADD(result, bias.to(result.dtype))
    return result.reshape(*x.shape[:-1], weight.shape[0])


def summed_to(g: Tensor, of: Tensor) -> Tensor:
    """Σ g over the dims along which `of` was broadcast."""
    lengths = [1] * (g.ndim - of.ndim) + list(of.shape)
    summed = [i for i, n in enumerate(g.shape) if lengths[i] == 1 and n != 1]
    return SUM(g, summed, True, of.dtype).reshape(of.shape) if summed else g.reshape(of.shape).to(of.dtype)


def compute_add(a: Tensor, b: Tensor) -> Tensor:
    return a + b


def fake_add(a: Tensor, b: Tensor) -> Tensor:
    return a.new_empty(torch.broadcast_shapes(a.shape, b.shape), dtype=torch.promote_types(a.dtype, b.dtype))


def save_addends(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def gradient_of_add(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
    return tuple(summed_to(g, x) if needed else None for x, needed in zip(ctx.saved_tensors, ctx.needs_input_grad))


def batched_add(info: Any, in_dims: tuple[Any, ...], a: Tensor, b: Tensor) -> tuple[Tensor, int]:
    ndim = max(x.ndim - (at is not None) for x, at in ((a, in_dims[0]), (b, in_dims[1])))
    return ADD(_with_batch(a, in_dims[0], ndim), _with_batch(b, in_dims[1], ndim)), 0


ADD = define("add", "(Tensor a, Tensor b) -> Tensor", compute_add, fake_add, save=save_addends, backward=gradient_of_add,
             vmap=batched_add)


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
        a + b.

    Raises
    ------
    TypeError, ValueError
        As of `sum`; integers.
    RuntimeError
        Shapes that do not broadcast.

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
    return ADD(a, b)
