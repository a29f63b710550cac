#!/usr/bin/env python3
"""Times exactdot beside PyTorch on tensors in a GPU's memory: shapes of training and inference, every element type.

usage: beside_torch.py OUT.json [--package FOLDER] [--only WORDS] [--seconds S]

A time is the median of replayed CUDA graphs of 5 calls, the two in turns, in microseconds. `reading`: what reading the
inputs once, and of norms writing the results, takes at the speed that PyTorch's float sum of 1 GiB has in the same run. `--only`: rows whose name has all of
these words. scripts/performance makes a table of docs/results/torch-shapes-NAME.json.
"""
import argparse
import json
import statistics
import sys
import time
import types

# the gradients of a model of 1.1·10^9 parameters, and many tensors of some thousand elements
LISTS = {"1.14·10^9": [(2048, 2048)] * 64 + [(8192, 2048)] * 48 + [(2048,)] * 33 + [(32000, 2048)],
         "short": [(1 + 97 * i % 8000,) for i in range(500)]}
TYPES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "int8": 1, "int16": 2, "int32": 4}
NORMS = ((128, 4096), (2048, 4096), (8192, 4096), (8192, 8192), (65536, 1024), (2 ** 18, 128))
ROWS = ((8192, 4096), (65536, 1024), (262144, 256), (2 ** 21, 32), (64, 2 ** 19))


def data(torch, dtype, *shape):
    if dtype.is_floating_point:
        return torch.randn(shape, device="cuda", dtype=torch.float32).to(dtype)
    return torch.randint(-100, 100, shape, device="cuda", dtype=dtype)


def lists(torch, xd):
    """The norm of all elements of many tensors, and the norm of each."""
    for name, size in TYPES.items():
        if not getattr(torch, name).is_floating_point:
            continue
        for word, shapes in LISTS.items():
            x = [data(torch, getattr(torch, name), *shape) for shape in shapes]
            read, what = sum(each.numel() for each in x) * size, f"of {len(x)} tensors, {word}"
            one, each = (torch.empty(n, device="cuda", dtype=x[0].dtype) for n in ((), (len(x),)))
            yield (f"norm {name} {what}", read,
                   lambda x=x: torch.linalg.vector_norm(torch.stack(torch._foreach_norm(x, 2.0))),
                   lambda x=x, one=one: xd.norm(x, out=one))
            yield (f"list_norm {name} {what}", read, lambda x=x: torch._foreach_norm(x, 2.0),
                   lambda x=x, each=each: xd.list_norm(x, out=each))


def norms(torch, xd):
    """RMS norms and layer norms of rows; bytes that are read and written."""
    functional = torch.nn.functional
    for name, size in TYPES.items():
        dtype = getattr(torch, name)
        if not dtype.is_floating_point:
            continue
        for m, n in NORMS:
            x, weight, bias = data(torch, dtype, m, n), data(torch, dtype, n), data(torch, dtype, n)
            out = torch.empty_like(x)
            moved, shape = 2 * x.numel() * size, f"{m}x{n}"
            yield (f"rms_norm {name} {shape}", moved, lambda x=x, w=weight, n=n: functional.rms_norm(x, (n,), w, 1e-6),
                   lambda x=x, w=weight, out=out: xd.rms_norm(x, w, epsilon=1e-6, out=out))
            yield (f"layer_norm {name} {shape}", moved,
                   lambda x=x, w=weight, b=bias, n=n: functional.layer_norm(x, (n,), w, b, 1e-5),
                   lambda x=x, w=weight, b=bias, out=out: xd.layer_norm(x, w, b, epsilon=1e-5, out=out))
            if size == 2:
                w, b = weight.float(), bias.float()
                yield (f"layer_norm {name} {shape}, float32 parameters", moved,
                       lambda x=x, w=weight, b=bias, n=n: functional.layer_norm(x, (n,), w, b, 1e-5),
                       lambda x=x, w=w, b=b, out=out: xd.layer_norm(x, w, b, epsilon=1e-5, out=out))


def norm_gradients(torch, _):
    """Gradients of rows, weights and biases; bytes of the rows that are read and written. PyTorch's by its own kernels."""
    try:
        from exactdot.torch._normalisation_operators import gradient_of_normalised
    except ImportError:  # an older package
        return
    aten = torch.ops.aten
    for name, size in TYPES.items():
        dtype = getattr(torch, name)
        if not dtype.is_floating_point or size == 8:
            continue
        for m, n in NORMS:
            x, g, weight, bias = (data(torch, dtype, *shape) for shape in ((m, n), (m, n), (n,), (n,)))
            for what, centred in (("rms_norm_gradient", False), ("layer_norm_gradient", True)):
                of = types.SimpleNamespace(saved_tensors=(x, weight, bias if centred else None), epsilon=1e-5, centred=centred, dims=1,
                                           needs_input_grad=(True, True, centred))
                if centred:
                    _, *of_rows = aten.native_layer_norm(x, (n,), weight, bias, 1e-5)
                    theirs = lambda x=x, g=g, w=weight, b=bias, n=n, r=of_rows: aten.native_layer_norm_backward(g, x, (n,), *r, w, b, [True] * 3)
                else:
                    _, of_rows = aten._fused_rms_norm(x, (n,), weight, 1e-5)
                    theirs = lambda x=x, g=g, w=weight, n=n, r=of_rows: aten._fused_rms_norm_backward(g, x, (n,), r, w, [True] * 2)
                yield f"{what} {name} {m}x{n}", 3 * x.numel() * size, theirs, lambda g=g, of=of: gradient_of_normalised(of, g)


