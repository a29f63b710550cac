"""The pictures: every kind from the repository's own results, and what the command says to bad input."""

from __future__ import annotations

import doctest
import json
from pathlib import Path
from typing import Any

import exactdot.plot
import pytest
from exactdot.plot.__main__ import main

RESULTS = Path(__file__).parents[2] / "docs/results"


def test_kinds() -> None:
    kinds = {name: exactdot.plot.kind_of(json.loads((RESULTS / name).read_text()))
             for name in ("lab-h100.json", "gpu-h100.json", "cpu.json", "accuracy.json")}
    assert list(kinds.values()) == ["ladder", "speed", "speed", "accuracy"]


def test_docstrings() -> None:
    assert doctest.testmod(exactdot.plot).failed == 0


@pytest.mark.parametrize("content, why", [("{", "Expecting"), ('{"rows": []}', "neither of exactdot lab"),
                                          (None, "No such file")])
def test_bad_input(content: str | None, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.json"
    if content is not None:
        path.write_text(content)
    assert main([str(path), "-o", str(tmp_path / "out.svg")]) == 1
    assert why in capsys.readouterr().err


def test_an_unknown_ending(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(RESULTS / "cpu.json"), "-o", "out.gif"]) == 1
    assert "end in .svg or .png" in capsys.readouterr().err


@pytest.mark.parametrize("name, more", [("lab-h100.json", []), ("lab-h100.json", ["--dtype", "float64"]),
                                        ("lab-h100.json", ["--n", str(2**20)]), ("gpu-h100.json", []),
                                        ("cpu.json", ["--dtype", "float32"]), ("accuracy.json", [])])
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_pictures(name: str, more: list[str], ending: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    outs = [tmp_path / f"first.{ending}", tmp_path / f"second.{ending}"]
    for out in outs:
        assert main([str(RESULTS / name), "-o", str(out), *more]) == 0
    assert outs[0].stat().st_size > 10_000
    assert outs[0].read_bytes() == outs[1].read_bytes(), "drawn differently the second time"


def test_a_ladder_of_the_simulator(tmp_path: Path) -> None:
    """It has steps instead of times."""
    pytest.importorskip("matplotlib")
    ladder: dict[str, Any] = json.loads((RESULTS / "lab-h100.json").read_text())["ladders"][0]
    for rung in ladder["rungs"]:
        rung.update(microseconds=None, percent_of_ceiling=None, steps=1000 * (1 + rung["number"]))
    exactdot.plot.draw(ladder, tmp_path / "steps.png")
    with pytest.raises(ValueError, match="no ladder of float64"):
        exactdot.plot.draw(ladder, tmp_path / "steps.png", dtype="float64")
