"""An exact dot shared among processes: each sends 138 integers, and the sum of them has the bits of a single process.

Prints three times the same bits. math.fsum of the processes' rounded parts would not be correctly rounded.
"""

import multiprocessing

import exactdot as xd
import numpy as np

N = 200_000


def vectors() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    a = generator.standard_normal(N) * 2.0 ** generator.integers(-300, 300, N)
    return a, np.concatenate([a[N // 2 :], -a[: N // 2]]) * 1.1


def words_of(part: slice) -> np.ndarray:
    """What one process adds: in a real program it would read its own part of the data."""
    a, b = vectors()
    acc = xd.Accumulator("float64")
    acc.add(a[part], b[part])
    return acc.words


def main() -> None:
    a, b = vectors()
    single = xd.dot(a, b)
    print("1 process:  ", single.hex())
    for processes in (2, 3):
        cuts = np.linspace(0, N, processes + 1).astype(int)
        parts = [slice(start, end) for start, end in zip(cuts, cuts[1:])]
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            words = sum(pool.map(words_of, parts))
        result = float(xd.Accumulator.from_words(words))
        print(f"{processes} processes:", result.hex())
        assert result.hex() == single.hex()


if __name__ == "__main__":
    main()
