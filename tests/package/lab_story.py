#!/usr/bin/env python3
"""scripts/lab_story notices what it must: a figure changed by hand, an error of compute-sanitizer in a rung without a
fault, a rung that broke its promise, one that the story leaves out.

Works on copies of the scripts, the results and the documents.

usage: lab_story.py SOURCE SCRATCH
"""
import json
import pathlib
import shutil
import subprocess
import sys

FILES = ("scripts/lab_story", "scripts/lab_rungs.py", "scripts/lab_hazards.py", "scripts/documents.py", "README.md",
         "docs/lab.md", "docs/simt.md", "docs/results/lab-h100.json", "docs/results/hazards-simt.json")


def main(source, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    for name in FILES:
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, scratch / name)
    results, story = scratch / "docs/results/lab-h100.json", scratch / "docs/lab.md"

    def notices(what, expected):
        command = [sys.executable, scratch / "scripts/lab_story", "--check"]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if (done.returncode == 0) if expected else (done.returncode != 0):
            sys.exit(f"{what}: {done.stderr or 'went unnoticed'}")
        if expected and expected not in done.stderr:
            sys.exit(f"{what}: noticed as {done.stderr}")

    def with_change(what, change, expected):
        kept = results.read_text()
        report = json.loads(kept)
        change(report)
        results.write_text(json.dumps(report))
        notices(what, expected)
        results.write_text(kept)

    def error_in_two_phase(report):
        report["sanitizer"]["racecheck"]["rungs"]["two_phase"]["errors"] = 1

    def no_summary_of_kahan(report):
        report["sanitizer"]["memcheck"]["rungs"]["kahan"] = {"failed": "took too long"}

    def broken_promise(report):
        report["ladders"][0]["rungs"][-1]["check"] = "2 different results in 20 runs"

    def unknown_rung(report):
        report["ladders"][0]["rungs"][0]["name"] = "another"

    notices("documents as they are", None)
    with_change("an error of racecheck", error_in_two_phase, "racecheck on two_phase")
    with_change("a rung that memcheck did not finish", no_summary_of_kahan, "memcheck on kahan")
    with_change("a broken promise", broken_promise, "broke its promise")
    with_change("a rung without a section", unknown_rung, "differ in rungs")
    text = story.read_text()
    story.write_text(text.replace("| float | 8 MiB |", "| float | 9 MiB |", 1))
    if story.read_text() == text:
        sys.exit("the story has no such figure to change")
    notices("a figure typed by hand", "does not say")


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
