"""The table of goals of shapes beside PyTorch in docs/gpu-engine.md, from docs/results/torch-shapes-*.json and row-keys-h100.json.

Each goal names why it is missed and what was tried, as far as docs/experiments.md has it.
"""
from shared.documents import table
from speed.goals import Case, Goal, measured, met, why_missed
from speed.row_keys import TYPES as KEY_TYPES
from speed.rows import Ratio

NARROW = ("float16", "bfloat16")
FLOATS = (*NARROW, "float32", "float64")
MIN_READING = 0.85
MIN_READING_VARIANCE = 0.80
MAX_FEW_VECTORS = 1.3
MAX_GRADIENT = 1.1
MAX_LIST = 0.75
MAX_FEW_BITS = 3.0
DOUBLES = "doubles:"  # and their kind
PUBLISHED_NORM = 52  # µs, 8192 rows of 4096 bfloat16, an H100

LINES = "experiments.md#rows-columns-and-segments-on-a-gpu"
ABOVE = "as above"
CONVERSIONS = ("each element becomes a double by a unit with a quarter of the integers' rate. Tried: conversion by bits (as fast), a bound "
               f"from the greatest magnitude (left rows open), a decision by each lane (kept) ([narrow elements]({LINES}))")
ROWS = f"{CONVERSIONS}; products in float, whose squares made norms 1.06 to 1.10 times slower (squares stayed in double)"
DOTS = f"conversions, though products are made in float, one conversion a term (kept); the rest is not explained ([products in float]({LINES}))"
COLUMNS = ("of 64 rows: two barriers for 64 elements of a column. Tried: one thread for each column (kept, 0.35 of the time). What remains "
           f"is not explained ([short columns]({LINES})). Others: conversions")
MATVEC = ("two conversions a term took 56 % of that unit's time. Tried: products in float (kept, 0.87 of the time of 4096 rows). The vector is "
          f"read again for each row ([products in float]({LINES}))")
SEGMENTS = "not explained, neither of short nor of long ones; no experiment is on record"
VARIANCES = ("two traced sums, 19 operations a term, and registers for half of the warps. Tried: loads ahead (kept). Of columns of 64 "
             f"elements: not explained ([variances]({LINES}), [loads ahead](experiments.md#gpu-experiments))")
EXTREMA = ("rows of 1 MiB (16 bits) were read by a block each, 64 for all multiprocessors. Tried: sharing them (kept, from 53 % of reading on an "
           "H100 to 67 % on an H200). The rest is not explained")
CONSTANTS = ("columns and groups of equal doubles stay open, and are read again, a sector for each element. Tried: lines are compared as they are "
             "read again (kept; of rows 30 ms became 0.7)")
NORMS = ("three conversions of an element, with a bias four; a block with an element next to a tie ended 5 µs after the others. Tried and "
         f"kept: 64 registers, one `rsqrt`, the difference from the tie ([normalised rows]({LINES}))")
GRADIENTS = ("some hundred instructions an element; rows that stay open. Tried and kept: x̂ computed twice, a row in flight for each block, what the first look knows "
             f"before exact sums ([gradients]({LINES}))")
WIDE_KEYS = "two rows a group or fewer: a decision and a store for each. Of 32 columns, and of doubles: not explained"
NARROW_KEYS = "sorting the keys takes nearly all the time. Tried: longer pieces of narrow rows (kept); no other way is on record"
FEW_VECTORS = ("conversions, products and squares add up, as if they shared a unit. Tried: two instructions of tensor cores, tiles of 16 and "
               "32 rows, 4 row tiles, three blocks, teams of 16 warps. Not tried: conversion by bits, squares in float "
               f"([few vectors]({LINES}))")


class Shapes:
    """Rows of all reports, each with its report's GPU and date."""

    def __init__(self, reports):
        self.rows = [{**row, "origin": origin_of(report)} for report in reports.values() for row in report["rows"]]

    def select(self, calls, kinds=("",), types=FLOATS):
        """Rows of these calls and types whose shape begins with one of `kinds`."""
        return [row for row in self.rows if row["what"] in calls and row["type"] in types and row["shape"].startswith(tuple(kinds))]


def origin_of(report):
    return f"{report['gpu'].removeprefix('NVIDIA ').split()[0]}, {report['date']}"


def name_of(row):
    return f"{row['what']} {row['type']} {row['shape'].replace('x', ' × ')}"


def of_torch(row):
    return row["exactdot"] / row["torch"]


def of_reading(row):
    return row["reading"] / row["exactdot"]


def goal(name, rows, value, limit, reason, at_least=False, missing=""):
    """The goal, and the GPU and date of its rows."""
    cases = [Case(name_of(row), Ratio(value(row), False), limit) for row in rows]
    return Goal(name, cases, reason, missing, at_least), "; ".join(dict.fromkeys(row["origin"] for row in rows))


def both(name, rows, share, reason, missing=""):
    """Beside PyTorch and beside reading."""
    beside = goal(f"{name}: ≤ 1.0 of PyTorch", rows, of_torch, 1.0, reason, False, missing)
    return [beside, goal(f"the same: ≥ {100 * share:.0f} % of reading", rows, of_reading, share,
                         reason if why_missed(beside[0]) == "–" else ABOVE, True)]


