"""GPU tables of docs/performance.md and a sentence of README.md, for scripts/performance.

Results are in docs/results: gpu-h200.json (`exactdot bench --device cuda`), torch-h200.json (bench/torch_peers.py) and
kernels.json (scripts/kernel_resources).
"""
import json
import sys

from documents import figure, paragraph, table

TYPES = {"float32": "float", "float64": "double"}
MODES = ("fast", "exact")
CUB = ("cub", "cub_transform")

# goals, set before any measurement
MIN_LONG = 1 << 26         # from this length on times are compared with the read ceiling
CEILING_GOAL = 0.99        # fraction of the speed of reading both vectors
# exact / cuBLAS's plain dot: (from, to, goal)
EXACT_GOALS = {"float32": ((10, 17, 0.90), (18, 20, 0.75), (21, 22, 0.90), (23, 29, 0.975)),
               "float64": ((10, 21, 0.95), (22, 29, 0.98))}
MAX_HOST_LENGTH = 1 << 20  # up to this length the launch, not the memory, determines the time to a result on the host
HOST_GOAL = 0.5            # relative to cuBLAS's host-pointer mode
HOSTILE_GOAL = 3.0         # relative to uniform data
WORKSPACE_GOAL = 1 << 20   # bytes


class GpuResults:
    def __init__(self, folder):
        self.report = json.loads((folder / "gpu-h200.json").read_text())
        self.torch = json.loads((folder / "torch-h200.json").read_text())
        self.kernels = json.loads((folder / "kernels.json").read_text())
        self.rows = self.report["rows"]
        self.sizes = sorted({row["n"] for row in self.rows})
        self.types = [name for name in TYPES if any(row["type"] == name for row in self.rows)]
        self.hostile = list(dict.fromkeys(row["data"] for row in self.rows if row["data"] != "uniform"))
        keys = ("type", "n", "peer", "how", "l2", "data")
        self.index = {tuple(row[key] for key in keys): row for row in self.rows}
        for row in self.rows:
            if row.get("same_bits_as_cpu", True) is not True:
                sys.exit(f"performance: a result differs from the CPU's result: {row}")

    def us(self, type_, n, peer, timing_mode="graph", l2="warm", data="uniform"):
        row = self.index.get((type_, n, peer, timing_mode, l2, data))
        return row and row["us"]

    def cub(self, type_, n, timing_mode, l2):
        return minimum(self.us(type_, n, peer, timing_mode, l2) for peer in CUB)

    def reference(self, mode, type_, n, timing_mode="graph", l2="warm"):
        """The time to compare with: cuBLAS's; for fast the shorter of cuBLAS's and CUB's."""
        cublas = self.us(type_, n, "cublas", timing_mode, l2)
        return cublas if mode == "exact" else minimum((cublas, self.cub(type_, n, timing_mode, l2)))

    def ratio(self, mode, type_, n, timing_mode="graph", l2="warm"):
        return divided(self.us(type_, n, mode, timing_mode, l2), self.reference(mode, type_, n, timing_mode, l2))


def exact_goal(type_, n):
    """The goal for exact / cuBLAS; 1 for lengths that have none."""
    return next((goal for first, last, goal in EXACT_GOALS[type_] if 1 << first <= n <= 1 << last), 1)


def minimum(times):
    return min((time for time in times if time), default=None)


def divided(x, y):
    return x / y if x and y else None


def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def time(us):
    return "–" if us is None else (f"{us:.2f}" if us < 100 else figure(us))


def ratio_text(value, good):
    """The ratio, in bold if it is not good."""
    return "–" if value is None else (f"{value:.3f}" if good else f"**{value:.3f}**")


def percent(value, good=True):
    return "–" if value is None else (f"{100 * value:.1f} %" if good else f"**{100 * value:.1f} %**")


def machine(results):
    facts, report = results.report["machine"], results.report
    driver = f"driver {facts['driver']}, " if "driver" in facts else ""
    lines = [paragraph(f"{facts['gpu']} ({facts['multiprocessors']} multiprocessors, L2 {facts['l2_mib']} MiB), {driver}CUDA "
                       f"{facts['driver_cuda']}, toolkit {facts['toolkit']}; on the host {facts['host']['cpu']}, "
                       f"{facts['host']['hardware_threads']} hardware threads; {facts['host']['date']}. Medians of "
                       f"{report['rounds']} rounds; each round samples all peers in random order.")]
    longest = results.index.get((results.types[0], results.sizes[-1], "read", "graph", "warm", "uniform"))
    if longest:
        lines.append(paragraph(f"The read ceiling at {power(longest['n'])} is {longest['gb_per_s']:.0f} GB/s, by "
                               f"{longest['shape']}; for each length it is the maximum of several such launches."))
    if report["quick"]:
        lines.append("**Quick run:** few and short samples; the figures are not precise.")
    lines += [f"Not measured: {line}." for line in report["missing"]]
    lines.append(table(["row", "what is called"], [[f"`{peer['name']}`", peer["how"]] for peer in report["peers"]]))
    return "\n\n".join(lines)


