"""How a function becomes an operator of PyTorch: a row for each, registered in one place.

An operator has canonical arguments: dims that are not negative, and the dtype of its result. The public functions read what users
write and call it. Below the dispatcher it sees plain tensors, which the engine reads in place, on a GPU ordered by PyTorch's
current stream. So autograd, torch.compile, vmap and CUDA graphs see one node whose shape is known. Registered in Python by
torch.library: the extension depends on no version of PyTorch.
Cost of a call: the dispatcher and its Python kernels take some ten times as long as a short sum. A call of plain tensors outside
of compilers, modes and transforms goes to the engine at once, with a gradient by one autograd.Function, which torch.func takes too
(it does not take the gradients that torch.library registers).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import torch
from torch import Tensor

from exactdot import _engine

LIBRARY = torch.library.Library("exactdot", "DEF")
INTEGERS = frozenset({torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64})
FLOATS_OF_8_BITS = frozenset({torch.float8_e4m3fn, torch.float8_e5m2})
FLOATS = FLOATS_OF_8_BITS | {torch.float64, torch.float32, torch.float16, torch.bfloat16}
ELEMENTS = FLOATS | INTEGERS | {torch.bool}


def define(name: str, schema: str, compute: Callable[..., Any], fake: Callable[..., Any], *,
           save: Callable[..., None] | None = None, backward: Callable[..., Any] | None = None,
           vmap: Callable[..., Any] | None = None) -> Callable[..., Tensor]:
    """Registers exactdot::name and returns a function that calls it the shortest way. `save` and `backward` are those of
    torch.library.register_autograd, `vmap` that of torch.library.register_vmap; without `backward` there is no gradient."""
    LIBRARY.define(name + schema, tags=(torch.Tag.pt2_compliant_tag,))
    for key in ("CPU", "CUDA"):
        LIBRARY.impl(name, compute, key)
    qualified = f"exactdot::{name}"
    torch.library.register_fake(qualified, fake, lib=LIBRARY)
    if backward is not None:
        torch.library.register_autograd(qualified, backward, setup_context=save, lib=LIBRARY)
    if vmap is not None:
        torch.library.register_vmap(qualified, vmap, lib=LIBRARY)
    overload = getattr(torch.ops.exactdot, name).default

    def below(*arguments: Any) -> Any:
        return compute(*arguments) if route_of(*arguments) != DISPATCHER else overload(*arguments)

    def call(*arguments: Any) -> Tensor:
        if is_compiling():
            return overload(*arguments)
        route = route_of(*arguments)
        if route == ENGINE:
            return compute(*arguments)
        if backward is not None and route == GRADIENT:
            return eager.apply(*arguments)
        return transformed.apply(*arguments) if backward is not None and has_transforms() else below(*arguments)

    if backward is not None:
        eager, transformed = functions_of(name, compute, below, save, backward, vmap)
    return call


def functions_of(name: str, compute: Callable[..., Any], below: Callable[..., Any], save: Any, backward: Any, vmap: Any) -> tuple[Any, Any]:
    """The operator as autograd.Function, and as torch.func wants one: there PyTorch reads the signature at each call, for tens of
    microseconds."""
    def forward(ctx: Any, *arguments: Any) -> Any:
        result = compute(*arguments)
        save(ctx, arguments, result)
        return result

    common = {"backward": staticmethod(backward)}
    name = f"exactdot_{name}"
    eager = type(name, (torch.autograd.Function,), common | {"forward": staticmethod(forward)})
    transformed = type(name, (torch.autograd.Function,), common | {
        "forward": staticmethod(below), "setup_context": staticmethod(save), "vmap": staticmethod(vmap)})
    return eager, transformed


ENGINE, GRADIENT, DISPATCHER = range(3)
# Of the arguments of an operator: DISPATCHER if a mode, a tracer, a transform or a subclass of tensors watches the call,
# GRADIENT if autograd alone does, or forward derivatives, whose refusal names what is missing
route_of: Any = _engine._route  # type: ignore[attr-defined]
is_compiling = torch.compiler.is_compiling
has_transforms = torch._C._are_functorch_transforms_active


def array(x: Tensor) -> Tensor:
    """What the engine reads in place of a tensor, or writes to: itself, if no gradient and no sign belong to it and it has memory."""
    if x.requires_grad:
        x = x.detach()
    return x.clone() if x._is_zerotensor() else x.resolve_neg()


def check_tensors(caller: str, **tensors: Any) -> None:
    """Tensors of element types, on one device. Raises TypeError and ValueError that name the argument."""
    device, is_one = None, True
    for name, x in tensors.items():
        if type(x) is not Tensor and not isinstance(x, Tensor):
            raise TypeError(f"{caller}: {name} is a {type(x).__name__}; use a tensor")
        if x.dtype not in ELEMENTS:
            raise TypeError(f"{caller}: {name} is of {x.dtype}, which has no exact sums; use a floating-point or integer type")
        if device is None:
            device = x.device
        elif x.device != device:
            is_one = False
    if not is_one:
        places = ", ".join(f"{name} on {x.device}" for name, x in tensors.items())
        raise ValueError(f"{caller}: tensors on two devices: {places}")


def normal_dims(caller: str, dim: Any, ndim: int) -> list[int]:
    """The dims that are reduced, ascending; None and an empty sequence are all, as in PyTorch.
    Raises IndexError for one out of range, ValueError for one that appears twice, TypeError for what is no dim."""
    if dim is None or (not isinstance(dim, (int, str, bytes)) and isinstance(dim, Sequence) and len(dim) == 0):
        return list(range(ndim))
    given = [dim] if isinstance(dim, int) else dim
    is_sequence = isinstance(given, Sequence) and not isinstance(given, (str, bytes))
    if not is_sequence or not all(isinstance(each, int) and not isinstance(each, bool) for each in given):
        raise TypeError(f"{caller}: dim is {dim!r}; use an integer, a tuple of integers, or None")
    limit = max(ndim, 1)
    for each in given:
        if not -limit <= each < limit:
            raise IndexError(f"{caller}: dim {each} of a tensor of {ndim} dimensions; expected {-limit} to {limit - 1}")
    dims = sorted({each % limit for each in given})
    if len(dims) != len(given):
        raise ValueError(f"{caller}: dim is {tuple(given)}, which names a dimension twice")
    return dims if ndim else []


def wide_of(dtype: torch.dtype) -> torch.dtype:
    """In which PyTorch computes elements of a floating-point type."""
    return torch.float64 if dtype is torch.float64 else torch.float32


def quotient(g: Tensor, count: Any) -> Tensor:
    """g over a number of elements, rounded once in wide_of(g.dtype), which it has. By tensors: over a number of Python, CUDA's kernels
    multiply by the reciprocal, and of 16 bits PyTorch rounds integers to g's type first."""
    wide = wide_of(g.dtype)
    divisor = count.to(wide) if isinstance(count, Tensor) else torch.full((), count, dtype=wide, device=g.device)
    return g.to(wide) / divisor


