"""Inputs of python_target.py: DLPack capsules and buffers whose fields contradict each other, or are only unusual."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from dlpack_capsules import CapsuleArray
from lying_buffers import BufferExport
from python_fuzzer import TYPES, Fuzzer


class Memory(Fuzzer):
    def layout(self) -> tuple[np.ndarray, int, list[int], list[int]]:
        """Memory, an offset into it, a shape and strides in elements that stay within it."""
        dtype = self.any.choice(TYPES)
        memory = np.arange(4096).astype(dtype)
        self.keep.append(memory)
        shape = [self.any.choice([0, 1, 2, 5, 12]) for _ in range(self.any.randrange(4))]
        strides = [self.any.choice([0, 1, -1, 3, -7, 40]) for _ in shape]
        return memory, 2048, shape, strides

    def capsule(self) -> Any:
        memory, offset, shape, strides = self.layout()
        lies: list[dict[str, Any]] = [
            {"shape": None}, {"dimensions": -1}, {"dimensions": 65}, {"dimensions": 2**31 - 1}, {"data": None},
            {"bits": 0}, {"bits": 255}, {"lanes": 0}, {"lanes": 7}, {"code": 200}, {"device": 2}, {"device": 99},
            {"byte_offset": 2**64 - 8}, {"major": 2}, {"flags": 2**64 - 1}, {"code": 6}, {"code": 4}]
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
        fields = {"dimensions": len(shape), "shape": ctypes.addressof(lengths), "strides": ctypes.addressof(steps),
                  "data": memory.ctypes.data + offset * memory.itemsize} | fields
        device = self.choose((1, 0), (1, 0), (1, 0), (2, 0), (3, 0))
        made = CapsuleArray(memory, versioned=versioned, dlpack_device=device, **fields)
        self.keep += [lengths, steps, made]
        if self.any.random() < 0.1:
            made.managed.deleter = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, type(made.managed.deleter))
        return made

    def capsules(self) -> None:
        self.call(self.capsule())

    def buffers(self) -> None:
        memory, offset, shape, strides = self.layout()
        count = int(np.prod(shape, dtype=int))
        fields: dict[str, Any] = {
            "ndim": len(shape), "shape": tuple(shape) or None, "len": count * memory.itemsize,
            "strides": tuple(step * memory.itemsize for step in strides) or None,
            "buf": memory.ctypes.data + offset * memory.itemsize}
        lies: list[dict[str, Any]] = [
            {"shape": None}, {"ndim": -1}, {"ndim": 65}, {"ndim": 2**31 - 1}, {"shape": (-1,) * 4},
            {"shape": (2**62,) * 4}, {"itemsize": 0}, {"itemsize": -1}, {"itemsize": 2**62}, {"format": None}, {"format": b""},
            {"format": b"Zd"},
            {"format": self.any.randbytes(3).replace(b"\0", b"x")}, {"strides": (2**62,) * 4},
            {"strides": (-2**63,) * 4}, {"buf": None}, {"len": -1}, {"len": 2**62}, {"suboffsets": memory.ctypes.data}]
        if self.any.random() < 0.6:
            fields |= self.any.choice(lies)
        export = BufferExport(memory, **fields)
        self.keep.append(export)
        self.call(export.exporter, in_lists=False)  # NumPy would read them, and not survive it
        if export.exported != 0:
            raise SystemError(f"{export.exported} exports were not released")
