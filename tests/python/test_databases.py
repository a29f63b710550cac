"""The examples that keep words in a database or a data frame: a partition that is missing, or that counts twice, changes
results. The examples themselves compare with one pass over all rows; test_documents.py runs them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples/python"


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def filled(database: Any, program: Any, parts: int) -> dict[str, np.ndarray]:
    data = program.rows()
    database.execute(program.SCHEMA)
    for name, x in data.items():
        for part, elements in enumerate(np.array_split(x, parts)):
            program.store(database, part, name, elements)
    program.check(database, data)
    return data  # type: ignore[no-any-return]


@pytest.mark.parametrize("damage", ["DELETE FROM words WHERE part = 2 AND name = 'north'",
                                    "UPDATE words SET word = 2 * word WHERE part = 2 AND name = 'north'",
                                    "UPDATE words SET word = word + 1 WHERE part = 2 AND position = 137"])
def test_a_damaged_partition_is_found(damage: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    program = example("database")
    with duckdb.connect() as database:
        data = filled(database, program, 4)
        database.execute(damage)
        with pytest.raises((AssertionError, ValueError, OverflowError)):
            program.check(database, data)


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(threads: int) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        database.execute(f"SET threads = {threads}")
        filled(database, example("database"), 6)


@pytest.mark.parametrize("frame", ["pyarrow", "polars"])
def test_a_lost_batch_changes_results(frame: str) -> None:
    pytest.importorskip(frame)
    program = example("data_frames")
    keys, x = program.rows()
    batches = [program.columns_of_words(*part) for part in zip(np.array_split(keys, 5), np.array_split(x, 5))]
    whole = program.FRAMES[frame](batches)
    assert program.FRAMES[frame](batches[::-1]) == whole
    lost = program.FRAMES[frame](batches[:-1])
    assert all(lost[key] != whole[key] for key in whole)