def summary_row(goal, checks):
    met = sum(good for _, _, good, _ in checks)
    missed = [(case, text) for case, _, good, text in checks if not good]
    cases = ", ".join(f"{case}: {text}" for case, text in missed[:6]) + (", …" if len(missed) > 6 else "")
    return [goal, f"{met} of {len(checks)}" if met == len(checks) else f"**{met} of {len(checks)}**", cases or "–"]


def checks_of(results, sizes, value, good, pattern="{:.3f}"):
    """(case, ratio, whether it is good, text) of each type and size, the largest deviation from the goal first."""
    checks = []
    for type_ in results.types:
        for n in sizes:
            ratio = value(type_, n)
            if ratio is not None:
                checks.append((f"{TYPES[type_]} {power(n)}", ratio, good(ratio), pattern.format(ratio)))
    return sorted(checks, key=lambda check: check[1], reverse=good(0))


def of_ceiling(results, mode, type_, n):
    return divided(results.us(type_, n, "read"), results.us(type_, n, mode))


def goals(results):
    long = [n for n in results.sizes if n >= MIN_LONG]
    short = [n for n in results.sizes if n <= MAX_HOST_LENGTH]
    rows = []
    for type_, ranges in EXACT_GOALS.items():
        for first, last, goal in ranges:
            sizes = [n for n in results.sizes if 1 << first <= n <= 1 << last]
            rows.append(summary_row(
                f"`exact`, {TYPES[type_]}, ≤ {goal} of cuBLAS, 2^{first} … 2^{last}, in a graph",
                checks_of(results, sizes, lambda t, n: results.ratio("exact", t, n) if t == type_ else None,
                          lambda ratio: ratio <= goal)))
    rows.append(summary_row("`exact` ≤ the faster of cuBLAS and CUB, in a graph", checks_of(
        results, results.sizes, lambda type_, n: divided(results.us(type_, n, "exact"), results.reference("fast", type_, n)),
        lambda ratio: ratio <= 1)))
    rows.append(summary_row("`fast` ≤ the faster of cuBLAS and CUB, in a graph", checks_of(
        results, results.sizes, lambda type_, n: results.ratio("fast", type_, n), lambda ratio: ratio <= 1)))
    for mode in MODES:
        rows.append(summary_row(f"`{mode}` ≥ {100 * CEILING_GOAL:g} % of the read ceiling from {power(MIN_LONG)} on", checks_of(
            results, long, lambda type_, n: of_ceiling(results, mode, type_, n), lambda fraction: fraction >= CEILING_GOAL,
            "{:.3f}")))
    for mode in MODES:
        rows.append(summary_row(
            f"`{mode}`, result on the host, ≤ {HOST_GOAL} of cuBLAS's time up to {power(MAX_HOST_LENGTH)}",
            checks_of(results, short, lambda type_, n: on_host(results, mode, type_, n), lambda ratio: ratio <= HOST_GOAL)))
    for data in results.hostile:
        rows.append(summary_row(f"`exact` on {data} ≤ {HOSTILE_GOAL:g} of its time on uniform data", checks_of(
            results, results.sizes, lambda type_, n: hostile_ratio(results, type_, n, data),
            lambda ratio: ratio <= HOSTILE_GOAL, "{:.2f}")))
    workspace = results.report["workspace_bytes"]
    rows.append(summary_row(f"workspace ≤ 1 MiB (it has {workspace / 1024:.0f} KiB)",
                            [("", workspace, workspace <= WORKSPACE_GOAL, "")]))
    rows.append(["same bits as the CPU", bits(results), "–"])
    return table(["goal", "met", "not met: ratio, largest deviation first"], rows)


def bits(results):
    compared = [row for row in results.rows if "same_bits_as_cpu" in row]
    return f"{sum(row['same_bits_as_cpu'] for row in compared)} of {len(compared)}"


def on_host(results, mode, type_, n):
    return divided(results.us(type_, n, mode, "host"), results.us(type_, n, "cublas", "host"))


def hostile_ratio(results, type_, n, data):
    return divided(results.us(type_, n, "exact", data=data), results.us(type_, n, "exact"))


