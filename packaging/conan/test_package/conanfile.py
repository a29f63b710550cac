"""Builds examples/cmake/find_package with the package, and runs it."""
import pathlib

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout

EXAMPLE = pathlib.Path(__file__).parents[3] / "examples/cmake/find_package"


class TestPackage(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=str(EXAMPLE))
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(f'"{self.build_folder}/hello_dot"', env="conanrun")
