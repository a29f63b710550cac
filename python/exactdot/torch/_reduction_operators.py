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
from exactdot import _engine
from exactdot.torch._operators import (FLOATS, array, autocast_dtype, check_tensors, define, is_compiling, normal_dims, quotient,
                                       reduced_shape, wide_of)


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
    gives_elements: bool = False


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


def over_result(x: Tensor, of: Call, wide: torch.dtype) -> Tensor:
    """x/result, 0 where the result is 0: of the size of 1, where g/result overflows if the result is small."""
    is_zero = of.result == 0
    return (x / of.result.to(wide).masked_fill(is_zero, 1)).masked_fill(is_zero, 0)


def gradient_of_std(g: Tensor, of: Call) -> Tensor:
    """(x − m)/result · g/(n − correction)"""
    wide = wide_of(torch.promote_types(wide_of(of.x.dtype), of.result.dtype))
    divisor = of.count - of.correction
    deviations = of.x.to(wide) - OPERATORS["mean"](of.x, of.dims, True, wide)
    return over_result(deviations, of, wide) * (g.to(wide) * (1 / divisor if divisor > 0 else math.nan))


def gradient_of_norm(g: Tensor, of: Call) -> Tensor:
    wide = wide_of(torch.promote_types(wide_of(of.x.dtype), of.result.dtype))
    return over_result(of.x.to(wide), of, wide) * g.to(wide)


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
    "amax": Reduction(xd.max, gradient_of_extremum, gives_elements=True),
    "amin": Reduction(xd.min, gradient_of_extremum, gives_elements=True),
}
OPERATORS: dict[str, Callable[..., Tensor]] = {}
_ENGINE_NAMES = {name: row.compute.__name__ for name, row in TABLE.items()}
reduce_plain_tensors: Any = _engine._reduce_plain_tensors  # type: ignore[attr-defined]


def register(name: str, row: Reduction) -> None:
    engine_name = _ENGINE_NAMES[name]

    def compute(x: Tensor, dim: list[int], keepdim: bool, dtype: torch.dtype, *extra: Any) -> Tensor:
        if dim:
            named_dtype = None if row.gives_elements else dtype
            found = reduce_in_engine(name, engine_name, x, None, dim, keepdim, extra[0] if extra else None, named_dtype)
            if found is not None:
                return found
        options: dict[str, Any] = {"ddof": extra[0]} if extra else {}
        result = x.new_empty(reduced_shape(x.shape, dim, keepdim), dtype=dtype)
        if x.ndim and (keepdim or len(dim) != x.ndim):
            options |= {"axis": tuple(dim), "keepdims": keepdim}
        row.compute(array(x if x.ndim else x.reshape(1)), out=result, **options)
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
            for d in () if ctx.keepdim or not y.ndim else ctx.of.dims:  # one number broadcasts as it is
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


def reduce_in_engine(caller: str, engine_name: str, x: Tensor, y: Tensor | None, dim: Any, keepdim: bool = False,
                     correction: float | None = None, dtype: torch.dtype | None = None, out: Tensor | None = None) -> Any:
    """The result of one compiled call, for plain tensors; otherwise None, before anything is done."""
    if is_compiling():
        return None
    try:
        return reduce_plain_tensors(engine_name, x, y, dim, keepdim, correction, dtype, out)
    except ValueError as refused:
        raise named(refused, engine_name, caller) from None
    except OverflowError as refused:
        raise OverflowError(str(refused).replace(f"{engine_name}: ", f"{caller}: ", 1)) from None


def named(refused: ValueError, engine_name: str, caller: str) -> ValueError:
    """The engine's error with the name of the function that was called."""
    return ValueError(str(refused).replace(f"{engine_name}: ", f"{caller}: ", 1))


def reduce(caller: str, name: str, x: Tensor, dim: Any, keepdim: bool, dtype: torch.dtype | None, out: Tensor | None,
           *extra: Any) -> Tensor:
    """What the public functions share: arguments checked, dims made canonical, the operator called; of plain tensors in the engine."""
    result = reduce_in_engine(caller, _ENGINE_NAMES[name], x, None, dim, keepdim, extra[0] if extra else None, dtype, out)
    if result is not None:
        return result
    check_tensors(caller, x=x)
    if not isinstance(keepdim, bool):
        raise TypeError(f"{caller}: keepdim is {keepdim!r}; use True or False")
    kind = x.dtype if TABLE[name].gives_elements else result_dtype(caller, x, dtype)
    dims = normal_dims(caller, dim, x.ndim)
    try:
        result = OPERATORS[name](x, dims, keepdim, kind, *extra)
    except ValueError as refused:
        raise named(refused, _ENGINE_NAMES[name], caller) from None
    return stored(caller, result, out)


def rounded_once(name: str, x: Tensor, dtype: torch.dtype) -> Tensor:
    """Sums of one element each, which PyTorch's conversions to 16 bits round twice."""
    return OPERATORS[name](x.unsqueeze(-1), [x.ndim], False, dtype)


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
