"""The table of shapes beside PyTorch on a GPU, from docs/results/torch-shapes-*.json (bench/python/beside_torch.py)."""
from shared.documents import figure, paragraph, table
from shared.result_files import read

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32")


def read_results(folder):
    """The report by its file."""
    return {name: read(folder / name) for name in ("torch-shapes-h200.json",)}


def rows_of(results):
    return [row for report in results.values() for row in report["rows"]]


def origin(results):
    rows = [row for row in rows_of(results) if "torch" in row and "exactdot" in row]
    faster = sum(row["exactdot"] <= row["torch"] for row in rows)
    machines = [f"`docs/results/{name}`: {report['gpu']}, PyTorch {report['torch']}, exactdot "
                f"{report['version'].split('+')[0]}, {report['date']}." for name, report in results.items()]
    return paragraph(f"{' '.join(machines)} {faster} of {len(rows)} calls take no longer than PyTorch's.", "- ")


def cell(row):
    if row is None or "exactdot" not in row:
        return "–"
    ours = figure(row["exactdot"])
    if "torch" in row and row["exactdot"] > row["torch"]:
        ours = f"**{ours}**"
    theirs = figure(row["torch"]) if "torch" in row else "–"
    return f"{theirs} → {ours} ({100 * row['reading'] / row['exactdot']:.0f} %)"


def times(results, types=FLOATS):
    rows = {(row["what"], row["shape"], row["type"]): row for row in rows_of(results)}
    lines = list(dict.fromkeys((what, shape) for what, shape, dtype in rows if dtype in types))
    return table(["what", "shape", *types], [[what, shape.replace("x", " × "), *(cell(rows.get((what, shape, dtype)))
                                                                           for dtype in types)] for what, shape in lines])


def integers(results):
    return times(results, INTEGERS)
