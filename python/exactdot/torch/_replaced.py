"""What `deterministic` puts in the place of PyTorch's operators: a function for each overload of aten that holds a sum.

A function returns NotImplemented for arguments that it does not take, such as dims out of range or shapes that do not fit: PyTorch's
own operator runs then, which computes or raises its own error, and the report names it. `fit` asks what is the same for all.
They are called below autograd, whose formulas stay PyTorch's: sums in gradients are operators of aten again, and replaced, too.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch import Tensor

import exactdot as xd
from exactdot.torch._rows import flat_places, index_of_rows
from exactdot.torch._operators import array, wide_of
from exactdot.torch._product_operators import MV, VECDOT
from exactdot.torch._reduction_operators import OPERATORS
from exactdot.torch._row_operators import GROUP_MEAN, GROUP_SUM, KEYS, add_rows

aten = torch.ops.aten
REPLACED: dict[Any, Callable[..., Any]] = {}
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)  # whose sums PyTorch has


def replaces(*overloads: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        REPLACED.update(dict.fromkeys(overloads, function))
        return function
    return note


def fit(func: Any, args: Any) -> bool:
    """All tensors are strided and of one device, a CPU or a GPU; PyTorch takes indices of the CPU for a tensor of a GPU, too."""
    devices = set()
    for each in args:
        for x in each if isinstance(each, (list, tuple)) else (each,):
            if isinstance(x, Tensor):
                if x.layout is not torch.strided or x.device.type not in ("cpu", "cuda"):
                    return False
                devices.add(x.device)
    return len(devices) < 2 or (func in _INDEXED and args[0].is_cuda and len(devices) == 2 and torch.device("cpu") in devices)


def _all_dims(x: Tensor, dim: Any) -> list[int] | None:
    if dim is None or len(dim) == 0:
        return list(range(x.ndim))
    n = max(x.ndim, 1)
    dims = sorted({d % n for d in dim if -n <= d < n})
    return None if len(dims) != len(dim) else dims if x.ndim else []


def _reduce(name: str, x: Tensor, dim: Any, keepdim: bool, dtype: Any, *extra: Any) -> Any:
    dims = _all_dims(x, dim)
    if dims is None or x.dtype not in FLOATS or (dtype is not None and dtype not in FLOATS):
        return NotImplemented
    return OPERATORS[name](x, dims, keepdim, dtype or x.dtype, *extra)


@replaces(aten.sum.default, aten.sum.dim_IntList)
def exact_sum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return _reduce("sum", x, dim, keepdim, dtype)


@replaces(aten.mean.default, aten.mean.dim)
def exact_mean(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return _reduce("mean", x, dim, keepdim, dtype)


@replaces(aten.var.correction)
def exact_var(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    return _reduce("var", x, dim, keepdim, None, 1.0 if correction is None else float(correction))


@replaces(aten.std.correction)
def exact_std(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    return _reduce("std", x, dim, keepdim, None, 1.0 if correction is None else float(correction))


@replaces(aten.var_mean.correction)
def exact_var_mean(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    found = exact_var(x, dim, correction=correction, keepdim=keepdim)
    return found if found is NotImplemented else (found, exact_mean(x, dim, keepdim))


@replaces(aten.std_mean.correction)
def exact_std_mean(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    found = exact_std(x, dim, correction=correction, keepdim=keepdim)
    return found if found is NotImplemented else (found, exact_mean(x, dim, keepdim))


@replaces(aten.linalg_vector_norm.default, aten.norm.Scalar, aten.norm.ScalarOpt_dim)
def exact_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    name = {1: "asum", 2: "norm", None: "norm"}.get(ord)
    narrows = dtype is not None and torch.promote_types(x.dtype, dtype) is not dtype
    return NotImplemented if name is None or narrows else _reduce(name, x, dim, keepdim, dtype)


@replaces(aten._foreach_norm.Scalar)
def exact_norms(tensors: list[Tensor], ord: Any = 2, dtype: Any = None) -> Any:
    kinds = {(x.dtype, x.device) for x in tensors}
    if len(kinds) != 1 or ord not in (1, 2) or tensors[0].dtype not in FLOATS or (dtype is not None and (
            dtype not in FLOATS or torch.promote_types(tensors[0].dtype, dtype) is not dtype)):
        return NotImplemented
    out = tensors[0].new_empty(len(tensors), dtype=dtype or tensors[0].dtype)
    (xd.list_norm if ord == 2 else xd.list_asum)([array(x) for x in tensors], out=out)
    return [each.clone() for each in out.unbind()]


@replaces(aten.dot.default)
def exact_dot(a: Tensor, b: Tensor) -> Any:
    takes = a.dtype in FLOATS and a.dtype is b.dtype and a.ndim == 1 and a.shape == b.shape
    return VECDOT(a, b, -1, a.dtype) if takes else NotImplemented


@replaces(aten.mv.default)
def exact_mv(a: Tensor, x: Tensor) -> Any:
    takes = a.dtype in FLOATS and a.dtype is x.dtype and a.ndim == 2 and x.ndim == 1 and a.shape[1] == x.shape[0]
    return MV(a, x, a.dtype) if takes else NotImplemented


def _range(x: Tensor) -> tuple[int, int]:
    begin = x.data_ptr()
    return begin, begin + x.element_size() * (1 + sum((n - 1) * step for n, step in zip(x.shape, x.stride())))


def _overlap(x: Tensor, source: Tensor) -> bool:
    """Elements that are written lie, or may lie, in one place with others."""
    if any(step == 0 and n > 1 for n, step in zip(x.shape, x.stride())):
        return True
    (begin, end), (first, last) = _range(x), _range(source)
    return x.numel() > 0 and source.numel() > 0 and begin < last and first < end


def _may_add(x: Tensor, dim: int, index: Tensor, source: Tensor, in_place: bool) -> bool:
    return (x.dtype in FLOATS and source.dtype is x.dtype and index.dtype in KEYS and -x.ndim <= dim < x.ndim
            and not (in_place and _overlap(x, source)))


def _has_added(table: Tensor, dim: int, keys: Tensor, rows: Tensor, alpha: float = 1.0) -> bool:
    try:
        add_rows(table, dim, keys, rows, alpha)
    except ValueError:  # an index out of range, before anything is added: PyTorch's own error names it
        return False
    return True


def _added(x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any = 1, *, in_place: bool) -> Any:
    if not _may_add(x, dim, index, source, in_place):
        return NotImplemented
    shape = [*x.shape]
    shape[dim] = index.numel()
    if index.ndim > 1 or list(source.shape) != shape:
        return NotImplemented
    table = x if in_place else x.clone(memory_format=torch.contiguous_format)
    return table if _has_added(table, dim % x.ndim, index.reshape(-1), source, float(alpha)) else NotImplemented


@replaces(aten.index_add.default)
def exact_index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    return _added(x, dim, index, source, alpha, in_place=False)


@replaces(aten.index_add_.default)
def exact_index_add_(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    return _added(x, dim, index, source, alpha, in_place=True)


def _scattered(x: Tensor, dim: int, index: Tensor, source: Tensor, in_place: bool) -> Any:
    if not _may_add(x, dim, index, source, in_place) or not x.ndim == index.ndim == source.ndim:
        return NotImplemented
    longest = [*x.shape]
    longest[dim] = index.shape[dim]
    if any(n > rows or n > given for n, rows, given in zip(index.shape, longest, source.shape)):
        return NotImplemented
    used, dim = source[tuple(slice(0, n) for n in index.shape)], dim % x.ndim
    rows = index_of_rows(x, dim, index)
    result = x if in_place and x.is_contiguous() else x.clone(memory_format=torch.contiguous_format)
    if not (_has_added(result.view(-1), 0, flat_places(x, dim, index), used.reshape(-1)) if rows is None
            else _has_added(result, dim, rows, used)):
        return NotImplemented
    return x.copy_(result) if in_place and result is not x else result


@replaces(aten.scatter_add.default)
def exact_scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:
    return _scattered(x, dim, index, source, False)


@replaces(aten.scatter_add_.default)
def exact_scatter_add_(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:
    return _scattered(x, dim, index, source, True)


def _put(x: Tensor, indices: list[Tensor | None], values: Tensor, accumulate: bool, in_place: bool) -> Any:
    """x[indices] += values, of integer indices of neighbouring dims; that is the gradient of indexing."""
    at = [i for i, index in enumerate(indices) if index is not None]
    if not accumulate or not at or at != list(range(at[0], at[-1] + 1)) or (values.ndim and values.device != x.device):
        return NotImplemented
    values = values.to(x.device)  # PyTorch takes a number in host memory, and indices
    given = [indices[i].to(x.device) for i in at]
    if not all(_may_add(x, at[-1], index, values, in_place) for index in given):
        return NotImplemented
    lengths, first = [x.shape[i] for i in at], at[0]
    try:
        shape = torch.broadcast_shapes(*(index.shape for index in given))
        whole = (*x.shape[:first], *shape, *x.shape[at[-1] + 1:])
        if torch.broadcast_shapes(whole, values.shape) != whole:
            return NotImplemented
    except RuntimeError:
        return NotImplemented
    given = torch.broadcast_tensors(*given)
    place = torch.zeros_like(given[0], dtype=torch.int64)
    for index, n in zip(given, lengths):
        place = place * n + index.where(index >= 0, index + n).where((index >= -n) & (index < n), -x.numel() - 1)
    result = x if in_place and x.is_contiguous() else x.clone(memory_format=torch.contiguous_format)
    before, after = x.shape[:first], x.shape[at[-1] + 1:]
    rows = values.expand(*before, *given[0].shape, *after).reshape(*before, place.numel(), *after)
    if not _has_added(result.view(*before, math.prod(lengths), *after), first, place.reshape(-1), rows):
        return NotImplemented
    return x.copy_(result) if in_place and result is not x else result


@replaces(aten.index_put.default)
def exact_index_put(x: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Any:
    return _put(x, list(indices), values, accumulate, False)


@replaces(aten.index_put_.default, aten._index_put_impl_.default)
def exact_index_put_(x: Tensor, indices: Any, values: Tensor, accumulate: bool = False, unsafe: bool = False) -> Any:
    return _put(x, list(indices), values, accumulate, True)


@replaces(aten.embedding_dense_backward.default)
def exact_embedding_gradient(g: Tensor, keys: Tensor, count: int, padding: int, scale_grad_by_freq: bool) -> Any:
    if scale_grad_by_freq or g.dtype not in FLOATS or keys.dtype not in KEYS or g.ndim <= keys.ndim or g.shape[:keys.ndim] != keys.shape:
        return NotImplemented
    flat = keys.reshape(-1)
    flat = flat.where(flat != padding, -1) if padding >= 0 else flat
    return GROUP_SUM(g.reshape(flat.shape[0], *g.shape[keys.ndim:]), flat, count, padding >= 0, g.dtype)


@replaces(aten.mse_loss.default)
def exact_mse_loss(x: Tensor, target: Tensor, reduction: int = 1) -> Any:
    if reduction not in (1, 2) or x.dtype not in FLOATS or x.dtype is not target.dtype:
        return NotImplemented
    wide = wide_of(x.dtype)
    difference = x.to(wide) - target.to(wide)
    squares = difference * difference
    return OPERATORS["mean" if reduction == 1 else "sum"](squares, list(range(squares.ndim)), False, x.dtype)


@replaces(aten.nll_loss_forward.default)
def exact_nll_loss(x: Tensor, target: Tensor, weight: Any, reduction: int, ignore_index: int) -> Any:
    if weight is not None or reduction not in (1, 2) or x.dtype not in FLOATS or x.ndim != 2 or target.shape != x.shape[:1]:
        return NotImplemented
    if target.dtype not in (torch.int64, torch.uint8):
        return NotImplemented
    target = target.long()
    counted = target != ignore_index
    try:
        each = -x.gather(1, target.where(counted, 0).unsqueeze(1)).squeeze(1)
    except RuntimeError:  # a class out of range
        return NotImplemented
    keys = torch.where(counted, 0, -1)
    loss = (GROUP_MEAN if reduction == 1 else GROUP_SUM)(each, keys, 1, True, x.dtype).squeeze(0)
    return loss, counted.sum().to(x.dtype)


_INDEXED = (aten.index_put.default, aten.index_put_.default, aten._index_put_impl_.default)
