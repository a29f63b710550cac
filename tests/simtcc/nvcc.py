"""Compiles the programs of examples/programs, and the tests of simtcc that hold on a GPU, with nvcc, unchanged.

usage: nvcc.py NVCC PROJECT FOLDER
"""

import pathlib
import subprocess
import sys

nvcc, project, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
sources = sorted((project / "examples/programs").glob("*.cu"))
sources += [project / "tests/simtcc" / name for name in ("launches.cu", "runtime.cu", "groups.cu", "small_floats.cu", "faults.cu")]
for source in sources:
    subprocess.run([nvcc, "-arch=sm_90", "-std=c++17", "-O1", source, "-o", folder / source.stem], check=True)
print(f"{len(sources)} files")
