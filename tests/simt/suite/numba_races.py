"""Races, translated for Numba's simulator; see numba_kernels.py."""
from numba import cuda, int32

from numba_kernel import N, kernel


@kernel("races in a warp", "neighbours", block=32, correct=False)
def neighbours(numbers, out, scratch, zeros, fault):
    values = cuda.shared.array(32, int32)
    values[cuda.threadIdx.x] = numbers[cuda.threadIdx.x]
    out[cuda.threadIdx.x] = values[(cuda.threadIdx.x + 1) % 32]


@kernel("races in a warp", "leader_collects", block=32, correct=False)
def leader_collects(numbers, out, scratch, zeros, fault):
    scratch[cuda.threadIdx.x] = numbers[cuda.threadIdx.x]
    if cuda.threadIdx.x != 0:
        return
    total = 0
    for i in range(32):
        total += scratch[i]
    out[0] = total


@kernel("races in a block", "tree_first_barrier", "tree_levels", block=128)
def tree(numbers, out, scratch, zeros, fault):
    sums = cuda.shared.array(128, int32)
    i = cuda.threadIdx.x
    sums[i] = numbers[i]
    if fault != 1:
        cuda.syncthreads()
    half = 64
    while half > 0:
        if i < half:
            sums[i] += sums[i + half]
        if fault != 2:
            cuda.syncthreads()
        half //= 2
    if i == 0:
        out[0] = sums[0]


@kernel("races in a block", "next_tile", block=64)
def next_tile(numbers, out, scratch, zeros, fault):
    tile = cuda.shared.array(64, int32)
    total = 0
    for step in range(4):
        tile[cuda.threadIdx.x] = numbers[step * 64 + cuda.threadIdx.x]
        cuda.syncthreads()
        total += tile[63 - cuda.threadIdx.x]
        if fault == 0:
            cuda.syncthreads()
    out[cuda.threadIdx.x] = total


@kernel("races in a block", "two_tiles", block=64)
def two_tiles(numbers, out, scratch, zeros, fault):
    tiles = cuda.shared.array((2, 64), int32)
    total = 0
    for step in range(6):
        tile = 0 if fault else step % 2
        tiles[tile, cuda.threadIdx.x] = numbers[step * 64 + cuda.threadIdx.x]
        cuda.syncthreads()
        total += tiles[tile, 63 - cuda.threadIdx.x]
    out[cuda.threadIdx.x] = total


@kernel("races in a block", "broadcast", block=96)
def broadcast(numbers, out, scratch, zeros, fault):
    total = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        total[0] = numbers[5]
    if fault == 0:
        cuda.syncthreads()
    out[cuda.threadIdx.x] = total[0]


