"""A sum whose threads add to one word by an atomic function; the word is new memory that nobody has set to zero."""
import numpy as np
from numba import cuda


@cuda.jit
def add_all(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i])


x = np.ones(200, np.int32)
out = cuda.device_array(1, np.int32)
add_all[4, 64](x, out)
print("sum", out.copy_to_host()[0], "of", x.size)
