#!/usr/bin/env python3
"""Tests scripts/suite_on_gpu, the parser of compute-sanitizer's reports, and their table, without a GPU.

Programs that take the place of simt_suite_on_gpu and of compute-sanitizer print recorded reports. Each kernel must get
the reports of its own process; a kernel that never ends, a tool that fails, an option that a version does not know and a
lack of time must leave results that say so.

usage: suite_on_gpu.py SOURCE SCRATCH
"""
import json
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).resolve() / "scripts"))
from shared import result_files

PROGRAM = """#!/usr/bin/env python3
import sys
ROWS = [("barriers", "in_branch", "faulty", "barrier_divergence", "barriers.cu", "15,16", "both"),
        ("barriers", "in_branch", "correct", "-", "barriers.cu", "-", "both"),
        ("bounds", "tail", "faulty", "out_of_bounds", "bounds.cu", "14", "both"),
        ("bounds", "tail", "correct", "-", "bounds.cu", "-", "both"),
        ("bounds", "start", "faulty", "out_of_bounds", "bounds.cu", "20", "both"),
        ("bounds", "start", "correct", "-", "bounds.cu", "-", "both"),
        ("livelocks", "flag", "faulty", "livelock", "livelocks.cu", "36", "both"),
        ("livelocks", "lane", "faulty", "livelock", "livelocks.cu", "40", "lock_step"),
        ("races", "tree", "faulty", "data_race", "races.cu", "13,17", "both"),
        ("races", "tree", "correct", "-", "races.cu", "-", "both"),
        ("races", "copy", "faulty", "data_race", "races.cu", "30", "both"),
        ("traps", "trap", "faulty", "trap", "traps.cu", "20", "both")]
OUTCOMES = {("flag", "faulty"): "does not end", ("start", "correct"): "out[0] is 3, expected 4",
            ("trap", "faulty"): "error: synchronising a stream: unspecified launch failure (on_gpu.hpp:53)"}
words = sys.argv[1:]
if words == ["--list"]:
    print("\\n".join("\\t".join(row) for row in ROWS))
elif words == ["--toolkit"]:
    print("13.0")
else:
    rows = words[words.index("--run") + 1:]
    for family, name, word in zip(rows[::3], rows[1::3], rows[2::3]):
        print(family, name, word, OUTCOMES.get((name, word), "ends"), sep="\\t", flush=True)
        if (name, word) == ("flag", "faulty"):
            break
"""

# By tool, kernel and word: what is printed before the summary, and the summary. Formats of versions 2024.1 to 2025.3.
REPORTS = {
    ("memcheck", "tail", "faulty"): ("""\
========= Invalid __global__ read of size 4 bytes
=========     at void <unnamed>::tail<(bool)1>(suite::arrays)+0x90 in bounds.cu:14
=========     by thread (11,0,0) in block (15,0,0)
=========     Address 0x7f6510c00fac is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f6510c00000 of size 4,012 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: main [0xae61] in main.cpp:14
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaStreamSynchronize.
========= """, "ERROR SUMMARY: 2 errors"),
    ("memcheck", "start", "faulty"): ("""\
========= Invalid __global__ read of size 4 bytes
=========     at void <unnamed>::start<(bool)1>(suite::arrays)+0x90 in bounds.cu:33
=========     by thread (0,0,0) in block (0,0,0)""", "ERROR SUMMARY: 1 error"),
    ("memcheck", "trap", "faulty"): ("""\
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaStreamSynchronize.
=========     Saved host backtrace up to driver entry point at error""", "ERROR SUMMARY: 1 error"),
    ("racecheck", "tree", "faulty"): ("""\
========= Error: Race reported between Write access at void <unnamed>::tree<(int)1>(suite::arrays)+0x140 in /a/b/races.cu:13
=========     and Read access at void <unnamed>::tree<(int)1>(suite::arrays)+0x1e0 in /a/b/races.cu:17 [508 hazards]
=========     and Write access at void <unnamed>::tree<(int)1>(suite::arrays)+0x230 in /a/b/races.cu:17 [252 hazards]
=========""", "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)"),
    ("racecheck", "tree", "correct"): ("""\
========= Warning: Race reported between Write access at void <unnamed>::tree<(int)0>(suite::arrays)+0x140 in races.cu:13
=========     and Read access at void <unnamed>::tree<(int)0>(suite::arrays)+0x1e0 in races.cu:17 [4 hazards]
=========""", "RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)"),
    ("racecheck", "copy", "faulty"): ("""\
========= Potential invalid __shared__ read of size 4 bytes
=========     at exactdot::on_gpu::cp_async+0x170 in async_on_gpu.hpp:60
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x1000400 is located in a block that might have already exited
=========         Device Frame: void <unnamed>::copy<(bool)1>(suite::arrays)+0x60 in races.cu:30
=========""", "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"),
    ("racecheck", "in_branch", "correct"): ("""\
========= Warning: Detected overflow of tracked cuda::barrier structures. Results might be incorrect. Try using --num-cuda-barriers to fix the issue
""", "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"),
    ("synccheck", "in_branch", "faulty"): ("""\
========= Barrier error detected. Divergent thread(s) in block.
========= at [clone in_branch(suite::arrays)] outlineSync()+0x11f0
========= by thread (32,0,0) in block (0,0,0)
========= Device Frame: in_branch(suite::arrays)+0xe40 in barriers.cu:16
========= """, "ERROR SUMMARY: 32 errors"),
    ("initcheck", "copy", "faulty"): ("""\
========= Uninitialized __shared__ memory read of size 4 bytes
=========     at copy(suite::arrays)+0x1a0 in races.cu:31
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x0""", "ERROR SUMMARY: 1 error"),
}

