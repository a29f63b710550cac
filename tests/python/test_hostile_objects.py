"""Objects that change or lie while they are read: an exception, never memory that is not theirs.

Each case that crashed runs in the tests' own process: a crash fails the whole run.
"""

from __future__ import annotations

import array
import ctypes
import pickle
import struct
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Iterator

import exactdot as xd
import numpy as np
import pytest

from dlpack_capsules import CapsuleArray, Deleter
from lying_buffers import BufferExport

numbers = np.arange(1.0, 9.0)


class Listed(list[Any]):
    """A list whose iteration yields something else."""

    passes = 0
    yielded: Any = ()

    def __iter__(self) -> Iterator[Any]:
        self.passes += 1
        if isinstance(self.yielded, Exception):
            raise self.yielded
        return iter(self.yielded)


def listed(*yielded: Any) -> Listed:
    made = Listed([numbers, numbers])
    made.yielded = yielded
    return made


def test_lists_that_yield_other_items_than_they_hold() -> None:
    raising = listed()
    raising.yielded = LookupError("no item")
    with pytest.raises(LookupError, match="no item"):
        xd.norm(raising)
    assert xd.norm(listed()) == 0.0 and xd.norm(listed(), dtype="float32") == 0.0
    assert xd.norm(listed(np.array([3.0]))) == 3.0
    more = listed(np.array([3.0]), np.array([4.0]), np.array([12.0]))
    assert xd.norm(more) == 13.0 and more.passes == 1
    with pytest.raises(TypeError, match=r"x\[1\]"):
        xd.norm(listed(np.array([3.0]), object()))


def test_lists_that_lie_about_their_length() -> None:
    class Long(list[Any]):
        def __len__(self) -> int:
            return 10**9

    assert xd.norm(Long([np.array([3.0]), np.array([4.0])])) == 5.0


def test_a_list_that_an_item_empties() -> None:
    class Emptying:
        @property
        def __dlpack__(self) -> Any:
            items.clear()
            raise AttributeError

    for count in (1, 2, 100):
        items: list[Any] = [Emptying() for _ in range(count)]
        assert xd.norm(items) == 0.0


@pytest.mark.filterwarnings("ignore:nanobind")
@pytest.mark.parametrize("cls", [xd.Accumulator, xd.Moments])
@pytest.mark.parametrize("state", [(), ("float64",), ("float64", None, None), None, 5, [], ("float64", None),
                                   ("float63", np.zeros(138, np.int64)), (None, np.zeros(138, np.int64)),
                                   ("float64", np.zeros(137, np.int64)), ("float64", np.zeros(138)),
                                   ("float64", np.zeros(0, np.int64)), ("float64", "words"), ("int8", [10**40])])
def test_states_that_are_none(cls: type, state: Any) -> None:
    made = cls.__new__(cls)
    with pytest.raises(ValueError, match="the state is not one of __getstate__"):
        made.__setstate__(state)
    with pytest.raises(TypeError):
        repr(made)


def changed(words: np.ndarray, at: int, value: int) -> np.ndarray:
    copy = words.copy()
    copy[at] = value
    return copy


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "int8", "uint32", "int64", "uint64"])
def test_states_with_impossible_words(dtype: str) -> None:
    acc, moments = xd.Accumulator(dtype), xd.Moments(dtype)
    acc.add(np.ones(3, "int8"))
    moments.add(np.ones(3, "int8"))
    for words, at, value in [(acc.words, -1, 0), (acc.words, -1, -1), (acc.words, -1, 2**31), (acc.words, -2, -1),
                             (acc.words, 0, -1), (acc.words, 0, 2**32), (acc.words, -5, 2**62),
                             (acc.words, -5, -2**63)]:
        with pytest.raises(ValueError, match="the state is not one of"):
            xd.Accumulator.__new__(xd.Accumulator).__setstate__((dtype, changed(words, at, value)))
    for at, value, why in [(0, -1, "count is negative"), (0, 0, "count is 0"), (-5, -1, "sum of squares is negative"),
                           (0, 1, "moments of no elements"),
                           (-4, 1, "one of the sums is finite" if "float" in dtype else "not a sum")]:
        with pytest.raises(ValueError, match=why):
            xd.Moments.__new__(xd.Moments).__setstate__((dtype, changed(moments.words, at, value)))
        with pytest.raises(ValueError, match=why):
            xd.Moments.from_words(changed(moments.words, at, value), dtype)


def test_counts_do_not_wrap() -> None:
    words = xd.Moments("int8").words
    words[0] = 2**63 - 1
    full = xd.Moments.from_words(words, "int8")
    with pytest.raises(OverflowError, match="Moments: more than 2"):
        full += full
    with pytest.raises(OverflowError):
        full.add(np.zeros(1, "int8"))
    assert full.count == 2**63 - 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("cls", [xd.Accumulator, xd.Moments])
def test_damaged_pickles(cls: Any) -> None:
    made = cls("float32")
    made.add(np.arange(5, dtype="f"))
    whole = pickle.dumps(made)
    generator = np.random.default_rng(1)
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << int(generator.integers(8))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                loaded = pickle.loads(bytes(damaged))
                if isinstance(loaded, cls):
                    repr(loaded)
        except MemoryError:
            pass
        except Exception as raised:
            assert "bad_cast" not in str(raised)


