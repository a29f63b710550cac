"""Exact sums over the ranks of MPI, with the bits of a single process: mpirun -n 4 python mpi_ranks.py

Each rank adds its share to accumulators; MPI adds their int64 words. Many sums travel in one message: the words are an
array of a row for each. Prints the same text for any number of ranks. --uneven: the last rank has all elements. --drop: the
last rank forgets one element, which changes the text.
"""

from __future__ import annotations

import sys

import exactdot as xd
import numpy as np
from mpi4py import MPI

N, FIELDS = 9_001, 3


def allreduce(comm: MPI.Comm, accumulators: list[xd.Accumulator]) -> list[xd.Accumulator]:
    """The sums over all ranks, on all ranks: one collective. All ranks have as many accumulators, of the same types."""
    words = np.stack([acc.words for acc in accumulators])
    comm.Allreduce(MPI.IN_PLACE, words, op=MPI.SUM)
    return [xd.Accumulator.from_words(row) for row in words]


def main() -> None:
    comm = MPI.COMM_WORLD
    generator = np.random.default_rng(1)  # a real program would read only its share
    x = generator.standard_normal((FIELDS, N)) * 2.0 ** generator.integers(-300, 300, (FIELDS, N))
    x[2] = np.concatenate([x[0, : N // 2], -x[0, : N // 2], [2.0**-1000]])  # cancels, but for one element

    share = slice(comm.rank, N, comm.size)
    if "--uneven" in sys.argv:
        share = slice(0, N if comm.rank == comm.size - 1 else 0)
    if "--drop" in sys.argv and comm.rank == comm.size - 1:
        share = slice(comm.rank, N - comm.size, comm.size)
    accumulators = []
    for field in x:
        acc = xd.Accumulator("float64")
        acc.add(field[share])
        accumulators.append(acc)
    dot = xd.Accumulator("float64")
    dot.add(x[0, share], x[1, share])

    *sums, dot = allreduce(comm, [*accumulators, dot])
    if comm.rank == 0:
        for i, total in enumerate(sums):
            print(f"sum of field {i}:", float(total).hex())
        print("dot:", float(dot).hex())


if __name__ == "__main__":
    main()
