"""Compiles each program of a folder with simtcc and runs it; comments at its beginning say what must come out.

usage: files.py SIMTCC SOURCES FOLDER [COMPILER]

    // options: -arch sm_20            of simtcc
    // refused: REGEX                  simtcc fails and prints a match
    // notes: REGEX                    simtcc prints a match, and compiles
    // environment: SIMTCC_SEEDS=3     of the program
    // status: 66                      of the program; default: 0
    // prints: REGEX                   a line of the program's output or report
    // silent: REGEX                   no line of it matches
    // seconds: 60                     that the program may take; default: 30
    // with: FILE                      a further source file

LINE(name) in a pattern is the number of the line that ends in `// name`. Without `status` and `refused` there must be no
findings, in both models. A folder of the name of a program holds its further files. Programs of cuBLAS are skipped where the
host has no BLAS.
"""

import os
import pathlib
import re
import subprocess
import sys

simtcc, sources, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
compiler = ["--compiler", sys.argv[4]] if len(sys.argv) > 4 else []
scratch.mkdir(parents=True, exist_ok=True)
failures, skipped = [], []


def wanted(text, key):
    return re.findall(rf"^// {key}: (.*)$", text, re.M)


def run(command, seconds=120, **environment):
    try:
        done = subprocess.run(command, cwd=scratch, env={**os.environ, **environment}, text=True, timeout=seconds, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return None, "takes too long"
    return done.returncode, done.stdout


def check(source):
    text = source.read_text()
    lines = text.splitlines()

    def line_of(match):
        return str(next(i for i, line in enumerate(lines, 1) if line.endswith("// " + match[1])))

    def expect(output, patterns, absent=()):
        for pattern in patterns:
            if not re.search(re.sub(r"LINE\((.*?)\)", line_of, pattern), output, re.M):
                failures.append(f"{source.name}: nothing matches {pattern}\n{output}")
        for pattern in absent:
            if re.search(pattern, output, re.M):
                failures.append(f"{source.name}: {pattern} matches\n{output}")

    program = scratch / source.stem
    further = [source.parent / source.stem / name for name in wanted(text, "with")]
    options = " ".join(wanted(text, "options")).split()
    status, output = run([simtcc, *compiler, source, *further, "-o", program, *options])
    expect(output, wanted(text, "refused") + wanted(text, "notes"), ["warning: "])
    if (status != 0) != bool(wanted(text, "refused")):
        failures.append(f"{source.name}: status {status} of simtcc\n{output}")
    if status != 0 or "-c" in options:
        return
    environment = dict(pair.split("=") for pair in wanted(text, "environment"))
    statuses = wanted(text, "status")
    models = ["independent", "lock_step"] if not statuses and "SIMTCC_MODEL" not in environment else [None]
    for model in models:
        if model:
            environment["SIMTCC_MODEL"] = model
        status, output = run([program], int((wanted(text, "seconds") or [30])[0]), **environment)
        if "cuBLAS is computed by the host's BLAS, and none is installed" in output:
            skipped.append(source.name)
            return
        if status != int((statuses or [0])[0]):
            failures.append(f"{source.name}: status {status} of the program\n{output}")
        expect(output, wanted(text, "prints"), wanted(text, "silent"))


for path in sorted(sources.glob("*.cu")):
    check(path)
if failures:
    raise SystemExit("\n".join(failures))
if skipped:
    print("skipped, as no BLAS is installed:", *skipped)
    raise SystemExit(77)
