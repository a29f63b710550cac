"""Exact sums over the ranks of torch.distributed: the bits of one process, for any number of ranks.

Each rank adds its share to an accumulator's words; an allreduce of 64-bit integers sums them; every rank rounds. Gloo
sums on CPUs; with --backend nccl each rank has a GPU: exactdot adds torch's tensors there, and NCCL sums the tensor of
words. Without arguments the program starts 1 to 4 ranks on this machine.

usage: torch_distributed.py [--backend gloo|nccl] [--ranks N ...]
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
from typing import Any

import exactdot as xd
import numpy as np

N = 60_000


def vectors() -> tuple[np.ndarray, np.ndarray]:
    """Products that cancel; a real program would read only its share."""
    generator = np.random.default_rng(1)
    a = generator.standard_normal(N) * 2.0 ** generator.integers(-300, 300, N)
    return a, np.concatenate([a[N // 2 :], -a[: N // 2]]) * 1.1


def results() -> list[str]:
    """The exact dot product, mean and variance of one process."""
    a, b = vectors()
    return [float(x).hex() for x in (xd.dot(a, b), xd.mean(b), xd.var(b, ddof=1))]


def distributed_results(rank: int, ranks: int, backend: str) -> list[str]:
    import torch
    import torch.distributed as dist

    device = torch.device("cuda", rank) if backend == "nccl" else torch.device("cpu")
    adds_on_gpu = bool(xd.info()["cuda"]["devices"])  # else the elements stay on the host, and only words are sent
    share = slice(N * rank // ranks, N * (rank + 1) // ranks)
    a, b = (torch.from_numpy(np.ascontiguousarray(x[share])).to(device if adds_on_gpu else "cpu") for x in vectors())
    dot, moments = xd.Accumulator("float64"), xd.Moments("float64")
    dot.add(a, b)
    moments.add(b)
    # one message: the words of both, as 64-bit integers
    words = torch.from_numpy(np.concatenate([dot.words, moments.words])).to(device)
    dist.all_reduce(words, op=dist.ReduceOp.SUM)
    total = words.cpu().numpy()
    split = len(dot.words)
    dot, moments = xd.Accumulator.from_words(total[:split]), xd.Moments.from_words(total[split:])
    return [float(x).hex() for x in (dot, moments.mean(), moments.var(ddof=1))]


def run_rank(rank: int, ranks: int, backend: str, port: int, found: Any) -> None:
    import torch
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), NCCL_NVLS_ENABLE="0")
    if backend == "nccl":
        torch.cuda.set_device(rank)
    dist.init_process_group(backend, rank=rank, world_size=ranks)
    try:
        found[rank] = distributed_results(rank, ranks, backend)
    finally:
        dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", default="gloo", choices=["gloo", "nccl"])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 4])
    given = parser.parse_args()
    try:
        import torch
        import torch.multiprocessing as processes
    except ImportError:
        print("skipped: PyTorch is not installed")
        return
    if given.backend == "nccl":
        given.ranks = [ranks for ranks in given.ranks if ranks <= torch.cuda.device_count()]
        if not given.ranks:
            sys.exit("no GPU")
    expected = results()
    print("1 process:", *expected)
    for ranks in given.ranks:
        with socket.socket() as probe:  # a free port
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with processes.get_context("spawn").Manager() as manager:
            found = manager.dict()
            processes.spawn(run_rank, args=(ranks, given.backend, port, found), nprocs=ranks)
            for rank in range(ranks):
                assert found[rank] == expected, f"rank {rank} of {ranks}: {found[rank]}"
        print(f"{ranks} {given.backend} ranks: the same bits on each")


if __name__ == "__main__":
    main()
