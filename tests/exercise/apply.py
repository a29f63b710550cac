"""Applies the exercise of docs/contributing.md to a copy of the library's sources.

apply.py SOURCE TARGET: copies SOURCE/src and SOURCE/include to TARGET and applies every ```diff fence below the heading
"Exercise: a term". A fence names its file in its first line (+++ b/FILE); context lines must be in the file, in order.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path


def fences(document: str) -> list[tuple[str, list[str]]]:
    section = document.split("### Exercise: a term", 1)[1].split("\n### ", 1)[0].split("\n## ", 1)[0]
    found = []
    for body in re.findall(r"```diff\n(.*?)```", section, re.S):
        first, *lines = body.rstrip("\n").split("\n")
        if not first.startswith("+++ b/"):
            sys.exit(f"apply.py: a diff fence has to begin with '+++ b/FILE', not {first!r}")
        found.append((first.removeprefix("+++ b/"), lines))
    if not found:
        sys.exit("apply.py: the exercise has no diff fence")
    return found


def apply(text: str, lines: list[str], name: str) -> str:
    old = "\n".join(line[1:] for line in lines if line[:1] in " -")
    new = "\n".join(line[1:] for line in lines if line[:1] in " +")
    if text.count(old) != 1:
        sys.exit(f"apply.py: the context is in {name} {text.count(old)} times:\n{old}")
    return text.replace(old, new)


def main() -> None:
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    for folder in ("src", "include"):
        shutil.copytree(source / folder, target / folder, dirs_exist_ok=True)
    added = 0
    for name, lines in fences((source / "docs/contributing.md").read_text()):
        path = target / name
        path.write_text(apply(path.read_text(), lines, name))
        added += sum(line.startswith("+") and line[1:].strip() != "" for line in lines)
    print(f"{added} lines added")


main()
