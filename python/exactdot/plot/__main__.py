"""The command: python -m exactdot.plot RESULTS.json -o OUT.svg|png.

Whatever is wrong with the arguments, the file or its content is said in one line that names the file, with status 2,
as argparse and the program exactdot end on bad arguments.
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
    parser.add_argument("results", help="the JSON")
    parser.add_argument("-o", "--out", required=True, type=picture, help="the picture, .svg or .png")
    parser.add_argument("--dtype", choices=["float32", "float64"], help="the elements")
    parser.add_argument("--n", type=int, help="the ladder's length; by default the longest")
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
