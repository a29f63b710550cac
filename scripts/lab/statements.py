"""Sentences of docs/lab.md that compare measurements, each with the condition under which it is true.

A sentence must occur in the document word for word, and its condition must hold for the results; otherwise either the text
or the measurement is out of date.
"""
import re
import sys


class Figures:
    """Times and errors of the rungs, by name, at the smallest, middle and largest length."""

    def __init__(self, results):
        self.results = results
        self.small, self.middle, self.large = results.sizes

    def rung(self, name, n=None, dtype="float32"):
        return self.results.find(name, n or self.small, dtype)

    def time(self, name, n=None, dtype="float32"):
        return self.rung(name, n, dtype)["microseconds"]

    def ratio(self, name, other, n=None, dtype="float32"):
        return self.time(name, n, dtype) / self.time(other, n, dtype)

    def percent(self, name, n=None, dtype="float32"):
        return self.rung(name, n, dtype)["percent_of_ceiling"]

    def ulps(self, name, n=None, dtype="float32"):
        return self.rung(name, n, dtype)["ulps"]

    def per_atomic(self, name, n=None):
        return 1000 * self.time(name, n) / self.rung(name, n)["atomics"]  # nanoseconds

    def value(self, name, n=None, dtype="float32"):
        return self.rung(name, n, dtype)["value"]

    def rank(self, name, n=None):
        """How many other rungs take less time, not counting the wrong one."""
        return sum(self.ratio(other, name, n) < 1 for other in self.results.names if other != "racy")

    def ill(self, name):
        """Errors on the data that cancel, from the smallest condition number on."""
        return [next(rung["ulps"] for rung in ladder["rungs"] if rung["name"] == name) for ladder in self.results.ill]

    def ramp_error(self, name):
        return [abs(entry["rungs"][name] / entry["exact"] - 1) for entry in self.results.ramp]

    def finish(self, name, n=None):
        return self.rung(name, n)["copy_microseconds"]


