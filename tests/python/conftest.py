"""Settings of Hypothesis: few examples, the same in each run. EXACTDOT_EXAMPLES=1000 runs more."""

import os

import numpy as np
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
