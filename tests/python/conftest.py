"""Settings of Hypothesis: few examples, the same in each run. EXACTDOT_EXAMPLES=1000 runs more."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "exactdot",
    max_examples=int(os.environ.get("EXACTDOT_EXAMPLES", "60")),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("exactdot")
np.seterr(all="ignore")


def pytest_configure(config: pytest.Config) -> None:
    for marker in ("slow", "thread_unsafe", "valgrind_error", "leaks_references"):  # test_numpy_suite.py imports them
        config.addinivalue_line("markers", f"{marker}: of NumPy's own tests")
