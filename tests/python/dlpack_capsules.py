"""Arrays whose DLPack capsules are written field by field, to test valid, unusual and invalid ones."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("index", ctypes.c_int32),
                ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", Deleter), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class CapsuleArray:
    """Exports `array` by DLPack, with some fields replaced.

    dlpack_device : what __dlpack_device__ returns
    deleted : the number of calls of the capsule's deleter
    asked : the arguments of each call of __dlpack__
    """

    def __init__(self, array: np.ndarray, *, versioned: bool = True,
                 dlpack_device: tuple[int, int] = (1, 0), **fields: Any) -> None:
        self.data, self.versioned, self.dlpack_device, self.deleted = array, versioned, dlpack_device, 0
        self.asked: list[dict[str, Any]] = []
        shape = array.shape if "length" not in fields else (fields.pop("length"),)
        self.shape = (ctypes.c_int64 * array.ndim)(*shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(step // array.itemsize for step in array.strides))
        tensor = {"data": array.ctypes.data, "device": 1, "index": 0, "dimensions": array.ndim,
                  "code": {"i": 0, "u": 1}.get(array.dtype.kind, 2), "bits": 8 * array.itemsize, "lanes": 1, "shape": ctypes.addressof(self.shape),
                  "strides": ctypes.addressof(self.strides), "byte_offset": 0}
        outer = {"major": 1, "minor": 0, "flags": 0} if versioned else {}
        for name, value in fields.items():
            (outer if name in outer else tensor)[name] = value

        def delete(_: int) -> None:
            self.deleted += 1

        capsule_type = Versioned if versioned else Managed
        self.managed = capsule_type(tensor=Tensor(**tensor), deleter=Deleter(delete), **outer)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.dlpack_device

    def __dlpack__(self, **arguments: Any) -> object:
        self.asked.append(arguments)
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return api.PyCapsule_New(ctypes.addressof(self.managed), name, None)


def on_gpu(array: np.ndarray, index: int = 0) -> CapsuleArray:
    """Host memory that is exported as GPU memory: for checks that come before any element is read."""
    return CapsuleArray(array, dlpack_device=(2, index), device=2, index=index)
