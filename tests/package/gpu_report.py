#!/usr/bin/env python3
"""Tests scripts/performance with results of a GPU.

The ratios, goals and marks of a small sample must be correct, on the page and in the raw tables. --check must detect a
figure that was changed by hand and a result that differs from the CPU's. The same of a reduction other than dot.

Uses copies of the scripts, the results and the documents.

usage: gpu_report.py SOURCE SCRATCH
"""
import json
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).resolve() / "scripts"))
from shared import result_files

# type, n, data, peer, timing mode, L2, µs
SAMPLE = [
    ("float32", 4096, "uniform", "exact", "graph", "warm", 2.0), ("float32", 4096, "uniform", "fast", "graph", "warm", 1.5),
    ("float32", 4096, "uniform", "cublas", "graph", "warm", 2.5), ("float32", 4096, "uniform", "cub", "graph", "warm", 1.2),
    ("float32", 4096, "uniform", "cub_transform", "graph", "warm", 1.25),
    ("float32", 4096, "uniform", "empty", "graph", "warm", 0.5), ("float32", 4096, "uniform", "one_block", "graph", "warm", 0.9),
    ("float32", 4096, "uniform", "read", "graph", "warm", 0.75), ("float32", 4096, "wide", "exact", "graph", "warm", 8.0),
    ("float32", 4096, "uniform", "exact", "graph", "cold", 3.0),
    ("float32", 4096, "uniform", "exact", "host", "warm", 12.0), ("float32", 4096, "uniform", "fast", "host", "warm", 10.0),
    ("float32", 4096, "uniform", "cublas", "host", "warm", 20.0), ("float32", 4096, "uniform", "empty", "host", "warm", 9.0),
    ("float32", 4096, "uniform", "poll", "host", "warm", 6.0),
    ("float32", 1 << 26, "uniform", "exact", "graph", "warm", 202.0),
    ("float32", 1 << 26, "uniform", "fast", "graph", "warm", 206.0), ("float32", 1 << 26, "uniform", "read", "graph", "warm", 200.0),
    ("float32", 1 << 26, "uniform", "cublas", "graph", "warm", 204.0), ("float32", 1 << 26, "uniform", "cub", "graph", "warm", 210.0),
]
TORCH = {4096: 2.8, 1 << 26: 125.0}  # µs of torch.dot, float32
PAGE = [
    "| n | float: limit | cuBLAS | CUB | PyTorch | `fast` | `exact` |",
    "| 2^12 | 0.75 | 2.50 | 1.20 | 2.80 | **1.50** | 2.00 |",
    "| 2^26 | 200 | 204 | 210† | 125 | **206** | **202** |",
    "| `exact` dot, float, 2^10 … 2^17: ≤ 0.9 of cuBLAS | 0.800 (float 2^12) | yes | – |",
    "| `exact` dot, float, 2^18 … 2^20: ≤ 0.75 of cuBLAS | not measured | – | – |",
    "| `exact` dot, float, 2^23 … 2^29: ≤ 0.975 of cuBLAS | **0.990** (float 2^26) | **0 of 1** | "
    "the last loads are added, and messages sent, after all have come: 2 to 3 µs |",
    "| `exact` dot, from 2^26 on: ≥ 99 % of the read ceiling | 99.0 % (float 2^26) | yes | – |",
    "| `exact` dot, result on the host, up to 2^20: ≤ 0.5 of cuBLAS | **0.600** (float 2^12) | **0 of 1** | "
    "starting a kernel and awaiting it takes most of the time; see the floors in the raw table |",
    "| `fast` dot, result on the host, up to 2^20: ≤ 0.5 of cuBLAS | 0.500 (float 2^12) | yes | – |",
    "| `exact` dot of `wide` data: ≤ 3 times uniform | **4.00**† (float 2^12) | **0 of 1** | "
    "products of doubles over- or underflow: a second read, added to four doubles of scaled factors |",
]
RAW = [
    "The read ceiling at 2^26 is 3000 GB/s, by 132 blocks of 512 threads, 4 loads of each vector at a time; for each length",
    "| 2^12 | 0.50 | 0.90 | 0.75 | 2.50 | 1.20 | 1.25 | 1.50 | **1.250** | 2.00 | 0.800 | 50.0 % | 37.5 % |",
    "| 2^26 | – | – | 200 | 204 | 210† | – | 206 | **1.010** | 202 | **0.990** | **97.1 %** | 99.0 % |",
    "| 2^12 | – | – | – | – | – | – | – | 3.00 | – | – | – |",
    "| 2^12 | 9.00 | 6.00 | 0.300 | 20.00 | – | – | – | 10.00 | 0.500 | 12.00 | **0.600** |",
    "| `fast` dot, every n: ≤ the faster of cuBLAS and CUB | 0 of 2 | float 2^12: 1.250, float 2^26: 1.010 |",
    "| `fast` dot, from 2^26 on: ≥ 99 % of the read ceiling | 0 of 1 | float 2^26: 97.1 % |",
    "| wide, float | **4.00**† |",
    "| workspace of 98 KiB: ≤ 1 MiB | 1 of 1 | – |",
]

SENTENCES = {
    "README.md": "exact dot products take less time than cuBLAS's plain ones in 2 of 2 cases (float and double, 2^12 … 2^26), and 0.96 "
                 "to 1.67 times CUB's.",
    "docs/experiments.md": "Time / time on uniform data, of the sets that exceed 3 at some length: `wide`, float: 4.0 to 4.0."}

