"""Tables of the ladder for scripts/lab_tables, from the JSON file that scripts/lab_on_gpu writes."""
import sys

from shared import result_files
from shared.documents import figure, paragraph, table

TYPES = {"float32": "float", "float64": "double"}
CONDITIONS = ("1e4", "1e8", "1e12")  # of the ladders with ill data in their order, if the file does not contain them

# a section of docs/lab.md: its rungs, and the rung with which their times are compared
SECTIONS = {"cpu_loop": (["cpu_loop", "cpu_loop_double"], None), "racy": (["racy"], "optimized"),
            "atomic_per_element": (["atomic_per_element"], None),
            "lock_per_block": (["lock_per_block"], "partial_per_thread"),
            "products_host_sum": (["products_host_sum"], "optimized"),
            "partial_per_thread": (["partial_per_thread"], "shared_host_sum"),
            "shared_atomic": (["shared_atomic"], "shared_host_sum"),
            "shared_host_sum": (["shared_host_sum"], None),
            "interleaved": (["interleaved"], "shared_host_sum"),
            "shared_then_shuffle": (["shared_then_shuffle"], "shared_atomic"),
            "shuffle_per_warp": (["shuffle_per_warp"], "shuffle_block"),
            "shuffle_block": (["shuffle_block"], "shared_atomic"),
            "two_phase": (["two_phase"], "shuffle_block"), "vectorized": (["vectorized"], "shuffle_per_warp"),
            "optimized": (["optimized"], "two_phase"), "single_pass": (["single_pass"], "optimized"),
            "double_accumulator": (["double_accumulator"], "two_phase"),
            "kahan": (["kahan", "neumaier"], "two_phase"), "cublas": (["cublas", "cub"], "optimized"),
            "fast": (["fast"], None), "exact": (["exact"], "fast")}
PER_ATOMIC = ("atomic_per_element", "shared_atomic", "shuffle_per_warp", "vectorized")


def fail(message):
    sys.exit(f"lab_tables: {message}")


class Results:
    """Results of the ladder and of compute-sanitizer on a GPU."""

    def __init__(self, path):
        self.report = result_files.read(path)
        ladders = self.report["ladders"]
        for ladder in ladders:
            if "failed" in ladder:
                fail(f"a ladder failed: {ladder['failed']}")
        self.uniform = {(ladder["n"], ladder["dtype"]): ladder for ladder in ladders if ladder["data"] == "uniform"}
        self.sizes = sorted({n for n, _ in self.uniform})
        self.types = [type_ for type_ in TYPES if (self.sizes[0], type_) in self.uniform]
        self.ill = [ladder for ladder in ladders if ladder["data"] == "ill"]
        self.ramp = [entry for ladder in ladders for entry in ladder.get("ramp", [])]
        self.names = [rung["name"] for rung in ladders[0]["rungs"]]
        for ladder in self.uniform.values():
            add_ratios(ladder)
        with_section = {name for names, _ in SECTIONS.values() for name in names}
        if with_section != set(self.names):
            fail(f"docs/lab.md and the results differ in rungs: {sorted(with_section ^ set(self.names))}")
        for ladder in ladders:
            for rung in ladder["rungs"]:
                if rung["check"] not in ("passed", "wrong on purpose", "nothing is promised for these data"):
                    fail(f"{rung['name']} failed its checks: {rung['check']}")

    def find(self, name, n, type_):
        return next(rung for rung in self.uniform[n, type_]["rungs"] if rung["name"] == name)

    def of_all_sizes(self, name, type_):
        return [self.find(name, n, type_) for n in self.sizes]


def add_ratios(ladder):
    """Adds to the rungs what follows from their times."""
    n, item_bytes = ladder["n"], 4 if ladder["dtype"] == "float32" else 8
    times = {rung["name"]: rung["microseconds"] for rung in ladder["rungs"]}
    for rung in ladder["rungs"]:
        time = rung["microseconds"]
        rung |= {"total_microseconds": time + (rung["copy_microseconds"] or 0), "gflop_per_s": 2e-3 * n / time,
                 "gb_per_s": 2e-3 * n * item_bytes / time, "ratio_to_cublas": time / times["cublas"],
                 "speedup_over_naive": times["atomic_per_element"] / time}


def power(n):
    exponent = n.bit_length() - 1
    return f"2^{exponent}" if n == 1 << exponent else str(n)


def millions(n):
    return f"{n >> 20}·2^20"


def time_text(microseconds):
    return f"{figure(microseconds)} µs" if microseconds < 1000 else f"{figure(microseconds / 1000)} ms"


def on_host(rung):
    """Whether the rung is a loop on the host: it has no block size and is not a vendor's library (number 18)."""
    return rung["block"] is None and rung["number"] != 18


def cell(rung):
    text = time_text(rung["microseconds"])
    if rung["copy_microseconds"] is not None:
        text += f" + {time_text(rung['copy_microseconds'])}"
    text += f", {figure(rung['gb_per_s'])} GB/s"
    if not on_host(rung):
        text += f", {figure(rung['percent_of_ceiling'])} %, {rung['ratio_to_cublas']:.2f}×"
    return text