def graph_table(results, type_, l2):
    """Includes lower bounds: an empty kernel, one block that only reads, and the fastest kernel that only reads.

    The goals for exact are those of calls with warm caches; without, above 1 is marked.
    """
    floors = ("empty", "one_block", "read") if l2 == "warm" else ("one_block", "read")
    rows = []
    for n in results.sizes:
        us = {peer: results.us(type_, n, peer, "graph", l2) for peer in ("cublas", *floors, *MODES)}
        if us["exact"] is None:
            continue
        ratios = {mode: results.ratio(mode, type_, n, "graph", l2) for mode in MODES}
        fractions = {mode: divided(us["read"], us[mode]) for mode in MODES}
        exact_limit = exact_goal(type_, n) if l2 == "warm" else 1
        rows.append([power(n), *[time(us[floor]) for floor in floors], time(us["cublas"]),
                     time(results.cub(type_, n, "graph", l2)), time(us["fast"]),
                     ratio_text(ratios["fast"], (ratios["fast"] or 2) <= 1), time(us["exact"]),
                     ratio_text(ratios["exact"], (ratios["exact"] or 2) <= exact_limit),
                     *[percent(fractions[mode], n < MIN_LONG or (fractions[mode] or 0) >= CEILING_GOAL) for mode in MODES]])
    return table(["n", *[floor.replace("_", " ") for floor in floors], "cuBLAS", "CUB", "`fast`", "/ faster of both",
                  "`exact`", "/ cuBLAS", "`fast`: of the read ceiling", "`exact`"], rows)


def by_type(results, make, title):
    return "\n\n".join(f"{title}, {TYPES[type_]}, µs:\n\n{make(type_)}" for type_ in results.types)


def warm(results):
    return by_type(results, lambda type_: graph_table(results, type_, "warm"), "In a replayed graph, the same vectors in each call")


def cold(results):
    return by_type(results, lambda type_: graph_table(results, type_, "cold"), "In a replayed graph, no vector in the L2 cache")


def stream_table(results, type_):
    rows = []
    for n in results.sizes:
        ratios = {mode: results.ratio(mode, type_, n, "stream") for mode in MODES}
        rows.append([power(n), time(results.us(type_, n, "empty", "stream")), time(results.us(type_, n, "cublas", "stream")),
                     time(results.cub(type_, n, "stream", "warm")), time(results.us(type_, n, "fast", "stream")),
                     ratio_text(ratios["fast"], (ratios["fast"] or 2) <= 1), time(results.us(type_, n, "exact", "stream")),
                     ratio_text(ratios["exact"], (ratios["exact"] or 2) <= 1)])
    return table(["n", "empty", "cuBLAS", "CUB", "`fast`", "/ faster of both", "`exact`", "/ cuBLAS"], rows)


def host_table(results, type_):
    rows = []
    for n in results.sizes:
        us = {peer: results.us(type_, n, peer, "host") for peer in ("empty", "poll", "cublas", "thrust", *MODES)}
        us["floor"] = minimum((us["empty"], us["poll"]))
        ratios = {peer: divided(us[peer], us["cublas"]) for peer in ("floor", *MODES)}
        cells = [ratio_text(ratios[peer], n > MAX_HOST_LENGTH or (ratios[peer] or 1) <= HOST_GOAL)
                 for peer in ("floor", *MODES)]
        rows.append([power(n), time(us["empty"]), time(us["poll"]), cells[0], time(us["cublas"]),
                     time(results.cub(type_, n, "host", "warm")), time(us["thrust"]), time(us["fast"]), cells[1],
                     time(us["exact"]), cells[2]])
    return table(["n", "floor, waiting", "floor, polling", "/ cuBLAS", "cuBLAS", "CUB", "Thrust", "`fast`", "/ cuBLAS",
                  "`exact`", "/ cuBLAS"], rows)


def stream(results):
    return by_type(results, lambda type_: stream_table(results, type_), "Launches on a stream")


def host(results):
    return by_type(results, lambda type_: host_table(results, type_), "Call to result on the host")


def hostile(results):
    sizes = [n for n in results.sizes if any(results.us(type_, n, "exact", data=results.hostile[0]) for type_ in results.types)]
    rows = []
    for data in results.hostile:
        for type_ in results.types:
            ratios = [hostile_ratio(results, type_, n, data) for n in sizes]
            rows.append([f"{data}, {TYPES[type_]}",
                         *["–" if ratio is None else (f"{ratio:.2f}" if ratio <= HOSTILE_GOAL else f"**{figure(ratio)}**")
                           for ratio in ratios]])
    return table(["time / time on uniform data", *map(power, sizes)], rows)


