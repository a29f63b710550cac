"""Fences and barriers, translated for Numba's simulator; see numba_kernels.py."""
from numba import cuda, int32

from numba_kernel import N, kernel


@kernel("fences", "message_no_fence_of_writer", "message_no_fence_of_reader", "message_fence_too_late", grid=2, block=32)
def message(numbers, out, scratch, zeros, fault):
    if cuda.threadIdx.x != 0:
        return
    if cuda.blockIdx.x == 0:
        scratch[0] = 7
        if fault != 1 and fault != 3:
            cuda.threadfence()
        cuda.atomic.exch(zeros, 0, 1)
        if fault == 3:
            cuda.threadfence()
    else:
        while cuda.atomic.add(zeros, 0, 0) != 1:
            pass
        if fault != 2:
            cuda.threadfence()
        out[0] = scratch[0]


@kernel("fences", "message_of_a_block", grid=2, block=64)
def message_of_a_block(numbers, out, scratch, zeros, fault):
    i = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        scratch[i] = numbers[i]
        if fault == 0:
            cuda.syncthreads()
        if i == 0:
            cuda.threadfence()
            cuda.atomic.exch(zeros, 0, 1)
    else:
        if i == 0:
            while cuda.atomic.add(zeros, 0, 0) != 1:
                pass
            cuda.threadfence()
        cuda.syncthreads()
        out[i] = scratch[i]


@kernel("fences", "last_block_no_fence_before", "last_block_no_fence_after", grid=6, block=32)
def last_block(numbers, out, scratch, zeros, fault):
    is_last, total = cuda.shared.array(1, int32), cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        total[0] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), N, cuda.gridsize(1)):
        cuda.atomic.add(total, 0, numbers[i])
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        scratch[cuda.blockIdx.x] = total[0]
        if fault != 1:
            cuda.threadfence()
        is_last[0] = cuda.atomic.add(zeros, 0, 1) == cuda.gridDim.x - 1
        if fault != 2:
            cuda.threadfence()
    cuda.syncthreads()
    if is_last[0] and cuda.threadIdx.x == 0:
        out[0] = 0
        for i in range(cuda.gridDim.x):
            out[0] += scratch[i]


@kernel("barriers of a block", "in_branch", block=64)
def in_branch(numbers, out, scratch, zeros, fault):
    sums = cuda.shared.array(64, int32)
    i = cuda.threadIdx.x
    sums[i] = numbers[i]
    cuda.syncthreads()
    half = 32
    while half > 0:
        if i < half:
            sums[i] += sums[i + half]
            if fault:
                cuda.syncthreads()
        if fault == 0:
            cuda.syncthreads()
        half //= 2
    if i == 0:
        out[0] = sums[0]


@kernel("barriers of a block", "ragged_loop", block=96)
def ragged_loop(numbers, out, scratch, zeros, fault):
    rounds = 2 + cuda.threadIdx.x // 32 if fault else 3
    for _ in range(rounds):
        cuda.syncthreads()
    out[cuda.threadIdx.x] = rounds
    cuda.syncthreads()


@kernel("barriers of a block", "two_places", grid=2, block=64)
def two_places(numbers, out, scratch, zeros, fault):
    if (cuda.threadIdx.x % 2 == 0) if fault else (cuda.blockIdx.x == 0):
        out[cuda.grid(1)] = 1
        cuda.syncthreads()
    else:
        scratch[cuda.grid(1)] = 2
        cuda.syncthreads()


@kernel("barriers of a block", "skipped_by_a_warp", block=96)
def skipped_by_a_warp(numbers, out, scratch, zeros, fault):
    if fault == 0 or cuda.threadIdx.x // 32 != 1:
        cuda.syncthreads()
    out[cuda.threadIdx.x] = 1


@kernel("barriers of a block", "condition_of_the_data", block=64)
def condition_of_the_data(numbers, out, scratch, zeros, fault):
    if numbers[cuda.threadIdx.x if fault else 0] % 5 == 0:
        scratch[cuda.threadIdx.x] = 1
        cuda.syncthreads()
    out[cuda.threadIdx.x] = 1


@kernel("barriers of a block", "count_in_branch", block=64)
def count_in_branch(numbers, out, scratch, zeros, fault):
    count = 0
    if fault == 0 or cuda.threadIdx.x < 40:
        count = cuda.syncthreads_count(cuda.threadIdx.x % 2 == 0)
    out[cuda.threadIdx.x] = count


@kernel("barriers of a block", "broken_loop", block=64)
def broken_loop(numbers, out, scratch, zeros, fault):
    found = -1
    for i in range(4):
        if numbers[cuda.threadIdx.x] % 4 == i:
            found = i
            if fault:
                break
        cuda.syncthreads()
    out[cuda.threadIdx.x] = found


@kernel("barriers of a block", "two_kinds", block=64)
def two_kinds(numbers, out, scratch, zeros, fault):
    any_of_them = 0
    if fault and cuda.threadIdx.x < 32:
        any_of_them = cuda.syncthreads_or(1)
    else:
        cuda.syncthreads()
    out[cuda.threadIdx.x] = any_of_them


@kernel("barriers of a block", block=80)
def rounds_by_vote(numbers, out, scratch, zeros, fault):
    x, rounds = numbers[cuda.threadIdx.x], 0
    while cuda.syncthreads_or(x > 1):
        x //= 2
        rounds += 1
    out[cuda.threadIdx.x] = rounds
