"""Tables of the hazards and of compute-sanitizer for scripts/lab_tables."""
from documents import table
from lab_rungs import fail
from lab_simt import named_faults

TOOLS = {"memcheck": "invalid addresses", "racecheck": "races in shared memory", "synccheck": "invalid use of barriers",
         "initcheck": "reads of uninitialised global memory"}


def by_name(report):
    return {hazard["name"]: hazard for hazard in report["hazards"]}


def errors_text(outcome):
    if "failed" in outcome:
        return "*took too long*" if "too long" in outcome["failed"] else "*failed*"
    errors = outcome["errors"]
    return "–" if errors == 0 else f"{errors} error{'s' if errors > 1 else ''}"


def check_correct_rungs(results):
    """Exits with an error unless every tool ran on all correct rungs and found nothing."""
    rungs = results.report["ladders"][0]["rungs"]
    incorrect = {rung["name"] for rung in rungs if rung["wrong_on_purpose"]}
    counts = {}
    for tool in TOOLS:
        outcomes = results.report["sanitizer"][tool]["rungs"]
        for name, outcome in outcomes.items():
            if name not in incorrect and outcome.get("errors") != 0:
                fail(f"{tool} on {name}: {outcome}; expected no errors in a correct rung")
        counts[tool] = len(outcomes.keys() - incorrect)
        if counts[tool] == 0:
            fail(f"{tool} has no results of correct rungs")
    return counts


def sanitizer_table(results):
    counts = check_correct_rungs(results)
    rows = []
    for tool, subject in TOOLS.items():
        findings = []
        for name, outcome in results.report["sanitizer"][tool]["hazards"].items():
            if outcome.get("errors") != 0:
                first = outcome.get("first") or [""]
                quoted = f", the first “{shortened(first[0])}”" if first[0] else ""
                findings.append(f"`{name}`: {errors_text(outcome)}{quoted}")
        racy = results.report["sanitizer"][tool]["rungs"].get("racy")
        rows.append([f"`{tool}`", subject, "; ".join(findings) or "none", errors_text(racy) if racy else "not run",
                     f"no findings in {counts[tool]}"])
    return table(["tool", "detects", "hazards with findings", "rung `racy`", "correct rungs"], rows)


def shortened(line):
    """A line of compute-sanitizer without the namespaces of the kernel's name, at most 120 characters."""
    line = line.replace("exactdot::lab::<unnamed>::", "").replace("void ", "")
    return line if len(line) <= 120 else line[:117] + "…"


def tools_table(results, gpu, simt):
    rows = []
    for name, hazard in gpu.items():  # those that ran on a GPU
        kinds = sorted({kind for kind, _, _ in named_faults(simt[name])})
        outcomes = [errors_text(results.report["sanitizer"][tool]["hazards"][name]) for tool in TOOLS]
        ran = "yes" if hazard["ran"] else "ended by the watchdog"
        rows.append([f"`{name}`", ", ".join(f"`{kind}`" for kind in kinds) or "–", ran, *outcomes])
    return table(["hazard", "the simulator names", "ran on the GPU", *[f"`{tool}`" for tool in TOOLS]], rows)
