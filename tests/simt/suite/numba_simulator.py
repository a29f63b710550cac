#!/usr/bin/env python3
"""Runs some faulty kernels of the suite, translated by hand, on Numba's CUDA simulator, and records what it names.

Each kernel runs in a process of its own, with a time limit, because the simulator may hang. It is named if the launch
raises an exception. Not translated: clusters, mbarriers, asynchronous copies, scopes of atomics, alignment, fences of
block scope, which Numba's language or its simulator does not have.

usage: numba_simulator.py FILE.json        needs: pip install numba
"""
import json
import os
import subprocess
import sys

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import numba
import numpy as np
from numba import cuda, int32

N, SECONDS = 1003, 20


@cuda.jit
def neighbours(numbers, out, zeros):
    values = cuda.shared.array(32, int32)
    values[cuda.threadIdx.x] = numbers[cuda.threadIdx.x]
    out[cuda.threadIdx.x] = values[(cuda.threadIdx.x + 1) % 32]


@cuda.jit
def broadcast(numbers, out, zeros):
    total = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        total[0] = numbers[5]
    out[cuda.threadIdx.x] = total[0]


@cuda.jit
def tree_levels(numbers, out, zeros):
    sums = cuda.shared.array(128, int32)
    i = cuda.threadIdx.x
    sums[i] = numbers[i]
    cuda.syncthreads()
    half = 64
    while half > 0:
        if i < half:
            sums[i] += sums[i + half]
        half //= 2
    if i == 0:
        out[0] = sums[0]


@cuda.jit
def histogram(numbers, out, zeros):
    bins = cuda.shared.array(8, int32)
    if cuda.threadIdx.x < 8:
        bins[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, N, cuda.blockDim.x):
        bins[numbers[i] % 8] += 1
    cuda.syncthreads()
    if cuda.threadIdx.x < 8:
        out[cuda.threadIdx.x] = bins[cuda.threadIdx.x]


@cuda.jit
def counter(numbers, out, zeros):
    zeros[0] += 1


@cuda.jit
def last_block_no_fence_before(numbers, out, zeros):
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x + 1] = numbers[cuda.blockIdx.x]
        if cuda.atomic.add(zeros, 0, 1) == cuda.gridDim.x - 1:
            cuda.threadfence()
            total = 0
            for i in range(cuda.gridDim.x):
                total += out[i + 1]
            out[0] = total


@cuda.jit
def in_branch(numbers, out, zeros):
    sums = cuda.shared.array(64, int32)
    i = cuda.threadIdx.x
    sums[i] = numbers[i]
    cuda.syncthreads()
    half = 32
    while half > 0:
        if i < half:
            sums[i] += sums[i + half]
            cuda.syncthreads()
        half //= 2
    if i == 0:
        out[0] = sums[0]


@cuda.jit
def two_places(numbers, out, zeros):
    if cuda.threadIdx.x % 2 == 0:
        out[cuda.threadIdx.x] = 1
        cuda.syncthreads()
    else:
        out[cuda.threadIdx.x] = 2
        cuda.syncthreads()


@cuda.jit
def ragged_tail(numbers, out, zeros):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    out[i] = numbers[i]


@cuda.jit
def before_the_start(numbers, out, zeros):
    i = cuda.threadIdx.x
    out[i] = numbers[i] - numbers[i - 1]


@cuda.jit
def static_shared(numbers, out, zeros):
    values = cuda.shared.array(64, int32)
    for i in range(cuda.threadIdx.x, 64, cuda.blockDim.x):
        values[i] = 0
    cuda.syncthreads()
    values[cuda.threadIdx.x + 33] = numbers[cuda.threadIdx.x]


@cuda.jit
def count_from_nothing(numbers, out, zeros):
    count = cuda.shared.array(1, int32)
    cuda.atomic.add(count, 0, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        out[0] = count[0]


@cuda.jit
def shuffle_in_branch(numbers, out, zeros):
    x = 1
    if cuda.threadIdx.x < 16:
        x += cuda.shfl_down_sync(0xFFFFFFFF, x, 8)
    cuda.syncthreads()
    out[cuda.threadIdx.x] = x


@cuda.jit
def forgotten_flag(numbers, out, zeros):
    if cuda.blockIdx.x == 1 and cuda.threadIdx.x == 0:
        while cuda.atomic.add(zeros, 0, 0) == 0:
            pass


@cuda.jit
def lock_taken_twice(numbers, out, zeros):
    for _ in range(2):
        while cuda.atomic.cas(zeros, 0, 0, 1) != 0:
            pass


KERNELS = {
    "neighbours": ("races in a warp", neighbours, 1, 32), "broadcast": ("races in a block", broadcast, 1, 96),
    "tree_levels": ("races in a block", tree_levels, 1, 128), "histogram": ("races in a block", histogram, 1, 96),
    "counter": ("races in a grid", counter, 4, 40),
    "last_block_no_fence_before": ("fences", last_block_no_fence_before, 6, 32),
    "in_branch": ("barriers of a block", in_branch, 1, 64),
    "two_places": ("barriers of a block", two_places, 1, 64), "ragged_tail": ("bounds", ragged_tail, 16, 64),
    "before_the_start": ("bounds", before_the_start, 1, 32), "static_shared": ("bounds", static_shared, 1, 32),
    "count_from_nothing": ("initialisation", count_from_nothing, 1, 40),
    "shuffle_in_branch": ("warp functions", shuffle_in_branch, 1, 32),
    "forgotten_flag": ("livelocks", forgotten_flag, 3, 32),
    "lock_taken_twice": ("livelocks", lock_taken_twice, 1, 1)}


def launch(name):
    _, kernel, grid, block = KERNELS[name]
    numbers, out, zeros = np.arange(N, dtype=np.int32), np.zeros(1024, np.int32), np.zeros(256, np.int32)
    try:
        kernel[grid, block](numbers, out, zeros)
    except AttributeError as error:
        print(f"nothing: {str(error).rsplit(': ', 1)[-1]}")
    except Exception as error:  # whatever the simulator raises is what it names
        lines = str(error).strip().splitlines()
        print(f"{type(error).__name__}: {lines[-1] if lines else ''}")


def main(file):
    rows = []
    for name, (family, *_) in KERNELS.items():
        try:
            done = subprocess.run([sys.executable, __file__, "--kernel", name], capture_output=True, text=True,
                                  timeout=SECONDS, check=True)
            named = done.stdout.strip()
        except subprocess.TimeoutExpired:
            named = f"nothing: still running after {SECONDS} s"
        rows.append({"family": family, "name": name, "named": named})
        print(name, "|", named)
    with open(file, "w") as results:
        json.dump({"numba": numba.__version__, "rows": rows}, results, indent=1)
        results.write("\n")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--kernel":
        launch(sys.argv[2])
    elif len(sys.argv) == 2:
        main(sys.argv[1])
    else:
        sys.exit(__doc__)
