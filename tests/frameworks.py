"""Installs exactdot of these sources and a framework in a virtual environment of their own, and runs the tests of the framework's module.

frameworks.py SOURCE NAME SCRATCH [PYTEST-ARGUMENT…], NAME: torch or jax, a folder of tests/. The first run downloads the packages of its
requirements.txt and builds the extension in some minutes; later runs build what has changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOWNLOADS = {"torch": "PyTorch and CUDA's libraries, some GB,", "jax": "JAX and SciPy, some 150 MB,"}
sys.path.insert(0, str(ROOT / "scripts"))
from shared.pythons import environment, find_pythons  # noqa: E402


def run(*command: str | Path, **more: object) -> None:
    print("+", *command, flush=True)
    subprocess.run(list(map(str, command)), check=True, **more)  # type: ignore[call-overload]


def main(source: Path, name: str, scratch: Path, *more: str) -> None:
    for variable in ("PYTHONPATH", "PYTHONHOME"):
        os.environ.pop(variable, None)
    scratch.mkdir(parents=True, exist_ok=True)
    if not (scratch / "empty/stamp").exists():
        print(f"frameworks.py: {scratch}/empty: {DOWNLOADS[name]} are downloaded and installed", flush=True)
    tools = ["scikit-build-core>=0.11", "nanobind>=3.1", "typing_extensions"]
    requirements = scratch / "requirements.txt"
    requirements.write_text((source / "tests" / name / "requirements.txt").read_text() + "\n".join(tools) + "\n")
    python = environment(scratch / "empty", find_pythons([])[-1].program, requirements)
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", "--force-reinstall",
        f"--config-settings=build-dir={scratch}/build", source)
    run(python, "-m", "pytest", "-p", "no:cacheprovider", source / "tests" / name, *more, cwd=source)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve(), *sys.argv[4:])
    except subprocess.CalledProcessError as failure:
        sys.exit(f"frameworks.py: {' '.join(map(str, failure.cmd))} failed with status {failure.returncode}")
