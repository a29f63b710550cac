"""The section of docs/simt.md on compute-sanitizer and the labelled suite, from the results of scripts/suite_on_gpu."""
import sys

from shared.documents import paragraph, table

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
NOT_MEASURED = "compute-sanitizer has not been measured on the suite: `scripts/suite_on_gpu` does it on a machine with a GPU."


def join(rows):
    return ", ".join(f"`{row['name']}`" for row in rows)


def was_run(row):
    """Whether what is missing cannot change the row's counts."""
    return bool(row.get("named_by")) or all("errors" in row["tools"].get(tool, {}) for tool in TOOLS)


def with_simt(report, measured, file):
    """The measured rows, with what the simulator's runs of the same kernels (simt-suite.json) found."""
    suite = {}
    for run in report["rows"]:
        suite.setdefault((run["family"], run["name"]), []).append(run)
    for row in measured["rows"]:
        key = (row["family"], row["name"] + ("" if row["faulty"] else " (correct)"))
        if key not in suite:
            sys.exit(f"simt_suite: {key[1]} of {file} is no kernel of the suite")
        runs = [run for run in suite[key] if (run["fault"] is not None) == row["faulty"]]
        row["by_simt"] = row["faulty"] and bool(runs) and all(run["found"] == run["runs"] for run in runs)
        row["alarm_of_simt"] = not row["faulty"] and any(run["false_alarms"] for run in runs)
    return measured["rows"]


def line_of(family, rows):
    some = [row for row in rows if family in ("all", row["family"])]
    faulty = [row for row in some if row["faulty"] and was_run(row)]
    correct = [row for row in some if not row["faulty"] and was_run(row)]
    return [family, f"{len(faulty)} of {sum(row['faulty'] for row in some)}", sum(row["by_simt"] for row in faulty),
            sum(bool(row["named_by"]) for row in faulty), sum(row["on_line"] for row in faulty),
            sum(row["plain"] == "does not end" for row in faulty),
            f"{len(correct)} of {sum(not row['faulty'] for row in some)}", sum(row["alarm_of_simt"] for row in correct),
            sum(bool(row["alarms"]) for row in correct)]


HEADER = ["family", "faulty kernels run", "simt names with every seed", "compute-sanitizer names", "on a labelled line",
          "does not end on the GPU", "correct kernels run", "simt: false alarms", "compute-sanitizer: alarms"]


def conditions(measured):
    options = "; ".join(f"{tool} `{words}`" if words else tool for tool, words in measured["options"].items())
    text = (f"{measured['gpu']}, compute-sanitizer {measured['sanitizer']}, driver {measured['driver']}, CUDA "
            f"{measured['toolkit']}, {measured['date']}, each kernel once under each tool. Options: {options}.")
    if measured["missing"]:
        text += f" Results missing: {measured['missing']}; their kernels are not counted as run."
    return text


def differences(rows):
    """Sentences on who names what, from the rows that were run."""
    faulty = [row for row in rows if row["faulty"] and was_run(row)]
    correct = [row for row in rows if not row["faulty"] and was_run(row)]
    families = dict.fromkeys(row["family"] for row in faulty)

    def named_in(family, key):
        return sum(bool(row[key]) for row in faulty if row["family"] == family)

    only_simt = [family for family in families if named_in(family, "by_simt") and not named_in(family, "named_by")]
    only_tools = [family for family in families if named_in(family, "named_by") and not named_in(family, "by_simt")]
    of_simt = sum(row["by_simt"] and not row["named_by"] for row in faulty)
    of_tools = [row for row in faulty if row["named_by"] and not row["by_simt"]]
    both = sum(row["by_simt"] and bool(row["named_by"]) for row in faulty)
    neither = [row for row in faulty if not row["named_by"] and not row["by_simt"]]
    by_tool = ", ".join(f"{tool} {sum(tool in row['named_by'] for row in faulty)}" for tool in TOOLS)
    elsewhere = [row for row in faulty
                 if not row["named_by"] and any(row["tools"][tool].get("where") == "elsewhere" for tool in TOOLS)]
    text = f"Of {len(faulty)} faulty kernels both name {both}, only simt {of_simt}, only compute-sanitizer {len(of_tools)}"
    text += f" ({join(of_tools)})" if of_tools else ""
    text += f", neither {len(neither)}" + (f" ({join(neither)})" if neither else "") + f". By tool: {by_tool}."
    text += f" Families in which only simt names kernels: {', '.join(only_simt) or 'none'}"
    text += f"; only compute-sanitizer: {', '.join(only_tools) or 'none'}."
    if elsewhere:
        text += f" Reported on other lines only, so not counted as named: {join(elsewhere)}."
    lock_step = [row for row in faulty if row["models"] == "lock_step"]
    if lock_step:
        text += (f" Faulty in lock step only, which this GPU does not run: {join(lock_step)}; named of these by "
                 f"compute-sanitizer: {join([row for row in lock_step if row['named_by']]) or 'none'}.")
    alarms = [row for row in correct if row["alarms"]]
    if alarms:
        text += " Alarms of correct kernels: " + "; ".join(
            f"`{row['name']}` by {', '.join(row['alarms'])} (`{row['tools'][row['alarms'][0]].get('first', 'no text')}`)"
            for row in alarms) + "."
    wrong = [row for row in correct if row["plain"] != "ends"]
    if wrong:
        text += " Correct kernels with another outcome on the GPU: " + "; ".join(
            f"`{row['name']}`: `{row['plain']}`" for row in wrong) + "."
    return text


def sanitizer_section(report, measured, file):
    """The section's text; `measured` is None if no results exist."""
    if measured is None:
        return paragraph(NOT_MEASURED)
    rows = with_simt(report, measured, file)
    families = dict.fromkeys(row["family"] for row in report["rows"])
    lines = [line_of(family, rows) for family in [*families, "all"]]
    return "\n\n".join([table(HEADER, lines), paragraph(conditions(measured)), paragraph(differences(rows))])
