# Configures the consumer `source` in an empty `directory`, builds it and runs it.
file(REMOVE_RECURSE ${directory})
set(ENV{CXXFLAGS})
set(ENV{LDFLAGS})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${directory} ${settings} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${directory} COMMAND_ERROR_IS_FATAL ANY)
find_program(consumer NAMES consumer PATHS ${directory} PATH_SUFFIXES Debug NO_DEFAULT_PATH REQUIRED)
execute_process(COMMAND ${consumer} COMMAND_ERROR_IS_FATAL ANY)

# One file compiled: our tests, examples and benchmarks are no business of a consumer. And without our flags: what is left of
# the command are include paths, the standard, and where things are.
file(READ ${directory}/compile_commands.json commands)
string(JSON files LENGTH "${commands}")
string(JSON command GET "${commands}" 0 command)
separate_arguments(words UNIX_COMMAND "${command}")
list(FILTER words INCLUDE REGEX "^-")
list(FILTER words EXCLUDE REGEX "^-(I.*|isystem|std=(gnu|c)\\+\\+20|o|c|pthread)$")
if(NOT files EQUAL 1 OR words)
  message(FATAL_ERROR "expected one file to be compiled without flags of ours, found ${files}, with: ${words}")
endif()
