"""What all pictures share: 800 pixels wide, the colours of Okabe and Ito, and files that come out the same each time.

The colours can be told apart with any kind of colour vision; each line has a marker of its own besides. Times on an
axis carry their units, so that nobody has to count powers of ten of a microsecond.
Source: M. Okabe, K. Ito, "Color universal design", 2008.
"""

from __future__ import annotations

import os
from typing import Any, Callable, ContextManager

try:
    import matplotlib
except ImportError as reason:
    raise ImportError(f"pictures need matplotlib ({reason}): pip install '.[plot]' in a clone of exactdot") from reason
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

WIDTH = 8.0  # inches of 100 pixels

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE, GREY = "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#8a8a8a"
BROWN = "#7a4b00"  # not theirs: an eighth line


def rc_settings() -> ContextManager[Any]:
    return plt.rc_context({
        "figure.dpi": 100, "savefig.dpi": 100, "font.family": "DejaVu Sans", "font.size": 10,
        "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 10.5, "axes.titlelocation": "left",
        "axes.grid": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.7, "axes.axisbelow": True,
        "legend.frameon": False, "legend.fontsize": 9.5, "lines.linewidth": 1.6, "lines.markersize": 5,
        "svg.hashsalt": "exactdot", "svg.fonttype": "path", "figure.constrained_layout.use": True,
        "hatch.linewidth": 0.8,
    })


def save(figure: Figure, out: str | os.PathLike[str]) -> None:
    metadata = {"Date": None} if os.fspath(out).endswith(".svg") else {"Software": None}
    figure.savefig(out, metadata=metadata, facecolor="white")
    plt.close(figure)


def power(n: int) -> str:
    """2^20 as mathematicians write it, other numbers in full."""
    return f"$2^{{{n.bit_length() - 1}}}$" if n > 64 and n & (n - 1) == 0 else f"{n:,}"


def duration(microseconds: float) -> str:
    """Three digits with the unit that suits."""
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)):
        if microseconds >= 0.9995 * size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds * 1e3:.3g} ns"


def label_logarithmic(axis: Any, values: list[float], text: Callable[[float], str]) -> None:
    """Texts at powers of ten, and between them too where the values span few."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if max(values) < 30 * min(values) else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))
    axis.set_minor_formatter(NullFormatter())


def title(figure: Figure, text: str) -> None:
    figure.suptitle(text, x=0.01, ha="left", fontsize=12)
