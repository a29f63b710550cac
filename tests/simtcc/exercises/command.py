"""The command `simtcc exercise`: what it writes, remembers and refuses; files edited into nonsense.

usage: command.py SIMTCC FOLDER (command|nonsense) [EXACTDOT]
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

simtcc, scratch, group = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
exactdot = pathlib.Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
failures = []
PROGRESS = ".simtcc-exercises"
# another user if this is root, whom no mode of a folder stops
AS_OTHERS = {"preexec_fn": lambda: os.setuid(65534)} if os.getuid() == 0 else {}


def folder(name, *solved):
    path = scratch / name
    path.mkdir()
    if solved:
        (path / PROGRESS).write_text("".join(f"{each} solved\n" for each in solved))
    return path


def run(where, *words, program=None, **more):
    command = [program or simtcc, "exercise", *words]
    return subprocess.run(list(map(str, command)), cwd=where, text=True, timeout=120, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)


def expect(where, words, status, *patterns, absent=(), **more):
    """Runs the command; status and output must be as expected. Returns the output."""
    done = run(where, *words, **more)
    problems = [] if done.returncode == status else [f"status {done.returncode}, expected {status}"]
    problems += [f"nothing matches {pattern}" for pattern in patterns if not re.search(pattern, done.stdout, re.M)]
    problems += [f"{pattern} matches" for pattern in absent if re.search(pattern, done.stdout, re.M)]
    if problems:
        failures.append(f"exercise {' '.join(map(str, words))}: {'; '.join(problems)}\n{done.stdout}")
    return done.stdout


def solved(text):
    """The text of which_element.cu with its solution."""
    return re.sub(r"  int i = threadIdx\.x;\n.*\n", "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n", text)


def expect_that(condition, what):
    if not condition:
        failures.append(what)


def given(where, name="which_element"):
    """An exercise's file as `next` writes it, when those before it are solved."""
    return (where / f"{name}.cu").read_text()


def list_next_and_hints():
    here = folder("steps")
    expect(here, ["list"], 0, r"^indices\n +1  which_element {10,}One thread, one element", r"^0 of \d\d solved", r"^exact sums$")
    expect(here, ["next"], 0, r"^exercise 1 of \d\d, which_element: ", r"which_element\.cu is here now",
           r"^  simtcc exercise check which_element\.cu")
    text = given(here)
    expect_that(text.startswith("// Exercise 1 of ") and "int main()" in text, f"which_element.cu:\n{text}")
    (here / "which_element.cu").write_text("// mine\n")
    expect(here, ["next"], 0, r"was here already and is as you have left it")
    expect_that(given(here) == "// mine\n", "next has replaced an edited file")
    expect(here, ["hint"], 0, r"^which_element\.cu, hint 1 of 4: Each block")
    expect(here, ["hint", "which_element.cu"], 0, r"hint 2 of 4: `blockIdx")
    expect(here, ["hint", "which_element"], 0, r"hint 3 of 4: ")
    solution = r"hint 4 of 4, a solution:\n\n__global__ .*\n  int i = blockIdx\.x \* blockDim\.x \+ threadIdx\.x;\n"
    expect(here, ["hint"], 0, solution)
    expect(here, ["hint"], 0, solution)
    expect(here, ["hint", "bounds"], 0, r"^bounds\.cu, hint 1 of")  # of an exercise that is not here
    expect(here, ["next", "tree"], 0, r"^exercise \d+ of \d\d, tree: ", r"tree\.cu is here now")
    expect(here, ["next", "tre"], 1, r"tre\.cu: is no exercise; did you mean tree\.cu\?")
    (here / "which_element.cu").write_text(text)
    expect(here, ["check", "which_element.cu"], 1, r"^which_element\.cu: not solved yet\. Wrong result for n = 65: y\[64\]: expected "
           r"\d+, found no value: no thread has written it \(model independent\)", r"Right for .*n = 64\. Think about",
           r"hint which_element\.cu \(4 of 4 seen\)")
    (here / "which_element.cu").write_text(solved(text))
    expect(here, ["check", "which_element.cu"], 0, r"^which_element\.cu: solved\. 7 cases, 20 orders", r"^Learnt: ",
           r"^Next: exercise 2 of \d\d, bounds: ")
    expect(here, ["list"], 0, r"which_element +solved ", r"^1 of \d\d solved")
    expect(here, ["next"], 0, r"bounds\.cu is here now")
    expect(here, ["hint"], 0, r"^bounds\.cu, hint 2 of")


