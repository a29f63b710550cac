"""Relative error over condition number, a point for each dot product and method, as in AccurateArithmetic.jl."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from exactdot.plot import style

FLOOR = 1e-18  # an error of zero is drawn here
METHODS: dict[str, tuple[str, str, str]] = {
    "naive": ("naive: one after the other", style.VERMILION, "x"),
    "numpy.sum(a * b)": ("NumPy, pairwise", style.ORANGE, "s"),
    "numpy.dot": ("numpy.dot", style.YELLOW, "D"),
    "Dot2": ("Dot2: twice the precision", style.GREEN, "^"),
    "math.fsum": ("math.fsum of rounded products", style.PURPLE, "v"),
    "math.sumprod": ("math.sumprod", style.SKY, "P"),
    "exactdot": ("exactdot", style.BLUE, "o"),
}


def draw(results: dict[str, Any]) -> Figure:
    points = results["accuracy"]
    if not points:
        raise ValueError("the results hold no points")
    figure, axes = plt.subplots(figsize=(style.WIDTH, 5.4))
    highest = max(point["condition"] for point in points)
    for method, (label, colour, marker) in METHODS.items():
        drawn = [(point["condition"], min(1.0, max(FLOOR, point["errors"][method])))
                 for point in points if method in point["errors"]]
        if drawn:
            filled: dict[str, Any] = {} if marker == "x" else {"markeredgecolor": "#404040", "markeredgewidth": 0.3}
            axes.plot(*zip(*drawn), linestyle="", marker=marker, color=colour, markersize=5.5, label=label,
                      zorder=4 if method == "exactdot" else 3, **filled)
    axes.axhline(2.0**-53, color=style.BLACK, linestyle="--", linewidth=1.1)
    axes.annotate("correctly rounded results lie below: $2^{-53}$", (highest, 2.0**-53), xytext=(0, 4),
                  textcoords="offset points", ha="right", fontsize=9)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(FLOOR / 3, 5)
    axes.set_yticks([10.0**e for e in range(-16, 1, 4)] + [FLOOR],
                    [f"$10^{{{e}}}$" if e else "≥ 1" for e in range(-16, 1, 4)] + ["0"])
    axes.minorticks_off()
    axes.set_xlabel("condition number of the dot product")
    axes.set_ylabel("relative error")
    figure.suptitle(f"Error over condition: float64, n = {results['n']}", x=0.01, ha="left", fontsize=12)
    figure.legend(loc="outside lower center", ncols=3)
    return figure
