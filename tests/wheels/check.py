"""Installs the wheels in empty virtual environments, without network, and tries them.

check.py DIST LINKS [--python PROGRAM]… [--newest]. DIST: wheels of scripts/wheels. LINKS: folder for NumPy's, which the first call
downloads. Of what is in DIST: exactdot on every Python found, exactdot-cu13 beside it, and simtcc. A wheel of exactdot-cu13
without the CUDA engine shows how the engine is chosen as well as a real one.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from shared.pythons import Python, find_pythons  # noqa: E402

FIRST_RESULT = "import exactdot as xd, numpy as np; a = np.array([1e200, 1e200, 1.0]); " \
               "print(xd.dot(a, np.array([1e200, -1e200, 1.0])))"
ENGINE = "import exactdot as xd; print(xd._engine.__file__); print(xd.info()['cuda']['note'])"
PICKLES = "import exactdot as xd, pickle; a = xd.Accumulator('float64'); a.add([1e100, 1.0, -1e100]); " \
          "print(type(a).__module__, float(pickle.loads(pickle.dumps(a))))"


class Failure(Exception):
    pass


def call(*command: str | Path, status: int = 0, seconds: float = 300, **more: object) -> str:
    """The output of a command, errors included, which must end with this status."""
    words = list(map(str, command))
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds,
                          **more)  # type: ignore[call-overload]
    if done.returncode != status:
        raise Failure(f"{' '.join(words)}\nstatus {done.returncode}, expected {status}:\n{done.stdout}")
    return str(done.stdout)


def expect(pattern: str, text: str, what: str) -> None:
    if re.search(pattern, text) is None:
        raise Failure(f"{what}: expected {pattern!r}, found:\n{text}")


class Environment:
    """An empty virtual environment, whose pip sees DIST and LINKS only."""

    def __init__(self, folder: Path, python: Python, sources: list[Path]) -> None:
        call(python.program, "-m", "venv", folder)
        self.bin, self.python = folder / "bin", folder / "bin/python"
        self.options = ["-q", "--disable-pip-version-check", "--no-index", "--only-binary=:all:",
                        *(f"--find-links={source}" for source in sources)]

    def pip(self, action: str, *words: str | Path, status: int = 0) -> str:
        options = self.options if action == "install" else ["-q", "-y"]
        return call(self.python, "-m", "pip", action, *options, *words, status=status)

    def run(self, code: str, status: int = 0, **variables: str) -> str:
        return call(self.python, "-I", "-c", code, status=status, cwd="/", env={**os.environ, **variables})


def numpy_for(python: Python, venv: Environment, links: Path) -> None:
    """With the environment's pip: a system's Python may have none."""
    stamp = links / f"numpy-for-{python.name}"
    if not stamp.exists():
        call(venv.python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--only-binary=:all:", "-d", links,
             "numpy>=1.23")
        stamp.touch()


def check_exactdot(python: Python, venv: Environment, dist: Path) -> None:
    start = time.monotonic()
    venv.pip("install", "exactdot")
    expect(r"^1\.0$", venv.run(FIRST_RESULT), "the first result")
    print(f"exactdot on Python {python.name}: {time.monotonic() - start:.1f} s from the wheel to the first result", flush=True)
    engine = venv.run(ENGINE)
    expect(r"/exactdot/_engine\." + ("abi3" if python.version >= (3, 12) else "cpython-3"), engine, "the engine")
    expect(r"pip install 'exactdot\[cu13\]'", engine, "info() of a wheel for CPUs")
    expect(r"^exactdot(\._engine)? 1\.0$", venv.run(PICKLES), "a pickle")
    (wheel, *_) = dist.glob("exactdot-*.whl")
    foreign = venv.bin.parent / "-".join([*wheel.name.split("-")[:2], "cp39", "cp39", wheel.name.split("-")[-1]])
    shutil.copy(wheel, foreign)
    expect("not a supported wheel on this platform", venv.pip("install", foreign, status=1), "a wheel of another Python")


def check_old_driver(venv: Environment, scratch: Path) -> None:
    """The CUDA engine with a driver for CUDA 12: as the wheel for CPUs, and info() and errors say what to do."""
    compiler = shutil.which("cc")
    if compiler is None or "True" not in venv.run("import exactdot as xd; print(xd.info()['cuda']['built'])"):
        print("exactdot-cu13: not tried with an old driver: the wheel has no CUDA engine, or there is no C compiler", flush=True)
        return
    call(compiler, "-shared", "-fPIC", "-o", scratch / "libcuda.so.1", ROOT / "tests/wheels/old_driver.c")
    old = {"LD_LIBRARY_PATH": str(scratch)}
    expect(r"^1\.0$", venv.run(FIRST_RESULT, **old), "a result with an old driver")
    needed = r"driver is for CUDA 12\.0, this build for CUDA 1\d\.\d: update the driver"
    expect(needed, venv.run(ENGINE, **old), "info() with an old driver")
    expect(needed, venv.run("import exactdot as xd; xd.sum([1.0], device='cuda')", status=1, **old), "an error with an old driver")


def check_cu13(python: Python, venv: Environment, scratch: Path) -> None:
    """Loaded when it is installed, refused with another version, and forgotten when it is removed."""
    venv.pip("install", "exactdot[cu13]")
    expect(r"/exactdot_cu13/_engine\.", venv.run(ENGINE), "the engine beside exactdot-cu13")
    expect(r"1\.0$", venv.run(FIRST_RESULT), "a result of exactdot-cu13")
    venv.run("import exactdot as xd; cuda = xd.info()['cuda']; assert cuda['devices'] or cuda['note'], cuda")
    expect(r"^exactdot(\._engine)? 1\.0$", venv.run(PICKLES), "a pickle of exactdot-cu13")
    check_old_driver(venv, scratch)
    (version,) = venv.bin.parent.glob("lib/python*/site-packages/exactdot_cu13/_version.py")
    right = version.read_text()
    version.write_text('version = "0.0.1"\n')
    expect(r"ImportError: exactdot \S+ and exactdot-cu13 0\.0\.1 are installed.*pip install 'exactdot\[cu13\]==",
           venv.run("import exactdot", status=1), "another version of exactdot-cu13")
    version.unlink()
    expect(r"ImportError: exactdot-cu13 is installed, but its file _version.py is missing; pip install --force-reinstall",
           venv.run("import exactdot", status=1), "exactdot-cu13 without its version")
    version.write_text(right)
    (engine,) = version.parent.glob("_engine*.so")
    content = engine.read_bytes()
    engine.write_bytes(b"broken")
    expect(r"ImportError: the extension of exactdot-cu13 cannot be loaded: .*pip uninstall exactdot-cu13 leaves",
           venv.run("import exactdot", status=1), "a broken extension of exactdot-cu13")
    engine.write_bytes(content)
    venv.pip("uninstall", "exactdot-cu13")
    version.parent.mkdir(exist_ok=True)  # what pip may leave
    expect(r"/exactdot/_engine\.", venv.run(ENGINE), "the engine after the removal of exactdot-cu13")
    print(f"exactdot-cu13 on Python {python.name}: chosen, refused and removed", flush=True)


def check_simtcc(venv: Environment, scratch: Path) -> None:
    source = shutil.copy(ROOT / "examples/programs/racy.cu", scratch)
    start = time.monotonic()
    venv.pip("install", "simtcc")
    simtcc = venv.bin / "simtcc"
    call(simtcc, source, "-o", scratch / "racy")
    found = call(scratch / "racy", status=66)
    expect(r"simtcc: data_race in global memory .*\(racy\.cu:\d+\)", found, "the finding")
    print(f"simtcc: {time.monotonic() - start:.1f} s from the wheel to the first finding", flush=True)
    call(simtcc, "exercise", "next", cwd=scratch)
    expect(r"which_element\.cu: not solved yet\. Wrong result", call(simtcc, "exercise", "check", scratch / "which_element.cu", status=1),
           "an exercise")
    call(venv.python, ROOT / "tests/simtcc/exercises/notebook.py", simtcc, ROOT / "examples/exercises.ipynb", scratch / "notebook")
    for compiler in filter(shutil.which, ["g++", "clang++"]):
        trace = call(simtcc, source, "-o", scratch / "racy", "--compiler", compiler, "-Wl,--trace", "-H")
        expect(r"site-packages/simtcc/lib/libbacktrace\.a", trace, f"the library that {compiler} links")
        if files := re.findall(r"^.*(?:/usr/\S*backtrace).*$", trace, re.MULTILINE):
            raise Failure(f"{compiler} uses files that the wheel does not hold: {files}")
        call(scratch / "racy", status=66)
    without = call(simtcc, source, status=2, env={**os.environ, "PATH": "/nonexistent"})
    expect(r"\Asimtcc: g\+\+: cannot be started; install g\+\+ .*apt-get install g\+\+.*\n\Z", without, "no compiler")


def main() -> None:
    parser = argparse.ArgumentParser(usage="check.py DIST LINKS [--python PROGRAM]… [--newest]")
    parser.add_argument("dist", type=Path)
    parser.add_argument("links", type=Path)
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--newest", action="store_true")
    options = parser.parse_args()
    dist, links = options.dist.resolve(), options.links.resolve()
    links.mkdir(parents=True, exist_ok=True)
    for variable in ("PYTHONPATH", "PYTHONHOME", "SIMTCC_CXX"):
        os.environ.pop(variable, None)
    pythons = find_pythons(options.python)[-1 if options.newest else 0:]
    with tempfile.TemporaryDirectory() as folder:
        for python in pythons:
            venv = Environment(Path(folder) / python.name, python, [dist, links])
            numpy_for(python, venv, links)
            check_exactdot(python, venv, dist)
            if any(dist.glob("exactdot_cu13-*.whl")):
                check_cu13(python, venv, Path(folder))
        if any(dist.glob("simtcc-*.whl")):
            check_simtcc(Environment(Path(folder) / "simtcc", pythons[-1], [dist]), Path(folder))
        elsewhere = call(venv.python, "-m", "pip", "download", *venv.options, "--no-deps", "--platform=manylinux_2_34_aarch64",
                         "-d", folder, "exactdot", status=1)
        expect("No matching distribution found for exactdot", elsewhere, "pip for another machine")


if __name__ == "__main__":
    try:
        main()
    except (Failure, subprocess.TimeoutExpired) as failure:
        sys.exit(f"check.py: {failure}")