REDUCTION = [
    ("float32", 4096, "uniform", "exact", "graph", "warm", 8.0), ("float32", 4096, "uniform", "fast", "graph", "warm", 3.0),
    ("float32", 4096, "uniform", "cublas", "graph", "warm", 5.0), ("float32", 4096, "uniform", "read", "graph", "warm", 2.0),
    ("float32", 4096, "uniform", "exact", "graph", "cold", 9.0), ("float32", 4096, "uniform", "exact", "host", "warm", 13.0),
    ("float32", 4096, "wide", "exact", "graph", "warm", 99.0),
]
REDUCTION_LINE = "| nrm2 | float | 2^12 | 2 | 5 | – | 3 | 8 | 1.600 | 25.0 % | 9 | – | 13 | 1 % |"
HARD_LINE = "| nrm2 | float | 2^12 | 12.38† |"


def measurement(type_, n, data, peer, timing_mode, l2, us):
    spread = 0.2 if data == "wide" or (peer == "cub" and n > 1 << 20) else 0.01
    entry = {"type": type_, "n": n, "data": data, "peer": peer, "how": timing_mode, "l2": l2, "us": us, "spread": spread}
    if peer == "read":
        entry.update(gb_per_s=3000.0, shape="132 blocks of 512 threads, 4 loads of each vector at a time")
    if peer == "exact" and timing_mode == "graph":
        entry.update(error_ulps=0.25, bits="3f800000", same_bits_as_cpu=True)
    return entry


def narrow(line):
    """A line of a table as raw tables have it."""
    return line.replace("| ", "|").replace(" |", "|")


def main(source, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    for folder in ("scripts", "docs/results"):
        shutil.copytree(source / folder, scratch / folder)
    for name in ("README.md", "docs/performance.md", "docs/experiments.md", "docs/gpu-engine.md"):
        shutil.copyfile(source / name, scratch / name)
    results, page = scratch / "docs/results/gpu-h200.json", scratch / "docs/performance.md"

    def run(*arguments):
        command = [sys.executable, scratch / "scripts/performance", *arguments]
        return subprocess.run(command, stderr=subprocess.PIPE, text=True)

    def expect_message(case, expected):
        """Requires that --check fails with the expected text in its message."""
        done = run("--check")
        if done.returncode == 0 or expected not in done.stderr:
            sys.exit(f"{case}: {done.stderr or 'not detected'}")

    def expect_lines(path, lines):
        written = path.read_text().split("\n")
        for line in lines:
            if line not in written:
                sys.exit(f"{path.name} does not have the line {line}")

    check_changes_by_hand(scratch, expect_message)
    report = result_files.read(results)
    report["rows"] = [measurement(*entry) for entry in SAMPLE]
    report["workspace_bytes"] = 100_000
    results.write_text(json.dumps(report))
    set_torch_times(scratch / "docs/results/torch-h200.json")
    if (done := run()).returncode != 0:
        sys.exit(f"the sample is not accepted: {done.stderr}")
    expect_lines(page, PAGE)
    expect_lines(results.with_name("gpu.md"), map(narrow, RAW))
    for name, sentence in SENTENCES.items():
        if sentence not in " ".join((scratch / name).read_text().split()):
            sys.exit(f"{name} does not have the sentence: {sentence}")
    check_reductions(scratch, report, run, expect_message, expect_lines)

    report["rows"][0]["same_bits_as_cpu"] = False
    results.write_text(json.dumps(report))
    expect_message("a result that differs from the CPU's", "differs from the CPU's result")


def set_torch_times(path):
    report = result_files.read(path)
    for row in report["rows"]:
        if (row["type"], row["peer"], row["how"]) == ("float32", "torch.dot", "graph") and row["n"] in TORCH:
            row["us"] = TORCH[row["n"]]
    path.write_text(json.dumps(report))


def check_changes_by_hand(scratch, expect_message):
    for name, figure in (("performance.md", "| 2^29 | "), ("results/gpu.md", "|2^29|"), ("experiments.md", "`, double: ")):
        path = scratch / "docs" / name
        text = path.read_text()
        path.write_text(text.replace(figure, f"{figure}1", 1))
        expect_message(f"a figure of {name} changed by hand", f"{path.name} differs from")
        path.write_text(text)


def check_reductions(scratch, report, run, expect_message, expect_lines):
    """A further GPU: its table must appear, and disappear with its file."""
    other, document = scratch / "docs/results/reductions-test.json", scratch / "docs/results/reductions.md"
    machine = {**report["machine"], "gpu": "Test GPU"}
    rows = [{**measurement(*entry), "gb_per_s": entry[1] * 4e-3 / entry[-1]} for entry in REDUCTION]
    other.write_text(json.dumps([{"reduction": "nrm2", **report, "machine": machine, "rows": rows}]))
    expect_message("a reduction without its table", "reductions.md differs from")
    if run().returncode != 0:
        sys.exit("results of a further GPU are not accepted")
    expect_lines(document, map(narrow, ["## On a GPU: Test GPU", REDUCTION_LINE, HARD_LINE]))
    rows[0]["same_bits_as_cpu"] = False
    other.write_text(json.dumps([{"reduction": "nrm2", **report, "rows": rows}]))
    expect_message("another reduction that differs from the CPU's", "differs from the CPU's result")
    other.unlink()
    if run().returncode != 0 or "Test GPU" in document.read_text():
        sys.exit("the table of a missing file is not removed")


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
