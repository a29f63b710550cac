"""The command: python -m exactdot.plot RESULTS.json -o OUT.svg|png."""

from __future__ import annotations

import argparse
import json
import sys

from exactdot.plot import draw


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m exactdot.plot",
        description="Draws what `exactdot lab --json`, `exactdot bench --json` or bench/python/accuracy.py wrote.",
    )
    parser.add_argument("results", help="the JSON")
    parser.add_argument("-o", "--out", required=True, help="the picture, .svg or .png")
    parser.add_argument("--dtype", choices=["float32", "float64"], help="the elements")
    parser.add_argument("--n", type=int, help="the ladder's length; by default the longest")
    chosen = parser.parse_args(arguments)
    try:
        with open(chosen.results, encoding="utf-8") as file:
            draw(json.load(file), chosen.out, dtype=chosen.dtype, n=chosen.n)
    except (OSError, ValueError, ImportError) as reason:
        print(f"exactdot.plot: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
