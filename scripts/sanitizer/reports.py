"""Reads what compute-sanitizer prints.

A report is a line such as "========= Invalid __global__ read of size 4 bytes" and the indented lines after it, which say
where ("at KERNEL+OFFSET in FILE:LINE", "and Read access at …", "Device Frame: …"). The last line is a summary.
"""
import dataclasses
import re

PREFIX = "========="
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")
PLACE = re.compile(r"\bin (?:\S*/)?([^\s/:]+):(\d+)\b")
# lines of a report after its first; in some versions they are not indented
CONTINUATION = re.compile(r"and |at |by |Address |Device Frame|Host Frame|Saved host|\[|Access |Barrier address")
# what is no finding in a kernel
NO_REPORT = re.compile(r"COMPUTE-SANITIZER|\w+ SUMMARY:|Target application|Process |Attaching |Internal |"
                       r"Error: (?:process|Target|No attachable)|Warning: Detected overflow of tracked cuda::barrier")
OF_HOST_CALL = re.compile(r"Program hit ")
# findings that the summary of racecheck does not count
NOT_COUNTED = re.compile(r"Deadlock detected|Potential invalid")


@dataclasses.dataclass
class Report:
    """One report: its first line, the source lines (file, line) that it names, and whether it is of a host call."""
    text: str
    places: list
    of_host_call: bool


@dataclasses.dataclass
class Output:
    """All reports of a run. `errors` is the number in the summary, `complete` is false if there is no summary."""
    errors: int
    reports: list
    complete: bool


def parse(text):
    reports, ignored, in_report = [], 0, False
    for line in text.splitlines():
        if not line.startswith(PREFIX):
            continue
        body = line[len(PREFIX):]
        words = body.strip()
        if not words:
            in_report = False
        elif body.startswith("  ") or CONTINUATION.match(words):
            if in_report and not words.startswith("Host Frame"):
                reports[-1].places += places_of(words)
        elif NO_REPORT.match(words):
            ignored += words.startswith("Warning")
            in_report = False
        else:
            reports.append(Report(words, places_of(words), bool(OF_HOST_CALL.match(words))))
            in_report = True
    summary = SUMMARY.search(text)
    errors = int(summary[1]) if summary else len(reports)
    if not reports and errors <= ignored:
        errors = 0
    elif errors == 0:
        errors = sum(bool(NOT_COUNTED.match(report.text)) for report in reports)
    return Output(errors, reports, summary is not None)


def places_of(line):
    return [(file, int(number)) for file, number in PLACE.findall(line)]


def judge(output, file, lines):
    """Where the reports of a faulty kernel stand, and the words of one of them.

    Returns
    -------
    where : {"line", "no line", "elsewhere", ""}
        On a labelled line; in no line of the kernel's file; in other lines of it; no report.
    first : str
        The first report on a labelled line, else the first one, with its source lines.
    """
    if not output.errors:
        return "", ""

    def in_file(report):
        return [number for name, number in report.places if name == file]

    on_line = [report for report in output.reports if set(in_file(report)) & set(lines)]
    best = next(iter(on_line or output.reports), Report("no text", [], False))
    where = "line" if on_line else "elsewhere" if any(map(in_file, output.reports)) else "no line"
    places = ", ".join(dict.fromkeys(f"{name}:{number}" for name, number in best.places if f"{name}:{number}" not in best.text))
    return where, best.text + (f" ({places})" if places else "")
