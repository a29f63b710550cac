"""Chooses the file of exactdot._engine: that of exactdot-cu13 if it is installed, else the package's own, for CPUs.

The package exactdot_cu13 holds the same extension, built with the CUDA engine, and nothing else. It is loaded under the name
exactdot._engine, so that the module is the same in either case: for pickles, type checkers and users.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType

import exactdot

REMEDY = "pip install --force-reinstall 'exactdot[cu13]' repairs it, and pip uninstall exactdot-cu13 leaves exactdot for CPUs"


def find_package() -> ModuleType | None:
    """exactdot_cu13, or nothing if it is not installed. A folder without __init__.py is what pip may leave of it."""
    try:
        package = importlib.import_module("exactdot_cu13")
    except ModuleNotFoundError as error:
        if error.name != "exactdot_cu13":
            raise ImportError(f"exactdot-cu13 is installed, but cannot be imported: {error}; {REMEDY}") from error
        return None
    return package if getattr(package, "__file__", None) else None


def load_engine(package: ModuleType) -> ModuleType:
    """Loads the package's extension. Raises ImportError, with what to do, if it is of another version or broken."""
    try:
        version = importlib.import_module("exactdot_cu13._version").version
    except ModuleNotFoundError as error:
        raise ImportError(f"exactdot-cu13 is installed, but its file _version.py is missing; {REMEDY}") from error
    wanted = importlib.import_module("exactdot._version").version
    if version != wanted:
        raise ImportError(f"exactdot {wanted} and exactdot-cu13 {version} are installed, but their versions must be the same: "
                          f"pip install 'exactdot[cu13]=={wanted}', or pip uninstall exactdot-cu13")
    spec = PathFinder.find_spec("exactdot._engine", package.__path__)
    if spec is None or spec.loader is None:
        raise ImportError(f"exactdot-cu13 is installed, but its extension is missing; {REMEDY}")
    try:
        engine = module_from_spec(spec)
        sys.modules["exactdot._engine"] = engine
        spec.loader.exec_module(engine)
    except ImportError as error:
        sys.modules.pop("exactdot._engine", None)
        raise ImportError(f"the extension of exactdot-cu13 cannot be loaded: {error}; {REMEDY}") from error
    return engine


found = find_package()
if found is not None:
    setattr(exactdot, "_engine", load_engine(found))
