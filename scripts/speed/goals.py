"""Tables of goals for scripts/performance: what was measured, whether it meets the goal, and why not."""
from typing import NamedTuple

from shared.documents import table
from speed.rows import Ratio, percent_text, ratio_text

NOT_MEASURED = "not measured"


class Case(NamedTuple):
    name: str      # such as "float 2^14"
    ratio: Ratio
    goal: float


class Goal(NamedTuple):
    name: str
    cases: list = ()        # as measured; empty: not measured
    reason: str = ""        # why cases miss the goal
    missing: str = ""       # what belongs to the goal and was not measured
    at_least: bool = False  # the goal is a lower bound, of fractions


def is_met(goal, case):
    return case.ratio.value >= case.goal if goal.at_least else case.ratio.value <= case.goal


def by_deviation(goal):
    """The cases, that which misses its goal most first."""
    return sorted(goal.cases, key=lambda case: case.ratio.value / case.goal, reverse=not goal.at_least)


def text(goal, case):
    return (percent_text if goal.at_least else ratio_text)(case.ratio, lambda _: is_met(goal, case))


def measured(goal):
    missing = f"; {NOT_MEASURED}: {goal.missing}" if goal.missing else ""
    if not goal.cases:
        return NOT_MEASURED + (f": {goal.missing}" if goal.missing else "")
    worst, best = by_deviation(goal)[0], by_deviation(goal)[-1]
    spread_of_cases = f", best {text(goal, best)}" if len(goal.cases) > 1 else ""
    return f"{text(goal, worst)} ({worst.name}){spread_of_cases}{missing}"


def met(goal):
    if not goal.cases:
        return "–"
    good = sum(is_met(goal, case) for case in goal.cases)
    return "yes" if good == len(goal.cases) else f"**{good} of {len(goal.cases)}**"


def why_missed(goal):
    missed = goal.cases and not all(is_met(goal, case) for case in goal.cases)
    return (goal.reason or "not explained yet") if missed else "–"


def goals_table(goals):
    return table(["goal", "measured: worst, best", "met", "why missed"],
                 [[goal.name, measured(goal), met(goal), why_missed(goal)] for goal in goals])


def misses_table(goals):
    """Every case that misses its goal, the largest deviation first."""
    rows = []
    for goal in goals:
        missed = [f"{case.name}: {text(goal, case).replace('**', '')}" for case in by_deviation(goal)
                  if not is_met(goal, case)]
        if goal.cases:
            rows.append([goal.name, f"{len(goal.cases) - len(missed)} of {len(goal.cases)}", ", ".join(missed) or "–"])
    return table(["goal", "met", "not met, largest deviation first"], rows)
