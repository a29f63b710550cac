"""A sum in two launches: one partial sum a block by a tree in shared memory, then one block adds the partial sums. Right."""
import numpy as np
from numba import cuda, int32


@cuda.jit
def sum_blocks(x, partials):
    cache = cuda.shared.array(64, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    cache[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    stride = 32
    while stride > 0:
        if t < stride:
            cache[t] += cache[t + stride]
        cuda.syncthreads()
        stride //= 2
    if t == 0:
        partials[cuda.blockIdx.x] = cache[0]


x, partials, out = np.ones(200, np.int32), np.zeros(4, np.int32), np.zeros(1, np.int32)
sum_blocks[4, 64](x, partials)
sum_blocks[1, 64](partials, out)
print("sum", out[0], "of", x.size)
