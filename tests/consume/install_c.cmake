# Builds the C library of `source`, without optimisation, and installs it below `directory`; then compiles the C program of
# examples/c with what pkg-config says, and runs it.
find_program(c_compiler NAMES cc gcc clang)
find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT c_compiler OR NOT pkg_config)
  message("skipped: no C compiler or no pkg-config on this machine (Debian: apt-get install gcc pkg-config)")
  return()
endif()
file(REMOVE_RECURSE ${directory})
separate_arguments(settings UNIX_COMMAND "${settings}")
foreach(arguments IN ITEMS
    "-S;${source};-B;${directory}/build;${settings};-DCMAKE_BUILD_TYPE=Debug;-DCMAKE_CXX_FLAGS_DEBUG=-O0;-DBELLAMY_BUILD_TESTS=OFF;-DBELLAMY_BUILD_EXAMPLES=OFF;-DBELLAMY_BUILD_BENCH=OFF;-DCMAKE_INSTALL_LIBDIR=lib"
    "--build;${directory}/build;--target;bellamy_c_library"
    "--install;${directory}/build;--component;c;--prefix;${directory}/staging")
  execute_process(COMMAND ${CMAKE_COMMAND} ${arguments} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# Moved: what is installed must not know where it was made.
file(RENAME ${directory}/staging ${directory}/prefix)
set(ENV{PKG_CONFIG_PATH} ${directory}/prefix/lib/pkgconfig)
execute_process(COMMAND sh -c "${c_compiler} -std=c11 ${source}/examples/c/quickstart.c $(${pkg_config} --cflags --libs bellamy-c) -Wl,-rpath,${directory}/prefix/lib -o quickstart"
                WORKING_DIRECTORY ${directory} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${directory}/quickstart OUTPUT_VARIABLE answer COMMAND_ERROR_IS_FATAL ANY)
if(NOT answer MATCHES "About [0-9]+ s, and [0-9]+ s or less in nine of ten runs")
  message(FATAL_ERROR "expected an answer, found: ${answer}")
endif()
