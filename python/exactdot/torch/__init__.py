"""Operators of PyTorch whose sums are exact: the same bits for every batch, order, split, thread and device.

>>> import torch
>>> import exactdot.torch as xt
>>> x = torch.tensor([1e30, 1.0, -1e30], requires_grad=True)
>>> xt.sum(x)
tensor(1., grad_fn=<exactdot_sumBackward>)

They are operators of torch.library: autograd (also twice), torch.compile, torch.func and CUDA graphs take them. Importing this module
imports PyTorch; `import exactdot` does not.
"""

from __future__ import annotations

import torch as _torch

_OLDEST = (2, 6)
if tuple(int("".join(filter(str.isdigit, part)) or 0) for part in _torch.__version__.split("+")[0].split(".")[:2]) < _OLDEST:
    raise ImportError(f"exactdot.torch needs PyTorch {_OLDEST[0]}.{_OLDEST[1]} or later, and this is {_torch.__version__}; "
                      "functions of exactdot itself take its tensors")

from exactdot import check  # noqa: E402  after the sentence above
from exactdot.torch._deterministic import Report, deterministic, report, use_deterministic  # noqa: E402
from exactdot.torch._normalisations import layer_norm, rms_norm  # noqa: E402
from exactdot.torch._rows import embedding, embedding_bag, index_add, scatter_add, segment_reduce  # noqa: E402
from exactdot.torch._products import add, dot, linear, mv, vecdot  # noqa: E402
from exactdot.torch._reductions import amax, amin, mean, std, sum, var, vector_norm  # noqa: E402
from exactdot.torch._training import clip_grad_norm_, clip_grads_with_norm_, get_total_norm, mse_loss, nll_loss  # noqa: E402

__all__ = ["Report", "add", "amax", "amin", "check", "clip_grad_norm_", "clip_grads_with_norm_", "deterministic", "dot", "embedding",
           "embedding_bag", "get_total_norm", "index_add", "layer_norm", "linear", "mean", "mse_loss", "mv", "nll_loss", "report", "rms_norm",
           "scatter_add", "segment_reduce", "std", "sum", "use_deterministic", "var", "vecdot", "vector_norm"]
