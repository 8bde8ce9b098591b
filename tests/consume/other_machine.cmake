# Fails unless the package installed below `prefix` suits machines of any word size: headers are made for none in particular.
cmake_minimum_required(VERSION 3.24)  # for the meaning of if(TRUE) in the file included
set(PACKAGE_FIND_VERSION ${version})
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" major_minor ${version})
set(PACKAGE_FIND_VERSION_MAJOR ${CMAKE_MATCH_1})
set(PACKAGE_FIND_VERSION_MINOR ${CMAKE_MATCH_2})
foreach(bytes IN ITEMS 4 8)
  set(CMAKE_SIZEOF_VOID_P ${bytes})
  set(PACKAGE_VERSION_UNSUITABLE FALSE)
  include(${prefix}/share/cmake/bellamy/bellamyConfigVersion.cmake)
  if(PACKAGE_VERSION_UNSUITABLE OR NOT PACKAGE_VERSION_COMPATIBLE)
    message(FATAL_ERROR "expected ${PACKAGE_VERSION} to suit machines with pointers of ${bytes} bytes, found that it does not")
  endif()
endforeach()
