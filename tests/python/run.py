"""Builds the source distribution, installs it in an empty virtual environment, imports it, and runs the Python tests.

run.py SOURCE SCRATCH COMPILER [PROGRAM]. The first run downloads the required packages to SCRATCH/wheels; later runs do
not use the network. The extension is rebuilt only if the source distribution or the compiler has changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

BUILD = ["build", "scikit-build-core>=0.11", "nanobind>=3.1"]
USE = ["numpy>=1.23", "pytest>=7", "hypothesis>=6", "typing_extensions", "mypy", "ml_dtypes", "duckdb", "mpi4py",
       "array-api-strict"]


def run(*command: str | Path, **more: object) -> None:
    print("+", *command, flush=True)
    subprocess.run(list(map(str, command)), check=True, **more)  # type: ignore[call-overload]


def up_to_date(stamp: Path, text: str) -> bool:
    return stamp.exists() and stamp.read_text() == text


def content_of(archive: Path) -> str:
    """A hash of the files, but for the commit, which alone need not rebuild the extension."""
    digest = hashlib.sha256()
    with tarfile.open(archive) as files:
        for member in files:
            if member.isfile() and not member.name.endswith("/sdist_commit"):
                digest.update(member.name.encode() + b"\0" + files.extractfile(member).read())  # type: ignore[union-attr]
    return digest.hexdigest()


def fresh_environment(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def main() -> None:
    source, scratch = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    compiler, program = sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else ""
    wheels, dist = scratch / "wheels", scratch / "dist"
    wheels.mkdir(parents=True, exist_ok=True)
    tools, empty = scratch / "tools", scratch / "empty"

    required = repr((sys.version, BUILD, USE))
    if not up_to_date(scratch / "wheels.stamp", required):
        python = fresh_environment(tools)
        try:
            run(python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "-d", wheels, *BUILD, *USE)
        except subprocess.CalledProcessError:
            sys.exit("run.py: the first run has to download nanobind, NumPy and others from a package index; "
                     "configure with -DEXACTDOT_TEST_PYTHON=OFF to test without the Python package")
        run(python, "-m", "pip", "install", "-q", "--no-index", "--find-links", wheels, *BUILD)
        (scratch / "wheels.stamp").write_text(required)

    os.environ.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels), PIP_DISABLE_PIP_VERSION_CHECK="1",
                      CMAKE_BUILD_PARALLEL_LEVEL="2",
                      # for half the compile time; other tests run the library as it is shipped
                      CMAKE_ARGS="-DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG' -DEXACTDOT_AVX512=OFF "
                                 "-DEXACTDOT_UNOPTIMISED=ON",
                      SOURCE_DATE_EPOCH="315532800")
    for variable in ("PYTHONPATH", "PYTHONHOME", "CMAKE_PREFIX_PATH"):
        os.environ.pop(variable, None)
    shutil.rmtree(dist, ignore_errors=True)
    run(tools / "bin/python", "-m", "build", "--sdist", "--no-isolation", "--outdir", dist, source,
        stdout=subprocess.DEVNULL)
    (archive,) = dist.glob("exactdot-*.tar.gz")
    identity = content_of(archive) + compiler
    python = empty / "bin/python"
    if not up_to_date(empty / "stamp", identity):
        python = fresh_environment(empty)
        run(python, "-m", "pip", "install", "-q", archive, "--config-settings=cmake.define.EXACTDOT_BUILD_CUDA=OFF",
            "--config-settings=cmake.define.CMAKE_UNITY_BUILD=ON",
            "--config-settings=cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",  # a quarter of the compile time
            "--config-settings=cmake.define.EXACTDOT_UNOPTIMISED=ON",
            "--config-settings=cmake.define.EXACTDOT_AVX512=OFF",
            f"--config-settings=cmake.define.CMAKE_CXX_COMPILER={compiler}")
        run(python, "-I", "-c", "import exactdot, numpy; assert exactdot.dot(numpy.ones(3), numpy.ones(3)) == 3",
            cwd="/")
        run(python, "-m", "pip", "install", "-q", *USE)
        (empty / "stamp").write_text(identity)
    os.environ["EXACTDOT_PROGRAM"] = program
    run(python, "-m", "pytest", "-p", "no:cacheprovider", source / "tests/python", cwd=source)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"run.py: {' '.join(failure.cmd)} failed with status {failure.returncode}")
