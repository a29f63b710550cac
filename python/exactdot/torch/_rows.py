"""The public functions of rows by an index: index_add, scatter_add, segment_reduce, embedding, embedding_bag.

They reduce to the operators of _row_operators.py, so their gradients are exact sums wherever a sum is.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from exactdot.torch._operators import DISPATCHER, FLOATS, check_tensors, has_transforms, is_compiling, normal_dims, route_of
from exactdot.torch._row_operators import EMBEDDING, GROUP_DOT, GROUP_MEAN, GROUP_SUM, INDEX_ADD, KEYS, SEGMENT_EXTREMUM, out_of_range


def check_index(caller: str, name: str, index: Tensor) -> None:
    if index.dtype not in KEYS:
        raise TypeError(f"{caller}: {name} is of {index.dtype}; use int64 or int32")


def _check_same_type(caller: str, x: Tensor, name: str, source: Tensor) -> None:
    if source.dtype is not x.dtype:
        raise TypeError(f"{caller}: {name} is of {source.dtype}, x of {x.dtype}; convert one of them")
    if x.dtype is torch.bool or not (x.dtype in FLOATS or x.dtype in (torch.int64, torch.uint64)):
        raise TypeError(f"{caller}: x is of {x.dtype}; use floating-point numbers, int64 or uint64")


def _one_dim(caller: str, dim: int, ndim: int) -> int:
    if type(dim) is int and -ndim <= dim < ndim:
        return dim % ndim
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise TypeError(f"{caller}: dim is {dim!r}; use an integer")
    return (normal_dims(caller, dim, ndim) or [0])[0]


def _factor(caller: str, alpha: float, dtype: torch.dtype) -> float:
    """Of floats a float, of integers an int, in the range of the type."""
    is_float = dtype in FLOATS
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float) if is_float else int):
        raise TypeError(f"{caller}: alpha is {alpha!r}, source of {dtype}; use " + ("a number" if is_float else "an integer"))
    limits = torch.finfo(dtype) if is_float else torch.iinfo(dtype)
    if (alpha < limits.min or alpha > limits.max) and alpha not in (math.inf, -math.inf):
        raise ValueError(f"{caller}: alpha is {alpha!r}, which is out of range of {dtype}")
    return float(alpha) if is_float else alpha


def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """Adds slices of source to those of x that index names: torch.index_add, each element rounded once.

    Parameters
    ----------
    x, source : Tensor
        Of one type, floats, int64 or uint64, and of one shape but along dim, where source has as many slices as index has elements.
    dim : int
        The dimension that is indexed.
    index : Tensor
        Of int64 or int32: places along dim, in any order.
    alpha : float
        A factor of source; products are exact. It is rounded to the type of source first, of which it must be in range; of integers
        it is an integer.

    Returns
    -------
    Tensor
        A new tensor: the old value of an element and all that is added to it are one exact sum. Gradients: g of x, of source the
        slices of g, times alpha.

    Raises
    ------
    TypeError, ValueError
        As of `sum`; tensors of two types or of shapes that do not fit; an index out of range, of CPU tensors: of CUDA tensors
        `check` raises it.
    IndexError
        A dim out of range.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.index_add(torch.zeros(2), 0, torch.tensor([1, 0, 1, 1]), torch.tensor([1e30, 5.0, 1.0, -1e30]))
    tensor([5., 1.])
    """
    check_tensors("index_add", x=x, index=index, source=source)
    check_index("index_add", "index", index)
    _check_same_type("index_add", x, "source", source)
    dim = _one_dim("index_add", dim, x.ndim)
    alpha = _factor("index_add", alpha, x.dtype)
    if x.ndim == 0:
        return index_add(x.reshape(1), 0, index.reshape(-1), source.reshape(-1), alpha=alpha).reshape(())
    expected = [index.numel() if i == dim else n for i, n in enumerate(x.shape)]
    if index.ndim > 1 or list(source.shape) != expected:
        raise ValueError(f"index_add: source has shape {tuple(source.shape)}, index {tuple(index.shape)}; expected {tuple(expected)} "
                         "and a vector")
    return INDEX_ADD(x, dim, index.reshape(-1), source, alpha)


def scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Adds elements of source to those of x that index names along dim: torch.scatter_add, each element rounded once.

    Parameters
    ----------
    x, source : Tensor
        Of one type, floats, int64 or uint64, and of one number of dimensions.
    dim : int
        The dimension along which index names places.
    index : Tensor
        Of int64, no longer than source in any dimension, nor than x in others than dim.

    Returns
    -------
    Tensor
        A new tensor, as of `index_add`. Gradients: g of x, of source the elements of g that index names.

    Raises
    ------
    TypeError, ValueError, IndexError
        As of `index_add`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> index = torch.tensor([[0, 1, 0], [1, 1, 0]])
    >>> xt.scatter_add(torch.zeros(2, 2), 1, index, torch.tensor([[1e30, 2.0, -1e30], [1.0, 2.0, 3.0]]))
    tensor([[0., 2.],
            [3., 3.]])
    """
    check_tensors("scatter_add", x=x, index=index, source=source)
    if index.dtype is not torch.int64:
        raise TypeError(f"scatter_add: index is of {index.dtype}; use int64")
    _check_same_type("scatter_add", x, "source", source)
    dim = _one_dim("scatter_add", dim, x.ndim)
    dims = {max(y.ndim, 1) for y in (x, index, source)}  # one of no dimension counts as a vector of one element
    if len(dims) == 1 and 0 in (x.ndim, index.ndim, source.ndim):
        return scatter_add(x.reshape(-1), 0, index.reshape(-1), source.reshape(-1)).reshape(x.shape)
    if len(dims) > 1:
        raise ValueError(f"scatter_add: x, index and source have {x.ndim}, {index.ndim} and {source.ndim} dimensions")
    if any(n > m or (i != dim and n > k) for i, (n, m, k) in enumerate(zip(index.shape, source.shape, x.shape))):
        raise ValueError(f"scatter_add: index has shape {tuple(index.shape)}, source {tuple(source.shape)}, x {tuple(x.shape)}; index "
                         f"must not be longer, x along dim {dim} excepted")
    used = source if index.shape == source.shape else source[tuple(slice(0, n) for n in index.shape)]
    rows = index_of_rows(x, dim, index)
    if rows is not None:
        return INDEX_ADD(x, dim, rows, used, 1.0)
    try:
        return INDEX_ADD(x.flatten(), 0, flat_places(x, dim, index), used.flatten(), 1.0).reshape(x.shape)
    except ValueError as refused:
        raise refused if has_transforms() else out_of_range(index, x.shape[dim]) or refused from None


