"""Tables of the hazards and of compute-sanitizer for scripts/lab_story."""
from documents import paragraph, table
from lab_rungs import fail

TOOLS = {"memcheck": "addresses", "racecheck": "races in shared memory", "synccheck": "barriers and their threads",
         "initcheck": "reads of global memory that nothing wrote"}

TABLES = {"step_by_step": "simt", "float_order": "gpu"}  # shown, as that device printed them


def by_name(report):
    return {one["name"]: one for one in report["hazards"]}


def named_faults(hazard):
    """What the simulator names, once each: its kind, and where."""
    return sorted({(one["kind"], one["where"], one["line"]) for one in hazard["detected"]})


def names_text(hazard):
    return ", ".join(f"`{kind}` ({where}:{line})" for kind, where, line in named_faults(hazard)) or "nothing"


def hazard_section(name):
    def section(gpu, simt):
        lines = []
        if name in TABLES:
            lines += ["```text", *(simt if TABLES[name] == "simt" else gpu)[name]["table"], "```", ""]
        for where, seen in (("the GPU", gpu[name]), ("the simulator", simt[name])):
            text = f"On {where}: {seen['observed']}{'' if seen['as_expected'] else ' (not as expected)'}."
            if where == "the simulator":
                text += f" It names {names_text(seen)}."
            lines.append(paragraph(text, "- "))
        return "\n".join(lines)

    return section


def hazard_sections(names):
    return {f"hazard {name}": hazard_section(name) for name in names}


def found(outcome):
    if "failed" in outcome:
        return "*took too long*" if "too long" in outcome["failed"] else "*failed*"
    errors = outcome["errors"]
    return "–" if errors == 0 else f"{errors} error{'s' if errors > 1 else ''}"


def check_correct_rungs(results):
    """Stops unless every tool ran on every rung without a fault and found nothing."""
    rungs = results.report["ladders"][0]["rungs"]
    wrong = {rung["name"] for rung in rungs if rung["wrong_on_purpose"]}
    counts = {}
    for tool in TOOLS:
        outcomes = results.report["sanitizer"][tool]["rungs"]
        for name, outcome in outcomes.items():
            if name not in wrong and outcome.get("errors") != 0:
                fail(f"{tool} on {name}, which ought to be without a fault: {outcome}")
        counts[tool] = len(outcomes.keys() - wrong)
        if counts[tool] == 0:
            fail(f"{tool} was run on no rung")
    return counts


def sanitizer_table(results):
    counts = check_correct_rungs(results)
    rows = []
    for tool, subject in TOOLS.items():
        hits = []
        for name, outcome in results.report["sanitizer"][tool]["hazards"].items():
            if outcome.get("errors") != 0:
                first = outcome.get("first") or [""]
                quoted = f", the first “{shortened(first[0])}”" if first[0] else ""
                hits.append(f"`{name}`: {found(outcome)}{quoted}")
        racy = results.report["sanitizer"][tool]["rungs"].get("racy")
        rows.append([f"`{tool}`", subject, "; ".join(hits) or "none", found(racy) if racy else "not run",
                     f"silent on all {counts[tool]}"])
    return table(["tool", "looks for", "hazards with findings", "rung `racy`", "rungs without a fault"], rows)


def shortened(line):
    """A line of compute-sanitizer without the mangled middle of its kernel's name."""
    line = line.replace("exactdot::lab::<unnamed>::", "").replace("void ", "")
    return line if len(line) <= 120 else line[:117] + "…"


def tools_table(results, gpu, simt):
    rows = []
    for name, hazard in gpu.items():
        kinds = sorted({kind for kind, _, _ in named_faults(simt[name])})
        outcomes = [found(results.report["sanitizer"][tool]["hazards"][name]) for tool in TOOLS]
        ran = "yes" if hazard["ran"] else "ended by the watchdog"
        rows.append([f"`{name}`", ", ".join(f"`{kind}`" for kind in kinds) or "–", ran, *outcomes])
    return table(["hazard", "the simulator names", "ran on the GPU", *[f"`{tool}`" for tool in TOOLS]], rows)
