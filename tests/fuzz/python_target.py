"""Fuzz target: pickles, states, sequences, DLPack capsules and buffers that change or lie, given to the Python package.

python_target.py [--seconds S] [--inputs N] [--seed K] [--only I] [--kinds …] [--extension FILE] [--preload LIBRARIES]
Each input is made from the seed and its index, so `--only` repeats one. It may raise what it likes; a crash, a
SystemError, a C++ exception's name or a call that does not end is a failure. An extension with AddressSanitizer needs
the sanitizer's library preloaded, and libstdc++. Only lies that can be seen are told: a wrong address or a length
beyond the memory cannot.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import numpy as np  # noqa: E402

from python_sequences import Sequences  # noqa: E402
from python_states import States  # noqa: E402

SECONDS_OF_AN_INPUT = 60
KINDS = ("pickles", "states", "state_arrays", "sequences", "capsules", "buffers")


class Inputs(States, Sequences):
    """All kinds: a method each."""


def run_input(generator: random.Random, kinds: tuple[str, ...]) -> str:
    inputs = Inputs(generator)
    kind = generator.choice(kinds)
    inputs.attempt(getattr(inputs, kind))
    return kind


def load_extension(file: str) -> None:
    """Makes this file the compiled part of the package, whose source lies beside the tests."""
    spec = importlib.util.spec_from_file_location("exactdot._engine", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    sys.path.insert(0, str(Path(__file__).parents[2] / "python"))


def run_inputs(options: argparse.Namespace, progress: Any) -> None:
    faulthandler.enable()
    if options.extension:
        load_extension(options.extension)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    sys.unraisablehook = lambda _: None
    end, counts = time.monotonic() + options.seconds, collections.Counter[str]()
    first = options.only if options.only is not None else 0
    last = first + 1 if options.only is not None else options.inputs
    for index in range(first, last):
        if time.monotonic() > end and options.only is None:
            break
        progress.seek(0)
        progress.write(f"{index:12}")
        progress.flush()
        signal.alarm(SECONDS_OF_AN_INPUT)
        counts[run_input(random.Random(f"{options.seed} {index}"), options.kinds)] += 1
    signal.alarm(0)
    print(f"{sum(counts.values())} inputs:", ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--inputs", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--extension", help="default: that of the installed package")
    parser.add_argument("--preload", default="", help="libraries, separated by commas")
    parser.add_argument("--progress", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.progress:
        with open(options.progress, "w") as progress:
            run_inputs(options, progress)
        return 0
    progress_file = Path(os.environ.get("TMPDIR", "/tmp")) / f"python_target.{os.getpid()}"
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1", "PYTHONMALLOC": "malloc"}
    if options.preload:
        environment["LD_PRELOAD"] = options.preload.replace(",", " ")
    status = subprocess.run([sys.executable, *sys.argv, "--progress", str(progress_file)], env=environment).returncode
    if status != 0:
        index = progress_file.read_text().strip()
        print(f"failed with status {status}; --seed {options.seed} --only {index} repeats it")
    progress_file.unlink(missing_ok=True)
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
