"""The page with the stepper of a program that simtcc compiled: what it holds, whatever ends the program.

usage: page.py SIMTCC FOLDER

The same kernels are stepped through in a browser by tests/page/browser_test.py.
"""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).parent.parent / "page" / "own_kernels.cu"
simtcc, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
scratch.mkdir(parents=True, exist_ok=True)
failures = []
program = scratch / "own"


def check(holds, text):
    if not holds:
        failures.append(text)


def run(*arguments, status, html="page.html", binary=program, **variables):
    """Runs the program with SIMTCC_HTML. Returns what it prints, and the data of the page; None if there is none."""
    file = scratch / html
    if file.is_file():
        file.unlink()
    done = subprocess.run([binary, *arguments], cwd=scratch, text=True, timeout=300, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, "SIMTCC_HTML": html, **variables})
    check(done.returncode == status, f"{arguments} {variables}: status {done.returncode}, expected {status}\n{done.stdout}")
    return done.stdout, data_of(file)


def data_of(file):
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8")
    check(text.startswith("<!DOCTYPE html>") and text.rstrip().endswith("</html>"), f"{file}: not a whole page")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def runs_of(data):
    return data["subjects"][0]["runs"] if data else []


def kernels_of(data):
    return [one["title"].split(":")[0] for one in runs_of(data)]


def line_with(text):
    return SOURCE.read_text(encoding="utf-8").splitlines().index(text) + 1


def content():
    output, data = run(status=66)
    check("page.html: written; open it in a browser" in output, f"no line about the page\n{output}")
    check(kernels_of(data) == ["1. count", "2. tree", "3. transpose"], f"launches: {kernels_of(data)}")
    race, tree, _ = runs_of(data)
    check(race["faults"][0]["kind"] == "data_race" and "atomic" in race["faults"][0]["fix"], f"findings: {race['faults']}")
    file, line, thread, _ = race["faults"][0]["sites"][0]
    check((file, line) == ("own_kernels.cu", line_with("  *total += 1;")), f"site: {race['faults'][0]['sites']}")
    check(any(step[11] == 0 and step[1] == thread and step[5] == line for step in race["steps"]), "no step of the finding")
    check("__global__ void tree" in data["sources"]["own_kernels.cu"], "no source")
    check("SIMTCC_HTML=FILE" in data["command"] and "own" in data["command"], data["command"])
    arrays = {one["name"]: one for one in tree["arrays"]}
    check(set(arrays) == {"x", "partial", "sum"}, f"names: {list(arrays)}")
    check(all(one["type"] == "float" for one in arrays.values()), f"types: {arrays}")
    check(arrays["partial"]["space"] == "shared" and arrays["partial"]["count"] == 64, f"{arrays['partial']}")
    last = [step[10] for step in tree["steps"] if step[6] >= 0 and tree["arrays"][step[6]]["name"] == "sum"]
    check(last == ["276"], f"sum: {last}")  # six times 45, and 0 + 1 + 2 + 3
    _, named = run("names", status=0)
    found = {one["name"]: one["type"] for one in runs_of(named)[0]["arrays"]}
    check(found == {"given": "", "first": "double", "second": "double", "y": "double"}, f"names: {found}")
    check(runs_of(named)[0]["title"] == "1. names<double, 4>: no findings", runs_of(named)[0]["title"])
    plain = subprocess.run([program], cwd=scratch, text=True, stderr=subprocess.PIPE, check=False).stderr
    check(plain.strip() in output, "recording changes the run or its findings")


