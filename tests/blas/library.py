"""What libexactdot_blas and libexactdot_blas_gemv export, and what they make of their environment.

library.py NM LIBRARY GEMV_LIBRARY CALLS. CALLS: a program that calls every routine of the library and prints nothing.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

REAL = ["sdot", "ddot", "dsdot", "sdsdot", "sasum", "dasum", "snrm2", "dnrm2", "isamax", "idamax"]
COMPLEX = ["cdotu", "cdotc", "zdotu", "zdotc", "scasum", "dzasum", "scnrm2", "dznrm2", "icamax", "izamax"]
LEVEL_1, GEMV = REAL + COMPLEX, ["sgemv", "dgemv", "cgemv", "zgemv"]
DOTS_OF_C = [f"{name}_sub" for name in COMPLEX if "dot" in name]


def names_of(routines, only_in_c=()):
    """As Fortran and C call them, with integers of both widths, and with the prefix of NumPy's and SciPy's wheels."""
    fortran = [name + suffix for name in routines for suffix in ("_", "_64_")]
    c = [f"cblas_{name}{suffix}" for name in [*routines, *only_in_c] for suffix in ("", "64_")]
    reference = [f"cblas_{name}_64" for name in [*routines, *only_in_c]]
    return {*fortran, *c, *reference, *(f"scipy_{name}" for name in fortran + c)}


def check_exports(nm, library, expected):
    listing = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    lines = listing.stdout.splitlines()
    found = {line.split()[-1] for line in lines}
    if found != expected:
        sys.exit(f"{library}: not exported: {sorted(expected - found)}; exported, too: {sorted(found - expected)}")
    if data := [line for line in lines if line.split()[1] != "T"]:
        sys.exit(f"{library}: no functions: {data}")


def stderr_of(calls, **variables):
    done = subprocess.run([calls], env=os.environ | variables, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stdout:
        sys.exit(f"{calls} with {variables}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr


def check_refusals(calls):
    for name, values, phrases in (
            ("EXACTDOT_BLAS_MODE", ["quick"], ["exact or fast", "exact is used"]),
            ("EXACTDOT_BLAS_COMPLEX", ["both"], ["value or argument", "value is used"]),
            ("EXACTDOT_BLAS_THREADS", ["-1", "x", "1x", "4097"], ["0 (automatic) to 4096", "1 is used"]),
            ("EXACTDOT_BLAS_REPORT", ["/no/such/folder/file"], ["cannot write", "No such file"])):
        for value in values:
            text = stderr_of(calls, **{name: value})
            if text.count("\n") != 1 or not all(phrase in text for phrase in [name, value, *phrases]):
                sys.exit(f"{name}={value}: expected one line with {phrases}, found {text!r}")
    for variables in ({}, {"EXACTDOT_BLAS_MODE": "exact", "EXACTDOT_BLAS_THREADS": "0", "EXACTDOT_BLAS_REPORT": "0"}):
        if text := stderr_of(calls, **variables):
            sys.exit(f"{variables}: {text}")


def check_report(calls, called):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "calls"
        for _ in range(2):
            if text := stderr_of(calls, EXACTDOT_BLAS_REPORT=str(file)):
                sys.exit(f"a report in a file: {text}")
        twice = file.read_text().splitlines()
    once = stderr_of(calls, EXACTDOT_BLAS_REPORT="1").splitlines()
    if [line.split()[0] for line in once] != ["exactdot:", "routine", *called] or len(twice) != 2 * len(once):
        sys.exit(f"the report: {once}; twice in a file: {twice}")
    for line in once[2:]:
        name, count, elements, seconds = line.split()
        if not (int(count) > 0 and int(elements) > int(count) and 0 < float(seconds) < 60):
            sys.exit(f"the report of {name}: {line}")


def check_forked(library):
    """A process that is forked reports its own calls, not its parent's; one without calls reports nothing."""
    code = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
vector = (ctypes.c_double * 4)(1, 2, 3, 4)
def call(count):
    for _ in range(count):
        library.cblas_dasum(4, vector, 1)
call(3)
for count in (0, 2):
    child = os.fork()
    if child == 0:
        call(count)
        sys.exit()
    os.waitpid(child, 0)
"""
    done = subprocess.run([sys.executable, "-c", code, library], env=os.environ | {"EXACTDOT_BLAS_REPORT": "1"},
                          capture_output=True, text=True, check=True)
    found = [line.split()[1] for line in done.stderr.splitlines() if line.startswith("dasum")]
    if found != ["2", "3"]:
        sys.exit(f"the report of a forked process and its parent: calls {found}\n{done.stderr}")


def check_mode(calls):
    """Mode fast loses the small numbers between products that cancel; on any number of threads."""
    for threads in ("1", "0"):
        variables = os.environ | {"EXACTDOT_BLAS_MODE": "fast", "EXACTDOT_BLAS_THREADS": threads}
        done = subprocess.run([calls], env=variables, capture_output=True, text=True, check=False)
        if done.returncode != 1 or not done.stdout.startswith("dot: "):
            sys.exit(f"mode fast: status {done.returncode}, {done.stdout}")


def main(nm, library, gemv_library, calls):
    level_1 = names_of(LEVEL_1, DOTS_OF_C)
    check_exports(nm, library, level_1)
    check_exports(nm, gemv_library, level_1 | names_of(GEMV))
    check_refusals(calls)
    check_mode(calls)
    check_forked(library)
    check_report(calls, ["ddot", "dsdot", "sdsdot", "zdotu", "zdotc", "dasum", "dzasum", "dnrm2", "dznrm2", "idamax",
                         "izamax"])


if __name__ == "__main__":
    main(*sys.argv[1:])
