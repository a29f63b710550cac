"""Results of a GPU for scripts/performance: the page of docs/performance.md and sentences with figures.

Results are in docs/results: gpu-h200.json (`exactdot bench --device cuda`), torch-h200.json (bench/torch_peers.py) and
kernels.json (scripts/kernel_resources). scripts/speed/gpu_tables.py has the raw tables, scripts/speed/gpu_goals.py the goals.
"""

from shared import result_files
from shared.documents import paragraph, table
from speed.rows import TYPES, fastest, length, ratio_of, source, time_text

CUB = ("cub", "cub_transform")
# goals for exact / cuBLAS's plain dot, set before any measurement: (from, to, goal), lengths as powers of two
EXACT_GOALS = {"float32": ((10, 17, 0.90), (18, 20, 0.75), (21, 22, 0.90), (23, 29, 0.975)),
               "float64": ((10, 21, 0.95), (22, 29, 0.98))}
HOSTILE_GOAL = 3.0  # exact on such data, relative to uniform data


class GpuResults:
    def __init__(self, folder):
        self.report, self.torch, self.kernels = (
            result_files.read(folder / name) for name in ("gpu-h200.json", "torch-h200.json", "kernels.json"))
        self.rows = self.report["rows"]
        self.sizes = sorted({row["n"] for row in self.rows})
        self.types = [name for name in TYPES if any(row["type"] == name for row in self.rows)]
        self.hostile = list(dict.fromkeys(row["data"] for row in self.rows if row["data"] != "uniform"))
        keys = ("type", "n", "peer", "how", "l2", "data")
        self.index = {tuple(row[key] for key in keys): row for row in self.rows}
        self.torch_index = {tuple(row[key] for key in keys[:4]): row for row in self.torch["rows"] if "us" in row}

    def row(self, type_, n, peer, timing_mode="graph", l2="warm", data="uniform"):
        return self.index.get((type_, n, peer, timing_mode, l2, data))

    def cub(self, type_, n, timing_mode="graph", l2="warm"):
        """The faster of CUB's two calls."""
        return fastest(self.row(type_, n, peer, timing_mode, l2) for peer in CUB)

    def reference(self, mode, type_, n, timing_mode="graph", l2="warm"):
        """The row to compare with: cuBLAS's; for fast the faster of cuBLAS and CUB."""
        cublas = self.row(type_, n, "cublas", timing_mode, l2)
        return cublas if mode == "exact" else fastest((cublas, self.cub(type_, n, timing_mode, l2)))

    def ratio(self, mode, type_, n, timing_mode="graph", l2="warm"):
        return ratio_of(self.row(type_, n, mode, timing_mode, l2), self.reference(mode, type_, n, timing_mode, l2))

    def of_ceiling(self, mode, type_, n, l2="warm"):
        """The fraction of the speed of the fastest kernel that only reads both vectors."""
        return ratio_of(self.row(type_, n, "read", "graph", l2), self.row(type_, n, mode, "graph", l2))

    def hostile_ratio(self, type_, n, data):
        return ratio_of(self.row(type_, n, "exact", data=data), self.row(type_, n, "exact"))

    def bits(self):
        compared = self.report.get("compared", 0)  # and equal: scripts/shared/result_fields.py refuses others
        return f"{compared} of {compared}"


def exact_goal(type_, n):
    """The goal for exact / cuBLAS; 1 for lengths that have none."""
    return next((goal for first, last, goal in EXACT_GOALS[type_] if 1 << first <= n <= 1 << last), 1)


def origin(results):
    """Where the figures of the page come from."""
    facts, report, torch = results.report["machine"], results.report, results.torch
    lines = [source("gpu-h200.json", facts["gpu"], facts["host"]["exactdot"], facts["host"]["date"], report["rounds"],
                    report["quick"]) + f" `exact` and `fast` had the CPU's bits in {results.bits()} rows.",
             source("torch-h200.json", f"{torch['gpu']}, PyTorch {torch['torch']}", None, torch["date"], torch["rounds"])]
    return "\n".join(paragraph(line, "- ") for line in lines)


def times(results):
    """Time over n of every peer, float and double side by side, in a replayed graph with warm caches."""
    header, rows = ["n"], []
    for type_ in results.types:
        header += [f"{TYPES[type_]}: limit", "cuBLAS", "CUB", "PyTorch", "`fast`", "`exact`"]
    for n in results.sizes:
        cells = []
        for type_ in results.types:
            ratios = {mode: results.ratio(mode, type_, n) for mode in ("fast", "exact")}
            goals = {"fast": 1, "exact": exact_goal(type_, n)}
            cells += [time_text(results.row(type_, n, "read")), time_text(results.row(type_, n, "cublas")),
                      time_text(results.cub(type_, n)), time_text(results.torch_index.get((type_, n, "torch.dot", "graph")))]
            cells += [time_text(results.row(type_, n, mode), ratio is None or ratio.value <= goals[mode])
                      for mode, ratio in ratios.items()]
        rows.append([length(n), *cells])
    return table(header, rows)


def hard_data(results):
    """Sets of data that miss the goal, each with its range of ratios."""
    ranges = []
    for data in results.hostile:
        for type_ in results.types:
            ratios = [ratio.value for n in results.sizes if (ratio := results.hostile_ratio(type_, n, data))]
            if ratios and max(ratios) > HOSTILE_GOAL:
                ranges.append(f"`{data}`, {TYPES[type_]}: {min(ratios):.1f} to {max(ratios):.1f}")
    text = f"Time / time on uniform data, of the sets that exceed {HOSTILE_GOAL:g} at some length: " + "; ".join(ranges)
    return paragraph(f"{text}." if ranges else f"No set of data exceeds {HOSTILE_GOAL:g} times the time of uniform data.")


def readme(results):
    """One sentence: exact beside cuBLAS and CUB, uniform data in a replayed graph."""
    cases = [(type_, n) for type_ in results.types for n in results.sizes]
    to_cublas = [ratio.value for type_, n in cases if (ratio := results.ratio("exact", type_, n))]
    to_cub = [ratio.value for type_, n in cases
              if (ratio := ratio_of(results.row(type_, n, "exact"), results.cub(type_, n)))]
    lengths = [n for n in results.sizes if any(results.ratio("exact", type_, n) for type_ in results.types)]
    return paragraph(
        f"On an {results.report['machine']['gpu']} exact dot products take less time than cuBLAS's plain ones in "
        f"{sum(ratio < 1 for ratio in to_cublas)} of {len(to_cublas)} cases (float and double, {length(lengths[0])} … "
        f"{length(lengths[-1])}), and {min(to_cub):.2f} to {max(to_cub):.2f} times CUB's.")
