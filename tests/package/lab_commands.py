#!/usr/bin/env python3
"""Runs every command of docs/lab.md on a machine without a GPU, and compares what comes out with what the document says.

The outcomes in the document are those of docs/results/lab-simt.json, lab-rows-simt.json, lab-groups-simt.json and
hazards-simt.json (scripts/lab_tables). Commands of
lessons run with --json and must repeat these results; all other commands must succeed and print something. A command marked
`# needs a GPU` may end with an error that names the reason. A lesson without a command is an error. What a lesson compiles runs
in a copy of examples/programs and must end with the status that the lesson says, 0 if it says none; a program with another
status than 0 must name what is wrong, or print a sum.

usage: lab_commands.py SOURCE PROGRAM SIMTCC SCRATCH
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
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
    needs_gpu = "# needs a GPU" in line and ("--rung" in done.stderr or "--device cuda" in done.stderr)
    if done.returncode != 0 and not needs_gpu:
        fail(f"`{line}` ended with status {done.returncode}: {done.stderr}")
    if not done.stdout.strip() and not needs_gpu:
        fail(f"`{line}` printed nothing")


def fault_of_own(line, simtcc, folder):
    """What is wrong with a line that compiles and runs a program of the folder; None if nothing is."""
    expected = re.search(r"# status (\d+)$", line)
    environment = {**os.environ, "PATH": f"{simtcc.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", line], env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    status = int(expected[1]) if expected else 0
    if done.returncode != status:
        return f"`{line}` ended with status {done.returncode}: {done.stdout}"
    if not re.search(r"^simtcc: [a-z_]+ |\bsum\b|\d", done.stdout, re.MULTILINE):
        return f"`{line}` printed neither a finding nor a result: {done.stdout}"
    return None


def compile_own(lines, source, simtcc, scratch):
    """Runs the lines that compile a plain program, two at a time; exits with an error if one does not do as the lesson says."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(source / "examples/programs", scratch)
    if not lines:
        fail("docs/lab.md compiles no program")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = [fault for fault in pool.map(lambda line: fault_of_own(line, simtcc, scratch), lines) if fault]
    if faults:
        fail("\n".join(faults))


def main(source, program, simtcc, scratch):
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
    seen, own = set(), []
    for line in [line for lines, _ in shell_fences((source / "docs/lab.md").read_text()) for line in lines]:
        words = line.partition("#")[0].split()
        if any(words[:len(start)] == start and set(words[len(start)::2]) == {"--rung"} for start in rung_starts):
            seen |= run_lesson(" ".join(words), program, "rungs", rungs, lab_simt.difference_of_rungs)
        elif " ".join(words[:-1]) == hazard_start:
            seen |= run_lesson(" ".join(words), program, "hazards", hazards, lab_simt.difference_of_hazards)
        elif words[0] == "simtcc":
            own.append(line)
        else:
            run_other(line, program)
    missing = (rungs.keys() | hazards.keys()) - seen
    if missing:
        fail(f"docs/lab.md has no command for {sorted(missing)}")
    compile_own(list(dict.fromkeys(own)), source, simtcc, scratch)


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
