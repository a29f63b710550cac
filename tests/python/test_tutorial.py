"""docs/tutorial.py runs; its claims fail with sums that are not exact; its prose has no figures and no dead links."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numpy")
TUTORIAL = Path(__file__).parents[2] / "docs/tutorial.py"
WITHOUT_GPU = "import sys; sys.modules.update(numba=None, cupy=None)\n"  # importing them raises ModuleNotFoundError
WITHOUT_MATPLOTLIB = "import sys; sys.modules.update(matplotlib=None)\n"


def run(before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the tutorial after the statements `before`."""
    program = f"{before}import runpy; runpy.run_path({str(TUTORIAL)!r}, run_name='__main__')"
    variables = {name: value for name, value in os.environ.items() if name != "EXACTDOT_TUTORIAL_PICTURES"}
    return subprocess.run([sys.executable, "-c", program], env={**variables, "MPLBACKEND": "agg", **environment},
                          capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("before", ["", WITHOUT_MATPLOTLIB], ids=["as_installed", "without_matplotlib"])
def test_it_runs_as_text(before: str) -> None:
    done = run(WITHOUT_GPU + before)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    skipped = [line for line in lines if line.startswith("skipped: ")]
    assert len(skipped) == 1 and "no kernel (Numba: ModuleNotFoundError, CuPy: ModuleNotFoundError)" in skipped[0]
    assert sum(" | " in line and ", from " in line for line in lines) == 3, "three text plots"
    assert max(len(line) for line in lines if line not in skipped) <= 120
    assert "NumPy: nan, exactdot: 1.0" in lines


def test_it_saves_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = run(WITHOUT_GPU, EXACTDOT_TUTORIAL_PICTURES=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    pictures = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert set(pictures) == {"atomics.png", "conditions.png", "grids.png"} and min(pictures.values()) > 5000


def test_a_kernel_is_used_where_one_can_run() -> None:
    """With whatever is installed here: its results are checked, or the cell is skipped."""
    done = run(WITHOUT_MATPLOTLIB)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^skipped: |launches of one kernel$", done.stdout, re.MULTILINE)) == 1


KERNEL = """
import sys, types, numpy
cuda = types.SimpleNamespace(to_device=lambda x: Memory(x), grid=lambda _: 0, gridsize=lambda _: 1,
                             atomic=types.SimpleNamespace(add=lambda x, i, y: x.__setitem__(i, x[i] + y)))
class Memory(numpy.ndarray):
    def __new__(cls, x): return numpy.asarray(x).copy().view(cls)
    def copy_to_host(self): return numpy.asarray(self)
class Kernel:
    def __init__(self, function): self.function = function
    def __getitem__(self, launch): return lambda x, total: %s
cuda.jit = Kernel
sys.modules["numba"] = types.SimpleNamespace(cuda=cuda)
"""


def test_results_of_a_kernel_are_checked() -> None:
    """With a stand-in for Numba: a kernel that adds, and one that loses most of the elements."""
    adds = run(WITHOUT_MATPLOTLIB + KERNEL % "total.__iadd__(numpy.sum(x))")
    assert adds.returncode == 0, adds.stderr
    assert "Numba: 1 different sums in 20 launches of one kernel" in adds.stdout and "skipped" not in adds.stdout
    loses = run(WITHOUT_MATPLOTLIB + KERNEL % "total.__iadd__(100000)")
    assert loses.returncode == 1 and "AssertionError" in loses.stderr


WRONG = {
    "sum_in_float32": "xd.sum = lambda x, **more: float(np.sum(x))",
    "sum_off_by_an_ulp": "right = xd.sum; xd.sum = lambda x, **more: float(np.nextafter(np.float32(right(x)), np.float32(9)))",
    "sum_by_threads": "right = xd.sum; xd.sum = lambda x, threads=0: right(x) * (1 + (threads > 2))",
    "dot": "xd.dot = lambda a, b: float(np.dot(a, b))",
    "mean": "xd.mean = lambda x: float(np.mean(x))",
    "var": "xd.var = lambda x: float(np.cumsum(x * x)[-1] / x.size)",
    "norm": "xd.norm = lambda x: float(np.sqrt(np.cumsum(x * x)[-1]))",
    "words": "class Wrong:\n    __new__ = lambda cls, dtype, right=xd.Accumulator: right(dtype)\n"
             "    from_words = lambda words: 1.0\nxd.Accumulator = Wrong",
    "sum_is_fast": "right = xd.sum; xd.sum = lambda x, **more: right(x, mode='fast')",
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_its_claims_can_fail(wrong: str) -> None:
    done = run(f"{WITHOUT_GPU}{WITHOUT_MATPLOTLIB}import exactdot as xd; import numpy as np\n{wrong}\n")
    assert done.returncode == 1 and "AssertionError" in done.stderr, done.stderr


def test_the_prose() -> None:
    cells = re.split(r"^(?=# %%)", TUTORIAL.read_text(), flags=re.MULTILINE)
    assert cells[0] == "" and len(cells) > 20
    prose = [cell for cell in cells[1:] if cell.startswith("# %% [markdown]\n")]
    assert len(prose) > 10 and len(prose) < len(cells) - 10
    for cell in prose:
        assert all(re.match(r"#( |$)", line) for line in cell.rstrip("\n").split("\n")), cell
        figures = set(re.findall(r"\w*[0-9]\w*", cell)) - {"float32", "float64", "2T"}
        assert not figures, f"figures typed by hand: {figures}"
        for target in re.findall(r"\]\(([^)#]+)", cell):
            assert (TUTORIAL.parent / target).exists(), target
