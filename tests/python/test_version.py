"""The version that the package and the extension give, and the floating-point environment that info() describes."""

import ctypes
import ctypes.util
import importlib.metadata
import platform
import re
from pathlib import Path

import pytest

import exactdot as xd

FE_UPWARD = {"x86_64": 0x800, "aarch64": 0x400000}


def test_the_version_is_that_of_pep_440_with_the_commit() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?(\+g[0-9a-f]{7,}(\.d[0-9a-f]{7})?)?", xd.__version__)
    assert xd.info()["version"] == xd.__version__


def test_the_installed_package_has_the_public_part_of_it() -> None:
    try:
        installed = importlib.metadata.version("exactdot")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("not installed as a package")
    assert installed == xd.__version__.partition("+")[0]


def test_the_files_of_the_project_agree() -> None:
    root = Path(__file__).parents[2]
    if not (root / "CMakeLists.txt").exists():
        pytest.skip("not in the sources")
    cmake = (root / "CMakeLists.txt").read_text()
    version = re.search(r"project\(exactdot VERSION ([0-9.]+)", cmake)
    suffix = re.search(r"PUBLIC_VERSION \$\{PROJECT_VERSION\}(\S*)\)", cmake)
    assert version and suffix and version[1] + suffix[1] == xd.__version__.partition("+")[0]
    named: list[tuple[str, str]] = []  # as a version, or as the one that another package needs
    for file in (root / "pyproject.toml", *sorted(root.glob("packaging/*/pyproject.toml"))):
        named += re.findall(r'^version = "([^"]+)"|"exactdot(?:-cu13)?==([^"]+)"', file.read_text(), re.MULTILINE)
    assert len(named) == 5 and {"".join(each) for each in named} == {version[1] + suffix[1]}


def test_info_describes_the_environment_of_the_thread() -> None:
    standard = {"rounding": "to_nearest", "flush_to_zero": False, "denormals_are_zero": False, "traps": False}
    assert xd.info()["environment"] == standard

    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    values = [0.1] * 10
    exact = xd.sum(values)
    try:
        libm.fesetround(FE_UPWARD[platform.machine()])
        described, found = xd.info()["environment"], (xd.sum(values), xd.sum(values, mode="fast"))
    finally:
        libm.fesetround(0)
    assert described == {**standard, "rounding": "upward"}
    assert found == (exact, xd.sum(values, mode="fast"))
