"""A sum by a tree in shared memory, without the barrier at the end of each step: wrong on purpose."""
import numpy as np
from numba import cuda, int32


@cuda.jit
def sum_block(x, out):
    cache = cuda.shared.array(128, int32)
    t = cuda.threadIdx.x
    cache[t] = x[t]
    cuda.syncthreads()
    stride = 64
    while stride > 0:
        if t < stride:
            cache[t] += cache[t + stride]
        stride //= 2
    if t == 0:
        out[0] = cache[0]


x, out = np.ones(128, np.int32), np.zeros(1, np.int32)
sum_block[1, 128](x, out)
print("sum", out[0], "of", x.size)
