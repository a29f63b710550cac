"""The tables of docs/python.md from the results of bench/python/dots.py, which prints them too."""
from shared.documents import figure, paragraph, table


def duration(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{figure(nanoseconds / size)} {unit}"
    return f"{figure(nanoseconds)} ns"


def how_measured(results):
    missing = f" Not there: {', '.join(results['missing'])}." if results.get("missing") else ""
    return f" Medians of {results['rounds']} interleaved samples.{missing}" if "rounds" in results else ""


def machine(results):
    about = results["machine"]
    own = about["exactdot"]
    text = paragraph(f"{about['cpu']}, {own['threads']} threads, Python {about['python']}, NumPy {about['numpy']}, "
                     f"exactdot {own['version']} ({own['instruction_set']}).{how_measured(results)}")
    rows = [[peer["name"], peer["how"]] for peer in results.get("called", [])]
    return f"{text}\n\n{table(['row', 'what is called'], rows)}" if rows else text


def pivoted(results, first, cell):
    """A row for each peer and kind of data, a column for each length."""
    sizes = sorted({row["n"] for row in results})
    found = {(row["peer"], row.get("data", "uniform"), row["n"]): row for row in results}
    names = dict.fromkeys(row["peer"] for row in results)
    kinds = dict.fromkeys(row.get("data", "uniform") for row in results)
    lines = [([name, kind], [found.get((name, kind, n)) for n in sizes]) for name in names for kind in kinds]
    header = [first, "data", *[f"n = {n:,}" for n in sizes]]
    return header, [(start + [cell(row) if row else "–" for row in rows], rows) for start, rows in lines]


def peers(results):
    header, lines = pivoted(results["rows"], "", lambda row: f"{duration(row['ns'])}, {figure(row['error_ulps'])} ulp")
    rows = [[*cells, "the same" if all(row["same_bits_elsewhere"] for row in rows if row) else "other"]
            for cells, rows in lines]
    return table([*header, "bits elsewhere"], rows)


def overhead(results):
    rows = [[f"{row['n']:,}", str(row["threads"] or "all that pay off"), duration(row["ns"]),
             f"{row['python_over_cpp']:.2f}"] for row in results["overhead"]]
    return table(["n", "threads", "in C++", "Python's time / C++'s"], rows)


def gpu_machine(results):
    about = results["machine"]
    own, gpu = about["exactdot"], about.get("gpu")
    drawn = f", driver {gpu['driver']}, {', '.join(gpu['libraries'])}" if gpu else ""
    toolkit = own["cuda"].get("toolkit")
    built = f" (built with CUDA {toolkit})" if toolkit else ""
    return paragraph(f"{own['cuda']['devices'][0]}{drawn}, Python {about['python']}, exactdot {own['version']}{built}."
                     f"{how_measured(results)}")


def on_gpu(results):
    def cell(row):
        error = f", {figure(row['error_ulps'])} ulp" if "error_ulps" in row else ""
        return f"{duration(1e3 * row['us'])} / {duration(1e3 * row['us_with_result_on_host'])}{error}"

    header, lines = pivoted(results["gpu_rows"], "", cell)
    return table(header, [cells for cells, _ in lines])


def aligned(markdown):
    """A table whose columns stand below each other, for a terminal."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in markdown.splitlines()]
    widths = [max(map(len, column)) for column in zip(*rows)]
    rows[1] = ["-" * width for width in widths]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def text_of(results):
    """What dots.py prints."""
    parts = []
    if "rows" in results:
        parts += [machine(results).split("\n\n")[0], aligned(peers(results)),
                  "The cost of Python, in turns with the same call in C++:", aligned(overhead(results))]
    if "gpu_rows" in results:
        parts += [gpu_machine(results), "float32; time where the result stays on the GPU / comes to the host:",
                  aligned(on_gpu(results))]
    return "\n\n".join(parts)


def shapes(results):
    """A row for each operation, type and number of threads, a column for each shape."""
    columns = list(dict.fromkeys((row["rows"], row["columns"]) for row in results["rows"]))
    found = {(row["operation"], row["dtype"], row["threads"], row["rows"]): row for row in results["rows"]}
    kinds = dict.fromkeys((row["operation"], row["dtype"], row["threads"]) for row in results["rows"])
    cells = lambda row: f"{duration(row['ns'])}, {figure(row['ratio'])}"
    rows = [[operation, dtype, str(threads or "all"), *[cells(found[operation, dtype, threads, n]) for n, _ in columns]]
            for operation, dtype, threads in sorted(kinds, key=lambda kind: list(kinds).index(kind))]
    return table(["", "elements", "threads", *[f"{m:,} × {n:,}" for m, n in columns]], rows)


def groups_machine(results):
    about = results["machine"]
    own = about["exactdot"]
    return paragraph(f"{about['cpu']}, {own['threads']} threads, Python {about['python']}, NumPy {about['numpy']}, "
                     f"pandas {about['pandas']}, exactdot {own['version']} ({own['instruction_set']}), {about['date']}."
                     f"{how_measured(results)}")


def groups(results):
    """A row for each operation, type and contender, a column for each number of groups."""
    columns = list(dict.fromkeys(row["groups"] for row in results["rows"]))
    found = {(row["operation"], row["dtype"], row["peer"], row["groups"]): row["ns"] for row in results["rows"]}
    kinds = dict.fromkeys((row["operation"], row["dtype"], row["peer"]) for row in results["rows"])
    rows = [[*kind, *[duration(found[(*kind, n)]) for n in columns]] for kind in kinds]
    return table(["", "elements", "", *[f"{n:,} groups" for n in columns]], rows)


def reductions(results):
    """A row for each reduction, type and number of threads, a column for each length."""
    lengths = list(dict.fromkeys(row["n"] for row in results["rows"]))
    kinds = dict.fromkeys((row["operation"], row["dtype"], row["threads"]) for row in results["rows"])
    found = {(row["operation"], row["dtype"], row["threads"], row["n"]): row for row in results["rows"]}
    cells = lambda row: f"{duration(row['ns'])}, {figure(row['ratio'])}"
    rows = [[operation, dtype, str(threads or "all"), *[cells(found[operation, dtype, threads, n]) for n in lengths]]
            for operation, dtype, threads in kinds]
    return table(["", "elements", "threads", *[f"n = {n:,}" for n in lengths]], rows)


def torch_machine(results, start="", threads=", one thread", peer="torch", name="PyTorch"):
    about = results["machine"]
    return paragraph(f"{start}{about['cpu']}{threads}, Python {about['python']}, {name} {about[peer]}, exactdot "
                     f"{about['exactdot']['version'].partition('+')[0]}, {about['date']}; the least of {results['rounds']} samples in turns; "
                     "float32 unless stated.")


def torch_gpu_machine(results):
    return torch_machine(results, "The same on a GPU: ", "")


def torch_calls(results, peer="torch", name="PyTorch"):
    rows = [[row["what"], duration(row[f"{peer}_ns"]), duration(row["exactdot_ns"]), figure(row["exactdot_ns"] / row[f"{peer}_ns"])]
            for row in results["rows"]]
    return table(["call", name, "exactdot", "ratio"], rows)


def jax_calls(results):
    return torch_calls(results, "jax", "JAX")


def jax_machine(results):
    return torch_machine(results, threads=", one processor", peer="jax", name="JAX")


def statistic_calls(results):
    rows = [[row["what"], row["peer"], duration(row["peer_ns"]), duration(row["exactdot_ns"]), figure(row["exactdot_ns"] / row["peer_ns"])]
            for row in results["rows"]]
    return table(["call", "peer", "its time", "exactdot", "ratio"], rows)


def statistics_machine(results):
    about = results["machine"]
    return paragraph(f"{about['cpu']}, one processor, Python {about['python']}, NumPy {about['numpy']}, pandas {about['pandas']}, Polars "
                     f"{about['polars']}, DuckDB {about['duckdb']}, exactdot {about['exactdot']['version'].partition('+')[0]}, {about['date']}; the least of "
                     f"{results['rounds']} samples in turns, with a load of {results['load']:.2f} on the machine.")


def torch_ranks_machine(results):
    return paragraph(f"{results['ranks']} {results['device']}, {results['backend'].upper()}, PyTorch {results['torch']}, exactdot "
                     f"{results['version'].partition('+')[0]}, {results['date']}; medians of the slower rank's time.")


def torch_ranks(results):
    rows = [[row["what"], row["type"], f"{row['elements']:,}", *map(duration, (1e3 * row["torch_us"], 1e3 * row["exactdot_us"])),
             figure(row["exactdot_us"] / row["torch_us"])] for row in results["rows"]]
    return table(["", "elements of", "elements", "PyTorch", "exactdot", "ratio"], rows)


def torch_mode(results):
    added = results["mode"]["mode_ns"] - results["mode"]["plain_ns"]
    return paragraph(f"Within `deterministic` each operator of PyTorch takes {duration(added)} more, whether it is replaced or not.")
