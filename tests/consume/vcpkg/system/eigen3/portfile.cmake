# The headers in EIGEN_INCLUDE, of version EIGEN_VERSION, as a package.
file(INSTALL "$ENV{EIGEN_INCLUDE}/Eigen" "$ENV{EIGEN_INCLUDE}/unsupported"
     DESTINATION "${CURRENT_PACKAGES_DIR}/include/eigen3")
file(WRITE "${CURRENT_PACKAGES_DIR}/share/eigen3/Eigen3Config.cmake" [[
if(NOT TARGET Eigen3::Eigen)
  add_library(Eigen3::Eigen INTERFACE IMPORTED)
  set_target_properties(Eigen3::Eigen PROPERTIES
                        INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_LIST_DIR}/../../include/eigen3)
endif()
]])
file(WRITE "${CURRENT_PACKAGES_DIR}/share/eigen3/Eigen3ConfigVersion.cmake" "set(PACKAGE_VERSION $ENV{EIGEN_VERSION})\n")
file(WRITE "${CURRENT_PACKAGES_DIR}/share/pkgconfig/eigen3.pc" "prefix=\${pcfiledir}/../..
Name: Eigen3
Description: The system's Eigen
Version: $ENV{EIGEN_VERSION}
Cflags: -I\${prefix}/include/eigen3
")
file(WRITE "${CURRENT_PACKAGES_DIR}/share/eigen3/copyright" "MPL-2.0, see the headers.\n")
