"""Sections on exact sums beside numpy.sum and other sums of doubles, from docs/results/sums.json (bench/python/sums.py)."""
import itertools
import sys

from shared.documents import figure, paragraph, table
from speed.python_tables import duration

CLEAR = 1.05  # a smaller gain may be one of the measurement
CLOSE = 1.25  # about as fast


def ratio(row):
    """NumPy's time over that of exactdot: above 1, exactdot is faster."""
    return row["numpy_ns"] / row["exactdot_ns"]


def machine(results):
    about = results["machine"]
    return paragraph(f"{about['cpu']}, one thread, Python {about['python']}, NumPy {about['numpy']}, exactdot "
                     f"{about['exactdot']['version'].partition('+')[0]} ({about['exactdot']['instruction_set']}), {about['date']}; "
                     f"the least of {results['rounds']} samples in turns; numbers uniform in (−1, 1), integers of 32 bits in int64.")


def times(ratios):
    low, high = figure(min(ratios)), figure(max(ratios))
    return low if low == high else f"{low} to {high}"


def of_type(results, dtype):
    """Lengths and ratios of vectors of a type."""
    return {int(row["shape"].replace(",", "")): ratio(row) for row in results["rows"]
            if row["dtype"] == dtype and row["layout"] == "vector"}


def faster_up_to(ratios):
    """The greatest length up to which every sum is clearly faster; 0 for none."""
    return max([*itertools.takewhile(lambda n: ratios[n] > CLEAR, ratios)], default=0)


def crossover(results, dtype):
    """A type in words: up to which length exact sums are faster, and what follows."""
    ratios = of_type(results, dtype)
    last = faster_up_to(ratios)
    beyond = [ratios[n] for n in ratios if n > last]
    if not beyond:
        return f"{dtype} at every length"
    if min(beyond) > 1 / CLOSE and max(beyond) < CLOSE:
        return f"{dtype} up to {last:,} (about as fast beyond)"
    return f"{dtype} up to {last:,} (beyond, up to {figure(1 / min(beyond))} times as slow)"


def claim(results):
    """Where exact sums win and where they do not."""
    rows, types = results["rows"], list(dict.fromkeys(row["dtype"] for row in results["rows"]))
    vectors = [ratio(row) for row in rows if row["layout"] == "vector"]
    wins = sum(each > 1 for each in vectors)
    if not wins > 0.75 * len(vectors):
        sys.exit("python_figures: exact sums are no longer mostly faster than np.sum; the claim is wrong")
    matrices = [ratio(row) for row in rows if row["layout"] != "vector"]
    return (f"**Exact sums are mostly faster than `np.sum`**: in {wins} of {len(vectors)} cases of 10 to 10⁷ numbers on "
            f"one thread. They are faster for {', '.join(crossover(results, dtype) for dtype in types)}; along an axis of a "
            f"matrix they are {times(matrices)} times as fast. Where a sum of int64 overflows, `np.sum` wraps around "
            "and `xd.sum` raises an error.")


def readme(results):
    return paragraph(claim(results))


def peers(results):
    """Other sums of doubles; `results`: how many bits a hundred orders of the same numbers give."""
    rows = [[f"{row['how']}", duration(row["ns_1000"]), duration(row["ns_1000000"]), f"{figure(row['error_ulps'])} ulp",
             str(row["results"])] for row in results["peers"]]
    return table(["sum of doubles", "10³ numbers", "10⁶ numbers", "error, 10³ that cancel",
                  f"results of {results['orders']} orders"], rows)


def ratios(results):
    """NumPy's time over exactdot's, a row for each type."""
    shapes = list(dict.fromkeys((row["layout"], row["shape"]) for row in results["rows"]))
    found = {(row["dtype"], row["layout"], row["shape"]): ratio(row) for row in results["rows"]}
    types = dict.fromkeys(row["dtype"] for row in results["rows"])
    head = [shape if layout == "vector" else f"{layout} of {shape}" for layout, shape in shapes]
    return table(["times as fast as `np.sum`", *head],
                 [[name, *(figure(found[name, *shape]) for shape in shapes)] for name in types])
