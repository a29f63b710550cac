"""Runs every example: in docstrings, in docs/pytorch.md, and the programs of examples/python/pytorch."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest
pytest.importorskip("torch")  # before what imports it
import exactdot.torch as xt
import exactdot.torch.distributed as xdist

ROOT = Path(__file__).parents[2]
OF_DATA = {"Report", "check"}  # a tuple; a function of exactdot, tested there


def public_objects() -> Iterator[tuple[str, Any]]:
    yield "exactdot.torch", xt
    for module in (xt, xdist):
        for name in module.__all__:
            thing = getattr(module, name)
            if name not in OF_DATA:
                yield name, thing
            for member, value in vars(thing).items() if isinstance(thing, type) else ():
                if callable(value) and not member.startswith("_") and name not in OF_DATA:
                    yield f"{name}.{member}", value


@pytest.mark.parametrize("name, thing", list(public_objects()))
def test_docstrings(name: str, thing: Any) -> None:
    text = thing.__doc__
    assert ">>>" in text, "no example"
    if callable(thing):
        assert "Raises\n" in text or name in ("report", "deterministic.report")
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0


def snippets(path: Path) -> list[tuple[str, str]]:
    """The python fences of a document, each with the preceding line."""
    return re.findall(r"(?:^|\n)([^\n]*)\n```python\n(.*?)```", path.read_text(), re.DOTALL)


def test_the_how_to(tmp_path: Path) -> None:
    found = snippets(ROOT / "docs/pytorch.md")
    assert found
    for number, (before, code) in enumerate(found):
        code = re.sub(r"^( *)(\S.*?) +# == (.+)$", r"\1assert (\2) == (\3), (\2)", code, flags=re.MULTILINE)
        path = tmp_path / f"snippet_{number}.py"
        path.write_text(code)
        if before.startswith("<!-- not run"):
            compile(code, str(path), "exec")
        else:
            subprocess.run([sys.executable, str(path)], cwd=tmp_path, check=True, timeout=240)


@pytest.mark.parametrize("program", sorted((ROOT / "examples/python/pytorch").glob("*.py")), ids=lambda path: path.name)
def test_examples(program: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, check=True, timeout=580, stdout=subprocess.PIPE, text=True)
    assert "the same bits" in done.stdout and not done.stdout.startswith("skipped")
