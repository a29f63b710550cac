"""rms_norm and layer_norm as torch.nn.functional has them; _normalisation_operators.py has the operator and its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from exactdot import _engine
from exactdot.torch._normalisation_operators import NORMALISE
from exactdot.torch._operators import autocast_dtype, check_tensors, is_compiling, wide_of

_normalise_plain_tensors: Any = _engine._normalise_plain_tensors  # type: ignore[attr-defined]
_INTEGERS = (int, torch.SymInt)
_ROWS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def _normal_shape(caller: str, x: Tensor, given: Any) -> tuple[int, ...]:
    shape = (given,) if isinstance(given, _INTEGERS) else given
    if not isinstance(shape, Sequence) or not all(isinstance(n, _INTEGERS) for n in shape):
        raise TypeError(f"{caller}: normalized_shape is {given!r}; use an integer or a tuple of integers")
    if not shape or tuple(x.shape[x.ndim - len(shape):]) != tuple(shape):
        raise ValueError(f"{caller}: normalized_shape is {tuple(shape)}; expected the last lengths of x, which has shape {tuple(x.shape)}")
    return tuple(shape)


def _parameters(caller: str, x: Tensor, shape: tuple[int, ...], **given: Tensor | None) -> list[Tensor | None]:
    """Of one type, x's or float32: others are converted where that is exact."""
    found = {name: p for name, p in given.items() if p is not None}
    for name, p in found.items():
        if tuple(p.shape) != shape:
            raise ValueError(f"{caller}: {name} has shape {tuple(p.shape)}; expected normalized_shape, {shape}")
        if p.dtype not in _ROWS or (p.dtype is torch.float64 and x.dtype is not torch.float64):
            raise TypeError(f"{caller}: {name} is of {p.dtype}, x of {x.dtype}; use {x.dtype} or "
                            + ("16-bit floats" if x.dtype is torch.float32 else "torch.float32"))
    kinds = {p.dtype for p in found.values()}
    kind = x.dtype if x.dtype is torch.float64 or kinds <= {x.dtype} else torch.float32
    return [None if p is None else p.to(kind) for p in given.values()]


def _normalised(caller: str, x: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, epsilon: float,
                centred: bool) -> Tensor:
    if not is_compiling():
        found = _normalise_plain_tensors(caller, x, normalized_shape, weight, bias, epsilon)
        if found is not None:
            return found
    check_tensors(caller, x=x, **{name: p for name, p in (("weight", weight), ("bias", bias)) if p is not None})
    if x.dtype not in _ROWS:
        raise TypeError(f"{caller}: x is of {x.dtype}; use float16, bfloat16, float32 or float64")
    if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float)):
        raise TypeError(f"{caller}: eps is {epsilon!r}; use a number")
    shape = _normal_shape(caller, x, normalized_shape)
    x = x.to(autocast_dtype(x, precise=True))
    of_rows = _parameters(caller, x, shape, weight=weight, bias=bias)
    return NORMALISE(x, *of_rows, float(epsilon), centred, len(shape))


def rms_norm(x: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Computes x·weight/√(mean(x²) + eps) over the last dims, each element rounded once: torch.nn.functional.rms_norm.

    Parameters
    ----------
    x : Tensor
        Of float16, bfloat16, float32 or float64, of any shape and strides, on a CPU or a CUDA device.
    normalized_shape : int or tuple of int
        The last lengths of x: the dims over which the mean is taken.
    weight : Tensor, optional
        Of that shape, of the type of x or of float32, which is read as it is.
    eps : float, optional
        0, or 1e-150 to 1e100: the number that it is, not rounded to the type of x. Default: torch.finfo(torch.float32).eps, of
        float64 that of float64.

    Returns
    -------
    Tensor
        Contiguous, of the shape and type of x; within autocast float32 for 16-bit floats. A row depends on no other row. Gradients:
        docs/pytorch.md.

    Raises
    ------
    TypeError
        No tensor; integers or 8-bit floats; a weight of another type.
    ValueError
        Shapes that do not fit; an eps out of range; tensors on two devices.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.rms_norm(torch.tensor([[3.0, 4.0]]), 2, eps=0.0)
    tensor([[0.8485, 1.1314]])
    """
    if eps is None:
        eps = torch.finfo(wide_of(x.dtype)).eps if isinstance(x, Tensor) else 0.0
    return _normalised("rms_norm", x, normalized_shape, weight, None, eps, False)


def layer_norm(x: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Computes (x − mean)·weight/√(var + eps) + bias over the last dims, each element rounded once: torch.nn.functional.layer_norm.

    Parameters
    ----------
    x, normalized_shape, eps
        As of `rms_norm`.
    weight, bias : Tensor, optional
        As of `rms_norm`.

    Returns
    -------
    Tensor
        As of `rms_norm`, with the exact mean and the exact variance without correction.

    Raises
    ------
    TypeError, ValueError
        As of `rms_norm`.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.layer_norm(torch.tensor([[1e8, 1e8 + 8, 1e8 + 16]]), 3, eps=0.0)
    tensor([[-1.2247,  0.0000,  1.2247]])
    """
    return _normalised("layer_norm", x, normalized_shape, weight, bias, eps, True)