SANITIZER = """#!/usr/bin/env python3
import json, pathlib, subprocess, sys, time
words = sys.argv[1:]
if words == ["--version"]:
    print("NVIDIA (R) Compute Sanitizer\\nVersion 2025.3.1.0 (build 36400000) (public-release)")
    sys.exit()
if "--padding" in words:
    sys.exit("========= Error: unrecognised option '--padding'")
tool = words[words.index("--tool") + 1]
rows = words[words.index("--run") + 1:]
keys = ["|".join((tool, name, word)) for name, word in zip(rows[1::3], rows[2::3])]
if tool == "initcheck" and "flag" in rows:
    time.sleep(60)  # a kernel that does not end, in a process that does not either
if tool == "synccheck" and "lane" in rows:
    sys.exit("========= Internal Sanitizer Error: of the tool")
if tool == "synccheck" and "tree" in rows and "faulty" in rows:
    sys.exit("========= Barrier error detected. Missing init.\\n=========     at tree+0x30 in races.cu:99")
reports = json.loads((pathlib.Path(__file__).parent / "reports.json").read_text())
print("========= COMPUTE-SANITIZER")
sys.stdout.flush()
subprocess.run(words[words.index("--run") - 3:])
found = [reports[key] for key in keys if key in reports]
for text, _ in found:
    print(text)
none = "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)" if tool == "racecheck" else "ERROR SUMMARY: 0 errors"
print("========= " + (found[0][1] if found else none))
"""

# by kernel and word: named_by, on_line, the words of the first report; or the alarms
FAULTY = {
    "in_branch": (["synccheck"], True, "Barrier error detected. Divergent thread(s) in block. (barriers.cu:16)"),
    "tail": (["memcheck"], True, "Invalid __global__ read of size 4 bytes (bounds.cu:14)"),
    "start": ([], False, ""),
    "flag": ([], False, ""),
    "lane": ([], False, ""),
    "tree": (["racecheck"], True, "Error: Race reported between Write access at void <unnamed>::tree<(int)1>"),
    "copy": (["racecheck"], True, "Potential invalid __shared__ read of size 4 bytes (async_on_gpu.hpp:60, races.cu:30)"),
    "trap": (["memcheck"], False, "Program hit cudaErrorLaunchFailure (error 719)"),
}
ALARMS = {"in_branch": [], "tail": [], "start": [], "tree": ["racecheck"]}
OPTIONS = {"memcheck": "--report-api-errors explicit --show-backtrace device",
           "initcheck": "--show-backtrace device --initcheck-address-space all"}
LINES = [
    "| barriers | 1 of 1 | 1 | 1 | 1 | 0 | 1 of 1 | 0 | 0 |",
    "| bounds | 2 of 2 | 2 | 1 | 1 | 0 | 2 of 2 | 0 | 0 |",
    "| livelocks | 1 of 2 | 1 | 0 | 0 | 1 | 0 of 0 | 0 | 0 |",
    "| races | 2 of 2 | 1 | 2 | 2 | 0 | 1 of 1 | 0 | 1 |",
    "| traps | 1 of 1 | 1 | 1 | 0 | 0 | 0 of 0 | 0 | 0 |",
    "| all | 7 of 8 | 6 | 5 | 4 | 1 | 4 of 4 | 0 | 1 |",
]
SENTENCES = ["Of 7 faulty kernels both name 4, only simt 2, only compute-sanitizer 1 (`copy`), neither 0.",
             "By tool: memcheck 2, racecheck 2, synccheck 1, initcheck 0.",
             "Families in which only simt names kernels: livelocks; only compute-sanitizer: none.",
             "Reported on other lines only, so not counted as named: `start`.",
             "Alarms of correct kernels: `tree` by racecheck (`Warning: Race reported between Write access",
             "Correct kernels with another outcome on the GPU: `start`: `out[0] is 3, expected 4`."]


