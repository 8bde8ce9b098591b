# Runs the portfile of `source` below `directory` with stand-ins for vcpkg's functions, and fails unless it leaves files where
# vcpkg's lint wants them; and unless a copy of the port says what it misses. It shows nothing of vcpkg itself.
cmake_minimum_required(VERSION 3.24)
separate_arguments(settings UNIX_COMMAND "${settings}")
set(CURRENT_PACKAGES_DIR ${directory}/packages)
set(PORT bellamy)

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 own "" SOURCE_PATH OPTIONS)
  foreach(kind IN ITEMS release debug)
    set(prefix ${CURRENT_PACKAGES_DIR})
    if(kind STREQUAL debug)
      set(prefix ${prefix}/debug)
    endif()
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${own_SOURCE_PATH} -B ${directory}/${kind} ${settings} ${own_OPTIONS}
                            -DCMAKE_BUILD_TYPE=${kind} -DCMAKE_INSTALL_PREFIX=${prefix}
                    COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  endforeach()
endfunction()
function(vcpkg_cmake_install)
  foreach(kind IN ITEMS release debug)
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${directory}/${kind} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  endforeach()
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 own "" CONFIG_PATH "")
  file(RENAME ${CURRENT_PACKAGES_DIR}/${own_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/share/cmake ${CURRENT_PACKAGES_DIR}/debug/share/cmake)
endfunction()
function(vcpkg_fixup_pkgconfig)
  # Headers are installed once, for both.
  file(READ ${CURRENT_PACKAGES_DIR}/debug/lib/pkgconfig/bellamy.pc text)
  string(REPLACE [[${prefix}/include]] [[${prefix}/../include]] text "${text}")
  file(WRITE ${CURRENT_PACKAGES_DIR}/debug/lib/pkgconfig/bellamy.pc "${text}")
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 own "" "" FILE_LIST)
  configure_file(${own_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright COPYONLY)
endfunction()

if(copied)  # the copy that this very script was called with
  include(${copied})
  return()
endif()
file(REMOVE_RECURSE ${directory})
include(${source}/tests/consume/vcpkg/ports/bellamy/portfile.cmake)

file(GLOB_RECURSE files LIST_DIRECTORIES true RELATIVE ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/*)
list(FILTER files EXCLUDE REGEX "^include/bellamy/")
list(SORT files)
set(wanted debug debug/lib debug/lib/pkgconfig debug/lib/pkgconfig/bellamy.pc include include/bellamy lib lib/pkgconfig
    lib/pkgconfig/bellamy.pc share share/bellamy share/bellamy/bellamyConfig.cmake share/bellamy/bellamyConfigVersion.cmake
    share/bellamy/bellamyTargets.cmake share/bellamy/copyright)
if(NOT files STREQUAL wanted OR NOT EXISTS ${CURRENT_PACKAGES_DIR}/include/bellamy/version.hpp)
  message(FATAL_ERROR "expected ${wanted}, found ${files}")
endif()
find_program(pkg_config pkg-config)
foreach(kind IN ITEMS lib debug/lib)
  if(pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/${kind}/pkgconfig)
    execute_process(COMMAND ${pkg_config} --variable=includedir bellamy OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE
                    COMMAND_ERROR_IS_FATAL ANY)
    if(NOT EXISTS ${found}/bellamy/version.hpp)
      message(FATAL_ERROR "expected the headers where ${kind}/pkgconfig/bellamy.pc says, found none in ${found}")
    endif()
  endif()
endforeach()

file(COPY ${source}/tests/consume/vcpkg/ports/bellamy DESTINATION ${directory}/a/b/c/d/e)
execute_process(COMMAND ${CMAKE_COMMAND} -Ddirectory=${directory}/copy -Dcopied=${directory}/a/b/c/d/e/bellamy/portfile.cmake
                        -P ${CMAKE_CURRENT_LIST_FILE}
                RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_QUIET)
string(REGEX REPLACE "[ \n]+" " " said "${said}")
if(NOT failed OR NOT said MATCHES "misses [^ ]*/include/bellamy/version.hpp.*of a clone of bellamy")
  message(FATAL_ERROR "expected a copy of the port to say what it misses, found: ${said}")
endif()
