"""Asks simtcc for every option that `nvcc --help` lists, by both of its names.

usage: nvcc_options.py NVCC SIMTCC FOLDER

Each must be taken, with or without a note, or refused with its name and a reason; none may be unknown, or taken for a file. The
refused ones are listed here: those that ask for something else than a program.
"""

import pathlib
import re
import shutil
import subprocess
import sys

nvcc, simtcc, scratch = shutil.which(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
if nvcc is None:
    print("skipped: the options of nvcc, which is not installed")
    raise SystemExit(77)
scratch.mkdir(parents=True, exist_ok=True)
(scratch / "k.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
(scratch / "h.h").write_text("")
(scratch / "options").write_text("-lineinfo")

REFUSED = {"--cuda", "--cubin", "--fatbin", "--ptx", "--optix-ir", "--ltoir", "--preprocess", "--generate-dependencies",
           "--generate-nonsystem-dependencies", "--device-link", "--lib", "--shared", "--clean-targets", "--compile-as-tools-patch",
           "--relocatable-link"}
VALUES = {"--pre-include": "h.h", "--library": "cudart", "--define-macro": "N=1", "--undefine-macro": "N", "--output-file": "p",
          "--include-path": ".", "--system-include": ".", "--library-path": ".", "--output-directory": ".", "--x": "cu",
          "--compiler-options": "-Wall", "--linker-options": "-s", "--gpu-architecture": "sm_80", "--gpu-code": "sm_80",
          "--generate-code": "arch=compute_80,code=sm_80", "--Werror": "all-warnings", "--options-file": "options",
          "--compiler-bindir": "g++", "--std": "c++17", "--dependency-output": "p.d", "--sanitize": "memcheck", "--qpp-config": "gcc_ntox86_64"}
PRINT_ONLY = {"--help", "--version", "--list-gpu-code", "--list-gpu-arch"}

listed = re.findall(r"^(--[\w-]+)(?: (\S.*?))? {2,}(?:\((-[\w-]+)\)|(--[\w-]+))", subprocess.run(
    [nvcc, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout, re.M)
if len(listed) < 100:
    raise SystemExit(f"{nvcc} --help lists {len(listed)} options only")


def value_of(option, wanted):
    choices = re.match(r"[{\[]([\w+]+)", wanted)
    return VALUES.get(option) or (choices[1] if choices else "1")


failures = []


def ask(option, words):
    rest = [] if option in PRINT_ONLY else ["k.cu"] + ([] if option == "--output-file" else ["-o", "p"])
    done = subprocess.run([simtcc, "-dryrun", *words, *rest], cwd=scratch, text=True, timeout=60, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    unknown = re.search(r"^simtcc: .*(unknown option|no such file|no input file)|unrecognized", done.stdout, re.M)
    if option in REFUSED:
        right = done.returncode == 2 and words[0] in done.stdout and not unknown
    else:
        right = done.returncode == 0 and not unknown
    if not right:
        failures.append(f"{' '.join(words)}: status {done.returncode}\n{done.stdout[:500]}")


for long, wanted, short, same in listed:
    wanted = wanted or VALUES.get(long, "")  # the help leaves out some
    for name in dict.fromkeys((long, short or same)):
        value = value_of(long, wanted)
        ask(long, [name, value] if wanted else [name])
        if wanted and name == long:
            ask(long, [f"{name}={value}"])
if (scratch / "p").exists():
    failures.append("-dryrun made a program")
if failures:
    raise SystemExit("\n".join(failures))
print(f"{len(listed)} options")
