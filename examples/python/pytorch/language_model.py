"""A small transformer whose training has the same bits however it is run: twice, in micro-batches of 1, 2 or 4, on 1 rank or 2.

Each product of matrices is exactdot's; each other sum is PyTorch's, replaced by `deterministic`, whose report has to be empty of
others. Every example's gradient is computed on its own (torch.func.vmap of grad), and gradients are added exactly over examples,
micro-batches and ranks. What is left is element-wise: +, −, ×, ÷ and √ are rounded as IEEE 754 says, in any batch; exp
and log are not everywhere, so that they are made of these here. Beside it the same model with PyTorch's own sums.

usage: language_model.py [--steps N] [--device cpu|cuda]
"""

from __future__ import annotations

import argparse
import math
import socket
import sys
from typing import Any

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing as processes
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit()
import exactdot.torch as xt
import exactdot.torch.distributed as xdist
import torch.nn.functional as F
from torch import Tensor
from torch.func import grad_and_value, vmap

LETTERS = " .abcdefghijklmnopqrstuvwxyz"
CONTEXT, WIDTH, BATCH, RATE = 12, 24, 4, 0.3


def text(sentences: int) -> str:
    """Sentences of a small grammar."""
    generator = torch.Generator().manual_seed(7)
    words = [["a cat", "the dog", "one bird"], ["sees", "hears", "likes"], ["the moon", "a fish", "no rain"]]
    return "".join(" ".join(each[int(torch.randint(3, (), generator=generator))] for each in words) + ". " for _ in range(sentences))


def batches(steps: int) -> list[Tensor]:
    """Of each step BATCH examples of CONTEXT letters and the next one."""
    codes = torch.tensor([LETTERS.index(letter) for letter in text(BATCH * steps)])
    generator = torch.Generator().manual_seed(8)
    starts = torch.randint(len(codes) - CONTEXT - 1, (steps, BATCH), generator=generator)
    return [torch.stack([codes[i:i + CONTEXT + 1] for i in row.tolist()]) for row in starts]


def parameters(device: str) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(9)
    shapes = {"letters": (len(LETTERS), WIDTH), "places": (CONTEXT, WIDTH), "query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH),
              "value": (WIDTH, WIDTH), "wide": (4 * WIDTH, WIDTH), "narrow": (WIDTH, 4 * WIDTH), "out": (len(LETTERS), WIDTH)}
    return {name: (torch.randn(shape, generator=generator) / math.sqrt(shape[-1])).to(device) for name, shape in shapes.items()}


def exp(x: Tensor) -> Tensor:
    """Of +, × and a table of powers of two, in double: 2^k·Σ rⁱ/i! with |r| < 0.35. Its gradient is itself."""
    fixed = x.detach().double().clamp(min=-700, max=700)
    k = (fixed * (1 / math.log(2))).round()
    r = fixed - k * math.log(2)
    total = torch.ones_like(r)
    for i in range(14, 0, -1):
        total = total * r * (1 / i) + 1
    powers = torch.tensor([2.0**i for i in range(-1022, 1024)], dtype=torch.float64, device=x.device)
    y = (total * powers[k.long() + 1022]).to(x.dtype)
    return y + y * (x - x.detach())


def log(x: Tensor) -> Tensor:
    """Of numbers from 1 to 2^20, in double: k·log 2 + 2·Σ sⁱ/i, s = (m − 1)/(m + 1). Its gradient is 1/x."""
    fixed = x.detach().double()
    k = sum((fixed >= 2.0**i).double() for i in range(1, 21))
    m = fixed * torch.tensor([2.0**-i for i in range(21)], dtype=torch.float64, device=x.device)[k.long()]
    s = (m - 1) / (m + 1)
    square, total = s * s, torch.zeros_like(s)
    for i in range(35, 0, -2):
        total = total * square + 1 / i
    y = (k * math.log(2) + 2 * s * total).to(x.dtype)
    return y + (x - x.detach()) / x.detach()


class Exact:
    """The operations of the model that are not element-wise, each result rounded once."""
    linear = staticmethod(xt.linear)

    @staticmethod
    def scores(queries: Tensor, keys: Tensor) -> Tensor:
        return xt.vecdot(queries.unsqueeze(1), keys.unsqueeze(0))

    @staticmethod
    def mixed(weights: Tensor, values: Tensor) -> Tensor:
        return xt.vecdot(weights.unsqueeze(1), values.t().unsqueeze(0))

    @staticmethod
    def softmax_and_log(x: Tensor) -> tuple[Tensor, Tensor]:
        shifted = x - x.detach().amax(-1, keepdim=True)
        each = exp(shifted)
        total = each.sum(-1, keepdim=True)
        return each / total, shifted - log(total)


class Plain:
    """The same of PyTorch."""
    linear = staticmethod(F.linear)
    scores = staticmethod(lambda queries, keys: queries @ keys.transpose(-1, -2))
    mixed = staticmethod(lambda weights, values: weights @ values)
    softmax_and_log = staticmethod(lambda x: (x.softmax(-1), x.log_softmax(-1)))


def scaled(x: Tensor) -> Tensor:
    """RMSNorm without weights."""
    return x / ((x * x).mean(-1, keepdim=True) + 1e-5).sqrt()


