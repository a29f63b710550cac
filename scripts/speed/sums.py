"""Sections on exact sums beside numpy.sum and other sums of doubles, from docs/results/sums.json (bench/python/sums.py)."""
import itertools
import statistics
import sys

from shared.documents import figure, paragraph, table
from speed.python_tables import duration

CLEAR = 1.05  # a smaller gain may be one of the measurement


def ratio(row):
    """NumPy's time over that of exactdot: above 1, exactdot is faster."""
    return row["numpy"] / row["exactdot"]


def machine(results):
    about = results["machine"]
    return paragraph(f"{about['cpu']}, one thread, Python {about['python']}, NumPy {about['numpy']}, exactdot "
                     f"{about['exactdot']['version'].partition('+')[0]} ({about['exactdot']['instruction_set']}), {about['date']}; "
                     f"the least of {results['rounds']} samples in turns; numbers uniform in (−1, 1), integers of 32 bits in int64.")


def times(ratios):
    low, high = figure(min(ratios)), figure(max(ratios))
    return low if low == high else f"{low} to {high}"


def of_vectors(results, dtype):
    """How much faster exact sums of vectors are: up to a length, and beyond it."""
    ratios = {int(row["shape"].replace(",", "")): ratio(row) for row in results["rows"]
              if row["dtype"] == dtype and row["layout"] == "vector"}
    faster = list(itertools.takewhile(lambda n: ratios[n] > CLEAR, ratios))
    beyond = [ratios[n] for n in ratios if n not in faster]
    text = f"{dtype} {times([ratios[n] for n in faster])} times" if faster else dtype
    if beyond and faster:
        text += f" up to {faster[-1]:,} numbers and"
    return text + (f" {times(beyond)} times beyond" if beyond else "")


def claim(results):
    """Where exact sums win and where they do not."""
    rows, types = results["rows"], list(dict.fromkeys(row["dtype"] for row in results["rows"]))
    floats = [ratio(row) for row in rows if row["layout"] == "vector" and row["dtype"] != "int64"]
    if not statistics.median(floats) > 1:
        sys.exit("python_figures: exact sums of floats are no longer faster than np.sum; the claim of README.md is wrong")
    matrices = [ratio(row) for row in rows if row["layout"] != "vector" and row["dtype"] != "int64"]
    wins = sum(each > 1 for each in floats)
    return (f"**Exact sums of floats are mostly faster than `np.sum`**: in {wins} of {len(floats)} cases of 10 to 10⁷ numbers, on "
            f"one thread. How many times as fast: {'; '.join(of_vectors(results, dtype) for dtype in types)}. Along an axis of "
            f"matrices of floats {times(matrices)} times. Of int64 `np.sum` wraps around; `xd.sum` raises an error instead.")


def readme(results):
    return paragraph(claim(results))


def peers(results):
    """Other sums of doubles; `results`: how many bits a hundred orders of the same numbers give."""
    rows = [[f"{row['how']}", duration(row["n1000"]), duration(row["n1000000"]), f"{figure(row['error_ulps'])} ulp",
             str(row["results"])] for row in results["peers"]]
    return table(["sum of doubles", "10³ numbers", "10⁶ numbers", "error, 10³ that cancel",
                  f"results of {results['orders']} orders"], rows)


def ratios(results):
    """NumPy's time over exactdot's, a row for each type."""
    shapes = list(dict.fromkeys((row["layout"], row["shape"]) for row in results["rows"]))
    found = {(row["dtype"], row["layout"], row["shape"]): ratio(row) for row in results["rows"]}
    types = dict.fromkeys(row["dtype"] for row in results["rows"])
    head = [shape if layout == "vector" else f"{layout} of {shape}" for layout, shape in shapes]
    return table(["", *head], [[name, *(f"{found[name, *shape]:.2f}" for shape in shapes)] for name in types])
