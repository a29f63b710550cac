#!/usr/bin/env python3
"""Checks that a library exports exactly the functions that exactdot.h declares, in one version of its symbols.

usage: exports.py NM LIBRARY HEADER VERSION
"""
import pathlib
import re
import subprocess
import sys


def main(nm, library, header, version):
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in lines.splitlines()} - {version}
    unversioned = {name for name in exported if not name.endswith(f"@@{version}")}
    if unversioned:
        sys.exit(f"exports: not in version {version}: {', '.join(sorted(unversioned))}")
    exported = {name.removesuffix(f"@@{version}") for name in exported}
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(), flags=re.DOTALL)
    declared = set(re.findall(r"\b(xd_\w+)\(", text))
    for names, problem in ((exported - declared, "exported but not declared"), (declared - exported, "not exported")):
        if names:
            sys.exit(f"exports: {problem}: {', '.join(sorted(names))}")
    if not declared:
        sys.exit(f"exports: {header} declares no function")


if __name__ == "__main__":
    main(*sys.argv[1:])
