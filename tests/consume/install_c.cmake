# Installs the C library of `build` below `directory`; then compiles the C program of examples/c with what pkg-config says, and runs it.
find_program(c_compiler NAMES cc gcc clang)
find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT c_compiler OR NOT pkg_config)
  message("skipped: no C compiler or no pkg-config on this machine (Debian: apt-get install gcc pkg-config)")
  return()
endif()
file(REMOVE_RECURSE ${directory})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --component c --prefix ${directory}/staging COMMAND_ERROR_IS_FATAL ANY)
# Moved: what is installed must not know where it was made.
file(RENAME ${directory}/staging ${directory}/prefix)
set(ENV{PKG_CONFIG_PATH} ${directory}/prefix/${libraries}/pkgconfig)
execute_process(COMMAND sh -c "${c_compiler} -std=c11 ${source}/examples/c/quickstart.c $(${pkg_config} --cflags --libs bellamy-c) -Wl,-rpath,${directory}/prefix/${libraries} -o quickstart"
                WORKING_DIRECTORY ${directory} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${directory}/quickstart OUTPUT_VARIABLE answer COMMAND_ERROR_IS_FATAL ANY)
if(NOT answer MATCHES "About [0-9]+ s, and [0-9]+ s or less in nine of ten runs")
  message(FATAL_ERROR "expected an answer, found: ${answer}")
endif()
