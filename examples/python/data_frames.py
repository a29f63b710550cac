"""Exact sums by group in data frames: a column of words, which the frame's own sum of 64-bit integers merges.

Each batch of a stream makes one row of words per group and position; `group_by` and `sum` merge them. The results have
the bits of one pass over all rows, whatever the batches. Runs with PyArrow and with Polars, where they are installed.
"""

from __future__ import annotations

import importlib
from typing import Any

import exactdot as xd
import numpy as np

GROUPS, ROWS = 3, 20_000


def rows() -> tuple[np.ndarray, np.ndarray]:
    """Keys and values; the values cancel."""
    generator = np.random.default_rng(2)
    x = generator.standard_normal(ROWS) * 10.0 ** generator.integers(-8, 12, ROWS)
    x[ROWS // 2 :] = -x[: ROWS // 2] * (1 + 1e-12)
    return generator.integers(0, GROUPS, ROWS), generator.permutation(x)


def columns_of_words(keys: np.ndarray, x: np.ndarray) -> dict[str, np.ndarray]:
    """A batch as columns: the group, the position, the word."""
    columns: dict[str, list[np.ndarray]] = {"key": [], "position": [], "word": []}
    for key in np.unique(keys):
        acc = xd.Accumulator("float64")
        acc.add(x[keys == key])
        words = acc.words
        columns["key"].append(np.full(len(words), key))
        columns["position"].append(np.arange(len(words)))
        columns["word"].append(words)
    return {name: np.concatenate(parts) for name, parts in columns.items()}


def sums_with_pyarrow(batches: list[dict[str, np.ndarray]]) -> dict[int, float]:
    arrow: Any = importlib.import_module("pyarrow")
    table = arrow.concat_tables([arrow.table(batch) for batch in batches])
    merged = table.group_by(["key", "position"]).aggregate([("word", "sum")]).sort_by("position").to_pydict()
    return rounded(merged["key"], merged["word_sum"])


def sums_with_polars(batches: list[dict[str, np.ndarray]]) -> dict[int, float]:
    polars: Any = importlib.import_module("polars")
    table = polars.concat([polars.DataFrame(batch) for batch in batches])
    merged = table.group_by("key", "position").agg(polars.col("word").sum()).sort("position")
    return rounded(merged["key"].to_list(), merged["word"].to_list())


def rounded(keys: list[int], words: list[int]) -> dict[int, float]:
    """The words of every group, by position, rounded."""
    found: dict[int, list[int]] = {}
    for key, word in zip(keys, words):
        found.setdefault(key, []).append(word)
    return {key: float(xd.Accumulator.from_words(np.array(of, np.int64))) for key, of in sorted(found.items())}


FRAMES = {"pyarrow": sums_with_pyarrow, "polars": sums_with_polars}


def main() -> None:
    keys, x = rows()
    expected = {group: xd.sum(x[keys == group]) for group in range(GROUPS)}
    missing = []
    for name, sums in FRAMES.items():
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
            continue
        for batches in (1, 4, 25):
            parts = zip(np.array_split(keys, batches), np.array_split(x, batches))
            assert sums([columns_of_words(*part) for part in parts]) == expected, f"{name}, {batches} batches"
        print(f"{name}: the bits of one pass, of 1, 4 and 25 batches")
    if len(missing) == len(FRAMES):
        print("skipped: neither", " nor ".join(missing), "is installed")


if __name__ == "__main__":
    main()