def write_program(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r}, expected {wanted!r}")


def check_rows(rows):
    for row in rows:
        name = row["name"]
        if not row["faulty"]:
            expect(f"alarms of {name}", row["alarms"], ALARMS[name])
            continue
        named_by, on_line, first = FAULTY[name]
        expect(f"{name}: named_by", row["named_by"], named_by)
        expect(f"{name}: on_line", row["on_line"], on_line)
        expect(f"{name}: first", row["first"][:len(first)], first)
    of_name = {row["name"]: row for row in rows if row["faulty"]}
    expect("start", of_name["start"]["tools"]["memcheck"]["where"], "elsewhere")
    expect("copy", of_name["copy"]["tools"]["initcheck"]["where"], "elsewhere")
    expect("flag", of_name["flag"]["plain"], "does not end")
    expect("trap", of_name["trap"]["plain"], "error: synchronising a stream: unspecified launch failure")
    expect("tree, ended by the tool", of_name["tree"]["tools"]["synccheck"]["where"], "elsewhere")
    expect("flag, killed", of_name["flag"]["tools"]["initcheck"], {"errors": 0, "ends": False})
    expect("lane, failed", "Internal Sanitizer Error" in of_name["lane"]["tools"]["synccheck"]["failed"], True)


def check_table(source, scratch, results):
    """The table of scripts/simt_suite from these results and those of a small suite."""
    for name in ("scripts/simt_suite", "scripts/shared/documents.py", "scripts/sanitizer/tables.py",
                 "scripts/shared/result_files.py", "scripts/shared/result_fields.py", "docs/simt.md",
                 "docs/results/numba-simulator.json"):
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, scratch / name)
    (scratch / "docs/results/numba-simulator.json").write_text(json.dumps(
        {"numba": "0", "seconds": 1, "not_translated": {}, "rows": []}))
    runs = []
    for row in results["rows"]:
        found = 0 if row["name"] == "copy" else 2
        runs.append({"family": row["family"], "name": row["name"] + ("" if row["faulty"] else " (correct)"),
                     "model": "independent", "fault": row.get("fault"), "runs": 2, "found": found if row["faulty"] else 0,
                     "wrong": 0, "missed": 0, "false_alarms": 0, "how": "never", "reason": "a test"})
    (scratch / "docs/results/simt-suite.json").write_text(json.dumps({"seeds": 2, "kernels": len(runs), "rows": runs}))
    target = scratch / "docs/results/suite-test.json"

    def simt_suite(*arguments):
        return subprocess.run([sys.executable, scratch / "scripts/simt_suite", *arguments], stderr=subprocess.PIPE, text=True)

    def section():
        return (scratch / "docs/simt.md").read_text().split("<!-- begin sanitizer -->\n")[1].split("<!-- end")[0]

    expect("without results", simt_suite().returncode, 0)
    expect("without results", section().startswith("compute-sanitizer has not been measured"), True)
    target.write_text(json.dumps(results))
    expect("--check of a section that is out of date", simt_suite("--check").returncode, 1)
    done = simt_suite()
    expect(f"simt_suite: {done.stderr}", done.returncode, 0)
    expect("--check", simt_suite("--check").returncode, 0)
    text = section()
    for line in LINES:
        expect(f"{line} in\n{text}", line in text.split("\n"), True)
    for sentence in SENTENCES:
        expect(f"{sentence} in\n{text}", sentence in " ".join(text.split()), True)


def main(source, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    program = write_program(scratch / "program", PROGRAM)
    sanitizer = write_program(scratch / "compute-sanitizer", SANITIZER)
    (scratch / "reports.json").write_text(json.dumps({"|".join(key): value for key, value in REPORTS.items()}))
    output = scratch / "suite.json"

    def suite_on_gpu(*arguments):
        command = [sys.executable, source / "scripts/suite_on_gpu", program, output, "--sanitizer", sanitizer, "--jobs", "4",
                   "--start-seconds", "2", *arguments]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        return done, result_files.read(output) if output.exists() else None

    done, results = suite_on_gpu("--seconds", "0")
    expect("without time", (done.returncode != 0, results["missing"]), (True, 12 * 5))
    done, results = suite_on_gpu()
    expect(f"status: {done.stderr}", done.returncode, 1)
    expect("missing", results["missing"], 1)
    expect("version", results["sanitizer"], "2025.3.1.0")
    for tool, words in OPTIONS.items():
        expect(f"options of {tool}", results["options"][tool], words)
    check_rows(results["rows"])
    check_table(source, scratch / "tree", results)
    sanitizer.write_text(SANITIZER.replace('"lane" in rows', '"none" in rows'))
    done, results = suite_on_gpu("--continue")
    expect(f"--continue: {done.stderr}", (done.returncode, results["missing"]), (0, 0))


main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
