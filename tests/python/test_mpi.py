"""Accumulators over MPI: examples/python/mpi/mpi_ranks.py on several ranks, where mpi4py and an MPI library are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import exactdot as xd
import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/python/mpi/mpi_ranks.py"
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1", "OMP_NUM_THREADS": "1"}


def run_ranks(ranks: int, *options: str) -> str:
    command = ["mpirun", "-n", str(ranks), sys.executable, str(EXAMPLE), *options]
    done = subprocess.run(command, env=os.environ | ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module", autouse=True)
def mpi() -> None:
    """Skips where mpi4py is missing, or finds no MPI library."""
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed")
    probe = subprocess.run([sys.executable, "-c", "from mpi4py import MPI"], env=os.environ | ENVIRONMENT,
                           capture_output=True, text=True, timeout=60)
    if probe.returncode != 0:
        pytest.skip(f"mpi4py finds no MPI library: {probe.stderr.splitlines()[-1]}")


def test_the_same_text_from_any_number_of_ranks() -> None:
    generator = np.random.default_rng(1)
    n, fields = 9_001, 3
    x = generator.standard_normal((fields, n)) * 2.0 ** generator.integers(-300, 300, (fields, n))
    expected = [xd.sum(x[0]), xd.sum(x[1]), 2.0**-1000, xd.dot(x[0], x[1])]
    names = [*(f"sum of field {i}" for i in range(fields)), "dot"]
    text = "".join(f"{name}: {float(value).hex()}\n" for name, value in zip(names, expected))
    for ranks in (1, 3, 4, 16):
        assert run_ranks(ranks) == text
    assert run_ranks(5, "--uneven") == text


def test_a_dropped_element_is_noticed() -> None:
    assert run_ranks(3, "--drop") != run_ranks(3)
