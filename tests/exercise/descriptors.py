"""No engine asks which term or which reduction it has: it asks their descriptions.

descriptors.py SOURCE: searches SOURCE/src and SOURCE/include for comparisons with a term or a reduction by name. Such a
comparison compiles for a term that is added later, and falls through to another term's branch: wrong bits without a word.
The descriptions themselves may name what they describe. Searches two lines that are wrong, first.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

DESCRIPTIONS = {"include/exactdot/reduction.hpp", "include/exactdot/core/reduction.hpp"}
TERMS = "product|value|magnitude|square"
COMPARISONS = re.compile(
    rf"""(==|!=|<=|>=|\s[<>]\s)\s*(exactdot::)?reduction::\w   # what == reduction::dot
    | reduction::\w+\s*(==|!=|<=|>=)
    | case\s+(exactdot::)?reduction::
    | term_index<\s*(core::)?({TERMS})\s*>
    | (is_same_v|same_as)<\s*\w+\s*,\s*(core::)?({TERMS})\s*>""",
    re.VERBOSE,
)
WRONG = ("if (what == reduction::dot) return 2;", "return plan.term == core::term_index<core::magnitude>;")
RIGHT = ("reduce(on, reduction::dot, a, b);", "reduce_view<reduction::sum, R>(x);", "return of.term_info().absolute;",
         "each.what = reduction::sum;")


def comparisons(text: str) -> list[tuple[int, str]]:
    return [(k, line.strip()) for k, line in enumerate(text.split("\n"), 1) if COMPARISONS.search(line)]


def main() -> None:
    source = Path(sys.argv[1])
    if not all(comparisons(line) for line in WRONG) or any(comparisons(line) for line in RIGHT):
        sys.exit("descriptors.py: the pattern does not tell wrong lines from right ones")
    files = [path for folder in ("src", "include") for path in sorted((source / folder).rglob("*.*"))]
    found = []
    for path in files:
        name = path.relative_to(source).as_posix()
        if name not in DESCRIPTIONS:
            found += [f"{name}:{k}: {line}" for k, line in comparisons(path.read_text())]
    if len(files) < 100:
        sys.exit(f"descriptors.py: only {len(files)} files in {source}")
    if found:
        sys.exit("ask the description (core::term_info, core::reduction_info), not the name:\n" + "\n".join(found))
    print(f"{len(files)} files, no comparison with a term or a reduction by name")


main()
