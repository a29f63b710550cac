"""The command python -m exactdot.plot RESULTS.json -o OUT.svg|png.

An error in the arguments, the file or its content is printed as one line that names the file, with exit status 2, like
the errors of argparse and of the program exactdot.
"""

from __future__ import annotations

import argparse
import sys

from exactdot.plot import draw
from exactdot.plot.reading import read


def picture(path: str) -> str:
    if not path.endswith((".svg", ".png")):
        raise argparse.ArgumentTypeError(f"{path}: pictures end in .svg or .png")
    return path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m exactdot.plot",
        description="Draws what `exactdot lab --json`, `exactdot bench --json` or bench/python/accuracy.py wrote.",
    )
    parser.add_argument("results", help="the results, a JSON file")
    parser.add_argument("-o", "--out", required=True, type=picture, help="the picture to write, .svg or .png")
    parser.add_argument("--dtype", choices=["float32", "float64"], help="the element type")
    parser.add_argument("--n", type=int, help="the length of the vectors of a ladder; default: the longest")
    chosen = parser.parse_args(arguments)
    try:
        draw(read(chosen.results), chosen.out, dtype=chosen.dtype, n=chosen.n)
        return 0
    except OSError as reason:
        why = f"{reason.filename or chosen.out}: {reason.strerror or reason}"
    except ValueError as reason:
        why = f"{chosen.results}: {reason}"
    except ImportError as reason:
        why = str(reason)
    print("exactdot.plot:", " ".join(why.split()), file=sys.stderr)  # one line, whatever the reason's text
    return 2


if __name__ == "__main__":
    sys.exit(main())
