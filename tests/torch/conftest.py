"""Skips these tests by name where PyTorch is missing; the oracle is that of the Python tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

try:
    import torch
except ImportError:
    torch = None
collect_ignore_glob = [] if torch is not None else ["test_*.py"]


def pytest_report_header() -> str:
    return f"PyTorch {torch.__version__}" if torch is not None else "tests/torch: all tests are skipped: PyTorch is not installed"


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(1)
