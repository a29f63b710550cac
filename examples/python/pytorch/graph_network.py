"""Message passing on a graph: the same bits for every order of its edges, forward and backward.

A layer adds to each node the messages of its neighbours. PyTorch's scatter and index_add do so in an order that depends on the list of
edges and, on a GPU, on chance; so does the gradient, which adds over the edges that leave a node. Here both are exact sums; all else is
element-wise or a product with exact sums. Beside it the same network by PyTorch's own sums.

usage: graph_network.py [--nodes N] [--device cpu|cuda]
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

WIDTH, LAYERS, DEGREE = 8, 3, 12


def graph(nodes: int) -> tuple[Tensor, Tensor]:
    """Edges from and to nodes, of which few have many."""
    generator = torch.Generator().manual_seed(3)
    to = (nodes * torch.rand(nodes * DEGREE, generator=generator) ** 3).long()
    return torch.randint(nodes, (nodes * DEGREE,), generator=generator), to


def exact_layer(x: Tensor, come: Tensor, go: Tensor, mix: Tensor) -> Tensor:
    """x and the messages to each node, mixed: every sum is exact."""
    received = xt.index_add(x, 0, go, xt.embedding(come, x))
    return xt.vecdot(received.unsqueeze(1), mix).relu()


def plain_layer(x: Tensor, come: Tensor, go: Tensor, mix: Tensor) -> Tensor:
    return (x.index_add(0, go, x[come]) @ mix.t()).relu()


def run(layer: object, nodes: int, device: str, order: int) -> tuple[str, str]:
    """The loss and the norm of the gradient of what the nodes start with, as bits; the edges in another order."""
    come, go = graph(nodes)
    if order:
        shuffled = torch.randperm(len(come), generator=torch.Generator().manual_seed(order))
        come, go = come[shuffled], go[shuffled]
    generator = torch.Generator().manual_seed(4)
    start = torch.randn(nodes, WIDTH, generator=generator).to(device).requires_grad_()
    mixes = [(torch.randn(WIDTH, WIDTH, generator=generator) / 8).to(device) for _ in range(LAYERS)]
    x = start
    for mix in mixes:
        x = layer(x, come.to(device), go.to(device), mix)  # type: ignore[operator]
    loss = xt.mean(x)
    loss.backward()
    return loss.item().hex(), xt.vector_norm(start.grad).item().hex()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    given = parser.parse_args()
    exact = {run(exact_layer, given.nodes, given.device, order) for order in (0, 0, 1, 2, 3)}
    assert len(exact) == 1, exact
    loss, norm = map(float.fromhex, exact.pop())
    print(f"{given.nodes * DEGREE} edges in 4 orders, forward and backward: the same bits (loss {loss:.6g}, norm of the gradient {norm:.6g})")
    plain = {run(plain_layer, given.nodes, given.device, order) for order in (0, 0, 1, 2, 3)}
    print(f"by PyTorch's own sums: {len(plain)} different results")


if __name__ == "__main__":
    main()
