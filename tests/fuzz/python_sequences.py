"""Inputs of python_target.py: sequences and elements that change, raise and lie while they are read."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from python_memory import Memory


class Sequences(Memory):
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
                    raise fuzzer.choose(LookupError, TypeError, ValueError, AttributeError)("item")

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
                return fuzzer.choose(None, 5, "x", (1, 0), fuzzer.array(),
                                     lambda *_, **__: fuzzer.choose(None, (1, 0), (2, 0), 5))

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
                            "strides": fuzzer.choose(None, (), (8,), (2**62,), 5),
                            "stream": fuzzer.choose(None, -1, 0, "s"),
                            "mask": fuzzer.choose(None, None, 1)}
            elif fuzzer.any.random() < 0.5:
                def __array__(self, *_: Any, **__: Any) -> Any:
                    self.act()
                    return fuzzer.choose(None, 5, fuzzer.array(), np.array([self], object),
                                         np.ma.masked_array([1.0], [True]))

        return Item()

    def sequences(self) -> None:
        fuzzer = self
        items = [self.choose(1, 2.5, 10**30, None, "x", self.array(), self.item(), [1.0], np.float32(1))
                 for _ in range(self.any.randrange(6))]

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
