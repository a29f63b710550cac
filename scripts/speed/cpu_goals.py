"""Goals on the CPU for scripts/performance, set before this version was measured.

Each goal names why it is missed, as far as experiments have shown it (docs/experiments.md). A reason is printed only
while a case misses the goal.
"""
import re

from speed.cpu import ITEM_BYTES, MEMORY_GOAL, MIN_HOSTILE, last_cache
from speed.goals import Case, Goal
from speed.rows import TYPES, Ratio, duration, fastest, length, ratio_of

HOSTILE_GOAL = 4.0      # exact, relative to the same call with uniform data
MIN_IN_CACHE = 1000     # elements
NORM_GOAL, SUM_GOAL = 0.7, 1.5
VERSION_GOAL = 1.02     # no slower, but for the noise of medians
THREADS_GOAL = 1.5      # `threads = 0` relative to `threads = 1`
REFINED = ("a refined sum is a second pass of 3 to 5 levels; 5 of products of doubles take 39 instructions a register, where "
           "the bounded sum takes 9.5")
SCALED = "doubles: each factor is scaled as it is loaded, and the first block is read twice"
PAGES = "the vectors lie in pages of 4 KiB; in pages of 2 MiB the ratio was about 1 in an experiment"
PLAIN = ("openblas", "openblas_as_shipped", "eigen_native", "eigen", "transform_reduce")


def plural(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def missing_threads(measured, machine):
    """Which of 1, 2 and all threads have no rows."""
    absent = sorted({1, 2, machine["hardware_threads"]} - set(measured))
    return " and ".join(map(plural, absent))


def memory_dot(results, where=""):
    found = [Case(f"{TYPES[type_]} {length(n)}, {plural(threads)}", ratio, MEMORY_GOAL)
             for type_ in results.types for n in results.sizes if results.is_in_memory(type_, n)
             for threads in results.threads if (ratio := results.ratio("exact", type_, n, threads))]
    return Goal(f"`exact` dot from memory: ≤ {MEMORY_GOAL:g} of OpenBLAS, at 1, 2 and all threads{where}", found, PAGES,
                missing=missing_threads(results.threads, results.report["machine"]))


def is_in_memory(found, type_, n):
    return ITEM_BYTES[type_] * n > last_cache(found.machine)


def memory_reductions(found):
    cases = [Case(f"{case[0]} {TYPES[case[1]]} {length(case[2])}, {plural(threads)}", ratio, MEMORY_GOAL)
             for case in found.cases() if is_in_memory(found, *case[1:]) for threads in found.threads
             if (ratio := ratio_of(found.row(*case, "exact", threads), found.row(*case, "fast", threads)))]
    return Goal(f"`exact`, other reductions from memory: ≤ {MEMORY_GOAL:g} of `fast`, at 1, 2 and all threads", cases, PAGES,
                missing=missing_threads(found.threads, found.machine))


def in_cache(found, reduction, peers, goal, types):
    """Cases of exact / the fastest of the peers, on one thread."""
    cases = []
    for case in found.cases():
        if case[0] != reduction or case[1] not in types or case[2] < MIN_IN_CACHE or is_in_memory(found, *case[1:]):
            continue
        other = fastest(found.row(*case, peer, found.threads[0]) for peer in peers)
        if ratio := ratio_of(found.row(*case, "exact", found.threads[0]), other):
            cases.append(Case(f"{TYPES[case[1]]} {length(case[2])}", ratio, goal))
    return cases


def hostile_goals(results, found):
    goals = []
    for data in results.hostile:
        cases = [Case(f"{TYPES[type_]} {length(n)}, {plural(threads)}", ratio, HOSTILE_GOAL)
                 for type_ in results.types for n in results.sizes if n >= MIN_HOSTILE for threads in results.threads
                 if (ratio := results.hostile_ratio(type_, n, threads, data))]
        goals.append(Goal(f"`exact` dot of `{data}` data, from {MIN_HOSTILE} elements on: ≤ {HOSTILE_GOAL:g} times uniform",
                          cases, REFINED if data.startswith("ill") else SCALED))
    others = [Case(f"{case[0]} {TYPES[case[1]]} {length(case[2])} {data}", ratio, HOSTILE_GOAL)
              for case in found.cases() if case[2] >= MIN_HOSTILE for data in found.hostile
              if (ratio := found.hostile_ratio(case, data, found.threads[0]))]
    return [*goals, Goal(f"other reductions of such data: ≤ {HOSTILE_GOAL:g} times uniform", others)]


def busy_threads(text):
    """From what bench/experiments/thread_runtimes.cpp printed."""
    rows = re.findall(r"^\| (\d+) \| [\d.]+ \| ([\d.]+) \| (?:yes|no) \|$", text, re.MULTILINE)
    return Goal(f"`threads = 0` on a busy machine: ≤ {THREADS_GOAL:g} of `threads = 1`",
                [Case(f"{count} competitors per processor", Ratio(float(value), False), THREADS_GOAL)
                 for count, value in rows])


def all_goals(results, many, found, threads_text):
    return [
        memory_dot(results), memory_dot(many, f" (of {many.report['machine']['hardware_threads']})"), memory_reductions(found),
        Goal(f"`exact` nrm2 in cache, from {MIN_IN_CACHE} on: ≤ {NORM_GOAL:g} of OpenBLAS's nrm2",
             in_cache(found, "nrm2", ("openblas", "openblas_as_shipped"), NORM_GOAL, TYPES),
             "every float is converted to double"),
        Goal(f"`exact` float sum in cache, from {MIN_IN_CACHE} on: ≤ {SUM_GOAL:g} of the fastest plain sum",
             in_cache(found, "sum", PLAIN, SUM_GOAL, ["float32"]),
             "two conversions and two additions of doubles for each addition of a plain sum"),
        *hostile_goals(results, found), busy_threads(threads_text)]


def without_goal(results):
    """A sentence: what is reported only."""
    n, threads = results.sizes[0], results.threads[0]
    calls = [f"{duration(row)} ({TYPES[type_]})" for type_ in results.types
             if (row := results.row("exact", type_, n, threads))]
    return (f"Without a goal: `exact` takes {' and '.join(calls)} for a call on {n} elements, {plural(threads)}. Latency "
            "through [Python](python.md). Not measured: latency through the C interface and the program; compile time and "
            "size of the libraries (`scripts/build_cost` prints them).")
