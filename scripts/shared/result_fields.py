"""What is kept of the reports in docs/results: the fields and rows that end in a table, a picture or a check.

A pattern of file names has a list of (path, names): at the path, whose parts are names of fields and `*` for each element of
a list, only the fields of these names are kept. Functions remove rows, and check what is not kept.
"""
import fnmatch
import re
import sys

NOISY_SPREAD = 0.10  # as in scripts/speed/rows.py
CPU = "cpu hardware_threads caches huge_pages system compiler exactdot date"
PYTHON = [("machine.exactdot", "version instruction_set threads cuda"), ("machine.exactdot.cuda", "toolkit devices")]
RUNG = "number name value check promises_same_bits distinct_results runs grids distinct_over_grids atomics ulps "
ON_SIMT = RUNG + ("hex correct wrong_on_purpose launches steps barriers sectors_per_request bank_conflict_degree "
                  "lanes_per_request longest_queue bytes_moved detected")
ON_GPU = RUNG + ("correct wrong_on_purpose deterministic grid block microseconds copy_microseconds transfer_microseconds "
                 "host_microseconds percent_of_ceiling")
LADDER = "workload divided device compute_capability n data dtype condition ceiling_gb_per_s rungs ramp failed"
FAULT = "kind where file line"

KEPT = {
    "cpu.json": [("machine", CPU), ("rows.*", "type n threads data peer ns spread ratio_to_openblas error_ulps")],
    "cpu-threads.json": [("machine", CPU), ("peers.*", "name"),
                         ("rows.*", "type n threads data peer ns spread ratio_to_openblas")],
    "gpu-h*.json": [("machine", "gpu multiprocessors l2_mib driver driver_cuda toolkit host"),
                    ("machine.host", "cpu hardware_threads exactdot date"),
                    ("rows.*", "type n data peer how l2 us spread gb_per_s error_ulps shape")],
    "reductions-*.json": [("*", "reduction machine rounds quick peers rows compared"),
                          ("*.machine", "gpu toolkit host cpu hardware_threads caches compiler exactdot date"),
                          ("*.machine.host", "exactdot date"), ("*.peers.*", "name how"),
                          ("*.rows.*", "type n threads data peer how l2 us ns spread")],
    "torch-h*.json": [("", "gpu torch date rounds rows")],
    "row-keys-*.json": [("", "gpu torch version date rows"),
                        ("rows.*", "what shape keys float32 float32_racy float32_deterministic bfloat16 bfloat16_racy "
                                   "bfloat16_deterministic float64 float64_racy")],
    "torch-shapes-*.json": [("", "gpu torch version date rows"), ("rows.*", "what type shape torch exactdot reading")],
    "kernels.json": [("kernels.*", "name arguments architecture registers shared stack spill_stores spill_loads")],
    "lab*-simt.json": [("", "rungs machine date seconds"), ("rungs.*", ON_SIMT), ("rungs.*.detected.*", FAULT)],
    "lab-h*.json": [("ladders.*", LADDER), ("ladders.*.rungs.*", ON_GPU), ("workloads.ladders.*", LADDER),
                    ("workloads.ladders.*.rungs.*", ON_GPU),
                    ("hazards.*", "name observed as_expected ran figures table"),
                    ("hazards.*.figures", "count_1 count_2 count_3 atomic_microseconds plain_microseconds unlocked")],
    "hazards-simt.json": [("hazards.*", "name expected observed as_expected detected table"),
                          ("hazards.*.detected.*", FAULT)],
    "tree-costs-simt.json": [("*", "kernel line action space requests lanes wavefronts ideal_wavefronts")],
    "simt-suite.json": [("rows.*", "family name model fault runs found wrong false_alarms how reason")],
    "suite-*.json": [("rows.*", "family name faulty models plain tools named_by on_line alarms")],
    "python.json": [("", "machine rounds called rows overhead"), *PYTHON],
    "python-h*.json": [("", "machine rounds gpu_rows"), *PYTHON],
    "torch-calls*.json": PYTHON,
    "numpy.json": PYTHON, "shapes.json": PYTHON, "groups.json": PYTHON, "sums.json": PYTHON,
    "nccl.json": [("", "gpu gpus nccl rounds wrong rows")],
    "mpi.json": [("rows.*", "ranks k type doubles two_collectives words_138 doubles_2k doubles_3k message bounded round merge "
                            "plain_rows exact_rows")],
    "handover-*.json": [("rows.*", "type n timing way microseconds")],
    "failure-rates-*.json": [("rows.*", "type n vectors undecided sums compensated mean_width_ulps")],
    "rows-*.json": [("rows.*", "row type rows length exact vectors cub gemv read")],
    "segments-*.json": [("rows.*", "row type rows length exact cub read")],
    "states-*.json": [("rows.*", "shape kind reduction type results microseconds gigabytes_per_second")],
}


