"""Tables of reductions other than dot in docs/performance.md, for scripts/performance.

Results are in docs/results: reductions-cpu.json, and reductions-NAME.json of each GPU, from scripts/bench_reductions.
Without such a file its table is absent.
"""
import json
import sys

from documents import figure, paragraph, table

TYPES = {"float32": "float", "float64": "double"}
OWN = ("exact", "fast")
FLOORS = ("empty", "poll", "one_block", "read")


def read_results(folder):
    """The reports by the name of the machine, "cpu" first."""
    files = sorted(folder.glob("reductions-*.json"), key=lambda file: (file.stem != "reductions-cpu", file.stem))
    return {file.stem.removeprefix("reductions-"): json.loads(file.read_text()) for file in files}


def measured(reports, like):
    """(reduction, type, n, rows by peer) of each case; `like`: what a row must have."""
    cases = []
    for report in reports:
        rows = [row for row in report["rows"] if row["data"] == "uniform" and like.items() <= row.items()]
        for type_, n in dict.fromkeys((row["type"], row["n"]) for row in rows):
            found = {row["peer"]: row for row in rows if (row["type"], row["n"]) == (type_, n)}
            cases.append((report["reduction"], type_, n, found))
    return cases


def others(rows):
    return [row for row in rows.values() if row["peer"] not in (*OWN, *FLOORS)]


def ratio(rows, mode, other, key):
    return f"{rows[mode][key] / other[key]:.2f}" if other and mode in rows else "–"


def value(rows, peer, key, scale=1.0):
    return figure(rows[peer][key] * scale) if peer in rows else "–"


def largest_spread(rows):
    return f"{100 * max(row['spread'] for row in rows if row):.0f} %"


def peers(reports):
    """What is called, and for which reductions."""
    called = {}
    for report in reports:
        for peer in report["peers"]:
            called.setdefault((peer["name"], peer["how"]), []).append(report["reduction"])
    order = list(dict.fromkeys(name for name, _ in called))
    rows = [[f"`{name}`", description, "all" if len(names) == len(reports) else ", ".join(names)]
            for (name, description), names in sorted(called.items(), key=lambda entry: order.index(entry[0][0]))]
    return table(["row", "what is called", "reductions"], rows)


def sampling(report):
    quick = " A quick run: few and short samples; the figures are not precise." if report["quick"] else ""
    return f"Medians of {report['rounds']} rounds.{quick}"


def on_cpu(reports):
    facts = reports[0]["machine"]
    threads = min(row["threads"] for report in reports for row in report["rows"])
    text = paragraph(f"{facts['cpu']}, {facts['hardware_threads']} hardware threads, {facts['caches']}; "
                     f"{facts['compiler']}; {facts['date']}; {threads} thread{'s' if threads > 1 else ''}. "
                     f"{sampling(reports[0])} Spread: the larger one of `exact` and of the fastest other row.")
    rows = []
    for reduction, type_, n, found in measured(reports, {"threads": threads}):
        best = min(others(found), key=lambda row: row["ns"], default=None)
        rows.append([reduction, TYPES[type_], f"{n:,}", value(found, "exact", "ns", 1e-3),
                     value(found, "exact", "gb_per_s"), value(found, "fast", "ns", 1e-3),
                     f"`{best['peer']}`" if best else "–", figure(best["ns"] / 1000) if best else "–",
                     ratio(found, "exact", best, "ns"), ratio(found, "fast", best, "ns"),
                     largest_spread([found["exact"], best])])
    header = ["reduction", "type", "n", "`exact`, µs", "GB/s", "`fast`, µs", "fastest other", "µs", "`exact` / it",
              "`fast` / it", "spread"]
    return f"{text}\n\n{table(header, rows)}\n\n{peers(reports)}"


def on_gpu(reports):
    facts = reports[0]["machine"]
    compared = [row for report in reports for row in report["rows"] if "same_bits_as_cpu" in row]
    for row in compared:
        if not row["same_bits_as_cpu"]:
            sys.exit(f"performance: a result differs from the CPU's result: {row}")
    text = paragraph(f"{facts['gpu']}, toolkit {facts['toolkit']}; {facts['host']['date']}. {sampling(reports[0])} "
                     f"µs in a replayed graph, warm unless stated; `exact` had the CPU's bits in {len(compared)} of "
                     f"{len(compared)} rows of `exact` and `fast`. Read: the fastest kernel that only reads the vector. "
                     f"Spread: the larger one of `exact` and of the faster of cuBLAS and CUB.")
    by_case = {name: {case[:3]: case[3] for case in measured(reports, like)}
               for name, like in (("warm", {"how": "graph", "l2": "warm"}), ("cold", {"how": "graph", "l2": "cold"}),
                                  ("host", {"how": "host"}))}
    rows = []
    for case, found in by_case["warm"].items():
        best = min(others(found), key=lambda row: row["us"], default=None)
        cold, host = by_case["cold"].get(case, {}), by_case["host"].get(case, {})
        read = f"{100 * found['read']['us'] / found['exact']['us']:.0f} %" if "read" in found else "–"
        reduction, type_, n = case
        rows.append([reduction, TYPES[type_], f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}",
                     *[value(found, peer, "us") for peer in ("read", "cublas", "cub", "fast", "exact")],
                     ratio(found, "exact", best, "us"), read, value(found, "exact", "gb_per_s"),
                     value(cold, "exact", "us"), value(host, "exact", "us"), largest_spread([found["exact"], best])])
    header = ["reduction", "type", "n", "read", "cuBLAS", "CUB", "`fast`", "`exact`", "/ faster of both",
              "of the read ceiling", "GB/s", "cold", "to the host", "spread"]
    return f"{text}\n\n{table(header, rows)}\n\n{peers(reports)}"


def cpu_section(results):
    return on_cpu(results["cpu"]) if "cpu" in results else ""


def gpu_section(results):
    return "\n\n".join(on_gpu(reports) for name, reports in results.items() if name != "cpu")


SECTIONS = {"reductions-cpu": cpu_section, "reductions-gpu": gpu_section}
