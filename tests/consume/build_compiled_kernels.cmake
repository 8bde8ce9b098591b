# Builds the compiled library's kernels of the lesser sets of instructions out of `source`, in an empty `directory`, with flags
# that allow the greatest.
file(REMOVE_RECURSE ${directory})
separate_arguments(settings UNIX_COMMAND "${settings}")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${directory} ${settings} -DCMAKE_CXX_FLAGS=-march=x86-64-v4
                -DBELLAMY_BUILD_EXAMPLES=OFF -DBELLAMY_BUILD_TESTS=OFF -DBELLAMY_BUILD_BENCH=OFF OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${directory} --target bellamy_kernels_sse2 bellamy_kernels_avx2
                COMMAND_ERROR_IS_FATAL ANY)
