"""Exact sums over the ranks of torch.distributed: the bits of one process, for any number of ranks.

Each rank adds its share to an accumulator's words; an allreduce of 64-bit integers sums them; every rank rounds. Gloo
sums on CPUs; with --backend nccl each rank has a GPU: exactdot adds torch's tensors there, and NCCL sums the tensor of
words. Without arguments the program starts 1 to 4 ranks on this machine; torchrun starts as many as it is told, on any
number of machines.

usage: torch_distributed.py [--backend gloo|nccl] [--ranks N ...]
       torchrun --nproc-per-node N torch_distributed.py [--backend gloo|nccl]
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


def distributed_results(device: Any) -> list[str]:
    """The same of all ranks. device: where torch and NCCL, if it is a GPU, have this rank's memory."""
    import torch
    import torch.distributed as dist

    rank, ranks = dist.get_rank(), dist.get_world_size()
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


def with_ranks(backend: str, local_rank: int, **group: Any) -> list[str]:
    """Joins the other ranks, computes with them, and leaves. local_rank: of those on this machine, so the GPU's number."""
    import torch
    import torch.distributed as dist

    device = torch.device("cpu")
    if backend == "nccl":
        device = torch.device("cuda", local_rank)
        torch.cuda.set_device(device)  # before the group: NCCL takes the current GPU
    dist.init_process_group(backend, **group)
    try:
        return distributed_results(device)
    finally:
        dist.destroy_process_group()


def run_rank(rank: int, ranks: int, backend: str, port: int, found: Any) -> None:
    found[rank] = with_ranks(backend, rank, init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)


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
    expected = results()
    if "LOCAL_RANK" in os.environ:  # torchrun has started this process, and says where the others are
        found = with_ranks(given.backend, int(os.environ["LOCAL_RANK"]))
        assert found == expected, f"rank {os.environ['RANK']}: {found}"
        print(f"rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']}: the bits of one process")
        return
    if given.backend == "nccl":
        given.ranks = [ranks for ranks in given.ranks if ranks <= torch.cuda.device_count()]
        if not given.ranks:
            sys.exit("no GPU")
    print("1 process:", *expected)
    for ranks in given.ranks:
        with socket.socket() as probe:  # a free port
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with processes.get_context("spawn").Manager() as manager:
            of_rank = manager.dict()
            processes.spawn(run_rank, args=(ranks, given.backend, port, of_rank), nprocs=ranks)
            for rank in range(ranks):
                assert of_rank[rank] == expected, f"rank {rank} of {ranks}: {of_rank[rank]}"
        print(f"{ranks} {given.backend} ranks: the same bits on each")


if __name__ == "__main__":
    main()
