"""The oracle of these tests is that of the Python tests. Each file is skipped by name where PyTorch is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))


@pytest.fixture(autouse=True)
def seed() -> None:
    import torch
    torch.manual_seed(1)
