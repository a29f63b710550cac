"""States as int64 arrays: shards in any order have the bits of the whole, and the words of Accumulator and Moments."""

from __future__ import annotations

from typing import Any

import exactdot as xd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from element_types import FLOATS, INTEGERS, samples, vectors

REDUCTIONS = ["dot", "sum", "asum", "sum_of_squares", "norm", "mean", "var", "std"]
FINISHES = {"sum_of_squares": ["norm"], "norm": ["sum_of_squares"], "mean": ["sum"],
            "var": ["std", "mean", "sum", "sum_of_squares", "norm"], "std": ["var", "norm"]}


def bits(x: Any) -> bytes:
    return np.ascontiguousarray(x).tobytes()


def arguments(reduction: str, x: np.ndarray) -> tuple[np.ndarray, ...]:
    return (x, x[..., ::-1]) if reduction == "dot" else (x,)


def whole(reduction: str, x: np.ndarray) -> np.ndarray:
    """The results of the rows of x."""
    return xd.vecdot(*arguments("dot", x)) if reduction == "dot" else getattr(xd, reduction)(x, axis=1)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_shards_are_the_whole(reduction: str, dtype: str) -> None:
    x = samples(dtype, 60).reshape(3, 20)
    rng = np.random.default_rng(1)
    for compact in (False, True):
        shards = [slice(0, 7), slice(7, 7), slice(7, 20)]
        rng.shuffle(shards)
        words = np.zeros((3, xd.state_words(reduction, dtype, compact)), np.int64)
        for shard in shards:
            parts = (each[:, shard] for each in arguments(reduction, x))
            words += xd.states(reduction, *parts, axis=1, compact=compact)
        found = xd.round_states(words, reduction, dtype)
        expected = whole(reduction, x)
        assert found.dtype == expected.dtype and bits(found) == bits(expected)
        for finish in FINISHES.get(reduction, []):
            assert bits(xd.round_states(words, reduction, dtype, finish=finish)) == bits(whole(finish, x))
        once = xd.states(reduction, *arguments(reduction, x), axis=-1, compact=compact, threads=3)
        assert bits(xd.normalise_states(words, reduction, dtype)) == bits(once)
        other = xd.convert_states(words, reduction, dtype, compact=not compact)
        assert bits(other) == bits(xd.states(reduction, *arguments(reduction, x), axis=1, compact=not compact))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_words_of_accumulators(dtype: str) -> None:
    x = samples(dtype, 30)
    accumulator, moments = xd.Accumulator(dtype), xd.Moments(dtype)
    accumulator.add(x), moments.add(x)
    assert bits(xd.states("sum", x)) == bits(accumulator.words)
    assert bits(xd.states("var", x)) == bits(moments.words)


@given(st.data())
def test_any_shards_of_groups(data: st.DataObject) -> None:
    x = data.draw(vectors(["float32", "float64", "float16"]))
    groups = data.draw(st.integers(1, 4))
    keys = np.array(data.draw(st.lists(st.integers(0, groups - 1), min_size=len(x), max_size=len(x))), "i8")
    reduction = data.draw(st.sampled_from(["sum", "norm", "mean", "var"]))
    compact = data.draw(st.booleans())
    border = data.draw(st.integers(0, len(x)))
    words = sum(xd.group_states(reduction, x[part], keys[part], groups, compact=compact)
                for part in (slice(border, None), slice(None, border)))
    found = xd.round_states(words, reduction, x.dtype)
    assert bits(found) == bits(getattr(xd, f"group_{reduction}")(x, keys, groups))


def test_segments_and_columns_of_groups() -> None:
    x = np.arange(12, dtype="f4").reshape(6, 2)
    words = xd.segment_states("dot", x[:, 0], np.array([0, 2, 2, 6], "u4"), x[:, 1])
    assert bits(xd.round_states(words, "dot", "f4")) == bits(xd.segment_dot(x[:, 0], x[:, 1], [0, 2, 2, 6]))
    keys = [2, 0, 0, 2, 5, -1]
    words = xd.group_states("mean", x, keys, 3, skip_out_of_range=True)
    assert words.shape == (3, 2, 25)
    expected = xd.group_mean(x, keys, 3, skip_out_of_range=True)
    assert bits(xd.round_states(words, "mean", "f4")) == bits(expected)
    words = xd.group_states("dot", x, np.abs(keys), 6, b=x[::-1])
    assert words.shape == (6, 2, 24)
    assert bits(xd.round_states(words, "dot", "f4")) == bits(xd.group_dot(x, x[::-1], np.abs(keys)))


def test_shapes() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    assert xd.states("sum", x).shape == (138,)
    assert xd.round_states(xd.states("sum", x), "sum", float) == 276.0
    assert xd.states("sum", x, axis=(0, 2), compact=True).shape == (3, 73)
    assert xd.states("sum", x[:0], axis=1).shape == (0, 4, 138)
    assert xd.round_states(xd.states("sum", x[:0], axis=1), "sum", float).shape == (0, 4)
    dots = xd.states("dot", x, np.ones(4), axis=-1)
    assert bits(xd.round_states(dots, "dot", float)) == bits(xd.sum(x, axis=-1))
    assert bits(xd.states("sum", x, axis=0)) == bits(xd.states("sum", x.astype(">f8"), axis=0))
    assert xd.round_states(xd.states("sum", [1, 2]), "sum", "int64", dtype="float32") == 3.0
    assert xd.round_states(np.zeros(24, np.int64), "sum", "f4") == 0.0
    assert xd.round_states(np.asfortranarray(xd.states("sum", x, axis=0)), "sum", float).shape == (3, 4)