def distinct_results(series):
    """The number of different results at each size: in repeated runs, and with different grids."""
    text = f"{' / '.join(str(rung['distinct_results']) for rung in series)} in {series[0]['runs']} runs"
    if series[0]["grids"] is not None:
        text += f"; {' / '.join(str(rung['distinct_over_grids']) for rung in series)} on {series[0]['grids']} grids"
    return text


def rung_table(results, names, compared_with):
    rows = []
    for name in names:
        for type_ in results.types:
            series = results.of_all_sizes(name, type_)
            label = TYPES[type_] if len(names) == 1 else f"`{name}`, {TYPES[type_]}"
            errors = " / ".join(figure(rung["ulps"]) for rung in series)
            rows.append([label, *map(cell, series), errors, distinct_results(series)])
            if name in PER_ATOMIC:
                times = [f"{figure(1000 * rung['microseconds'] / rung['atomics'])} ns" for rung in series]
                rows.append(["time / atomics", *times, "", ""])
            if compared_with:
                other_series = results.of_all_sizes(compared_with, type_)
                ratios = [f"{rung['microseconds'] / other['microseconds']:.2f}"
                          for rung, other in zip(series, other_series)]
                rows.append([f"/ `{compared_with}`", *ratios, "", ""])
    return table(["", *map(power, results.sizes), "error, ulps", "different results"], rows)


def rung_sections():
    return {f"rung {name}": lambda results, names=names, other=other: rung_table(results, names, other)
            for name, (names, other) in SECTIONS.items()}


def machine(results):
    report = results.report
    first = results.uniform[results.sizes[0], results.types[0]]
    return paragraph("Figures of this page, where a chapter does not name another machine: "
                     f"{report['gpu']} (compute capability {first['compute_capability']}), "
                     f"driver {report['driver']}, CUDA toolkit {report['toolkit']}, {report['date']}.")


def ceiling(results):
    rows = [[power(n), TYPES[type_], f"{2 * n * (4 if type_ == 'float32' else 8) >> 20} MiB",
             figure(results.uniform[n, type_]["ceiling_gb_per_s"])] for n in results.sizes for type_ in results.types]
    return table(["n", "type", "both vectors", "ceiling, GB/s"], rows)


def time_and_part(rung):
    """Cells: the time, with that of the host if it finishes the sum, and the part of the ceiling."""
    total = "" if rung["copy_microseconds"] is None else f"; in all {time_text(rung['total_microseconds'])}"
    return [time_text(rung["microseconds"]) + total,
            "CPU" if on_host(rung) else f"{figure(rung['percent_of_ceiling'])} %"]


def every_rung(results):
    """The table that is shown: the first length in floats."""
    n = results.sizes[0]
    rows = []
    for name in results.names:
        rung = results.find(name, n, "float32")
        rows.append([rung["number"], f"`{name}`", *time_and_part(rung), figure(rung["ulps"]), rung["promises_same_bits"]])
    return table(["#", "rung", f"float, {power(n)}", "of the ceiling", "error, ulps", "promises the same bits"], rows)


def every_rung_at_length(results):
    """The table that is folded: the last length, and what the runs of the first gave."""
    first, last = results.sizes[0], results.sizes[-1]
    rows = []
    for name in results.names:
        series = [results.find(name, last, type_) for type_ in TYPES]
        rung = results.find(name, first, "float32")
        rows.append([rung["number"], f"`{name}`", *(cell for each in series for cell in time_and_part(each)),
                     rung["distinct_results"]])
    times = [heading for type_ in TYPES.values() for heading in (f"{type_}, {power(last)}", "of the ceiling")]
    return table(["#", "rung", *times, f"results in {rung['runs']} runs at {power(first)} floats"], rows)


def ill(results):
    names = ["cpu_loop", "atomic_per_element", "two_phase", "optimized", "cublas", "cub", "fast", "kahan", "neumaier",
             "double_accumulator", "cpu_loop_double", "exact"]
    by_name = [{rung["name"]: rung for rung in ladder["rungs"]} for ladder in results.ill]
    rows = [[f"`{name}`", *[figure(ladder[name]["ulps"]) for ladder in by_name]] for name in names]
    conditions = [ladder.get("condition", CONDITIONS[i]) for i, ladder in enumerate(results.ill)]
    first = results.ill[0]
    header = [f"error in ulps at n = {power(first['n'])}, {TYPES[first['dtype']]}; condition number", *conditions]
    return table(header, rows)


def ramp(results):
    header, rows = [""], [["*integers:* 2·Σi²"], ["*the exact dot of the float inputs*"]]
    rows += [[f"`{name}`"] for name in results.names]
    for entry in results.ramp:
        header += [f"n = {millions(entry['n'])}", "relative error"]
        exact, integer = entry["exact"], int(entry["integers"])
        rows[0] += [entry["integers"], ""]
        rows[1] += [f"{exact:.9g}", f"{(int(exact) - integer) / integer:.1e} from the integers"]
        for row, name in zip(rows[2:], results.names):
            value = entry["rungs"][name]
            error = (value - exact) / exact
            row += [f"{value:.9g}", f"{error:.1e}" if error else "0"]
    return table(header, rows)
