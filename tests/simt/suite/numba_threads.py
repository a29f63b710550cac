"""Warp functions, livelocks, sums and scans, translated for Numba's simulator; see numba_kernels.py."""
from numba import cuda, int32

from numba_kernel import kernel


@kernel("warp functions", "shuffle_in_branch", block=32)
def shuffle_in_branch(numbers, out, scratch, zeros, fault):
    x = 1
    if cuda.threadIdx.x < 16:
        x += cuda.shfl_down_sync(0xFFFFFFFF if fault else 0xFFFF, x, 8)
    cuda.syncthreads()
    out[cuda.threadIdx.x] = x


@kernel("livelocks", "forgotten_flag", grid=3, block=32)
def forgotten_flag(numbers, out, scratch, zeros, fault):
    if cuda.threadIdx.x != 0:
        return
    if cuda.blockIdx.x == 0:
        if fault == 0:
            cuda.atomic.exch(zeros, 0, 1)
    else:
        while cuda.atomic.add(zeros, 0, 0) == 0:
            pass


@kernel("livelocks", "wrong_value", grid=4, block=32)
def wrong_value(numbers, out, scratch, zeros, fault):
    if cuda.threadIdx.x != 0:
        return
    cuda.atomic.add(zeros, 0, 1)
    while cuda.atomic.add(zeros, 0, 0) != cuda.gridDim.x + (1 if fault else 0):
        pass


@kernel("livelocks", "lock_taken_twice")
def lock_taken_twice(numbers, out, scratch, zeros, fault):
    for _ in range(2):
        while cuda.atomic.cas(zeros, 0, 0, 1) != 0:
            pass
        if fault == 0:
            cuda.atomic.exch(zeros, 0, 0)


@kernel("livelocks", "lock_kept", grid=5, block=32)
def lock_kept(numbers, out, scratch, zeros, fault):
    if cuda.threadIdx.x != 0:
        return
    while cuda.atomic.cas(zeros, 0, 0, 1) != 0:
        pass
    cuda.threadfence()
    if fault and zeros[9] == 2:
        return
    zeros[9] += 1
    cuda.threadfence()
    cuda.atomic.exch(zeros, 0, 0)


@kernel("sums and scans", "product_before", "product_after", grid=(2, 2), block=(8, 8))
def matrix_product(numbers, out, scratch, zeros, fault):
    a, b = cuda.shared.array((8, 8), int32), cuda.shared.array((8, 8), int32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 8 + x, cuda.blockIdx.y * 8 + y
    total = 0
    for k in range(0, 16, 8):
        a[y, x] = numbers[row * 16 + k + x]
        b[y, x] = numbers[(k + y) * 16 + column]
        if fault != 1:
            cuda.syncthreads()
        for j in range(8):
            total += a[y, j] * b[j, x]
        if fault != 2:
            cuda.syncthreads()
    out[row * 16 + column] = total


@kernel("sums and scans", "bitonic_sort", block=128)
def bitonic_sort(numbers, out, scratch, zeros, fault):
    keys = cuda.shared.array(128, int32)
    i = cuda.threadIdx.x
    keys[i] = (numbers[i] * 37) % 128
    cuda.syncthreads()
    size = 2
    while size <= 128:
        distance = size // 2
        while distance > 0:
            other = i ^ distance
            if other > i:
                x, y = keys[i], keys[other]
                if (x > y) == (i & size == 0):
                    keys[i] = y
                    keys[other] = x
            if fault == 0 or distance != 1:
                cuda.syncthreads()
            distance //= 2
        size *= 2
    cuda.syncthreads()
    out[i] = keys[i]
