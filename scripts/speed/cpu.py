"""Results of the CPU for scripts/performance: the page of docs/performance.md.

Results are in docs/results/cpu.json (`exactdot bench --device cpu`). scripts/speed/cpu_tables.py has the raw tables,
scripts/speed/cpu_goals.py the goals.
"""
import math
import re
import sys

from shared import result_files
from shared.documents import paragraph, table
from speed.rows import TYPES, duration, fastest, length, ratio_of, source

OWN = ("fast", "exact")
FLOOR = "read"  # a loop that only reads, on one thread
ITEM_BYTES = {"float32": 4, "float64": 8}
IN_CACHE = (10_000, 100_000, 1_000_000)  # shorter lengths are listed separately: fixed costs dominate
MEMORY_GOAL = 1.05                       # relative to OpenBLAS or to `fast`
MIN_HOSTILE = 100     # elements from which on the goals for hard data hold


class CpuResults:
    def __init__(self, path):
        self.report = result_files.read(path)
        self.rows = [{**row, "us": row["ns"] / 1000, "ns_per_element": row["ns"] / row["n"],
                      "gb_per_s": 2 * ITEM_BYTES[row["type"]] * row["n"] / row["ns"]} for row in self.report["rows"]]
        self.sizes = sorted({row["n"] for row in self.rows})
        self.threads = sorted({row["threads"] for row in self.rows})
        self.types = [name for name in TYPES if any(row["type"] == name for row in self.rows)]
        self.hostile = list(dict.fromkeys(row["data"] for row in self.rows if row["data"] != "uniform"))
        self.index = {(row["peer"], row["type"], row["n"], row["threads"], row["data"]): row for row in self.rows}
        if not all("ratio_to_openblas" in row for row in self.rows):
            sys.exit("performance: the results have no OpenBLAS; all ratios refer to it")

    def row(self, peer, type_, n, threads, data="uniform"):
        return self.index.get((peer, type_, n, threads, data))

    def openblas(self, type_, n, threads):
        """OpenBLAS's fastest row."""
        return fastest(self.row(peer["name"], type_, n, threads) for peer in self.report["peers"]
                       if peer["name"].startswith("openblas"))

    def ratio(self, mode, type_, n, threads):
        return ratio_of(self.row(mode, type_, n, threads), self.openblas(type_, n, threads))

    def hostile_ratio(self, type_, n, threads, data):
        return ratio_of(self.row("exact", type_, n, threads, data), self.row("exact", type_, n, threads))

    def is_in_memory(self, type_, n):
        return 2 * ITEM_BYTES[type_] * n > last_cache(self.report["machine"])


def last_cache(machine):
    """Bytes of the last cache of "L1 48 KiB, L2 2 MiB, L3 260 MiB"; infinite if the machine says nothing."""
    sizes = re.findall(r"([0-9.]+) ([KMG])iB", machine.get("caches") or "")
    return max((float(size) * 1024.0 ** (1 + "KMG".index(unit)) for size, unit in sizes), default=math.inf)


def origin(results):
    facts, report = results.report["machine"], results.report
    return paragraph(source("cpu.json", f"{facts['cpu']}, {facts['hardware_threads']} hardware threads, {facts['caches']}",
                            facts["exactdot"], facts["date"], report["rounds"], report["quick"]), "- ")


def limit(results, type_, n):
    """The row that only reads; without one, the time at the speed of the fastest row at the longest n, or None for
    vectors that fit in a cache."""
    longest, threads = results.sizes[-1], results.threads[0]
    if floor := results.row(FLOOR, type_, n, threads):
        return floor
    if not results.is_in_memory(type_, n):
        return None
    best = fastest(results.row(peer["name"], type_, longest, threads) for peer in results.report["peers"])
    return best and {"us": best["us"] * n / longest, "spread": best["spread"]}


def times(results):
    """Time over n of every peer on one thread."""
    threads, rows = results.threads[0], []
    peers = [peer["name"] for peer in results.report["peers"] if peer["name"] not in (*OWN, FLOOR)]
    for type_ in results.types:
        rows.append([f"{TYPES[type_]}: limit", *[duration(limit(results, type_, n)) for n in results.sizes]])
        for peer in (*peers, *OWN):
            cells = []
            for n in results.sizes:
                ratio = results.ratio(peer, type_, n, threads)
                missed = peer == "exact" and ratio and results.is_in_memory(type_, n) and ratio.value > MEMORY_GOAL
                text = duration(results.row(peer, type_, n, threads))
                cells.append(f"**{text}**" if missed else text)
            rows.append([f"{TYPES[type_]}: `{peer}`", *cells])
    return table(["time of one dot", *map(length, results.sizes)], rows)


def speed(results, mode):
    """The larger ratio of float and double, with one thread."""
    def max_ratio(sizes):
        return max(results.ratio(mode, type_, n, results.threads[0]).value for type_ in results.types for n in sizes)

    in_cache = [n for n in results.sizes if n in IN_CACHE]
    shorter = [n for n in results.sizes if n < IN_CACHE[0]]
    text = (f"{max_ratio(results.sizes[-1:]):.2f}× OpenBLAS's time from memory, {max_ratio(in_cache):.2f}× in cache from "
            f"n = {IN_CACHE[0]:,} on")
    return text + (f", up to {max_ratio(shorter):.2f}× for shorter vectors" if shorter else "")


def speed_table(results, old):
    """The old table with new figures in the column `speed`."""
    lines = old.strip().split("\n")
    column = [cell.strip() for cell in lines[0].split("|")].index("speed")
    for i, line in enumerate(lines):
        cells = line.split("|")
        if mode := re.match(r"\s*`(exact|fast)`", cells[1]):
            cells[column] = f" {speed(results, mode[1])} "
            lines[i] = "|".join(cells)
    return "\n".join(lines)


def conditions(results):
    """What the figures of speed_table refer to."""
    ratios = [ratio.value for data in results.hostile for type_ in results.types for n in results.sizes
              if n >= MIN_HOSTILE and (ratio := results.hostile_ratio(type_, n, results.threads[0], data))]
    text = "One thread, elements uniform in (−1, 1), the worse of float and double."
    if ratios:
        text += (" The measured sets of data that cancel or have widely spread exponents take up to "
                 f"{max(ratios):.0f} times as long as uniform data, from {MIN_HOSTILE} elements on; others, such as few "
                 "huge elements among small ones, take longer.")
    return paragraph(text)
