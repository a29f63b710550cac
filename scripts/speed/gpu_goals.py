"""Goals on a GPU for scripts/performance: ratios in one run, set before this version was measured.

Each goal names why it is missed, as far as experiments have shown it (docs/experiments.md). A reason is printed only
while a case misses the goal.
"""
import speed.elements
import speed.groups
import speed.lines
from speed.goals import Case, Goal
from speed.gpu import EXACT_GOALS, HOSTILE_GOAL
from speed.rows import TYPES, Ratio, length, ratio_of

MIN_LONG = 1 << 26         # from this length on times are compared with the read ceiling
CEILING_GOAL = 0.99        # fraction of the speed of reading the same bytes
MAX_HOST_LENGTH = 1 << 20  # up to this length the launch, not the memory, determines the time to a result on the host
HOST_GOAL = 0.5            # relative to cuBLAS's host-pointer mode
OLD_GOAL = 1.1             # relative to version 0.1
WORKSPACE_GOAL = 1 << 20   # bytes
MODES = ("exact", "fast")

MESSAGES = "from 2^16 on several blocks exchange messages, 0.5 to 0.8 µs; shorter vectors have one block or one cluster"
CONVERSIONS = "several blocks exchange messages, and every element is converted to double"
IN_FLIGHT = "the last loads are added, and messages sent, after all have come: 2 to 3 µs"
ORDER = "the last tiles are added after all loads have come"
ONE_INPUT = "half the bytes of a dot, but the same time for the end of a launch"
ROOT = "as the sums, and the root or quotient"
OTHERS = ("variances load ahead and are still short of warps, of which half as many fit; extrema: not explained; others: the "
          "end of the launch")
RANGE = "products of doubles over- or underflow: a second read, added to four doubles of scaled factors"
CANCELS = ("cancelling sums leave the bounded sum undecided: a second read, added to four doubles; of short vectors the joins "
           "of threads count")


def cases(results, sizes, value, goal, types=None):
    """A case for each type and length that was measured; `goal`: a number, or a function of type and length."""
    return [Case(f"{TYPES[type_]} {length(n)}", ratio, goal(type_, n) if callable(goal) else goal)
            for type_ in types or results.types for n in sizes if (ratio := value(type_, n))]


def between(sizes, first, last):
    return [n for n in sizes if 1 << first <= n <= 1 << last]


def exact_dot_goals(results):
    reasons = {("float32", 10): MESSAGES, ("float32", 18): CONVERSIONS, ("float64", 10): MESSAGES}
    goals = []
    for type_, ranges in EXACT_GOALS.items():
        for first, last, goal in ranges:
            goals.append(Goal(f"`exact` dot, {TYPES[type_]}, 2^{first} … 2^{last}: ≤ {goal:g} of cuBLAS", cases(
                results, between(results.sizes, first, last), lambda t, n: results.ratio("exact", t, n), goal, [type_]),
                reasons.get((type_, first), IN_FLIGHT)))
        first = results.sizes[0].bit_length() - 1 if type_ == "float32" else 23
        where = "at every n" if type_ == "float32" else f"from 2^{first} on"
        goals.append(Goal(f"`exact` dot, {TYPES[type_]}, {where}: ≤ the faster of cuBLAS and CUB", cases(
            results, [n for n in results.sizes if n >= 1 << first],
            lambda t, n: ratio_of(results.row(t, n, "exact"), results.reference("fast", t, n)), 1, [type_]),
            f"{MESSAGES}; one block, up to 2^12: sums of doubles with bounds, joined by 10 steps of 12 operations each (not measured); {IN_FLIGHT}" if type_ == "float32" else IN_FLIGHT))
    return goals


def dot_goals(results):
    """Goals of the dot: also for the table of all misses in docs/results/gpu.md."""
    long, short = ([n for n in results.sizes if n >= MIN_LONG], [n for n in results.sizes if n <= MAX_HOST_LENGTH])
    goals = exact_dot_goals(results)
    goals.append(Goal("`fast` dot, every n: ≤ the faster of cuBLAS and CUB", cases(
        results, results.sizes, lambda t, n: results.ratio("fast", t, n), 1), ORDER))
    for mode in MODES:
        name = f"`{mode}` dot, from {length(MIN_LONG)} on: ≥ {100 * CEILING_GOAL:g} % of the read ceiling"
        goals.append(Goal(name, cases(
            results, long, lambda t, n: results.of_ceiling(mode, t, n), CEILING_GOAL), IN_FLIGHT, at_least=True))
    for mode in MODES:
        name = f"`{mode}` dot, result on the host, up to {length(MAX_HOST_LENGTH)}: ≤ {HOST_GOAL} of cuBLAS"
        goals.append(Goal(name, cases(
            results, short, lambda t, n: ratio_of(results.row(t, n, mode, "host"), results.row(t, n, "cublas", "host")),
            HOST_GOAL), "starting a kernel and awaiting it takes most of the time; see the floors in the raw table"))
    for data in results.hostile:
        goals.append(Goal(f"`exact` dot of `{data}` data: ≤ {HOSTILE_GOAL:g} times uniform", cases(
            results, results.sizes, lambda t, n: results.hostile_ratio(t, n, data), HOSTILE_GOAL),
            CANCELS if data.startswith("ill") else RANGE))
    return goals


