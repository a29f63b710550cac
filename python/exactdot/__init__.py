"""Exact, reproducible dot products: the real-number sum of products, rounded once, at the speed of memory.

>>> import exactdot as xd
>>> import numpy as np
>>> xd.dot(np.array([1e200, 1e200, 1.0]), np.array([1e200, -1e200, 1.0]))
1.0
"""

from exactdot._engine import Accumulator, dot, info, use_instruction_set
from exactdot._engine import __version__ as __version__

__all__ = ["Accumulator", "dot", "info", "use_instruction_set"]
