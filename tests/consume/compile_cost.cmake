# What it costs to include bellamy, and to use it: template instantiations of what clang needs to check a unit, and lines after
# preprocessing, against limits; they do not depend on the machine, but on the compiler, its standard library and Eigen, so that
# they are compared for one set of versions only. Seconds of CPU time do depend on it: they are told, and compared with those of a
# unit that includes Eigen/Dense, taken in the same run. bench/results/compile_cost.json has what is printed here.
if(NOT compiler)
  message("skipped: no clang++ on this machine (Debian: apt-get install clang)")
  return()
endif()
# A compiler cache compiles nothing, the second time.
set(ENV{CCACHE_DISABLE} 1)
file(REMOVE_RECURSE ${directory})
file(MAKE_DIRECTORY ${directory})
# <unit>;<most instantiations>;<most lines>;<most tenths of the time that Eigen alone takes>;<includes>
# Counts are kept closely. Times differ by a third beside other tests: their limits have room for that.
set(eigen "Eigen alone" 4000 106000 10 Eigen/Dense)  # first: the others are compared with it
set(ask "choose from curves" 3400 40000 7 bellamy/choose.hpp)
set(predict "load, condition, choose" 33500 57000 38 bellamy/serialize.hpp bellamy/choose.hpp)
set(everything "everything" 113000 129500 150 bellamy/bellamy.hpp)
# Optimised, likewise against Eigen alone: the ten lines, a unit that includes everything and learns, and both where the library is
# compiled; and the unit that has all definitions for the others.
set(optimised_ten_lines "the ten lines, optimised" 190 ${program})
set(optimised_linked "the ten lines, optimised, with the compiled library" 24 -DBELLAMY_COMPILED ${program})
set(optimised_header_learning "a unit that learns, optimised" 330 ${learning_program})
set(optimised_definitions "the unit of all definitions, optimised" 740 -DBELLAMY_COMPILED ${directory}/definitions.cpp)
set(optimised_learning "a unit that learns, optimised, with the compiled library" 44 -DBELLAMY_COMPILED ${learning_program})

file(WRITE ${directory}/versions.cpp "#include <string>\n#include <Eigen/Core>\nVERSIONS __clang_major__ _GLIBCXX_RELEASE EIGEN_WORLD_VERSION EIGEN_MAJOR_VERSION\n")
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND ${compiler} ${flags} -E -P versions.cpp WORKING_DIRECTORY ${directory} OUTPUT_VARIABLE versions
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "VERSIONS [^\n]*" versions "${versions}")
if(NOT versions STREQUAL expected)
  message("skipped: the counts are those of ${expected}, found ${versions}")
  return()
endif()

# measure(<result> <argument>...): milliseconds of CPU time that the compiler takes, of its own.
function(measure result)
  string(REPLACE ";" " " arguments "${ARGN}")
  execute_process(COMMAND sh -c "${compiler} ${arguments} && times" OUTPUT_VARIABLE told WORKING_DIRECTORY ${directory}
                  COMMAND_ERROR_IS_FATAL ANY)
  # The second line is that of the children: user, system.
  if(NOT told MATCHES "\n([0-9]+)m([0-9]+)[.]([0-9][0-9])[0-9]*s ")
    message(FATAL_ERROR "expected times of the shell, found: ${told}")
  endif()
  math(EXPR ms "(${CMAKE_MATCH_1} * 60 + ${CMAKE_MATCH_2}) * 1000 + 1${CMAKE_MATCH_3} * 10 - 1000")
  set(${result} ${ms} PARENT_SCOPE)
endfunction()

# expect_at_most(<most tenths of Eigen's> <ms> <Eigen's ms> <what>)
function(expect_at_most most_tenths ms eigen_ms what)
  math(EXPR tenths "10 * ${ms} / ${eigen_ms}")
  message("${what}: ${ms} ms of CPU time, ${tenths} tenths of what Eigen alone takes")
  if(tenths GREATER most_tenths)
    message(SEND_ERROR "${what}: expected at most ${most_tenths} tenths of the time of Eigen alone, found ${tenths}")
  endif()
endfunction()

foreach(unit IN ITEMS eigen ask predict everything)
  list(POP_FRONT ${unit} name most_instantiations most_lines most_tenths)
  set(own ${directory}/${unit})
  file(MAKE_DIRECTORY ${own})
  file(WRITE ${own}/unit.cpp "")
  foreach(header IN LISTS ${unit})
    file(APPEND ${own}/unit.cpp "#include <${header}>\n")
  endforeach()
  measure(ms ${flags} -fsyntax-only ${own}/unit.cpp)
  if(NOT DEFINED eigen_ms)
    set(eigen_ms ${ms})
  endif()
  expect_at_most(${most_tenths} ${ms} ${eigen_ms} ${name})
  execute_process(COMMAND ${compiler} ${flags} -fsyntax-only -ftime-trace -ftime-trace-granularity=0 unit.cpp
                  WORKING_DIRECTORY ${own} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB trace ${own}/*.json ${own}/.json)
  file(READ ${trace} events)
  string(REGEX MATCHALL "\"name\":\"Instantiate(Class|Function)\"" instantiations "${events}")
  list(LENGTH instantiations instantiations)
  execute_process(COMMAND ${compiler} ${flags} -E -P unit.cpp WORKING_DIRECTORY ${own} OUTPUT_FILE ${own}/lines
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${own}/lines text)
  string(REGEX MATCHALL "\n" lines "${text}")
  list(LENGTH lines lines)
  message("${name}: ${instantiations} instantiations, ${lines} lines")
  foreach(count IN ITEMS instantiations lines)
    if(${count} GREATER most_${count})
      message(SEND_ERROR "${name}: expected at most ${most_${count}} ${count}, found ${${count}}")
    endif()
  endforeach()
endforeach()
file(WRITE ${directory}/definitions.cpp "#include <bellamy/definitions.hpp>\n")
foreach(unit IN ITEMS optimised_ten_lines optimised_header_learning optimised_definitions optimised_linked optimised_learning)
  list(POP_FRONT ${unit} name most_tenths)
  measure(ms ${flags} -O2 -c ${${unit}} -o program.o)
  expect_at_most(${most_tenths} ${ms} ${eigen_ms} ${name})
endforeach()
