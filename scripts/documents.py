"""Documents whose figures are measured: what stands between `<!-- begin NAME -->` and `<!-- end NAME -->` is written by
a script from a file of results; text outside of the markers is left alone. Used by the scripts beside it.
"""
import re
import sys
import textwrap

COLUMNS = 118


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def paragraph(text, start=""):
    """Lines of even length; with start "- " an item of a list."""
    return textwrap.fill(start + text, COLUMNS, subsequent_indent=" " * len(start), break_on_hyphens=False,
                         break_long_words=False)


def figure(value):
    """Three digits: 0.0123, 1.23, 12.3, 1234."""
    if not isinstance(value, (int, float)):
        return str(value)
    if value == 0 or 0.001 <= value < 100:
        return f"{value:.3g}"
    return f"{value:.0f}" if 100 <= value < 1e6 else f"{value:.1e}"


def replace(text, name, make):
    """`text` with what stands between the markers of that name replaced by make(old); None where there are none."""
    pattern = re.compile(rf"(<!-- begin {re.escape(name)} -->\n)(.*?)(<!-- end {re.escape(name)} -->)", re.DOTALL)
    if not pattern.search(text):
        return None
    return pattern.sub(lambda found: found[1] + make(found[2]) + "\n" + found[3], text)


def update(script, source, sections, check):
    """Writes the documents, or only asks whether they are as they would be written.

    `sections` gives for each path the markers' names, each with a function that makes the new text of the old.
    """
    for path, makers in sections.items():
        old = new = path.read_text()
        for name, make in makers.items():
            new = replace(new, name, make)
            if new is None:
                sys.exit(f"{script}: {path.name} has no markers for {name}")
        if check and new != old:
            sys.exit(f"{script}: {path.name} does not say what {source} says; run scripts/{script}")
        if new != old:
            path.write_text(new)