def doubles_of_few_bits(torch, xd):
    """Doubles that are random, integers, prices of two decimals, floats or constants, without a call of PyTorch."""
    m, n, size = 8192, 2048, 8
    random = torch.randn((m, n), device="cuda", dtype=torch.float64)
    integers = torch.randint(-1000, 1000, (m, n), device="cuda").double()
    offsets = torch.arange(0, m * n + 1, 64, device="cuda")
    keys = torch.randint(0, 10000, (m * n,), device="cuda")
    for kind, x in {"random": random, "integers": integers, "prices": (integers * 100 + 99) / 100, "floats": random.float().double(),
                    "constants": torch.full((m, n), 0.1, device="cuda", dtype=torch.float64)}.items():
        for what in ("sum", "norm", "var", "mean", "max"):
            of_lines, of_keys = getattr(xd, what), getattr(xd, "group_" + what)
            for axis, word in ((1, "rows"), (0, "columns")):
                yield (f"{what} doubles:{kind} {word} {m}x{n}", x.numel() * size, None,
                       lambda f=of_lines, x=x, axis=axis: f(x, axis=axis))
            yield (f"{what} doubles:{kind} {m * n} by 10000 keys", x.numel() * size + x.numel() * 8, None,
                   lambda f=of_keys, x=x: f(x.view(-1), keys, 10000))
            yield (f"{what} doubles:{kind} {m * n} by 64", x.numel() * size, None,
                   lambda f=getattr(xd, "segment_" + what), x=x: f(x.view(-1), offsets))
        yield (f"vecdot doubles:{kind} {m}x{n}", x.numel() * size, None, lambda x=x: xd.vecdot(x, x))


