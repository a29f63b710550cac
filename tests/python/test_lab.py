"""python -m exactdot.lab runs the program's lab, or prints one line that says how to get the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def lab(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if name != "EXACTDOT_PROGRAM"}
    return subprocess.run([sys.executable, "-m", "exactdot.lab", *arguments], env={**variables, **environment},
                          capture_output=True, text=True, timeout=60)


def test_without_the_program(tmp_path: Path) -> None:
    done = lab("--list", PATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    for part in ("exactdot.lab: ", "not in the Python package", "make demo", "build/release/bin/exactdot", "PATH"):
        assert part in done.stderr


def test_a_name_of_no_program(tmp_path: Path) -> None:
    name = str(tmp_path / "absent")
    done = lab(EXACTDOT_PROGRAM=name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"exactdot.lab: EXACTDOT_PROGRAM={name}: no such program\n"


@pytest.mark.parametrize("by", ["PATH", "EXACTDOT_PROGRAM"])
def test_arguments_and_status_are_the_programs(by: str, tmp_path: Path) -> None:
    program = tmp_path / "exactdot"
    program.write_text('#!/bin/sh\necho "$@"\nexit 5\n')
    program.chmod(0o755)
    done = lab("--rung", "two words", **{by: str(tmp_path if by == "PATH" else program)})
    assert (done.returncode, done.stdout, done.stderr) == (5, "lab --rung two words\n", "")


@pytest.mark.skipif(not os.environ.get("EXACTDOT_PROGRAM"), reason="EXACTDOT_PROGRAM names no program")
def test_the_lab() -> None:
    done = lab("--list", EXACTDOT_PROGRAM=os.environ["EXACTDOT_PROGRAM"])
    assert (done.returncode, done.stderr) == (0, "") and " exact " in done.stdout
