# Compiles the one unit `source` with nothing but a line of `compiler` and `flags`, into an empty `directory`, and runs it,
# unless -fsyntax-only is among them. Where `needs` names what not every machine has, the header `sign`
# must first be found with these flags.
cmake_minimum_required(VERSION 3.24)  # for IN_LIST
if(NOT compiler)
  message("skipped: no such compiler on this machine (Debian: apt-get install g++ clang)")
  return()
endif()
file(REMOVE_RECURSE ${directory})
file(MAKE_DIRECTORY ${directory})
separate_arguments(flags UNIX_COMMAND "${flags}")
if(needs)
  file(WRITE ${directory}/empty.cpp "#include <${sign}>\nint main() {}\n")
  execute_process(COMMAND ${compiler} -fsyntax-only ${flags} ${directory}/empty.cpp RESULT_VARIABLE lacking ERROR_QUIET)
  if(lacking)
    message("skipped: no ${needs} on this machine")
    return()
  endif()
endif()
execute_process(COMMAND ${compiler} ${flags} ${source} -o ${directory}/consumer COMMAND_ERROR_IS_FATAL ANY)
if("-fsyntax-only" IN_LIST flags)
  return()
endif()
execute_process(COMMAND ${directory}/consumer COMMAND_ERROR_IS_FATAL ANY)
