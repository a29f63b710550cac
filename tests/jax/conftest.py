"""The oracle of these tests is that of the Python tests. JAX gets two CPU devices. Each file is skipped by name where JAX is missing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Iterator

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=2"


@pytest.fixture
def x64() -> Iterator[None]:
    """JAX with 64-bit types."""
    import jax
    enable = jax.enable_x64 if hasattr(jax, "enable_x64") else __import__("jax.experimental", fromlist=["enable_x64"]).enable_x64
    with enable(True):
        yield
