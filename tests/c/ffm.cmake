# Fails unless the Java `program`, over the `library`, prints what the C program `quickstart` prints, and then a refusal.
execute_process(COMMAND ${quickstart} OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${java} --enable-native-access=ALL-UNNAMED ${program} ${library}
                OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
set(refusal "Refused: invalid_probability: expected a probability between 0 and 1, found 1.5\n")
if(NOT found STREQUAL "${expected}${refusal}")
  message(FATAL_ERROR "expected\n${expected}${refusal}found\n${found}")
endif()
