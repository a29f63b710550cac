"""Time over n beside the peers of one run, and below it the same as a ratio, where what differs by 20 % shows.

Every library of the run that was timed so is drawn, below it divided by cuBLAS or OpenBLAS as in the tables of scripts/performance: where OpenBLAS has several rows, by the fastest
at each n. The dashed line is a limit: a kernel or loop that only reads both vectors, divided too. Results of a CPU without
one have the memory's speed in its place, which is that of the fastest row at the longest n. That is drawn only if those
vectors fit in no cache; shorter ones that do can beat it.
"""

from __future__ import annotations

import math
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from exactdot.plot import style
from exactdot.plot.reading import Row, last_cache, reference, series

# peer: label, colour, marker; exactdot's own are drawn last and thicker
PEERS: dict[str, tuple[str, str, str]] = {
    "cublas": ("cuBLAS", style.ORANGE, "s"),
    "cub": ("CUB, transformed input", style.GREEN, "^"),
    "cub_transform": ("CUB, TransformReduce", style.PURPLE, "v"),
    "openblas": ("OpenBLAS, its fastest row at each n", style.ORANGE, "s"),
    "blis": ("BLIS", style.GREEN, "^"),
    "eigen_native": ("Eigen, -march=native", style.PURPLE, "v"),
    "eigen": ("Eigen, no -march", style.BROWN, "<"),
    "transform_reduce": ("std::transform_reduce", style.VERMILION, ">"),
    "loop": ("sequential loop", style.GREY, "x"),
    "fast": ("exactdot, fast", style.SKY, "D"),
    "exact": ("exactdot, exact", style.BLUE, "o"),
}
REFERENCES = {"cublas": "cuBLAS", "openblas": "OpenBLAS"}
MARGIN = 0.08  # octaves that the axes show beyond the last tick, less a little
FRACTIONS = {-1: "½", -2: "¼", -3: "⅛"}

Curves = dict[str, list[tuple[int, float]]]


def limit(results: dict[str, Any], dtype: str) -> tuple[list[tuple[int, float]], str]:
    """The limit's line and what it is."""
    rows: list[Row] = results["rows"]
    measured = series(rows, "read", dtype)
    if measured:
        return measured, f"limit: a {'kernel' if results['machine'].get('gpu') else 'loop'} that only reads"
    lengths = sorted({row["n"] for row in rows})
    both = 2 * (4 if dtype == "float32" else 8)  # bytes for each n
    fastest = min((time for peer in {row["peer"] for row in rows} for n, time in series(rows, peer, dtype)
                   if n == lengths[-1]), default=None)
    if fastest is None or both * lengths[-1] <= last_cache(results["machine"]):
        return [], ""
    line = [(n, fastest * n / lengths[-1]) for n in lengths]
    return line, "limit for vectors in main memory;\nbelow it they lie in caches"


def draw_curves(axes: Any, curves: Curves) -> None:
    for peer, points in curves.items():
        label, colour, marker = PEERS[peer]
        own = peer in ("exact", "fast")
        axes.plot(*zip(*points), color=colour, marker=marker, label=label, linewidth=2.2 if own else 1.4,
                  markersize=5 if own else 4.5)


def draw_ratios(axes: Any, ratios: Curves, compared: str, octaves: range) -> None:
    draw_curves(axes, ratios)
    axes.axhline(1, color=PEERS[compared][1], linewidth=1.6)
    axes.set_yscale("log", base=2)
    axes.set_ylim(2.0 ** (octaves[0] - 0.1), 2.0 ** (octaves[-1] + 0.1))
    axes.set_yticks([2.0**e for e in octaves], [FRACTIONS.get(e, f"{2.0**e:g}") for e in octaves])


def divided(points: list[tuple[int, float]], base: dict[int, float]) -> list[tuple[int, float]]:
    return [(n, time / base[n]) for n, time in points if n in base]


def curves_of(rows: list[Row], dtype: str, compared: str) -> tuple[Curves, Curves]:
    """Times, and what they are divided by those of the one compared with."""
    base = reference(rows, dtype)[1]
    found = {peer: sorted(base.items()) if peer == compared else series(rows, peer, dtype) for peer in PEERS}
    times = {peer: points for peer, points in found.items() if points}
    ratios = {peer: divided(points, base) for peer, points in times.items() if peer != compared}
    return times, {peer: points for peer, points in ratios.items() if points}


def draw_times(axes: Any, results: dict[str, Any], dtype: str, times: Curves) -> None:
    line, label = limit(results, dtype)
    if line:
        axes.plot(*zip(*line), color=style.BLACK, linestyle="--", linewidth=1.2, label=label)
    draw_curves(axes, times)
    axes.set_yscale("log")
    style.label_logarithmic(axes.yaxis, [time for points in times.values() for _, time in points], style.duration)
    axes.set_title(dtype)


def draw(results: dict[str, Any], asked: list[str]) -> Figure:
    """A column for each dtype; without cuBLAS or OpenBLAS to divide by, times only."""
    rows: list[Row] = results["rows"]
    dtypes = [one for one in asked if series(rows, "exact", one)]
    if not dtypes:
        raise ValueError(f"no times of exact on uniform data of {' or '.join(asked)}")
    gpu = results["machine"].get("gpu")
    compared = reference(rows, dtypes[0])[0]
    curves = {dtype: curves_of(rows, dtype, compared) for dtype in dtypes}
    bounds = {dtype: divided(series(rows, "read", dtype), reference(rows, dtype)[1]) for dtype in dtypes}
    logs = [math.log2(ratio) for dtype, (_, ratios) in curves.items() for points in (*ratios.values(), bounds[dtype])
            for _, ratio in points]
    figure, panels = plt.subplots(2 if logs else 1, len(dtypes), sharex="col", sharey="row", squeeze=False,
                                  height_ratios=[3, 2.4] if logs else [1], figsize=(style.WIDTH, 7.8 if logs else 5))
    for column, dtype in enumerate(dtypes):
        draw_times(panels[0][column], results, dtype, curves[dtype][0])
        lowest = panels[-1][column]
        if logs:
            draw_ratios(lowest, curves[dtype][1], compared,
                        range(min(-1, math.floor(min(logs) + MARGIN)), max(1, math.ceil(max(logs) - MARGIN)) + 1))
            if bounds[dtype]:
                lowest.plot(*zip(*bounds[dtype]), color=style.BLACK, linestyle="--", linewidth=1.2)
        lowest.set_xscale("log", base=2 if gpu else 10)
        lowest.minorticks_off()
        lowest.set_xlabel("n, elements of each vector")
    panels[0][0].set_ylabel("time of one dot")
    if logs:
        panels[1][0].set_ylabel(f"time / time of {REFERENCES[compared]}\n(above 1: slower)")
    machine = f"{gpu}, in a CUDA graph, warm caches" if gpu else f"{results['machine'].get('cpu')}, 1 thread"
    style.title(figure, f"Time over length: {machine}")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
