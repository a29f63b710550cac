"""Installs exactdot of these sources and PyTorch in a virtual environment, and runs the tests of exactdot.torch.

run.py SOURCE SCRATCH [PYTEST-ARGUMENT…]. The first run downloads PyTorch, whose Linux wheel brings CUDA's libraries, some GB, and
builds the extension in some minutes; later runs build what has changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from shared.pythons import environment, find_pythons  # noqa: E402


def run(*command: str | Path, **more: object) -> None:
    print("+", *command, flush=True)
    subprocess.run(list(map(str, command)), check=True, **more)  # type: ignore[call-overload]


def main(source: Path, scratch: Path, *more: str) -> None:
    for variable in ("PYTHONPATH", "PYTHONHOME"):
        os.environ.pop(variable, None)
    scratch.mkdir(parents=True, exist_ok=True)
    if not (scratch / "empty/stamp").exists():
        print(f"run.py: {scratch}/empty: PyTorch and CUDA's libraries, some GB, are downloaded and installed", flush=True)
    tools = ["scikit-build-core>=0.11", "nanobind>=3.1", "typing_extensions"]
    requirements = scratch / "requirements.txt"
    requirements.write_text((source / "tests/torch/requirements.txt").read_text() + "\n".join(tools) + "\n")
    python = environment(scratch / "empty", find_pythons([])[-1].program, requirements)
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", "--force-reinstall",
        f"--config-settings=build-dir={scratch}/build", source)
    run(python, "-m", "pytest", "-p", "no:cacheprovider", source / "tests/torch", *more, cwd=source)


if __name__ == "__main__":
    try:
        main(*(Path(argument).resolve() for argument in sys.argv[1:3]), *sys.argv[3:])
    except subprocess.CalledProcessError as failure:
        sys.exit(f"run.py: {' '.join(map(str, failure.cmd))} failed with status {failure.returncode}")
