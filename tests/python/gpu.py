"""GPU arrays of each framework, and vectors whose dot product is ill-conditioned."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest


class CudaArrayInterface:
    """A CuPy array that supports __cuda_array_interface__ only."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def converter(framework: str) -> Callable[[np.ndarray], Any]:
    """A function from NumPy arrays to arrays of the framework on the GPU."""
    if framework == "torch":
        torch = pytest.importorskip("torch")
        return lambda a: torch.as_tensor(np.ascontiguousarray(a), device="cuda")
    if framework == "jax":
        jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
        return lambda a: jax.device_put(np.ascontiguousarray(a))
    cupy = pytest.importorskip("cupy")
    return cupy.asarray if framework == "cupy" else lambda a: CudaArrayInterface(cupy.asarray(a))


FRAMEWORKS = ["torch", "cupy", "jax", "interface"]


def ill_conditioned(n: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Two vectors with exponents over a wide range; half of the products cancel the others."""
    generator = np.random.default_rng(n)
    a, b = generator.standard_normal((2, n)) * 2.0 ** generator.integers(-20, 20, (2, n))
    half = n // 2
    b[half : 2 * half], a[half : 2 * half] = b[:half], -a[:half]
    return a.astype(dtype), b.astype(dtype)
