#!/usr/bin/env python3
"""Runs every command of docs/lab.md on a machine without a GPU, and compares what comes out with what the document says.

The outcomes in the document are those of docs/results/lab-simt.json, lab-rows-simt.json, lab-groups-simt.json and
hazards-simt.json (scripts/lab_tables). Commands of
lessons run with --json and must repeat these results; all other commands must succeed and print something. A command marked
`# needs a GPU` may end with an error that names the reason. A lesson without a command is an error.

usage: lab_commands.py SOURCE PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
from documents import shell_fences


def fail(message):
    sys.exit(f"lab_commands: {message}")


def run(line, program, json_wanted=False):
    command = f"{line} --json" if json_wanted else line
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(["bash", "-c", command], env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run_lesson(line, program, kind, recorded, compare):
    """Runs a command whose results are recorded; exits with an error if it prints others. Returns the names it ran."""
    done = run(line, program, json_wanted=True)
    if done.returncode != 0:
        fail(f"`{line}` ended with status {done.returncode}: {done.stderr}")
    found = json.loads(done.stdout)[kind]
    for outcome in found:
        difference = compare(recorded[outcome["name"]], outcome)
        if difference:
            fail(f"`{line}`: {outcome['name']}: {difference}; if that is right, run scripts/lab_tables --simt PROGRAM")
    return {outcome["name"] for outcome in found}


def run_other(line, program):
    done = run(line, program)
    needs_gpu = "# needs a GPU" in line and "--rung" in done.stderr
    if done.returncode != 0 and not needs_gpu:
        fail(f"`{line}` ended with status {done.returncode}: {done.stderr}")
    if not done.stdout.strip() and not needs_gpu:
        fail(f"`{line}` printed nothing")


def main(source, program):
    sys.path.insert(0, str(source / "scripts"))
    from lab import simt as lab_simt
    from shared import result_files

    def recorded(name, kind):
        return {each["name"]: each for each in result_files.read(source / "docs/results" / name)[kind]}

    rungs, hazards = recorded("lab-simt.json", "rungs"), recorded("hazards-simt.json", "hazards")
    for workload in lab_simt.WORKLOADS:
        rungs |= recorded(f"lab-{workload}-simt.json", "rungs")
    rung_starts = [["exactdot", *each] for each in (lab_simt.RUNGS, *lab_simt.WORKLOADS.values())]
    hazard_start = " ".join(["exactdot", *lab_simt.HAZARDS])
    seen = set()
    for line in [line for lines, _ in shell_fences((source / "docs/lab.md").read_text()) for line in lines]:
        words = line.partition("#")[0].split()
        if any(words[:len(start)] == start and set(words[len(start)::2]) == {"--rung"} for start in rung_starts):
            seen |= run_lesson(" ".join(words), program, "rungs", rungs, lab_simt.difference_of_rungs)
        elif " ".join(words[:-1]) == hazard_start:
            seen |= run_lesson(" ".join(words), program, "hazards", hazards, lab_simt.difference_of_hazards)
        else:
            run_other(line, program)
    missing = (rungs.keys() | hazards.keys()) - seen
    if missing:
        fail(f"docs/lab.md has no command for {sorted(missing)}")


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
