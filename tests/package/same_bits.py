#!/usr/bin/env python3
"""Tests scripts/same_bits with small files of results.

The table must have the sums of all files, "not run" for engines of none, and what is missing; --run must add the
counts of a program; --check must detect a figure that was changed by hand.

usage: same_bits.py SOURCE SCRATCH
"""
import json
import pathlib
import shutil
import subprocess
import sys

COUNTS = {
    "avx2": {"dot_float32": {"exact": {"float32": 5, "float64": 1000}, "fast": {"float32": 3}},
             "dot_float16_float64": {"exact": {"float64": 7}}, "sum_of_squares_int8": {"exact": {"uint64": 2}},
             "dot_complex64": {"exact": {"float32": 8}}, "slope_float16": {"exact": {"float64": 9}}},
    "default": {"dot_float32": {"exact": {"float32": 5}}},
    "threads": {"dot_float32": {"exact": {"float32": 4}}},
}
OF_ANOTHER_MACHINE = {"avx2": {"dot_float32": {"exact": {"float32": 10}}}, "simulator": {"dot_float32": {"fast": {"float32": 1}}}}
EXPECTED = [
    "| `dot` | `exact` | not run | 1,030 | not run | not run | 4 (2 of 3 kinds not run) | not run | not run | – |",
    "| `dot` | `fast` | not run | 3 | not run | not run | – | not run | not run | 1 |",
    "| `sum_of_squares` | `exact` | not run | 2 | not run | not run | – | not run | not run | – |",
    "| `slope` | `exact` | not run | 9 | not run | not run | – | not run | not run | – |",
    "| `float16` | `exact` | not run | 16 | not run | not run | – | not run | not run | – |",
    "| `int8` | `exact` | not run | 2 | not run | not run | – | not run | not run | – |",
    "| `complex64` | `exact` | not run | 8 | not run | not run | – | not run | not run | – |",
]
CAMPAIGN = """#!/bin/sh
test "$1 $2" = "--each 3" || exit 1
for engine in portable batch; do
  for row in dot_float32 max_float32; do  # rows of the same counts are written as one
    echo '{"engine": "'$engine'", "row": "'$row'", "mode": "exact", "result": "float32", "results": 6}' >> "$4"
  done
done
"""
AFTER_RUN = "| `dot` | `exact` | 12 (2 of 3 kinds not run) | 1,030 |"


def main(source, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    for name in ("scripts/same_bits", "scripts/shared/documents.py", "scripts/shared/result_files.py",
                 "scripts/shared/result_fields.py", "docs/contract.md"):
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, scratch / name)
    document, results = scratch / "docs/contract.md", scratch / "docs/results"
    results.mkdir()

    def run(*arguments):
        return subprocess.run([sys.executable, scratch / "scripts/same_bits", *arguments], stderr=subprocess.PIPE, text=True)

    if run().returncode == 0:
        sys.exit("a table without results was written")
    for name, counts in (("a", COUNTS), ("b", OF_ANOTHER_MACHINE)):
        (results / f"same-bits-{name}.json").write_text(json.dumps({"machine": name, "runs": [], "counts": counts}))
    if (done := run()).returncode != 0:
        sys.exit(f"the sample is not accepted: {done.stderr}")
    lines = document.read_text().split("\n")
    for line in EXPECTED:
        if line not in lines:
            sys.exit(f"docs/contract.md does not have the line {line}")

    program = scratch / "campaign"
    program.write_text(CAMPAIGN)
    program.chmod(0o755)
    for _ in range(2):
        if run("--run", results / "same-bits-a.json", program, "--each", "3").returncode != 0:
            sys.exit("the program was not run")
    if run("--check").returncode == 0:
        sys.exit("--check did not detect that results are not in the table")
    if run().returncode != 0 or AFTER_RUN not in document.read_text():
        sys.exit(f"docs/contract.md does not have {AFTER_RUN}")
    if run("--check").returncode != 0:
        sys.exit("--check refuses the table that was just written")
    document.write_text(document.read_text().replace("1,030", "1,031", 1))
    if run("--check").returncode == 0:
        sys.exit("--check did not detect a figure that was changed by hand")


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
