"""The Pythons of this machine, and virtual environments that later calls use again."""
from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 10)  # requires-python of pyproject.toml


@dataclasses.dataclass(frozen=True, order=True)
class Python:
    version: tuple[int, int]
    program: str

    @property
    def name(self) -> str:
        return f"{self.version[0]}.{self.version[1]}"


def find_pythons(programs: list[str]) -> list[Python]:
    """These programs, or all that are in PATH and of pyenv: one of each version, the oldest version first.

    Only Pythons for which an extension can be built: with headers, and pip for virtual environments.
    """
    found: dict[tuple[int, int], Python] = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = programs or [f"python3.{minor}" for minor in range(OLDEST[1], 30)] + sorted(
        map(str, pyenv.glob("versions/*/bin/python3"))) + [sys.executable]
    for program in candidates:
        path = shutil.which(program)
        code = ("import ensurepip, os, sys, sysconfig, venv; os.stat(sysconfig.get_path('include') + '/Python.h'); "
                "print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)")
        ran = subprocess.run([path, "-c", code], capture_output=True, text=True) if path else None
        if ran is None or ran.returncode != 0:
            if programs:
                sys.exit(f"{program}: not a Python that runs, with its headers and the module venv")
            continue
        major, minor, is_free_threaded = map(int, ran.stdout.split())
        if (major, minor) >= OLDEST and not is_free_threaded:  # which has an ABI of its own
            found.setdefault((major, minor), Python((major, minor), str(path)))
    if not found:
        sys.exit("no Python 3.10 or later with headers and venv found; install one, or name it with --python")
    return sorted(found.values())


def environment(folder: Path, program: str, requirements: Path) -> Path:
    """The Python of a virtual environment with these requirements, which is made if it is not there yet."""
    python, stamp = folder / "bin/python", folder / "stamp"
    wanted = program + "\n" + requirements.read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([program, "-m", "venv", folder], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", requirements]
        subprocess.run(pip, check=True)
        stamp.write_text(wanted)
    return python
