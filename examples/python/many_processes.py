"""An exact dot product computed by several processes, with the bits of a single process.

Each process returns the 138 words of its accumulator; their sum is the accumulator of the whole dot product. Prints the
same bits three times. A sum of the processes' rounded results, even by math.fsum, would not be correctly rounded.
"""

import multiprocessing

import exactdot as xd
import numpy as np

N = 200_000


def vectors() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    a = generator.standard_normal(N) * 2.0 ** generator.integers(-300, 300, N)
    return a, np.concatenate([a[N // 2 :], -a[: N // 2]]) * 1.1


def words_of(share: slice) -> np.ndarray:
    """The words of one process. A real program would read only its share of the data."""
    a, b = vectors()
    acc = xd.Accumulator("float64")
    acc.add(a[share], b[share])
    return acc.words


def main() -> None:
    a, b = vectors()
    single = xd.dot(a, b)
    print("1 process:  ", single.hex())
    for processes in (2, 3):
        cuts = np.linspace(0, N, processes + 1).astype(int)
        shares = [slice(start, end) for start, end in zip(cuts, cuts[1:])]
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            words = sum(pool.map(words_of, shares))
        result = float(xd.Accumulator.from_words(words))
        print(f"{processes} processes:", result.hex())
        assert result.hex() == single.hex()


if __name__ == "__main__":
    main()
