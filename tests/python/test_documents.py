"""Runs every example: in docstrings, in the documents with Python and both READMEs, and the programs in examples/python."""

from __future__ import annotations

import doctest
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import exactdot as xd
import pytest

SOURCE = Path(__file__).parents[2]


def public_objects() -> Iterator[tuple[str, Any]]:
    yield "exactdot", xd
    for name in xd.__all__:
        yield name, getattr(xd, name)
    yield "linalg.vector_norm", xd.linalg.vector_norm
    for kind in (xd.Accumulator, xd.Moments, xd.BivariateMoments):
        for name, member in vars(kind).items():
            if not name.startswith("_"):
                yield f"{kind.__name__}.{name}", member


@pytest.mark.parametrize("name, thing", list(public_objects()))
def test_docstrings(name: str, thing: Any) -> None:
    text = thing.__doc__
    assert ">>>" in text, "no example"
    without_parameters = {"info", "Accumulator.as_integer_ratio", "Accumulator.clear", "Accumulator.copy", "Accumulator.negate", "Moments.copy", "BivariateMoments.copy"}
    if callable(thing) and name not in without_parameters:
        assert "Parameters\n" in text and "Raises\n" in text
    run_doctest(text, name)


def lacks_pandas(code: str) -> bool:
    return "import pandas" in code and importlib.util.find_spec("pandas") is None


def run_doctest(text: str, name: str) -> None:
    if lacks_pandas(text):
        pytest.skip("no pandas")
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def snippets(path: Path) -> list[tuple[str, str]]:
    """The python fences of a document, each with the preceding line."""
    return re.findall(r"(?:^|\n)([^\n]*)\n```python\n(.*?)```", path.read_text(), re.DOTALL)


def with_assertion(line: re.Match[str]) -> str:
    indent, code, value = line.groups()
    compile(code, "<the line of a document>", "eval")  # SyntaxError: an assignment, which claims nothing
    return f"{indent}assert ({code}) == ({value}), ({code})"


@pytest.mark.parametrize("document", ["docs/index.md", "docs/python.md", "docs/decimals.md", "docs/mpi.md", "README.md",
                                      "python/README.md"])
def test_documents(document: str, tmp_path: Path) -> None:
    """Runs each fence as a program and checks every line `expression  # == value`. A fence after the line
    `<!-- not run: … -->` is only compiled: it needs packages or devices that this machine may lack."""
    found = snippets(SOURCE / document)
    assert found
    for number, (before, code) in enumerate(found):
        code = re.sub(r"^( *)(\S.*?) +# == (.+)$", with_assertion, code, flags=re.MULTILINE)
        path = tmp_path / f"snippet_{number}.py"
        path.write_text(code)
        if before.startswith("<!-- not run") or lacks_pandas(code):
            compile(code, str(path), "exec")
        else:
            subprocess.run([sys.executable, str(path)], cwd=tmp_path, check=True, timeout=120)


@pytest.mark.parametrize("program", sorted((SOURCE / "examples/python").glob("*.py")), ids=lambda path: path.name)
def test_examples(program: Path, tmp_path: Path) -> None:
    """An example without the packages that it needs says so in a line "skipped: …"."""
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, check=True, timeout=240, stdout=subprocess.PIPE,
                          text=True)
    if done.stdout.startswith("skipped: "):
        pytest.skip(done.stdout.strip())
