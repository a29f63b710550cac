"""Programs of others under `exactdot run`: their dots are exact and raise no warning; without it they are not.

under_programs.py PROGRAM KIND [PYTHON…]. KIND: numpy, scipy, octave, r or libblas, the programs of level 1, and of level 2
for gemv, of Debian's libblas-test, looked for in EXACTDOT_LIBBLAS_TEST and /usr/lib/*/blas. PYTHON: interpreters that may
have NumPy. Status 77: not installed.
"""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NUMPY = """
import warnings
import numpy as np
warnings.simplefilter("error")
for real, big in ((np.float64, 1e200), (np.float32, 1e30)):
    x, y = np.array([big, big, 1], real), np.array([big, -big, 1], real)
    print(np.dot(x, y), np.inner(x, y), x @ y, np.repeat(x, 2)[::2] @ y)
    print(np.vdot(x * (1 + 0j), y * (0 + 1j)), np.dot(x + 0j, y + 0j))
    print(*(np.stack([x, x]) @ y), *(np.stack([y, y], axis=1).T.copy().T.T @ x))
"""
SCIPY = """
import warnings
import numpy as np
from scipy.linalg import blas
warnings.simplefilter("error")
x, y = np.array([1e200, 1e200, 1]), np.array([1e200, -1e200, 1])
f, g = x.clip(max=1e30).astype("f4"), y.clip(-1e30, 1e30).astype("f4")
z, w = x + 0j, y + 0j
print(blas.ddot(x, y), blas.sdot(f, g), blas.zdotu(z, w), blas.zdotc(z, w), blas.cdotu(f + 0j, g + 0j))
print(blas.dasum(x[2:]), blas.dnrm2(np.array([3.0, 4.0]) * 2.0**600) == 5 * 2.0**600, blas.idamax(x[::-1]))
"""
OCTAVE = """
x = [1e200; 1e200; 1]; y = [1e200; -1e200; 1];
printf("%g %g %g %g\\n", x' * y, dot(x, y), real(dot(complex(x), complex(y))), real(complex(x).' * complex(y)));
printf("%g %g\\n", [x x]' * y);
"""
R = """
x <- c(1e200, 1e200, 1); y <- c(1e200, -1e200, 1)
options(matprod = "blas")
cat(x %*% y, crossprod(x, y), rbind(x, x) %*% y, fill = TRUE)
"""
LINES = {
    "numpy": ["1.0 1.0 1.0 1.0", "1j (1+0j)", "1.0 1.0 1.0 1.0"] * 2,
    "scipy": ["1.0 1.0 (1+0j) (1+0j) (1+0j)", "1.0 True 1"],
    "octave": ["1 1 1 1", "1 1"],
    "r": ["1 1 1 1"],
}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def output(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def python_with(module, pythons):
    for python in filter(None, [os.environ.get("EXACTDOT_NUMPY_PYTHON"), *pythons, sys.executable]):
        imported = [python, "-c", f"import {module}"]
        if shutil.which(python) and subprocess.run(imported, capture_output=True, check=False).returncode == 0:
            return python
    return skip(f"no Python here has {module}; EXACTDOT_NUMPY_PYTHON may name one")


def command_of(kind, pythons, folder):
    """The command that prints the lines, without its `exactdot run`."""
    if kind in ("numpy", "scipy"):
        return [python_with(kind, pythons), "-c", NUMPY if kind == "numpy" else SCIPY]
    program, script = {"octave": ("octave-cli", OCTAVE), "r": ("Rscript", R)}[kind]
    program = os.environ.get(f"EXACTDOT_{kind.upper()}", program)
    if not shutil.which(program):
        skip(f"{program} is not installed")
    (folder / "script").write_text(script)
    return [program, folder / "script"]


def check_sums(program, kind, pythons):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        command = command_of(kind, pythons, folder)
        found, _ = output([program, "run", "--gemv", f"--report={folder / 'calls'}", "--", *command])
        table = (folder / "calls").read_text() if (folder / "calls").exists() else ""
        plain = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    if [line.strip() for line in found.splitlines()] != LINES[kind]:
        sys.exit(f"{kind}: expected {LINES[kind]}, found\n{found}{table}")
    if not re.search(r"^(ddot|dgemv) +[1-9]", table, re.MULTILINE):  # R calls gemv for dots
        sys.exit(f"{kind}: the table of calls has neither ddot nor dgemv:\n{table}")
    if plain == found:
        sys.exit(f"{kind}: the same lines without exactdot: the test shows nothing\n{plain}")
    print(found, table, sep="")


def check_libblas(program):
    folders = filter(None, [os.environ.get("EXACTDOT_LIBBLAS_TEST"), *glob.glob("/usr/lib/*/blas")])
    patterns = [f"{folder}/{name}" for folder in folders for name in ("xblat1?", "x?cblat1")]
    programs = [path for pattern in patterns for path in sorted(glob.glob(pattern))]
    if not programs:
        skip("libblas-test is not installed")
    for test in programs:
        text, table = output([program, "run", "--report", "--", test])
        passed, routines = text.count("PASS"), text.count("Test of subprogram")
        print(f"{test}: {passed} of {routines} routines pass, {len(table.splitlines()) - 2} of them exactdot's")
        if passed != routines or routines == 0 or "FAIL" in text or not re.search(r"dot[uc]? +[1-9]", table):
            sys.exit(text + table)
    check_gemv(program, pathlib.Path(programs[0]).parent)


def check_gemv(program, folder):
    """Level 2: gemv by Fortran's names, with its error exits; the other routines are those of the BLAS library there."""
    for letter in "sdcz":
        with tempfile.TemporaryDirectory() as scratch, open(f"{folder}/{letter}blat2.in", encoding="ascii") as data:
            command = [program, "run", "--gemv", "--report", "--", f"{folder}/xblat2{letter}"]
            done = subprocess.run(command, stdin=data, cwd=scratch, capture_output=True, text=True, check=False)
            summary = done.stdout + "".join(path.read_text() for path in pathlib.Path(scratch).iterdir())
        lines = re.findall(rf"^ *{letter.upper()}GEMV +(PASSED.*TESTS)", summary, re.MULTILINE)
        called = re.search(rf"^{letter}gemv +[1-9]", done.stderr, re.MULTILINE)
        if lines != ["PASSED THE TESTS", "PASSED THE COMPUTATIONAL TESTS"] or not called:
            sys.exit(f"xblat2{letter}: status {done.returncode}, {lines}\n{summary}{done.stderr}")
        print(f"xblat2{letter}: gemv passes")


def main(program, kind, *pythons):
    program = os.path.abspath(program)
    if kind == "libblas":
        check_libblas(program)
    else:
        check_sums(program, kind, pythons)


if __name__ == "__main__":
    main(*sys.argv[1:])
