"""Kernels of the suite, translated by hand for Numba's CUDA simulator: the same arrays, indices, barriers and faults.

Imported for what they register: numba_races, numba_order, numba_memory, numba_threads.
"""
import numba_races  # noqa: F401  in the order of the families
import numba_order  # noqa: F401
import numba_memory  # noqa: F401
import numba_threads  # noqa: F401
from numba_kernel import KERNELS, N  # noqa: F401

# Families without a translation, or with some kernels without one, and what these need that Numba or its simulator lacks.
NOT_TRANSLATED = {
    "alignment": "pointers of another type", "asynchronous copies, clusters, mbarriers": "the functions of these names",
    "scopes of atomics": "atomics of block or system scope",
    "races in a warp, warp functions, sums and scans": "functions of a warp", "traps": "a trap, an overflow of the stack",
    "fences, livelocks": "volatile words, and blocks that run at the same time",
    "bounds, initialisation": "pointers, structs, bytes of a word, memory of the host"}
