"""Tables and goals of alignments, 16-bit elements and integers on a GPU, docs/results/elements.md, for
scripts/performance.

The results are docs/results/elements-NAME.json, from bench/experiments/gpu_elements.cu.
"""

from shared import result_files
from shared.documents import figure, paragraph, table
from speed.goals import Case, Goal
from speed.rows import Ratio, is_noisy, marked

ALIGNMENT_GOAL = 1.1
DOT_GOAL = 0.85  # of cublasDotEx
MESSAGES = "several blocks exchange two messages each, as for sums of doubles"
EXTREMA = "blocks of 1024 threads, which send fewer messages, take up to 40 % less than the 256 of before; the rest is not explained"
NOT_WAYS = ("row", "type", "bytes", "spread")


def read_results(folder):
    """(name of the GPU, rows)"""
    report = result_files.read(next(folder.glob("elements-*.json")))
    return report["gpu"], report["rows"]


def power(bytes_):
    return f"2^{bytes_.bit_length() - 1}"


def ways_of(row):
    """The times of a row, that of reading last."""
    names = sorted((name for name in row if name not in NOT_WAYS), key="read".__eq__)
    return {name: row[name] for name in names}


def table_of(rows):
    """A line for each row; all rows have the same ways."""
    names = list(ways_of(rows[0]))
    return table(["reduction", "elements", "bytes", *names],
                 [[row["row"], f"`{row['type']}`", power(row["bytes"]), *(marked(figure(row[name]), row) if name in row
                                                                          else "–" for name in names)] for row in rows])


def select(results, *names):
    return [row for row in results[1] if all(name in row for name in names)]


def entries(results):
    """(heading, text, table) of the page."""
    shifted = [row for row in select(results, "aligned") if row["row"] != "sum"]
    return [
        ("Alignment of two vectors", f"{results[0]}. By how many elements each vector is shifted against 16 bytes.",
         table_of(shifted)),
        ("Alignment of one vector", "", table_of(select(results, "aligned", "by 1"))),
        ("Dots of 16-bit elements", "cuBLAS computes in float.", table_of(select(results, "exact", "fast"))),
        ("Sums and extrema of 16-bit elements", "", table_of(select(results, "exact", "max"))),
        ("Sums of integers, extrema and their indices", "Sums are of type int64, CUB's too.",
         table_of(select(results, "exact", "cub")))]


def name_of(row):
    return f"{row['row']} {row['type']} {power(row['bytes'])} bytes"


def goals(results):
    def ratios(rows, value, reference, goal):
        return [Case(f"{name_of(row)}{', ' + way if len(value(row)) > 1 else ''}",
                     Ratio(row[way] / row[reference], is_noisy(row)), goal)
                for row in rows for way in value(row) if row.get(reference)]

    exact = lambda row: ["exact"]  # noqa: E731
    shifts = lambda row: [name for name in ways_of(row) if name != "aligned"]  # noqa: E731
    of_cub = select(results, "exact", "cub")
    return [
        Goal(f"vectors that are not aligned to 16 bytes, or not to each other: ≤ {ALIGNMENT_GOAL:g} of aligned ones",
             ratios(select(results, "aligned"), shifts, "aligned", ALIGNMENT_GOAL),
             "one block: four single loads in place of one, and elements that are in no pack"),
        Goal(f"`exact` dot, float16 and bfloat16: ≤ {DOT_GOAL:g} of `cublasDotEx`",
             ratios(select(results, "cublasDotEx"), exact, "cublasDotEx", DOT_GOAL), MESSAGES),
        Goal("sums of integers: ≤ CUB", ratios([row for row in of_cub if row["row"] == "sum"], exact, "cub", 1),
             MESSAGES),
        Goal("max: ≤ CUB", ratios([row for row in of_cub if row["row"] == "max"], exact, "cub", 1),
             EXTREMA),
        Goal("argmax: ≤ CUB", ratios([row for row in of_cub if row["row"] == "argmax"], exact, "cub", 1),
             EXTREMA)]


def text():
    return paragraph("Medians of 9 rounds in a replayed graph, in microseconds; `read`: the fastest kernel that only reads the "
                     "same bytes. The bytes are those of one vector.")
