"""deterministic(): PyTorch's sums are replaced by exact ones while it is on, and a report names what was not.

A mode of dispatch and no override of kernels: the mode can hand a call that it does not take on to PyTorch, sees the operators that
it does not replace, so that it can name them, ends, and exists in every version. It costs some microseconds for each operator
(bench/python/torch_calls.py); an override costs nothing for others, but has none of this, and kernels that it replaces can be called
in newer versions alone.
Autograd's threads inherit the mode; threads that a program starts do not. Under inference_mode operators that are made of others reach
the mode whole, since the keys of autograd, which take them apart, are off: the mode takes them apart.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from functools import cache
from threading import local
from typing import Any, Iterator, NamedTuple

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from exactdot.torch import _replaced_normalisations  # noqa: F401  which adds to the table
from exactdot.torch._replaced import REPLACED, fit

# operators that add nothing: they move, create, compare or choose elements, or compute each from one of each input
_NAMES_WITHOUT_SUMS = frozenset("""
    _has_compatible_shallow_copy_type _local_scalar_dense _reshape_copy _to_copy _unsafe_index _unsafe_view amax amin any all arange argmax
    argmin argsort bernoulli bernoulli_ cat clone constant_pad_nd copy copy_ count_nonzero detach detach_ dropout embedding empty empty_like
    empty_strided equal eye exponential_ fill fill_ flip full full_like gather gelu_backward hardtanh_backward index index_copy index_copy_
    index_fill index_fill_ index_select is_pinned leaky_relu_backward lift lift_fresh linspace masked_fill masked_fill_ masked_scatter
    masked_select max min mse_loss_backward native_dropout native_dropout_backward new_empty new_empty_strided new_full new_ones new_zeros
    nll_loss_backward nonzero normal normal_ one_hot ones ones_like rand rand_like randint randint_like randn randn_like random_ randperm
    record_stream relu_ repeat repeat_interleave resize_ roll rrelu_with_noise scalar_tensor scatter scatter_ searchsorted select_backward
    set_ sigmoid_backward silu_backward slice_backward slice_scatter select_scatter softplus_backward sort split_with_sizes_copy stack
    tanh_backward threshold_backward topk tril tril_ triu triu_ uniform_ unique_consecutive unique_dim _unique2 where zero_ zeros
    zeros_like
""".split())


def adds_nothing(overload: Any) -> bool:
    name = overload.overloadpacket.__name__
    if name.rstrip("_") == "scatter" and "reduce" in overload._overloadname:  # scatter(..., reduce="add")
        return False
    return (torch.Tag.pointwise in overload.tags or overload.is_view or name in _NAMES_WITHOUT_SUMS
            or (name.startswith("_foreach_") and not name.startswith(("_foreach_norm", "_foreach_mm", "_foreach_powsum"))))


def counted_in(overload: Any) -> str | None:
    """The counter of an operator that is not replaced."""
    if overload.namespace == "exactdot":
        return "_exact"
    return None if overload.namespace == "profiler" or adds_nothing(overload) else "_other"


@cache
def _is_made_of_others(overload: Any, on_gpu: bool) -> bool:
    def has(key: str) -> bool:
        return torch._C._dispatch_has_kernel_for_dispatch_key(overload.name(), key)
    return has("CompositeImplicitAutograd") and not has("CUDA" if on_gpu else "CPU")


@contextmanager
def _on_again(mode: TorchDispatchMode) -> Iterator[None]:
    """PyTorch turns a mode off while it handles an operator; this turns it on, without a report of its own."""
    TorchDispatchMode.__enter__(mode)
    try:
        yield
    finally:
        TorchDispatchMode.__exit__(mode, None, None, None)


_counted_in: dict[Any, str | None] = {}


class Report(NamedTuple):
    """How often each operator ran: `exact` by exactdot; `other` by PyTorch, whose bits may depend on the order, the batch or the
    device. Operators that add nothing are in neither; integers' sums as integers, exact in any order, are not counted."""
    exact: dict[str, int]
    other: dict[str, int]

    def __str__(self) -> str:
        def lines(title: str, counts: dict[str, int]) -> list[str]:
            return [title, *(f"  {count:6}  {name}" for name, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])))]
        return "\n".join(lines("exact:", self.exact) + lines("as PyTorch computes them:", self.other) if self.other
                         else lines("exact:", self.exact) + ["all others add nothing"])


