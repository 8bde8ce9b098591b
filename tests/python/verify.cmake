# Installs the package of `source` into `directory` by pip, with a `library` that is built, and runs its tests, which compare it
# with the C++ `program`. Nothing is downloaded.
if(NOT python)
  find_program(python python3)
endif()
foreach(package IN ITEMS pip scikit_build_core nanobind numpy pandas pytest)
  if(python)
    execute_process(COMMAND ${python} -c "import ${package}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(failed OR NOT python)
    message("skipped: no Python with ${package} (pip install scikit-build-core nanobind numpy pandas pytest, and its path in "
            "BELLAMY_PYTHON; Debian: apt-get install python3-dev)")
    return()
  endif()
endforeach()
set(with_program --config-settings cmake.define.BELLAMY_PROGRAM=OFF)
if(program)
  set(with_program --config-settings cmake.define.BELLAMY_PROGRAM=${program})
endif()
file(REMOVE_RECURSE ${directory}/installed ${directory}/archive)
set(ENV{CXX} ${compiler})
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
execute_process(COMMAND ${python} -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --no-index
                        --target ${directory}/installed --config-settings build-dir=${directory}/build
                        --config-settings cmake.define.BELLAMY_C_LIBRARY=${library} ${with_program} ${source}/examples/python
                COMMAND_ERROR_IS_FATAL ANY)
set(ENV{PYTHONPATH} ${directory}/installed)
set(ENV{BELLAMY_LIBRARY_VERSION} ${version})
if(program)
  set(ENV{BELLAMY_PROGRAM} ${program})
endif()
execute_process(COMMAND ${python} -m pytest -q -rs -p no:cacheprovider --basetemp ${directory}/made ${source}/tests/python
                COMMAND_ERROR_IS_FATAL ANY)
