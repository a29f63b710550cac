"""Words in the arrays of other packages: JAX without 64-bit integers is refused, and torch's tensors are summed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import Any

import exactdot as xd
import numpy as np
import pytest


class ArrayOfInt32:
    """A stand-in for JAX's arrays without jax_enable_x64, which hold int32 whatever they are made of."""

    def __init__(self, words: np.ndarray) -> None:
        self.words = words.astype(np.int32)  # as JAX does: without an error

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.words


@pytest.mark.parametrize("kind", [xd.Accumulator, xd.Moments])
@pytest.mark.parametrize("narrow", [ArrayOfInt32, lambda words: words.astype(np.int32),
                                    lambda words: words.astype(np.int16)])
def test_narrow_words_are_refused(kind: Any, narrow: Any) -> None:
    words = kind("float64").words
    with pytest.raises(TypeError, match=r"words are int64, not int(16|32), in which sums of words wrap; with JAX, set "
                                        "jax_enable_x64"):
        kind.from_words(narrow(words))
    assert kind.from_words(words.tolist()).words.tolist() == words.tolist()


JAX = """
import exactdot as xd, jax, numpy as np
acc = xd.Accumulator("float32")
acc.add(np.array([1e8, 1.0], np.float32))
import warnings
warnings.simplefilter("ignore")
def words():
    return jax.numpy.asarray(acc.words) + jax.numpy.asarray(acc.words)
try:
    xd.Accumulator.from_words(words())
except TypeError as refusal:
    assert "jax_enable_x64" in str(refusal), refusal
else:
    raise AssertionError("words of int32 were accepted")
jax.config.update("jax_enable_x64", True)
assert float(xd.Accumulator.from_words(words())) == 2e8, "with x64 the words add up"
print("done")
"""


def test_jax_needs_64_bit_integers() -> None:
    pytest.importorskip("jax")
    done = subprocess.run([sys.executable, "-c", JAX], capture_output=True, text=True, timeout=240)
    assert done.stdout == "done\n", done.stderr


def test_torch_sums_words() -> None:
    torch = pytest.importorskip("torch")
    accumulators = [xd.Accumulator("float64") for _ in range(3)]
    for acc, value in zip(accumulators, (1e30, 1.0, -1e30)):
        acc.add(np.array([value]))
    words = sum(torch.from_numpy(acc.words) for acc in accumulators)
    assert float(xd.Accumulator.from_words(words)) == 1.0


@pytest.mark.parametrize("package", ["duckdb", "pyarrow", "polars", "torch"])
def test_other_packages_load_after_exactdot(package: str) -> None:
    """Their libstdc++ must not bind to the extension's static copy, which would end the process."""
    pytest.importorskip(package)
    code = f"import exactdot, {package}; print(exactdot.dot([1.0], [2.0]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240)
    assert done.stdout == "2.0\n", done.stderr


def test_the_extension_exports_its_entry_only() -> None:
    import exactdot._engine as engine

    if shutil.which("nm") is None:
        pytest.skip("no nm")
    lines = subprocess.run(["nm", "-D", "--defined-only", engine.__file__], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    assert [line.split()[-1] for line in lines] == ["PyInit__engine"]
