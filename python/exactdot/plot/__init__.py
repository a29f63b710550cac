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

from exactdot.plot.reading import check, kind_of

__all__ = ["draw", "kind_of"]


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
        The results are of no known kind, lack something or hold nothing of that dtype and n, as errors over condition
        do of float32; n for what is no ladder; another ending.
    ImportError
        There is no matplotlib.

    Examples
    --------
    >>> draw({}, "picture.gif")
    Traceback (most recent call last):
        ...
    ValueError: picture.gif: pictures end in .svg or .png
    """
    if not os.fspath(out).endswith((".svg", ".png")):
        raise ValueError(f"{os.fspath(out)}: pictures end in .svg or .png")
    kind = check(results)
    if kind == "accuracy" and dtype not in (None, "float64"):
        raise ValueError(f"errors over condition are of float64 only; there are none of {dtype}")
    if kind != "ladder" and n is not None:
        raise ValueError(f"n = {n} chooses a ladder, and these results hold none")
    from exactdot.plot import style  # first, as it says what to do without matplotlib
    from exactdot.plot import accuracy, ladder, speed

    with style.rc_settings():
        if kind == "ladder":
            figure = ladder.draw(results, dtype or "float32", n)
        elif kind == "accuracy":
            figure = accuracy.draw(results)
        else:
            figure = speed.draw(results, [dtype] if dtype else ["float32", "float64"])
        style.save(figure, out)
