#!/usr/bin/env python3
"""Checks that every table of the measurements is there, with as many rows as the results have cases.

The list of tables and the counts do not come from the scripts that write them: a table that these no longer write is
missing here, also after they were run. In docs/performance.md, sentences outside of the sections that the script writes
must have no measured figure. At the end the test removes tables from copies, which it must notice, and so must
`scripts/performance --check`.

usage: performance_tables.py SOURCE SCRATCH
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).resolve() / "scripts"))
from shared import result_files

COLUMNS = ("float: limit", "double: limit", "cuBLAS", "CUB", "PyTorch", "`fast`", "`exact`")
FIGURE = re.compile(r"\d\s?(?:µs|ns|ms|s|GB/s|%|×|times|ulps?)(?!\w)")


def rows_of(results, name):
    return result_files.read(next(results.glob(name)))["rows"]


def count(rows, *keys, **wanted):
    return len({tuple(row[key] for key in keys) for row in rows if wanted.items() <= row.items()})


def expected_tables(results):
    """(document, heading, rows) of every table."""
    gpu, cpu = rows_of(results, "gpu-h200.json"), rows_of(results, "cpu.json")
    on_gpu, on_cpu = (result_files.read(results / f"reductions-{name}.json") for name in ("h200", "cpu"))
    lengths, cases = count(gpu, "n", data="uniform"), count(gpu, "type", "n", data="uniform")
    series = count(cpu, "peer", threads=1, data="uniform")  # one of them only reads: the limit
    tables = [("performance.md", "On a GPU", lengths), ("performance.md", "On a CPU", count(cpu, "type") * series),
              ("performance.md", "Goals on a GPU", 30), ("performance.md", "Goals on a CPU", 8),
              ("results/gpu.md", "The machine and the peers", count(gpu, "peer")),
              ("results/gpu.md", "Goals and misses", 15), ("results/gpu.md", "Errors", cases),
              ("results/gpu.md", "Hostile data", count([row for row in gpu if row["data"] != "uniform"], "data", "type")),
              ("results/gpu.md", "PyTorch", count(rows_of(results, "torch-h200.json"), "type", "n")),
              ("results/cpu.md", "The machine and the peers", count(cpu, "peer")),
              ("results/cpu.md", "Goals of version 0.1", 2 + 2 * count(cpu, "type", "threads")),
              ("results/cpu.md", "Hard data",
               count([row for row in cpu if row["data"] != "uniform"], "data", "type", "threads")),
              ("results/cpu.md", "The gain from threads", count(cpu, "type") * (count(cpu, "threads") - 1)),
              ("results/cpu.md", "Roofline", count(cpu, "type", "n")),
              ("results/cpu.md", "From one thread to many", 2 * count(rows_of(results, "cpu-threads.json"), "type", "n")),
              ("results/levels.md", "Handing over to the second level",
               count(rows_of(results, "handover-*.json"), "timing", "type", "n")),
              ("results/levels.md", "How often the bound decides", count(rows_of(results, "failure-rates-*.json"), "n"))]
    for type_, name in (("float32", "float"), ("float64", "double")):
        for setting, l2, heading in (("graph", "warm", "In a replayed graph, the same vectors in each call"),
                                     ("graph", "cold", "In a replayed graph, no vector in the L2 cache"),
                                     ("stream", "warm", "Launches on a stream"), ("host", "warm", "Result on the host")):
            tables.append(("results/gpu.md", f"{heading}, {name}",
                           count(gpu, "n", type=type_, how=setting, l2=l2, peer="exact", data="uniform")))
    tables.append(("results/reductions.md", f"On a GPU: {on_gpu[0]['machine']['gpu']}",
                   sum(count(report["rows"], "type", "n") for report in on_gpu)))
    for threads in sorted({row["threads"] for report in on_cpu for row in report["rows"]}):
        tables.append(("results/reductions.md", f"{threads} thread{'s' if threads > 1 else ''}",
                       sum(count(report["rows"], "type", "n", threads=threads) for report in on_cpu)))
    return [table for table in tables if table[2] > 0]


def section(text, heading):
    """The text below a heading, up to the next."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    return found and found[1]


def missing(docs, tables):
    """Says which table is missing or too short; None if all are there."""
    texts = {name: (docs / name).read_text() for name in dict.fromkeys(name for name, _, _ in tables)}
    for name, heading, rows in tables:
        found = section(texts[name], heading)
        written = re.findall(r"^\|(?!.*---).*$", found or "", re.MULTILINE)
        if len(written) < rows + 1:
            return f"{name}, {heading}: {len(written) - 1 if written else 'no'} rows of a table, expected {rows}"
    return None


def typed_figures(text):
    """Figures with a unit outside of what the script writes."""
    by_hand = re.sub(r"<!-- begin (.*?) -->.*?<!-- end \1 -->", "", text, flags=re.DOTALL)
    return [found[0] for found in FIGURE.finditer(by_hand)]


def check_itself(source, scratch, tables):
    """Without one table, this test and --check must fail."""
    def fails():
        return subprocess.run([sys.executable, scratch / "scripts/performance", "--check"],
                              stderr=subprocess.DEVNULL).returncode != 0

    shutil.rmtree(scratch, ignore_errors=True)
    for folder in ("scripts", "docs/results"):
        shutil.copytree(source / folder, scratch / folder)
    for name in ("README.md", "docs/performance.md", "docs/experiments.md", "docs/gpu-engine.md"):
        shutil.copyfile(source / name, scratch / name)
    if fails():
        sys.exit("scripts/performance --check fails before anything was removed")
    for name, heading, _ in tables:
        path = scratch / "docs" / name
        text = path.read_text()
        path.write_text(text.replace(section(text, heading), ""))
        if missing(scratch / "docs", tables) is None or not fails():
            sys.exit(f"{name}: nobody misses the table of {heading}")
        path.write_text(text)
    for name in ("gpu.md", "reductions-cpu.json"):
        path = scratch / "docs/results" / name
        path.rename(scratch / name)
        if not fails():
            sys.exit(f"--check does not miss docs/results/{name}")
        (scratch / name).rename(path)
    if not typed_figures("It takes 12 µs.") or typed_figures("<!-- begin a -->\n12 µs\n<!-- end a -->"):
        sys.exit("figures typed by hand are not told from others")


def main(source, scratch):
    docs = source / "docs"
    tables = expected_tables(docs / "results")
    if complaint := missing(docs, tables):
        sys.exit(complaint)
    table = section((docs / "performance.md").read_text(), "On a GPU")
    if absent := [name for name in COLUMNS if f" {name} |" not in table]:
        sys.exit(f"docs/performance.md: the GPU's table has no column {absent}")
    if figures := typed_figures((docs / "performance.md").read_text()):
        sys.exit(f"docs/performance.md has figures outside of the sections that scripts/performance writes: {figures}")
    check_itself(source, scratch, tables)


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
