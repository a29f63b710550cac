"""Raw tables of a GPU, docs/results/gpu.md, for scripts/performance."""
from shared.documents import figure, paragraph, table
from speed.goals import misses_table
from speed.gpu import HOSTILE_GOAL, exact_goal
from speed.gpu_goals import CEILING_GOAL, HOST_GOAL, MAX_HOST_LENGTH, MIN_LONG, dot_goals, workspace_goal
from speed.rows import QUICK, TYPES, length, percent_text, ratio_of, ratio_text, time_text

MODES = ("fast", "exact")
PEERS = {"cublas": "cuBLAS", "cub": "CUB", "cub_transform": "CUB, TransformReduce"}


def machine(results):
    facts, report = results.report["machine"], results.report
    driver = f"driver {facts['driver']}, " if "driver" in facts else ""
    lines = [paragraph(f"{facts['gpu']} ({facts['multiprocessors']} multiprocessors, L2 {facts['l2_mib']} MiB), {driver}CUDA "
                       f"{facts['driver_cuda']}, toolkit {facts['toolkit']}; on the host {facts['host']['cpu']}, "
                       f"{facts['host']['hardware_threads']} hardware threads; exactdot {facts['host']['exactdot']}; "
                       f"{facts['host']['date']}. Medians of {report['rounds']} rounds; each round samples all peers in "
                       f"random order.")]
    longest = results.row(results.types[0], results.sizes[-1], "read")
    if longest:
        lines.append(paragraph(f"The read ceiling at {length(longest['n'])} is {longest['gb_per_s']:.0f} GB/s, by "
                               f"{longest['shape']}; for each length it is the maximum of several such launches."))
    if report["quick"]:
        lines.append(f"**This is {QUICK}.**")
    lines += [f"Not measured: {line}." for line in report["missing"]]
    lines.append(table(["row", "what is called"], [[f"`{peer['name']}`", peer["how"]] for peer in report["peers"]]))
    return "\n\n".join(lines)


def goals(results):
    return misses_table([*dot_goals(results), workspace_goal(results)])


def graph_table(results, type_, l2):
    """Includes lower bounds: an empty kernel, one block that only reads, and the fastest kernel that only reads.

    The goals for exact are those of calls with warm caches; without, above 1 is marked.
    """
    floors = ("empty", "one_block", "read") if l2 == "warm" else ("one_block", "read")
    rows = []
    for n in results.sizes:
        if not results.row(type_, n, "exact", "graph", l2):
            continue
        ratios = {mode: results.ratio(mode, type_, n, "graph", l2) for mode in MODES}
        exact_limit = exact_goal(type_, n) if l2 == "warm" else 1
        fractions = [percent_text(results.of_ceiling(mode, type_, n, l2),
                                  lambda fraction: n < MIN_LONG or fraction >= CEILING_GOAL) for mode in MODES]
        rows.append([length(n), *[time_text(results.row(type_, n, peer, "graph", l2)) for peer in (*floors, *PEERS)],
                     time_text(results.row(type_, n, "fast", "graph", l2)),
                     ratio_text(ratios["fast"], lambda ratio: ratio <= 1),
                     time_text(results.row(type_, n, "exact", "graph", l2)),
                     ratio_text(ratios["exact"], lambda ratio: ratio <= exact_limit), *fractions])
    return table(["n", *[floor.replace("_", " ") for floor in floors], *PEERS.values(), "`fast`", "/ faster of both",
                  "`exact`", "/ cuBLAS", "`fast`: of the read ceiling", "`exact`"], rows)


def stream_table(results, type_):
    rows = []
    for n in results.sizes:
        ratios = [ratio_text(results.ratio(mode, type_, n, "stream"), lambda ratio: ratio <= 1) for mode in MODES]
        peers = [time_text(results.row(type_, n, peer, "stream")) for peer in ("empty", "one_block", *PEERS)]
        rows.append([length(n), *peers, time_text(results.row(type_, n, "fast", "stream")), ratios[0],
                     time_text(results.row(type_, n, "exact", "stream")), ratios[1]])
    return table(["n", "empty", "one block", *PEERS.values(), "`fast`", "/ faster of both", "`exact`", "/ cuBLAS"], rows)


