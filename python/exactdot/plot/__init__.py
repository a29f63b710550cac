"""Pictures of exactdot's results: the ladder, time over n beside other libraries, error over condition number.

    python -m exactdot.plot RESULTS.json -o OUT.svg

RESULTS.json is what `exactdot lab --json`, `exactdot bench --json` or `bench/python/accuracy.py` wrote; what it holds
decides what is drawn. Needs matplotlib: pip install '.[plot]' in a clone.

>>> from exactdot.plot import kind_of
>>> kind_of({"rungs": []})
'ladder'
"""

from __future__ import annotations

import os
from typing import Any

__all__ = ["draw", "kind_of"]


def kind_of(results: dict[str, Any]) -> str:
    """What the results are of.

    Parameters
    ----------
    results : the object that the JSON holds

    Returns
    -------
    "ladder", "speed" or "accuracy"

    Raises
    ------
    ValueError
        They are none of these.

    Examples
    --------
    >>> kind_of({"peers": [], "rows": [{"n": 16}]})
    'speed'
    """
    if "ladders" in results or "rungs" in results:
        return "ladder"
    if "accuracy" in results:
        return "accuracy"
    if "peers" in results and "rows" in results:
        return "speed"
    raise ValueError("these results are neither of exactdot lab, nor of exactdot bench, nor of accuracy.py")


def draw(results: dict[str, Any], out: str | os.PathLike[str], *, dtype: str | None = None,
         n: int | None = None) -> None:
    """Draws results into a file.

    Parameters
    ----------
    results : the object that the JSON holds
    out : path that ends in .svg or .png
    dtype : "float32" or "float64", where results are of both; by default both, or for a ladder float32
    n : the ladder's length; by default the longest measured

    Raises
    ------
    ValueError
        The results are of no known kind, or hold nothing of that dtype and n; another ending.
    ImportError
        There is no matplotlib.

    Examples
    --------
    >>> draw({}, "picture.svg")
    Traceback (most recent call last):
        ...
    ValueError: these results are neither of exactdot lab, nor of exactdot bench, nor of accuracy.py
    """
    kind = kind_of(results)
    if not os.fspath(out).endswith((".svg", ".png")):
        raise ValueError(f"{os.fspath(out)}: pictures end in .svg or .png")
    from exactdot.plot import accuracy, ladder, speed, style

    with style.house():
        if kind == "ladder":
            figure = ladder.draw(results, dtype or "float32", n)
        elif kind == "accuracy":
            figure = accuracy.draw(results)
        else:
            figure = speed.draw(results, [dtype] if dtype else ["float32", "float64"])
        style.save(figure, out)
