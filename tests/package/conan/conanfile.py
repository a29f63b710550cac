"""The system's Highway under the name of ConanCenter's recipe, so that the test needs no remote."""
from conan import ConanFile


class Highway(ConanFile):
    name = "highway"
    version = "1.0.3"

    def package_info(self):
        self.cpp_info.includedirs = []
        self.cpp_info.system_libs = ["hwy"]
