"""Relative error over condition number, a point for each dot product and method, as in AccurateArithmetic.jl.

Errors of 1 and more, up to 10^45 where sums cancel, would leave no room for those that matter: they stand in a band of
their own, a line for each method, as do errors of 0, for which a logarithmic axis has no place. exactdot is drawn as
rings, since other methods often give the very same result, and naive over all others, which it would vanish among.
"""

from __future__ import annotations

import math
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from exactdot.plot import style

# method: what the legend adds to its name, colour, marker
METHODS: dict[str, tuple[str, str, str]] = {
    "naive": (": one after the other", style.VERMILION, "x"),
    "numpy.sum(a * b)": ("", style.ORANGE, "s"),
    "numpy.dot": ("", style.YELLOW, "D"),
    "math.fsum": (" of rounded products", style.PURPLE, "v"),
    "Dot2": (": twice the precision", style.GREEN, "^"),
    "math.sumprod": ("", style.SKY, "P"),
    "exactdot": ("", style.BLUE, "o"),
}
ROUNDED = 2.0**-53  # no correctly rounded result is further off


def marks(method: str) -> dict[str, Any]:
    _, colour, marker = METHODS[method]
    look: dict[str, Any] = {"linestyle": "", "marker": marker, "color": colour, "markersize": 5.5, "zorder": 3}
    if method == "exactdot":
        return look | {"markersize": 8.5, "markerfacecolor": "none", "markeredgewidth": 1.6, "zorder": 4}
    if method == "naive":
        return look | {"markersize": 6, "markeredgewidth": 1.5, "zorder": 5}
    return look | {"markeredgecolor": "#404040", "markeredgewidth": 0.4}


def draw_band(axes: Any, points: list[dict[str, Any]], methods: list[str], inside: Any, label: str) -> None:
    """A line for each method, with the conditions at which its error is in the band; its name where there is room."""
    low, high = (math.log10(end(point["condition"] for point in points)) for end in (min, max))
    for place, method in enumerate(methods):
        hit = [point["condition"] for point in points if inside(point["errors"].get(method))]
        axes.plot(hit, [place] * len(hit), **marks(method))
        for end, side, align, room in ((min(hit), -8, "right", math.log10(min(hit)) - low),
                                       (max(hit), 8, "left", high - math.log10(max(hit)))):
            if room > 0.2 * (high - low):
                axes.annotate(method, (end, place), xytext=(side, 0), textcoords="offset points", ha=align, va="center",
                              fontsize=9)
                break
    axes.set_ylim(len(methods) - 0.4, -0.6)
    axes.set_yticks([(len(methods) - 1) / 2], [label])
    axes.set_facecolor("#f4f4f4")
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="both", length=0)
    axes.spines["bottom"].set_visible(False)


def draw_errors(axes: Any, points: list[dict[str, Any]]) -> None:
    lowest = ROUNDED
    for method, (more, _, _) in METHODS.items():
        drawn = [(point["condition"], point["errors"][method]) for point in points
                 if 0 < point["errors"].get(method, 0) < 1]
        lowest = min([lowest, *(error for _, error in drawn)])
        if any(method in point["errors"] for point in points):
            axes.plot(*(zip(*drawn) if drawn else ([], [])), label=method + more, **marks(method))
    axes.axhline(ROUNDED, color=style.BLACK, linestyle="--", linewidth=1.1)
    axes.annotate("correctly rounded results lie below: $2^{-53}$", (1, ROUNDED), xycoords=("axes fraction", "data"),
                  xytext=(0, 4), textcoords="offset points", ha="right", fontsize=9)
    axes.set_yscale("log")
    bottom = math.floor(math.log10(lowest))
    axes.set_ylim(10.0 ** (bottom - 0.5), 1)
    axes.set_yticks([10.0**e for e in range(0, bottom - 1, -4)])
    axes.minorticks_off()
    axes.set_ylabel("relative error")


def draw(results: dict[str, Any]) -> Figure:
    points = results["accuracy"]
    known = [method for method in METHODS if any(method in point["errors"] for point in points)]
    if not known:
        raise ValueError(f"errors of no known method; known are {', '.join(METHODS)}")
    wrong = [method for method in known if any(point["errors"].get(method, 0) >= 1 for point in points)]
    exact = [method for method in known if any(point["errors"].get(method) == 0 for point in points)]
    heights = [0.17 * len(wrong) + 0.1] * bool(wrong) + [3.6] + [0.17 * len(exact) + 0.1] * bool(exact)
    figure, panels = plt.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights,
                                  figsize=(style.WIDTH, 1.7 + sum(heights)))
    axes = [row[0] for row in panels]
    axes[-1].set_xscale("log")
    draw_errors(axes[bool(wrong)], points)
    if wrong:
        draw_band(axes[0], points, wrong, lambda error: error is not None and error >= 1, "≥ 1\n(no digit\nright)")
    if exact:
        draw_band(axes[-1], points, exact, lambda error: error == 0, "0")
    for upper in axes[:-1]:
        upper.tick_params(axis="x", which="both", length=0)
        upper.spines["bottom"].set_visible(False)
    axes[-1].spines["bottom"].set_visible(True)
    axes[-1].minorticks_off()
    axes[-1].set_xlabel("condition number of the dot product")
    style.title(figure, f"Error over condition: float64, n = {results['n']}")
    handles, labels = axes[bool(wrong)].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
