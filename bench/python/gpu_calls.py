#!/usr/bin/env python3
"""Times calls on PyTorch tensors in a GPU's memory: every reduction, element type and shape, for two versions in turns.

usage: gpu_calls.py PACKAGES OUT.json            time the version whose package exactdot lies in the folder PACKAGES
       gpu_calls.py --compare OLD.json... -- NEW.json...

A time is the median of replayed CUDA graphs of 5 calls (beside_torch.py), in microseconds, so that it is the GPU's; a call
that no graph can hold is measured between events, and its name says so. Run the versions in turns, some times each: the
comparison takes the least of each.
"""
import json
import statistics
import sys

import beside_torch

SHAPES = ((8192, 2048), (65536, 256), (1 << 20, 16), (64, 1 << 18))
REDUCTIONS = ("sum", "norm", "var", "max", "argmin")
DEVICE_BOUND = 60.0  # us


def calls(xd, torch):
    """Names and functions."""
    types = {"f2": torch.float16, "b2": torch.bfloat16, "f4": torch.float32, "f8": torch.float64, "i4": torch.int32,
             "i8": torch.int64}

    # of its own: the default generator cannot be used after a graph that could not be captured
    generator = torch.Generator(device="cuda").manual_seed(1)

    def data(dtype, *shape):
        if not dtype.is_floating_point:
            return torch.randint(-100, 100, shape, device="cuda", dtype=dtype, generator=generator)
        return (torch.rand(shape, device="cuda", dtype=torch.float64, generator=generator) * 2 - 1).to(dtype)

    def result_of(what, dtype):
        integers = {"sum": torch.int64, "dot": torch.int64, "norm": torch.float64, "var": torch.float64, "max": dtype}
        of_result = torch.int64 if what == "argmin" else dtype if dtype.is_floating_point else integers[what]
        return torch.empty((), device="cuda", dtype=of_result)

    def of_vectors(name, dtype):
        for log2 in (12, 16, 20, 24, 26):
            x, y = data(dtype, 1 << log2), data(dtype, 1 << log2)
            for what in REDUCTIONS:
                out = result_of(what, dtype)
                yield f"{what} {name} 2^{log2}", lambda f=getattr(xd, what), x=x, out=out: f(x, out=out)
            out = result_of("dot", dtype)
            yield f"dot {name} 2^{log2}", lambda x=x, y=y, out=out: xd.dot(x, y, out=out)

    def of_matrices(name, dtype):
        for m, n in SHAPES:
            x, y = data(dtype, m, n), data(dtype, m, n)
            for what in REDUCTIONS:
                for axis in (0, 1):
                    yield f"{what} {name} {m}x{n} axis {axis}", lambda f=getattr(xd, what), x=x, axis=axis: f(x, axis=axis)
            yield f"vecdot {name} {m}x{n}", lambda x=x, y=y: xd.vecdot(x, y)

    def of_the_rest(name, dtype):
        x, matrix = data(dtype, 1 << 24), data(dtype, 4096, 4096)
        offsets = torch.arange(0, (1 << 24) + 1, 64, device="cuda")
        for what in ("sum", "var", "max"):
            yield f"segment_{what} {name}", lambda f=getattr(xd, "segment_" + what), x=x: f(x, offsets)
            for groups in (1000, 1 << 20):
                keys = torch.randint(0, groups, (1 << 24,), device="cuda", generator=generator)
                yield (f"group_{what} {name} {groups}",
                       lambda f=getattr(xd, "group_" + what), x=x, keys=keys, groups=groups: f(x, keys, groups))
        for axis in (0, 1):
            yield f"states {name} axis {axis}", lambda matrix=matrix, axis=axis: xd.states("sum", matrix, axis=axis)

    for name, dtype in types.items():
        for part in (of_vectors, of_matrices, of_the_rest):
            yield from part(name, dtype)


def between_events(torch, call):
    """The least of 5 rounds of 4 calls; those below some 20 us measure Python and the launch."""
    call()
    torch.cuda.synchronize()
    best = float("inf")
    for _ in range(5):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(4):
            call()
        stop.record()
        stop.synchronize()
        best = min(best, start.elapsed_time(stop) * 1e3 / 4)
    return best


def times(torch, named_calls):
    """By name."""
    found = {}
    for name, call in named_calls:
        try:
            graph = beside_torch.graph_of(torch, call)
        except RuntimeError:
            torch.cuda.synchronize()
            found[name + " (between events)"] = between_events(torch, call)
            continue
        found[name] = beside_torch.microseconds(torch, [graph], 5)[0]
    return found


def measure(packages, out):
    sys.path.insert(0, packages)
    import torch
    import exactdot as xd
    warm = torch.rand(1 << 26, device="cuda")
    for _ in range(200):  # clocks of an idle GPU are low
        warm.mul_(1.0)
    found = times(torch, calls(xd, torch))
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"gpu": torch.cuda.get_device_name(), "version": xd.__version__, "microseconds": found}, file)


def compare(old, new):
    def least(files):
        runs = [json.load(open(file, encoding="utf-8"))["microseconds"] for file in files]
        return {name: min(run[name] for run in runs) for name in runs[0]}
    before, after = least(old), least(new)
    for name in before.keys() ^ after.keys():
        print(f"  only one version has {name}")
    ratios = {name: after[name] / before[name] for name in before if name in after}
    for title, names in (("all", list(ratios)), (f"of {DEVICE_BOUND:g} us or more",
                                                 [name for name in ratios if before[name] >= DEVICE_BOUND])):
        values = sorted(ratios[name] for name in names)
        print(f"{title}: {len(values)} calls, new / old: median {statistics.median(values):.3f}, {values[0]:.2f} to "
              f"{values[-1]:.2f}, {sum(value > 1.05 for value in values)} above 1.05")
    for name in sorted(ratios, key=ratios.get, reverse=True)[:20]:
        print(f"  {ratios[name]:.2f}  {name}: {before[name]:.1f} us")


def main(arguments):
    if arguments[:1] == ["--compare"] and "--" in arguments:
        split = arguments.index("--")
        compare(arguments[1:split], arguments[split + 1:])
    elif len(arguments) == 2 and not arguments[0].startswith("-"):
        measure(*arguments)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
