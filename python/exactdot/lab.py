"""The command python -m exactdot.lab: runs the lab of the program `exactdot`, which the package does not contain.

The lab is a part of that program because its kernels and the simulator of CUDA that runs them need libraries and compile
times that a package of sums does not: CLI11, fmt, nlohmann-json, and minutes. The command hands its
arguments over to the program that EXACTDOT_PROGRAM names, or to the first `exactdot` on PATH. Without one it prints one
line that says how to get it, with exit status 2.
"""

from __future__ import annotations

import os
import shutil
import sys

MISSING = ("exactdot.lab: the lab is in the program exactdot, not in the Python package, which leaves out the lab's simulator "
           "of CUDA; in a clone of exactdot's repository `make demo` builds build/release/bin/exactdot: put its folder on "
           "PATH or its name into EXACTDOT_PROGRAM")


def main(arguments: list[str]) -> int:
    named = os.environ.get("EXACTDOT_PROGRAM")
    program = shutil.which(named or "exactdot")
    if program is not None:
        os.execv(program, [program, "lab", *arguments])
    print(MISSING if not named else f"exactdot.lab: EXACTDOT_PROGRAM={named}: no such program", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