def _has_floats(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.is_floating_point() or value.is_complex()
    return isinstance(value, (list, tuple)) and any(_has_floats(each) for each in value)


def _adds_floats(args: Any, kwargs: Any) -> bool:
    """Floats are given, or integers whose sum is to be one; what makes a tensor of none adds nothing."""
    kind = kwargs.get("dtype")
    to_floats = isinstance(kind, torch.dtype) and (kind.is_floating_point or kind.is_complex)
    return _has_floats(args) or ((to_floats or _has_floats(kwargs.get("out"))) and any(isinstance(x, Tensor) for x in args))


class deterministic(TorchDispatchMode):
    """Replaces PyTorch's sums by exact ones within a with statement, in forward and backward.

    sum, mean, var, std and their pairs, norms of order 1 and 2, dot, mv, index_add, scatter_add, index_put with accumulate (the
    gradient of indexing), the gradient of an embedding, layer_norm, rms_norm where PyTorch has one operator for it (on CUDA), mse_loss
    and nll_loss of (n, classes), of float16, bfloat16, float32 and float64 on CPU and CUDA, are computed as by the functions of this
    module; all others, and what these do not take, as PyTorch does, with its errors, and `report` names those that add. PyTorch runs
    functions of torch.compile uncompiled within it. Cost: some microseconds for each operator.

    Raises
    ------
    ValueError, OverflowError
        As of the functions of this module.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> x = torch.tensor([1e30, 1.0, -1e30])
    >>> with xt.deterministic() as run:
    ...     total = x.sum()
    >>> total
    tensor(1.)
    >>> run.report().exact
    {'aten.sum.default': 1}
    """

    def __init__(self) -> None:
        super().__init__()
        self._exact: Counter[str] = Counter()
        self._other: Counter[str] = Counter()

    def __enter__(self) -> deterministic:
        global _latest
        _latest = self
        super().__enter__()
        return self

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        replacement = REPLACED.get(func)
        in_inference = torch.is_inference_mode_enabled()
        if (replacement is not None or in_inference) and all(kind in (Tensor, torch.nn.Parameter) for kind in types):
            if in_inference and _is_made_of_others(func, any(isinstance(x, Tensor) and x.is_cuda for x in args)):
                with _on_again(self):  # autograd, which is not on, would have taken it apart
                    return func.decompose(*args, **kwargs)
            if replacement is not None and fit(func, args):
                with torch.no_grad():
                    result = replacement(*args, **kwargs)
                if result is not NotImplemented:
                    self._exact[str(func)] += 1
                    return result
        result = func(*args, **kwargs)
        counts = _counted_in.get(func, "")
        if counts == "":
            counts = _counted_in[func] = counted_in(func)
        if counts == "_exact" or (counts == "_other" and _adds_floats(args, kwargs) and not _is_overwritten(func, args, kwargs)):
            getattr(self, counts)[str(func)] += 1
        return result

    def report(self) -> Report:
        """Returns how often each operator ran so far, exactly or not.

        Returns
        -------
        Report
            `exact` and `other`, dicts of names and counts; as text a table.

        Examples
        --------
        >>> import torch, exactdot.torch as xt
        >>> with xt.deterministic() as run:
        ...     y = torch.ones(2, 3).softmax(0)
        >>> run.report().other
        {'aten._softmax.default': 1}
        """
        return Report(dict(self._exact), dict(self._other))


def _is_overwritten(func: Any, args: Any, kwargs: Any) -> bool:
    """index_put without accumulate adds nothing."""
    if func.overloadpacket.__name__ not in ("index_put", "index_put_", "_index_put_impl_"):
        return False
    return not (args[3] if len(args) > 3 else kwargs.get("accumulate", False))


_latest: deterministic | None = None
_of_thread = local()  # permanent: the mode that use_deterministic turned on in this thread


def use_deterministic(enable: bool = True) -> None:
    """Turns `deterministic` on for the rest of the thread that calls, and of autograd's for its backward, or off again.

    Other threads of a program call it for themselves.

    Parameters
    ----------
    enable : bool
        On or off; a second call in a thread changes nothing.

    Raises
    ------
    RuntimeError
        Within a with statement of `deterministic`, or of another mode of dispatch, that began later or would end first.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> xt.use_deterministic()
    >>> torch.tensor([1e30, 1.0, -1e30]).sum()
    tensor(1.)
    >>> xt.use_deterministic(False)
    """
    permanent = getattr(_of_thread, "permanent", None)
    if enable == (permanent is not None):
        return
    if _get_current_dispatch_mode() is not permanent:
        raise RuntimeError("use_deterministic: another mode is on; leave its with statement first")
    if enable:
        _of_thread.permanent = deterministic()
        _of_thread.permanent.__enter__()
    else:
        permanent.__exit__(None, None, None)
        _of_thread.permanent = None


def report() -> Report:
    """Returns the report of the latest `deterministic` of the program, in whichever thread, which may still be on.

    Returns
    -------
    Report
        As of `deterministic.report`.

    Raises
    ------
    RuntimeError
        There was none.

    Examples
    --------
    >>> import torch, exactdot.torch as xt
    >>> with xt.deterministic():
    ...     mean = torch.ones(3).mean()
    >>> print(xt.report())
    exact:
           1  aten.mean.default
    all others add nothing
    """
    if _latest is None:
        raise RuntimeError("report: deterministic() has not been on")
    return _latest.report()
