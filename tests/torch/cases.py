"""The table that the tests share: each public function with inputs, and each operator with arguments.

A case calls its function on tensors of which some have gradients. `make` makes a number of floats of a shape; the numbers are
distinct, so that extrema have no ties where finite differences are taken.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import exactdot.torch as xt
import torch
from torch import Tensor

Make = Callable[..., Tensor]


class Case(NamedTuple):
    name: str
    function: Callable[..., Tensor]
    inputs: Callable[[Make], list[Tensor]]


PLACES = torch.tensor([2, 0, 2, 1])
GRID = torch.tensor([[0, 1, 2, 0], [2, 2, 1, 0]])
IDS = torch.tensor([[1, 1, 0], [3, 1, 2]])
LENGTHS = torch.tensor([2, 1, 3])
TARGETS = torch.tensor([0, 2, -100, 1])
OFFSETS = torch.tensor([0, 4, 4])
CASES = [
    Case("sum", lambda x: xt.sum(x, (0, 2)), lambda make: [make(3, 4, 2)]),
    Case("sum_all", xt.sum, lambda make: [make(3, 4)]),
    Case("mean", lambda x: xt.mean(x, 1, True), lambda make: [make(3, 4, 2)]),
    Case("var", lambda x: xt.var(x, 1), lambda make: [make(3, 4)]),
    Case("std", lambda x: xt.std(x, (0, 1), correction=0), lambda make: [make(3, 4)]),
    Case("norm", lambda x: xt.vector_norm(x, dim=0), lambda make: [make(3, 4)]),
    Case("norm_1", lambda x: xt.vector_norm(x, 1, 0), lambda make: [make(3, 4)]),
    Case("norm_inf", lambda x: xt.vector_norm(x, float("inf"), 0), lambda make: [make(3, 4)]),
    Case("amax", lambda x: xt.amax(x, 1), lambda make: [make(3, 4)]),
    Case("amin", lambda x: xt.amin(x, (0, -1), True), lambda make: [make(3, 4)]),
    Case("dot", xt.dot, lambda make: [make(5), make(5)]),
    Case("vecdot", xt.vecdot, lambda make: [make(3, 1, 5), make(4, 5)]),
    Case("vecdot_0", lambda a, b: xt.vecdot(a, b, dim=0), lambda make: [make(5, 3), make(5, 1)]),
    Case("mv", xt.mv, lambda make: [make(3, 5), make(5)]),
    Case("linear", xt.linear, lambda make: [make(2, 3, 5), make(4, 5), make(4)]),
    Case("add", xt.add, lambda make: [make(2, 3, 5), make(3, 1)]),
    Case("rms_norm", lambda x, w: xt.rms_norm(x, (4, 2), w, 0.25), lambda make: [make(3, 4, 2), make(4, 2)]),
    Case("rms_norm_plain", lambda x: xt.rms_norm(x, 4), lambda make: [make(3, 4)]),
    Case("layer_norm", lambda x, w, b: xt.layer_norm(x, 4, w, b), lambda make: [make(3, 2, 4), make(4), make(4)]),
    Case("layer_norm_row", lambda x, b: xt.layer_norm(x, 4, bias=b, eps=0.5), lambda make: [make(4), make(4)]),
    Case("index_add", lambda x, y: xt.index_add(x, 1, PLACES, y), lambda make: [make(2, 3), make(2, 4)]),
    Case("index_add_alpha", lambda x, y: xt.index_add(x, 0, PLACES, y, alpha=0.5), lambda make: [make(3, 2), make(4, 2)]),
    Case("scatter_add", lambda x, y: xt.scatter_add(x, 1, GRID, y), lambda make: [make(2, 3), make(3, 4)]),
    Case("segment_sum", lambda x: xt.segment_reduce(x, "sum", lengths=LENGTHS), lambda make: [make(6, 2)]),
    Case("segment_mean", lambda x: xt.segment_reduce(x, "mean", lengths=LENGTHS), lambda make: [make(6, 2)]),
    Case("segment_max", lambda x: xt.segment_reduce(x, "max", lengths=LENGTHS), lambda make: [make(6, 2)]),
    Case("embedding", lambda w: xt.embedding(IDS, w), lambda make: [make(4, 3)]),
    Case("bag_sum", lambda w, p: xt.embedding_bag(IDS, w, mode="sum", per_sample_weights=p), lambda make: [make(4, 3), make(2, 3)]),
    Case("bag_mean", lambda w: xt.embedding_bag(IDS.flatten(), w, OFFSETS), lambda make: [make(4, 3)]),
    Case("mse_loss", xt.mse_loss, lambda make: [make(3, 4), make(3, 4)]),
    Case("nll_loss", lambda x: xt.nll_loss(x, TARGETS), lambda make: [make(4, 3)]),
    Case("nll_loss_weight", lambda x: xt.nll_loss(x, TARGETS, torch.tensor([1.0, 2.0, 0.5], dtype=x.dtype, device=x.device)), lambda make: [make(4, 3)]),
]


def make_of(dtype: torch.dtype, requires_grad: bool = False, batch: int = 0, device: str = "cpu") -> Make:
    """Floats of a normal distribution; with a batch in front of the shape if that is not 0."""
    def make(*shape: int) -> Tensor:
        x = torch.randn(*((batch,) if batch else ()), *shape, dtype=torch.float64).to(device, dtype)
        return x.requires_grad_(requires_grad)
    return make


def operators(make: Make) -> dict[str, tuple[Any, ...]]:
    """Arguments of each operator, by its name."""
    f4 = torch.float32
    one = {name: (make(3, 4), [1], False, f4) for name in ("sum", "mean", "norm", "asum", "amax", "amin")}
    keys = torch.tensor([1, 0, 1])
    return one | {
        "var": (make(3, 4), [0, 1], True, f4, 1.0),
        "std": (make(3, 4), [0], False, f4, 0.0),
        "vecdot": (make(3, 4), make(5, 1, 4), -1, f4),
        "mv": (make(3, 4), make(4), f4),
        "add": (make(3, 4), make(4)),
        "group_sum": (make(3, 2), keys, 2, False, f4),
        "group_mean": (make(3, 2), keys - 1, 1, True, f4),
        "group_dot": (make(3, 2), make(3), keys, 2, False, f4),
        "embedding": (make(4, 3), IDS, 0),
        "index_add": (make(3, 3), 1, keys, make(3, 3), 0.5),
        "segment_extremum": (make(3, 2), torch.tensor([0, 0, 2]), 3, True),
        "normalise": (make(3, 4, 2), make(4, 2), make(4, 2), 0.25, True, 2),
        "list_norm": ([x.detach() for x in (make(3), make(2, 2))], True, f4),
    }
