"""Tables of the two levels of mode exact on a GPU, docs/results/levels.md, for scripts/performance.

Results are in docs/results: handover-NAME.json and failure-rates-NAME.json of a GPU, from the programs of
bench/experiments.
"""

from shared import result_files
from shared.documents import figure, paragraph, table
from speed.rows import TYPES
MAX_SHORT = 1 << 22
WAYS = ("alone", "poll", "every", "cluster", "second", "dependent", "tail", "conditional")


def read_results(folder):
    """(name of the GPU, rows) of both measurements."""
    def read(kind):
        report = result_files.read(next(folder.glob(f"{kind}-*.json")))
        return report["gpu"], report["rows"]
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
            cells += [row.get("sums") or ("compensated" if row["compensated"] else "plain"), f"{row['undecided']} of {row['vectors']}",
                      "–" if width is None else f"{width:.1e}"]
        lines.append(cells)
    header = ["n", *[f"{name}{column}" for name in TYPES.values() for column in ("", ": undecided", ": mean 2·bound/ulp")]]
    return f"{gpu}.\n\n" + table(header, lines)


def handover_choice(results):
    """A sentence: how far `every` is behind the best way that works at every length, inside a graph.

    Of short vectors: of longer ones the memory decides.
    """
    gpu, rows = results["handover"]
    us = {(row["type"], row["n"], row["way"]): row["microseconds"] for row in rows if row["timing"] == "graph"}
    parts = []
    for type_, name in TYPES.items():
        behind = {n: us[type_, n, "every"] - min(time for (t, m, way), time in us.items()
                                                 if (t, m) == (type_, n) and way not in ("alone", "cluster", "every"))
                  for t, n, way in us if (t, way) == (type_, "every") and n <= MAX_SHORT}
        first = sum(difference <= 0 for difference in behind.values())
        worst = max(behind, key=behind.get)
        parts.append(f"{name}: {first} of {len(behind)} lengths, elsewhere up to {behind[worst]:.2f} µs slower than the fastest "
                     f"({power(worst)})")
    return paragraph(f"In a graph on an {gpu}, up to {power(MAX_SHORT)}, leaving out `alone` and `cluster`, `every` is "
                     f"the fastest way in: {'; '.join(parts)}.")
