"""The dot product of all elements of two arrays, the first of them conjugated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from exactdot import _engine
from exactdot._columns import Refusal
from exactdot._numbers import ExactNumbers, convert


def vdot(a: Any, b: Any, **options: Any) -> Any:
    """Computes the dot product of conj(a) and b, of all elements in the order of C, and rounds its parts once.

    Of real elements that of `dot`.

    Parameters
    ----------
    a, b : arrays of equal numbers of elements, of any shape
        As of `dot`.
    **options
        As of `dot`.

    Returns
    -------
    complex, or float or int of real elements
        vdot(a, a) has the imaginary part 0.

    Raises
    ------
    TypeError, ValueError
        As of `dot`.

    Notes
    -----
    Cost: that of two dot products of twice the length; of vectors without options nothing is copied.

    Examples
    --------
    >>> import numpy as np
    >>> import exactdot as xd
    >>> xd.vdot(np.array([1j, 2.0]), np.array([1j, 3.0]))
    (7+0j)
    """
    return _engine.vdot(_flat("a", a), _flat("b", b), **options)


def _flat(label: str, x: Any) -> Any:
    if isinstance(x, np.ndarray) or hasattr(x, "__cuda_array_interface__") or (hasattr(x, "__dlpack__") and hasattr(x, "ndim")):
        return x if x.ndim == 1 else x.reshape(-1)
    if _is_complex(x):
        return _imported("vdot", label, x).reshape(-1)
    x = tuple(x) if isinstance(x, Iterator) else x
    found = convert(x)
    if isinstance(found, ExactNumbers):
        return found.values
    flat = _checked("vdot", label, found).reshape(-1)
    return flat.tolist() if isinstance(x, (list, tuple)) else flat  # numbers of a list have no type yet


def _is_complex(x: Any) -> bool:
    return getattr(getattr(x, "dtype", None), "kind", "") == "c"


def _imported(name: str, label: str, x: Any) -> Any:
    """The array that the engine would read."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name}: {label}: is a masked array; fill or compress it first")
    return np.asarray(x) if isinstance(x, (np.ndarray, np.generic)) else _checked(name, label, convert(x))


def _checked(name: str, label: str, found: Any) -> Any:
    if isinstance(found, Refusal):
        raise (TypeError if found.is_type_error else ValueError)(f"{name}: {label}: {found.sentence}")
    if isinstance(found, ExactNumbers):
        raise TypeError(f"{name}: {label}: {found.reason}")
    return found


