"""A sum of a warp whose lanes exchange values; half of the lanes stay away from a shuffle that names all: wrong on purpose."""
import numpy as np
from numba import cuda


@cuda.jit
def sum_warp(x, out):
    t = cuda.threadIdx.x
    value = x[t]
    distance = 16
    while distance > 0:
        if t < distance:
            value += cuda.shfl_down_sync(0xffffffff, value, distance)
        distance //= 2
    if t == 0:
        out[0] = value


x, out = np.ones(32, np.int32), np.zeros(1, np.int32)
sum_warp[1, 32](x, out)
print("sum", out[0], "of", x.size)
