"""Bounds and initialisation, translated for Numba's simulator; see numba_kernels.py."""
from numba import cuda, int32

from numba_kernel import N, kernel


@kernel("bounds", "ragged_tail", grid=16, block=64)
def ragged_tail(numbers, out, scratch, zeros, fault):
    i = cuda.grid(1)
    if fault or i < N:
        out[i] = numbers[i]


@kernel("bounds", "before_the_start", grid=2, block=32)
def before_the_start(numbers, out, scratch, zeros, fault):
    i = cuda.grid(1)
    out[i] = numbers[i] - numbers[i - 1] if i > 0 or fault else 0


@kernel("bounds", "one_too_many")
def one_too_many(numbers, out, scratch, zeros, fault):
    total = 0
    for i in range(N + 1 if fault else N):
        total += numbers[i]
    out[0] = total


@kernel("bounds", "wrong_pitch", grid=20, block=32)
def wrong_pitch(numbers, out, scratch, zeros, fault):
    scratch[cuda.blockIdx.x * (64 if fault else 32) + cuda.threadIdx.x] = cuda.threadIdx.x


@kernel("bounds", "scatter", grid=3, block=32)
def scatter(numbers, out, scratch, zeros, fault):
    key = numbers[cuda.grid(1)] * 3
    zeros[key if fault else key % 256] = 0


@kernel("bounds", "atomic_outside", block=32)
def atomic_outside(numbers, out, scratch, zeros, fault):
    cuda.atomic.add(zeros, (250 if fault else 200) + cuda.threadIdx.x, 1)


@kernel("bounds", "static_shared", block=32)
def static_shared(numbers, out, scratch, zeros, fault):
    values = cuda.shared.array(64, int32)
    for i in range(cuda.threadIdx.x, 64, cuda.blockDim.x):
        values[i] = 0
    cuda.syncthreads()
    values[cuda.threadIdx.x + (33 if fault else 32)] = numbers[cuda.threadIdx.x]
    cuda.syncthreads()
    out[cuda.threadIdx.x] = values[32 + cuda.threadIdx.x]


@kernel("bounds", "too_many_threads", block=64)
def too_many_threads(numbers, out, scratch, zeros, fault):
    values = cuda.shared.array(48, int32)
    if fault == 0 and cuda.threadIdx.x >= 48:
        return
    values[cuda.threadIdx.x] = numbers[cuda.threadIdx.x]
    out[cuda.threadIdx.x] = values[cuda.threadIdx.x]


@kernel("bounds", "into_another_array", block=32)
def into_another_array(numbers, out, scratch, zeros, fault):
    values = cuda.shared.array((2, 32), int32)
    values[0, cuda.threadIdx.x] = 0
    values[1, cuda.threadIdx.x] = 0
    cuda.syncthreads()
    values[0 if fault else 1, cuda.threadIdx.x + (1 if fault else 0)] = 1
    cuda.syncthreads()
    out[cuda.threadIdx.x] = values[1, cuda.threadIdx.x]


@kernel("bounds", "column_index", block=64)
def column_index(numbers, out, scratch, zeros, fault):
    tile = cuda.shared.array((8, 8), int32)
    x, y = cuda.threadIdx.x % 8, cuda.threadIdx.x // 8
    tile[y, x] = 1
    cuda.syncthreads()
    if y == 0:
        tile[x, x + 1 if fault else x] = 2
    cuda.syncthreads()
    out[cuda.threadIdx.x] = tile[y, x]


@kernel("bounds", "local_array", block=32)
def local_array(numbers, out, scratch, zeros, fault):
    kept = cuda.local.array(4, int32)
    for i in range(4):
        kept[i] = 0
    for i in range(8):
        kept[numbers[i] % (5 if fault else 4)] += 1
    out[cuda.threadIdx.x] = kept[0] + kept[1] + kept[2] + kept[3]


@kernel("initialisation", "half_of_an_array", block=64)
def half_of_an_array(numbers, out, scratch, zeros, fault):
    values = cuda.shared.array(64, int32)
    if fault == 0 or cuda.threadIdx.x < 32:
        values[cuda.threadIdx.x] = numbers[cuda.threadIdx.x]
    cuda.syncthreads()
    out[cuda.threadIdx.x] = values[63 - cuda.threadIdx.x]


@kernel("initialisation", "count_from_nothing", block=40)
def count_from_nothing(numbers, out, scratch, zeros, fault):
    count = cuda.shared.array(1, int32)
    if fault == 0 and cuda.threadIdx.x == 0:
        count[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(count, 0, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        out[0] = count[0]


@kernel("initialisation", "accumulator", block=32)
def accumulator(numbers, out, scratch, zeros, fault):
    cuda.atomic.add(scratch if fault else zeros, 0, numbers[cuda.threadIdx.x])


@kernel("initialisation", "partial_sums", grid=3, block=32)
def partial_sums(numbers, out, scratch, zeros, fault):
    if cuda.blockIdx.x < 2 or fault == 0:
        scratch[cuda.grid(1)] = 1
    cuda.syncthreads()
    out[cuda.grid(1)] = scratch[cuda.blockIdx.x * 32 + 31 - cuda.threadIdx.x]


@kernel("initialisation", "one_past_the_stored")
def one_past_the_stored(numbers, out, scratch, zeros, fault):
    for i in range(20):
        scratch[i] = numbers[i]
    total = 0
    for i in range(21 if fault else 20):
        total += scratch[i]
    out[0] = total
