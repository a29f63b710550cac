"""Raw tables of the CPU, docs/results/cpu.md, for scripts/performance."""
from shared.documents import paragraph, table
from speed.cpu import FLOOR, MIN_HOSTILE
from speed.cpu_goals import HOSTILE_GOAL
from speed.rows import (QUICK, TYPES, duration, emphasized, figure_text, length, marked, percent_text, ratio_of,
                              ratio_text)

# goals of version 0.1, set before any measurement: time relative to OpenBLAS with the same number of threads, by length
EXACT_GOALS = {100: 4.0, 1000: 2.5, 10_000: 2.0, 100_000: 2.0, 1_000_000: 2.0, 50_000_000: 1.05}
FAST_GOAL = 1.0
SHORT_NANOSECONDS = 100  # for lengths without a ratio


def machine(results):
    facts = results.report["machine"]
    alignment = ("every vector starts at a multiple of 64 bytes" if results.report["alignment"] == "64"
                 else "vectors have the addresses that std::vector chooses")
    lines = [paragraph(f"{facts['cpu']}, {facts['hardware_threads']} hardware threads, {facts['caches']}; "
                       f"{facts['system']}, huge pages {facts['huge_pages']}; {facts['compiler']}; exactdot "
                       f"{facts['exactdot']}; {facts['date']}. Medians of {results.report['rounds']} interleaved samples; "
                       f"{alignment}.")]
    if results.report["quick"]:
        lines.append(f"**This is {QUICK}.**")
    peers = [[f"`{peer['name']}`", peer["how"], "yes" if peer["threaded"] else "no"]
             for peer in results.report["peers"]]
    return "\n\n".join([*lines, table(["row", "what is called", "uses threads"], peers)])


def openblas_goals(results):
    rows = []
    for mode in ("exact", "fast"):
        goals = {n: EXACT_GOALS.get(n) if mode == "exact" else FAST_GOAL for n in results.sizes}
        limits = [f"≤ {goals[n]:g}" if goals[n] else f"< {SHORT_NANOSECONDS} ns" for n in results.sizes]
        rows.append([f"*goal for {mode}*", "", *limits])
        for type_ in results.types:
            for threads in results.threads:
                rows.append([f"`{mode}`, {TYPES[type_]}", threads,
                             *[goal_cell(results, mode, type_, n, threads, goals[n]) for n in results.sizes]])
    return table(["time / OpenBLAS's time", "threads", *map(length, results.sizes)], rows)


def goal_cell(results, mode, type_, n, threads, goal):
    row = results.row(mode, type_, n, threads)
    if row and not goal:
        return marked(emphasized(f"{row['ns']:.0f} ns", row["ns"] < SHORT_NANOSECONDS), row)
    return with_excess(results.ratio(mode, type_, n, threads), goal)


def with_excess(ratio, goal):
    """The ratio, and by how much it exceeds the goal if it does."""
    excess = f" (+{100 * (ratio.value / goal - 1):.0f} %)" if ratio and ratio.value > goal else ""
    return ratio_text(ratio, lambda value: value <= goal) + excess


def hostile(results):
    rows = [["*goal*", "", *[f"≤ {HOSTILE_GOAL:g}" if n >= MIN_HOSTILE else "–" for n in results.sizes]]]
    for data in results.hostile:
        for type_ in results.types:
            for threads in results.threads:
                rows.append([f"{data}, {TYPES[type_]}", threads,
                             *[with_excess(ratio, HOSTILE_GOAL) if n >= MIN_HOSTILE else ratio_text(ratio)
                               for n in results.sizes for ratio in [results.hostile_ratio(type_, n, threads, data)]]])
    return table(["`exact`: time / its time on uniform data", "threads", *map(length, results.sizes)], rows)


def speedup_by_threads(results):
    few, rows = results.threads[0], []
    for peer in ("exact", "fast", "openblas"):
        for type_ in results.types:
            for many in results.threads[1:]:
                ratios = [ratio_of(results.row(peer, type_, n, few), results.row(peer, type_, n, many))
                          for n in results.sizes]
                if any(ratios):
                    rows.append([f"`{peer}`, {TYPES[type_]}", many, *map(ratio_text, ratios)])
    if not rows:
        return "Not measured: one number of threads only."
    return table([f"time with {few} thread / with more", "threads", *map(length, results.sizes)], rows)


def roofline(results):
    """What share of the speed of reading each length reaches, on one thread."""
    threads, rows = results.threads[0], []
    for type_ in results.types:
        for n in results.sizes:
            floor = results.row(FLOOR, type_, n, threads)
            shares = [percent_text(ratio_of(floor, row)) for row in
                      (results.openblas(type_, n, threads), *(results.row(mode, type_, n, threads) for mode in ("fast", "exact")))]
            rows.append([TYPES[type_], length(n), figure_text(floor, "gb_per_s"), *shares])
    return table(["type", "n", "reading, GB/s", "OpenBLAS", "`fast`", "`exact`"], rows)


def many_threads(results):
    """Time, and its ratio to OpenBLAS's, for each number of threads."""
    rows = []
    for type_ in results.types:
        for n in results.sizes:
            for mode in ("exact", "fast"):
                cells = []
                for threads in results.threads:
                    row, ratio = results.row(mode, type_, n, threads), results.ratio(mode, type_, n, threads)
                    cells.append(f"{duration(row)}, {ratio_text(ratio)}")
                rows.append([f"`{mode}`, {TYPES[type_]}", length(n), *cells])
    return table(["", "n", *[f"{threads} thread{'s' if threads > 1 else ''}" for threads in results.threads]], rows)
