"""Arrays that are not NumPy's, of the protocols alone: what NumPy makes of one has one element, or is an error."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from dlpack_capsules import CapsuleArray

CODES = {"bfloat16": 4, "float8_e4m3fn": 10, "float8_e5m2": 12}  # DLPack's


class Exported:
    """Offers DLPack and nothing else."""

    def __init__(self, array: np.ndarray) -> None:
        name = array.dtype.name
        code = {"code": CODES[name]} if name in CODES else {"code": 6} if name == "bool" else {}
        self.memory = CapsuleArray(array, **code)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, **arguments: Any) -> object:
        return self.memory.__dlpack__(**arguments)


class Standard(Exported):
    """An array of a library of the array API standard that NumPy does not convert, as PyTorch's of bfloat16."""

    device = "cpu"

    def __array_namespace__(self) -> Any:
        return library

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Got unsupported ScalarType")

    def __getitem__(self, key: Any) -> Standard:
        return Standard(self.memory.data[key])

    @property
    def shape(self) -> tuple[int, ...]:
        return self.memory.data.shape


def _types() -> dict[str, Any]:
    found: dict[str, Any] = {f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}
    found |= {"float16": np.dtype("f2"), "float32": np.dtype("f4"), "float64": np.dtype("f8")}
    try:
        import ml_dtypes
        return found | {name: np.dtype(getattr(ml_dtypes, name)) for name in CODES}
    except ImportError:
        return found


def as_numpy(x: Any) -> Any:
    """An array as one of NumPy, or a number as it is."""
    return x.memory.data if isinstance(x, Exported) else x


library = types.SimpleNamespace(asarray=lambda x, device: Standard(x), empty=lambda shape, dtype, device: Standard(np.empty(shape, dtype)),
                                astype=lambda x, dtype: Standard(x.memory.data.astype(dtype)), **_types())