def workspace_goal(results):
    size = results.report["workspace_bytes"]
    return Goal(f"workspace of {size / 1024:.0f} KiB: ≤ {WORKSPACE_GOAL >> 20} MiB",
                [Case("", Ratio(size / WORKSPACE_GOAL, False), 1)])


def one_input(found, reduction, first, last, peer, goals):
    """Cases of exact / peer of a reduction; `goals`: by type."""
    return [Case(f"{TYPES[type_]} {length(n)}", ratio, goals[type_]) for type_ in goals
            for n in between(found.sizes, first, last)
            if (ratio := ratio_of(found.row(reduction, type_, n, "exact"), found.row(reduction, type_, n, peer)))]


def unmeasured(found, first, last):
    count = last - first + 1 - len(between(found.sizes, first, last))
    return f"{count} of {last - first + 1} powers of two" if count else ""


def both(goal):
    return {"float32": goal, "float64": goal}


def reduction_goals(found):
    """Goals of sums and norms; `found`: speed.reductions.Reports of a GPU, or None."""
    def goal(reduction, first, last, peer, limits, name, reason):
        measured = one_input(found, reduction, first, last, peer, limits) if found else []
        return Goal(name, measured, reason, unmeasured(found, first, last) if measured and first != last else "")

    top = 28
    return [
        goal("sum", 13, 22, "cub", both(1.15), "`exact` sum, 2^13 … 2^22: ≤ 1.15 of CUB's sum", ONE_INPUT),
        goal("sum", 23, 29, "cub", both(1.0), "`exact` sum, 2^23 … 2^29: ≤ 1 of CUB's sum", ONE_INPUT),
        goal("nrm2", 10, 20, "cublas", both(0.4), "exact nrm2, 2^10 … 2^20: ≤ 0.4 of cuBLAS", ROOT),
        goal("nrm2", top, top, "cublas", {"float32": 0.6, "float64": 0.8},
             f"`exact` nrm2, 2^{top}: ≤ 0.6 (float), 0.8 (double) of cuBLAS", ONE_INPUT),
        goal("asum", 10, 20, "cublas", both(0.75), "exact asum, 2^10 … 2^20: ≤ 0.75 of cuBLAS", ONE_INPUT),
        goal("asum", top, top, "cublas", {"float32": 0.6, "float64": 0.9},
             f"`exact` asum, 2^{top}: ≤ 0.6 (float), 0.9 (double) of cuBLAS", ONE_INPUT)]


def all_reductions_goals(found):
    """Goals of every reduction but the dot."""
    def collect(value, goal, sizes):
        return [Case(f"{reduction} {TYPES[type_]} {length(n)}", ratio, goal) for reduction, type_, n in found.cases()
                if n in sizes and (ratio := value(reduction, type_, n))] if found else []

    def of_ceiling(mode):
        return lambda *case: ratio_of(found.row(*case, "read"), found.row(*case, mode))

    def on_host(*case):
        return ratio_of(found.row(*case, "exact", "host"), found.row(*case, "cublas", "host"))

    sizes = found.sizes if found else []
    long, short = ([n for n in sizes if n >= MIN_LONG], [n for n in sizes if n <= MAX_HOST_LENGTH])
    others = unmeasured(found, 26, 29) if found else ""
    goals = [Goal(f"`{mode}`, every other reduction, from {length(MIN_LONG)} on: ≥ {100 * CEILING_GOAL:g} % of the read "
                  "ceiling", collect(of_ceiling(mode), CEILING_GOAL, long),
                  OTHERS if mode == "exact" else ONE_INPUT, others, True) for mode in MODES]
    goals.append(Goal("`exact` asum, sum_of_squares, nrm2, result on the host, up to "
                      f"{length(MAX_HOST_LENGTH)}: ≤ {HOST_GOAL} of cuBLAS", collect(on_host, HOST_GOAL, short), "not explained yet",
                      unmeasured(found, 10, 20) if found else ""))
    hard = [Case(f"{case[0]} {TYPES[case[1]]} {length(case[2])} {data}", ratio, HOSTILE_GOAL) for case in found.cases()
            for data in found.hostile if (ratio := found.hostile_ratio(case, data, "graph"))] if found else []
    return [*goals, Goal(f"other reductions of such data: ≤ {HOSTILE_GOAL:g} times uniform", hard),
            Goal(f"where that is impossible: ≤ {OLD_GOAL} of version 0.1's time on the same data")]


def all_goals(results, found, elements, lines, groups):
    return [*dot_goals(results), *reduction_goals(found), *all_reductions_goals(found),
            *speed.elements.goals(elements), *speed.lines.goals(lines), *speed.groups.goals(groups)]
