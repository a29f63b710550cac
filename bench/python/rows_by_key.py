#!/usr/bin/env python3
"""Times sums of the rows of a matrix by their keys on a GPU, beside PyTorch's index_add_, racy and deterministic.

"combine" is group_dot of rows with a float32 weight each, added to what is there, beside index_add_ of their products.

usage: rows_by_key.py OUT.json [--package FOLDER] [--only WORDS] [--seconds S]

A time is the median of replayed CUDA graphs of 5 calls, in turns, in microseconds (beside_torch.py). PyTorch adds to
an array that lies there, without clearing it; its deterministic sums of frequent keys take up to 0.8 s and are called
once, of floats. A row has the columns TYPE, TYPE_racy and TYPE_deterministic; scripts/performance makes a table of
docs/results/row-keys-NAME.json.
"""
import json
import math
import sys
import time

import beside_torch

FLOATING = ("float32", "bfloat16", "float16", "float64")
# rows, columns, groups
SHAPES = ((2 ** 20, 8, 2 ** 16), (2 ** 20, 32, 2 ** 16), (2 ** 20, 64, 2 ** 16), (2 ** 18, 256, 50000),
          (2 ** 16, 768, 32000), (2 ** 20, 64, 1000), (2 ** 20, 64, 2 ** 20))
NARROW = ((2 ** 20, 1, 2 ** 16), (2 ** 20, 2, 2 ** 16), (2 ** 20, 4, 2 ** 16), (2 ** 20, 2, 16), (2 ** 20, 4, 16))
KEYS = ("uniform", "zipf", "equal", "sorted")


def keys_of(torch, order, n, groups):
    if order == "sorted":
        return torch.arange(n, device="cuda") * groups // n
    if order == "equal":
        return torch.full((n,), groups // 2, device="cuda")
    if order == "zipf":
        uniform = torch.rand(n, device="cuda", dtype=torch.float64)
        return torch.clamp((torch.exp(uniform * math.log(groups + 1)) - 1).to(torch.int64), max=groups - 1)
    return torch.randint(groups, (n,), device="cuda")


def cases(torch):
    """Types, shapes and orders of keys: all orders of two shapes, all types of uniform keys."""
    for n, columns, groups in NARROW:
        yield "sum", "float32", n, columns, groups, "uniform"
    for name in (*FLOATING, "int32", "int64"):
        for n, columns, groups in SHAPES:
            for order in KEYS:
                is_floating = name in FLOATING
                if order == "uniform" or (is_floating and (n, groups) == (2 ** 20, 2 ** 16) and columns != 32):
                    yield "sum", name, n, columns, groups, order
    for what in ("norm", "mean", "var"):
        for name in ("bfloat16", "float32", "float64"):
            yield what, name, 2 ** 20, 64, 2 ** 16, "uniform"
    for name in ("bfloat16", "float32"):
        for order in ("uniform", "sorted"):
            yield "combine", name, 2 ** 20, 64, 2 ** 16, order


def timed(torch, call, calls=5):
    try:
        return beside_torch.graph_of(torch, call, calls)
    except Exception as error:  # of either library: no time
        print(str(error)[:200], file=sys.stderr)
        torch.cuda.synchronize()
        return None


def name_of(n):
    return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else str(n)


def times_of(torch, xd, case):
    """Of a case, by the name of their column."""
    what, name, n, columns, groups, order = case
    dtype = getattr(torch, name)
    x = beside_torch.data(torch, dtype, n, columns)
    keys, of_sum = keys_of(torch, order, n, groups), dtype if dtype.is_floating_point else torch.int64
    ours, theirs = (torch.zeros(groups, columns, device="cuda", dtype=t) for t in (of_sum, dtype))
    weights = beside_torch.data(torch, torch.float32, n, 1)

    def call():
        if what == "combine":
            return xd.group_dot(x, weights, keys, groups, add_to=ours)
        return getattr(xd, "group_" + what)(x, keys, groups, out=ours)

    def add():
        theirs.index_add_(0, keys, (x * weights).to(dtype) if what == "combine" else x)

    graphs = {name: timed(torch, call)}
    if what in ("sum", "combine"):
        graphs[name + "_racy"] = timed(torch, add)
    are_frequent = order in ("zipf", "equal")
    slow = None
    if what == "sum" and (name == "float32" or not are_frequent):
        torch.use_deterministic_algorithms(True)
        slow = timed(torch, add, 1 if are_frequent else 5)
        torch.use_deterministic_algorithms(False)
    if slow is not None and not are_frequent:
        graphs[name + "_deterministic"] = slow
    graphs = {key: graph for key, graph in graphs.items() if graph is not None}
    times = dict(zip(graphs, beside_torch.microseconds(torch, list(graphs.values()), 5)))
    if slow is not None and are_frequent:
        times[name + "_deterministic"] = 5 * beside_torch.microseconds(torch, [slow], 1)[0]
    return {key: round(time, 1) if time < 100 else round(time) for key, time in times.items()}


def main():
    chosen = beside_torch.read_options(__doc__)
    import torch
    import exactdot as xd
    torch.manual_seed(1)
    beside_torch.speed_of_reading(torch)  # clocks of an idle GPU are low
    rows, end = {}, time.monotonic() + chosen.seconds
    for case in cases(torch):
        if time.monotonic() > end or not all(word in map(str, case) for word in chosen.only):
            continue
        what, _, n, columns, groups, order = case
        shape = f"{name_of(n)}x{columns} to {name_of(groups)}"
        times = times_of(torch, xd, case)
        rows.setdefault((what, shape, order), {"what": what, "shape": shape, "keys": order}).update(times)
        print(json.dumps([what, shape, order, times]), flush=True)
    with open(chosen.out, "w", encoding="utf-8") as file:
        json.dump({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "version": xd.__version__,
                   "date": time.strftime("%Y-%m-%d"), "rows": list(rows.values())}, file)


if __name__ == "__main__":
    main()