@pytest.mark.filterwarnings("ignore:nanobind")
@pytest.mark.parametrize("cls", [xd.Accumulator, xd.Moments])
def test_objects_that_were_never_initialised(cls: Any) -> None:
    made, good = cls.__new__(cls), cls()
    for use in (lambda: made.copy(), lambda: repr(made), lambda: made.add([1.0]), lambda: good.merge(made),
                lambda: pickle.dumps(made), lambda: made.words, lambda: made + good, lambda: good + made,
                lambda: made.__iadd__(good)):
        with pytest.raises(TypeError):
            use()
    if cls is xd.Accumulator:
        for use in (lambda: good == made, lambda: good.subtract(made), lambda: good / made, lambda: float(made)):
            with pytest.raises(TypeError):
                use()
    with pytest.raises(TypeError):
        good.__init__("float32")
    with pytest.raises(TypeError):
        good.__setstate__(cls("float32").__getstate__())


LIES = [{"shape": None}, {"ndim": -1}, {"ndim": 65}, {"ndim": 2**31 - 1}, {"shape": (-1,)}, {"shape": (2**62,)},
        {"itemsize": 0}, {"itemsize": -8}, {"itemsize": 4}, {"format": None}, {"format": b"B"}, {"format": b""},
        {"format": b"dd"}, {"strides": (2**62,)}, {"strides": (-2**63,)}, {"buf": None}, {"len": 63}, {"len": -1},
        {"shape": (9,)}]


@pytest.mark.parametrize("lie", LIES, ids=str)
@pytest.mark.parametrize("function", [xd.sum, xd.norm, xd.max, lambda x: xd.dot(x, x), lambda x: xd.var(x, axis=0),
                                      lambda x: xd.Accumulator().add(x), lambda x: xd.sum([1.0], out=x)])
def test_buffers_that_contradict_themselves(function: Any, lie: dict[str, Any]) -> None:
    export = BufferExport(numbers, **lie)
    with pytest.raises((TypeError, ValueError)):
        function(export.exporter)
    assert export.exported == 0


def test_buffers_with_suboffsets() -> None:
    offsets = (ctypes.c_ssize_t * 1)(0)
    with pytest.raises(TypeError, match="suboffsets"):
        xd.sum(BufferExport(numbers, suboffsets=ctypes.addressof(offsets)).exporter)


def test_consistent_buffers_are_taken() -> None:
    cases: list[tuple[dict[str, Any], float]] = [
        ({}, 36.0), ({"strides": None}, 36.0), ({"readonly": 1}, 36.0), ({"strides": (0,)}, 8.0),
        ({"ndim": 0, "shape": None, "strides": None, "len": 8}, 1.0), ({"shape": (0,), "len": 0, "buf": None}, 0.0)]
    for fields, expected in cases:
        export = BufferExport(numbers, **fields)
        assert xd.sum(export.exporter) == expected and export.exported == 0


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize("lie", [{"shape": None}, {"dimensions": -1}, {"dimensions": 65}, {"dimensions": 2**31 - 1},
                                 {"length": -1}, {"length": 2**62}, {"data": None}, {"bits": 0}, {"bits": 255},
                                 {"lanes": 0}, {"lanes": 4}, {"code": 250}, {"device": 2}, {"device": 99},
                                 {"byte_offset": 2**64 - 1}], ids=str)
def test_capsules_that_contradict_themselves(lie: dict[str, Any], versioned: bool) -> None:
    made = CapsuleArray(numbers, versioned=versioned, **lie)
    for function in (xd.sum, lambda x: xd.norm([x, x]), lambda x: xd.Accumulator().add(x)):
        with pytest.raises((TypeError, ValueError)):
            function(made)
    assert made.deleted == len(made.asked) >= 3


def test_capsules_with_strides_beyond_memory() -> None:
    made = CapsuleArray(numbers)
    made.strides[0] = 2**58  # times the size of an element no small number modulo 2^64
    with pytest.raises(TypeError, match="strides beyond"):
        xd.sum(made)


def test_a_capsule_is_used_once() -> None:
    class Reused(CapsuleArray):
        capsule: Any = None

        def __dlpack__(self, **arguments: Any) -> object:
            self.capsule = self.capsule or super().__dlpack__(**arguments)
            return self.capsule

    made = Reused(numbers)
    assert xd.sum(made) == 36
    with pytest.raises(TypeError, match="unused capsule"):
        xd.sum(made)
    assert made.deleted == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_deleter_that_raises() -> None:
    made = CapsuleArray(numbers)
    made.managed.deleter = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, Deleter)  # it leaves an exception set
    assert xd.sum(made) == 36
    with pytest.raises(ValueError, match="axis"):
        xd.sum(made, axis=5)


def test_exporters_cannot_resize_during_a_call() -> None:
    for values in (array.array("d", numbers), bytearray(numbers.tobytes())):
        view = memoryview(values).cast("B").cast("d")

        class Growing:
            def __index__(self) -> int:
                with pytest.raises(BufferError):
                    values.extend(b"12345678" if isinstance(values, bytearray) else [1.0])
                return 0

        assert xd.sum(view, axis=Growing()) == 36
        del view
        values.extend(struct.pack("d", 9.0) if isinstance(values, bytearray) else [9.0])


def test_inputs_of_the_fuzz_target() -> None:
    """Some hundred, without the sanitizers that find more."""
    target = Path(__file__).parents[1] / "fuzz" / "python_target.py"
    done = subprocess.run([sys.executable, target, "--inputs", "400", "--seed", "3"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert done.stdout.startswith("400 inputs:")


def test_a_call_that_clears_its_accumulator() -> None:
    acc = xd.Accumulator()

    class Clearing(CapsuleArray):
        def __dlpack__(self, **arguments: Any) -> object:
            acc.clear()
            return super().__dlpack__(**arguments)

    acc.add([1.0])
    acc.add(Clearing(numbers))
    assert acc == 36
