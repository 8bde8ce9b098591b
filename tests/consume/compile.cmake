# Compiles the one unit `source` with nothing but a line of `compiler` and `flags`, into an empty `directory`, and runs it.
if(NOT compiler)
  message("skipped: no such compiler on this machine")
  return()
endif()
file(REMOVE_RECURSE ${directory})
file(MAKE_DIRECTORY ${directory})
execute_process(COMMAND ${compiler} ${flags} ${source} -o ${directory}/consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${directory}/consumer COMMAND_ERROR_IS_FATAL ANY)
