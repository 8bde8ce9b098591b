# Two units of a consumer with different instructions in one program, in both link orders: those that predict work; those that
# learn are refused by the linker, since Eigen's functions would crash.
file(STRINGS /proc/cpuinfo wide REGEX "flags.* avx2" LIMIT_COUNT 1)
if(NOT wide)
  message("skipped: no AVX2 on this machine")
  return()
endif()
file(REMOVE_RECURSE ${directory})
file(MAKE_DIRECTORY ${directory})
separate_arguments(flags UNIX_COMMAND "${flags}")
set(narrow)
set(wide -march=x86-64-v3)

function(compile unit source instructions)
  execute_process(COMMAND ${compiler} ${flags} ${${instructions}} -c ${source} -o ${unit}_${instructions}.o
                  WORKING_DIRECTORY ${directory} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

compile(main ${source}/main.cpp narrow)
compile(forecast ${source}/forecast.cpp wide)
foreach(units IN ITEMS "main_narrow.o;forecast_wide.o" "forecast_wide.o;main_narrow.o")
  execute_process(COMMAND ${compiler} ${units} -pthread -o consumer WORKING_DIRECTORY ${directory} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${directory}/consumer COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Whatever trains includes this header, and more that takes longer to compile.
file(WRITE ${directory}/one.cpp "#include <bellamy/detail/base/eigen.hpp>\nint main() {}\n")
file(WRITE ${directory}/other.cpp "#include <bellamy/detail/base/eigen.hpp>\n")
compile(one ${directory}/one.cpp narrow)
compile(other ${directory}/other.cpp narrow)
compile(other ${directory}/other.cpp wide)
execute_process(COMMAND ${compiler} one_narrow.o other_narrow.o -o alike WORKING_DIRECTORY ${directory} COMMAND_ERROR_IS_FATAL ANY)
foreach(units IN ITEMS "one_narrow.o;other_wide.o" "other_wide.o;one_narrow.o")
  execute_process(COMMAND ${compiler} ${units} -o mixed WORKING_DIRECTORY ${directory} RESULT_VARIABLE refused ERROR_VARIABLE why)
  if(NOT refused OR NOT why MATCHES "units_that_train_must_agree_on_avx")
    message(FATAL_ERROR "expected the linker to refuse units that train with different instructions, found: ${why}")
  endif()
endforeach()
