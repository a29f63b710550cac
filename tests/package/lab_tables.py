#!/usr/bin/env python3
"""Tests scripts/lab_tables.

The script must detect a figure that was changed by hand, a kernel that changed after its lesson was written, a picture
that was changed by hand, results that contradict a sentence, a sentence that is missing, an error of compute-sanitizer in
a correct rung, a rung that failed its checks, a rung without a lesson, and a hazard without results. It must write a
section for a hazard that has none. It must detect a prediction that the results do not answer or whose answer they contradict, a
listing that calls what it does not show, a mistake without a printed listing, and a program without a lesson. In the document, no
listing of a hazard marks its mistake, and predictions stand between the listing and what answers them.

Uses copies of the scripts, the results, the sources and the documents.

usage: lab_tables.py SOURCE SCRATCH
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).resolve() / "scripts"))
from shared import result_files

FILES = ("README.md", "docs/lab.md", "docs/simt.md", "docs/results/lab-h200.json",
         "docs/results/hazards-simt.json", "docs/results/lab-simt.json", "docs/results/tree-costs-simt.json",
         "docs/results/lab-time-simt.json", "docs/results/lab-rows-simt.json", "docs/results/lab-groups-simt.json",
         "scripts/lab_tables", "scripts/shared/*.py", "scripts/lab/*.py", "lab/*.c*", "lab/rungs/*.c*", "lab/rungs/*/*.cu",
         "lab/hazards/*.cu", "examples/programs/*.cu",
         "docs/pictures/lab/*.svg")


def copy_files(source, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    for pattern in FILES:
        for path in source.glob(pattern):
            target = scratch / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def run(scratch, *arguments):
    command = [sys.executable, scratch / "scripts/lab_tables", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True)


class Cases:
    def __init__(self, scratch):
        self.scratch = scratch

    def expect_message(self, case, expected):
        """Requires that --check fails with the expected text in its message, or succeeds if `expected` is None."""
        done = run(self.scratch, "--check")
        if (done.returncode == 0) if expected else (done.returncode != 0):
            sys.exit(f"{case}: {done.stderr or 'not detected'}")
        if expected and expected not in done.stderr:
            sys.exit(f"{case}: the message is {done.stderr}")

    def with_results(self, case, modify, expected, name="lab-h200.json"):
        path = self.scratch / "docs/results" / name
        original = path.read_text()
        report = result_files.read(path)
        modify(report)
        path.write_text(json.dumps(report))
        self.expect_message(case, expected)
        path.write_text(original)

    def with_text(self, case, name, old, new, expected):
        path = self.scratch / name
        original = path.read_text()
        if old not in original:
            sys.exit(f"{case}: {name} does not have the text that this test changes")
        path.write_text(original.replace(old, new, 1))
        self.expect_message(case, expected)
        path.write_text(original)


def test_results(cases):
    def rung(report, name):
        return next(each for each in report["ladders"][0]["rungs"] if each["name"] == name)

    def sanitizer(tool, name, outcome):
        """Changes what a tool found in a rung; results without compute-sanitizer get this outcome alone."""
        def modify(report):
            outcomes = report.setdefault("sanitizer", {}).setdefault(tool, {"rungs": {}, "hazards": {}})
            outcomes["rungs"][name] = outcome
        return modify

    cases.with_results("an error of racecheck", sanitizer("racecheck", "two_phase", {"errors": 1, "first": []}),
                       "racecheck on two_phase")
    cases.with_results("a rung that memcheck did not finish", sanitizer("memcheck", "kahan", {"failed": "took too long"}),
                       "memcheck on kahan")
    cases.with_results("a failed check", lambda report: rung(report, "exact").update(check="2 different results in 20 runs"),
                       "failed its checks")
    cases.with_results("a rung without a section", lambda report: rung(report, "cpu_loop").update(name="another"),
                       "differ in rungs")
    cases.with_results("a slower CUB", lambda report: rung(report, "cub").update(microseconds=3.9),
                       "contradict the statement of docs/lab.md: At 2^20 CUB takes six tenths")
    cases.with_results("a hazard without results", lambda report: report["hazards"].pop(0), "hazards-simt.json lacks",
                       "hazards-simt.json")
    cases.with_results("a ladder that takes too long", lambda report: report["seconds"].update({"exactdot lab --device simt": 61}),
                       "took 61 s; the limit is 60 s", "lab-time-simt.json")
    cases.with_results("other counts of the simulator", lambda report: report["rungs"][3].update(steps=1),
                       "differs from", "lab-simt.json")


def test_workloads(cases):
    """Ladders over rows and groups: with and without results of a GPU."""
    def ladder(workload, check="passed", without=()):
        rungs = {"workload": workload, "divided": "in parts", "n": 4000, "dtype": "float32",
                 **result_files.read(cases.scratch / f"docs/results/lab-{workload}-simt.json")}
        for rung in rungs["rungs"]:
            rung["microseconds"], rung["percent_of_ceiling"] = 7.25, 61.5
            if rung["check"] == "passed":
                rung["check"] = check
        library = {**rungs["rungs"][-1], "name": f"cub_{workload}", "number": 6}
        rungs["rungs"] = [rung for rung in [*rungs["rungs"], library] if rung["name"] not in without]
        return rungs

    def measured(*ladders):
        return {"gpu": "NVIDIA X1", "driver": "1", "toolkit": "13.0", "date": "2026-01-02", "ladders": list(ladders)}

    main, expected = "docs/results/lab-h200.json", "differs from docs/results"
    cases.with_results("a workload that was measured", lambda report: report.update(workloads=measured(ladder("rows"))), expected)
    cases.with_results("a workload that failed", lambda report: report.update(
        workloads=measured({"workload": "rows", "failed": "exit 1"})), "a ladder of rows failed: exit 1")
    cases.with_results("a rung of a workload that failed", lambda report: report.update(
        workloads=measured(ladder("groups", check="result 3: an error of 9 ulp"))), "failed its checks: result 3")
    cases.with_results("a rung of a workload that is missing", lambda report: report.update(
        workloads=measured(ladder("groups", without=("cub_groups",)))), "the measured rungs of groups are not those")
    cases.with_results("other costs of a workload", lambda report: report["rungs"][0].update(steps=1), expected,
                       "lab-rows-simt.json")
    cases.with_results("a workload's rung without results", lambda report: report["rungs"].pop(), "differ in rungs",
                       "lab-groups-simt.json")
    path, document = cases.scratch / main, cases.scratch / "docs/lab.md"
    original, text = path.read_text(), document.read_text()
    path.write_text(json.dumps({**result_files.read(path), "workloads": measured(ladder("rows"), ladder("groups"))}))
    done = run(cases.scratch)
    if done.returncode != 0 or document.read_text().count("NVIDIA X1") < 10:
        sys.exit(f"measured workloads: the document lacks them; {done.stderr}")
    path.write_text(original), document.write_text(text)


def test_texts(cases):
    lesson = "docs/lab.md"
    cases.with_text("a figure changed by hand", lesson, "| float | 8 MiB |", "| float | 9 MiB |", "differs from")
    cases.with_text("a listing changed by hand", lesson, "+  if (i < n) atomicAdd(out, a[i] * b[i]);", "+  atomicAdd(out, 1);",
                    "differs from")
    cases.with_text("a kernel changed", "lab/rungs/racy.cu", "if (i < n) *out", "if (i + 1 < n) *out", "differs from")
    cases.with_text("a kernel renamed", "lab/rungs/racy.cu", "void add_unprotected", "void add_unguarded", "no function")
    cases.with_text("a hazard's cause changed", "lab/hazards/lock.cu", "A correct count does not prove", "It does prove",
                    "differs from")
    cases.with_text("a hazard that is not in the results", "lab/hazards/lock.cu", '.name = "lock"', '.name = "key"',
                    "differ in hazards")
    cases.with_text("a picture changed by hand", "docs/pictures/lab/racy.svg", "load 0", "load 1", "racy.svg differs")
    cases.with_text("a statement that is missing", lesson, "At 2^20 nothing is gained", "Nothing is gained",
                    "lacks the statement")


def test_predictions(cases):
    """Each lesson asks what its command answers."""
    predictions = "scripts/lab/predictions.py"

    def rung(report, name, **fields):
        next(each for each in report["rungs"] if each["name"] == name).update(fields)

    cases.with_results("an answer that is missing", lambda report: rung(report, "atomic_per_element", atomics=None),
                       "the prediction of atomic_per_element is not answered: its results have no atomics", "lab-simt.json")
    cases.with_results("another answer", lambda report: rung(report, "racy", distinct_results=4), "differs from", "lab-simt.json")
    cases.with_results("a hazard that does not answer", lambda report: report["hazards"][0].update(observed="many"),
                       "the prediction of race_condition is not answered by its outcome: many", "hazards-simt.json")
    cases.with_results("an answer that a rung contradicts", lambda report: rung(report, "interleaved", lanes_per_request=20),
                       "the results contradict the answer to the prediction of interleaved: Fewer", "lab-simt.json")
    cases.with_results("an answer that a hazard contradicts", lambda report: report["hazards"][0].update(observed="7, 7 and 7"),
                       "the results contradict the answer to the prediction of race_condition: ", "hazards-simt.json")
    cases.with_text("a lesson without a prediction", predictions, '"shuffle_block": (', '"shuffled": (',
                    "no prediction of shuffle_block")
    cases.with_text("an answer of a rung that does not run", predictions, ', "warp_a_row": ["thread_a_row"]', "",
                    "answered by the rung 'thread_a_row', which its command does not run")


def test_lessons(cases):
    """Listings show what they call; each mistake has a printed listing, each program a lesson; claims follow the results."""
    cases.with_text("a helper that is not shown", "scripts/lab/sources.py", '"packs_at", ', "",
                    "calls ['packs_at'] and does not show")
    cases.with_text("a mistake without a printed listing", "scripts/lab/listings.py", '("timed_wrong",)', '("racy",)',
                    "has no row for the hazards ['timed_wrong']")
    cases.with_text("a listing of an unknown lesson", "scripts/lab/listings.py", '"thread_a_row")', '"thread_to_row")',
                    "names thread_to_row, which has no section")
    program = cases.scratch / "examples/programs/another.cu"
    program.write_text("int main() {}\n")
    cases.expect_message("a program without a lesson", "names the programs ['another']")
    program.unlink()
    results, document = cases.scratch / "docs/results/lab-h200.json", cases.scratch / "docs/lab.md"
    original, text = results.read_text(), document.read_text()
    if "| a barrier in a branch hangs |" not in text or text.count("| **false**: ") < 5:
        sys.exit("claims: the document lacks one that the results contradict")
    report = result_files.read(results)
    next(hazard for hazard in report["hazards"] if hazard["name"] == "barrier_in_branch")["ran"] = False
    results.write_text(json.dumps(report))
    run(cases.scratch)
    row = next(line for line in document.read_text().splitlines() if line.startswith("| a barrier in a branch hangs |"))
    if not row.endswith("| holds here |"):
        sys.exit(f"claims: a GPU that hangs leaves the row {row}")
    results.write_text(original), document.write_text(text)


def check_order(text):
    """What is wrong with the order of the lessons in a document: an answer before its question, or a mark in a listing."""
    chapters = text[text.index("## The rungs"):text.index("## compute-sanitizer")]
    illustrations = ("race_condition_fixed", "step_by_step", "atomics_tour", "float_order")
    for lesson in re.split(r"^### ", chapters, flags=re.MULTILINE)[1:]:
        name = lesson.split("\n", 1)[0]
        places = [lesson.find(mark) for mark in ("```", "*Predict:*", "*Run:*", "*Answer:*")]
        if -1 in places or places != sorted(places):
            return f"{name}: listing, prediction, command and answer are not in this order"
        if "lost" in lesson[:places[1]] and name not in ("lost_half", "lost_tail"):
            return f"{name}: says what is lost before the prediction"
        marked = re.search(r"^ *\d+  .*\S +// .*", lesson[:places[1]], re.MULTILINE)
        if marked and name not in illustrations:
            return f"{name}: the listing marks the mistake: {marked[0]}"
    return None


def test_order(cases):
    document = (cases.scratch / "docs/lab.md").read_text()
    fault = check_order(document)
    if fault:
        sys.exit(f"docs/lab.md: {fault}")
    marked = document.replace(" 12    *count += 1;\n", " 12    *count += 1;  // race\n", 1)
    early = document.replace("*Predict:*", "*Answer:* 5.\n\n*Predict:*", 1)
    for case, text in (("a marked line", marked), ("an early answer", early)):
        if check_order(text) is None:
            sys.exit(f"the order of a lesson: {case} is not detected")


def test_new_hazard(cases):
    """A hazard without a section gets one, and the document then passes the check."""
    document = cases.scratch / "docs/lab.md"
    original = document.read_text()
    start, end = original.index("### lock\n"), original.index("### block_counter\n")
    document.write_text(original[:start] + original[end:])
    cases.expect_message("a hazard without a section", "has no section of the hazards ['lock']")
    done = run(cases.scratch)
    if done.returncode != 0 or "### lock\n" not in document.read_text():
        sys.exit(f"a hazard without a section: none is written; {done.stderr}")
    cases.expect_message("a section that was written", None)
    document.write_text(original)


def main(source, scratch):
    copy_files(source, scratch)
    cases = Cases(scratch)
    cases.expect_message("unchanged documents", None)
    test_results(cases)
    test_workloads(cases)
    test_texts(cases)
    test_predictions(cases)
    test_lessons(cases)
    test_order(cases)
    test_new_hazard(cases)


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
