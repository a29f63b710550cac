"""Time over n beside the peers of one run, with the limit: reading both vectors, or the memory's speed on a CPU."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from exactdot.plot import style

# peer: label, colour, marker, line; exactdot's own are drawn last and thicker
PEERS: dict[str, tuple[str, str, str, str]] = {
    "cublas": ("cuBLAS", style.ORANGE, "s", "-"),
    "cub": ("CUB, transformed input", style.GREEN, "^", "-"),
    "cub_transform": ("CUB, TransformReduce", style.PURPLE, "v", "-"),
    "openblas": ("OpenBLAS", style.ORANGE, "s", "-"),
    "blis": ("BLIS", style.GREEN, "^", "-"),
    "eigen_native": ("Eigen, -march=native", style.PURPLE, "v", "-"),
    "loop": ("sequential loop", style.GREY, "x", "-"),
    "fast": ("exactdot, fast", style.SKY, "D", "-"),
    "exact": ("exactdot, exact", style.BLUE, "o", "-"),
}
LIMIT = "read"


def series(rows: list[dict[str, Any]], peer: str, dtype: str) -> list[tuple[int, float]]:
    """(n, microseconds) of one peer: uniform data; on a GPU in a graph with warm caches, on a CPU on one thread."""
    found = []
    for row in rows:
        if row["peer"] != peer or row["type"] != dtype or row["data"] != "uniform":
            continue
        if row.get("how", "graph") != "graph" or row.get("l2", "warm") != "warm" or row.get("threads", 1) != 1:
            continue
        found.append((row["n"], row["us"] if "us" in row else row["ns"] / 1000))
    return sorted(found)


def limit(rows: list[dict[str, Any]], dtype: str) -> tuple[list[tuple[int, float]], str]:
    """The limit's line and what it is."""
    measured = series(rows, LIMIT, dtype)
    if measured:
        return measured, "limit: only reading both vectors"
    lengths = sorted({row["n"] for row in rows})
    speed = max((row["gb_per_s"] for row in rows if row["n"] == lengths[-1] and row["type"] == dtype
                 and row.get("threads", 1) == 1 and row["data"] == "uniform"), default=None)
    if speed is None:
        return [], ""
    size = 4 if dtype == "float32" else 8
    return [(n, 2 * size * n / speed / 1000) for n in lengths], "limit from memory; caches are faster"


def draw_panel(axes: Any, results: dict[str, Any], dtype: str) -> None:
    rows = results["rows"]
    line, label = limit(rows, dtype)
    if line:
        axes.plot(*zip(*line), color=style.BLACK, linestyle="--", linewidth=1.2, label=label)
    for peer, (name, colour, marker, dashes) in PEERS.items():
        points = series(rows, peer, dtype)
        if points:
            own = peer in ("exact", "fast")
            axes.plot(*zip(*points), color=colour, marker=marker, linestyle=dashes, label=name,
                      linewidth=2.2 if own else 1.4, markersize=5 if own else 4.5)
    axes.set_yscale("log")
    axes.set_title(dtype)


def draw_ratios(axes: Any, results: dict[str, Any], dtype: str, reference: str) -> None:
    """Each peer's time over the reference's; above 1 is slower."""
    rows = results["rows"]
    base = dict(series(rows, reference, dtype))
    for peer, (_, colour, marker, dashes) in PEERS.items():
        points = [(n, time / base[n]) for n, time in series(rows, peer, dtype) if n in base]
        if points and peer != reference:
            own = peer in ("exact", "fast")
            axes.plot(*zip(*points), color=colour, marker=marker, linestyle=dashes, linewidth=2.2 if own else 1.4,
                      markersize=5 if own else 4.5)
    axes.axhline(1, color=PEERS[reference][1], linewidth=1.6)
    axes.set_yscale("log", base=2)
    axes.set_ylim(0.25, 8)
    axes.set_yticks([0.25, 0.5, 1, 2, 4, 8], ["¼", "½", "1", "2", "4", "8"])
    axes.set_xscale("log", base=2 if any("us" in row for row in rows) else 10)
    axes.minorticks_off()
    axes.set_xlabel("n, elements of each vector")


def draw(results: dict[str, Any], dtypes: list[str]) -> Figure:
    dtypes = [one for one in dtypes if series(results["rows"], "exact", one)]
    if not dtypes:
        raise ValueError("the results hold no times of that dtype")
    reference = "cublas" if series(results["rows"], "cublas", dtypes[0]) else "openblas"
    figure, panels = plt.subplots(2, len(dtypes), sharex="col", sharey="row", squeeze=False,
                                  height_ratios=[3, 2], figsize=(style.WIDTH, 7.4))
    for times, ratios, dtype in zip(*panels, dtypes):
        draw_panel(times, results, dtype)
        draw_ratios(ratios, results, dtype, reference)
    panels[0][0].set_ylabel("time of one dot, microseconds")
    panels[1][0].set_ylabel(f"time / time of {PEERS[reference][0]}")
    machine = results["machine"]
    where = machine.get("gpu") or machine.get("cpu")
    how = "" if "gpu" in machine else ", 1 thread"
    figure.suptitle(f"Time over length: {where}{how}", x=0.01, ha="left", fontsize=12)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
