"""How a function becomes an operator of PyTorch: a row for each, registered in one place.

An operator has canonical arguments: dims that are not negative, and the dtype of its result. The public functions read what users
write and call it. Below the dispatcher it sees plain tensors, which the engine reads in place: on a CPU as NumPy arrays, the
fastest way in, on a GPU by address, ordered by PyTorch's current stream. So autograd, torch.compile, vmap and CUDA graphs see one
node whose shape is known. Registered in Python by torch.library: the extension depends on no version of PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import torch
from torch import Tensor

LIBRARY = torch.library.Library("exactdot", "DEF")
FLOATS_OF_NUMPY = frozenset({torch.float64, torch.float32, torch.float16})
INTEGERS = frozenset({torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64})
FLOATS_OF_8_BITS = frozenset({torch.float8_e4m3fn, torch.float8_e5m2})
FLOATS = FLOATS_OF_NUMPY | FLOATS_OF_8_BITS | {torch.bfloat16}
ELEMENTS = FLOATS | INTEGERS | {torch.bool}
_READ_BY_NUMPY = FLOATS_OF_NUMPY | INTEGERS


def define(name: str, schema: str, compute: Callable[..., Any], fake: Callable[..., Any], *,
           save: Callable[..., None] | None = None, backward: Callable[..., Any] | None = None,
           vmap: Callable[..., Any] | None = None) -> Any:
    """Registers exactdot::name and returns its overload. `save` and `backward` are those of torch.library.register_autograd,
    `vmap` that of torch.library.register_vmap; an operator without `backward` has no gradient."""
    LIBRARY.define(name + schema, tags=(torch.Tag.pt2_compliant_tag,))
    for key in ("CPU", "CUDA"):
        LIBRARY.impl(name, compute, key)
    qualified = f"exactdot::{name}"
    torch.library.register_fake(qualified, fake, lib=LIBRARY)
    if backward is not None:
        torch.library.register_autograd(qualified, backward, setup_context=save, lib=LIBRARY)
    if vmap is not None:
        torch.library.register_vmap(qualified, vmap, lib=LIBRARY)
    return getattr(torch.ops.exactdot, name).default


def array(x: Tensor) -> Any:
    """What the engine reads in place of a tensor, or writes to."""
    x = x.detach()
    if x.is_neg():
        x = x.resolve_neg()
    if x.dtype is torch.bool:
        x = x.view(torch.uint8)
    return x.numpy() if x.is_cpu and x.dtype in _READ_BY_NUMPY else x


def check_tensors(caller: str, **tensors: Any) -> None:
    """Tensors of element types, on one device. Raises TypeError and ValueError that name the argument."""
    devices = set()
    for name, x in tensors.items():
        if not isinstance(x, Tensor):
            raise TypeError(f"{caller}: {name} is a {type(x).__name__}; use a tensor")
        if x.dtype not in ELEMENTS:
            raise TypeError(f"{caller}: {name} is of {x.dtype}, which has no exact sums; use a floating-point or integer type")
        devices.add(x.device)
    if len(devices) > 1:
        places = ", ".join(f"{name} on {x.device}" for name, x in tensors.items())
        raise ValueError(f"{caller}: tensors on two devices: {places}")


def normal_dims(caller: str, dim: Any, ndim: int) -> list[int]:
    """The dims that are reduced, ascending; None and an empty sequence are all, as in PyTorch.
    Raises IndexError for one out of range, ValueError for one that appears twice, TypeError for what is no dim."""
    if dim is None or (not isinstance(dim, int) and isinstance(dim, Sequence) and len(dim) == 0):
        return list(range(ndim))
    given = [dim] if isinstance(dim, int) else dim
    if not isinstance(given, Sequence) or not all(isinstance(each, int) and not isinstance(each, bool) for each in given):
        raise TypeError(f"{caller}: dim is {dim!r}; use an integer, a tuple of integers, or None")
    limit = max(ndim, 1)
    for each in given:
        if not -limit <= each < limit:
            raise IndexError(f"{caller}: dim {each} of a tensor of {ndim} dimensions; expected {-limit} to {limit - 1}")
    dims = sorted({each % limit for each in given})
    if len(dims) != len(given):
        raise ValueError(f"{caller}: dim is {tuple(given)}, which names a dimension twice")
    return dims if ndim else []


def reduced_shape(shape: Sequence[int], dims: Sequence[int], keepdim: bool) -> list[int]:
    """The shape of the results over `dims`, which then have length 1 or are left out."""
    return [1 if i in dims else n for i, n in enumerate(shape) if keepdim or i not in dims]


def autocast_dtype(x: Tensor, precise: bool) -> torch.dtype:
    """The dtype that a result has by default: that of x; within torch.autocast float32 for `precise` operators (sums, norms,
    losses) of 16-bit floats, and autocast's own type for products with float32."""
    kind = x.device.type
    if x.dtype in FLOATS and kind in ("cpu", "cuda") and torch.is_autocast_enabled(kind):
        if precise and x.dtype in (torch.float16, torch.bfloat16):
            return torch.float32
        if not precise and x.dtype is torch.float32:
            return torch.get_autocast_dtype(kind)
    return x.dtype
