"""Tables of the two levels of mode exact on a GPU in docs/performance.md, for scripts/performance.

Results are in docs/results: handover-NAME.jsonl and failure-rates-NAME.jsonl of a GPU, from the programs of
bench/experiments.
"""
import json

from documents import figure, paragraph, table

TYPES = {"float32": "float", "float64": "double"}
WAYS = ("alone", "poll", "every", "cluster", "second", "dependent", "tail", "conditional")


def read_results(folder):
    """(name of the GPU, rows) of both measurements."""
    def read(kind):
        gpu, *rows = [json.loads(line) for line in next(folder.glob(f"{kind}-*.jsonl")).read_text().splitlines()]
        return gpu["gpu"], rows
    return {kind: read(kind) for kind in ("handover", "failure-rates")}


def power(n):
    return f"2^{n.bit_length() - 1}"


def handover(results):
    gpu, rows = results["handover"]
    parts = [f"{gpu}; median microseconds of 11 rounds, each way with its best grid."]
    for timing in ("graph", "stream"):
        index = {(row["type"], row["n"], row["way"]): row for row in rows if row["timing"] == timing}
        lines = []
        for type_, n in dict.fromkeys((row["type"], row["n"]) for row in rows):
            us = {way: index.get((type_, n, way), {}).get("microseconds") for way in WAYS}
            ready = {way: value for way, value in us.items() if value and way != "alone"}
            best = min(ready, key=ready.get)
            cells = ["–" if us[way] is None else (f"**{figure(us[way])}**" if way == best else figure(us[way])) for way in WAYS]
            lines.append([f"{TYPES[type_]}, {power(n)}", *cells])
        parts.append(table([timing, *[f"`{way}`" for way in WAYS]], lines))
    return "\n\n".join(parts)


def failure_rates(results):
    gpu, rows = results["failure-rates"]
    index = {(row["type"], row["n"]): row for row in rows}
    lines = []
    for n in sorted({row["n"] for row in rows}):
        cells = [f"{power(n)}"]
        for type_ in TYPES:
            row = index[type_, n]
            width = row["mean_width_ulps"]
            cells += ["compensated" if row["compensated"] else "plain", f"{row['undecided']} of {row['vectors']}",
                      "–" if width is None else f"{width:.1e}"]
        lines.append(cells)
    header = ["n", *[f"{name}{column}" for name in TYPES.values() for column in ("", ": undecided", ": mean 2·bound/ulp")]]
    return f"{gpu}.\n\n" + table(header, lines)


SECTIONS = {"handover": handover, "failure-rates": failure_rates}
