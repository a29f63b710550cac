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


def main(source, program, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    for name in ("scripts/performance", "scripts/performance_gpu.py", "scripts/performance_reductions.py",
                 "scripts/performance_levels.py", "scripts/bench_reductions", "scripts/documents.py", "docs/performance.md",
                 "docs/results/gpu-h200.json", "docs/results/torch-h200.json",
                 "docs/results/handover-h200.jsonl", "docs/results/failure-rates-h200.jsonl", "docs/results/kernels.json",
                 "README.md"):
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, scratch / name)
    script = scratch / "scripts/performance"
    subprocess.run([script, "--run", program, "bench", "--device", "cpu", "--quick", "--rounds", "2", "--sizes", "16",
                    "1000", "10000"], check=True)
    subprocess.run([script, "--check"], check=True)

    reductions = scratch / "docs/results/reductions-cpu.json"
    subprocess.run([scratch / "scripts/bench_reductions", program, reductions, "--device", "cpu", "--quick", "--rounds",
                    "1", "--sizes", "16", "--threads", "1"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([script], check=True)
    document = (scratch / "docs/performance.md").read_text()
    for start in ("| sum | float | 16 |", "| variance | double | 16 |", "| argmax | double | 16 |"):
        if f"\n{start}" not in document:
            sys.exit(f"docs/performance.md has no line that starts with {start}")
    subprocess.run([script, "--check"], check=True)

    readme = scratch / "README.md"
    text = readme.read_text()
    if "not measured yet" in text or "× OpenBLAS's time" not in text:
        sys.exit("the speeds were not written into README.md")
    readme.write_text(text.replace("× OpenBLAS's time", "1× OpenBLAS's time", 1))
    if subprocess.run([script, "--check"], stderr=subprocess.DEVNULL).returncode == 0:
        sys.exit("--check did not detect a figure that was changed by hand")


if __name__ == "__main__":
    main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]])