def index_of_rows(x: Tensor, dim: int, index: Tensor) -> Tensor | None:
    """One index for each slice along dim, if `index` is a vector that was expanded to the slices of x."""
    if is_compiling() or route_of(index) == DISPATCHER or not index.numel():  # a graph is of any index
        return None
    for i, (n, step) in enumerate(zip(index.shape, index.stride())):
        if i != dim and (n != x.shape[i] or (step != 0 and n != 1)):
            return None
    return index[tuple(slice(None) if i == dim else 0 for i in range(index.ndim))]


def flat_places(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Places in x as a vector; -1, which is refused, of an index that is out of range along dim."""
    steps = [math.prod(x.shape[i + 1:]) for i in range(x.ndim)]
    places = index * steps[dim]
    for i, step in enumerate(steps):
        if i != dim and index.shape[i] != 1:
            along = torch.arange(index.shape[i], device=index.device) * step
            places = places + along.reshape([-1 if k == i else 1 for k in range(x.ndim)])
    return places.where((index >= 0) & (index < x.shape[dim]), -1).flatten()


def _keys_of_lengths(caller: str, data: Tensor, lengths: Tensor | None, offsets: Tensor | None) -> tuple[Tensor, int]:
    """The segment of each row, and the number of segments."""
    if (lengths is None) == (offsets is None):
        raise TypeError(f"{caller}: pass lengths or offsets, and not both")
    name, given = ("lengths", lengths) if lengths is not None else ("offsets", offsets)
    check_tensors(caller, data=data, **{name: given})
    assert given is not None
    check_index(caller, name, given)
    if given.ndim != 1:
        raise ValueError(f"{caller}: {name} has {given.ndim} dimensions; use a vector, for segments along dimension 0")
    each = given if offsets is None else given.diff()
    if given.is_cpu and type(given) is Tensor and not torch.compiler.is_compiling():
        total, begins = (int(each.sum()), 0) if offsets is None else (int(given[-1]), int(given[0])) if given.numel() else (-1, 0)
        if bool((each < 0).any()) or begins != 0 or total != data.shape[0]:
            raise ValueError(f"{caller}: {name} do not divide the {data.shape[0]} rows of data")
    places = torch.arange(each.shape[0], device=each.device)
    return torch.repeat_interleave(places, each, output_size=data.shape[0]), each.shape[0]


def segment_reduce(data: Tensor, reduce: str, *, lengths: Tensor | None = None, offsets: Tensor | None = None,
                   initial: float | None = None) -> Tensor:
    """Reduces segments of rows that follow each other: torch.segment_reduce along dimension 0, each result rounded once.

    Parameters
    ----------
    data : Tensor
        Floats, of shape (n, …).
    reduce : {'sum', 'mean', 'max', 'min'}
    lengths, offsets : Tensor
        One of them, a vector of int64 or int32: lengths whose sum is n, or one offset more than segments, from 0 to n.
    initial : float, optional
        The result of an empty segment. Default: 0, NaN, -inf and inf. Unlike in PyTorch it is part of no other segment.

    Returns
    -------
    Tensor
        Of shape (segments, …). Gradient: g of each element of a segment, of means over its length; of extrema shared by the equal
        ones.

    Raises
    ------
    TypeError
        As of `sum`; lengths and offsets, or neither; integers as data.
    ValueError
        An unknown reduction; segments that do not divide the rows, of CPU tensors.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.segment_reduce(torch.tensor([1e30, 1.0, -1e30, 2.0]), "sum", lengths=torch.tensor([3, 0, 1]))
    tensor([1., 0., 2.])
    """
    if reduce not in ("sum", "mean", "max", "min"):
        raise ValueError(f"segment_reduce: reduce is {reduce!r}; use 'sum', 'mean', 'max' or 'min'")
    check_tensors("segment_reduce", data=data)
    if data.dtype not in FLOATS or data.ndim == 0:
        raise TypeError(f"segment_reduce: data is of {data.dtype} and {data.ndim} dimensions; use floats of one or more")
    keys, count = _keys_of_lengths("segment_reduce", data, lengths, offsets)
    empty = {"sum": 0.0, "mean": math.nan, "max": -math.inf, "min": math.inf}[reduce]
    if reduce in ("max", "min"):
        result = SEGMENT_EXTREMUM(data, keys, count, reduce == "max")
    else:
        result = (GROUP_SUM if reduce == "sum" else GROUP_MEAN)(data, keys, count, False, data.dtype)
    if initial is None or initial == empty:
        return result
    sizes = GROUP_SUM(torch.ones_like(keys), keys, count, False, torch.int64)
    return result.masked_fill((sizes == 0).reshape(sizes.shape + (1,) * (data.ndim - 1)), initial)


def _padding(caller: str, padding_idx: int | None, count: int) -> int:
    if padding_idx is None:
        return -1
    if not isinstance(padding_idx, int) or isinstance(padding_idx, bool):
        raise TypeError(f"{caller}: padding_idx is {padding_idx!r}; use an integer")
    if not -count <= padding_idx < count:
        raise ValueError(f"{caller}: padding_idx is {padding_idx}, of {count} rows")
    return padding_idx % count


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Looks up rows of a table; its gradient is the exact sum of each row's: torch.nn.functional.embedding.

    Parameters
    ----------
    input : Tensor
        Of int64 or int32, of any shape: rows of weight.
    weight : Tensor
        Floats, of shape (rows, …).
    padding_idx : int, optional
        A row that gets no gradient.

    Returns
    -------
    Tensor
        Of the shape of input and then of a row. Gradient of weight: of each row the sum of all gradients of its places, rounded
        once, however often and in whatever order it is named.

    Raises
    ------
    TypeError, ValueError
        As of `sum`; a padding_idx out of range.
    IndexError
        An index out of range, of CPU tensors.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> weight = torch.ones(2, 1, requires_grad=True)
    >>> xt.embedding(torch.tensor([1, 1, 1]), weight).backward(torch.tensor([[1e30], [1.0], [-1e30]]))
    >>> weight.grad
    tensor([[0.],
            [1.]])
    """
    check_tensors("embedding", input=input, weight=weight)
    check_index("embedding", "input", input)
    if weight.ndim == 0:
        raise ValueError("embedding: weight has no dimension; use a table of rows")
    return EMBEDDING(weight, input, _padding("embedding", padding_idx, weight.shape[0]))


def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, *, mode: str = "mean",
                  per_sample_weights: Tensor | None = None, include_last_offset: bool = False) -> Tensor:
    """Sums or averages rows of a table for each bag of indices: torch.nn.functional.embedding_bag, each element rounded once.

    Parameters
    ----------
    input : Tensor
        Of int64 or int32: a matrix of one bag a row, or a vector with offsets.
    weight : Tensor
        Floats, of shape (rows, features).
    offsets : Tensor, optional
        Where bags begin in a vector; the last one ends with it.
    mode : {'mean', 'sum'}
        'max' is PyTorch's own, which has no sums.
    per_sample_weights : Tensor, optional
        A factor of each index, for 'sum'; products are exact.
    include_last_offset : bool
        Whether offsets have the end of the last bag too.

    Returns
    -------
    Tensor
        Of shape (bags, features); 0 for an empty bag. Gradients as of `embedding`; of per_sample_weights exact dot products. Those
        of means add g/n, each rounded.

    Raises
    ------
    TypeError, ValueError, IndexError
        As of `embedding` and `segment_reduce`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> weight = torch.tensor([[1e30], [1.0], [-1e30]])
    >>> xt.embedding_bag(torch.tensor([[0, 1, 2], [1, 1, 1]]), weight, mode="sum")
    tensor([[1.],
            [3.]])
    """
    given = {"offsets": offsets, "per_sample_weights": per_sample_weights}
    check_tensors("embedding_bag", input=input, weight=weight, **{name: x for name, x in given.items() if x is not None})
    check_index("embedding_bag", "input", input)
    if weight.ndim != 2:
        raise ValueError(f"embedding_bag: weight has {weight.ndim} dimensions; use a matrix, of a row for each index")
    if offsets is not None and offsets.ndim != 1:
        raise ValueError(f"embedding_bag: offsets have {offsets.ndim} dimensions; use a vector")
    if per_sample_weights is not None and per_sample_weights.dtype not in FLOATS:
        raise TypeError(f"embedding_bag: per_sample_weights are of {per_sample_weights.dtype}; use floating-point numbers")
    if mode not in ("mean", "sum"):
        raise ValueError(f"embedding_bag: mode is {mode!r}; use 'mean' or 'sum'")
    if per_sample_weights is not None and (mode != "sum" or per_sample_weights.shape != input.shape):
        raise ValueError("embedding_bag: per_sample_weights are for mode 'sum', and of the shape of input")
    if (input.ndim == 1) != (offsets is not None) or input.ndim not in (1, 2):
        raise ValueError("embedding_bag: pass a matrix of bags, or a vector and offsets")
    flat = input.reshape(-1)
    if offsets is None:
        count = input.shape[0]
        bags = torch.arange(count, device=input.device).unsqueeze(1).expand(input.shape).reshape(-1)
    else:
        check_index("embedding_bag", "offsets", offsets)
        ends = offsets if include_last_offset else torch.cat([offsets, offsets.new_full((1,), flat.shape[0])])
        bags, count = _keys_of_lengths("embedding_bag", flat, None, ends)
    rows = EMBEDDING(weight, flat, -1)
    if per_sample_weights is not None:
        return GROUP_DOT(rows, per_sample_weights.reshape(-1), bags, count, False, weight.dtype)
    if mode == "sum":
        return GROUP_SUM(rows, bags, count, False, weight.dtype)
    sizes = GROUP_SUM(torch.ones_like(bags), bags, count, False, torch.int64)
    return GROUP_MEAN(rows, bags, count, False, weight.dtype).masked_fill((sizes == 0).unsqueeze(1), 0)
