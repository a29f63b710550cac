#!/usr/bin/env python3
"""Checks that a library exports exactly the functions that exactdot.h declares.

usage: exports.py NM LIBRARY HEADER
"""
import pathlib
import re
import subprocess
import sys


def main(nm, library, header):
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in lines.splitlines()}
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(), flags=re.DOTALL)
    declared = set(re.findall(r"\b(xd_\w+)\(", text))
    for names, problem in ((exported - declared, "exported but not declared"), (declared - exported, "not exported")):
        if names:
            sys.exit(f"exports: {problem}: {', '.join(sorted(names))}")
    if not declared:
        sys.exit(f"exports: {header} declares no function")


if __name__ == "__main__":
    main(*sys.argv[1:])
