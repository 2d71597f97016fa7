import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy


class Kroton(ConanFile):
    name = "kroton"
    license = "BSD-3-Clause"
    description = "Theano as template metaprogramming: a compiler for mathematical expressions"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    requires = "xtensor/0.24.7", "xsimd/8.1.0", "boost/1.81.0", "openblas/0.3.20", "zlib/[>=1.2 <2]"
    no_copy_source = True

    # It stands in one place, the header that users can ask.
    def set_version(self):
        header = Path(self.recipe_folder).parents[1] / "include/kroton/core/config.hpp"
        self.version = re.search(r'KROTON_VERSION "([0-9.]+)"', header.read_text())[1]

    def export_sources(self):
        root = Path(self.recipe_folder).parents[1]
        for pattern in "CMakeLists.txt", "LICENSE", "include/*", "cuda/include/*", "cmake/*", "packaging/*.in":
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in "TESTS", "EXAMPLES", "BENCHMARKS":
            toolchain.cache_variables[f"KROTON_BUILD_{option}"] = False
        toolchain.cache_variables["KROTON_RUNTIME"] = False
        toolchain.cache_variables["KROTON_CUDA"] = "OFF"
        toolchain.generate()
        CMakeDeps(self).generate()

    def package(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.install(component="headers")
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/kroton"]
