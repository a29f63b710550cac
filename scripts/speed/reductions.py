"""Raw tables of reductions other than dot, docs/results/reductions.md, for scripts/performance.

Results are in docs/results: reductions-cpu.json, and reductions-NAME.json of each GPU, from scripts/bench_reductions.
"""

from shared import result_files
from shared.documents import paragraph, table
from speed.rows import QUICK, TYPES, fastest, figure_text, length, percent_text, ratio_of, ratio_text, source

OWN = ("exact", "fast")
FLOORS = ("empty", "poll", "one_block", "read")


class Reports:
    """The reports of all reductions of one file."""
    def __init__(self, file):
        self.file, self.reports = file.name, result_files.read(file)
        self.machine = self.reports[0]["machine"]
        calls = {}
        for report in self.reports:
            for peer in report["peers"]:
                peer.setdefault("how", calls.setdefault(peer["name"], peer.get("how")))
        self.rows = [{**row, "us": row["us"] if "us" in row else row["ns"] / 1000, "reduction": report["reduction"]}
                     for report in self.reports for row in report["rows"]]
        self.hostile = list(dict.fromkeys(row["data"] for row in self.rows if row["data"] != "uniform"))
        self.sizes = sorted({row["n"] for row in self.rows})
        self.threads = sorted({row["threads"] for row in self.rows if "threads" in row})
        self.index = {}
        for row in self.rows:
            setting = row["threads"] if "threads" in row else (row["how"], row["l2"])
            key = (row["reduction"], row["type"], row["n"], setting, row["data"])
            self.index.setdefault(key, {})[row["peer"]] = row

    def cases(self):
        """(reduction, type, n) of all rows, in this order."""
        order = [report["reduction"] for report in self.reports]
        return sorted({(row["reduction"], row["type"], row["n"]) for row in self.rows},
                      key=lambda case: (order.index(case[0]), *case[1:]))

    def peers(self, reduction, type_, n, setting="graph", l2="warm", data="uniform"):
        """Rows by peer; `setting`: the timing mode on a GPU, the number of threads on a CPU."""
        return self.index.get((reduction, type_, n, setting if isinstance(setting, int) else (setting, l2), data), {})

    def row(self, reduction, type_, n, peer, *setting, **data):
        return self.peers(reduction, type_, n, *setting, **data).get(peer)

    def hostile_ratio(self, case, data, setting):
        return ratio_of(self.row(*case, "exact", setting, data=data), self.row(*case, "exact", setting))

    def origin(self):
        facts, report = self.machine, self.reports[0]
        host = facts.get("host", facts)
        return source(self.file, facts.get("gpu") or facts["cpu"], host["exactdot"], host["date"], report["rounds"],
                      report["quick"])


def read_results(folder):
    """The reports by the name of the machine, "cpu" first."""
    files = sorted(folder.glob("reductions-*.json"), key=lambda file: (file.stem != "reductions-cpu", file.stem))
    return {file.stem.removeprefix("reductions-"): Reports(file) for file in files}


def best_other(found):
    return fastest(row for peer, row in found.items() if peer not in (*OWN, *FLOORS))


def called(found):
    """What is called, and for which reductions."""
    names = {}
    for report in found.reports:
        for peer in report["peers"]:
            names.setdefault((peer["name"], peer["how"]), []).append(report["reduction"])
    order = list(dict.fromkeys(name for name, _ in names))
    rows = [[f"`{name}`", description, "all" if len(of) == len(found.reports) else ", ".join(of)]
            for (name, description), of in sorted(names.items(), key=lambda entry: order.index(entry[0][0]))]
    return table(["row", "what is called", "reductions"], rows)


def sampling(found):
    report = found.reports[0]
    version = found.machine.get("host", found.machine)["exactdot"]
    quick = f" **This is {QUICK}.**" if report["quick"] else ""
    return f"exactdot {version}. Medians of {report['rounds']} rounds.{quick}"


def spread(*rows):
    return f"{100 * max((row['spread'] for row in rows if row), default=0):.0f} %"


def cpu_table(found, threads):
    rows = []
    for case in found.cases():
        peers = found.peers(*case, threads)
        if "exact" not in peers:
            continue
        exact, fast, best = peers["exact"], peers.get("fast"), best_other(peers)
        rows.append([case[0], TYPES[case[1]], length(case[2]), figure_text(exact), figure_text(fast), f"`{best['peer']}`" if best else "–", figure_text(best),
                     ratio_text(ratio_of(exact, best)), ratio_text(ratio_of(fast, best)), spread(exact, best)])
    return table(["reduction", "type", "n", "`exact`, µs", "`fast`, µs", "fastest other", "µs", "`exact` / it",
                  "`fast` / it", "spread"], rows)


def hostile_tables(found, settings):
    """Time on the other sets of data / time on uniform data, by setting; empty if the file has no such rows."""
    parts = []
    for setting in settings if found.hostile else ():
        rows = [[reduction, TYPES[type_], length(n),
                 *[ratio_text(found.hostile_ratio((reduction, type_, n), data, setting)) for data in found.hostile]]
                for reduction, type_, n in found.cases()]
        name = f"{setting} thread{'s' if setting > 1 else ''}" if isinstance(setting, int) else f"{setting}"
        parts.append(f"`exact`, {name}: time / time on uniform data\n\n"
                     + table(["reduction", "type", "n", *found.hostile], rows))
    return parts


def on_cpu(found):
    facts = found.machine
    text = paragraph(f"{facts['cpu']}, {facts['hardware_threads']} hardware threads, {facts['caches']}; "
                     f"{facts['compiler']}; {facts['date']}; {sampling(found)} Spread: the larger one of `exact` and of the "
                     f"fastest other row.")
    tables = [f"### {threads} thread{'s' if threads > 1 else ''}\n\n{cpu_table(found, threads)}" for threads in found.threads]
    return "\n\n".join([text, *tables, *hostile_tables(found, found.threads), called(found)])


def on_gpu(found):
    facts = found.machine
    compared = sum(report.get("compared", 0) for report in found.reports)
    text = paragraph(f"{facts['gpu']}, toolkit {facts['toolkit']}; {facts['host']['date']}; {sampling(found)} "
                     f"µs in a replayed graph, warm unless stated; `exact` had the CPU's bits in {compared} of "
                     f"{compared} rows of `exact` and `fast`. Read: the fastest kernel that only reads the vector. "
                     f"Spread: the larger one of `exact` and of the faster of cuBLAS and CUB.")
    rows = []
    for case in found.cases():
        peers = found.peers(*case)
        if "exact" not in peers:
            continue
        exact, best = peers["exact"], best_other(peers)
        rows.append([case[0], TYPES[case[1]], length(case[2]),
                     *[figure_text(peers.get(peer)) for peer in ("read", "cublas", "cub", "fast", "exact")],
                     ratio_text(ratio_of(exact, best)), percent_text(ratio_of(peers.get("read"), exact)),
                     figure_text(found.row(*case, "exact", "graph", "cold")),
                     figure_text(found.row(*case, "exact", "stream")), figure_text(found.row(*case, "exact", "host")),
                     spread(exact, best)])
    header = ["reduction", "type", "n", "read", "cuBLAS", "CUB", "`fast`", "`exact`", "/ faster of both",
              "of the read ceiling", "cold", "on a stream", "to the host", "spread"]
    return "\n\n".join([text, table(header, rows), *hostile_tables(found, ["graph"]), called(found)])
