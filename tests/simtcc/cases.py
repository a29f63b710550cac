"""Runs simtcc and the programs that it builds: bad input, findings, options.

usage: cases.py SIMTCC FOLDER GROUP [COMPILER]

Each case is a command with the exit status and the lines that it must print. Messages must name the user's file and line:
a line with a planted fault ends in a comment with its name.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

SOURCES = pathlib.Path(__file__).parent
simtcc, scratch, group = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
compiler = sys.argv[4:5]
scratch.mkdir(parents=True, exist_ok=True)
failures = []


def line_of(name, comment):
    """The number of the line in a source file that ends in this comment."""
    for number, line in enumerate((SOURCES / name).read_text().splitlines(), 1):
        if line.endswith("// " + comment):
            return number
    raise SystemExit(f"{name} has no comment {comment}")


def expect(command, status, *patterns, absent=(), **variables):
    """Runs a command; its status and output must be as expected. Returns its output and errors."""
    run = subprocess.run(command, cwd=scratch, env={**os.environ, **variables}, text=True, timeout=120,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    problems = [] if run.returncode == status else [f"status {run.returncode}, expected {status}"]
    problems += [f"nothing matches {pattern}" for pattern in patterns if not re.search(pattern, run.stdout, re.M)]
    problems += [f"{pattern} matches" for pattern in absent if re.search(pattern, run.stdout, re.M)]
    if problems:
        failures.append(f"{' '.join(map(str, command))}: {'; '.join(problems)}\n{run.stdout}")
    return run.stdout


def compile_file(name, *options, status=0, patterns=(), output=None):
    output = scratch / (output or pathlib.Path(name).stem)
    source = SOURCES / name if (SOURCES / name).exists() else scratch / name
    use = ["--compiler", *compiler] if compiler else []
    expect([simtcc, *use, source, "-o", output, *options], status, *patterns)
    return output


def refused(name, text, *patterns, status=1):
    """A source text that simtcc must refuse with these messages."""
    (scratch / name).write_text(text)
    compile_file(name, status=status, patterns=patterns)


def bad_input():
    expect([simtcc], 2, r"^simtcc: no input file")
    expect([simtcc, "absent.cu"], 2, r"^simtcc: absent\.cu: no such file")
    expect([simtcc, "absent.cu", "--seeds", "0"], 2, r"--seeds 0: expected a number above zero")
    expect([simtcc, "absent.cu", "--model", "warp"], 2, r"--model warp: expected independent or lock_step")
    expect([simtcc, "absent.cu", "--model=3"], 2, r"--model 3: expected independent or lock_step")
    for option in ("seed", "seeds", "steps"):
        expect([simtcc, "absent.cu", f"--{option}", "x"], 2, rf"--{option} x: expected a number")
        expect([simtcc, "absent.cu", f"--{option}", "9" * 30], 2, rf"--{option} 9+: expected at most \d+")
    expect([simtcc, "absent.cu", "--seeds=100001"], 2, r"--seeds 100001: expected at most 100000")
    expect([simtcc, "absent.cu", "--profile=3"], 2, r"--profile=3: expected --profile, which has no value")
    expect([simtcc, "absent.cu", "-o"], 2, r"-o: expected a value")
    expect([simtcc, "absent.cu", "-arch=sm_9"], 2, r"-arch sm_9: expected a compute capability")
    expect([simtcc, "absent.cu", "-lcufft"], 2, r"note: -lcufft: ignored; this library is not modelled")
    expect([simtcc, "--sed", "3", "absent.cu"], 2, r"^simtcc: --sed: unknown option; did you mean --seed\?")
    expect([simtcc, "absent.cu", "-lineinf"], 2, r"absent\.cu: no such file")  # -l of a library
    expect([simtcc, "absent.cu", "-archi=sm_90"], 2, r"-archi=sm_90: unknown option; did you mean -arch\?")
    expect([simtcc, "absent.cu", "-rdc=yes"], 2, r"-rdc=yes: expected true or false")
    expect([simtcc, "absent.cu", "-lineinfo=1"], 2, r"-lineinfo=1: expected -lineinfo, which has no value")
    expect([simtcc, "absent.cu", "-dlink"], 2, r"-dlink: device code is linked with the program")
    expect([simtcc, "-V"], 0, r"^simtcc \d", r"CUDA 13\.0")
    expect([simtcc, "--list-gpu-arch"], 0, r"^compute_90$")
    expect([simtcc, SOURCES / "launches.cu", "--compiler", "no-such-compiler"], 2, r"no-such-compiler: cannot be started")
    expect([simtcc, "absent.cu", "-o", ""], 2, r"-o: expected the name of a file")
    expect([simtcc, "absent.cu", "--json", ""], 2, r"--json: expected the name of a file")
    expect([simtcc, "absent.cu", "-E"], 2, r"-E: simtcc makes a program")
    expect([simtcc, "--", "-absent.cu"], 2, r"^simtcc: \./-absent\.cu: no such file")
    kept = scratch / "kept.cu"
    kept.write_text("int main() {}\n")
    for options in (["-o", kept], ["-c", "-o", kept], ["--json", kept], ["-o", "./" + kept.name]):
        expect([simtcc, kept, *options], 2, r"kept\.cu: is an input; it would be replaced")
    expect([simtcc, kept, "-o", "other.cpp"], 2, r"-o other\.cpp: has the name of a source file")
    expect([simtcc, kept, "-o", "kept", "--json", "kept"], 2, r"--json kept: is the program itself")
    expect([simtcc, kept, "-o", scratch], 2, r"is a folder")
    expect([simtcc, kept, "--rewrite", "-o", kept], 2, r"kept\.cu: is an input; it would be replaced")
    expect([simtcc, kept, "--rewrite", "-o", scratch], 2, r"is a folder")
    header, includer = scratch / "included.cuh", scratch / "includer.cu"
    header.write_text("int one() { return 1; }\n")
    includer.write_text('#include "included.cuh"\nint main() { return one(); }\n')
    expect([simtcc, includer, "--rewrite", "-o", header], 2, r"included\.cuh: is an input; it would be replaced")
    if header.read_text() != "int one() { return 1; }\n":
        failures.append("--rewrite replaced a header of its input")
    (scratch / "earlier.txt").write_text("earlier\n")  # as any compiler
    expect([simtcc, kept, "--rewrite", "-o", "earlier.txt"], 0)
    if "int main() {}" not in (scratch / "earlier.txt").read_text():
        failures.append("--rewrite -o did not replace a file")
    expect([simtcc, "--help"], 0, r"It replaces a file of that name, as any", r"but never an input")
    if kept.read_text() != "int main() {}\n":
        failures.append("simtcc replaced its input")
    expect([simtcc, kept, "--rewrite", "-o", "rewritten.cpp"], 0)
    if "int main() {}" not in (scratch / "rewritten.cpp").read_text():
        failures.append("--rewrite -o wrote something else")
    expect([simtcc, "--help"], 0, r"^usage: simtcc FILE\.cu")
    # whether or not the machine has the header
    refused("header.cu", '#include <cstdio>\n#include <cufft.h>\ncufftHandle handle;\n',
            r"header\.cu:3: simtcc: cufftHandle: cuFFT is not modelled")
    refused("hint.cu", '#include <thrust/absent.h>\n', r"hint\.cu:1:10: fatal error:",
            r"^simtcc: thrust/absent\.h: this part of Thrust is not modelled")
    refused("semaphore.cu", '#include <cuda/atomic>\n#include <cuda/semaphore>\n', r"semaphore\.cu:2:10: fatal error:",
            r"^simtcc: cuda/semaphore: this part of libcu\+\+ is not modelled")
    refused("scope.cu", '#include <cuda/barrier>\n\n__device__ cuda::barrier<cuda::thread_scope_device> bar;\n',
            r"scope\.cu:3:\d+:", r"error: static assertion failed.*simtcc: cuda::barrier of another scope than a block's")
    refused("macro.cu", "#define ADD(x) x +\n\nint f(int y) {\n  return ADD(y);\n}\n", r"macro\.cu:4:\d+: error:")
    refused("launch.cu", "__global__ void k(int*) {}\n\nint main() {\n  k<<<\n      1,\n      1>>>(undeclared);\n}\n",
            r"launch\.cu:6:\d+: error: .*undeclared")
    refused("wrong.cu", """// comments do not count: k<<<1, 1>>>
