"""Times exact sums over ranks beside torch.distributed's own: all_reduce, and a step of DistributedDataParallel with exact_hook.

python bench/python/torch_ranks.py --json FILE [--ranks N] [--backend nccl|gloo] [--rounds N]. One process a rank, on nccl with a GPU
each. Times are medians over rounds of the slowest rank's, the two in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import time
from pathlib import Path
from typing import Any, Callable

import exactdot as xd
import exactdot.torch as xt
import exactdot.torch.distributed as xdist
import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing

TYPES = (torch.float32, torch.bfloat16)
ELEMENTS = (2 ** 10, 2 ** 20, 2 ** 24)


def slowest(call: Callable[[], object], device: torch.device, calls: int) -> float:
    """Microseconds a call of the slowest rank."""
    dist.barrier()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    if device.type == "cuda":
        torch.cuda.synchronize()
    taken = torch.tensor((time.perf_counter() - start) / calls * 1e6, device=device)
    dist.all_reduce(taken, op=dist.ReduceOp.MAX)
    return float(taken)


def medians(calls: dict[str, Callable[[], object]], device: torch.device, rounds: int, count: int) -> dict[str, float]:
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        slowest(call, device, 2)
    for _ in range(rounds):
        for name, call in calls.items():
            found[name].append(slowest(call, device, count))
    return {f"{name}_us": round(statistics.median(taken), 1) for name, taken in found.items()}


def step_of(element: torch.dtype, device: torch.device, hooked: bool) -> Callable[[], object]:
    """A training step of a perceptron of 25 million parameters."""
    torch.manual_seed(1)
    wide = 2048
    layers = [layer for _ in range(6) for layer in (torch.nn.Linear(wide, wide), torch.nn.ReLU())]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers).to(device, element),
                                                      device_ids=[device.index] if device.type == "cuda" else None)
    if hooked:
        model.register_comm_hook(None, xdist.exact_hook)
    x = torch.randn(256, wide, device=device, dtype=element)

    def step() -> None:
        model.zero_grad(set_to_none=True)
        xt.sum(model(x).float()).backward()
    return step


def run(rank: int, ranks: int, given: argparse.Namespace) -> None:
    device = torch.device("cuda", rank) if given.backend == "nccl" else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group(given.backend, init_method=f"tcp://127.0.0.1:{given.port}", rank=rank, world_size=ranks)
    rows: list[dict[str, Any]] = []
    for element in TYPES:
        name = str(element).removeprefix("torch.")
        for n in ELEMENTS:
            x = torch.randn(n, device=device, dtype=element)
            calls = {"torch": lambda x=x: dist.all_reduce(x.clone()), "exactdot": lambda x=x: xdist.all_reduce_exact(x)}
            rows.append({"what": "all_reduce", "type": name, "elements": n} | medians(calls, device, given.rounds, 10))
        steps = {"torch": step_of(element, device, False), "exactdot": step_of(element, device, True)}
        rows.append({"what": "step of DDP", "type": name, "elements": 6 * 2048 * 2049} | medians(steps, device, given.rounds, 3))
    if rank == 0:
        gpu = torch.cuda.get_device_name() if device.type == "cuda" else "CPU"
        given.json.write_text(json.dumps({"device": gpu, "ranks": ranks, "backend": given.backend, "torch": torch.__version__,
                                          "version": xd.__version__, "date": time.strftime("%Y-%m-%d"), "rows": rows}) + "\n")
        for row in rows:
            print(f"{row['what']:12} {row['type']:9} {row['elements']:10} {row['torch_us']:10.1f} {row['exactdot_us']:10.1f} µs  "
                  f"{row['exactdot_us'] / row['torch_us']:.2f}")
    dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--backend", default="nccl", choices=["nccl", "gloo"])
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        given.port = free.getsockname()[1]
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    multiprocessing.spawn(run, args=(given.ranks, given), nprocs=given.ranks)


if __name__ == "__main__":
    main()
