"""Fuzz target: pickles, states, sequences, DLPack capsules and buffers that change or lie, given to the Python package.

python_target.py [--seconds S] [--inputs N] [--seed K] [--only I] [--kinds …] [--extension FILE] [--preload LIBRARIES]. Each
input is made from the seed and its index, so `--only` repeats one. It may raise what it likes; a crash, a SystemError, a C++ exception's name or a call
that does not end is a failure. An extension with AddressSanitizer needs the sanitizer's library preloaded, and libstdc++.
Only lies that can be seen are told: a wrong address or a length beyond the memory cannot.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import faulthandler
import importlib.util
import io
import os
import pickle
import random
import signal
import subprocess
import sys
import time
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Iterator

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import numpy as np  # noqa: E402

REDUCTIONS = ["dot", "sum", "asum", "sum_of_squares", "norm", "mean", "var", "std"]
TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
EXTREMES = [0, 1, -1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, -2**62, 2**63 - 1, -2**63, 2**33]
SECONDS_OF_AN_INPUT = 60


def rebuilt(name: str, shape: tuple[int, ...], data: bytes) -> Any:
    """An array of a pickle: NumPy's own way trusts its bytes."""
    return np.frombuffer(data, np.dtype(name)).reshape(shape).copy()


class ArrayPickler(pickle.Pickler):
    def reducer_override(self, made: Any) -> Any:
        if type(made) is np.ndarray:
            return rebuilt, (made.dtype.str, made.shape, made.tobytes())
        return NotImplemented


class SafeUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        import copyreg

        import exactdot as xd
        known = {"Accumulator": xd.Accumulator, "Moments": xd.Moments, "rebuilt": rebuilt,
                 "__newobj__": copyreg.__newobj__, "dtype": np.dtype}
        if name not in known:
            raise pickle.UnpicklingError(name)
        return known[name]


