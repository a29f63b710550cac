#!/usr/bin/env python3
"""Tests scripts/performance with results of a GPU.

The ratios and goals of a small sample must be correct. --check must detect a figure that was changed by hand and a
result that differs from the CPU's. The same of a reduction other than dot.

Uses copies of the scripts, the results and the documents.

usage: gpu_report.py SOURCE SCRATCH
"""
import json
import pathlib
import shutil
import subprocess
import sys

FILES = ("scripts/performance", "scripts/performance_gpu.py", "scripts/performance_reductions.py", "scripts/performance_levels.py", "scripts/documents.py",
         "README.md", "docs/performance.md",
         "docs/results/cpu.json", "docs/results/gpu-h200.json", "docs/results/torch-h200.json",
         "docs/results/handover-h200.jsonl", "docs/results/failure-rates-h200.jsonl",
         "docs/results/kernels.json")

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
EXPECTED = [
    "The read ceiling at 2^26 is 3000 GB/s, by 132 blocks of 512 threads, 4 loads of each vector at a time; for each length",
    "| 2^12 | 0.50 | 0.90 | 0.75 | 2.50 | 1.20 | 1.50 | **1.250** | 2.00 | 0.800 | 50.0 % | 37.5 % |",
    "| 2^26 | – | – | 200 | 204 | 210 | 206 | **1.010** | 202 | **0.990** | **97.1 %** | 99.0 % |",
    "| 2^12 | – | – | – | – | – | – | 3.00 | – | – | – |",
    "| 2^12 | 9.00 | 6.00 | 0.300 | 20.00 | – | – | 10.00 | 0.500 | 12.00 | **0.600** |",
    "| `fast` ≤ the faster of cuBLAS and CUB, in a graph | **0 of 2** | float 2^12: 1.250, float 2^26: 1.010 |",
    "| `exact`, float, ≤ 0.9 of cuBLAS, 2^10 … 2^17, in a graph | 1 of 1 | – |",
    "| `exact`, float, ≤ 0.975 of cuBLAS, 2^23 … 2^29, in a graph | **0 of 1** | float 2^26: 0.990 |",
    "| `fast` ≥ 99 % of the read ceiling from 2^26 on | **0 of 1** | float 2^26: 0.971 |",
    "| `exact` on wide ≤ 3 of its time on uniform data | **0 of 1** | float 2^12: 4.00 |",
    "| wide, float | **4** |",
    "Time / time on uniform data, of the sets that exceed 3 at some length: `wide`, float: 4.0 to 4.0.",
    "| same bits as the CPU | 4 of 4 | – |",
    "| workspace ≤ 1 MiB (it has 98 KiB) | 1 of 1 | – |",
]

REDUCTION = [
    ("float32", 4096, "uniform", "exact", "graph", "warm", 8.0), ("float32", 4096, "uniform", "fast", "graph", "warm", 3.0),
    ("float32", 4096, "uniform", "cublas", "graph", "warm", 5.0), ("float32", 4096, "uniform", "read", "graph", "warm", 2.0),
    ("float32", 4096, "uniform", "exact", "graph", "cold", 9.0), ("float32", 4096, "uniform", "exact", "host", "warm", 13.0),
    ("float32", 4096, "wide", "exact", "graph", "warm", 99.0),
]
REDUCTION_LINE = "| nrm2 | float | 2^12 | 2 | 5 | – | 3 | 8 | 1.60 | 25 % | 2.05 | 9 | 13 | 1 % |"


def measurement(type_, n, data, peer, timing_mode, l2, us):
    entry = {"type": type_, "n": n, "data": data, "peer": peer, "how": timing_mode, "l2": l2, "us": us, "spread": 0.01}
    if peer == "read":
        entry.update(gb_per_s=3000.0, shape="132 blocks of 512 threads, 4 loads of each vector at a time")
    if peer == "exact" and timing_mode == "graph":
        entry.update(error_ulps=0.25, bits="3f800000", same_bits_as_cpu=True)
    return entry


def main(source, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    for name in FILES:
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, scratch / name)
    results, document = scratch / "docs/results/gpu-h200.json", scratch / "docs/performance.md"

    def run(*arguments):
        command = [sys.executable, scratch / "scripts/performance", *arguments]
        return subprocess.run(command, stderr=subprocess.PIPE, text=True)

    def expect_message(case, expected):
        """Requires that --check fails with the expected text in its message."""
        done = run("--check")
        if done.returncode == 0 or expected not in done.stderr:
            sys.exit(f"{case}: {done.stderr or 'not detected'}")

    report = json.loads(results.read_text())
    text = document.read_text()
    document.write_text(text.replace("| 2^29 | ", "| 2^29 | 1", 1))
    expect_message("a figure changed by hand", "differs from docs/results/gpu-h200.json")

    report["rows"] = [measurement(*entry) for entry in SAMPLE]
    report["workspace_bytes"] = 100_000
    results.write_text(json.dumps(report))
    if (done := run()).returncode != 0:
        sys.exit(f"the sample is not accepted: {done.stderr}")
    lines = document.read_text().split("\n")
    for line in EXPECTED:
        if line not in lines:
            sys.exit(f"docs/performance.md does not have the line {line}")

    sentence = "`exact` takes less time than cuBLAS's plain dot in 2 of 2 cases (float and double, 2^12 … 2^26), and 0.96 to 1.67 times CUB's."
    if sentence not in " ".join((scratch / "README.md").read_text().split()):
        sys.exit(f"README.md does not have the sentence: {sentence}")

    other = scratch / "docs/results/reductions-test.json"
    rows = [{**measurement(*entry), "gb_per_s": entry[1] * 4e-3 / entry[-1]} for entry in REDUCTION]
    other.write_text(json.dumps([{"reduction": "nrm2", **report, "rows": rows}]))
    expect_message("a reduction without its table", "differs from docs/results/reductions-*.json")
    if run().returncode != 0 or REDUCTION_LINE not in document.read_text().split("\n"):
        sys.exit(f"docs/performance.md does not have the line {REDUCTION_LINE}")
    rows[0]["same_bits_as_cpu"] = False
    other.write_text(json.dumps([{"reduction": "nrm2", **report, "rows": rows}]))
    expect_message("another reduction that differs from the CPU's", "differs from the CPU's result")
    other.unlink()
    if run().returncode != 0 or "| nrm2 |" in document.read_text():
        sys.exit("the table of a missing file is not removed")

    report["rows"][0]["same_bits_as_cpu"] = False
    results.write_text(json.dumps(report))
    expect_message("a result that differs from the CPU's", "differs from the CPU's result")


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