def hard_data(results):
    """Sets of data that miss the goal, each with its range of ratios."""
    ranges = []
    for data in results.hostile:
        for type_ in results.types:
            ratios = [ratio for n in results.sizes if (ratio := hostile_ratio(results, type_, n, data))]
            if ratios and max(ratios) > HOSTILE_GOAL:
                ranges.append(f"`{data}`, {TYPES[type_]}: {min(ratios):.1f} to {max(ratios):.1f}")
    text = f"Time / time on uniform data, of the sets that exceed {HOSTILE_GOAL:g} at some length: " + "; ".join(ranges)
    return paragraph(f"{text}." if ranges else f"No set of data exceeds {HOSTILE_GOAL:g} times the time of uniform data.")


def readme(results):
    """One sentence: exact beside cuBLAS and CUB, uniform data in a replayed graph."""
    cases = [(type_, n) for type_ in results.types for n in results.sizes]
    to_cublas = [ratio for type_, n in cases if (ratio := results.ratio("exact", type_, n))]
    to_cub = [ratio for type_, n in cases
              if (ratio := divided(results.us(type_, n, "exact"), results.cub(type_, n, "graph", "warm")))]
    lengths = [n for n in results.sizes if any(results.ratio("exact", type_, n) for type_ in results.types)]
    return paragraph(
        f"On an {results.report['machine']['gpu']} `exact` takes less time than cuBLAS's plain dot in "
        f"{sum(ratio < 1 for ratio in to_cublas)} of {len(to_cublas)} cases (float and double, {power(lengths[0])} … "
        f"{power(lengths[-1])}), and {min(to_cub):.2f} to {max(to_cub):.2f} times CUB's.")


def errors(results):
    peers = ("exact", "fast", "cublas", "cub", "cub_transform", "thrust")

    def error(type_, n, peer):
        timing_mode = "host" if peer == "thrust" else "graph"
        return results.index.get((type_, n, peer, timing_mode, "warm", "uniform"), {}).get("error_ulps")

    rows = []
    for type_ in results.types:
        for n in results.sizes:
            all_ulps = [error(type_, n, peer) for peer in peers]
            rows.append([f"{TYPES[type_]}, {power(n)}", *["–" if ulps is None else figure(ulps) for ulps in all_ulps]])
    return table(["error, ulps", *[f"`{peer}`" for peer in peers]], rows)


def torch(results):
    """PyTorch, measured in a separate process on the same GPU, beside mode exact."""
    report = results.torch
    index = {(row["type"], row["n"], row["peer"], row["how"]): row for row in report["rows"]}
    rows = []
    for type_ in results.types:
        for n in sorted({row["n"] for row in report["rows"]}):
            def us(timing_mode, peer="torch.dot"):
                return index.get((type_, n, peer, timing_mode), {}).get("us")
            cells = [time(us("graph")), time(us("graph", "torch.linalg.vecdot")), time(us("graph", "(a * b).sum()")),
                     time(results.us(type_, n, "exact")), time(us("stream")), time(results.us(type_, n, "exact", "stream")),
                     time(us("host")), time(results.us(type_, n, "exact", "host"))]
            ulps = index.get((type_, n, "torch.dot", "graph"), {}).get("error_ulps")
            rows.append([f"{TYPES[type_]}, {power(n)}", *cells, "–" if ulps is None else figure(ulps)])
    header = ["µs", "graph: `torch.dot`", "`vecdot`", "`(a * b).sum()`", "`exact`", "stream: `torch.dot`", "`exact`",
              "host: `torch.dot`", "`exact`", "error of `torch.dot`, ulps"]
    return f"PyTorch {report['torch']}, {report['gpu']}, {report['date']}.\n\n" + table(header, rows)


def kernels(results):
    rows = [[f"`{kernel['name']}`", kernel["registers"], kernel["shared"], kernel["stack"],
             f"{kernel['spill_stores']} + {kernel['spill_loads']}"] for kernel in results.kernels["kernels"]]
    architecture = results.kernels["kernels"][0]["architecture"]
    return (f"{results.kernels['compiler']}, {architecture}.\n\n"
            + table(["kernel", "registers", "shared memory, bytes", "stack, bytes", "spilled: stores + loads, bytes"], rows))


SECTIONS = {"gpu-machine": machine, "gpu-goals": goals, "gpu-warm": warm, "gpu-cold": cold, "gpu-stream": stream,
            "gpu-host": host, "gpu-hostile": hostile, "gpu-hard": hard_data, "gpu-errors": errors, "gpu-torch": torch, "gpu-kernels": kernels}
README_SECTIONS = {"gpu-speed": readme}
