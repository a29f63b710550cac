"""The array API's linear algebra, as far as this package has it: exact, and rounded once.

>>> import exactdot as xd
>>> xd.linalg.vector_norm([3e300, 4e300])
5e+300
"""

from exactdot._engine import vecdot, vector_norm

__all__ = ["vecdot", "vector_norm"]
