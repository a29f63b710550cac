#!/usr/bin/env python3
"""Measures PyTorch's reductions of rows and columns on a GPU: amax, argmax. Requires PyTorch.

usage: line_modes.py

Prints one JSON object a line: the shapes and names of bench/experiments/gpu_line_modes.cu, and microseconds, medians
of 7 replayed CUDA graphs.
"""
import json
import statistics

import torch

ELEMENTS = 1 << 25
ROUNDS = 7
CALLS = {"max": torch.amax, "argmax": torch.argmax}


def microseconds(call):
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(5):
            call()
    samples = []
    for _ in range(ROUNDS + 1):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        samples.append(start.elapsed_time(stop) * 1e3 / 5)
    return statistics.median(samples[1:])


def main():
    print(json.dumps({"torch": torch.__version__, "gpu": torch.cuda.get_device_name()}))
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        a = torch.rand(ELEMENTS, device="cuda", dtype=torch.float32).mul_(2).sub_(1).to(dtype)
        for log2_length in (3, 5, 7, 9, 11, 13, 15, 18, 21):
            length = 1 << log2_length
            for columns in (False, True):
                shape, axis = ((length, -1), 0) if columns else ((-1, length), 1)
                for name, call in CALLS.items():
                    x = a.reshape(shape)
                    row = {"what": f"{name} of {'columns' if columns else 'rows'}",
                           "type": str(dtype).removeprefix("torch."), "lines": ELEMENTS // length, "length": length,
                           "torch": round(microseconds(lambda: call(x, axis)), 2)}
                    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
