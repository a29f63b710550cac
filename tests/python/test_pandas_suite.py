"""pandas' own tests of its reductions and of moving windows, run with exactdot's functions instead (pandas_adapter.py).

pandas' wheels contain its tests, which pytest runs in a process of its own. A test that fails for a difference that docs/python.md
names is listed with it, and must fail. array-api-tests, which no package index has, is left out; tests written from the
standard's text are in test_array_api.py.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import exactdot as xd

BOOLEANS = "min and max of booleans are 0 and 1", "dtype.* are different"
DIFFERENCES = {f"test_nanops.py::TestnanopsDataFrame::test_nanops_with_warnings[{skipna}-nan{name}-{name}]": BOOLEANS
               for skipna in (True, False) for name in ("min", "max")}
MODULES = ("test_nanops", "window.test_rolling", "window.test_rolling_functions", "window.test_expanding", "window.test_dtypes")
SELECTED = "test_nanops or sum or mean or var or std"
CALLS = {"nansum": 100, "nanmean": 100, "nanvar": 500, "nanstd": 300, "nansem": 80, "nanmin": 80, "nanmax": 80, "nanargmin": 80, "nanargmax": 80,
         "roll_sum": 300, "roll_mean": 150, "roll_var": 300, "roll_sum, moving": 150, "roll_mean, moving": 80, "roll_var, moving": 150}


def test_of_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    if int(pandas.__version__.split(".")[0]) < 3 or not (Path(pandas.__file__).parent / "tests/test_nanops.py").exists():
        pytest.skip("the tests of pandas 3 are not installed")
    written = tmp_path / "outcomes.json"
    folders = [str(Path(__file__).parent), str(Path(xd.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "EXACTDOT_OUTCOMES": str(written), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "pandas_adapter", "-W", "ignore", "-k", SELECTED,
               "--pyargs", *(f"pandas.tests.{module}" for module in MODULES)]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert written.exists(), ended.stdout + ended.stderr
    found = json.loads(written.read_text())
    failed = {name: outcome for name, outcome in found["outcomes"].items() if outcome != "passed" and not outcome.startswith("skipped")}
    wrong = {name: outcome for name, outcome in failed.items()
             if name not in DIFFERENCES or not re.search(DIFFERENCES[name][1], outcome)}
    assert not wrong, wrong
    assert set(failed) == set(DIFFERENCES) and len(found["outcomes"]) > 1500
    assert all(found["calls"].get(name, 0) >= count for name, count in CALLS.items()), found["calls"]
