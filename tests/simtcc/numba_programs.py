"""What docs/numba.md says of Numba's simulator: runs the Python programs of examples/numba on it. Skipped (77) without Numba.

usage: numba_programs.py SOURCES        with the Python whose Numba is to be tried
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

# status, and what is printed last
EXPECTED = {
    "racy_sum": (0, r"sum \d+ of 200"),
    "tree_without_barrier": (0, r"sum (?!128 )\d+ of 128"),
    "atomic_sum": (0, r"sum -?\d+ of 200"),  # the memory may have held anything
    "shuffle_sum": (1, r"AttributeError: .* has no attribute 'shfl_down_sync'"),
    "two_kernels_sum": (0, r"sum 200 of 200"),
}


def last_line(sources, name):
    """Runs a program, whose status and output must be as expected; its last line."""
    status, last = EXPECTED[name]
    done = subprocess.run([sys.executable, "-B", sources / f"{name}.py"], env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    lines = done.stdout.strip().splitlines() or [""]
    if done.returncode != status or not re.fullmatch(last, lines[-1]) or (status == 0 and len(lines) > 1):
        sys.exit(f"numba_programs: {name}: status {done.returncode}, expected {status} and {last}:\n{done.stdout}")
    return lines[-1]


def main(sources):
    if {path.stem for path in sources.glob("*.py")} != set(EXPECTED) or {path.stem for path in sources.glob("*.cu")} != set(EXPECTED):
        sys.exit(f"numba_programs: {sources} has other programs than are expected")
    for name in EXPECTED:
        last_line(sources, name)
    wrong_trees = {last_line(sources, "tree_without_barrier") for _ in range(4)}
    if len(wrong_trees) == 1:
        sys.exit(f"numba_programs: tree_without_barrier: 4 runs print {wrong_trees}, but the sum was expected to change")
    if all(last_line(sources, "racy_sum") != "sum 200 of 200" for _ in range(20)):
        sys.exit("numba_programs: racy_sum: 20 runs do not print the right sum, but it was expected to come out often")


if importlib.util.find_spec("numba") is None:
    print("numba_programs: skipped: this Python has no Numba")
    sys.exit(77)
main(pathlib.Path(sys.argv[1]))
