"""Compiles one program of examples/programs with simtcc and runs it: its value must be right, or its fault named.

usage: programs.py SIMTCC PROGRAM.cu FOLDER

A program that is wrong on purpose, or in lock step only, says so in its first line; its finding must be in its own file. All
others must exit with 0 and without findings, for several seeds and in both models.
"""

import os
import pathlib
import subprocess
import sys

simtcc, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = folder / source.stem
subprocess.run([simtcc, source, "-o", program, "-Wall", "-Wno-sign-compare", "-Werror"], check=True)
text = source.read_text()
for model in ("independent", "lock_step"):
    run = subprocess.run([program], env={**os.environ, "SIMTCC_MODEL": model, "SIMTCC_SEEDS": "3"}, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(run.stdout)
    is_wrong = text.startswith("// Wrong on purpose") or (model == "lock_step" and text.startswith("// Wrong in lock step"))
    if (run.returncode != 0) != is_wrong:
        raise SystemExit(f"{source.name}, {model}: status {run.returncode}")
    if is_wrong and f"({source.name}:" not in run.stdout:
        raise SystemExit(f"{source.name}, {model}: no finding with a line of the file")
