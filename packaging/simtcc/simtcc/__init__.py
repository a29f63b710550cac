"""The program simtcc, which lies in this package with its headers and libraries."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program simtcc, with this program's arguments."""
    program = str(Path(__file__).parent / "bin" / "simtcc")
    os.execv(program, [program, *sys.argv[1:]])
