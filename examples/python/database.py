"""Exact sums in SQL: a database keeps the words of each partition, and SUM merges them.

Sums, means and variances by key have the bits of one pass over all rows, whatever the partitions, their order and the
number of threads of the database; SUM over doubles does not even give the same bits twice. A partition that is loaded
again replaces its words, so nothing is counted twice. Needs DuckDB (pip install duckdb); any SQL engine with a SUM of
64-bit integers does the same.
"""

from __future__ import annotations

from typing import Any

import exactdot as xd
import numpy as np

KEYS = ("north", "south")
ROWS = 30_000
SCHEMA = "CREATE TABLE words (part INTEGER, name TEXT, position INTEGER, word BIGINT, PRIMARY KEY (part, name, position))"
# SUM of BIGINT is wider in DuckDB; sums of words of up to 2^31 - 1 partitions fit into 64 bits
MERGE = "SELECT CAST(SUM(word) AS BIGINT) FROM words WHERE name = ? GROUP BY position ORDER BY position"


def rows() -> dict[str, np.ndarray]:
    """The elements of each key: large ones that cancel, beside small ones."""
    generator = np.random.default_rng(1)
    found = {}
    for key in KEYS:
        x = generator.standard_normal(ROWS) * 10.0 ** generator.integers(-8, 12, ROWS)
        x[ROWS // 2 :] = -x[: ROWS // 2] * (1 + 1e-12)
        found[key] = generator.permutation(x)
    return found


def store(database: Any, part: int, name: str, x: np.ndarray) -> None:
    """Writes the words of a partition; those of an earlier load of it are replaced."""
    moments = xd.Moments("float64")
    moments.add(x)
    frame = [(part, name, position, int(word)) for position, word in enumerate(moments.words)]
    database.execute("DELETE FROM words WHERE part = ? AND name = ?", [part, name])
    database.executemany("INSERT INTO words VALUES (?, ?, ?, ?)", frame)


def merged(database: Any, name: str) -> xd.Moments:
    words = [word for (word,) in database.execute(MERGE, [name]).fetchall()]
    return xd.Moments.from_words(np.array(words, np.int64))


def check(database: Any, expected: dict[str, np.ndarray]) -> None:
    for name, x in expected.items():
        found = merged(database, name)
        assert len(x) == found.count
        assert found.mean() == xd.mean(x) and found.var(ddof=1) == xd.var(x, ddof=1) and found.norm() == xd.norm(x)


def main() -> None:
    try:
        import duckdb
    except ImportError:
        print("skipped: DuckDB is not installed")
        return
    data = rows()
    for parts in (1, 3, 10):
        with duckdb.connect() as database:
            database.execute(SCHEMA)
            for part in np.random.default_rng(parts).permutation(parts):  # partitions arrive in any order
                for name, x in data.items():
                    store(database, int(part), name, np.array_split(x, parts)[part])
            check(database, data)
            store(database, 0, KEYS[0], np.array_split(data[KEYS[0]], parts)[0])  # loaded again: not counted twice
            check(database, data)
            print(f"{parts:2} partitions:", *(f"{name} {merged(database, name).mean()!r}" for name in KEYS))


if __name__ == "__main__":
    main()
