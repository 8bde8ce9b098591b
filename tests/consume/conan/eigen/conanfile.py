# The Eigen of this machine as a package of Conan's, where no remote is reachable. EIGEN_INCLUDE says where its headers are,
# EIGEN_VERSION which they are.
import os

from conan import ConanFile


class Eigen(ConanFile):
    name = "eigen"
    package_type = "header-library"

    def set_version(self):
        self.version = os.environ["EIGEN_VERSION"]

    def package_info(self):
        self.cpp_info.includedirs = [os.environ["EIGEN_INCLUDE"]]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "Eigen3")
        self.cpp_info.set_property("cmake_target_name", "Eigen3::Eigen")
        self.cpp_info.set_property("pkg_config_name", "eigen3")
