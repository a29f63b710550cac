"""Registers kernels of the suite that are translated by hand for Numba's CUDA simulator (numba_kernels.py).

Each function is one kernel with all its variants: `fault` is 0 in the correct one, else the number of the fault. Names,
grids and blocks are those of the .cu files. `numbers` holds 0, 1, 2 …; `zeros` zeros; `out` and `scratch` are unwritten.
"""
from numba import cuda

N = 1003
KERNELS = []  # family, name, fault, grid, block, function


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
