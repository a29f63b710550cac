#!/usr/bin/env python3
"""Measures PyTorch's dot products on a GPU in the timing modes of `exactdot bench --device cuda`. Requires PyTorch.

usage: torch_peers.py OUTPUT.json [--program EXACTDOT] [--sizes N...] [--rounds K]
  --program  the program exactdot, which computes the exact results for errors, up to 2^24 elements; default: no errors
  --sizes    lengths as exponents of 2; default: 10 to 29
  --rounds   samples per peer and timing mode; default: 9

The result is the median of K samples of about 1 ms; each round samples all peers. Timing modes: `graph`, calls in a
replayed CUDA graph; `stream`, consecutive calls between two events; `host`, one call and .item(), by wall clock.
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
MAX_CHECKED_LENGTH = 1 << 24
SAMPLE_SECONDS = 1e-3


def between_events(torch, work):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    work()  # untimed, so that the timed work follows without a gap while the host launches it
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
    def repeat():
        for _ in range(calls):
            call()
    return lambda: between_events(torch, repeat) / calls


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
    """Error relative to the correctly rounded result, whose own half ulp is not included."""
    import numpy
    return abs(value - exact) / float(numpy.spacing(getattr(numpy, type_)(abs(exact))))


def measure(torch, type_, n, rounds, program):
    generator = torch.Generator(device="cuda").manual_seed(n)
    a, b = (torch.rand(n, dtype=getattr(torch, type_), device="cuda", generator=generator) * 2 - 1 for _ in range(2))
    exact = exact_dot(program, a, b) if program and n <= MAX_CHECKED_LENGTH else None
    all_series = []
    for name, peer in PEERS.items():
        def call(peer=peer):
            return peer(torch, a, b)
        value = call().item()
        seconds = between_events(torch, call)
        calls = max(1, min(200, int(SAMPLE_SECONDS / seconds)))
        for timing_mode, make in {"graph": in_graph, "stream": as_launches, "host": end_to_end}.items():
            sample = make(torch, call, calls if timing_mode != "host" else min(calls, 50))
            measurement = {"type": type_, "n": n, "peer": name, "how": timing_mode}
            if exact is not None:
                measurement["error_ulps"] = error_ulps(value, exact, type_)
            all_series.append((measurement, sample, []))
    for _ in range(rounds):
        for _, sample, samples in random.sample(all_series, len(all_series)):
            samples.append(sample())
    for measurement, _, samples in all_series:
        first_quartile, median, third_quartile = statistics.quantiles(samples, n=4)
        measurement.update(us=round(median * 1e6, 3), spread=round((third_quartile - first_quartile) / median, 4))
    return [measurement for measurement, _, _ in all_series]


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
    measurements = []
    for type_ in ("float32", "float64"):
        for exponent in arguments.sizes:
            if sys.stderr.isatty():
                print(f"\rtorch_peers: {type_}, n = 2^{exponent}\033[K", end="", file=sys.stderr)
            measurements += measure(torch, type_, 1 << exponent, max(2, arguments.rounds), arguments.program)
            torch.cuda.empty_cache()
    report = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
              "date": datetime.date.today().isoformat(), "rounds": arguments.rounds}
    lines = ",\n  ".join(json.dumps(measurement) for measurement in measurements)
    arguments.output.write_text(json.dumps(report)[:-1] + ',\n "rows": [\n  ' + lines + "\n ]\n}\n")


if __name__ == "__main__":
    main()
