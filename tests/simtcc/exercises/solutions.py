"""Solves all exercises of simtcc, as a learner would.

usage: solutions.py SIMTCC SOURCES FOLDER [nvcc PROGRAM | compiler PROGRAM]

Of each exercise: the unsolved file that `next` writes is refused with the message that its line `//! fails: REGEX` names; with the
solution in place it is solved. With `compiler`, which chooses simtcc's, the main of the solution has to run without a finding too.
With `nvcc` the files, unsolved and solved, are only compiled, by it.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

simtcc, sources, scratch = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
mode, chosen_program = (*sys.argv[4:], "", "")[:2]
if mode == "compiler":
    os.environ["SIMTCC_CXX"] = chosen_program


def run(folder, *command):
    done = subprocess.run(list(map(str, command)), cwd=folder, text=True, timeout=280, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def listed():
    return re.findall(r"^ +\d+  (\w+)", run(scratch, simtcc, "exercise", "list")[1], re.M)


def parts_of(name):
    """The expected sentence, the notes, the lines of the solution and those that they replace."""
    text = (sources / f"{name}.cu").read_text()
    notes = re.findall(r"^//! (\w+): (.+)$", text, re.M)
    solution, unsolved = re.search(r"^#ifdef SOLUTION\n(.*?)^#else\n(.*?)^#endif\n", text, re.M | re.S).groups()
    shown = re.sub(r"^//! .*\n", "", text[:text.index("#ifdef CHECK")], flags=re.M)
    right = re.sub(r"^#ifdef SOLUTION\n.*?^#endif\n", lambda _: solution, shown, flags=re.M | re.S)
    return notes, unsolved, right


def try_exercise(name, others):
    """Returns what is wrong with an exercise."""
    folder = scratch / name
    folder.mkdir()
    (folder / ".simtcc-exercises").write_text("".join(f"{other} solved\n" for other in others if other != name))
    notes, unsolved, right = parts_of(name)
    expected = dict(notes)["fails"]
    problems = []
    for key, least in {"title": 1, "topic": 1, "call": 1, "learnt": 1, "fails": 1, "hint": 2}.items():
        if sum(found == key for found, _ in notes) < least:
            problems.append(f"{key} is missing")
    run(folder, simtcc, "exercise", "next")
    file = folder / f"{name}.cu"
    given = file.read_text()
    if unsolved not in given or re.search(r"^#(if|else|endif)|//!|exercise::", given, re.M):
        problems.append(f"the learner's file is wrong:\n{given}")
    status, output = run(folder, simtcc, "exercise", "check", file.name)
    if status != 1 or not re.search(expected, output):
        problems.append(f"unsolved: expected {expected}, found status {status}:\n{output}")
    file.write_text(right)
    status, output = run(folder, simtcc, "exercise", "check", file.name)
    if status != 0 or "Learnt: " not in output or "exercises are solved" not in output:
        problems.append(f"solution: status {status}:\n{output}")
    if mode == "compiler":
        status, output = run(folder, simtcc, file.name, "-o", name, "-run")
        if status != 0 or "simtcc: no findings" not in output:
            problems.append(f"main of the solution: status {status}:\n{output}")
    return problems


def compile_by_nvcc(name, others):
    """Returns what nvcc says of both versions of an exercise."""
    folder = scratch / name
    folder.mkdir()
    (folder / ".simtcc-exercises").write_text("".join(f"{other} solved\n" for other in others if other != name))
    run(folder, simtcc, "exercise", "next")
    (folder / "solved.cu").write_text(parts_of(name)[2])
    outputs = []
    for file in (f"{name}.cu", "solved.cu"):
        status, output = run(folder, chosen_program, "-Werror=all-warnings", "-c", file, "-o", "object.o")
        if status != 0:
            outputs.append(f"{file}: nvcc:\n{output}")
    return outputs


def main():
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    names = listed()
    if sorted(names) != sorted(path.stem for path in sources.glob("*.cu")) or len(names) < 25:
        sys.exit(f"exercises: the list has not the files of {sources}: {names}")
    attempt = compile_by_nvcc if mode == "nvcc" else try_exercise
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(names, pool.map(lambda name: attempt(name, names), names)))
    faults = [f"{name}: {problem}" for name, problems in results.items() for problem in problems]
    if faults:
        sys.exit("exercises:\n" + "\n".join(faults))
    print(f"{len(names)} exercises: all is as expected")


if __name__ == "__main__":
    main()