def choices():
    output, data = run(status=66, SIMTCC_HTML_LAUNCH="2")
    check(kernels_of(data) == ["2. tree"], f"launch 2: {kernels_of(data)}")
    check("Left out: 2 of 3 launches." in output, f"launches left out\n{output}")
    output, data = run(status=66, SIMTCC_HTML_LAUNCH="1,3-9")
    check(kernels_of(data) == ["1. count", "3. transpose"], f"launches 1, 3 to 9: {kernels_of(data)}")
    check("There is no launch 9: the program made 3." in output, f"absent launches\n{output}")
    _, data = run(status=66, SIMTCC_HTML_BLOCKS="1")
    check(runs_of(data)[0]["shown"] == [4, 5, 6, 7], f"block 1: {runs_of(data)[0]['shown']}")
    output, data = run(status=66, SIMTCC_HTML_BLOCKS="1")
    check("Launch 2 (tree) has blocks 0 to 0, so none of 1." in output, f"a launch without the block\n{output}")
    check(kernels_of(data) == ["1. count"], f"launches with block 1: {kernels_of(data)}")
    for seeds in ("1", "3"):
        output, data = run(status=66, SIMTCC_SEEDS=seeds, SIMTCC_SEED="5")
        check(len(runs_of(data)) == 3 and runs_of(data)[0]["seed"] == 5, f"seeds {seeds}: {kernels_of(data)}")
        check(output.count("written; open it") == 1, f"seeds {seeds}\n{output}")
    configured = scratch / "configured"
    subprocess.run([simtcc, SOURCE, "-o", configured, "--html", "chosen.html", "--html-launch", "2", "--model", "lock_step"],
                   check=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SIMTCC")}
    subprocess.run([configured], cwd=scratch, env=environment, stderr=subprocess.PIPE, check=False)
    data = data_of(scratch / "chosen.html")
    check(kernels_of(data) == ["2. tree"] and runs_of(data)[0]["model"] == "lock_step", "options of simtcc")


def ends():
    """The page is written whatever ends the program."""
    for argument, status, sentence in (("crash", -signal.SIGSEGV, "did not run to its end: Segmentation fault"),
                                       ("abort", -signal.SIGABRT, "did not run to its end: Aborted"), ("_Exit", 4, "1 launch, 1 finding"),
                                       ("early", 3, "0 launches")):
        output, data = run(argument, status=status)
        check(data and sentence in data["subjects"][0]["about"], f"{argument}: {data and data['subjects'][0]['about']}\n{output}")
        check(kernels_of(data) == ([] if argument == "early" else ["1. count"]), f"{argument}: {kernels_of(data)}")
    check("has launched no kernel" in data["subjects"][0]["leftOut"], f"early: {data['subjects'][0]}")
    output, data = run("lock", status=66, SIMTCC_MODEL="lock_step")
    check(runs_of(data)[0]["faults"][0]["kind"] == "livelock", f"lock: {output}")
    check(len(runs_of(data)[0]["steps"]) > 20, "lock: few steps")
    for argument in ("null", "beyond"):
        _, data = run(argument, status=66)
        shown = runs_of(data)[0]
        line, thread = shown["faults"][0]["sites"][0][1:3]
        check(shown["faults"][0]["kind"] == "out_of_bounds", f"{argument}: {shown['faults']}")
        check(any(step[11] == 0 and (step[1], step[5], step[6]) == (thread, line, -1) for step in shown["steps"]),
              f"{argument}: the access is no step: {shown['steps'][:3]}")
    for moment in (0.9, 1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.1):  # wherever the simulator is at work
        (scratch / "stopped.html").unlink(missing_ok=True)
        with subprocess.Popen([program, "many"], cwd=scratch, env={**os.environ, "SIMTCC_HTML": "stopped.html"},
                              stderr=subprocess.PIPE) as stopped:
            time.sleep(moment)
            stopped.send_signal(signal.SIGINT)
            stopped.communicate(timeout=60)
        check(stopped.returncode == -signal.SIGINT, f"interrupted after {moment} s: status {stopped.returncode}")
        data = data_of(scratch / "stopped.html")
        check(data and "Interrupt" in data["subjects"][0]["about"] and len(runs_of(data)) == 8, f"interrupted after {moment} s")


def long_runs():
    """The neighbourhood of the first finding is kept, and memory stays bounded."""
    output, data = run("late", status=66)
    race = runs_of(data)[0]
    threads = {3 * 128 + 70, 5 * 128 + 70}
    check(threads <= set(race["shown"]) and len(race["shown"]) == 128, f"threads: {race['shown'][:5]}, {len(race['shown'])}")
    faulty = [i for i, step in enumerate(race["steps"]) if step[11] >= 0]
    check(faulty and 100 < faulty[0] < 2000, f"the finding is step {faulty[:1]} of {len(race['steps'])}")
    check("steps of all threads before those around the first finding" in race["leftOut"], race["leftOut"])
    check(race["leftOut"] in output, "standard error does not say what is left out")
    words = [one for one in race["arrays"] if one["name"] == "words"][0]
    check(words["stretches"] == [[896, 32]], f"words: {words}")
    memory = {}
    for step in race["steps"]:  # what a step finds is what the steps before have left, also those that are left out
        if step[6] >= 0:
            array = race["arrays"][step[6]]
            shown = [index for first, count in array["stretches"] for index in range(first, first + count)]
            if step[7] in shown:
                before = memory.get((step[6], step[7]), array["values"][shown.index(step[7])])
                check(step[9] == before, f"{array['name']}[{step[7]}] is {step[9]}, the page shows {before}")
            memory[step[6], step[7]] = step[10]
    check(len(memory) > 50, f"{len(memory)} words")
    check(race["before"] and all(row[2] is None or row[2][1] == row[0] for row in race["before"]), "threads before")
    _, data = run("early side", status=66)
    early = runs_of(data)[0]
    check(early["faults"][0]["otherLeftOut"] > 0 and early["faults"][0]["sites"][1][2] == 0, f"early side: {early['faults']}")
    output, data = run("spin", status=66)
    left_out = int(re.search(r"Left out: (\d+) steps after", runs_of(data)[0]["leftOut"])[1])
    steps = int(re.search(r"1 launch \((\d+) steps", output)[1])
    check(left_out + len(runs_of(data)[0]["steps"]) == steps, f"spin: {left_out} steps left out of {steps}")
    for model in ("independent", "lock_step"):  # a request is known whole, also if only its first lanes are shown
        _, data = run("wide", status=0, SIMTCC_MODEL=model)
        wide = runs_of(data)[0]
        line = line_with("  for (int y = threadIdx.y; y < 32; y += blockDim.y) out[y * 32 + x] = tile[x][y];  // bank conflicts")
        requests = {step[15] for step in wide["steps"] if step[2] == 0 and step[5] == line and len(step) > 15}
        shown = sum(step[2] < 7 for step in wide["steps"])
        left_out, first = re.search(r"Left out: (\d+) steps after the first (\d+)", wide["leftOut"]).groups()
        check(int(first) == shown and shown + int(left_out) == 4 * 32 * 33, f"{model}: {wide['leftOut']}")
        check(len(requests) > 10 and all(wide["requests"][one][:2] == [32, 32] for one in requests), f"{model}: {wide['requests']}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    output, data = run("many, then race", "50", status=66)
    check(kernels_of(data)[-1] == "20001. count" and len(runs_of(data)) == 8, f"many: {kernels_of(data)}")
    check("Left out: 19993 of 20001 launches." in output, f"many\n{output}")
    more = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss - used
    check(more < 20_000, f"20,000 launches took {more} KiB more than the compiler")


def bad_files():
    """A file that cannot be written is named before the run; others are not replaced."""
    (scratch / "folder").mkdir(exist_ok=True)
    cases = {"folder": "is a folder", "absent/page.html": "cannot write it: No such file", "text.txt": "no HTML page",
             "own.cu": "expected the name of a file for the page", "own": "expected the name of a file for the page"}
    for name, message in cases.items():
        (scratch / "text.txt").write_text("kept")
        done = subprocess.run([program], cwd=scratch, env={**os.environ, "SIMTCC_HTML": name}, text=True, check=False,
                              stderr=subprocess.PIPE)
        check(done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1, f"{name}: {done.stderr}")
    check((scratch / "text.txt").read_text() == "kept", "text.txt was replaced")
    for name, value in (("LAUNCH", "0"), ("LAUNCH", "x"), ("LAUNCH", "3-2"), ("LAUNCH", ""), ("BLOCKS", "1,"), ("BLOCKS", "-1"),
                        ("BLOCKS", "0-99999")):
        done = subprocess.run([program], cwd=scratch, env={**os.environ, f"SIMTCC_HTML_{name}": value}, text=True, check=False,
                              stderr=subprocess.PIPE)
        check(done.returncode == 2 and f"SIMTCC_HTML_{name}={value}: expected" in done.stderr, f"{name}={value}: {done.stderr}")
    done = subprocess.run([program], cwd=scratch, env={**os.environ, "SIMTCC_HTML": "same", "SIMTCC_JSON": "same"}, text=True,
                          check=False, stderr=subprocess.PIPE)
    check(done.returncode == 2 and "expected another file" in done.stderr, done.stderr)
    moved = scratch / "moved.cu"
    moved.write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run([simtcc, "moved.cu", "-o", "moved"], cwd=scratch, check=True)
    moved.write_text("// other lines\n" + moved.read_text(encoding="utf-8"), encoding="utf-8")
    os.utime(moved, (time.time() + 10, time.time() + 10))
    output, data = run(status=66, binary=scratch / "moved")
    check("moved.cu has changed since the program was compiled" in output, output)
    moved.unlink()
    output, data = run(status=66, binary=scratch / "moved")
    check("The source moved.cu cannot be read." in output and len(runs_of(data)) == 3, output)
    for arguments, message in ((["--html", ""], "--html: expected the name of a file"), (["--html", "x", "--json", "x"], "--json too"),
                               (["--html-launch", "two"], "expected a number or a list"), (["--html", "own"], "the program itself")):
        done = subprocess.run([simtcc, SOURCE, "-o", "own", *arguments], cwd=scratch, text=True, check=False, stderr=subprocess.PIPE)
        check(done.returncode == 2 and message in done.stderr, f"{arguments}: {done.stderr}")


subprocess.run([simtcc, SOURCE, "-o", program], check=True)
for part in (content, choices, ends, long_runs, bad_files):
    start = time.time()
    part()
    print(f"{part.__name__}: {time.time() - start:.1f} s")
if failures:
    raise SystemExit("\n".join(failures))