class Fuzzer:
    def __init__(self, generator: random.Random) -> None:
        import exactdot as xd
        self.xd, self.any = xd, generator
        self.keep: list[Any] = []  # what lying objects point to

    def choose(self, *choices: Any) -> Any:
        return self.any.choice(choices)

    def array(self, dtype: str = "", dimensions: int | None = None) -> np.ndarray:
        dtype = dtype or self.any.choice(TYPES)
        shape = [self.any.choice([0, 1, 2, 3, 7, 33]) for _ in range(self.any.randrange(3) if dimensions is None else dimensions)]
        count = int(np.prod(shape, dtype=int))
        raw = self.any.randbytes(count * np.dtype(dtype).itemsize) if self.any.random() < 0.5 else None
        x = np.frombuffer(raw, dtype).copy() if raw is not None else np.arange(count).astype(dtype)
        return x.reshape(shape)

    def state(self) -> Any:
        """An Accumulator or Moments with a few elements."""
        dtype = self.any.choice([*TYPES, "bfloat16"])
        made = self.any.choice([self.xd.Accumulator, self.xd.Moments])(dtype)
        source = dtype if dtype != "bfloat16" else "float16"
        for _ in range(self.any.randrange(3)):
            try:
                made.add(self.array(source, 1))
            except (TypeError, OverflowError):
                pass
        return made

    def use(self, made: Any) -> None:
        """Everything that a state offers; one that was accepted holds together."""
        words = made.words
        again = type(made).from_words(words, made.dtype)
        assert np.array_equal(again.words, words) and again.dtype == made.dtype
        for call in (lambda: repr(made), lambda: made.merge(made), lambda: made + again, lambda: made == again,
                     lambda: pickle.loads(pickle.dumps(made, self.any.randrange(6))), made.copy):
            self.attempt(call)
        if isinstance(made, self.xd.Moments):
            for name in ("mean", "var", "std", "norm"):
                self.attempt(lambda: getattr(made, name)(dtype=self.any.choice(TYPES)))
            return
        x = self.any.choice([1.5, -3, 10**30, 1e300, Fraction(1, 4), np.float32(0.1), 5e-324])
        for call in (lambda: float(made), lambda: int(made), lambda: made + x, lambda: x - made, lambda: made / x,
                     lambda: made / again, lambda: made < x, made.round_root, lambda: made.round_quotient(3),
                     lambda: made.round(self.any.choice(TYPES)), made.negate, lambda: made.subtract(again)):
            self.attempt(call)
        self.attempt(lambda: self.check_ratio(again))

    def check_ratio(self, made: Any) -> None:
        words = [int(word) for word in made.words]
        lowest = {24: -298, 138: -2148}.get(len(words), 0)
        exact = sum(Fraction(word) * Fraction(2) ** (lowest + 32 * i) for i, word in enumerate(words[:-4]))
        ratio = made.as_integer_ratio()
        if Fraction(*ratio) != exact:
            raise SystemError(f"{ratio} is not the sum of {words}")

    def attempt(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (SystemError, RecursionError):
            raise
        except Exception as raised:
            if "std::" in str(raised) or "bad_cast" in str(raised):
                raise SystemError(f"a C++ exception came through: {raised}") from raised
            return None

    def integer(self) -> int:
        return self.any.choice([*EXTREMES, self.any.randrange(-2**63, 2**63), self.any.randrange(100)])

    # the kinds of inputs

    def pickles(self) -> None:
        file = io.BytesIO()
        ArrayPickler(file, self.any.randrange(6)).dump(self.state())
        data = bytearray(file.getvalue())
        for _ in range(self.any.randrange(4)):
            at = self.any.randrange(len(data))
            kind = self.any.randrange(5)
            if kind == 0:
                data[at] ^= 1 << self.any.randrange(8)
            elif kind == 1:
                data[at] = self.any.randrange(256)
            elif kind == 2:
                del data[at:at + self.any.randrange(1, 9)]
            elif kind == 3:
                data[at:at] = self.any.randbytes(self.any.randrange(1, 9))
            else:
                data[at:at + 8] = self.integer().to_bytes(8, "little", signed=True)
            if not data:
                return
        # a memo index or a length of gigabytes is Python's to allocate, not ours to judge
        if any(code in data for code in (b"r\xff", b"j\xff")):
            return
        made = self.attempt(lambda: SafeUnpickler(io.BytesIO(bytes(data))).load())
        if isinstance(made, (self.xd.Accumulator, self.xd.Moments)):
            self.attempt(lambda: self.use(made))

    def words(self, source: np.ndarray) -> Any:
        words = source.copy()
        for _ in range(self.any.randrange(4)):
            words.reshape(-1)[self.any.randrange(words.size)] = self.integer()
        if self.any.random() < 0.2:
            words = words.reshape(-1)[:self.any.randrange(words.size + 1)]
        if self.any.random() < 0.1:
            with np.errstate(all="ignore"):
                words = words * self.any.choice([2, 3, 2**31 - 1, -1])
        kind = self.any.randrange(12)
        if kind == 0:
            return words.astype(self.any.choice([">i8", "i4", "u8", "f8", object]))
        if kind == 1:
            return np.repeat(words, 2)[::2]
        if kind == 2:
            return words.reshape(-1).tolist()
        if kind == 3:
            return np.ma.masked_array(words, words == 0)
        if kind == 4:
            return self.choose(None, "words", 5, [10**40], [[1, 2], [3]], b"12345678", iter([1]))
        return words

    def states(self) -> None:
        good = self.state()
        dtype = self.any.choice([good.dtype, good.dtype, *TYPES, None, "f9", 5, "\0", "é"])
        words = self.words(good.words)
        made = self.attempt(lambda: type(good).from_words(words, dtype))
        if made is not None:
            self.use(made)
        state = self.choose((dtype, words), (good.dtype, words), (words,), [dtype, words], (dtype, words, 1), (words, dtype), None, ())
        empty = type(good).__new__(type(good))
        self.attempt(lambda: empty.__setstate__(state))
        self.attempt(lambda: repr(empty))
        self.attempt(lambda: good.merge(empty))
        self.attempt(lambda: good == empty)
        self.attempt(lambda: empty.__iadd__(good))

    def state_arrays(self) -> None:
        xd, what, dtype = self.xd, self.any.choice(REDUCTIONS), self.any.choice(TYPES)
        compact = self.any.random() < 0.5
        x = self.array(dtype, 2)
        words = self.attempt(lambda: xd.states(what, x, x if what == "dot" else None, axis=self.choose(0, 1, None), compact=compact))
        if words is None or words.size == 0:
            return
        given = self.words(words)
        name, of = self.choose(what, what, *REDUCTIONS), self.choose(dtype, dtype, *TYPES)
        self.attempt(lambda: xd.round_states(given, name, of, finish=self.choose(None, None, *REDUCTIONS),
                                             dtype=self.choose(None, *TYPES), ddof=self.choose(0, 1, self.integer())))
        self.attempt(lambda: xd.convert_states(given, name, of, compact=self.choose(True, False)))
        again = self.attempt(lambda: xd.normalise_states(given, name, of))
        if again is not None and not np.array_equal(xd.normalise_states(again, name, of), again):
            raise SystemError("normal words are not normal")

    def call(self, x: Any, in_lists: bool = True) -> None:
        """One of the functions, with this object in one of its places."""
        xd, good = self.xd, self.array("float64", 1)
        function = self.any.randrange(13)
        reductions = [xd.sum, xd.asum, xd.norm, xd.mean, xd.var, xd.std, xd.min, xd.max, xd.argmin, xd.sum_of_squares]
        if function < 4:
            options = self.choose({}, {"axis": 0}, {"axis": None}, {"mode": "fast"}, {"keepdims": True}, {"dtype": "float32"})
            self.attempt(lambda: self.any.choice(reductions)(x, **options))
        elif function == 4:
            self.attempt(lambda: xd.dot(x, self.choose(x, good)))
        elif function == 5 and in_lists:
            self.attempt(lambda: xd.norm(self.choose([x, x], [good, x], (x, good))))
        elif function == 6:
            self.attempt(lambda: xd.sum(good, out=x))
        elif function == 7:
            self.attempt(lambda: xd.sum(good, axis=x))
        elif function == 8:
            self.attempt(lambda: self.any.choice([xd.group_sum, xd.group_max, xd.group_var])(good, x, self.choose(None, 5)))
        elif function == 9:
            self.attempt(lambda: self.any.choice([xd.segment_sum, xd.segment_min])(good, x))
        elif function == 10:
            state = self.state()
            self.attempt(lambda: state.add(x))
            self.attempt(lambda: state.subtract(x))
            self.attempt(lambda: state + x)
            self.attempt(lambda: state == x)
            self.attempt(lambda: state / x)
        elif function in (5, 11):
            self.attempt(lambda: xd.matvec(x, good))
        else:
            self.attempt(lambda: xd.states("sum", x, axis=0))
            self.attempt(lambda: xd.group_states("sum", good, x, 5))
            self.attempt(lambda: xd.segment_states("sum", good, x))

    def item(self) -> Any:
        fuzzer, held = self, self.keep

        class Item:
            """An element whose methods change the sequence that holds it, raise or lie."""

            def act(self) -> None:
                kind = fuzzer.any.randrange(6)
                if kind == 0 and held and isinstance(held[-1], list):
                    list.clear(held[-1])
                elif kind == 1 and held and isinstance(held[-1], list):
                    list.extend(held[-1], [1.0] * 50)
                elif kind == 2:
                    raise fuzzer.choose(LookupError("item"), TypeError("item"), ValueError("item"), AttributeError("item"))

            def __float__(self) -> Any:
                self.act()
                return fuzzer.choose(1.5, float("nan"), "1")

            def __index__(self) -> Any:
                self.act()
                return fuzzer.choose(0, 1, -1, 10**30, 2**63 - 1)

            def __len__(self) -> Any:
                self.act()
                return fuzzer.choose(0, 3, 10)

            def __getitem__(self, _: Any) -> Any:
                self.act()
                return fuzzer.choose(1.0, None, self)

            def __getattr__(self, name: str) -> Any:
                if name in ("__array_struct__", "__array_ufunc__"):
                    raise AttributeError(name)  # NumPy trusts what these say
                self.act()
                return fuzzer.choose(None, 5, "x", (1, 0), lambda *_, **__: fuzzer.choose(None, (1, 0), (2, 0), 5), fuzzer.array())

            if fuzzer.any.random() < 0.5:
                def __dlpack__(self, **_: Any) -> Any:
                    self.act()
                    return fuzzer.choose(None, 5, fuzzer.capsule().__dlpack__())

                def __dlpack_device__(self) -> Any:
                    self.act()
                    return fuzzer.choose((1, 0), (2, 0), (1,), None, ("1", 0), (10**30, 0), [1, 0])
            elif fuzzer.any.random() < 0.5:
                @property
                def __cuda_array_interface__(self) -> Any:
                    self.act()
                    return {"typestr": fuzzer.choose("<f8", "<f9", "", 5, "|V2", "<\xff8"), "version": 3,
                            "shape": fuzzer.choose((0,), (), (-1,), (2**62,), (1,) * 70, 5, (0.5,), (0,) * 65),
                            "data": fuzzer.choose((0, False), (0,), (), None, (-1, 0), (2**70, 1)),
                            "strides": fuzzer.choose(None, (), (8,), (2**62,), 5), "stream": fuzzer.choose(None, -1, 0, "s"),
                            "mask": fuzzer.choose(None, None, 1)}
            elif fuzzer.any.random() < 0.5:
                def __array__(self, *_: Any, **__: Any) -> Any:
                    self.act()
                    return fuzzer.choose(None, 5, fuzzer.array(), np.array([self], object), np.ma.masked_array([1.0], [True]))

        return Item()

    def sequences(self) -> None:
        fuzzer = self
        items = [self.choose(1, 2.5, 10**30, None, "x", self.array(), self.item(), [1.0], np.float32(1)) for _ in range(self.any.randrange(6))]

        class Lying(self.choose(list, tuple)):  # type: ignore[misc]
            def __iter__(self) -> Iterator[Any]:
                kind = fuzzer.any.randrange(6)
                if kind == 0:
                    raise LookupError("iter")
                if kind == 1:
                    return iter([])
                if kind == 2:
                    return iter([fuzzer.array(), fuzzer.item(), 1.0] * 5)
                if kind == 3:
                    return fuzzer.choose(None, 5)
                return super().__iter__()

            def __len__(self) -> int:
                return int(fuzzer.choose(super().__len__(), 0, 1, 100, 2**40))

            def __getitem__(self, at: Any) -> Any:
                return fuzzer.choose(super().__getitem__(at), 1.0, None)

        if self.any.random() < 0.3:
            items.insert(0, self.array())
        made = self.choose(items, tuple(items), Lying(items), self.item())
        self.keep.append(made)
        self.call(made)

    def layout(self) -> tuple[np.ndarray, int, list[int], list[int], str]:
        """Memory, an offset, a shape and strides in elements that stay within it, and a type."""
        dtype = self.any.choice(TYPES)
        memory = np.arange(4096).astype(dtype)
        self.keep.append(memory)
        shape = [self.any.choice([0, 1, 2, 5, 12]) for _ in range(self.any.randrange(4))]
        strides = [self.any.choice([0, 1, -1, 3, -7, 40]) for _ in shape]
        return memory, 2048, shape, strides, dtype

    def capsule(self) -> Any:
        from dlpack_capsules import CapsuleArray
        memory, offset, shape, strides, _ = self.layout()
        lies: list[dict[str, Any]] = [
            {"shape": None}, {"dimensions": -1}, {"dimensions": 65}, {"dimensions": 2**31 - 1}, {"data": None}, {"bits": 0},
            {"bits": 255}, {"lanes": 0}, {"lanes": 7}, {"code": 200}, {"device": 2}, {"device": 99}, {"byte_offset": 2**64 - 8},
            {"major": 2}, {"flags": 2**64 - 1}, {"code": 6}, {"code": 4}]
        fields = dict(self.any.choice(lies)) if self.any.random() < 0.6 else {}
        versioned = self.any.random() < 0.5
        if not versioned:
            fields.pop("major", None), fields.pop("flags", None)
        lengths, steps = (ctypes.c_int64 * 80)(*[1] * 80), (ctypes.c_int64 * 80)(*[0] * 80)
        lengths[:len(shape)], steps[:len(shape)] = shape, strides
        if self.any.random() < 0.1:
            self.any.choice([lengths, steps])[0] = self.any.choice([-1, -2**63, 2**63 - 1, 2**60])
            if not shape or lengths[0] > 2**59 and steps[0] == 0:
                steps[0] = 1
        made = CapsuleArray(memory, versioned=versioned, dlpack_device=self.choose((1, 0), (1, 0), (1, 0), (2, 0), (3, 0)),
                            **({"dimensions": len(shape), "shape": ctypes.addressof(lengths),
                                "strides": ctypes.addressof(steps), "data": memory.ctypes.data + offset * memory.itemsize} | fields))
        self.keep += [lengths, steps, made]
        if self.any.random() < 0.1:
            made.managed.deleter = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, type(made.managed.deleter))
        return made

    def capsules(self) -> None:
        self.call(self.capsule())

    def buffers(self) -> None:
        from lying_buffers import BufferExport
        memory, offset, shape, strides, _ = self.layout()
        count = int(np.prod(shape, dtype=int))
        fields: dict[str, Any] = {
            "ndim": len(shape), "shape": tuple(shape) or None, "strides": tuple(step * memory.itemsize for step in strides) or None,
            "buf": memory.ctypes.data + offset * memory.itemsize, "len": count * memory.itemsize}
        lies: list[dict[str, Any]] = [
            {"shape": None}, {"ndim": -1}, {"ndim": 65}, {"ndim": 2**31 - 1}, {"shape": (-1,) * 4}, {"shape": (2**62,) * 4},
            {"itemsize": 0}, {"itemsize": -1}, {"itemsize": 2**62}, {"format": None}, {"format": b""}, {"format": b"Zd"},
            {"format": self.any.randbytes(3).replace(b"\0", b"x")}, {"strides": (2**62,) * 4}, {"strides": (-2**63,) * 4},
            {"buf": None}, {"len": -1}, {"len": 2**62}, {"suboffsets": memory.ctypes.data}]
        if self.any.random() < 0.6:
            fields |= self.any.choice(lies)
        export = BufferExport(memory, **fields)
        self.keep.append(export)
        self.call(export.exporter, in_lists=False)  # NumPy would read them, and not survive it
        if export.exported != 0:
            raise SystemError(f"{export.exported} exports were not released")

    kinds = ("pickles", "states", "state_arrays", "sequences", "capsules", "buffers")

    def run(self, kinds: tuple[str, ...] = kinds) -> str:
        kind = self.any.choice(kinds)
        self.attempt(getattr(self, kind))
        return kind


