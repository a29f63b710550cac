"""The generated parts of the lessons of docs/lab.md: differences, pictures, commands, outcomes, contents."""
import re

import lab.sources
from shared.documents import figure, paragraph
from lab.rungs import SECTIONS, on_host, power, rung_table, time_text
from lab.simt import N, hazard_command, named_faults, rung_command

COSTS = (("sectors_per_request", "sectors per request"), ("bank_conflict_degree", "degree of bank conflicts"),
         ("lanes_per_request", "active lanes per request"), ("longest_queue", "longest queue at one address"),
         ("bytes_moved", "bytes moved"))
TABLES = {"step_by_step": "simt", "float_order": "gpu"}  # hazards whose table is included, from that backend


def folded(summary, text):
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


def markdown(text):
    """Plain text for Markdown: identifiers as code, no emphasis by accident."""
    return re.sub(r"(?<!\S)\*", r"\\*", re.sub(r"(?<![\w/`])(\w*_\w*(?:\(\))?)", r"`\1`", text))


def count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def names_text(outcome):
    return ", ".join(f"`{kind}` ({file}:{line})" for kind, file, line in named_faults(outcome)) or "nothing"


def results_text(rung):
    """How many different results there were, in repeated runs and with other grids."""
    def of(distinct, cases):
        return f"the same result {cases}" if distinct == 1 else f"{distinct} different results {cases}"

    text = of(rung["distinct_results"], f"in {rung['runs']} runs")
    return text if rung["grids"] is None else f"{text}, {of(rung['distinct_over_grids'], 'on %d grids' % rung['grids'])}"


def short_name(results):
    return " ".join(results.report["gpu"].split()[:2])


def on_simt(rung):
    """What a run of the rung on the simulator shows."""
    text = f"{rung['value']:.7g}, {rung['check'].replace('passed', 'its checks passed')}"
    if rung["steps"] is not None:
        text += (f"; {count(rung['launches'], 'launch').replace('launchs', 'launches')}, {count(rung['atomics'], 'atomic')}, "
                 f"{count(rung['barriers'], 'barrier')}, {count(rung['steps'], 'step')}")
    text += "; " + results_text(rung)
    if rung["detected"]:
        text += f". It names {names_text(rung)}"
    costs = [f"{label} {figure(rung[key])}" for key, label in COSTS if rung.get(key) is not None]
    return text + (". Costs: " + ", ".join(costs) if costs else "")


def on_gpu(results, name):
    """What the rung took at the smallest and the largest length, in floats."""
    texts = []
    for n in (results.sizes[0], results.sizes[-1]):
        rung = results.find(name, n, "float32")
        text = f"{power(n)}: {time_text(rung['microseconds'])}"
        if not on_host(rung) and name != "cublas":
            ratio = rung["ratio_to_cublas"]
            text += f", {f'{ratio:.2f}' if ratio < 10 else figure(ratio)} times cuBLAS's time"
        if rung["copy_microseconds"] is not None:
            text += (f", and {time_text(rung['transfer_microseconds'])} for the copy and "
                     f"{time_text(rung['host_microseconds'])} on the host, in all {time_text(rung['total_microseconds'])}")
        texts.append(f"{text}, error {figure(rung['ulps'])} ulps, {results_text(rung)}")
    return "; ".join(texts)


def difference(name):
    """The code that is new in a rung's lesson, and its picture."""
    names = SECTIONS[name][0]
    parts = [lab.sources.difference(each) for each in names if each in lab.sources.LISTINGS]
    return "\n\n".join([*parts, f"![{name}: who reads, who adds, who waits](pictures/lab/{name}.svg)"])


def check(results, simt, name):
    """The command of a lesson, what comes out, and the measured table."""
    names, compared_with = SECTIONS[name]
    simulated = [each for each in names if each in simt]
    command = rung_command(simulated) if simulated else "exactdot lab " + " ".join(f"--rung {each}" for each in names)
    lines = []
    for each in names:
        label = f"`{each}`, " if len(names) > 1 else ""
        if each in simt:
            lines.append(paragraph(f"{label}on `simt`, n = {N}: {on_simt(simt[each])}.", "- "))
        else:
            lines.append(paragraph(f"{label}on `simt`: the library needs a GPU; without one the command ends with an error.",
                                   "- "))
        lines.append(paragraph(f"{label}on the {short_name(results)}, floats, n = {on_gpu(results, each)}.", "- "))
    comment = "" if simulated else "  # needs a GPU"
    return "\n\n".join([f"*Run:*\n\n```sh\n{command}{comment}\n```", folded("<i>Check:</i> what came out", "\n".join(lines)),
                        folded("The measured table", rung_table(results, names, compared_with))])


def hazard_outcomes(name, gpu, simt, device):
    lines = []
    recorded = simt[name]
    if name in TABLES:
        lines += [f"The table that it prints on {'`simt`' if TABLES[name] == 'simt' else 'the GPU'}:", "", "```text",
                  *(simt if TABLES[name] == "simt" else gpu)[name]["table"], "```", ""]
    for backend, outcome in (("`simt`", recorded), (f"the {device}", gpu.get(name))):
        if outcome is None:
            lines.append(f"- On {backend}: not measured here.")
            continue
        text = f"On {backend}: {outcome['observed']}{'' if outcome['as_expected'] else ' (not as expected)'}."
        if backend == "`simt`":
            text += f" It names {names_text(outcome)}."
        lines.append(paragraph(text, "- "))
    return lines


def hazard(name, results, gpu, simt):
    """Kernels, command, outcome, cause and fix of a hazard."""
    file, code, _, cause, fix = lab.sources.hazard_source(name)
    lines = hazard_outcomes(name, gpu, simt, short_name(results))
    lines += [paragraph(f"Must show: {simt[name]['expected']}.", "- "), paragraph(f"Cause: {markdown(cause)}", "- "),
              paragraph(f"Fix: {markdown(fix)}", "- ")]
    kernels = f"\n\n```cuda\n{code}\n```" if code else ""
    return (f"From [{file}](../lab/hazards/{file}), with the line numbers that findings cite:{kernels}\n\n"
            f"*Run:*\n\n```sh\n{hazard_command(name)}\n```\n\n"
            + folded("<i>Check:</i> what came out, and why", "\n".join(lines)))


def add_hazards(text, names):
    """The document with a section for each of the hazards, before the line `<!-- more hazards -->`."""
    added = "".join(f"### {name}\n\n{paragraph(markdown(lab.sources.hazard_source(name)[2]))}\n\n"
                    f"<!-- begin hazard {name} -->\n<!-- end hazard {name} -->\n\n" for name in names)
    return text.replace("<!-- more hazards -->", added + "<!-- more hazards -->")


def contents(text):
    """The chapters of the document; below a chapter its rungs or hazards."""
    lines, below = [], []

    def end_chapter():
        if below:
            lines.append(paragraph(" · ".join(below), "  ").replace("\0", " "))
            below.clear()

    without_code = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for level, heading in re.findall(r"^(##|###) (.*)$", without_code, re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        if level == "###":
            link = f"[{heading}](#{anchor})"
            below.append(link.replace(" ", "\0"))  # no line break inside
        elif heading != "Contents":
            end_chapter()
            lines.append(f"- [{heading}](#{anchor})")
    end_chapter()
    return "\n".join(lines)
