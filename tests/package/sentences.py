#!/usr/bin/env python3
"""The sentences of the library are those of every language: none of them has C++ syntax.

usage: sentences.py SOURCE

Reads the string literals of the library, its engines and its interfaces. A caller of C, Fortran, Python or the program
has no mode::exact and no options.threads. The functions of exactdot::mpi, which begin their sentences with their own
names, are for C++ alone.
"""
import pathlib
import re
import sys

FOLDERS = ["src", "mpi", "include"]
ENDINGS = {".cpp", ".hpp", ".h", ".c", ".cu", ".cuh", ".f90", ".inc"}
FORBIDDEN = re.compile(r"::|\berrc\b|\boptions\.|\bstd\b\.|\bnullptr\b|exactdot/[\w/]+\.hpp")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def literals_of(text):
    """String literals and their lines: without comments, includes, assembly and what only the compiler prints."""
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    text = re.sub(r"\bstatic_assert\(.*?\);", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r"(?<![:\"'])//.*", "", line)
        if re.match(r"\s*#|.*\basm\b", code) or re.match(r'\s*:::? "', code):
            continue
        for found in LITERAL.finditer(code):
            yield number, found[1]


def main(source):
    faults = count = 0
    for folder in FOLDERS:
        for path in sorted(pathlib.Path(source, folder).rglob("*")):
            if path.suffix not in ENDINGS or not path.is_file():
                continue
            for line, literal in literals_of(path.read_text()):
                count += 1
                if FORBIDDEN.search(literal) and not re.match(r"mpi::\w+(: |$)", literal):
                    faults += 1
                    print(f'{path.relative_to(source)}:{line}: "{literal}"')
    if count < 500:
        sys.exit(f"sentences: only {count} literals were read")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
