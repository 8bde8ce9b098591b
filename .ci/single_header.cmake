# Writes all of bellamy, below the folder `include`, into the one header `output`; Eigen stays outside. Each header stands where
# it is first included, with its own guard.
cmake_minimum_required(VERSION 3.24)  # for IN_LIST
file(READ ${license} license)
string(REGEX REPLACE "\n+$" "" license "${license}")
string(REGEX REPLACE "\n" "\n// " license "\n${license}")
string(REGEX REPLACE "// \n" "//\n" license "${license}")
file(READ ${include}/bellamy/version.hpp version)
string(REGEX MATCH "define BELLAMY_VERSION \"([^\"]+)\"" version "${version}")
set(version ${CMAKE_MATCH_1})

set(written)
set(text "// bellamy ${version} in one header, generated from its sources: change those. Learning needs Eigen >= 3.4 and < 6.
// SPDX-License-Identifier: MIT
//${license}
#ifndef BELLAMY_SINGLE_HEADER_HPP
#define BELLAMY_SINGLE_HEADER_HPP
")
function(write header)
  list(APPEND written ${header})
  file(READ ${include}/${header} rest)
  # One header is not for the compiled library: what it would define stands at the end of what declares it, always.
  string(REGEX REPLACE "#ifndef BELLAMY_COMPILED\n((#include [^\n]*\n)+)#endif\n" "\\1" rest "${rest}")
  set(own "\n// ${header}\n")
  set(conditions 0)
  string(FIND "${rest}" "#include <bellamy/" at)
  while(NOT at EQUAL -1)
    string(SUBSTRING "${rest}" 0 ${at} before)
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(REGEX MATCH "^#include <([^>]+)>\n?" line "${rest}")
    set(needed ${CMAKE_MATCH_1})
    string(LENGTH "${line}" length)
    string(SUBSTRING "${rest}" ${length} -1 rest)
    string(APPEND own "${before}")
    string(REGEX MATCHALL "#if" opened "${before}")
    string(REGEX MATCHALL "#endif" closed "${before}")
    list(LENGTH opened opened)
    list(LENGTH closed closed)
    math(EXPR conditions "${conditions} + ${opened} - ${closed}")
    if(conditions EQUAL 1)  # the guard; what is included under more conditions comes before them, for all who include it
      string(APPEND text "${own}")
      set(own)
    endif()
    if(NOT needed IN_LIST written)
      write(${needed})
    endif()
    string(FIND "${rest}" "#include <bellamy/" at)
  endwhile()
  string(APPEND text "${own}${rest}")
  set(written ${written} PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(GLOB headers RELATIVE ${include} ${include}/bellamy/*.hpp ${include}/bellamy/baseline/*.hpp)
list(REMOVE_ITEM headers bellamy/definitions.hpp)  # for programs whose headers are apart
foreach(header IN LISTS headers)
  if(NOT header IN_LIST written)
    write(${header})
  endif()
endforeach()
string(APPEND text "\n#endif\n")
file(WRITE ${output} "${text}")
