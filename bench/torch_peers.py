#!/usr/bin/env python3
"""PyTorch's dot products on a GPU, called as `exactdot bench --device cuda` calls its peers; needs PyTorch.

usage: torch_peers.py OUTPUT.json [--program EXACTDOT] [--sizes N...] [--rounds K]
  --program  the program exactdot: gives the exact results from which errors are counted, up to 2^24 elements
  --sizes    lengths as exponents of 2; by default 10 to 29

Medians of K samples of about a millisecond, all peers in each round. `graph`: calls in a replayed CUDA graph; `stream`:
calls one after the other, between two events; `host`: one call and .item(), by wall clock.
"""
import argparse
import datetime
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

PEERS = {"torch.dot": lambda torch, a, b: torch.dot(a, b),
         "torch.linalg.vecdot": lambda torch, a, b: torch.linalg.vecdot(a, b),
         "(a * b).sum()": lambda torch, a, b: (a * b).sum()}
LONGEST_CHECKED = 1 << 24
SAMPLE_SECONDS = 1e-3


def between_events(torch, work):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    work()  # what is timed follows on other work: no gap while the host launches
    start.record()
    work()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e-3


def in_graph(torch, call, calls):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return lambda: between_events(torch, graph.replay) / calls


def as_launches(torch, call, calls):
    def many():
        for _ in range(calls):
            call()
    return lambda: between_events(torch, many) / calls


def end_to_end(torch, call, calls):
    def sample():
        torch.cuda.synchronize()
        call().item()
        start = time.perf_counter()
        for _ in range(calls):
            call().item()
        return (time.perf_counter() - start) / calls
    return sample


def exact_dot(program, a, b):
    import numpy
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{name}.npy" for name in "ab"]
        for file, vector in zip(files, (a, b)):
            numpy.save(file, vector.cpu().numpy())
        done = subprocess.run([program, "dot", *files, "--device", "cpu", "--json"], check=True, stdout=subprocess.PIPE)
        return float.fromhex(json.loads(done.stdout)["hex"])


def error_ulps(value, exact, type_):
    """Against the correctly rounded result; without its half ulp."""
    import numpy
    return abs(value - exact) / float(numpy.spacing(getattr(numpy, type_)(abs(exact))))


def measure(torch, type_, n, rounds, program):
    generator = torch.Generator(device="cuda").manual_seed(n)
    a, b = (torch.rand(n, dtype=getattr(torch, type_), device="cuda", generator=generator) * 2 - 1 for _ in range(2))
    exact = exact_dot(program, a, b) if program and n <= LONGEST_CHECKED else None
    entered = []
    for name, peer in PEERS.items():
        def call(peer=peer):
            return peer(torch, a, b)
        value = call().item()
        seconds = between_events(torch, call)
        calls = max(1, min(200, int(SAMPLE_SECONDS / seconds)))
        for how, make in {"graph": in_graph, "stream": as_launches, "host": end_to_end}.items():
            sample = make(torch, call, calls if how != "host" else min(calls, 50))
            row = {"type": type_, "n": n, "peer": name, "how": how}
            if exact is not None:
                row["error_ulps"] = error_ulps(value, exact, type_)
            entered.append((row, sample, []))
    for _ in range(rounds):
        for _, sample, samples in random.sample(entered, len(entered)):
            samples.append(sample())
    for row, _, samples in entered:
        quarter, median, three = statistics.quantiles(samples, n=4)
        row.update(us=round(median * 1e6, 3), spread=round((three - quarter) / median, 4))
    return [row for row, _, _ in entered]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--program")
    parser.add_argument("--sizes", type=int, nargs="+", default=range(10, 30))
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("torch_peers: PyTorch is not installed")
    if not torch.cuda.is_available():
        sys.exit("torch_peers: PyTorch finds no GPU")
    rows = []
    for type_ in ("float32", "float64"):
        for exponent in arguments.sizes:
            if sys.stderr.isatty():
                print(f"\rtorch_peers: {type_}, n = 2^{exponent}\033[K", end="", file=sys.stderr)
            rows += measure(torch, type_, 1 << exponent, max(2, arguments.rounds), arguments.program)
            torch.cuda.empty_cache()
    report = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
              "date": datetime.date.today().isoformat(), "rounds": arguments.rounds}
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    arguments.output.write_text(json.dumps(report)[:-1] + ',\n "rows": [\n  ' + lines + "\n ]\n}\n")


if __name__ == "__main__":
    main()