@kernel("races in a block", "histogram", block=96)
def histogram(numbers, out, scratch, zeros, fault):
    bins = cuda.shared.array(8, int32)
    if cuda.threadIdx.x < 8:
        bins[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, N, cuda.blockDim.x):
        if fault:
            bins[numbers[i] % 8] += 1
        else:
            cuda.atomic.add(bins, numbers[i] % 8, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 8:
        out[cuda.threadIdx.x] = bins[cuda.threadIdx.x]


@kernel("races in a block", "cleared_bins", block=80)
def cleared_bins(numbers, out, scratch, zeros, fault):
    bins = cuda.shared.array(40, int32)
    if cuda.threadIdx.x < 40:
        bins[cuda.threadIdx.x] = 0
    if fault == 0:
        cuda.syncthreads()
    cuda.atomic.add(bins, 39 - cuda.threadIdx.x % 40, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 40:
        out[cuda.threadIdx.x] = bins[cuda.threadIdx.x]


@kernel("races in a block", "transpose", block=(8, 8))
def transpose(numbers, out, scratch, zeros, fault):
    tile = cuda.shared.array((8, 9), int32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = numbers[y * 8 + x]
    if fault == 0:
        cuda.syncthreads()
    out[y * 8 + x] = tile[x, y]


@kernel("races in a block", "stencil", block=64)
def stencil(numbers, out, scratch, zeros, fault):
    cells = cuda.shared.array(66, int32)
    i = cuda.threadIdx.x
    cells[i + 1] = numbers[64 + i]
    if i == 0:
        cells[0] = numbers[63]
    if i == 63:
        cells[65] = numbers[128]
    if fault == 0:
        cuda.syncthreads()
    out[i] = cells[i] + cells[i + 1] + cells[i + 2]


@kernel("races in a block", "block_scan", block=64)
def block_scan(numbers, out, scratch, zeros, fault):
    sums = cuda.shared.array(64, int32)
    i = cuda.threadIdx.x
    sums[i] = numbers[i]
    cuda.syncthreads()
    distance = 1
    while distance < 64:
        left = sums[i - distance] if i >= distance else 0
        if fault == 0:
            cuda.syncthreads()
        sums[i] += left
        cuda.syncthreads()
        distance *= 2
    out[63 - i] = sums[i]


@kernel("races in a block", "reset_counter", block=96)
def reset_counter(numbers, out, scratch, zeros, fault):
    count = cuda.shared.array(1, int32)
    total = 0
    for step in range(3):
        if cuda.threadIdx.x == 0:
            count[0] = 0
        cuda.syncthreads()
        if numbers[cuda.threadIdx.x] % 3 == step:
            cuda.atomic.add(count, 0, 1)
        cuda.syncthreads()
        total += count[0]
        if fault == 0:
            cuda.syncthreads()
    out[cuda.threadIdx.x] = total


@kernel("races in a block", "decision", block=64)
def decision(numbers, out, scratch, zeros, fault):
    stop = cuda.shared.array(1, int32)
    i = 0
    while True:
        if cuda.threadIdx.x == 0:
            stop[0] = numbers[i] == 3
        cuda.syncthreads()
        if stop[0]:
            break
        if fault == 0:
            cuda.syncthreads()
        i += 1
    out[cuda.threadIdx.x] = i


@kernel("races in a grid", "counter", grid=4, block=40)
def counter(numbers, out, scratch, zeros, fault):
    if fault:
        zeros[0] += 1
    else:
        cuda.atomic.add(zeros, 0, 1)


@kernel("races in a grid", "stencil_in_place", grid=4, block=64)
def stencil_in_place(numbers, out, scratch, zeros, fault):
    i = cuda.grid(1)
    if i < 254:
        total = zeros[i] + zeros[i + 2]
        if fault:
            zeros[i + 1] = total
        else:
            out[i] = total


@kernel("races in a grid", "sum_of_each_block", grid=4, block=64)
def sum_of_each_block(numbers, out, scratch, zeros, fault):
    total = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        total[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(total, 0, numbers[cuda.grid(1)])
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        out[0 if fault else cuda.blockIdx.x] = total[0]


@kernel("races in a grid", "ranges", grid=4, block=32)
def ranges(numbers, out, scratch, zeros, fault):
    first = cuda.blockIdx.x * 48
    for i in range(first + cuda.threadIdx.x, first + (49 if fault else 48), cuda.blockDim.x):
        scratch[i] = numbers[i]


@kernel("races in a grid", "reverse_in_place", grid=3, block=64)
def reverse_in_place(numbers, out, scratch, zeros, fault):
    i = cuda.grid(1)
    if fault:
        zeros[i] = zeros[191 - i]
    elif i < 96:
        x = zeros[i]
        zeros[i] = zeros[191 - i]
        zeros[191 - i] = x


@kernel("races in a grid", "reset_by_block_0", grid=5)
def reset_by_block_0(numbers, out, scratch, zeros, fault):
    if fault and cuda.blockIdx.x == 0:
        zeros[0] = 0
    cuda.atomic.add(zeros, 0, 1)


@kernel("races in a grid", "compaction", grid=4, block=48)
def compaction(numbers, out, scratch, zeros, fault):
    i = cuda.grid(1)
    if numbers[i] % 3 != 0:
        return
    if fault:
        position = zeros[0]
        zeros[0] = position + 1
    else:
        position = cuda.atomic.add(zeros, 0, 1)
    out[position] = numbers[i]


@kernel("races in a grid", "same_constant", grid=2, block=32)
def same_constant(numbers, out, scratch, zeros, fault):
    if fault or cuda.grid(1) == 0:
        out[0] = 1


@kernel("races in a grid", grid=4, block=40)
def tickets(numbers, out, scratch, zeros, fault):
    ticket = cuda.atomic.add(zeros, 0, 1)
    out[ticket] = ticket


@kernel("races in a grid", grid=4, block=40)
def first_come(numbers, out, scratch, zeros, fault):
    key = numbers[cuda.grid(1)] % 16
    if cuda.atomic.cas(zeros, key, 0, 1) == 0:
        out[key] = key
