"""Vectors on a GPU, in the forms in which libraries hand them over."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest


class CudaArrayInterface:
    """A CuPy array that offers nothing but __cuda_array_interface__."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def mover(framework: str) -> Callable[[np.ndarray], Any]:
    """From NumPy to an array of the framework on the GPU."""
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


def hard(n: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(n)
    a, b = generator.standard_normal((2, n)) * 2.0 ** generator.integers(-20, 20, (2, n))
    half = n // 2
    b[half : 2 * half], a[half : 2 * half] = b[:half], -a[:half]
    return a.astype(dtype), b.astype(dtype)
