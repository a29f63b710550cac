"""Vectors in files, mapped into memory and never loaded: the system brings their pages as they are read."""

import tempfile
from pathlib import Path

import exactdot as xd
import numpy as np


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pairs.npy")
        np.save(path, np.arange(2_000_000, dtype=">f8").reshape(-1, 2))  # as another machine may have written it
        pairs = np.load(path, mmap_mode="r")
        left, right = pairs[:, 0], pairs[:, 1]  # views with a stride, in the other byte order
        print("dot:", xd.dot(left, right))
        assert xd.dot(left, right) == xd.dot(left.astype(float), right.astype(float))


if __name__ == "__main__":
    main()
