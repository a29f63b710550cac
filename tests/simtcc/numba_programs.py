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
    "atomic_sum": (0, r"sum -?\d+ of 200"),
    "shuffle_sum": (1, r"AttributeError: .* has no attribute 'shfl_down_sync'"),
    "two_kernels_sum": (0, r"sum 200 of 200"),
}

if importlib.util.find_spec("numba") is None:
    print("numba_programs: skipped: this Python has no Numba")
    sys.exit(77)
sources = pathlib.Path(sys.argv[1])
if {path.stem for path in sources.glob("*.py")} != set(EXPECTED) or {path.stem for path in sources.glob("*.cu")} != set(EXPECTED):
    sys.exit(f"numba_programs: {sources} has other programs than are expected")
for name, (status, last) in EXPECTED.items():
    done = subprocess.run([sys.executable, "-B", sources / f"{name}.py"], env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    lines = done.stdout.strip().splitlines() or [""]
    if done.returncode != status or not re.fullmatch(last, lines[-1]) or (status == 0 and len(lines) > 1):
        sys.exit(f"numba_programs: {name}: status {done.returncode}, expected {status} and {last}:\n{done.stdout}")
