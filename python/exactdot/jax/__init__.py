"""Exact reductions as JAX operations on CPUs: the same bits for every batch, order and thread, with and without jit.

>>> import jax, jax.numpy as jnp
>>> import exactdot.jax as xj
>>> x = jnp.array([1e30, 1.0, -1e30])
>>> xj.sum(x)
Array(1., dtype=float32)
>>> jax.jit(jax.grad(xj.norm))(jnp.array([3.0, 4.0]))
Array([0.6, 0.8], dtype=float32)

They are primitives of JAX: jit, vmap, grad, jvp, jacobians, remat and scan take them. Importing this module imports
JAX; `import exactdot` does not.
"""

from __future__ import annotations

_OLDEST = (0, 5)
_REMEDY = f"exactdot.jax needs JAX {_OLDEST[0]}.{_OLDEST[1]} or later: pip install -U jax"

try:
    import jax as _jax
except ModuleNotFoundError as _missing:
    if _missing.name != "jax":
        raise
    raise ModuleNotFoundError(f"{_REMEDY}; it is not installed", name="jax") from None
if _jax.__version_info__ < _OLDEST:
    raise ImportError(f"{_REMEDY}; this is {_jax.__version__}, whose arrays functions of exactdot itself take")

from exactdot.jax._functions import asum, dot, mean, norm, segment_sum, std, sum, sum_of_squares  # noqa: E402
from exactdot.jax._functions import take, var, vecdot  # noqa: E402

__all__ = ["asum", "dot", "mean", "norm", "segment_sum", "std", "sum", "sum_of_squares", "take", "var", "vecdot"]
