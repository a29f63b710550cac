"""Compiles one program of examples/programs with simtcc and runs it: its value must be right, or its fault named.

usage: programs.py SIMTCC PROGRAM.cu FOLDER

A program that is wrong on purpose, or in one model only, says so in its first line; its finding must be in its own file, or a note
if the first line says that only its sum and a note show the fault. All others must exit with 0, without findings, and without
notes but that of sums of floats whose order the seed decides. Run with several seeds in both models.
"""

import os
import pathlib
import subprocess
import sys

simtcc, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = folder / source.stem
title = source.read_text().split("\n")[0]
warns = "with a warning of the compiler" in title
compiled = subprocess.run([simtcc, source, "-o", program, "-Wall", "-Wno-sign-compare", *([] if warns else ["-Werror"])],
                          stderr=subprocess.PIPE, text=True, check=False)
if compiled.returncode != 0 or warns != ("warning" in compiled.stderr):
    raise SystemExit(f"{source.name}: status {compiled.returncode} of the compiler, which printed {compiled.stderr}")
only_note = "only its sum and a note show it" in title
wrong_in = {"independent": ("// Wrong on purpose", "// Wrong with independent threads"),
            "lock_step": ("// Wrong on purpose", "// Wrong in lock step")}
for model in ("independent", "lock_step"):
    run = subprocess.run([program], env={**os.environ, "SIMTCC_MODEL": model, "SIMTCC_SEEDS": "3"}, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(run.stdout)
    is_wrong = title.startswith(wrong_in[model])
    if (run.returncode != 0) != is_wrong:
        raise SystemExit(f"{source.name}, {model}: status {run.returncode}")
    reports = [line for line in run.stdout.splitlines() if line.startswith("simtcc: ") and f"({source.name}:" in line]
    notes = [line for line in reports if line.startswith("simtcc: note: ") and "order_dependent" not in line]
    if is_wrong and not (notes if only_note else set(reports) - set(notes)):
        raise SystemExit(f"{source.name}, {model}: no {'note' if only_note else 'finding'} with a line of the file")
    if (only_note or not is_wrong) and len(reports) != sum("note: " in line for line in reports):
        raise SystemExit(f"{source.name}, {model}: a finding")
    if notes and not is_wrong:
        raise SystemExit(f"{source.name}, {model}: a note")
