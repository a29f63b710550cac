"""Kernels of the suite, translated by hand for Numba's CUDA simulator: the same arrays, indices, barriers and faults.

Each function is one kernel with all its variants: `fault` is 0 in the correct one, else the number of the fault. Names,
grids and blocks are those of the .cu files. `numbers` holds 0, 1, 2 …; `zeros` zeros; `out` and `scratch` are unwritten.
"""
from numba import cuda, int32

N = 1003
KERNELS = []  # family, name, fault, grid, block, function

# Families without a translation, or with some kernels without one, and what these need that Numba or its simulator lacks.
NOT_TRANSLATED = {
    "alignment": "pointers of another type", "asynchronous copies, clusters, mbarriers": "the functions of these names",
    "scopes of atomics": "atomics of block or system scope",
    "races in a warp, warp functions, sums and scans": "functions of a warp", "traps": "a trap, an overflow of the stack",
    "fences, livelocks": "volatile words, and blocks that run at the same time",
    "bounds, initialisation": "pointers, structs, bytes of a word, memory of the host"}


def kernel(family, *faults, grid=1, block=1, correct=True):
    """Adds the variants of a kernel. `faults`: their names, from fault 1 on; the correct one has the first name."""
    def add(function):
        compiled = cuda.jit(function)
        names = faults or (function.__name__,)
        for number, name in enumerate(names, 1) if faults else ():
            KERNELS.append((family, name, number, grid, block, compiled))
        if correct:
            KERNELS.append((family, names[0], 0, grid, block, compiled))
        return compiled
    return add


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