def load_extension(file: str) -> None:
    """Makes this file the compiled part of the package, whose source lies beside the tests."""
    spec = importlib.util.spec_from_file_location("exactdot._engine", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    sys.path.insert(0, str(Path(__file__).parents[2] / "python"))


def run_inputs(options: argparse.Namespace, progress: Any) -> None:
    faulthandler.enable()
    if options.extension:
        load_extension(options.extension)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    sys.unraisablehook = lambda _: None
    end, counts = time.monotonic() + options.seconds, collections.Counter[str]()
    first = options.only if options.only is not None else 0
    last = first + 1 if options.only is not None else options.inputs
    for index in range(first, last):
        if time.monotonic() > end and options.only is None:
            break
        progress.seek(0)
        progress.write(f"{index:12}")
        progress.flush()
        signal.alarm(SECONDS_OF_AN_INPUT)
        counts[Fuzzer(random.Random(f"{options.seed} {index}")).run(tuple(options.kinds))] += 1
    signal.alarm(0)
    print(f"{sum(counts.values())} inputs:", ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--inputs", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--kinds", nargs="+", default=Fuzzer.kinds, choices=Fuzzer.kinds)
    parser.add_argument("--extension", help="default: that of the installed package")
    parser.add_argument("--preload", default="", help="libraries, separated by commas")
    parser.add_argument("--progress", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.progress:
        with open(options.progress, "w") as progress:
            run_inputs(options, progress)
        return 0
    progress_file = Path(os.environ.get("TMPDIR", "/tmp")) / f"python_target.{os.getpid()}"
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1", "PYTHONMALLOC": "malloc"}
    if options.preload:
        environment["LD_PRELOAD"] = options.preload.replace(",", " ")
    status = subprocess.run([sys.executable, *sys.argv, "--progress", str(progress_file)], env=environment).returncode
    if status != 0:
        print(f"failed with status {status}; --seed {options.seed} --only {progress_file.read_text().strip()} repeats it")
    progress_file.unlink(missing_ok=True)
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
