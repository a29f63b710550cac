"""Installs the wheel of exactdot, which scripts/wheels has built of the source distribution, and runs the Python tests.

run.py SOURCE SCRATCH DIST [PROGRAM]. DIST: folder with the wheel for the newest Python of this machine. The first run downloads
what requirements.txt names; later runs do not use the network, and install the wheel again only if it has changed.
"""

from __future__ import annotations

import hashlib
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


def main(source: Path, scratch: Path, dist: Path, program: str = "") -> None:
    for variable in ("PYTHONPATH", "PYTHONHOME"):
        os.environ.pop(variable, None)
    scratch.mkdir(parents=True, exist_ok=True)
    (wheel,) = dist.glob("exactdot-*.whl")
    python = environment(scratch / "empty", find_pythons([])[-1].program, source / "tests/python/requirements.txt")
    stamp, identity = scratch / "empty/wheel", hashlib.sha256(wheel.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != identity:
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--force-reinstall", "--no-deps",
            wheel)
        run(python, "-I", "-c", "import exactdot, numpy; assert exactdot.dot(numpy.ones(3), numpy.ones(3)) == 3", cwd="/")
        stamp.write_text(identity)
    os.environ["EXACTDOT_PROGRAM"] = program
    run(python, "-m", "pytest", "-p", "no:cacheprovider", source / "tests/python", cwd=source)


if __name__ == "__main__":
    try:
        main(*(Path(argument).resolve() for argument in sys.argv[1:4]), *sys.argv[4:])
    except subprocess.CalledProcessError as failure:
        sys.exit(f"run.py: {' '.join(map(str, failure.cmd))} failed with status {failure.returncode}")
