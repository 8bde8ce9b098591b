# Used as an overlay from within bellamy's own tree: vcpkg install --overlay-ports=<bellamy>/tests/consume/vcpkg/ports
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../../.." ABSOLUTE)
if(NOT EXISTS "${SOURCE_PATH}/include/bellamy/version.hpp")
  message(FATAL_ERROR "This port builds the tree of bellamy that it is in, and misses ${SOURCE_PATH}/include/bellamy/version.hpp: "
                      "name tests/consume/vcpkg/ports of a clone of bellamy as the overlay, not a copy of it.")
endif()
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DBELLAMY_BUILD_TESTS=OFF -DBELLAMY_BUILD_EXAMPLES=OFF -DBELLAMY_BUILD_BENCH=OFF -DBELLAMY_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/bellamy)
# With Libs, which vcpkg does not take in share.
foreach(folder IN ITEMS "${CURRENT_PACKAGES_DIR}" "${CURRENT_PACKAGES_DIR}/debug")
  if(EXISTS "${folder}/share/pkgconfig/bellamy.pc")
    file(MAKE_DIRECTORY "${folder}/lib")
    file(RENAME "${folder}/share/pkgconfig" "${folder}/lib/pkgconfig")
  endif()
endforeach()
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
     "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