__global__ void k(int* x);
__device__ float f(float y) {
  asm volatile("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(y));
  return y;
}
__global__ void parent(int* x) {
  __shared__ int s = 3;
  k<<<1, 1>>>(x);
  int* y = (int*)malloc(4);
}
void host(cudaMipmappedArray_t t) { cudaMallocMipmappedArray(&t);
  k<<<1, 1>>>;
  k<<<>>>(nullptr);
  nvcuda::wmma::layout_t r;
}
""", r'wrong\.cu:4: simtcc: inline PTX is not modelled.*"ex2\.approx\.f32 %0, %1;"',
            r"wrong\.cu:8: simtcc: a __shared__ variable with an initialiser",
            r"wrong\.cu:9: simtcc: a launch from a kernel",
            r"wrong\.cu:10: simtcc: malloc in a kernel",
            r"wrong\.cu:12: simtcc: cudaMallocMipmappedArray: mipmaps of textures are not modelled",
            r"wrong\.cu:13: simtcc: a launch <<<…>>> without its >>>, or without a list of arguments",
            r"wrong\.cu:14: simtcc: a launch <<<>>> without grid and block",
            r"wrong\.cu:15: simtcc: nvcuda: tensor cores \(WMMA\) are not modelled")
    refused("kernels.cu", """__global__ int* result(int* x) { return x; }
__global__ void thrower(int* x) {
  if (*x == 0) throw 1;
}
void host(int* x) {
  thrower<<<1>>>(x);
}
__global__ void unfinished(int* x) {
  if (*x == 0) {
    *x = 1;
""", r"kernels\.cu:1: simtcc: a __global__ function that returns something", r"kernels\.cu:3: simtcc: throw in a kernel",
            r"kernels\.cu:6: simtcc: a launch <<<grid>>> without the size of its blocks",
            r"kernels\.cu:8: simtcc: a function that this \{ begins and no \} ends")


def temporary_folders():
    """simtcc removes its folder, however it ends: refused, compiler absent, or stopped while the compiler runs."""
    temporary, slow = scratch / "temporary", scratch / "slow_compiler"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary)}
    started, ended = temporary / "started", temporary / "ended"
    slow.write_text(f"#!/bin/sh\ntrap 'echo > {ended}; exit 1' TERM\necho > {started}\nsleep 60 & wait\n")
    slow.chmod(0o755)
    expect([simtcc, SOURCES / "launches.cu", "--compiler", "no-such-compiler"], 2, r"cannot be started", **environment)
    expect([simtcc, "absent.cu"], 2, r"no such file", **environment)
    with subprocess.Popen([simtcc, SOURCES / "launches.cu", "--compiler", slow], cwd=scratch,
                          env={**os.environ, **environment}) as run:
        while run.poll() is None and not started.exists():
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        if run.wait(20) != -signal.SIGTERM:
            failures.append(f"simtcc stopped by SIGTERM: status {run.returncode}")
    if not ended.exists():
        failures.append("simtcc stopped by SIGTERM: the compiler was not stopped")
    for round_ in range(100):  # at any moment, also between a look at the compiler and the wait for it
        with subprocess.Popen([simtcc, SOURCES / "launches.cu", "--compiler", slow], cwd=scratch,
                              env={**os.environ, **environment}) as run:
            time.sleep(0.0005 + 0.00012 * round_)
            run.send_signal(signal.SIGTERM)
            if run.wait(20) not in (-signal.SIGTERM, 1):  # 1: the compiler had ended
                failures.append(f"simtcc stopped by SIGTERM in round {round_}: status {run.returncode}")
    left = [path.name for path in temporary.glob("simtcc-*")]
    if left:
        failures.append(f"simtcc leaves {left}")


def findings():
    program = compile_file("faults.cu")

    def fault(name, status, *patterns, at=None, **variables):
        where = rf".*faults\.cu:{line_of('faults.cu', at or name)}\)"
        expect([program, name], status, *[pattern.replace("@", where) for pattern in patterns], **variables)

    fault("race", 66, r"^simtcc: data_race in global memory.*@")
    fault("race", 66, r"\d+ findings? in 1 launch \(\d+ steps, seed 9, lock_step\)", SIMTCC_SEED="9", SIMTCC_MODEL="lock_step")
    for stack in ("stack", "frame"):
        expect([program, stack], 1, r"^simtcc: trap .*stack overflow.*faults\.cu:\d+\)")
    fault("spin", 1, r"^spin: cudaErrorLaunchTimeout", r"^simtcc: livelock: spin loop@")
    fault("loop", 1, r"^loop: cudaErrorLaunchTimeout", r"^simtcc: livelock@", SIMTCC_STEPS="100000")
    fault("assert", 1, r"^assert: cudaErrorAssert", r"^simtcc: trap \(\*x == 2\)@")
    fault("overrun", 66, r"^simtcc: out_of_bounds in global memory \(buffer of 32 bytes \+ \d+\)@.*; seen 24 times")
    # a program whose only variable of a CPU thread is the array: what the kernel overruns must not be the runtime's
    (scratch / "past.cu").write_text("""\
__global__ void fill(int* x) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x];
}
int main() {
  int* x;
  cudaMalloc(&x, 512);
  fill<<<1, 128>>>(x);
  return cudaDeviceSynchronize();
}
""")
    compile_file("past.cu")
    expect([scratch / "past"], 66, r"^simtcc: out_of_bounds in array .*seen \d+ times")
    fault("foreign", 1, r"^foreign: cudaErrorIllegalAddress", r"^simtcc: out_of_bounds.*host memory\)@")
    fault("division", 1, r"^division: cudaErrorLaunchFailure", r"^simtcc: trap.*integer division@")
    fault("misaligned", 1, r"^misaligned: cudaErrorMisalignedAddress", r"^simtcc: misaligned@")
    fault("vector", 1, r"^vector: cudaErrorMisalignedAddress", r"^simtcc: misaligned in global memory .*@")
    expect([program, "local array"], 1, r"^simtcc: out_of_bounds in array \(past the end of a local array\): .*faults\.cu:\d+\)")
    fault("constant", 66, r"^simtcc: constant_write in global memory \(limits \+ 4 bytes\): write@")
    fault("width", 66, r"^simtcc: invalid_width \(width 0\): shuffle@.*fix: a width of 1, 2, 4, 8, 16 or 32")
    fault("barrier left out", 1, r"^barrier left out: cudaErrorLaunchTimeout",
          r"^simtcc: mbarrier_phase in shared memory \(bar: phase 0 .*pending: 1 of 32 arrivals.*\): wait@")
    fault("early return", 66, r"^simtcc: barrier_divergence: __syncthreads@", SIMTCC_MODEL="lock_step")
    expect([program, "early return"], 0, r"^simtcc: no findings", SIMTCC_MODEL="independent")
    fault("unasked", 66, r"^simtcc: refused_launch \(block of 2048 x 1 x 1 threads.*launch by host code@")
    expect([program, "asked"], 0, r"^invalid configuration argument$", r"^simtcc: no findings")
    expect([program, "memory"], 1, r"^cudaMalloc: cudaErrorMemoryAllocation$")
    fault("unwritten", 66, r"^simtcc: uninitialised_global.*cudaMemcpy by host code@")
    fault("host", 66, r"^simtcc: host_access.*read by host code@")
    fault("abort", -6, r"^simtcc: data_race.*@", at="race")
    fault("exit", 3, r"^simtcc: data_race.*@", at="race")
    fault("memset race", 66, r"^simtcc: data_race in global memory.*@")
    fault("memset overrun", 66, r"^simtcc: out_of_bounds in global memory \(buffer of 32 bytes \+ 0\): write@")
    expect([program, "memset and memcpy"], 0, r"^0 1 2 3 4 5 6 7 $", r"^simtcc: no findings")
    fault("never written", 66, r"^simtcc: uninitialised_shared in shared memory.*@")
    fault("unequal masks", 66, r"^simtcc: missing_lanes: __syncwarp@; other side: the same with another mask")
    fault("released", 66, r"^simtcc: out_of_bounds in global memory \(released buffer of 32 bytes \+ 0\)@")
    fault("_Exit", 66, r"^simtcc: data_race.*@", at="race")
    fault("quick_exit", 66, r"^simtcc: data_race.*@", at="race")
    for seeds in ("1", "2"):
        fault("quick_exit 5", 5, r"^simtcc: data_race.*@", at="race", SIMTCC_SEEDS=seeds)
    expect([program, "none"], 0, r"^simtcc: no findings in 0 launches", absent=[r"simtcc: \w+:"])
    expect([program, "race"], 2, r"^simtcc: SIMTCC_MODEL=x: expected independent or lock_step", SIMTCC_MODEL="x")

    for variable, expected in (("SEED", "a number"), ("SEEDS", "1 to 100000 runs"), ("STEPS", "the maximum number of steps")):
        expect([program, "race"], 2, rf"^simtcc: SIMTCC_{variable}=x: expected {expected}", **{f"SIMTCC_{variable}": "x"})
        expect([program, "race"], 2, rf"^simtcc: SIMTCC_{variable}=9+: expected {expected}",
               **{f"SIMTCC_{variable}": "9" * 30})

    report = scratch / "report.json"
    expect([program, "race"], 66, r"seeds 1 to 5", r"with 5 seeds of 5, the first is 1", SIMTCC_SEEDS="5",
           SIMTCC_JSON=str(report))
    found = json.loads(report.read_text())
    race = found["findings"][0]
    if race["kind"] != "data_race" or race["site"]["line"] != line_of("faults.cu", "race") or race["seeds"] != 5:
        failures.append(f"{report}: {found}")
    expect([program, "none"], 2, r"^simtcc: SIMTCC_JSON=/absent/report\.json: cannot write it",
           SIMTCC_JSON="/absent/report.json")
    expect([program, "none"], 2, r"cannot write /dev/full", SIMTCC_JSON="/dev/full")
    pipe = scratch / "pipe"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    expect([program, "none"], 2, r"^simtcc: SIMTCC_HTML=.*pipe: cannot write it: it is a pipe", SIMTCC_HTML=str(pipe))
    expect([program, "none"], 2, r"^simtcc: SIMTCC_JSON=.*pipe: cannot write it: it is a pipe that nobody reads",
           SIMTCC_JSON=str(pipe))
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        time.sleep(0.2)
        expect([program, "race"], 66, SIMTCC_JSON=str(pipe))
        if '"data_race"' not in reader.communicate(timeout=60)[0]:
            failures.append("no findings in a pipe that is read")
    source, copy = scratch / "kept.cu", scratch / "kept"
    source.write_text("// kept\n")
    shutil.copy(program, copy)
    for kept in (source, copy):
        before = kept.read_bytes()
        expect([copy, "none"], 2, r"^simtcc: SIMTCC_JSON=.*: expected the name of a file for findings", SIMTCC_JSON=str(kept))
        if kept.read_bytes() != before:
            failures.append(f"{kept} was replaced")
    expect([program, "none"], 0, r"^simtcc: SIMTCC_SEDE: unknown", SIMTCC_SEDE="1")
    interrupted(program)
    input_of_seeds()
    costs()


def input_of_seeds():
    """Every run reads a file from the place where it is given; a pipe only the first."""
    (scratch / "reads.cu").write_text("#include <cstdio>\n__global__ void kernel(int* x, int n) { if (n != 17) *x += 1; }\n"
                                      "int main() {\n  int n = 0, *x;\n  std::scanf(\"%d\", &n);\n  cudaMalloc(&x, 4);\n"
                                      "  cudaMemset(x, 0, 4);\n  kernel<<<1, 32>>>(x, n);\n  return cudaDeviceSynchronize();\n}\n")
    expect([simtcc, "reads.cu", "-o", "reads"], 0)
    (scratch / "input.txt").write_text("17\n")
    for line, status, note in (("./reads < input.txt", 0, False), ("echo 17 | (sleep 0.2; ./reads)", 66, True)):
        done = subprocess.run(["bash", "-c", line], cwd=scratch, env={**os.environ, "SIMTCC_SEEDS": "3"}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != status or note != ("the others have no more of it" in done.stdout):
            failures.append(f"{line}: status {done.returncode}\n{done.stdout}")


def interrupted(program):
    """A program that is stopped says so, with one seed and with several."""
    for seeds in ("1", "4"):
        with subprocess.Popen([program, "endless barriers"], cwd=scratch, env={**os.environ, "SIMTCC_SEEDS": seeds}, text=True,
                              stderr=subprocess.PIPE) as run:
            time.sleep(1)
            run.send_signal(signal.SIGINT)
            errors = run.communicate(timeout=60)[1]
        if run.returncode != -signal.SIGINT or not re.search(r"did not run to its end: Interrupt, in a launch", errors):
            failures.append(f"interrupted with {seeds} seeds: status {run.returncode}\n{errors}")


def costs():
    """Costs are printed and written if they are asked for, by a variable or by an option."""
    program = compile_file("faults.cu")
    line, report = line_of("faults.cu", "race"), scratch / "costs.json"
    expect([program, "race"], 66, absent=[r"costs of each line", r"global read"])
    for seeds in ("1", "3"):
        expect([program, "race"], 66, r"^simtcc: costs of each line", rf"^  faults\.cu:{line} +global read +\d+",
               SIMTCC_PROFILE="1", SIMTCC_JSON=str(report), SIMTCC_SEEDS=seeds)
        rows = json.loads(report.read_text())["costs"]
        writes = [row for row in rows if row["line"] == line and row["action"] == "write"]
        if len(writes) != 1 or writes[0]["lanes"] * 4 != writes[0]["bytes"] or writes[0]["sectors"] != writes[0]["requests"]:
            failures.append(f"{report}: {rows}")
    expect([program, "race"], 2, r"^simtcc: SIMTCC_PROFILE=x: expected 0 or 1", SIMTCC_PROFILE="x")
    profiled = compile_file("faults.cu", "--profile", output="profiled")
    expect([profiled, "race"], 66, rf"^  faults\.cu:{line} +global write")
    expect([profiled, "race"], 66, absent=[r"costs of each line"], SIMTCC_PROFILE="0")


def endless():
    program = compile_file("faults.cu")
    expect([program, "empty loop"], 1, r"^empty loop: cudaErrorLaunchTimeout",
           r"^simtcc: livelock: endless loop by thread 0 of block 0 \(faults\.cu:\d+\)")


def features():
    for name in ("launches", "runtime", "groups", "small_floats", "atomics", "pipelines", "rounding"):
        program = compile_file(name + ".cu")
        expect([program], 0, r"all hold$", r"^simtcc: no findings")
        expect([program], 0, r"all hold$", r"^simtcc: no findings", SIMTCC_MODEL="lock_step")
    for name, argument, comment in (("atomics", "relaxed", "unordered"), ("pipelines", "early", "early")):
        expect([scratch / name, argument], 66, rf"^simtcc: data_race in .*{name}\.cu:{line_of(name + '.cu', comment)}\)")


def objects():
    """Separate compilation, a C++ file, defaults of the program by options, and options of nvcc."""
    (scratch / "part.cu").write_text('__global__ void add(int* x) { *x += 1; }\n'
                                     'void run(int* x) {\n  add<<<N, 1>>>(x);\n}\n')
    (scratch / "main.cpp").write_text('#include <cuda_runtime_api.h>\nvoid run(int*);\n'
                                      'int main() {\n  int* x;\n  cudaMalloc(&x, 4);\n  cudaMemset(x, 0, 4);\n  run(x);\n'
                                      '  return cudaDeviceSynchronize();\n}\n')
    expect([simtcc, "-c", "part.cu", "-DN=2", "-O3", "-std=c++17", "-lineinfo", "-gencode", "arch=compute_80,code=sm_80",
            "-Xcompiler", "-Wall,-Wextra"], 0, absent=["warning"])
    (scratch / "unused.cu").write_text('void g(int unused) {}\n')
    expect([simtcc, "-c", "unused.cu", "-Xcompiler", "-Wall -Wextra"], 0, r"warning: unused parameter")
    folder = pathlib.Path(shutil.which("g++")).parent
    expect([simtcc, "-c", "unused.cu", "-ccbin", folder, "-v"], 0, rf"{re.escape(str(folder))}/g\+\+ ")
    expect([simtcc, "-c", "main.cpp", "-o", "host.o"], 0)
    expect([simtcc, "part.o", "host.o", "-o", "two"], 0)
    expect(["./two"], 66, r"data_race.*part\.cu:1\)")
    expect([simtcc, "-c", "part.o"], 2, r"^simtcc: -c part\.o: expected sources of CUDA, C\+\+ or C$")
    expect([simtcc, "-c", "part.cu", "main.cpp", "-o", "both.o"], 2, r"^simtcc: -o both\.o: one name for 2 objects$")
    # -x says the language of every source, wherever it stands
    (scratch / "kernel.cpp").write_text((scratch / "part.cu").read_text())
    (scratch / "word.txt").write_text("int class(void) { return 0; }\n")
    expect([simtcc, "-c", "kernel.cpp", "-DN=2", "-x", "cu"], 0)
    expect([simtcc, "kernel.o", "host.o", "-x", "cu", "-o", "two"], 0)
    expect([simtcc, "-x", "c", "-c", "word.txt"], 0)
    expect([simtcc, "-x", "c++", "-c", "part.cu", "-DN=2"], 1, r"__global__\S* does not name a type|unknown type name")
    expect([simtcc, "-x", "rust", "-c", "part.cu"], 2, r"^simtcc: -x rust: expected c, c\+\+ or cu$")
    expect([simtcc, "part.o", "main.cpp", "-o", "two", "--seed", "3", "--model=lock_step", "-lcudart"], 0)
    expect(["./two"], 66, r"seed 3, lock_step\)", r"data_race.*part\.cu:1\)")
    expect(["./two"], 66, r"seed 4, lock_step\)", SIMTCC_SEED="4")
    # two kernels of one name, each with shared memory
    for part in "ab":
        (scratch / f"{part}.cu").write_text(
            'namespace {\n__global__ void reverse(int* x) {\n  __shared__ int s[32];\n  s[threadIdx.x] = x[threadIdx.x];\n'
            '  __syncthreads();\n  x[threadIdx.x] = s[31 - threadIdx.x];\n}\n}\n'
            f'void run_{part}(int* x) {{\n  reverse<<<1, 32>>>(x);\n}}\n')
    (scratch / "both.cpp").write_text('#include <cuda_runtime_api.h>\nvoid run_a(int*);\nvoid run_b(int*);\n'
                                      'int main() {\n  int* x;\n  cudaMalloc(&x, 128);\n  cudaMemset(x, 0, 128);\n'
                                      '  run_a(x);\n  run_b(x);\n  return cudaDeviceSynchronize();\n}\n')
    expect([simtcc, "a.cu", "b.cu", "both.cpp", "-o", "both"], 0)
    expect(["./both"], 0, r"no findings in 2 launches")


{"bad_input": bad_input, "temporary_folders": temporary_folders, "findings": findings, "features": features, "objects": objects, "endless": endless}[group]()
if failures:
    raise SystemExit("\n".join(failures))
