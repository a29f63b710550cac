"""The benchmarks in bench/python: usage errors, complete tables, and the GPU part, with stand-ins for PyTorch and CuPy
that compute with NumPy. No test depends on a time."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import types
from fractions import Fraction
from pathlib import Path
from typing import Any

import exactdot as xd
import numpy as np
import pytest

BENCH = Path(__file__).parents[2] / "bench/python"


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the modules of bench/python importable."""
    monkeypatch.syspath_prepend(str(BENCH))


def run(program: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(BENCH / program), *arguments], cwd=cwd, capture_output=True, text=True,
                          timeout=120)


@pytest.mark.parametrize("program", ["accuracy.py", "dots.py"])
def test_usage(program: str, tmp_path: Path) -> None:
    helped = run(program, "--help", cwd=tmp_path)
    assert helped.returncode == 0 and "--json FILE" in helped.stdout
    assert run(program, "OUT.json", cwd=tmp_path).returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_accuracy(tmp_path: Path) -> None:
    done = run("accuracy.py", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    points = json.loads((tmp_path / "out.json").read_text())["accuracy"]
    assert len(done.stdout.splitlines()) == 1 + len(points)
    assert all(point["errors"]["exactdot"] <= 2.0**-53 for point in points)


@pytest.mark.skipif(bool(xd.info()["cuda"]["devices"]), reason="this machine has a GPU")
def test_no_gpu(tmp_path: Path) -> None:
    done = run("dots.py", "--gpu", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("dots.py: --gpu: ")


def test_rounds(modules: None) -> None:
    from rounds import calls_of, interleaved

    said = []

    def takes(name: str, seconds: float) -> Any:
        def run(count: int) -> float:
            said.append((name, count))
            return count * seconds
        return run

    assert calls_of(takes("", 1e-6), 1e-3) == 1000
    assert calls_of(takes("", 1.0), 1e-3) == 1
    del said[:]
    samples = interleaved({"a": takes("a", 1e-3), "b": takes("b", 1e-2)}, 7)
    assert samples == {"a": [1e-3] * 7, "b": [1e-2] * 7}
    rounds = [tuple(name for name, _ in said[i : i + 2]) for i in range(len(said) - 14, len(said), 2)]
    assert set(rounds) == {("a", "b"), ("b", "a")}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_errors_in_ulps(modules: None, dtype: str) -> None:
    from peers import ulps, vectors

    for n in (1, 16, 1001):
        for data in ("uniform", "cancelling"):
            a, b = vectors(n, data, dtype)
            assert a.dtype == b.dtype == dtype
            result = xd.dot(a, b)
            assert result != 0 and ulps(result, a, b) <= 0.5
            next_one = float(np.nextafter(np.dtype(dtype).type(result), np.dtype(dtype).type(np.inf)))
            assert 0.5 <= ulps(next_one, a, b) <= 1.5


def test_errors_in_ulps_are_the_fractions(modules: None) -> None:
    """ulps() takes the exact sum from an accumulator's words; this test computes it without them."""
    from peers import ulps, vectors

    a, b = vectors(101, "cancelling")
    truth = sum((Fraction(x) * Fraction(y) for x, y in zip(a.tolist(), b.tolist())), Fraction(0))
    for value in (float(truth), float(truth) * (1 + 2**-40), 0.0):
        error = abs(Fraction(value) - truth) / Fraction(math.ulp(float(truth)))
        assert ulps(value, a, b) == float(error)


def test_cpu(modules: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
             tmp_path: Path) -> None:
    import dots

    monkeypatch.setattr(dots, "SIZES", (16, 1000))
    monkeypatch.setattr(dots, "bits_elsewhere", lambda: dots.bits_of_all() | {"numpy.dot": {}})
    monkeypatch.setattr(sys, "argv", ["dots.py", "--quick", "--json", str(tmp_path / "cpu.json")])
    dots.main()
    result = json.loads((tmp_path / "cpu.json").read_text())
    for n in (16, 1000):
        for data in ("uniform", "cancelling"):
            rows = {row["peer"]: row for row in result["rows"] if (row["n"], row["data"]) == (n, data)}
            assert {"exactdot", "exactdot fast", "numpy.dot", "math.fsum"} <= set(rows)
            assert all(row["ns"] > 0 for row in rows.values())
            assert rows["exactdot"]["error_ulps"] <= 0.5
            assert [name for name, row in rows.items() if not row["same_bits_elsewhere"]] == ["numpy.dot"]
    assert [row["n"] for row in result["overhead"]] == [16, 1000]
    assert capsys.readouterr().out.count("numpy.dot ") >= 2


def stand_ins() -> dict[str, types.ModuleType]:
    torch, cupy = types.ModuleType("torch"), types.ModuleType("cupy")
    nothing = types.SimpleNamespace(synchronize=lambda: None)
    torch.__dict__.update(__version__="9.1", version=types.SimpleNamespace(cuda="19.2"), cuda=nothing, dot=np.dot,
                          as_tensor=lambda array, device: array.copy(),
                          zeros=lambda shape, device: np.zeros(shape, "f"))
    runtime = types.SimpleNamespace(runtimeGetVersion=lambda: 19030)
    cupy.__dict__.update(__version__="9.4", cuda=types.SimpleNamespace(runtime=runtime, Device=lambda: nothing),
                         dot=np.dot, asarray=np.copy, zeros=np.zeros)
    return {"torch": torch, "cupy": cupy}


def test_gpu(modules: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
             tmp_path: Path) -> None:
    import dots
    import on_gpu

    info = xd.info()
    info["cuda"] = {"built": True, "toolkit": "19.1", "devices": ["A GPU"], "note": ""}
    for name, module in stand_ins().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(xd, "info", lambda: info)
    monkeypatch.setattr(dots, "GPU_SIZES", [16, 1024])
    monkeypatch.setattr(sys, "argv", ["dots.py", "--gpu", "--quick", "--json", str(tmp_path / "gpu.json")])
    dots.main()
    result = json.loads((tmp_path / "gpu.json").read_text())
    assert result["machine"]["gpu"]["libraries"] == ["PyTorch 9.1 (CUDA 19.2)", "CuPy 9.4 (CUDA runtime 19.3)"]
    rows = result["gpu_rows"]
    assert len(rows) == 2 * 2 * 4  # lengths, kinds of data, peers
    for row in rows:
        assert row["us"] > 0 and row["us_with_result_on_host"] > 0
        assert row["error_ulps"] <= 0.5 or not row["peer"].startswith("exactdot")
    assert max(row["error_ulps"] for row in rows) > 10
    assert result["missing"] == []
    said = capsys.readouterr().out
    assert said.count("exactdot on cupy") == 2
    assert all(text in " ".join(said.split()) for text in ("A GPU, driver ", "PyTorch 9.1", "(built with CUDA 19.1)"))

    def no_gpu(*_: object, **__: object) -> None:
        raise RuntimeError("no GPU")

    monkeypatch.setattr(sys.modules["torch"], "zeros", no_gpu)
    found, missing = on_gpu.libraries()
    assert list(found) == ["cupy"] and missing == ["torch (RuntimeError)"]
