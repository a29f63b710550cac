"""The Conan recipe: the C++ library of the sources that hold this file, static or shared, for the CPU.

`conan create packaging/conan --build=missing -s compiler.cppstd=20` builds it. Version and licence are those of
CMakeLists.txt, which the recipe exports with itself.
"""
import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

HERE = pathlib.Path(__file__).parent
ROOT = HERE if (HERE / "CMakeLists.txt").exists() else HERE.parents[1]
PROJECT = (ROOT / "CMakeLists.txt").read_text()
LEFT_OUT = ("PROGRAM", "C", "MPI", "SIMT", "CUDA", "TESTS", "BENCH")


class Exactdot(ConanFile):
    name = "exactdot"
    version = re.search(r"^project\(exactdot VERSION (\S+)", PROJECT, re.MULTILINE)[1]
    license = re.search(r"^set\(EXACTDOT_LICENSE (\S+)\)", PROJECT, re.MULTILINE)[1]
    description = re.search(r'^  DESCRIPTION "(.*)"\)', PROJECT, re.MULTILINE)[1]
    homepage = url = next(iter(re.findall(r'^  HOMEPAGE_URL "(.*)"', PROJECT, re.MULTILINE)), None)
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def export(self):
        copy(self, "CMakeLists.txt", ROOT, self.export_folder)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, ROOT, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("highway/[>=1.0.3 <2]")

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("exactdot is tested on Linux only")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({f"EXACTDOT_BUILD_{part}": False for part in LEFT_OUT})
        toolchain.generate()
        dependencies = CMakeDeps(self)
        dependencies.set_property("highway", "cmake_file_name", "hwy")  # as Highway's own package is named
        dependencies.set_property("highway", "cmake_target_name", "hwy::hwy")
        dependencies.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder, "licenses"))
        for folder in ("lib/cmake", "lib/pkgconfig", "share"):  # Conan writes these for what it has installed
            rmdir(self, pathlib.Path(self.package_folder, folder))

    def package_info(self):
        self.cpp_info.libs = ["exactdot"]
        self.cpp_info.system_libs = ["pthread", "dl"]
