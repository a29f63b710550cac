#!/usr/bin/env python3
"""Tests scripts/performance with a short run of the benchmark.

The script must write the results into the documents, those of reductions other than dot too. --check must detect a
figure that was changed by hand. The test uses copies of the scripts and the documents, and does not test speeds.

usage: bench_report.py SOURCE PROGRAM SCRATCH
"""
import pathlib
import shutil
import subprocess
import sys


def expect_starts(path, starts):
    for start in starts:
        if f"\n{start}" not in path.read_text():
            sys.exit(f"{path.name} has no line that starts with {start}")


def main(source, program, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    for folder in ("scripts", "docs/results"):
        shutil.copytree(source / folder, scratch / folder)
    for name in ("README.md", "docs/performance.md", "docs/experiments.md", "docs/gpu-engine.md"):
        shutil.copyfile(source / name, scratch / name)
    script = scratch / "scripts/performance"
    subprocess.run([script, "--run", program, "bench", "--device", "cpu", "--quick", "--rounds", "2", "--sizes", "16",
                    "1000", "10000"], check=True)
    subprocess.run([script, "--check"], check=True)
    expect_starts(scratch / "docs/performance.md", ("| time of one dot | 16 | 1000 | 10^4 |", "| double: `exact` |"))
    expect_starts(scratch / "docs/results/cpu.md", ("|`exact`, float|1|", "|ill, float|2|"))

    reductions = scratch / "docs/results/reductions-cpu.json"
    subprocess.run([scratch / "scripts/bench_reductions", program, reductions, "--device", "cpu", "--quick", "--rounds",
                    "1", "--sizes", "16", "--threads", "1"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([script], check=True)
    expect_starts(scratch / "docs/results/reductions.md",
                  ("|sum|float|16|", "|variance|double|16|", "|argmax|double|16|"))
    subprocess.run([script, "--check"], check=True)

    page = scratch / "docs/performance.md"
    text = page.read_text()
    if "not measured yet" in text or "× OpenBLAS's time" not in text:
        sys.exit("the speeds were not written into performance.md")
    page.write_text(text.replace("× OpenBLAS's time", "1× OpenBLAS's time", 1))
    if subprocess.run([script, "--check"], stderr=subprocess.DEVNULL).returncode == 0:
        sys.exit("--check did not detect a figure that was changed by hand")


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
