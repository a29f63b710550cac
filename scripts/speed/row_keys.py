"""The table of rows by key beside PyTorch on a GPU, from docs/results/row-keys-h100.json (bench/python/rows_by_key.py)."""
from shared.documents import figure, paragraph, table
from shared.result_files import read

TYPES = ("float32", "bfloat16", "float64")


def read_results(folder):
    return read(folder / "row-keys-h100.json")


def origin(results):
    return paragraph(f"`docs/results/row-keys-h100.json`: {results['gpu']}, PyTorch {results['torch']}, exactdot "
                     f"{results['version'].split('+')[0]}, {results['date']}.", "- ")


def is_slower(row, name):
    """Than the goal: half of racy additions from 32 columns on, else these; half of deterministic ones."""
    columns = int(row["shape"].split("x")[1].split()[0])
    racy, slow = (row.get(f"{name}_{kind}") for kind in ("racy", "deterministic"))
    share = 0.5 if columns >= 32 else 1
    return (racy is not None and row[name] > share * racy) or (slow is not None and row[name] > 0.5 * slow)


def cell(row, name):
    if name not in row:
        return "–"
    ours = f"**{figure(row[name])}**" if is_slower(row, name) else figure(row[name])
    theirs = [figure(row[f"{name}_{kind}"]) for kind in ("racy", "deterministic") if f"{name}_{kind}" in row]
    return f"{', '.join(theirs)} → {ours}" if theirs else ours


def times(results):
    return table(["what", "rows × columns, groups", "keys", *TYPES],
                 [[row["what"], row["shape"].replace("x", " × ").replace(" to ", ", "), row["keys"],
                   *(cell(row, name) for name in TYPES)] for row in results["rows"]])