def usage():
    here = folder("usage")
    expect(here, [], 2, r"^simtcc exercise: an action is missing; expected list, next \[NAME\], check FILE or hint \[FILE\]")
    expect(here, ["chek"], 2, r"'chek': unknown; did you mean check\?")
    expect(here, ["solve"], 2, r"'solve': unknown; expected list, next \[NAME\], check FILE")
    expect(here, ["check"], 2, r"check: a file is missing; expected check FILE\.cu")
    expect(here, ["list", "x"], 2, r"'x': one word too many after list")
    expect(here, ["check", "a", "b"], 2, r"'b': one word too many after a")
    expect(here, ["check", "a", "--seconds", "0"], 2, r"--seconds 0: expected 1 to 99999")
    expect(here, ["check", "a", "--seconds=many"], 2, r"--seconds many: expected 1 to 99999")
    expect(here, ["check", "--seconds"], 2, r"--seconds: expected a number after it")
    expect(here, ["--fast"], 2, r"--fast: unknown option; expected --seconds N or --help")
    expect(here, ["--help"], 0, r"^usage: simtcc exercise list", r"Exit status: 0; 1: ")
    expect(here, ["check", "which_element.cu"], 1, r"which_element\.cu: no such file; `simtcc exercise next which_element` writes it")
    expect(here, ["check", "wich_element.cu"], 1, r"wich_element\.cu: is no exercise; did you mean which_element\.cu\?")
    expect(here, ["check", "saxpy.cu"], 1, r"saxpy\.cu: is no exercise; `simtcc exercise list` names them")
    expect(here, ["check", "bounds.cpp"], 1, r"bounds\.cpp: is no exercise; did you mean bounds\.cu\?")
    expect(here, ["check", ""], 2, r"check: a file is missing")
    (here / "bounds.cu").mkdir()
    expect(here, ["check", "bounds.cu"], 1, r"bounds\.cu: is no file; expected a CUDA source file")
    (here / "reverse.cu").write_text("//" + "x" * 1000001)
    expect(here, ["check", "reverse.cu"], 1, r"reverse\.cu: has more than a million bytes")
    expect_that(not (here / PROGRESS).exists(), "a refused command has written progress")


def nonsense():
    """Files that are no longer what they were."""
    here = folder("nonsense")
    run(here, "next")
    text, file = given(here), here / "which_element.cu"

    def check(changed, *patterns, options=(), absent=(), **more):
        file.write_text(changed)
        absent = ("/tmp/", "harness", "exercise_main", *absent)
        return expect(here, ["check", file.name, *options], 1, *patterns, absent=absent, **more)

    check("", r"^which_element\.cu: not solved yet\. It has no int main\(\)")
    check("\0\1\2 none \xff of this is C++ }}}", r"It does not compile\. The first of \d+ errors:\n  which_element\.cu:1:")
    check(text.replace("int main()", "int mein()"), r"It has no int main\(\) any more, with which you play")
    check(text.replace("void double_all", "void double_some").replace("  double_all", "  double_some"),
          r"^which_element\.cu: .*the check cannot call\n  void double_all\(const int\* x, int\* y, int n\)\nKeep this function")
    check(text.replace("if (i < n) y[i] = 2 * x[i];", "if (i < n) y[i] = 2 * x[i]"),
          r"The error:\n  which_element\.cu:\d+:\d+: error: expected .;. before")
    check(text.replace("y[i] = 2 * x[i];\n}", "y[i] = 2 * x[i];\n"), r"It does not compile\. .*\n  which_element\.cu:")
    check(text + "\n#if 1\n", r"which_element\.cu:\d+: error: unterminated #if|unterminated")
    check(text + "\n/* never closed", r"which_element\.cu:\d+:\d+: error: unterminated comment")
    check(text.replace("<cuda_runtime.h>", "<absent.h>"), r"which_element\.cu:\d+:\d+: fatal error: absent\.h")
    check(text.replace("if (i < n) y", "if (i < n) throw 1; y"), r"It does not compile\. The error:\n  which_element\.cu:\d+: ")
    launch = "{ double_element<<<n / 64 + 1, 64>>>(x, y, n); }"
    expect_that(launch in text, "the launch is not where it was")
    start = time.monotonic()
    check(text.replace(launch, "{ volatile int go = 1; while (go) {} }"), options=["--seconds", "2"], *[
        r"The check did not end within 2 seconds in the case n = 0 and was stopped\.\nThink about: which loop never ends\?"])
    expect_that(time.monotonic() - start < 60, "an endless loop of the host was not stopped in time")
    check(text.replace("if (i < n) y", "while (y != nullptr) {}\n  if (i < n) y"),
          r"livelock: .*\(which_element\.cu:\d+\)", r"^Think about: what must change so that this loop ends")
    check(text.replace(launch, "{ *(volatile int*)8 = n; }"), r"It crashed in the case n = 0: Segmentation fault\.\nThink about")
    check(text.replace(launch, "{ exit(0); }"), r"It ended the program in the case n = 0 \(status 0\): the function must return")
    check(text.replace(launch, "{ std::string().at(n); }").replace("#include", "#include <string>\n#include", 1),
          r"It ended by an exception for n = 0: std::out_of_range: basic_string::at: .*\(model independent\)\.", absent=[r"pointer"])
    check(text.replace(launch, "{ throw n; }"), r"It ended by an exception for n = 0: int \(model", absent=[r"pointer"])
    check(text.replace(launch, "{ [&]() noexcept { throw std::runtime_error(\"a reason\"); }(); }")
          .replace("#include", "#include <stdexcept>\n#include", 1),
          r"It was aborted in the case n = 0: terminate called .*a reason\.", absent=[r"which pointer"])
    check(text.replace(launch, "{ assert(n > 5); }").replace("#include", "#include <cassert>\n#include", 1),
          r"It was aborted in the case n = 0: .*Assertion `n > 5' failed\.")
    mark = here / "mark"
    check(text.replace(launch, "{ if (fork() == 0) { sleep(3); fclose(fopen(\"" + str(mark) + "\", \"w\")); } exit(0); }")
          .replace("#include", "#include <unistd.h>\n#include", 1), r"It ended the program")
    time.sleep(4)
    expect_that(not mark.exists(), "a child of the checked program lives on")
    check(text.replace(launch, "{ for (;;) fputs(\"again and again\\n\", stderr); }"), r"crashed in the case n = 0: File size limit")
    check(text.replace(launch, "{ double_element<<<0, 64>>>(x, y, n); }"), r"CUDA reports an error of a launch "
          r"\(which_element\.cu:\d+\) for n = 0: invalid configuration", r"Think about: are there at least one block")
    check(text.replace(launch, "{ y[n] = x[0]; }"), r"host_access", r"Think about: is this an address of the host's memory")
    expect_that("solved\n" not in expect(here, ["list"], 0), "a wrong file counts as solved")
    right = solved(text)
    (here / "own.h").write_text("#define SEEN 1\n")
    file.write_text(right.replace("#include <cstdio>", "#include <cstdio>\n#include \"own.h\"\nstatic_assert(SEEN == 1);")
                    .replace(launch, "{ getchar(); double_element<<<n / 64 + 1, 64>>>(x, y, n); }"))
    settings = {**os.environ, "SIMTCC_SEED": "x", "SIMTCC_STEPS": "1", "SIMTCC_JSON": "own.h"}
    expect(scratch, ["check", "nonsense/which_element"], 0, r"^nonsense/which_element\.cu: solved", env=settings)
    expect_that("which_element solved" in read(here / PROGRESS).decode(), "progress is not beside the file")


