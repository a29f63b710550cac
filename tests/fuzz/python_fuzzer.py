"""What the inputs of python_target.py share: seeded choices, calls that may raise, calls with an object in any place."""

from __future__ import annotations

import random
from typing import Any, Callable

import numpy as np

TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REDUCTIONS = ["dot", "sum", "asum", "sum_of_squares", "norm", "mean", "var", "std"]
EXTREMES = [0, 1, -1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, -2**62, 2**63 - 1, -2**63, 2**33]


class Fuzzer:
    def __init__(self, generator: random.Random) -> None:
        import exactdot as xd  # after the target has chosen the extension
        self.xd, self.any = xd, generator
        self.keep: list[Any] = []  # what lying objects point to

    def choose(self, *choices: Any) -> Any:
        return self.any.choice(choices)

    def array(self, dtype: str = "", dimensions: int | None = None) -> np.ndarray:
        dtype = dtype or self.any.choice(TYPES)
        count_of_axes = self.any.randrange(3) if dimensions is None else dimensions
        shape = [self.any.choice([0, 1, 2, 3, 7, 33]) for _ in range(count_of_axes)]
        count = int(np.prod(shape, dtype=int))
        raw = self.any.randbytes(count * np.dtype(dtype).itemsize) if self.any.random() < 0.5 else None
        x = np.frombuffer(raw, dtype).copy() if raw is not None else np.arange(count).astype(dtype)
        return x.reshape(shape)

    def integer(self) -> int:
        return self.any.choice([*EXTREMES, self.any.randrange(-2**63, 2**63), self.any.randrange(100)])

    def attempt(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (SystemError, RecursionError):
            raise
        except Exception as raised:
            if "std::" in str(raised) or "bad_cast" in str(raised):
                raise SystemError(f"a C++ exception came through: {raised}") from raised
            return None

    def call(self, x: Any, in_lists: bool = True) -> None:
        """One of the functions, with this object in one of its places."""
        xd, good = self.xd, self.array("float64", 1)
        function = self.any.randrange(13)
        reductions = [xd.sum, xd.asum, xd.norm, xd.mean, xd.var, xd.std, xd.min, xd.max, xd.argmin, xd.sum_of_squares]
        if function < 4:
            options = self.choose({}, {"axis": 0}, {"axis": None}, {"mode": "fast"}, {"keepdims": True},
                                  {"dtype": "float32"})
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
            grouped = self.any.choice([xd.group_sum, xd.group_max, xd.group_var])
            self.attempt(lambda: grouped(good, x, self.choose(None, 5)))
        elif function == 9:
            self.attempt(lambda: self.any.choice([xd.segment_sum, xd.segment_min])(good, x))
        elif function == 10:
            state = self.choose(xd.Accumulator, xd.Moments)(self.any.choice(TYPES))
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
