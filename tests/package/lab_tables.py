#!/usr/bin/env python3
"""Tests scripts/lab_tables.

The script must detect a figure that was changed by hand, an error of compute-sanitizer in a correct rung, a rung that
failed its checks, and a rung without a section.

Uses copies of the scripts, the results and the documents.

usage: lab_tables.py SOURCE SCRATCH
"""
import json
import pathlib
import shutil
import subprocess
import sys

FILES = ("scripts/lab_tables", "scripts/lab_rungs.py", "scripts/lab_hazards.py", "scripts/documents.py", "README.md",
         "docs/lab.md", "docs/simt.md", "docs/results/lab-h100.json", "docs/results/hazards-simt.json")


def main(source, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    for name in FILES:
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, scratch / name)
    results, document = scratch / "docs/results/lab-h100.json", scratch / "docs/lab.md"

    def expect_message(case, expected):
        """Requires that --check fails with the expected text in its message, or succeeds if `expected` is None."""
        command = [sys.executable, scratch / "scripts/lab_tables", "--check"]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if (done.returncode == 0) if expected else (done.returncode != 0):
            sys.exit(f"{case}: {done.stderr or 'not detected'}")
        if expected and expected not in done.stderr:
            sys.exit(f"{case}: the message is {done.stderr}")

    def with_change(case, modify, expected):
        original = results.read_text()
        report = json.loads(original)
        modify(report)
        results.write_text(json.dumps(report))
        expect_message(case, expected)
        results.write_text(original)

    def error_in_two_phase(report):
        report["sanitizer"]["racecheck"]["rungs"]["two_phase"]["errors"] = 1

    def no_summary_of_kahan(report):
        report["sanitizer"]["memcheck"]["rungs"]["kahan"] = {"failed": "took too long"}

    def failed_check(report):
        report["ladders"][0]["rungs"][-1]["check"] = "2 different results in 20 runs"

    def unknown_rung(report):
        report["ladders"][0]["rungs"][0]["name"] = "another"

    expect_message("unchanged documents", None)
    with_change("an error of racecheck", error_in_two_phase, "racecheck on two_phase")
    with_change("a rung that memcheck did not finish", no_summary_of_kahan, "memcheck on kahan")
    with_change("a failed check", failed_check, "failed its checks")
    with_change("a rung without a section", unknown_rung, "differ in rungs")
    text = document.read_text()
    document.write_text(text.replace("| float | 8 MiB |", "| float | 9 MiB |", 1))
    if document.read_text() == text:
        sys.exit("docs/lab.md does not have the figure that this test changes")
    expect_message("a figure changed by hand", "differs from")


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
