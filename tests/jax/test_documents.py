"""Runs every example: in docstrings, in docs/jax.md, and the programs of examples/python/jax."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
pytest.importorskip("jax")  # before what imports it
import exactdot.jax as xj

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name, thing", [("exactdot.jax", xj), *((name, getattr(xj, name)) for name in xj.__all__)])
def test_docstrings(name: str, thing: Any) -> None:
    text = thing.__doc__
    assert ">>>" in text and (thing is xj or "Raises\n" in text)
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_the_how_to(tmp_path: Path) -> None:
    found = re.findall(r"\n```python\n(.*?)```", (ROOT / "docs/jax.md").read_text(), re.DOTALL)
    assert found
    for number, code in enumerate(found):
        path = tmp_path / f"snippet_{number}.py"
        path.write_text(re.sub(r"^( *)(\S.*?) +# == (.+)$", r"\1assert (\2) == (\3), (\2)", code, flags=re.MULTILINE))
        subprocess.run([sys.executable, str(path)], cwd=tmp_path, check=True, timeout=240)


@pytest.mark.parametrize("program", sorted((ROOT / "examples/python/jax").glob("*.py")), ids=lambda path: path.name)
def test_examples(program: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, check=True, timeout=580, stdout=subprocess.PIPE, text=True)
    assert "the same bits" in done.stdout and "JAX's own sums: 4 different results" in done.stdout
