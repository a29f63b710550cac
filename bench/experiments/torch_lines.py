#!/usr/bin/env python3
"""Measures PyTorch's reductions of rows, columns and segments on the shapes of gpu_rows and gpu_segments.

usage: torch_lines.py [--rounds K] > torch-lines.jsonl

Requires PyTorch with a GPU. 2^25 elements, or pairs, in all; medians of K samples (default 7) of about 1 ms, calls in a
replayed CUDA graph. One JSON object a line, with the names of gpu_rows' and gpu_segments' rows; times in microseconds.
"""
import argparse
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from torch_peers import between_events, in_graph

ELEMENTS = 1 << 25


def median(torch, call, rounds):
    call()
    torch.cuda.synchronize()
    calls = max(1, min(50, int(1e-3 / max(between_events(torch, call), 1e-6))))
    sample = in_graph(torch, call, calls)
    return 1e6 * statistics.median(sample() for _ in range(rounds))


def row_calls(torch, a, b, rows):
    """(name of the row, name of the peer, call) for a matrix of so many rows."""
    x, y = a.view(rows, -1), b.view(rows, -1)
    vector = y[0].contiguous()
    return [("dot", "vecdot", lambda: torch.linalg.vecdot(x, y)), ("sum", "sum", lambda: x.sum(dim=1)),
            ("matvec", "matvec", lambda: x @ vector), ("columns", "sum", lambda: x.sum(dim=0)),
            ("norm", "vector_norm", lambda: torch.linalg.vector_norm(x, dim=1)), ("mean", "mean", lambda: x.mean(dim=1)),
            ("variance of rows", "var", lambda: x.var(dim=1, correction=0)),
            ("variance of columns", "var", lambda: x.var(dim=0, correction=0))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    import torch
    print(json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda}))

    def report(row, type_, rows, length, peer, call):
        entry = {"row": row, "type": type_, "rows": rows, "length": length}
        try:
            entry["torch." + peer] = round(median(torch, call, rounds), 2)
        except RuntimeError as failure:  # such as a call that a graph cannot capture
            entry["failure"] = str(failure).splitlines()[0]
        print(json.dumps(entry), flush=True)

    for type_ in ("float32", "float64"):
        a, b = (torch.rand(ELEMENTS, dtype=getattr(torch, type_), device="cuda") * 2 - 1 for _ in range(2))
        for exponent in (5, 7, 9, 11, 13, 15, 18, 21):
            rows = ELEMENTS >> exponent
            for row, peer, call in row_calls(torch, a, b, rows):
                report(row, type_, rows, 1 << exponent, peer, call)
        for length in (32, 128, 1024, 1 << 14, 1 << 17):
            offsets = torch.arange(0, ELEMENTS + 1, length, device="cuda")
            report("sum of segments", type_, ELEMENTS // length, str(length), "segment_reduce",
                   lambda: torch.segment_reduce(a, "sum", offsets=offsets, unsafe=True))
        for columns in (4, 8, 32, 200):
            x = a[:ELEMENTS // columns * columns].view(-1, columns)
            report("sum of columns", type_, ELEMENTS // columns, str(columns), "sum", lambda x=x: x.sum(dim=0))
        del a, b
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