def words_of_messages():
    """Findings name the case, and no fix that may be another than the exercise's; errors of CUDA the call."""
    here = folder("words")
    for name in ("grid_stride", "bytes"):
        run(here, "next", name)
    for name in re.findall(r"^ +\d+ +(\w+)", expect(here, ["list"], 0), re.MULTILINE):  # the last hint is of whole functions
        for _ in range(9):
            text = expect(here, ["hint", name], 0)
        solution = text.split("a solution:\n\n")[-1]
        expect_that(re.match(r"(//|[a-z_]).*\n", solution) and solution.count("{") == solution.count("}") > 0, f"{name}:\n{solution}")
    file = here / "grid_stride.cu"
    file.write_text(given(here, "grid_stride").replace("if (i < n) y", "for (; i < n; i += blockDim.x) y"))
    expect(here, ["check", file.name], 1, r"The simulator found, first for n = 127 \(order of seed 1, model independent\):\n  data_race",
           r"which is undefined too; seen \d+ times\nThink about: which threads", absent=["fix:"])
    file, text = here / "bytes.cu", given(here, "bytes")
    expect(here, ["check", file.name], 1, r"The simulator found, first for n = 1 ", absent=["fix:", "cudaMemset"])
    file.write_text(text.replace("cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost"))
    line = text.splitlines().index("  cudaMemcpy(on_device, x, n, cudaMemcpyHostToDevice);") + 1
    expect(here, ["check", file.name], 1, rf"CUDA reports an error of cudaMemcpy \(bytes\.cu:{line}\) for n = 1: "
           r"invalid argument\.", r"^Think about: which memory does each pointer name")


def no_compiler():
    here = folder("no_compiler")
    run(here, "next")
    expect(here, ["check", "which_element.cu"], 1, r"It cannot be compiled:\nsimtcc: .*: cannot be started; install g\+\+",
           env={**os.environ, "PATH": "/nonexistent", "SIMTCC_CXX": "g++"})


