# Configures the consumer `source` in an empty `directory`, builds its `units` with its own `flags`, and runs it.
file(REMOVE_RECURSE ${directory})
set(ENV{CXXFLAGS})
set(ENV{LDFLAGS})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${directory} ${settings} "-DCMAKE_CXX_FLAGS=${flags}"
                        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${directory} COMMAND_ERROR_IS_FATAL ANY)
find_program(consumer NAMES consumer PATHS ${directory} PATH_SUFFIXES Debug NO_DEFAULT_PATH REQUIRED)
execute_process(COMMAND ${consumer} COMMAND_ERROR_IS_FATAL ANY)

# Its own units and no other: our tests, examples and benchmarks are no business of a consumer. And without our flags: what is
# left of each command are its own flags, include paths, the standard, where things are, and that the library is compiled.
file(READ ${directory}/compile_commands.json commands)
string(JSON files LENGTH "${commands}")
math(EXPR last "${files} - 1")
separate_arguments(own_flags UNIX_COMMAND "${flags}")
foreach(index RANGE ${last})
  string(JSON command GET "${commands}" ${index} command)
  separate_arguments(words UNIX_COMMAND "${command}")
  list(FILTER words INCLUDE REGEX "^-")
  list(FILTER words EXCLUDE REGEX "^-(I.*|isystem|std=(gnu|c)\\+\\+2[0-9a-z]|o|c|pthread|DBELLAMY_COMPILED(_KERNELS)?)$")
  if(own_flags)
    list(REMOVE_ITEM words ${own_flags})
  endif()
  if(NOT files EQUAL units OR words)
    message(FATAL_ERROR "expected ${units} units to be compiled without flags of ours, found ${files}, with: ${words}")
  endif()
endforeach()
