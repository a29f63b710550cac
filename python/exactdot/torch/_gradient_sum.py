"""Sums of gradients as states, which merge by addition: over examples, micro-batches and ranks; and how states are made and rounded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

import exactdot as xd
from exactdot import _engine
from exactdot.torch._operators import FLOATS, array, check_tensors

_engine_call: Any = _engine  # functions without public names


def type_name(dtype: torch.dtype) -> str:
    return "uint8" if dtype is torch.bool else str(dtype).removeprefix("torch.")


def states_of(reduction: str, x: Tensor, dims: tuple[int, ...], compact: bool) -> Tensor:
    """The words of the sums over dims, on the device of x; an axis of words follows those of the results."""
    words = xd.states(reduction, array(x), axis=dims, compact=compact)
    return words if isinstance(words, Tensor) else torch.from_numpy(words)


def rounded(words: Tensor, reduction: str, element: torch.dtype, finish: str, dtype: torch.dtype, ddof: int = 0) -> Tensor:
    """The results of states, on the device of the words; rounded on the host."""
    results = torch.empty(words.shape[:-1], dtype=dtype, device="cpu")  # whatever the default device is
    _engine_call._round_words("round_states", words.cpu().contiguous().numpy(), reduction, type_name(element), finish,
                              type_name(dtype), ddof, lambda name: array(results))
    return results.to(words.device)


class GradientSum:
    """Adds gradients of any number of micro-batches on any number of ranks exactly, and rounds once.

    One state of words of 64-bit integers for each element: 17 words of float32 and 16 of bfloat16, so 34 and 64 times the memory of
    the gradients. If what is added is the gradient of one example (torch.func.vmap of torch.func.grad), the result does not depend on
    how examples are divided into micro-batches and among ranks.

    Parameters
    ----------
    like : iterable of Tensor
        Floats: the parameters, or tensors of their shapes, types and devices.

    Raises
    ------
    TypeError
        As of `sum`; integers.

    Examples
    --------
    >>> import torch, exactdot.torch.distributed as xdist
    >>> total = xdist.GradientSum([torch.zeros(2)])
    >>> for gradient in ([1e30, 1.0], [2.0, 2.0], [-1e30, 3.0]):
    ...     total.add([torch.tensor(gradient)])
    >>> total.sum(), total.mean()
    ([tensor([2., 6.])], [tensor([0.6667, 2.0000])])
    """

    def __init__(self, like: Iterable[Tensor]) -> None:
        self._like = [x.detach() for x in like]
        check_tensors("GradientSum", **{f"tensor {i}": x for i, x in enumerate(self._like)})
        for i, x in enumerate(self._like):
            if x.dtype not in FLOATS:
                raise TypeError(f"GradientSum: tensor {i} is of {x.dtype}; use floating-point numbers")
        self._words = [torch.zeros((*x.shape, xd.state_words("mean", type_name(x.dtype), compact=True)), dtype=torch.int64,
                                   device=x.device) for x in self._like]

    def add(self, gradients: Iterable[Tensor | None], *, batched: bool = False) -> None:
        """Adds a gradient of each parameter.

        Parameters
        ----------
        gradients : iterable of Tensor or None
            Of the shapes and types of the parameters; None, as of a parameter without grad, is a gradient of zeros, or of each
            example, of which the other gradients then have one number.
        batched : bool
            A dimension of examples is before that shape: each example counts as one gradient.

        Raises
        ------
        TypeError, ValueError
            No tensor; another number, shape or type: then nothing is added.

        Examples
        --------
        >>> import torch, exactdot.torch.distributed as xdist
        >>> total = xdist.GradientSum([torch.zeros(2)])
        >>> total.add([torch.ones(3, 2)], batched=True)
        >>> total.sum()
        [tensor([3., 3.])]
        """
        given = list(gradients)
        if len(given) != len(self._like):
            raise ValueError(f"GradientSum.add: {len(given)} gradients of {len(self._like)} parameters")
        counts = {1}
        if batched:
            counts = {x.shape[0] for x in given if isinstance(x, Tensor) and x.ndim}
        has_none = any(x is None for x in given)
        found: list[Tensor | None] = []
        for i, (like, x) in enumerate(zip(self._like, given)):
            if x is None:
                found.append(None)
                continue
            if not isinstance(x, Tensor):
                raise TypeError(f"GradientSum.add: gradient {i} is a {type(x).__name__}; use a tensor, or None")
            shape = x.shape[1:] if batched else x.shape
            if (batched and not x.ndim) or shape != like.shape or x.dtype is not like.dtype or x.device != like.device:
                raise ValueError(f"GradientSum.add: gradient {i} is of {x.dtype} and shape {tuple(x.shape)} on {x.device}, the parameter "
                                 f"of {like.dtype} and {tuple(like.shape)} on {like.device}"
                                 + (", after a dimension of examples" if batched else ""))
            found.append(x.detach() if batched else x.detach().unsqueeze(0))
        if has_none and len(counts) != 1:
            raise ValueError(f"GradientSum.add: None is a gradient of zeros of each example, and the others have {sorted(counts)} "
                             "examples; pass gradients of one number of examples, or zeros")
        for words, like, x in zip(self._words, self._like, found):
            every = torch.zeros_like(like).expand(*counts, *like.shape) if x is None else x
            if every.numel():
                words += states_of("mean", every, (0,), compact=True)

    def all_reduce(self, group: Any = None) -> None:
        """Adds what all ranks have added; each then has the sum of all.

        Parameters
        ----------
        group : ProcessGroup, optional
            Default: all ranks.

        Raises
        ------
        RuntimeError, ValueError
            No process group.

        Examples
        --------
        >>> import torch, torch.distributed as dist, exactdot.torch.distributed as xdist
        >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        >>> xdist.GradientSum([torch.zeros(2)]).all_reduce()
        >>> dist.destroy_process_group()
        """
        for words in self._words:
            dist.all_reduce(words, op=dist.ReduceOp.SUM, group=group)

    def _results(self, finish: str) -> list[Tensor]:
        return [rounded(words, "mean", x.dtype, finish, x.dtype) for words, x in zip(self._words, self._like)]

    def sum(self) -> list[Tensor]:
        """Returns the sum of all gradients of each parameter, rounded once.

        Returns
        -------
        list of Tensor

        Raises
        ------
        OverflowError
            More than 2^31 − 1 calls of `add`, of all ranks together.

        Examples
        --------
        >>> import torch, exactdot.torch.distributed as xdist
        >>> xdist.GradientSum([torch.zeros(2)]).sum()
        [tensor([0., 0.])]
        """
        return self._results("sum")

    def mean(self) -> list[Tensor]:
        """Returns the sum over the number of gradients, the exact quotient rounded once.

        Returns
        -------
        list of Tensor
            NaN where none was added.

        Raises
        ------
        OverflowError
            As of `sum`.

        Examples
        --------
        >>> import torch, exactdot.torch.distributed as xdist
        >>> total = xdist.GradientSum([torch.zeros(1)])
        >>> total.add([torch.tensor([3.0])])
        >>> total.add([torch.tensor([4.0])])
        >>> total.mean()
        [tensor([3.5000])]
        """
        return self._results("mean")
