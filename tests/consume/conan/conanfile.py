# Conan 2: `conan create tests/consume/conan`, from the root of the project.
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout

required_conan_version = ">=2"


class Bellamy(ConanFile):
    name = "bellamy"
    license = "MIT"
    description = "Predicts runtimes of Spark and Flink jobs over scale-outs"
    topics = ("spark", "flink", "scheduling", "runtime-prediction", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):  # it stands in version.hpp and nowhere else
        path = os.path.join(self._root, "include", "bellamy", "version.hpp")
        self.version = re.search(r'define BELLAMY_VERSION "([^"]+)"', load(self, path)).group(1)

    def export_sources(self):
        copy(self, "LICENSE", self._root, self.export_sources_folder)
        copy(self, "*.h*", os.path.join(self._root, "include"), os.path.join(self.export_sources_folder, "include"))

    def layout(self):
        basic_layout(self)

    def requirements(self):
        self.requires("eigen/[>=3.4 <6]", transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.h*", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
        self.cpp_info.set_property("cmake_file_name", "bellamy")
        self.cpp_info.set_property("cmake_target_name", "bellamy::bellamy")
        self.cpp_info.set_property("pkg_config_name", "bellamy")
