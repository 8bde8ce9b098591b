# Fails unless the Java `program`, over the `library`, prints what the C program `quickstart` prints, and then a refusal.
execute_process(COMMAND ${quickstart} OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${java} --enable-native-access=ALL-UNNAMED ${program} ${library}
                OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
set(refusal "Refused: invalid_scale_out: expected a scale-out from 1 to 1000000, found 0\n")
if(NOT found STREQUAL "${expected}${refusal}")
  message(FATAL_ERROR "expected\n${expected}${refusal}found\n${found}")
endif()
