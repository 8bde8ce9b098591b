# Installs bellamy from `source` below `directory`, then moves it: what is installed must not know where it was made.
file(REMOVE_RECURSE ${directory})
foreach(command IN ITEMS
    "-S;${source};-B;${directory}/build;${settings};-DBELLAMY_BUILD_TESTS=OFF;-DBELLAMY_BUILD_EXAMPLES=OFF;-DBELLAMY_BUILD_BENCH=OFF"
    "--install;${directory}/build;--prefix;${directory}/staging")
  execute_process(COMMAND ${CMAKE_COMMAND} ${command} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(RENAME ${directory}/staging ${directory}/prefix)

file(GLOB_RECURSE package ${directory}/prefix/*.cmake ${directory}/prefix/*.pc)
foreach(path IN LISTS package)
  file(READ ${path} content)
  foreach(place IN ITEMS ${source} ${directory})
    string(FIND "${content}" "${place}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "expected no place of this machine in ${path}, found ${place}")
    endif()
  endforeach()
endforeach()

# Every public header, and all that they include.
set(include ${directory}/prefix/include)
file(GLOB public RELATIVE ${source}/include ${source}/include/bellamy/*.hpp ${source}/include/bellamy/baseline/*.hpp
  ${source}/include/bellamy/models/*.hpp ${source}/include/bellamy/placement/*.hpp
  ${source}/include/bellamy/*.h ${source}/include/bellamy/c/*.h)
file(GLOB_RECURSE installed RELATIVE ${include} ${include}/*)
foreach(header IN LISTS installed)
  file(STRINGS ${include}/${header} lines REGEX "^#include <bellamy/")
  string(REGEX MATCHALL "bellamy/[^>]+" included "${lines}")
  list(APPEND public ${included})
endforeach()
list(REMOVE_ITEM public ${installed})
if(public)
  message(FATAL_ERROR "expected these headers among those installed, found none: ${public}")
endif()
