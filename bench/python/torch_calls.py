"""Times exactdot.torch beside PyTorch's own functions, and what deterministic() costs each operator.

python bench/python/torch_calls.py --json FILE [--device cpu|cuda] [--rounds N]. Times are the least of interleaved samples
(rounds.py), calls one after the other, on a GPU with one wait at the end. scripts/python_figures writes the tables of docs/pytorch.md
from docs/results/torch-calls*.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path
from typing import Any, Callable

os.environ["OMP_NUM_THREADS"] = "1"  # exactdot's threads too
import exactdot as xd
import exactdot.torch as xt
import torch
import torch.nn.functional as F

from rounds import interleaved, repeated
from shapes import processor

Call = Callable[[], Any]


def gradient_of(call: Callable[..., torch.Tensor], leaf: torch.Tensor, g: torch.Tensor) -> Call:
    return lambda: torch.autograd.grad(call(leaf), leaf, g)


def cases(device: str) -> dict[str, tuple[Call, Call]]:
    """PyTorch's call and ours, by name."""
    def make(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, device=device)

    found: dict[str, tuple[Call, Call]] = {}
    for n in (64, 10_000, 1_000_000):
        x = make(n)
        found[f"`sum`, {n:,} elements"] = (lambda x=x: torch.sum(x), lambda x=x: xt.sum(x))
    for element in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64):
        x, out = (100 * make(64)).to(element), torch.empty((), dtype=element, device=device)
        found[f"`sum` into `out`, 64 of {str(element).removeprefix('torch.')}"] = (
            lambda x=x, out=out: torch.sum(x, 0, out=out), lambda x=x, out=out: xt.sum(x, 0, out=out))
    x = make(64)
    found["`dot`, 64 elements"] = (lambda: torch.dot(x, x), lambda: xt.dot(x, x))
    leaf, g = make(64).requires_grad_(), torch.ones((), device=device)
    found["`sum` and its gradient, 64 elements"] = (gradient_of(torch.sum, leaf, g), gradient_of(xt.sum, leaf, g))
    table, narrow = make(1000, 1000), make(1000, 1000).bfloat16()
    found["`sum` of 1000 rows of 1000"] = (lambda: torch.sum(table, 1), lambda: xt.sum(table, 1))
    found["`sum` of 1000 rows of 1000, bfloat16"] = (lambda: torch.sum(narrow, 1), lambda: xt.sum(narrow, 1))
    found["`var` of 1000 columns of 1000"] = (lambda: torch.var(table, 0), lambda: xt.var(table, 0))
    found["`vector_norm`, 1,000,000 elements"] = (lambda: torch.linalg.vector_norm(table), lambda: xt.vector_norm(table))
    v = make(1000)
    found["`mv`, 1000 by 1000"] = (lambda: torch.mv(table, v), lambda: xt.mv(table, v))
    tokens, weight = make(16, 512), make(512, 512)
    found["`linear`, 16 tokens, 512 to 512"] = (lambda: F.linear(tokens, weight), lambda: xt.linear(tokens, weight))
    learned, of_tokens = make(512, 512).requires_grad_(), make(16, 512)
    found["`linear`, its gradient"] = (gradient_of(lambda w: F.linear(tokens, w), learned, of_tokens),
                                                   gradient_of(lambda w: xt.linear(tokens, w), learned, of_tokens))
    of_ids, ids, rows = make(1000, 64), torch.randint(1000, (20_000,), device=device), make(20_000, 64)
    found["`index_add`, 20,000 rows of 64 into 1000"] = (lambda: torch.index_add(of_ids, 0, ids, rows),
                                                         lambda: xt.index_add(of_ids, 0, ids, rows))
    places = ids.unsqueeze(1).expand(rows.shape)
    found["`scatter_add`, the same by an expanded index"] = (lambda: torch.scatter_add(of_ids, 0, places, rows),
                                                             lambda: xt.scatter_add(of_ids, 0, places, rows))
    weights = of_ids.clone().requires_grad_()
    found["`embedding`, its gradient"] = (gradient_of(lambda w: F.embedding(ids, w), weights, rows),
                                                      gradient_of(lambda w: xt.embedding(ids, w), weights, rows))
    scale, shift = make(1000), make(1000)
    short = (table.bfloat16(), scale.bfloat16())
    found["`rms_norm`, 1000 rows of 1000, bfloat16"] = (lambda: F.rms_norm(short[0], (1000,), short[1], 1e-6),
                                                        lambda: xt.rms_norm(short[0], 1000, short[1], 1e-6))
    few = make(16, 1024).bfloat16(), make(1024).bfloat16()
    found["`rms_norm`, 16 rows of 1024, bfloat16"] = (lambda: F.rms_norm(few[0], (1024,), few[1], 1e-6),
                                                      lambda: xt.rms_norm(few[0], 1024, few[1], 1e-6))
    found["`layer_norm`, 1000 rows of 1000"] = (lambda: F.layer_norm(table, (1000,), scale, shift),
                                                lambda: xt.layer_norm(table, 1000, scale, shift))
    normalised, of_rows = table.clone().requires_grad_(), make(1000, 1000)
    found["`layer_norm`, its gradient"] = (
        gradient_of(lambda w: F.layer_norm(w, (1000,), scale, shift), normalised, of_rows),
        gradient_of(lambda w: xt.layer_norm(w, 1000, scale, shift), normalised, of_rows))
    tensors = [make(300, 300) for _ in range(10)] + [make(300) for _ in range(20)]
    found["`get_total_norm` of 30 tensors"] = (lambda: torch.nn.utils.get_total_norm(tensors),
                                                               lambda: xt.get_total_norm(tensors))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    wait = torch.cuda.synchronize if given.device == "cuda" else None

    def least(calls: dict[str, Call]) -> dict[str, float]:
        samples = interleaved({name: repeated(call, wait=wait) for name, call in calls.items()}, given.rounds)
        return {name + "_ns": round(1e9 * min(taken)) for name, taken in samples.items()}

    rows = [{"what": name} | least({"torch": theirs, "exactdot": ours}) for name, (theirs, ours) in cases(given.device).items()]
    x = torch.randn(64, device=given.device)

    def in_mode() -> None:
        x + x

    plain = least({"torch": in_mode})["torch_ns"]
    with xt.deterministic():
        mode = least({"torch": in_mode})["torch_ns"]
    device = torch.cuda.get_device_name() if given.device == "cuda" else processor()
    given.json.write_text(json.dumps({
        "machine": {"cpu": device, "python": platform.python_version(), "torch": torch.__version__, "exactdot": xd.info(),
                    "date": time.strftime("%Y-%m-%d")},
        "rounds": given.rounds, "rows": rows, "mode": {"plain_ns": plain, "mode_ns": mode}}) + "\n")
    for row in rows:
        print(f"{row['what']:50} {row['torch_ns'] / 1e3:10.1f} {row['exactdot_ns'] / 1e3:10.1f} µs  {row['exactdot_ns'] / row['torch_ns']:.2f}")
    print(f"an operator in deterministic(): {mode - plain:.0f} ns more")


if __name__ == "__main__":
    main()