def test_bfloat16() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1, 2, 3.5], ml_dtypes.bfloat16)
    words = xd.states("sum", x, compact=True)
    assert words.shape == (15,)
    assert xd.round_states(words, "sum", "bfloat16") == 6.5
    assert xd.round_states(words[None], "sum", x.dtype).dtype == x.dtype


def refuses(kind: type[Exception], phrase: str, call: Any, *given: Any, **keywords: Any) -> None:
    with pytest.raises(kind, match=phrase) as raised:
        call(*given, **keywords)
    assert str(raised.value).startswith(call.__name__)


def test_errors() -> None:
    x = np.ones((2, 3), "f4")
    words = xd.states("sum", x, axis=1)
    refuses(ValueError, 'reduction is max; use "dot"', xd.states, "max", x)
    refuses(ValueError, "reduction is 5", xd.states, 5, x)
    refuses(TypeError, "pass b", xd.states, "dot", x)
    refuses(TypeError, 'b is for "dot" only', xd.states, "sum", x, x)
    refuses(ValueError, "states are of one element type", xd.states, "dot", x, x.astype("f8"))
    refuses(ValueError, "cannot be broadcast", xd.states, "dot", x, np.ones(2, "f4"))
    refuses(ValueError, "axis is 2", xd.states, "sum", x, axis=2)
    refuses(TypeError, "complex", xd.states, "sum", x.astype(complex))
    refuses(ValueError, "threads is -1", xd.states, "sum", x, threads=-1)
    refuses(ValueError, "offset 1 is 9", xd.segment_states, "sum", x[0], [0, 9])
    refuses(ValueError, "there is no offset", xd.segment_states, "sum", x[0], [])
    refuses(ValueError, "one dimension|1-D array", xd.segment_states, "sum", x, [0, 1])
    refuses(TypeError, "holds float64", xd.group_states, "sum", x, [0.0, 1.0], 2)
    refuses(ValueError, "key 1 is 7", xd.group_states, "sum", x, [0, 7], 2)
    refuses(ValueError, "groups is -1", xd.group_states, "sum", x, [0, 7], -1)
    refuses(ValueError, "numbers of elements and of keys differ", xd.group_states, "sum", x, [0], 2)
    refuses(TypeError, "words is of float64", xd.round_states, words.astype(float), "sum", "f4")
    refuses(TypeError, "words is no array", xd.round_states, 5, "sum", "f4")
    refuses(ValueError, "the last axis has 24 words; .* 138, or 73", xd.round_states, words, "sum", "f8")
    refuses(ValueError, "states of sum have no norm|have no nrm2", xd.round_states, words, "sum", "f4", finish="norm")
    refuses(ValueError, "ddof is -1", xd.round_states, xd.states("var", x), "var", "f4", ddof=-1)
    refuses(TypeError, "ddof is 1; use a number", xd.round_states, xd.states("var", x), "var", "f4", ddof="1")
    refuses(ValueError, "threads is .*, beyond 64 bits", xd.group_states, "sum", x, [0, 1], 2, threads=2**70)
    refuses(TypeError, "groups is None; pass the number of groups", xd.group_states, "sum", x, [0, 1], None)
    refuses(TypeError, "groups", xd.group_states, "sum", x, [0, 1])
    refuses(TypeError, "threads is None; use an integer", xd.states, "sum", x, threads=None)
    refuses(ValueError, "cannot be rounded to int64", xd.round_states, words, "sum", "f4", dtype="int64")
    wrong = words.copy()
    wrong[1, 2] = -5
    refuses(ValueError, "state 1: these words are not a sum", xd.round_states, wrong, "sum", "f4")
    refuses(ValueError, "state 1: these words are not a sum", xd.normalise_states, wrong, "sum", "f4")
    refuses(TypeError, "words are a masked array", xd.round_states, np.ma.array(words, mask=True), "sum", "f4")
    refuses(TypeError, "words are a masked array", xd.convert_states, np.ma.array(words), "sum", "f4", compact=True)
    of_integers = xd.states("sum", np.array([3, 4], "i4"))
    of_integers[-4] = 1  # a NaN
    refuses(ValueError, "state 0: these words are not a sum", xd.round_states, of_integers, "sum", "i4")
    tiny = xd.states("sum", np.array([2.0**-149], "f4"))
    refuses(ValueError, "does not fit into the compact form", xd.convert_states, tiny, "sum", "float16", compact=True)
    large = xd.states("sum", np.array([2**63 - 1, 1]))
    refuses(OverflowError, "state 0: the sum does not fit", xd.round_states, large, "sum", "int64")


def test_a_dropped_shard_shows() -> None:
    x = samples("float32", 40)
    words = xd.states("sum", x[:20]) + xd.states("sum", x[21:])
    assert bits(xd.normalise_states(words, "sum", "f4")) != bits(xd.states("sum", x))