def line_goals(shapes):
    dots = shapes.select(("vecdot",), types=NARROW)
    matrices = [row for row in shapes.select(("matvec",), types=NARROW) if " by " not in row["shape"] and row["shape"] != "4096x4096"]
    return [
        *both("rows of 16-bit floats, sum, norm and mean", shapes.select(("sum", "norm", "mean"), ("rows",), NARROW), MIN_READING, ROWS),
        *both("rows of 16-bit floats, dot", [row for row in dots if not row["shape"].startswith("columns")], MIN_READING, DOTS),
        *both("columns of 16-bit floats, sum, norm, mean and dot", shapes.select(("sum", "norm", "mean", "vecdot"), ("columns",), NARROW),
              MIN_READING, COLUMNS),
        *both("matrix of 16-bit floats by a vector", matrices, MIN_READING, MATVEC),
        *both("segments of 16-bit floats, sum and mean", shapes.select(("segment_sum", "segment_mean"), types=NARROW), MIN_READING, SEGMENTS,
              "dots"),
        goal(f"segments of 16-bit floats, norm: ≥ {100 * MIN_READING:.0f} % of reading (PyTorch has none)",
             shapes.select(("segment_norm",), types=NARROW), of_reading, MIN_READING, SEGMENTS, True),
        *both("variances of rows and columns, variances and standard deviations of vectors, every float", shapes.select(("var", "std")),
              MIN_READING_VARIANCE, VARIANCES),
        goal(f"variances of segments: ≥ {100 * MIN_READING_VARIANCE:.0f} % of reading (PyTorch has none)",
             shapes.select(("segment_var",)), of_reading, MIN_READING_VARIANCE, VARIANCES, True),
        goal(f"`max` of 64 rows of 2^19: ≥ {100 * MIN_READING:.0f} % of reading", shapes.select(("max",), ("rows 64x",)), of_reading,
             MIN_READING, EXTREMA, True)]


def norm_goals(shapes):
    def of_model(row):  # 128 to 65536 rows of 1024 to 8192
        return not row["shape"].startswith("262144x")

    forward = list(filter(of_model, shapes.select(("rms_norm", "layer_norm"), types=("bfloat16",))))
    backward = list(filter(of_model, shapes.select(("rms_norm_gradient", "layer_norm_gradient"), types=("bfloat16",))))
    lists = shapes.select(("norm",), ("of 146",), ("bfloat16", "float32"))
    bound = max(row["reading"] / row["torch"] for row in lists)
    return [
        goal("`rms_norm`, `layer_norm`, bfloat16, up to 65536 rows of 1024 to 8192: ≤ 1.0 of PyTorch", forward, of_torch, 1.0, NORMS),
        goal(f"the same, 8192 × 4096: ≤ 1.0 of {PUBLISHED_NORM} µs, of an H100", [row for row in forward if row["shape"] == "8192x4096"],
             lambda row: row["exactdot"] / PUBLISHED_NORM, 1.0, ABOVE),
        goal(f"their gradients: ≤ {MAX_GRADIENT} of PyTorch", backward, of_torch, MAX_GRADIENT, GRADIENTS),
        goal(f"norm of 146 tensors, bfloat16 and float: ≤ {MAX_LIST} of `_foreach_norm`, a stack and its norm", lists, of_torch, MAX_LIST,
             f"out of reach for floats: reading alone takes {bound:.2f} of PyTorch's time")]


def product_goals(shapes):
    def of_vectors(number):
        return [row for row in shapes.select(("matvec",), types=("bfloat16",)) if row["shape"].endswith(f" by {number}")]

    one = [row for row in shapes.select(("matvec",), types=("bfloat16",)) if " by " not in row["shape"]]
    return [goal("matrix of bfloat16 by 1 vector: ≤ 1.0 of cuBLAS", one, of_torch, 1.0, "as of float16 and bfloat16, above"),
            goal(f"by 8 vectors: ≤ {MAX_FEW_VECTORS} of cuBLAS", of_vectors(8), of_torch, MAX_FEW_VECTORS, FEW_VECTORS)]


def few_bits_goal(shapes):
    random = {(row["what"], row["shape"]): row["exactdot"] for row in shapes.rows if row["type"] == f"{DOUBLES}random"}
    rows = [row for row in shapes.rows if row["type"].startswith(DOUBLES) and row["type"] != f"{DOUBLES}random"]
    return goal(f"doubles that are integers, prices, floats or constants: ≤ {MAX_FEW_BITS:.0f} times random ones", rows,
                lambda row: row["exactdot"] / random[row["what"], row["shape"]], MAX_FEW_BITS, CONSTANTS)


def key_goals(report):
    def cases(peer, limit, chosen):
        for row in report["rows"]:
            columns = int(row["shape"].split("x")[1].split()[0])
            for type_ in KEY_TYPES:
                if row["what"] == "sum" and columns >= 8 and chosen(columns) and f"{type_}_{peer}" in row:
                    yield Case(f"{type_} {row['shape'].replace('x', ' × ')}, {row['keys']}", Ratio(row[type_] / row[f"{type_}_{peer}"], False),
                               limit)

    def each(name, peer, limit, chosen, reason, missing=""):
        return Goal(name, list(cases(peer, limit, chosen)), reason, missing), origin_of(report)

    return [each("rows by key, 32 to 768 columns: ≤ 0.5 of the racy `index_add_`", "racy", 0.5, lambda columns: columns >= 32, WIDE_KEYS),
            each("8 columns: ≤ 1.0 of the racy one", "racy", 1.0, lambda columns: columns < 32, NARROW_KEYS),
            each("8 to 768 columns: ≤ 0.5 of the deterministic one", "deterministic", 0.5, lambda _: True, WIDE_KEYS, "double")]


def goals_of_shapes(torch_shapes, row_keys):
    shapes = Shapes(torch_shapes)
    found = [*line_goals(shapes), *norm_goals(shapes), *key_goals(row_keys), *product_goals(shapes), few_bits_goal(shapes)]
    return table(["goal", "measured: worst, best", "met", "GPU, date", "cause of a miss, what was tried"],
                 [[each.name, measured(each), met(each), where, why_missed(each)] for each, where in found])
