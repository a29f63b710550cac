"""Sections of documents, and whole documents, that scripts write from files of results.

A section is the text between `<!-- begin NAME -->` and `<!-- end NAME -->`. Text outside of the markers is not changed.
"""
import re
import sys
import textwrap

COLUMNS = 118


def table(header, rows):
    """A Markdown table; exits with an error if there are no rows, which would be a table that is missing."""
    rows = list(rows)
    if not rows:
        sys.exit(f"the table {' | '.join(map(str, header))} has no rows: its measurements are missing")
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def paragraph(text, start=""):
    """The text in lines of at most COLUMNS characters, after `start`, such as "- " for a list item."""
    return textwrap.fill(start + text, COLUMNS, subsequent_indent=" " * len(start), break_on_hyphens=False,
                         break_long_words=False)


def figure(value):
    """The number with three significant digits: 0.0123, 1.23, 12.3, 1234."""
    if not isinstance(value, (int, float)):
        return str(value)
    if value == 0 or 0.001 <= value < 100:
        return f"{value:.3g}"
    return f"{value:.0f}" if 100 <= value < 1e6 else f"{value:.1e}"


def replace(text, name, make):
    """`text` with its section `name` replaced by make(old section); None if there are no such markers."""
    pattern = re.compile(rf"(<!-- begin {re.escape(name)} -->\n)(.*?)(<!-- end {re.escape(name)} -->)", re.DOTALL)
    if not pattern.search(text):
        return None
    return pattern.sub(lambda found: found[1] + make(found[2]) + "\n" + found[3], text)


def update(script, source, sections, check):
    """Writes the sections of documents or, if `check` is true, exits with an error if a document would change.

    Parameters
    ----------
    script, source : str
        Names of the calling script and of the results, for messages.
    sections : dict
        Maps a path to a dict that maps the name of a section to a function from the old to the new text.
    check : bool
        Compare only.
    """
    for path, makers in sections.items():
        old = new = path.read_text()
        for name, make in makers.items():
            new = replace(new, name, make)
            if new is None:
                sys.exit(f"{script}: {path.name} has no markers of the section {name}")
        if check and new != old:
            sys.exit(f"{script}: {path.name} differs from {source}; run scripts/{script}")
        if new != old:
            path.write_text(new)


def write(script, path, text, check):
    """Writes a whole document or, if `check` is true, exits with an error if it is missing or differs."""
    if check and not path.exists():
        sys.exit(f"{script}: {path.name} does not exist; run scripts/{script}")
    if path.exists() and path.read_text() == text:
        return
    if check:
        sys.exit(f"{script}: {path.name} differs from the results; run scripts/{script}")
    path.write_text(text)