def broadcast_shape(*shapes: Sequence[int]) -> Any:
    """Of shapes that broadcast, in a tenth of the time of torch.broadcast_shapes."""
    if all(shape == shapes[0] for shape in shapes):
        return shapes[0]
    if is_compiling():
        return torch.broadcast_shapes(*shapes)
    lengths = [1] * max(map(len, shapes))
    for shape in shapes:
        for i, n in enumerate(shape, len(lengths) - len(shape)):
            if n != 1:
                lengths[i] = n
    return torch.Size(lengths)


def reduced_shape(shape: Sequence[int], dims: Sequence[int], keepdim: bool) -> list[int]:
    """The shape of the results over `dims`, which then have length 1 or are left out."""
    return [1 if i in dims else n for i, n in enumerate(shape) if keepdim or i not in dims]


_any_autocast: Callable[[], bool] = torch._C._is_any_autocast_enabled


def autocast_dtype(x: Tensor, precise: bool, dtype: torch.dtype | None = None) -> torch.dtype:
    """The dtype that a result has by default: `dtype`, or that of x; within torch.autocast float32 for `precise` operators (sums,
    norms, losses) of 16-bit floats, and autocast's own type for products with float32."""
    natural = dtype or x.dtype
    if not _any_autocast():
        return natural
    kind = x.device.type
    if natural in FLOATS and kind in ("cpu", "cuda") and torch.is_autocast_enabled(kind):
        if precise and natural in (torch.float16, torch.bfloat16):
            return torch.float32
        if not precise and natural is torch.float32:
            return torch.get_autocast_dtype(kind)
    return natural
