"""Chooses the file of exactdot._engine: that of exactdot-cu13 if it is installed, else the package's own, for CPUs.

The package exactdot_cu13 holds the same extension, built with the CUDA engine, and nothing else. Its folder goes first in
the path of this package, so that the module is exactdot._engine in either case: for pickles, type checkers and users.
"""

from __future__ import annotations

import importlib
import sys

import exactdot


def use_cuda_engine() -> None:
    """Makes the extension of exactdot-cu13 the engine if it is installed. Raises ImportError if the versions differ."""
    try:
        version = importlib.import_module("exactdot_cu13._version").version
    except ModuleNotFoundError:
        return
    own = importlib.import_module("exactdot._version").version
    if version != own:
        raise ImportError(f"exactdot {own} and exactdot-cu13 {version} are installed, but their versions must be the same: "
                          f"pip install 'exactdot[cu13]=={own}', or pip uninstall exactdot-cu13")
    exactdot.__path__[:0] = sys.modules["exactdot_cu13"].__path__


use_cuda_engine()