STATEMENTS = (
    ("On doubles the loop with a float accumulator takes longer than any kernel",
     lambda f: all(f.time("cpu_loop", n, "float64") > max(f.time(name, n, "float64") for name in f.results.names
                                                           if name != "cpu_loop") for n in f.results.sizes)),
    ("The wrong answer takes longer than the right one of `optimized`",
     lambda f: all(f.ratio("racy", "optimized", n) > 1 for n in f.results.sizes)),
    ("Doubles take the same time as floats, though they are twice the bytes",
     lambda f: all(abs(f.time("atomic_per_element", n, "float64") / f.time("atomic_per_element", n) - 1) < 0.02
                   for n in f.results.sizes)),
    ("the time for one atomic is the same at every length",
     lambda f: f.per_atomic("atomic_per_element", f.large) / f.per_atomic("atomic_per_element") < 1.02),
    ("At 2^20 the lock more than doubles the time",
     lambda f: f.ratio("lock_per_block", "partial_per_thread") > 2),
    ("From 2^24 on the lock costs nothing that shows",
     lambda f: all(f.ratio("lock_per_block", "partial_per_thread", n) < 1.03 for n in f.results.sizes[1:])),
    ("copying and adding the products takes more than 300 times as long as the kernel",
     lambda f: all(f.finish("products_host_sum", n) > 300 * f.time("products_host_sum", n) for n in f.results.sizes)),
    ("A double takes hardly longer than a float",
     lambda f: f.time("partial_per_thread", f.large, "float64") / f.time("partial_per_thread", f.large) < 1.15),
    ("At 2^20 this rung takes more than twice the time of `shared_host_sum`",
     lambda f: f.ratio("shared_atomic", "shared_host_sum") > 2),
    ("At 2^24 it still takes a tenth more, at 2^26 hardly more",
     lambda f: 1.05 < f.ratio("shared_atomic", "shared_host_sum", f.middle) < 1.15
     and f.ratio("shared_atomic", "shared_host_sum", f.large) < 1.03),
    ("Copy and host take several times the kernel's time at 2^20",
     lambda f: f.finish("shared_host_sum") > 3 * f.time("shared_host_sum")),
    ("At 2^20 the scattered tree costs about a tenth; from 2^24 on nothing that shows",
     lambda f: 1.05 < f.ratio("interleaved", "shared_host_sum") < 1.15
     and all(f.ratio("interleaved", "shared_host_sum", n) < 1.02 for n in f.results.sizes[1:])),
    ("the gain over `shared_atomic` is a twentieth at most",
     lambda f: all(0.94 < f.ratio("shared_then_shuffle", "shared_atomic", n) <= 1.01 for n in f.results.sizes)),
    ("At 2^20 the rung takes six times as long as `shuffle_block`",
     lambda f: 5.5 < f.ratio("shuffle_per_warp", "shuffle_block") < 6.5),
    ("its time is that of `shared_atomic`, within a tenth",
     lambda f: all(abs(f.ratio("shuffle_block", "shared_atomic", n) - 1) < 0.1 for n in f.results.sizes)),
    ("At 2^20 the second launch costs less than the queue of atomics; from 2^24 on it costs more",
     lambda f: f.ratio("two_phase", "shuffle_block") < 1
     and all(f.ratio("two_phase", "shuffle_block", n) > 1 for n in f.results.sizes[1:])),
    ("At 2^20 nothing is gained; at 2^26 floats it is the fastest of the rungs that add by atomics",
     lambda f: f.ratio("vectorized", "shuffle_per_warp") > 0.99
     and all(f.ratio("vectorized", name, f.large) < 1 for name in
             ("atomic_per_element", "lock_per_block", "shared_atomic", "shared_then_shuffle", "shuffle_per_warp",
              "shuffle_block"))),
    ("At 2^26 it is level with CUB and faster than cuBLAS by two hundredths. At 2^20 it is faster than cuBLAS and slower "
     "than CUB",
     lambda f: abs(f.ratio("optimized", "cub", f.large) - 1) < 0.01
     and 0.97 < f.ratio("optimized", "cublas", f.large) < 0.99
     and f.ratio("optimized", "cublas") < 1 < f.ratio("optimized", "cub")),
    ("At 2^20 one launch is slower than two",
     lambda f: f.ratio("single_pass", "optimized") > 1.05),
    ("The result is correctly rounded at each length here",
     lambda f: all(f.ulps("double_accumulator", n) <= 0.5 for n in f.results.sizes)),
    ("Against `two_phase` it costs less than a tenth at 2^20 and about a hundredth at 2^26",
     lambda f: f.ratio("double_accumulator", "two_phase") < 1.1
     and 1.005 < f.ratio("double_accumulator", "two_phase", f.large) < 1.02),
    ("`kahan` is off by a few ulps and `neumaier` is correctly rounded",
     lambda f: all(0.5 < f.ulps("kahan", n) < 5 and f.ulps("neumaier", n) <= 0.5 for n in f.results.sizes)),
    ("At 2^26 that arithmetic adds two to three hundredths to the time",
     lambda f: all(1.015 < f.ratio(name, "two_phase", f.large) < 1.035 for name in ("kahan", "neumaier"))),
    ("At 2^20 CUB takes six tenths of cuBLAS's time; at 2^26 the two are within three hundredths of each other",
     lambda f: 0.55 < f.ratio("cub", "cublas") < 0.65 and abs(f.ratio("cub", "cublas", f.large) - 1) < 0.03),
    ("At 2^20 only CUB is faster, of the rungs whose result stays on the device",
     lambda f: {name for name in f.results.names
                if name != "racy" and f.finish(name) is None and f.ratio(name, "fast") < 1} == {"cub"}),
    ("At 2^26 it takes a twentieth longer than `optimized`",
     lambda f: 1.03 < f.ratio("fast", "optimized", f.large) < 1.07),
    ("At 2^20 `exact` takes six tenths more time than `fast`, and about as much as cuBLAS. At 2^26 it is level with cuBLAS "
     "and takes a little less time than `fast`",
     lambda f: 1.55 < f.ratio("exact", "fast") < 1.65 and abs(f.ratio("exact", "cublas") - 1) < 0.05
     and abs(f.ratio("exact", "cublas", f.large) - 1) < 0.01 and 0.97 < f.ratio("exact", "fast", f.large) < 1),
    ("The kernel alone is among the fastest at 2^20", lambda f: f.rank("products_host_sum") < 4),
    ("The kernel without atomics is one of the fastest at 2^20", lambda f: f.rank("shared_host_sum") < 5),
    ("At the rate of rung 2 they alone take most of the time at 2^20",
     lambda f: f.per_atomic("atomic_per_element") > 0.5 * f.per_atomic("shared_atomic")),
    ("and about a tenth of it at 2^26",
     lambda f: 0.07 < f.finish("shared_host_sum", f.large) / f.time("shared_host_sum", f.large) < 0.13),
    ("the time over atomics is that of rung 2, within a twentieth",
     lambda f: abs(f.per_atomic("shuffle_per_warp") / f.per_atomic("atomic_per_element") - 1) < 0.05),
    ("More partial sums of fewer terms each bring a smaller error as well",
     lambda f: all(f.ulps("optimized", n) < f.ulps("two_phase", n) for n in f.results.sizes)),
    ("So its bits are those of `optimized`",
     lambda f: all(f.value("single_pass", n, dtype) == f.value("optimized", n, dtype)
                   for n in f.results.sizes for dtype in f.results.types)),
    ("For doubles there is no wider type: the bits are those of `two_phase`",
     lambda f: all(f.value("double_accumulator", n, "float64") == f.value("two_phase", n, "float64")
                   for n in f.results.sizes)),
    ("Both have the same bits in every run here",
     lambda f: all(f.rung(name, n, dtype)["distinct_results"] == 1 for name in ("cublas", "cub")
                   for n in f.results.sizes for dtype in f.results.types)),
    ("`kahan` does no better than a good tree of plain sums",
     lambda f: all(0.2 < kahan / tree < 5 for kahan, tree in zip(f.ill("kahan"), f.ill("optimized")))),
    ("Sums in double last a little longer",
     lambda f: all(double < pair for double, pair in zip(f.ill("double_accumulator")[1:], f.ill("neumaier")[1:]))),
    ("`exact` has no such limit", lambda f: all(error <= 0.5 for error in f.ill("exact"))),
    ("A plain loop is wrong in the third or fourth digit all the same",
     lambda f: all(1e-4 < error < 1e-2 for error in f.ramp_error("cpu_loop"))),
)


def check(text, results):
    """Exits with an error if the document lacks a statement or the results contradict one."""
    words = re.sub(r"\s+", " ", text)
    figures = Figures(results)
    for sentence, holds in STATEMENTS:
        if sentence not in words:
            sys.exit(f"lab_tables: docs/lab.md lacks the statement: {sentence}")
        if not holds(figures):
            sys.exit(f"lab_tables: the results contradict the statement of docs/lab.md: {sentence}")