def log_probabilities(p: dict[str, Tensor], letters: Tensor, of: Any) -> Tensor:
    """Of the next letter after each letter of one text: a block of attention and a block of two layers."""
    n = letters.shape[-1]
    x = xt.embedding(letters, p["letters"]) + p["places"][:n]
    y = scaled(x)
    query, key, value = (of.linear(y, p[name]) for name in ("query", "key", "value"))
    later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
    weights, _ = of.softmax_and_log((of.scores(query, key) / math.sqrt(WIDTH)).masked_fill(later, -1e4))
    x = x + of.mixed(weights, value)
    x = x + of.linear(of.linear(scaled(x), p["wide"]).relu(), p["narrow"])
    return of.softmax_and_log(of.linear(scaled(x), p["out"]))[1]


def loss_of_example(p: dict[str, Tensor], letters: Tensor, of: Any) -> Tensor:
    return xt.nll_loss(log_probabilities(p, letters[:-1], of), letters[1:])


def train(steps: int, micro: int, device: str, rank: int = 0, ranks: int = 1) -> list[str]:
    """The bits of the loss of each step, and at last of the parameters' norm."""
    p, bits = parameters(device), []
    gradient = vmap(grad_and_value(lambda p, letters: loss_of_example(p, letters, Exact)), in_dims=(None, 0))
    for batch in batches(steps):
        total, losses = xdist.GradientSum([*p.values(), torch.zeros((), device=device)]), []
        for letters in batch.to(device).tensor_split(ranks)[rank].split(micro):
            gradients, losses = gradient(p, letters)
            total.add([*(gradients[name] for name in p), losses], batched=True)
        if ranks > 1:
            total.all_reduce()
        *means, loss = total.mean()
        for x, mean in zip(p.values(), means):
            x.sub_(mean * RATE)
        bits.append(float(loss).hex())
    return [*bits, float(xt.get_total_norm(list(p.values()))).hex()]


def train_plain(steps: int, micro: int, device: str) -> list[str]:
    """The same by PyTorch's own sums: gradients of micro-batches are added as they come."""
    p, bits = {name: x.requires_grad_() for name, x in parameters(device).items()}, []
    for batch in batches(steps):
        loss = 0.0
        for letters in batch.to(device).split(micro):
            logs = vmap(lambda each: log_probabilities(p, each[:-1], Plain))(letters)
            part = F.nll_loss(logs.flatten(0, 1), letters[:, 1:].flatten()) * (len(letters) / BATCH)
            part.backward()
            loss += part.item()
        with torch.no_grad():
            for x in p.values():
                x.sub_(x.grad * RATE)
                x.grad = None
        bits.append(loss.hex())
    return bits


def run_rank(rank: int, ranks: int, steps: int, device: str, port: int, found: Any) -> None:
    torch.set_num_threads(1)
    on = f"cuda:{rank % torch.cuda.device_count()}" if device == "cuda" else device
    if device == "cuda":
        torch.cuda.set_device(on)
    has_gpus = device == "cuda" and torch.cuda.device_count() >= ranks
    dist.init_process_group("nccl" if has_gpus else "gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    with xt.deterministic():
        found[rank] = train(steps, 1, on, rank, ranks)
    dist.destroy_process_group()


def on_ranks(ranks: int, steps: int, device: str) -> list[list[str]]:
    with socket.socket() as probe:  # a free port
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with processes.get_context("spawn").Manager() as manager:
        found = manager.dict()
        processes.spawn(run_rank, args=(ranks, steps, device, port, found), nprocs=ranks)
        return [found[rank] for rank in range(ranks)]


def check_inference(device: str) -> None:
    """A text alone has the bits that it has in batches of 2 to 64."""
    p = parameters(device)
    texts = torch.randint(len(LETTERS), (64, CONTEXT), generator=torch.Generator().manual_seed(1)).to(device)

    def logs(letters: Tensor) -> Tensor:
        return vmap(lambda each: log_probabilities(p, each, Exact))(letters)

    alone = logs(texts[:1])[0]
    for size in (2, 4, 8, 16, 32, 64):
        assert torch.equal(logs(texts[:size])[0], alone) and torch.equal(logs(texts[64 - size:].flip(0))[-1], logs(texts[64 - size:])[0])
    print("a text alone and in batches of 2 to 64: the same bits")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    given = parser.parse_args()
    with xt.deterministic() as run:
        first = train(given.steps, 4, given.device)
        assert train(given.steps, 4, given.device) == first, "a second run has other bits"
        for micro in (1, 2):
            assert train(given.steps, micro, given.device) == first, f"micro-batches of {micro} have other bits"
        print(f"trained twice, and in micro-batches of 1, 2 and 4: the same bits; the loss is "
              f"{float.fromhex(first[0]):.3f}, then {float.fromhex(first[-2]):.3f}")
        assert float.fromhex(first[-2]) < float.fromhex(first[0])
        check_inference(given.device)
    assert not run.report().other, run.report()
    print(f"{sum(run.report().exact.values())} sums, all exact: {', '.join(sorted({name.split('.')[1] for name in run.report().exact}))}")
    for found in on_ranks(2, given.steps, given.device):
        assert found == first, f"2 ranks have other bits: {found}"
    print("on 2 ranks: the same bits")
    plain = {micro: train_plain(given.steps, micro, given.device) for micro in (1, 2, 4)}
    print(f"by PyTorch's own sums, in micro-batches of 1, 2 and 4: {len(set(map(tuple, plain.values())))} different losses")


if __name__ == "__main__":
    main()
