"""The generated parts of the lessons of docs/lab.md: differences, pictures, predictions, commands, outcomes, contents.

What tells the mistake, as the picture of a race, comes with the outcome, after the prediction.
"""
import re

import lab.predictions
import lab.sources
from shared.documents import figure, paragraph
from lab.rungs import SECTIONS, on_host, power, rung_table, time_text
from lab.simt import N, hazard_command, named_faults, rung_command

COSTS = (("sectors_per_request", "sectors per request"), ("bank_conflict_degree", "degree of bank conflicts"),
         ("lanes_per_request", "active lanes per request"), ("longest_queue", "longest queue at one address"),
         ("bytes_moved", "bytes moved"))
PICTURED_AFTERWARDS = ("racy", "racy_groups")  # rungs whose picture shows what goes wrong
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


def picture(name):
    return f"![{name}: who reads, who adds, who waits](pictures/lab/{name}.svg)"


def difference(name, rungs=None):
    """The code that is new in a rung's lesson, and its picture."""
    parts = [lab.sources.difference(each) for each in rungs or SECTIONS[name][0] if each in lab.sources.LISTINGS]
    return "\n\n".join(parts if name in PICTURED_AFTERWARDS else [*parts, picture(name)])


def accumulator():
    """The accumulator of an exact sum: its picture, and the code of the plain program."""
    return ("![The accumulator: where a product goes, and where the sum is rounded](pictures/lab/accumulator.svg)\n\n"
            f"From [exact.cu](../examples/programs/exact.cu):\n\n```cuda\n{lab.sources.accumulator()}\n```")


def shell(line):
    return f"```sh\n{line}\n```"


def own_program(name):
    """Where the rung or hazard stands as a complete program, and the command that compiles and runs it; nothing if nowhere."""
    programs = lab.sources.programs_of(name)
    if not programs:
        return []
    names = " and ".join(f"[{stem}.cu](../examples/programs/{stem}.cu)" for stem in programs)
    lines = [f"simtcc {stem}.cu -o {stem} && ./{stem}" + (f"  # status {status}" if status else "")
             for stem, status in programs.items()]
    return [paragraph(f"*Compile your own:* {names}, in `examples/programs`."), shell("\n".join(lines))]


def lesson_parts(name, command, answer, lines, picture_of=None):
    """Prediction, command and, folded, its outcome with the answer first; then the command for the plain program."""
    outcome = "\n".join([paragraph(f"*Answer:* {answer}", "- "), *lines])
    if picture_of in PICTURED_AFTERWARDS:
        outcome += f"\n\n{picture(picture_of)}"
    return [paragraph(lab.predictions.question(name)), f"*Run:*\n\n{shell(command)}",
            folded("<i>Check:</i> what came out", outcome), *own_program(name)]


def check(results, simt, name):
    """The prediction of a lesson, its command, what comes out, and the measured table."""
    names, compared_with = SECTIONS[name]
    simulated = [each for each in names if each in simt]
    runs = [*lab.predictions.COMPARED.get(name, []), *simulated]
    command = rung_command(runs) if simulated else "exactdot lab " + " ".join(f"--rung {each}" for each in names)
    lines = []
    for each in names:
        label = f"`{each}`, " if len(names) > 1 else ""
        if each in simt:
            lines.append(paragraph(f"{label}on `simt`, n = {N}: {on_simt(simt[each])}.", "- "))
        else:
            lines.append(paragraph(f"{label}on `simt`: the library needs a GPU; without one the command ends with an error.",
                                   "- "))
        lines.append(paragraph(f"{label}on the {short_name(results)}, floats, n = {on_gpu(results, each)}.", "- "))
    found = {each: simt[each] for each in runs} or {each: results.find(each, results.sizes[0], "float32") for each in names}
    parts = lesson_parts(name, command + ("" if simulated else "  # needs a GPU"), lab.predictions.of_rung(name, found), lines,
                         name)
    return "\n\n".join([*parts, folded("The measured table", rung_table(results, names, compared_with))])


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


def hazard(name):
    """The kernels of a hazard."""
    file, code, *_ = lab.sources.hazard_source(name)
    kernels = f"\n\n```cuda\n{code}\n```" if code else ""
    return f"From [{file}](../lab/hazards/{file}), with the line numbers that findings cite:{kernels}"


def outcome(name, results, gpu, simt):
    """Prediction, command, outcome, cause and fix of a hazard."""
    *_, cause, fix = lab.sources.hazard_source(name)
    needs_gpu = name in lab.predictions.ON_GPU
    lines = hazard_outcomes(name, gpu, simt, short_name(results))
    lines += [paragraph(f"Must show: {simt[name]['expected']}.", "- "), paragraph(f"Cause: {markdown(cause)}", "- "),
              paragraph(f"Fix: {markdown(fix)}", "- ")]
    command = hazard_command(name) + (f"\nexactdot hazards --device cuda {name}  # needs a GPU" if needs_gpu else "")
    answer = lab.predictions.of_hazard(name, (gpu if needs_gpu else simt)[name])
    return "\n\n".join(lesson_parts(name, command, answer, lines))


def add_hazards(text, names):
    """The document with sections for each of the hazards, before the line `<!-- more hazards -->`."""
    markers = "".join(f"<!-- begin {part} NAME -->\n<!-- end {part} NAME -->\n\n" for part in ("hazard", "outcome"))
    added = "".join(f"### {name}\n\n{paragraph(markdown(lab.sources.hazard_source(name)[2]))}\n\n"
                    + markers.replace("NAME", name) for name in names)
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