def host_table(results, type_):
    rows = []
    for n in results.sizes:
        found = {peer: results.row(type_, n, peer, "host") for peer in ("empty", "poll", *PEERS, "thrust", *MODES)}
        floor = min((found[name] for name in ("empty", "poll") if found[name]), key=lambda row: row["us"], default=None)
        ratios = [ratio_text(ratio_of(row, found["cublas"]), lambda ratio: n > MAX_HOST_LENGTH or ratio <= HOST_GOAL)
                  for row in (floor, found["fast"], found["exact"])]
        rows.append([length(n), time_text(found["empty"]), time_text(found["poll"]), ratios[0],
                     *[time_text(found[peer]) for peer in (*PEERS, "thrust")], time_text(found["fast"]), ratios[1],
                     time_text(found["exact"]), ratios[2]])
    return table(["n", "floor, waiting", "floor, polling", "/ cuBLAS", *PEERS.values(), "Thrust", "`fast`", "/ cuBLAS",
                  "`exact`", "/ cuBLAS"], rows)


def hostile(results):
    sizes = [n for n in results.sizes
             if any(results.hostile_ratio(type_, n, data) for type_ in results.types for data in results.hostile)]
    rows = [[f"{data}, {TYPES[type_]}",
             *[ratio_text(results.hostile_ratio(type_, n, data), lambda ratio: ratio <= HOSTILE_GOAL) for n in sizes]]
            for data in results.hostile for type_ in results.types]
    return table(["time / time on uniform data", *map(length, sizes)], rows)


def errors(results):
    peers = ("exact", "fast", "cublas", "cub", "cub_transform", "thrust")

    def error(type_, n, peer):
        row = results.row(type_, n, peer, "host" if peer == "thrust" else "graph")
        return figure(row["error_ulps"]) if row and "error_ulps" in row else "–"

    rows = [[f"{TYPES[type_]}, {length(n)}", *[error(type_, n, peer) for peer in peers]]
            for type_ in results.types for n in results.sizes]
    return table(["error, ulps", *[f"`{peer}`" for peer in peers]], rows)


def torch(results):
    """PyTorch, measured in a separate process on the same GPU, beside mode exact."""
    report, calls = results.torch, ("torch.dot", "torch.linalg.vecdot", "(a * b).sum()")
    header, rows = ["µs"], []
    for timing_mode in ("graph", "stream", "host"):
        header += [f"{timing_mode}: `torch.dot`", "`vecdot`", "`(a * b).sum()`", "`exact`"]
    errors = {(row["type"], row["n"]): row["error_ulps"] for row in report["rows"]
              if row["peer"] == "torch.dot" and row["how"] == "graph" and "error_ulps" in row}
    for type_ in results.types:
        for n in sorted({row["n"] for row in report["rows"]}):
            cells = []
            for timing_mode in ("graph", "stream", "host"):
                cells += [time_text(results.torch_index.get((type_, n, call, timing_mode))) for call in calls]
                cells.append(time_text(results.row(type_, n, "exact", timing_mode)))
            rows.append([f"{TYPES[type_]}, {length(n)}", *cells,
                         figure(errors[type_, n]) if (type_, n) in errors else "–"])
    return (f"PyTorch {report['torch']}, {report['gpu']}, {report['date']}.\n\n"
            + table([*header, "error of `torch.dot`, ulps"], rows))


def registers(results):
    """A sentence of docs/experiments.md about the exact kernels."""
    exact = [kernel for kernel in results.kernels["kernels"] if kernel["name"].startswith("exact_kernel")]
    spilling = sum(kernel["spill_stores"] + kernel["spill_loads"] > 0 for kernel in exact)
    return paragraph(f"The exact kernels need up to {max(kernel['registers'] for kernel in exact)} registers; "
                     f"{spilling or 'none'} of {len(exact)} spill{'' if spilling > 1 else 's'} "
                     "([these and all that spill](results/kernels.json)).")
