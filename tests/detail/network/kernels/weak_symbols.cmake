# Fails where the object file of one set of instructions has weak symbols that carry no name of that set: the linker might keep
# them for units of other instructions.
execute_process(COMMAND ${nm} --demangle ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+ [WVu] [^\n]+" weak "${symbols}")
if(NOT weak)
  message(FATAL_ERROR "expected weak symbols in ${object}, found none: is this the right file?")
endif()
foreach(symbol IN LISTS weak)
  # The exception personality is a pointer, without instructions.
  if(NOT symbol MATCHES "::${isa}::" AND NOT symbol MATCHES "DW\\.ref\\.")
    message(FATAL_ERROR "expected weak symbols of ${isa} only, found ${symbol}")
  endif()
endforeach()