def checked_bits(report):
    """Requires that all results have the CPU's bits, and counts them."""
    compared = [row for row in report["rows"] if "same_bits_as_cpu" in row]
    for row in compared:
        if row["same_bits_as_cpu"] is not True:
            sys.exit(f"performance: a result differs from the CPU's result: {row}")
    return {**report, "compared": len(compared)} if compared else report


def by_setting(rows, *names):
    """The rows sorted by these fields, and by data before, in the order in which these came first."""
    data = list(dict.fromkeys(row.get("data") for row in rows))
    return sorted(rows, key=lambda row: (data.index(row.get("data")), *(row.get(name, "") for name in names)))


def drop_small_spread(row):
    """Tables mark rows with a large spread; of some they show no other."""
    if float(f"{row.get('spread', 1):.5g}") <= NOISY_SPREAD:
        del row["spread"]


def without_small_spreads(report):
    for row in report["rows"]:
        drop_small_spread(row)
    return report


def gpu(report):
    """Errors of the rows whose error is shown; the speed of the kernels that only read, of whose shapes one is named."""
    report = without_small_spreads(checked_bits(report))
    report["rows"] = by_setting(report["rows"], "how", "l2", "peer", "type")
    for row in report["rows"]:
        if row["peer"] != "read" or (row["how"], row["l2"]) != ("graph", "warm"):
            row.pop("gb_per_s", None)
            row.pop("shape", None)
        if row["how"] != ("host" if row["peer"] == "thrust" else "graph") or row["l2"] != "warm" or row["data"] != "uniform":
            row.pop("error_ulps", None)
    return report


def reductions(reports):
    """The rows of the tables and goals; the machine once, and a peer's call where it is not that of its first report."""
    def is_shown(row):
        setting, peer = (row.get("how"), row.get("l2")), row["peer"]
        if setting == ("graph", "warm"):
            return peer not in ("empty", "poll", "one_block")
        if setting == ("host", "warm"):
            return peer in ("exact", "cublas")
        return peer != "read" if row.get("how") is None else peer == "exact"

    made, calls = [], {}
    for report in map(checked_bits, reports):
        known = set(calls)
        for peer in report["peers"]:
            if "how" in peer and calls.setdefault(peer["name"], peer["how"]) == peer["how"] and peer["name"] in known:
                del peer["how"]
        rows = [dict(row) for row in report["rows"] if is_shown(row)]
        for row in rows:
            if row.get("how") is not None and (row["how"], row["l2"], row["data"]) != ("graph", "warm", "uniform") or (
                    row["peer"] in ("fast", "read")):
                drop_small_spread(row)
        rows = by_setting(rows, "threads", "how", "l2", "peer", "type")
        made.append({key: value for key, value in report.items() if key != "machine" or not made}
                    | {"rows": rows})
    return made


def refused_wrong(report):
    if wrong := [row for row in report["rows"] if row.get("wrong", 0) != 0]:
        sys.exit(f"performance: the results of lines have wrong results: {wrong[0]}")
    return report


def torch(report):
    report = without_small_spreads(report)
    return {**report, "rows": by_setting(report["rows"], "how", "peer", "type")}


