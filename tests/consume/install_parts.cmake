# Configures `source` where nothing but Eigen is installed, into an empty `directory`: the headers are installed all the same,
# and the parts that are left out say what they need. Those that are asked for are refused, with what to install.
file(REMOVE_RECURSE ${directory})
separate_arguments(settings UNIX_COMMAND "${settings}")
set(lacking -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_doctest=ON
    -DLIBCSV_LIBRARY=LIBCSV_LIBRARY-NOTFOUND)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${directory} ${settings} ${lacking} OUTPUT_VARIABLE told
                COMMAND_ERROR_IS_FATAL ANY)
foreach(words IN ITEMS "without examples, which need CLI11[^\n]*apt-get install libcli11-dev" "without bench"
    "without tests, which need doctest[^\n]*apt-get install doctest-dev")
  if(NOT told MATCHES "${words}")
    message(FATAL_ERROR "expected \"${words}\", found:\n${told}")
  endif()
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} --install ${directory} --prefix ${directory}/prefix OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
foreach(file IN ITEMS include/bellamy/choose.hpp include/bellamy/models/sort.hpp share/cmake/bellamy/bellamyConfig.cmake)
  if(NOT EXISTS ${directory}/prefix/${file})
    message(FATAL_ERROR "expected ${file} to be installed, found none")
  endif()
endforeach()
foreach(part IN ITEMS EXAMPLES TESTS)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${directory} -DBELLAMY_BUILD_${part}=ON RESULT_VARIABLE refused
                  OUTPUT_QUIET ERROR_VARIABLE told)
  if(NOT refused OR NOT told MATCHES "apt-get[ \n]+install")
    message(FATAL_ERROR "expected BELLAMY_BUILD_${part}=ON to be refused with what to install, found:\n${told}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${directory} -DBELLAMY_BUILD_${part}=OFF OUTPUT_QUIET)
endforeach()
