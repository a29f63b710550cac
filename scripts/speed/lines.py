"""Goals of rows, columns, matrix-vector products and segments on a GPU, for scripts/performance.

The results are docs/results/rows-NAME.json, from bench/experiments/gpu_rows, and beside it, from the same machine,
segments-NAME.json (gpu_segments) and torch-lines-NAME.json (torch_lines.py). Only the first of them is needed.
Several element axes: axes-NAME.json (gpu_axes); states: states-NAME.json (gpu_states).
"""
import pathlib

from shared import result_files
from shared.documents import figure, table
from speed.goals import Case, Goal
from speed.rows import TYPES, Ratio, length

CEILING_GOAL = 0.85
VECDOT_GOAL = 0.5
SUM_GOAL = 1.0
GEMV_GOAL = 1.1
KEYS = ("row", "type", "rows", "length")


def rows_in(file):
    return result_files.read(file)["rows"] if file.exists() else []


def key_of(row):
    return tuple(row[name] for name in KEYS)


class LineResults:
    def __init__(self, folder):
        names = sorted(file.stem.removeprefix("rows-") for file in pathlib.Path(folder).glob("rows-*.json"))
        complete = [name for name in names if (folder / f"torch-lines-{name}.json").exists()]
        self.name = (complete or names)[0]
        self.file = f"rows-{self.name}.json"
        self.gpu = result_files.read(folder / self.file)["gpu"]
        self.rows = [row for row in rows_in(folder / self.file) if "row" in row]
        self.torch = {key_of(row): row for row in rows_in(folder / f"torch-lines-{self.name}.json")}
        self.segments, self.axes, self.states = (rows_in(folder / f"{kind}-{self.name}.json")
                                                 for kind in ("segments", "axes", "states"))

    def cases(self, names, value, goal):
        """A case for each row with one of these names and a value."""
        return [Case(f"{row['row']} {TYPES[row['type']]} {length(row['rows'])} × {length(row['length'])}",
                     Ratio(ratio, False), goal)
                for row in self.rows if row["row"] in names and (ratio := value(row))]

    def of_torch(self, peer):
        """exact / torch, of a row."""
        def value(row):
            other = self.torch.get(key_of(row), {}).get("torch." + peer)
            return row["exact"] / other if other else None
        return value


def goals(results):
    where = f" ({results.gpu.removeprefix('NVIDIA ')})"

    def goal(name, names, value, limit, reason, at_least=False):
        return Goal(name + where, results.cases(names, value, limit), reason, "", at_least)

    return [
        goal("`exact` dots of rows of 32 … 2^21 elements, 2^25 pairs: ≥ 85 % of the read ceiling", ("dot",),
             lambda row: row["read"] / row["exact"] if "read" in row else None, CEILING_GOAL,
             "rows of 32: a decision for each", True),
        goal(f"the same rows: ≤ {VECDOT_GOAL:g} of `torch.linalg.vecdot`", ("dot",), results.of_torch("vecdot"),
             VECDOT_GOAL, "long rows: both read at the speed of memory"),
        goal("`exact` row and column sums: ≤ `torch.sum`", ("sum", "columns"), results.of_torch("sum"), SUM_GOAL,
             "sums of floats: 8 operations in double a term"),
        goal(f"`exact` matrix-vector product: ≤ {GEMV_GOAL:g} of cuBLAS gemv", ("matvec",),
             lambda row: row["exact"] / row["gemv"] if "gemv" in row else None, GEMV_GOAL,
             "8 operations a term and a decision for each line; the vector is read again for each row, from the cache")]


def line_of(row, names):
    percent = f"{100 * row['read'] / row['exact']:.0f} %" if "read" in row else "–"
    return [row["row"], f"`{row['type']}`", f"{row['rows']:,}", str(row["length"]),
            *(figure(row[name]) if name in row else "–" for name in names), percent]


def table_of_axes(rows):
    """Of each shape and reduction the times of all element types, and the share of reading."""
    types = list(dict.fromkeys(row["type"] for row in rows))
    found = {(row["axes"], row["what"], row["results"], row["type"]): row for row in rows}
    keys = list(dict.fromkeys(key[:3] for key in found))
    return table(["elements along", "", "results", *(f"`{name}`" for name in types)],
                 [[axes, what, f"{results:,}",
                   *(f"{figure(row['exactdot'])}, {100 * row['read'] / row['exactdot']:.0f} %" if row else "–"
                     for row in (found.get((axes, what, results, name)) for name in types))]
                  for axes, what, results in keys])


def table_of_states(rows):
    return table(["shape", "lengths or keys", "", "elements", "states", "µs", "GB/s"],
                 [[row["shape"], row["kind"] or "–", row["reduction"], f"`{row['type']}`", f"{row['results']:,}",
                   figure(row["microseconds"]), f"{row['gigabytes_per_second']}"] for row in rows])


def table_of(rows, names):
    return table(["", "elements", "rows or segments", "length", *names, "of reading"],
                 [line_of(row, names) for row in rows])


def of_peer(row):
    """PyTorch's time of a row, whatever the name of its function."""
    return {"torch": value for name, value in row.items() if name.startswith("torch.")}


def entries(results):
    """(heading, text, table) of the page."""
    rows, segments = ([{**row, **of_peer(results.torch.get(key_of(row), {}))} for row in given]
                      for given in (results.rows, results.segments))
    found = [("Rows, columns and matrix times vector",
              f"{results.gpu}. µs; 2^25 elements, or pairs. `vectors`: a vector call for each row; `read`: the fastest "
              "kernel that only reads the same bytes; `columns`: sums of the columns of such a matrix. `torch`: `vecdot`, `sum`, "
              "`matvec`, `vector_norm`, `mean`.",
              table_of(rows, ("exact", "vectors", "cub", "gemv", "torch", "read")))]
    if segments:
        found.append(("Segments, variances, few long rows and columns",
                      "The same machine. `torch`: `segment_reduce`, `var`, `sum`.",
                      table_of(segments, ("exact", "cub", "torch", "read"))))
    if results.axes:
        found.append(("Elements along several axes",
                      "The same machine; 2^25 elements, loaded one by one. µs, and the share of the speed of the fastest kernel "
                      "that only reads as many bytes. A dash: the time of that run ended before it.",
                      table_of_axes(results.axes)))
    if results.states:
        found.append(("States", "The same machine; full states of 2^24 elements added to words in the GPU's memory "
                      "([states](../shapes.md#states-in-a-gpus-memory)). *Half in one*: half of the elements in one segment or group.",
                      table_of_states(results.states)))
    return found
