"""The dot product of vectors in a memory-mapped file: the system loads pages as the call reads them."""

import tempfile
from pathlib import Path

import exactdot as xd
import numpy as np


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pairs.npy")
        np.save(path, np.arange(2_000_000, dtype=">f8").reshape(-1, 2))  # big-endian, as other machines write it
        pairs = np.load(path, mmap_mode="r")
        left, right = pairs[:, 0], pairs[:, 1]  # strided views of big-endian numbers
        print("dot:", xd.dot(left, right))
        assert xd.dot(left, right) == xd.dot(left.astype(float), right.astype(float))


if __name__ == "__main__":
    main()