def progress_files():
    here = folder("progress")
    file = here / PROGRESS
    file.write_text("which_element solved\nwhich_element solved today\nbounds\nno_such solved\nround_up hints many\nbounds hints 99\n\0\xff\n")
    expect(here, ["list"], 0, r"note: .*\.simtcc-exercises:2: this line and 4 more cannot be understood; expected NAME solved or NAME "
           r"hints COUNT", r"^1 of \d\d solved")
    expect(here, ["hint"], 0, r"^bounds\.cu, hint 3 of 3, a solution")
    file.write_text("anything\n")
    expect(here, ["hint"], 0, r":1: this line cannot be understood", r"^which_element\.cu, hint 1 of")
    expect(here, ["hint"], 0, r"hint 2 of", absent=["note: "])
    file.write_bytes(os.urandom(300000))
    expect(here, ["list"], 0, r"note: .*: is no file of progress, so all exercises are taken as unsolved; remove it")
    file.unlink()
    file.mkdir()
    expect(here, ["hint"], 0, r"is no file of progress", r"cannot be written \(.*\), so this is not remembered")
    all_names = re.findall(r"^ +\d+  (\w+)", run(here, "list").stdout, re.M)
    done = folder("all_solved", *all_names)
    for action in ("next", "hint"):
        expect(done, [action], 0, rf"^All {len(all_names)} exercises are solved\.$")


def read_only_folder():
    here = pathlib.Path(tempfile.mkdtemp())
    try:
        run(here, "next")
        text = given(here)
        here.chmod(0o555)
        (here / "which_element.cu").chmod(0o444)
        expect(here, ["hint"], 0, r"\.simtcc-exercises: cannot be written \(Permission denied\), so this is not remembered; work in a "
               r"folder of your own", r"hint 1 of", **AS_OTHERS)
        expect_that(given(here) == text, "a file was changed")
        here.chmod(0o755)
        (here / "which_element.cu").unlink()
        here.chmod(0o555)
        expect(here, ["next"], 1, r"which_element\.cu: cannot be written: Permission denied; use a folder of your own", **AS_OTHERS)
    finally:
        here.chmod(0o755)
        shutil.rmtree(here)


def interruption():
    """Ctrl-C ends the check with all that it has started, and leaves no files."""
    here, temporary = folder("interruption"), folder("temporary")
    run(here, "next")
    text = given(here)
    (here / "which_element.cu").write_text(text.replace("{ double_element", "{ for (volatile int go = 1; go;) {}  double_element"))
    process = subprocess.Popen([simtcc, "exercise", "check", "which_element.cu"], cwd=here, env={**os.environ, "TMPDIR": temporary},
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    events, deadline = [], time.monotonic() + 60
    while not events and time.monotonic() < deadline:
        time.sleep(0.1)
        events = [path for path in temporary.glob("*/events") if path.read_text()]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    expect_that(bool(events), "the check did not begin")
    expect_that(process.returncode == -signal.SIGINT, f"interrupted: status {process.returncode}")
    expect_that(not list(temporary.iterdir()), f"left after an interruption: {list(temporary.iterdir())}")
    left = [path for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if str(temporary).encode() in read(path)]
    expect_that(not left, f"processes left after an interruption: {left}")


def read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def of_exactdot():
    if exactdot is None:
        return
    here = folder("exactdot")
    expect(here, ["next"], 0, r"^  exactdot exercise check which_element\.cu", program=exactdot)
    expect_that("// Check: exactdot exercise check which_element.cu" in given(here), "the file names another command")
    expect(here, ["--help"], 0, r"^usage: exactdot exercise list", program=exactdot)
    expect(here, ["chekc"], 2, r"^exactdot exercise: 'chekc': unknown", program=exactdot)
    alone = folder("alone") / "exactdot"
    shutil.copy(exactdot, alone)
    expect(here, ["list"], 1, r"^exactdot: exercise: simtcc is neither beside this program in .* nor in the folders of PATH; pip install "
           r"simtcc, or build it", program=alone, env={**os.environ, "PATH": "/nonexistent"})
    expect(here, ["list"], 0, r"which_element", program=alone, env={**os.environ, "PATH": f"{simtcc.parent}:/usr/bin"})
    circle, closed = here / "circle", here / "closed"
    circle.symlink_to(circle)
    closed.mkdir(mode=0)
    path = f"{circle}:{closed}:{simtcc.parent}"  # two that cannot be searched
    expect(here, ["list"], 0, r"which_element", program=alone, env={**os.environ, "PATH": path}, **AS_OTHERS)


def main():
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    short = (list_next_and_hints, usage, words_of_messages, no_compiler, progress_files, read_only_folder, interruption, of_exactdot)
    for test in {"command": short, "nonsense": (nonsense,)}[group]:
        test()
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
