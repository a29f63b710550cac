"""The generated pages docs/results/*.md of scripts/performance: raw tables, each with a heading and what it shows.

A page is (heading, text, table) entries, so this list is that of all tables: --check fails if one is missing.
"""
import re

import speed.cpu_tables as cpu_tables
import speed.elements as elements_tables
import speed.gpu_tables as gpu_tables
import speed.levels as levels_tables
import speed.lines as lines_tables
import speed.reductions as reductions_tables
from shared.documents import paragraph
from speed.rows import LEGEND, QUICK, TYPES

NOTE = "Written by `scripts/performance` from {files}; [performance.md](../performance.md) has the summary."
HARD = ("Exponents over the type's whole range (`wide`), all inputs subnormal (`subnormal`), neighbours of widely different "
        "magnitude (`alternating`), one huge element among uniform ones (`one_huge`), magnitudes that grow from the "
        "smallest normal number to the largest (`sorted`), and sums that cancel (`ill`, condition number 10^20, and "
        "`ill_deep`, 10^40).")


def page(title, files, entries, legend=LEGEND):
    """The text of a page; `entries`: (heading, text, table)."""
    parts = [f"# {title}", paragraph(NOTE.format(files=files)), *([paragraph(legend)] if legend else [])]
    for heading, text, made in entries:
        parts += [f"## {heading}", *([paragraph(text)] if text else []), made]
    return narrow("\n\n".join(parts)) + "\n"


def narrow(text):
    """The text with tables without spaces beside their bars: a quarter of a page."""
    return re.sub(r"^\|.*\|$", lambda line: re.sub(r" ?\| ?", "|", line[0]), text, flags=re.MULTILINE)


def by_type(results, heading, text, make):
    return [(f"{heading}, {TYPES[type_]}", text, make(type_)) for type_ in results.types]


def gpu(results):
    return page("Dot products on a GPU: raw tables", "`gpu-h200.json` and `torch-h200.json`", [
        ("The machine and the peers",
         "Vectors in the GPU's memory, all peers in one process. Times are microseconds per call, in three settings: "
         "inside a replayed CUDA graph, where nothing waits for the host; launched on a stream, which for short vectors is "
         "limited by the host; and end to end, from the call to the result in host memory.", gpu_tables.machine(results)),
        ("Goals and misses", "", gpu_tables.goals(results)),
        *by_type(results, "In a replayed graph, the same vectors in each call",
                 "µs. Three lower bounds: `empty` is a kernel that does nothing, `one block` a kernel of one block that only "
                 "reads both vectors, `read` the fastest of several kernels that only read.",
                 lambda type_: gpu_tables.graph_table(results, type_, "warm")),
        *by_type(results, "In a replayed graph, no vector in the L2 cache",
                 "µs. A copy of the vectors for each call, and the L2 cache flushed before it; beyond 256 MiB for both "
                 "vectors the cache makes no difference. The goals do not apply here; bold is slower than the faster of cuBLAS and "
                 "CUB (`fast`) or than cuBLAS (`exact`).", lambda type_: gpu_tables.graph_table(results, type_, "cold")),
        *by_type(results, "Launches on a stream", "µs. Bold: slower, as above.",
                 lambda type_: gpu_tables.stream_table(results, type_)),
        *by_type(results, "Result on the host",
                 "µs. The lower bound is a kernel of one thread that writes a word to host memory; the host waits for the "
                 "stream (waiting) or polls the word (polling). Where the smaller of the two exceeds half of cuBLAS's time "
                 "(bold), the goal cannot be met.", lambda type_: gpu_tables.host_table(results, type_)),
        ("Hostile data", HARD + " A set on which a call took more than 20 ms was not timed at greater lengths.",
         gpu_tables.hostile(results)),
        ("Errors", "Errors of the same runs on uniform data, in ulps of the exact result. In every row the bits of `exact` "
         "and `fast` were compared with the CPU's.", gpu_tables.errors(results)),
        ("PyTorch", "µs, by `bench/torch_peers.py`, in another process on the same machine. Errors are relative to the "
         "correctly rounded result, up to 2^24 elements.", gpu_tables.torch(results))])


def cpu(results, many):
    facts = many.report["machine"]
    return page("Dot products on a CPU: raw tables", "`cpu.json` and `cpu-threads.json`", [
        ("The machine and the peers", "", cpu_tables.machine(results)),
        ("Goals of version 0.1",
         "Set before anything was measured, for uniform data; \"OpenBLAS's time\" is that of its fastest row with the same "
         "number of threads. In brackets: by how much a goal is missed.",
         cpu_tables.openblas_goals(results)),
        ("Hard data", HARD, cpu_tables.hostile(results)),
        ("Roofline", "The speed of a loop that only reads both vectors, and what share of it a dot product reaches: 100 % is as "
         "fast as reading. One thread. Vectors of up to 1000 elements are read in less time than a call takes.",
         cpu_tables.roofline(results)),
        ("The gain from threads", "", cpu_tables.speedup_by_threads(results)),
        ("From one thread to many",
         f"Time, and time / OpenBLAS's with the same number of threads, on another machine: {facts['cpu']}, "
         f"{facts['hardware_threads']} hardware threads, {facts['caches']}; {facts['date']}; medians of "
         f"{many.report['rounds']} rounds{f' ({QUICK})' if many.report['quick'] else ''}.", cpu_tables.many_threads(many))])


def reductions(found):
    text = "Measured one after the other by `scripts/bench_reductions`. In mode `fast` variances do not exist, and extrema are the same."
    on_gpus = [(f"On a GPU: {reports.machine['gpu']}", text + " Variances take four launches, of which three normally do nothing, "
                "norms and means of mode `fast` two, all others one.", reductions_tables.on_gpu(reports))
               for name, reports in found.items() if name != "cpu"]
    return page("Reductions other than the dot: raw tables", "`reductions-*.json`", [
        *on_gpus, ("On a CPU", text, reductions_tables.on_cpu(found["cpu"]))])


def levels(results):
    return page("The two levels of mode exact on a GPU", "`handover-*.json` and `failure-rates-*.json`", [
        ("Handing over to the second level",
         "µs; bold: the best but `alone`. [What the columns are](../experiments.md#handing-over-to-the-second-level).",
         levels_tables.handover(results)),
        ("How often the bound decides", "[How it is measured](../experiments.md#how-often-the-bound-decides).",
         levels_tables.failure_rates(results))], legend="")


def elements(results):
    return page("Alignments, 16-bit elements and integers on a GPU: raw tables", "`elements-*.json`",
                [("How it is measured", "", elements_tables.text()), *elements_tables.entries(results)])


def lines(results):
    return page("Rows, columns and segments on a GPU: raw tables", "`rows-*.json`, `segments-*.json`, `axes-*.json`, `states-*.json` and PyTorch's `torch-*.json`",
                lines_tables.entries(results), legend="")


def all_pages(results):
    return {"gpu": gpu(results.gpu), "cpu": cpu(results.cpu, results.cpu_threads), "reductions": reductions(results.reductions),
            "levels": levels(results.levels),
            "elements": elements(results.elements), "lines": lines(results.lines)}