def lab(report):
    """Of data other than uniform only errors; of the other workloads what their table has."""
    for ladder in report["ladders"]:
        if ladder.get("data") != "uniform":
            keep(ladder, ["rungs", "*"], "number name value check wrong_on_purpose deterministic correct ulps".split())
    for tool in report.get("sanitizer", {}).values():
        for outcome in [each for kind in tool.values() for each in kind.values()]:
            outcome["first"] = outcome.get("first", [])[:1]
            if not outcome["first"]:
                del outcome["first"]
    for ladder in report.get("workloads", {}).get("ladders", []):
        keep(ladder, ["rungs", "*"], ("number name check wrong_on_purpose promises_same_bits distinct_results runs grids "
                                      "distinct_over_grids ulps block microseconds percent_of_ceiling").split())
    return report


def accuracy(report):
    for point in report["accuracy"]:
        point["errors"] = {method: float(f"{error:.10g}") for method, error in point["errors"].items()}
    return report


def kernels(report):
    """The exact kernels and all that spill; names without the types of enumerators, which have numbers, and arguments."""
    report["kernels"] = [kernel for kernel in report["kernels"] if kernel["name"].startswith("exact_kernel")
                         or kernel["spill_stores"] + kernel["spill_loads"] > 0]
    for kernel in report["kernels"]:
        name, angle, rest = re.sub(r"\(\w+\)(?=\d)", "", kernel["name"]).replace(", ", ",").partition("<")
        kernel |= {"name": name, **({"arguments": rest.removesuffix(">").rstrip()} if angle else {})}
    return report


def simulated_suite(report):
    rows = report["rows"]
    families = list(dict.fromkeys(row["family"] for row in rows))
    rows.sort(key=lambda row: (families.index(row["family"]), row["fault"] or "", row["model"]))
    return report


def elements(report):
    return {**report, "rows": by_names(report["rows"])}


def by_names(rows):
    """The rows with the same fields together."""
    names = list(dict.fromkeys(frozenset(row) for row in rows))
    return sorted(rows, key=lambda row: names.index(frozenset(row)))


def handover(report):
    return {**report, "rows": by_setting(report["rows"], "timing", "way", "type")}


def suite(report):
    """Whether a tool reports an error, not how many; and the report where a sentence quotes it, in correct kernels."""
    for row in report["rows"]:
        for outcome in row["tools"].values():
            if "errors" in outcome:
                outcome["errors"] = min(outcome["errors"], 1)
            outcome.pop("ends", None)
            if row["faulty"]:
                outcome.pop("first", None)
        if row["faulty"] and row["plain"].startswith("error"):
            row["plain"] = "error"
    families = list(dict.fromkeys(row["family"] for row in report["rows"]))
    report["rows"].sort(key=lambda row: (families.index(row["family"]), row["faulty"]))
    return report


CHANGED = {"gpu-h*.json": gpu, "reductions-*.json": reductions, "suite-*.json": suite, "torch-h*.json": torch,
           "lab-h*.json": lab, "simt-suite.json": simulated_suite, "handover-*.json": handover,
           "elements-*.json": elements, "kernels.json": kernels,
           "accuracy.json": accuracy,
           **dict.fromkeys(("rows-*.json", "segments-*.json"), refused_wrong)}


def kept(name, report):
    """The report without what no table needs, by its file's name."""
    report = copied(report)
    for pattern, change in CHANGED.items():
        if fnmatch.fnmatch(name, pattern):
            report = change(report)
    for pattern, fields in KEPT.items():
        if fnmatch.fnmatch(name, pattern):
            for path, names in fields:
                keep(report, path.split(".") if path else [], names.split())
    return report


def copied(value):
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    return [copied(each) for each in value] if isinstance(value, list) else value


def keep(value, path, names):
    if path and path[0] == "*":
        for each in value:
            keep(each, path[1:], names)
    elif path:
        if isinstance(value, dict) and value.get(path[0]) is not None:
            keep(value[path[0]], path[1:], names)
    elif isinstance(value, dict):
        for name in value.keys() - set(names):
            del value[name]
