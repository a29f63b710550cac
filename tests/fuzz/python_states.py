"""Inputs of python_target.py: damaged pickles, states and words. One that is accepted must hold together."""

from __future__ import annotations

import io
import pickle
import pickletools
from fractions import Fraction
from typing import Any

import numpy as np

from python_fuzzer import REDUCTIONS, TYPES, Fuzzer


def has_large_memo(data: bytes) -> bool:
    """Whether Python would allocate a table of gigabytes for an index of its memo."""
    try:
        return any("PUT" in code.name and int(index) > 10**6 for code, index, _ in pickletools.genops(data))
    except Exception:  # the end of what Python reads
        return False


class SafeUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        import copyreg

        import exactdot as xd
        known = {"Accumulator": xd.Accumulator, "Moments": xd.Moments, "__newobj__": copyreg.__newobj__}
        if name not in known:
            raise pickle.UnpicklingError(name)
        return known[name]


class States(Fuzzer):
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

    def pickles(self) -> None:
        data = bytearray(pickle.dumps(self.state(), self.any.randrange(6)))
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
        if has_large_memo(bytes(data)):
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
        state = self.choose((dtype, words), (good.dtype, words), (words,), [dtype, words], (dtype, words, 1),
                            (words, dtype), None, ())
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
        other, axis = x if what == "dot" else None, self.choose(0, 1, None)
        words = self.attempt(lambda: xd.states(what, x, other, axis=axis, compact=compact))
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
