# Builds the native library for the processors of Linux that this machine does not have, where Debian's cross compiler for one is
# installed; `directory` is that of the machine's own build, `output` as BELLAMY_JNI_OUTPUT.
cmake_minimum_required(VERSION 3.24)
cmake_host_system_information(RESULT own QUERY OS_PLATFORM)
foreach(processor IN ITEMS x86_64 aarch64)
  if(processor STREQUAL own)
    continue()
  endif()
  string(REPLACE _ - package ${processor})
  find_program(compiler_${processor} ${processor}-linux-gnu-g++)
  if(NOT compiler_${processor})
    message("skipped: no native library for linux-${processor}, which needs ${processor}-linux-gnu-g++ (Debian: apt-get install g++-${package}-linux-gnu)")
    continue()
  endif()
  set(build ${directory}-${processor})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${build} -DCMAKE_BUILD_TYPE=Release
                          -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${processor}
                          -DCMAKE_CXX_COMPILER=${compiler_${processor}} -DJAVA_HOME=${java_home} -DBELLAMY_JNI_OUTPUT=${output}
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