def cases(torch, xd):
    """Name, bytes that are read, PyTorch's call, if it has one, and ours."""
    yield from doubles_of_few_bits(torch, xd)
    yield from lists(torch, xd)
    yield from norms(torch, xd)
    yield from norm_gradients(torch, xd)
    for name, size in TYPES.items():
        dtype = getattr(torch, name)
        floating = dtype.is_floating_point
        of_sum = dtype if floating else torch.int64
        for m, n in ROWS:
            x = data(torch, dtype, m, n)
            for axis, word in ((1, "rows"), (0, "columns")):
                out = torch.empty(m if axis else n, device="cuda", dtype=of_sum)
                yield (f"sum {name} {word} {m}x{n}", x.numel() * size, lambda x=x, axis=axis: torch.sum(x, axis),
                       lambda x=x, axis=axis, out=out: xd.sum(x, axis=axis, out=out))
                if not floating:
                    continue
                yield (f"mean {name} {word} {m}x{n}", x.numel() * size, lambda x=x, axis=axis: torch.mean(x, axis),
                       lambda x=x, axis=axis, out=out: xd.mean(x, axis=axis, out=out))
                yield (f"norm {name} {word} {m}x{n}", x.numel() * size,
                       lambda x=x, axis=axis: torch.linalg.vector_norm(x, dim=axis),
                       lambda x=x, axis=axis, out=out: xd.norm(x, axis=axis, out=out))
                yield (f"var {name} {word} {m}x{n}", x.numel() * size, lambda x=x, axis=axis: torch.var(x, axis),
                       lambda x=x, axis=axis, out=out: xd.var(x, axis=axis, ddof=1, out=out))
                yield (f"max {name} {word} {m}x{n}", x.numel() * size, lambda x=x, axis=axis: torch.amax(x, axis),
                       lambda x=x, axis=axis, out=out: xd.max(x, axis=axis, out=out))
            if floating:
                y = data(torch, dtype, m, n)
                out = torch.empty(m, device="cuda", dtype=dtype)
                yield (f"vecdot {name} {m}x{n}", 2 * x.numel() * size, lambda x=x, y=y: torch.linalg.vecdot(x, y),
                       lambda x=x, y=y, out=out: xd.vecdot(x, y, out=out))
                out = torch.empty(n, device="cuda", dtype=dtype)
                yield (f"vecdot {name} columns {m}x{n}", 2 * x.numel() * size, lambda x=x, y=y: torch.linalg.vecdot(x, y, dim=0),
                       lambda x=x, y=y, out=out: xd.vecdot(x, y, axis=0, out=out))
        if floating:
            for m, k in ((4096, 4096), (16384, 4096), (4096, 14336)):
                a, v = data(torch, dtype, m, k), data(torch, dtype, k)
                out = torch.empty(m, device="cuda", dtype=dtype)
                yield (f"matvec {name} {m}x{k}", a.numel() * size, lambda a=a, v=v: a @ v,
                       lambda a=a, v=v, out=out: xd.matvec(a, v, out=out))
                for vectors in (2, 4, 8, 16):
                    x = data(torch, dtype, vectors, k)
                    out = torch.empty(vectors, m, device="cuda", dtype=dtype)
                    yield (f"matvec {name} {m}x{k} by {vectors}", (a.numel() + x.numel()) * size,
                           lambda a=a, x=x: torch.nn.functional.linear(x, a),
                           lambda a=a, x=x, out=out: xd.matvec(a, x, out=out))
            x = data(torch, dtype, 2 ** 28 // size * 2)
            out = torch.empty((), device="cuda", dtype=dtype)
            yield (f"var {name} vector {x.numel()}", x.numel() * size, lambda x=x: torch.var(x),
                   lambda x=x, out=out: xd.var(x, ddof=1, out=out))
            yield (f"std {name} vector {x.numel()}", x.numel() * size, lambda x=x: torch.std(x),
                   lambda x=x, out=out: xd.std(x, ddof=1, out=out))
            yield (f"norm {name} vector {x.numel()}", x.numel() * size, lambda x=x: torch.linalg.vector_norm(x),
                   lambda x=x, out=out: xd.norm(x, out=out))
            for length in (16, 256, 65536):
                x = data(torch, dtype, 2 ** 25)
                offsets = torch.arange(0, 2 ** 25 + 1, length, device="cuda")
                out = torch.empty(2 ** 25 // length, device="cuda", dtype=dtype)
                yield (f"segment_sum {name} 2^25 by {length}", x.numel() * size,
                       lambda x=x, offsets=offsets: torch.segment_reduce(x, "sum", offsets=offsets, unsafe=True),
                       lambda x=x, offsets=offsets, out=out: xd.segment_sum(x, offsets, out=out))
                yield (f"segment_mean {name} 2^25 by {length}", x.numel() * size,
                       lambda x=x, offsets=offsets: torch.segment_reduce(x, "mean", offsets=offsets, unsafe=True),
                       lambda x=x, offsets=offsets, out=out: xd.segment_mean(x, offsets, out=out))
                for what in ("norm", "var"):
                    yield (f"segment_{what} {name} 2^25 by {length}", x.numel() * size, None,
                           lambda f=getattr(xd, "segment_" + what), x=x, offsets=offsets, out=out: f(x, offsets, out=out))


def graph_of(torch, call, calls=5):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        for _ in range(calls):
            call()
    return graph


def microseconds(torch, graphs, rounds=9):
    times = [[] for _ in graphs]
    for _ in range(rounds):
        for graph, taken in zip(graphs, times):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            graph.replay()
            start.record()
            graph.replay()
            stop.record()
            stop.synchronize()
            taken.append(200 * start.elapsed_time(stop))
    return [statistics.median(taken) for taken in times]


def speed_of_reading(torch):
    """In bytes a microsecond."""
    warm = torch.rand(2 ** 28, device="cuda")
    for _ in range(50):  # clocks of an idle GPU are low
        warm.mul_(1.0)
    return warm.numel() * 4 / microseconds(torch, [graph_of(torch, lambda: torch.sum(warm))])[0]


def read_options(documentation):
    """Of this program and of others that measure so; the package can be imported then."""
    parser = argparse.ArgumentParser(description=documentation.split("\n", maxsplit=1)[0])
    parser.add_argument("out")
    parser.add_argument("--package")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=300)
    chosen = parser.parse_args()
    if chosen.package:
        sys.path.insert(0, chosen.package)
    return chosen


def main():
    chosen = read_options(__doc__)
    import torch
    import exactdot as xd
    torch.manual_seed(1)
    torch.set_grad_enabled(False)
    speed = speed_of_reading(torch)
    rows, end = [], time.monotonic() + chosen.seconds
    for name, size, theirs, ours in cases(torch, xd):
        if time.monotonic() > end:
            break
        if not all(word in name for word in chosen.only):
            continue
        what, dtype, shape = name.split(maxsplit=2)
        row = {"what": what, "type": dtype, "shape": shape, "reading": round(size / speed, 1)}
        for key, call in (("torch", theirs), ("exactdot", ours)):
            if call is None:
                continue
            try:
                row[key + "_graph"] = graph_of(torch, call)
            except Exception as error:  # of either library: a row without a time, with the reason
                row[key + "_error"] = str(error)[:200]
                torch.cuda.synchronize()
        timed = [key for key in ("torch", "exactdot") if key + "_graph" in row]
        graphs = [row.pop(key + "_graph") for key in timed]
        row.update(zip(timed, (round(each, 1) for each in microseconds(torch, graphs))))
        rows.append(row)
        print(json.dumps(row), flush=True)
    with open(chosen.out, "w", encoding="utf-8") as file:
        json.dump({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "version": xd.__version__,
                   "date": time.strftime("%Y-%m-%d"), "bytes_per_microsecond": speed, "rows": rows}, file)


if __name__ == "__main__":
    main()
