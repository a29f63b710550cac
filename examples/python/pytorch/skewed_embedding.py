"""An embedding table trained with ids of which few are frequent: the same bits in any order of the examples and on every run.

The gradient of a row is the sum of what all its occurrences give: of the most frequent id hundreds in a batch. PyTorch adds them in an
order that depends on the kernel, the threads or, on a GPU, on chance (atomic additions). Here every row's gradient is one exact sum,
and so is the loss. Beside it the same training by PyTorch's own sums.

usage: skewed_embedding.py [--steps N] [--device cpu|cuda]
"""

from __future__ import annotations

import argparse
import sys

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit()
import exactdot.torch as xt
from torch import Tensor

ROWS, WIDTH, BATCH, RATE = 5000, 16, 4096, 0.5


def batch(step: int) -> tuple[Tensor, Tensor]:
    """Ids by Zipf's law, and a target for each."""
    generator = torch.Generator().manual_seed(step)
    uniform = torch.rand(BATCH, generator=generator, dtype=torch.float64)
    ids = (ROWS ** uniform).long() - 1  # the density of id k is about 1/(k + 1)
    return ids, torch.sin(ids.double() * 0.7).float()


def train(steps: int, device: str, exact: bool, shuffled: int = 0) -> list[str]:
    """The loss of each step and a sum over the table after the last, as bits. `shuffled`: another order of the examples."""
    generator = torch.Generator().manual_seed(1)
    table = (torch.randn(ROWS, WIDTH, generator=generator) / 4).to(device).requires_grad_()
    direction = torch.randn(WIDTH, generator=generator).to(device)
    found = []
    for step in range(steps):
        ids, targets = (each.to(device) for each in batch(step))
        if shuffled:
            order = torch.randperm(BATCH, generator=torch.Generator().manual_seed(shuffled + step)).to(device)
            ids, targets = ids[order], targets[order]
        if exact:
            loss = xt.mse_loss(xt.vecdot(xt.embedding(ids, table), direction), targets)
        else:
            loss = torch.nn.functional.mse_loss(torch.nn.functional.embedding(ids, table) @ direction, targets)
        (gradient,) = torch.autograd.grad(loss, table)
        with torch.no_grad():
            table -= RATE * gradient
        found.append(loss.item().hex())
    return [*found, xt.sum(table.detach(), dtype=torch.float64).item().hex()]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    given = parser.parse_args()
    ids, _ = batch(0)
    print(f"{BATCH} ids a step, {int((ids == 0).sum())} of them the same one, {len(ids.unique())} different")
    first = train(given.steps, given.device, exact=True)
    for shuffled in (0, 100, 200):
        assert train(given.steps, given.device, True, shuffled) == first, f"order {shuffled} has other bits"
    print(f"trained again and in two other orders of the examples: the same bits; the loss is {float.fromhex(first[0]):.4f}, then "
          f"{float.fromhex(first[-2]):.4f}")
    assert float.fromhex(first[-2]) < float.fromhex(first[0])
    plain = {tuple(train(given.steps, given.device, False, shuffled)) for shuffled in (0, 0, 100, 200)}
    print(f"by PyTorch's own sums, twice and in the same two orders: {len(plain)} different trainings")


if __name__ == "__main__":
    main()
