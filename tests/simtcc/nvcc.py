"""Compiles the programs of examples/programs, and the tests of simtcc that hold on a GPU, with nvcc, unchanged. Compares the
texts of errors with those of CUDA's runtime, which needs no GPU.

usage: nvcc.py NVCC SIMTCC PROJECT FOLDER
"""

import pathlib
import subprocess
import sys

nvcc, simtcc, project, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
folder.mkdir(parents=True, exist_ok=True)
tests = project / "tests/simtcc"
sources = sorted((project / "examples/programs").glob("*.cu"))
sources += sorted((project / "examples/numba").glob("*.cu"))
sources += [tests / f"{name}.cu" for name in ("launches", "runtime", "groups", "small_floats", "faults", "error_texts")]
for source in sources:
    subprocess.run([nvcc, "-arch=sm_90", "-std=c++17", "-O1", source, "-o", folder / source.stem], check=True)
subprocess.run([simtcc, tests / "error_texts.cu", "-o", folder / "error_texts_of_simtcc"], check=True)
cuda, simt = (subprocess.run([folder / name], stdout=subprocess.PIPE, text=True, check=True).stdout
              for name in ("error_texts", "error_texts_of_simtcc"))
if cuda != simt:
    raise SystemExit(f"texts of errors differ:\n{cuda}\n{simt}")
print(f"{len(sources)} files")
