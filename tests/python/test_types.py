"""The stubs have every public name of the extension; mypy with them accepts valid programs and finds the errors of
invalid ones, which is skipped without mypy."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest
from exactdot import _engine

VALID = """
from decimal import Decimal
from fractions import Fraction
import exactdot as xd
import numpy as np
a = np.ones(3)
value: float = xd.dot(a, a, mode="fast", dtype="float64", threads=2, device="cpu")
value = xd.dot(memoryview(b""), memoryview(b""), dtype=np.float32)
value = xd.dot(a, a, dtype=np.dtype("f"))
value = xd.sum([1.0, 2.0], dtype="f4", negative_zero=True) + xd.var(a, ddof=1) + xd.norm(3.0) + xd.min(a)
index: int = xd.argmax(a)
out: np.ndarray = xd.dot(a, a, out=np.zeros(1))
out = xd.std(a, ddof=1, out=out)
made: np.ndarray = xd.sum(a, out=...)
made = xd.dot(a, a, out=...)
made = xd.sum(a, 0, keepdims=True)
made = xd.layer_norm(a, a, None, epsilon=0)
out = xd.rms_norm(a, out=np.zeros(3))
value = xd.sum([Decimal("0.1"), Decimal(1)]) + xd.sum([Fraction(1, 3)]) + xd.sum(x / 2 for x in range(3)) + xd.var(a, ddof=1.5)
acc = xd.Accumulator("float32")
acc.add(a)
acc += acc.copy()
acc -= acc
acc.subtract(acc)
acc = sum([acc, acc], xd.Accumulator()) + 1.5 + 2 + Fraction(1, 2) - np.float32(3) - acc + (1 - acc)
acc += 1.5
value = acc / acc + acc / 2 + 1.5 / acc + acc.quotient(acc, dtype="float32") + int(acc)
ratio: tuple[int, int] = acc.as_integer_ratio()
smaller: bool = acc < 1.5 or acc >= acc or acc == Fraction(1, 2)
words = acc.words + xd.Accumulator(float).words
moments = xd.Moments("int8")
moments += moments.copy()
moments = moments + moments
value = moments.mean() + moments.var(ddof=1) + moments.count
value = float(xd.Accumulator.from_words(words)) + acc.round("float64")
version: str = xd.__version__
"""
INVALID = {
    "call-overload": "xd.dot(np.ones(3), np.ones(3), dtype=1.5)",
    "arg-type": "xd.Accumulator(1.5)",
    "operator": "xd.Accumulator() + '1.0'",
    "assignment": "text: str = xd.Accumulator().round()",
}


def check(path: Path, source: str) -> str:
    path.write_text(source)
    api = pytest.importorskip("mypy.api")
    report, errors, _ = api.run(["--strict", "--cache-dir", str(path.parent / "cache"), str(path)])
    assert errors == ""
    return str(report)


def test_types(tmp_path: Path) -> None:
    assert "Success" in check(tmp_path / "valid.py", VALID)
    lines = ["import exactdot as xd", "import numpy as np", *INVALID.values()]
    report = check(tmp_path / "invalid.py", "\n".join(lines))
    for line, kind in enumerate(INVALID, start=3):
        assert f"invalid.py:{line}: error" in report and f"[{kind}]" in report, report


def require_stub(name: str, thing: Any, body: list[ast.stmt]) -> None:
    """A class has stubs of its public members, a function typed parameters, of the names that it has."""
    found = [each for each in body if getattr(each, "name", "") == name]
    assert found, name
    for stub in found:
        if isinstance(stub, ast.ClassDef):
            for member in vars(thing):
                if not member.startswith("_"):
                    require_stub(member, getattr(thing, member), stub.body)
            continue
        assert isinstance(stub, ast.FunctionDef)
        given = stub.args.args + stub.args.kwonlyargs
        assert not stub.args.vararg and not stub.args.kwarg and stub.returns, ast.unparse(stub)
        assert all(each.annotation for each in given if each.arg != "self"), ast.unparse(stub)
        if inspect.isbuiltin(thing):
            assert [each.arg for each in given] == list(inspect.signature(thing).parameters), name


def test_stubs() -> None:
    folder = Path(_engine.__file__).parent
    assert (folder / "py.typed").exists()
    stubs = ast.parse((folder / "_engine.pyi").read_text()).body
    for name, thing in vars(_engine).items():
        if not name.startswith("_"):
            require_stub(name, thing, stubs)
