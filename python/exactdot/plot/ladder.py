"""The ladder: for each rung its time, and what part of the ceiling it reaches; wrong and changing ones are marked.

Dots, not bars: times lie orders of magnitude apart, and on a logarithmic axis, which has no zero, the length of a bar
means nothing. What is not to be trusted shows by shape as well as by colour: full, open, crossed. Each text stands on
the side of its dot where the panel has more room. On the simulator, which has no clock, steps take the place of time.
"""

from __future__ import annotations

import math
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from exactdot.plot import style
from exactdot.plot.reading import choose

GRADES: dict[str, dict[str, Any]] = {
    "the same bits each time": {"marker": "o", "color": style.BLUE},
    "bits change with the run or the grid": {"marker": "o", "color": style.ORANGE, "markerfacecolor": "white"},
    "wrong": {"marker": "X", "color": style.VERMILION, "markersize": 9, "markeredgewidth": 0},
}
MARK: dict[str, Any] = {"linestyle": "", "markersize": 7, "markeredgewidth": 2}


def grade(rung: dict[str, Any]) -> str:
    if rung["wrong_on_purpose"] or rung.get("correct") is False:  # None: nothing is promised for these data
        return "wrong"
    changes = not rung["deterministic"] or (rung.get("distinct_over_grids") or 1) > 1
    return "bits change with the run or the grid" if changes else "the same bits each time"


def dots(axes: Any, rungs: list[dict[str, Any]], values: list[float | None], texts: list[str], middle: float) -> None:
    """A dot for each rung that has a value, with its text to the left if it lies right of the middle."""
    for place, (rung, value, text) in enumerate(zip(rungs, values, texts)):
        if value is None:
            continue
        axes.plot(value, place, **{**MARK, **GRADES[grade(rung)]})
        side, align = (-8, "right") if value > middle else (8, "left")
        axes.annotate(text, (value, place), xytext=(side, 0), textcoords="offset points", va="center", ha=align,
                      fontsize=9, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})
    axes.set_ylim(len(rungs) - 0.4, -0.6)


def draw_logarithmic(axes: Any, rungs: list[dict[str, Any]], values: list[float], texts: list[str]) -> None:
    margin = max(1.2, (max(values) / min(values)) ** 0.05)
    low, high = min(values) / margin, max(values) * margin
    decade = 10.0 ** math.floor(math.log10(min(values)))
    if min(values) < 2.5 * decade and max(values) > 30 * decade:  # the power of ten is near: let it be read
        low = min(low, decade / 1.1)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    dots(axes, rungs, list(values), texts, math.sqrt(low * high))


def on_host(rung: dict[str, Any]) -> bool:
    """Whether the rung is a loop on the CPU: it has no blocks and is not a vendor's library (number 18)."""
    return rung.get("block") is None and rung.get("number") != 18


def draw_percent(axes: Any, rungs: list[dict[str, Any]]) -> None:
    """The ceiling is the GPU's: loops on the CPU have no part of it."""
    percent = [None if on_host(rung) else rung.get("percent_of_ceiling") for rung in rungs]
    high = max([105.0, *(1.05 * value for value in percent if value is not None)])
    axes.axvline(100, color=style.BLACK, linewidth=1.2, linestyle="--")
    dots(axes, rungs, percent, ["" if value is None else f"{value:.3g} %" for value in percent], high / 2)
    axes.set_xlim(-3, high)
    axes.set_xticks([0, 25, 50, 75, 100], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.set_xlabel("part of the ceiling (dashed): only reading")


def draw(results: dict[str, Any], dtype: str, n: int | None) -> Figure:
    """Rungs from the first to the last, downwards."""
    ladder = choose(results, dtype, n)
    unit = next((unit for unit in ("microseconds", "steps") if any(rung.get(unit) for rung in ladder["rungs"])), None)
    if unit is None:
        raise ValueError(f"the ladder of {dtype} holds neither times nor steps")
    rungs = [rung for rung in ladder["rungs"] if rung.get(unit)]
    measured = any(rung.get("percent_of_ceiling") is not None for rung in rungs)
    figure, panels = plt.subplots(1, 2 if measured else 1, sharey=True, squeeze=False,
                                  figsize=(style.WIDTH, 1.6 + 0.26 * len(rungs)))
    left = panels[0][0]
    timed = unit == "microseconds"
    values = [rung[unit] for rung in rungs]
    draw_logarithmic(left, rungs, values, [style.duration(value) if timed else f"{value:,}" for value in values])
    left.set_yticks(range(len(rungs)), [rung["name"] for rung in rungs])
    style.label_logarithmic(left.xaxis, values, style.duration if timed else "{:,.0f}".format)
    left.set_xlabel("time of one dot (log scale)" if timed else "steps of one dot on the simulator (log scale)")
    if measured:
        draw_percent(panels[0][1], rungs)
    data = ladder.get("data") or "uniform"
    style.title(figure, f"The ladder: {ladder['device']}, {dtype}, n = {style.power(ladder['n'])}"
                        + ("" if data == "uniform" else f", data {data}"))
    seen = [name for name in GRADES if any(grade(rung) == name for rung in rungs)]
    figure.legend(handles=[Line2D([], [], label=name, **{**MARK, **GRADES[name]}) for name in seen],
                  loc="outside lower center", ncols=3)
    return figure
