"""Tables of the hazards and of compute-sanitizer for scripts/lab_tables."""
from shared.documents import paragraph, table
from lab.rungs import fail
from lab.simt import named_faults

TOOLS = {"memcheck": "invalid addresses", "racecheck": "races in shared memory", "synccheck": "invalid use of barriers",
         "initcheck": "reads of uninitialised global memory"}


def by_name(report):
    return {hazard["name"]: hazard for hazard in report["hazards"]}


def outcomes_of(results, tool, kind):
    """The outcomes of a tool by rung or hazard (`kind` is "rungs" or "hazards"), without those that did not run."""
    outcomes = results.report.get("sanitizer", {}).get(tool, {}).get(kind, {})
    return {name: outcome for name, outcome in outcomes.items() if not outcome.get("failed", "").startswith("not run")}


def errors_text(outcome):
    if outcome is None:
        return "*not run*"
    if "failed" in outcome:
        return "*took too long*" if "too long" in outcome["failed"] else "*failed*"
    errors = outcome["errors"]
    return "–" if errors == 0 else f"{errors} error{'s' if errors > 1 else ''}"


def check_correct_rungs(results):
    """Exits with an error if a tool found an error in a correct rung, or could not finish it.

    Returns, by tool, on how many correct rungs it ran.
    """
    ladders = [results.report["ladders"][0], *results.report.get("workloads", {}).get("ladders", [])]
    incorrect = {rung["name"] for ladder in ladders for rung in ladder["rungs"] if rung["wrong_on_purpose"]}
    counts = {}
    for tool in TOOLS:
        outcomes = outcomes_of(results, tool, "rungs")
        for name, outcome in outcomes.items():
            if name not in incorrect and outcome.get("errors") != 0:
                fail(f"{tool} on {name}: {outcome}; expected no errors in a correct rung")
        counts[tool] = len(outcomes.keys() - incorrect)
    return counts


def sanitizer_table(results):
    counts = check_correct_rungs(results)
    rows = []
    for tool, subject in TOOLS.items():
        findings = []
        outcomes = outcomes_of(results, tool, "hazards")
        for name, outcome in outcomes.items():
            if outcome.get("errors") != 0:
                first = outcome.get("first") or [""]
                quoted = f", the first “{shortened(first[0])}”" if first[0] else ""
                findings.append(f"`{name}`: {errors_text(outcome)}{quoted}")
        racy = outcomes_of(results, tool, "rungs").get("racy")
        rows.append([f"`{tool}`", subject, "; ".join(findings) or ("none" if outcomes else "*not run*"), errors_text(racy),
                     f"no findings in {counts[tool]}" if counts[tool] else "*not run*"])
    run = results.report
    return (paragraph(f"On: {run['gpu']}, driver {run['driver']}, CUDA toolkit {run['toolkit']}, {run['date']}.") + "\n\n"
            + table(["tool", "detects", "hazards with findings", "rung `racy`", "correct rungs"], rows))


def shortened(line):
    """A line of compute-sanitizer without the namespaces of the kernel's name, at most 120 characters."""
    line = line.replace("exactdot::lab::<unnamed>::", "").replace("void ", "")
    return line if len(line) <= 120 else line[:117] + "…"


def tools_table(results, gpu, simt):
    rows = []
    for name, hazard in gpu.items():  # those that ran on a GPU
        kinds = sorted({kind for kind, _, _ in named_faults(simt[name])})
        outcomes = [errors_text(outcomes_of(results, tool, "hazards").get(name)) for tool in TOOLS]
        ran = "yes" if hazard["ran"] else "ended by the watchdog"
        rows.append([f"`{name}`", ", ".join(f"`{kind}`" for kind in kinds) or "–", ran, *outcomes])
    return (paragraph(f"GPU: {results.report['gpu']}.") + "\n\n"
            + table(["hazard", "the simulator names", "ran on the GPU", *[f"`{tool}`" for tool in TOOLS]], rows))
