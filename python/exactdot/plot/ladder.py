"""The ladder: for each rung its time, and what part of the ceiling it reaches; wrong and changing ones are marked."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from exactdot.plot import style

GRADES: dict[str, dict[str, Any]] = {
    "the same bits each time": {"facecolor": style.BLUE},
    "bits change with the run or the grid": {"facecolor": style.ORANGE, "hatch": "///"},
    "wrong": {"facecolor": style.VERMILION, "hatch": "xxx"},
}


def grade(rung: dict[str, Any]) -> str:
    if rung["wrong_on_purpose"] or rung["correct"] is False:  # None: nothing is promised for these data
        return "wrong"
    changes = not rung["deterministic"] or (rung.get("distinct_over_grids") or 1) > 1
    return "bits change with the run or the grid" if changes else "the same bits each time"


def choose(results: dict[str, Any], dtype: str, n: int | None) -> dict[str, Any]:
    ladders = results.get("ladders", [results])
    fitting = [one for one in ladders if one.get("data") == "uniform" and one.get("dtype") == dtype] or \
              [one for one in ladders if one.get("dtype") == dtype]
    fitting = [one for one in fitting if n is None or one["n"] == n]
    if not fitting:
        raise ValueError(f"no ladder of {dtype}" + ("" if n is None else f" with n = {n}"))
    return max(fitting, key=lambda one: one["n"])


def label_bars(axes: Any, places: range, values: list[float], texts: list[str], line: float | None = None) -> None:
    """A text after each bar, and clear of the line."""
    for place, value, text in zip(places, values, texts):
        if line is not None and 0.75 * line < value < line:
            value = line
        axes.annotate(text, (value, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9)


def bars(axes: Any, rungs: list[dict[str, Any]], values: list[float]) -> None:
    for place, (rung, value) in enumerate(zip(rungs, values)):
        axes.barh(place, value, height=0.72, edgecolor="white", linewidth=0.4, **GRADES[grade(rung)])
    axes.set_ylim(len(rungs) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def draw(results: dict[str, Any], dtype: str, n: int | None) -> Figure:
    """Rungs from the first to the last, downwards; on the simulator, which has no clock, steps instead of time."""
    ladder = choose(results, dtype, n)
    timed = [rung for rung in ladder["rungs"] if rung["microseconds"]]
    rungs = timed or [rung for rung in ladder["rungs"] if rung["steps"]]
    if not rungs:
        raise ValueError("the ladder holds neither times nor steps")
    figure, panels = plt.subplots(1, 2 if timed else 1, sharey=True, squeeze=False,
                                  figsize=(style.WIDTH, 1.6 + 0.26 * len(rungs)))
    left = panels[0][0]
    values = [rung["microseconds" if timed else "steps"] for rung in rungs]
    bars(left, rungs, values)
    left.set_xscale("log")
    left.set_xlim(min(values) * 0.5, max(values) * 12)
    places = range(len(rungs))
    label_bars(left, places, values, [style.duration(value) if timed else f"{value:,}" for value in values])
    left.set_yticks(list(places), [rung["name"] for rung in rungs])
    left.set_xlabel("time of one dot, microseconds (log scale)" if timed else "steps on the simulator (log scale)")
    if timed:
        right = panels[0][1]
        percent = [rung["percent_of_ceiling"] for rung in rungs]
        bars(right, rungs, percent)
        right.set_xlim(0, max(120, 1.2 * max(percent)))
        right.set_xticks([0, 25, 50, 75, 100])
        right.axvline(100, color=style.BLACK, linewidth=1.2, linestyle="--")
        label_bars(right, places, percent, [f"{value:.3g}" for value in percent], 100)
        right.set_xlabel("% of the ceiling (dashed): reading alone")
    figure.suptitle(f"The ladder: {ladder['device']}, {dtype}, n = {style.power(ladder['n'])}", x=0.01, ha="left",
                    fontsize=12)
    seen = [name for name in GRADES if any(grade(rung) == name for rung in rungs)]
    figure.legend(handles=[Patch(label=name, edgecolor="white", **GRADES[name]) for name in seen],
                  loc="outside lower center", ncols=3)
    return figure
