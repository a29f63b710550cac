"""The stepper's pages: one for each rung and hazard of the lab that runs on the simulator, and a page that lists them.

The names are those of the headings of docs/lab.md. `exactdot lab --html` refuses a rung without a kernel for
the simulator in its file.
"""
import re
import subprocess
import sys

INTRODUCTION = """# The lab in your browser

Each page plays a run of the simulator: the kernel's source beside its threads and memory, one step at a time, forwards and
backwards ([what it shows](stepper.md)). Nothing is installed and nothing is sent. A link opens its page below, or in a
tab of its own with the middle button.
"""
FRAME = '<iframe class="stepper" name="stepper" title="A kernel, step by step" src="steps/{first}.html"></iframe>\n'


def chapters(lab, first, last):
    """The headings of level 3 between two of level 2."""
    part = lab[lab.index(f"\n## {first}\n"):lab.index(f"\n## {last}\n")]
    return re.findall(r"^### (?:\d+ )?(.*)$", part, re.MULTILINE)


def make(program, lab, out):
    """Writes the pages to the folder `out`, but for those newer than the program. Returns the names of rungs and of hazards that have one."""
    out.mkdir(parents=True, exist_ok=True)
    rungs = [name for heading in chapters(lab, "The rungs", "Claims of teaching texts") for name in heading.split(" and ")]
    made = {"lab": [], "hazards": []}
    for kind, names in (("lab", rungs), ("hazards", chapters(lab, "The hazards", "compute-sanitizer"))):
        for name in names:
            page = out / f"{name}.html"
            if page.exists() and page.stat().st_mtime > program.stat().st_mtime:
                made[kind].append(name)
                continue
            choice = ["--rung", name] if kind == "lab" else [name]
            done = subprocess.run([program, kind, *choice, "--html", page], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
            if done.returncode == 0:
                made[kind].append(name)
            elif kind == "hazards" or not re.search(r"has no kernel|needs a GPU", done.stderr):
                sys.exit(f"steps: exactdot {kind} {name} --html: {done.stderr}")
    if not made["lab"] or not made["hazards"]:
        sys.exit("steps: no page was made")
    return made["lab"], made["hazards"]


def listing(rungs, hazards):
    """The page with all of them, as Markdown."""
    def links(names):
        return " ·\n".join(f'<a href="steps/{name}.html" target="stepper">{name}</a>' for name in names)

    return (f"{INTRODUCTION}\n**Rungs of the ladder** ([their chapters](lab.md#the-rungs))\n\n{links(rungs)}\n\n"
            f"**Hazards** ([their chapters](lab.md#the-hazards))\n\n{links(hazards)}\n\n"
            + FRAME.format(first="shared_host_sum" if "shared_host_sum" in rungs else rungs[0]))


def linked(lab, names):
    """The text of the lab with a link below each heading that has a page."""
    def after(found):
        own = [name for name in found[2].split(" and ") if name in names]
        links = ", ".join(f'<a href="steps/{name}.html">{name} step by step, in your browser</a>' for name in own)
        return found[0] + (f"\n\n{links}" if own else "")

    return re.sub(r"^### (\d+ )?(.*)$", after, lab, flags=re.MULTILINE)
