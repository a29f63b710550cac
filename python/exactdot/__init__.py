"""Exact, reproducible reductions: the real-number value, rounded once, at the speed of memory.

>>> import exactdot as xd
>>> import numpy as np
>>> xd.dot(np.array([1e200, 1e200, 1.0]), np.array([1e200, -1e200, 1.0]))
1.0
>>> xd.sum([1e100, 1.0, -1e100])
1.0
"""

from exactdot._engine import (
    Accumulator,
    Moments,
    argmax,
    argmin,
    asum,
    dot,
    info,
    matvec,
    max,
    mean,
    min,
    norm,
    segment_argmax,
    segment_argmin,
    segment_asum,
    segment_dot,
    segment_max,
    segment_mean,
    segment_min,
    segment_norm,
    segment_std,
    segment_sum,
    segment_sum_of_squares,
    segment_var,
    std,
    sum,
    sum_of_squares,
    use_instruction_set,
    var,
    vecdot,
)
from exactdot._engine import __version__ as __version__

__all__ = [
    "Accumulator",
    "Moments",
    "argmax",
    "argmin",
    "asum",
    "dot",
    "info",
    "matvec",
    "max",
    "mean",
    "min",
    "norm",
    "segment_argmax",
    "segment_argmin",
    "segment_asum",
    "segment_dot",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_norm",
    "segment_std",
    "segment_sum",
    "segment_sum_of_squares",
    "segment_var",
    "std",
    "sum",
    "sum_of_squares",
    "use_instruction_set",
    "var",
    "vecdot",
]
