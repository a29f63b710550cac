"""A sum whose threads add to one word, without an atomic function: wrong on purpose."""
import numpy as np
from numba import cuda


@cuda.jit
def add_all(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0] += x[i]


x, out = np.ones(200, np.int32), np.zeros(1, np.int32)
add_all[4, 64](x, out)
print("sum", out[0], "of", x.size)
