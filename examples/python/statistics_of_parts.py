"""Mean, variance and norm of data that arrive in parts, with the bits of one call on all of them.

Each part adds its exact moments. Averages of the parts' means and variances would depend on how the data are split.
"""

import exactdot as xd
import numpy as np


def main() -> None:
    generator = np.random.default_rng(1)
    data = (1e4 + generator.standard_normal(100_000)).astype(np.float32)  # the variance cancels in float32
    for parts in (1, 3, 1000):
        moments = xd.Moments("float32")
        for part in np.array_split(data, parts):
            moments.add(part)
        print(f"{parts:4} parts: mean {moments.mean()}, variance {moments.var(ddof=1)}, norm {moments.norm()}")
        assert moments.mean() == xd.mean(data) and moments.norm() == xd.norm(data)
        assert moments.var(ddof=1) == xd.var(data, ddof=1)


if __name__ == "__main__":
    main()
