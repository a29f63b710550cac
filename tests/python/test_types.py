"""mypy with the stubs accepts valid programs and finds the errors of invalid ones. Skipped without mypy."""

from __future__ import annotations

from pathlib import Path

import pytest

VALID = """
import exactdot as xd
import numpy as np
a = np.ones(3)
value: float = xd.dot(a, a, mode="fast", dtype="float64", threads=2, device="cpu")
value = xd.dot(memoryview(b""), memoryview(b""), dtype=np.float32)
value = xd.dot(a, a, dtype=np.dtype("f"))
out: np.ndarray = xd.dot(a, a, out=np.zeros(1))
acc = xd.Accumulator("float32")
acc.add(a)
acc += acc.copy()
words = acc.words + xd.Accumulator(float).words
value = float(xd.Accumulator.from_words(words)) + acc.round("float64")
version: str = xd.__version__
"""
INVALID = {
    "call-overload": 'xd.dot(np.ones(3), np.ones(3), dtype="float16")',
    "arg-type": 'xd.Accumulator("int8")',
    "operator": "xd.Accumulator() + 1.0",
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
