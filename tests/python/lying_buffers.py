"""Objects whose buffer exports are written field by field, to test valid, unusual and inconsistent ones.

A type of its own, made with CPython's PyType_FromSpec by ctypes: Python code can export only consistent buffers.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

GET_BUFFER, RELEASE_BUFFER = 1, 2  # CPython's typeslots.h


class Buffer(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


class Slot(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_int), ("function", ctypes.c_void_p)]


class Spec(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("basicsize", ctypes.c_int), ("itemsize", ctypes.c_int),
                ("flags", ctypes.c_uint), ("slots", ctypes.POINTER(Slot))]


exports: dict[int, BufferExport] = {}  # by the address of the exporter


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Buffer), ctypes.c_int)
def get_buffer(exporter: Any, view: Any, _flags: int) -> int:
    export = exports[id(exporter)]
    for name, value in export.fields.items():
        setattr(view.contents, name, value)
    view.contents.obj = id(exporter)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(exporter))
    export.exported += 1
    return 0


@ctypes.PYFUNCTYPE(None, ctypes.py_object, ctypes.POINTER(Buffer))
def release_buffer(exporter: Any, _view: Any) -> None:
    exports[id(exporter)].exported -= 1


slots = (Slot * 3)(Slot(GET_BUFFER, ctypes.cast(get_buffer, ctypes.c_void_p)),
                   Slot(RELEASE_BUFFER, ctypes.cast(release_buffer, ctypes.c_void_p)), Slot(0, None))
spec = Spec(b"lying_buffers.Exporter", object.__basicsize__, 0, 1 << 10, slots)  # a base type, as subclasses need
from_spec = ctypes.pythonapi.PyType_FromSpec
from_spec.restype, from_spec.argtypes = ctypes.py_object, [ctypes.POINTER(Spec)]
Exporter: Any = from_spec(ctypes.byref(spec))


class BufferExport:
    """Exports `array` by the buffer protocol, with some fields replaced.

    exporter : the object
    exported : the number of exports that were not released
    """

    def __init__(self, array: np.ndarray, **fields: Any) -> None:
        self.data, self.exported = array, 0
        self.shape = (ctypes.c_ssize_t * 80)(*array.shape)
        self.strides = (ctypes.c_ssize_t * 80)(*array.strides)
        for name in ("shape", "strides"):
            if isinstance(fields.get(name), tuple):
                given = fields.pop(name)
                getattr(self, name)[:len(given)] = given
        self.fields = {"buf": array.ctypes.data, "len": array.nbytes, "itemsize": array.itemsize, "readonly": 0,
                       "ndim": array.ndim, "format": memoryview(array).format.encode(),
                       "shape": ctypes.addressof(self.shape), "strides": ctypes.addressof(self.strides),
                       "suboffsets": None, "internal": None} | fields
        self.exporter = Exporter()
        exports[id(self.exporter)] = self

    def __del__(self) -> None:
        exports.pop(id(self.__dict__.get("exporter")), None)
