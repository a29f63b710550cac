"""Rows of measurements and their texts, shared by the modules of scripts/performance.

A row is an object of the results' JSON; its time is `us`. A figure that comes from a row with a large spread carries a
mark in every table, also a ratio of two rows of which one has it.
"""
from typing import NamedTuple

from shared.documents import figure

TYPES = {"float32": "float", "float64": "double"}
NOISY_SPREAD = 0.10
MARK = "†"
LEGEND = (f"**Bold**: a goal missed. {MARK}: from a row whose spread, the distance between the quartiles of its samples "
          f"divided by their median, exceeds {100 * NOISY_SPREAD:g} %; such figures say little.")
QUICK = "a quick run: few and short samples, not precise"


class Ratio(NamedTuple):
    value: float
    noisy: bool


def is_noisy(*rows):
    return any(row.get("spread", 0) > NOISY_SPREAD for row in rows)


def ratio_of(row, other):
    """The time of `row` / that of `other`; None if one of them was not measured."""
    return Ratio(row["us"] / other["us"], is_noisy(row, other)) if row and other else None


def fastest(rows):
    """The row with the shortest time; None if there is no row."""
    return min((row for row in rows if row), key=lambda row: row["us"], default=None)


def marked(text, *rows):
    return text + MARK if is_noisy(*rows) else text


def emphasized(text, is_met):
    return text if is_met else f"**{text}**"


def time_text(row, is_met=True):
    """Microseconds, in bold if a goal is missed."""
    if row is None:
        return "–"
    us = row["us"]
    return marked(emphasized(f"{us:.2f}" if us < 100 else figure(us), is_met), row)


def figure_text(row, key="us", scale=1.0):
    return marked(figure(row[key] * scale), row) if row else "–"


def ratio_text(ratio, is_met=None):
    """The ratio, in bold if `is_met` of it is false."""
    if ratio is None:
        return "–"
    text = f"{ratio.value:.3f}" if ratio.value < 2 else f"{ratio.value:.2f}"
    text = emphasized(text, is_met is None or is_met(ratio.value))
    return text + MARK if ratio.noisy else text


def percent_text(ratio, is_met=None):
    if ratio is None:
        return "–"
    text = emphasized(f"{100 * ratio.value:.1f} %", is_met is None or is_met(ratio.value))
    return text + MARK if ratio.noisy else text


def length(n):
    """2^20, 16, 10^4, 5·10^7, 12345."""
    exponent = len(str(n)) - 1
    if n > 64 and n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    if n < 10_000 or n % 10**(exponent - 1):
        return str(n)
    return f"10^{exponent}" if n == 10**exponent else f"{n / 10**exponent:g}·10^{exponent}"


def duration(row):
    """The row's time with the unit that suits."""
    if row is None:
        return "–"
    unit, size = next(((unit, size) for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1.0))
                       if row["us"] >= 0.9995 * size), ("ns", 1e-3))
    return marked(f"{row['us'] / size:#.3g}".rstrip(".") + f" {unit}", row)


def source(file, machine, version, date, rounds, quick=False):
    """The sentence that says where figures come from."""
    run = f" ({QUICK})" if quick else ""
    rounds = f"; medians of {rounds} rounds{run}" if rounds else ""
    return f"`docs/results/{file}`: {machine}{f', exactdot {version}' if version else ''}, {date}{rounds}."
