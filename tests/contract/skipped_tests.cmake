# What tests/run makes of a log of ctest in which tests were skipped in each of the four ways.
set(log "Start testing: Nov 27 00:00
----------------------------------------------------------
1/5 Testing: a script
1/5 Test: a script
Output:
skipped: no Conan on this machine (pip install conan)
2/5 Testing: a picture is drawn
Output:
/source/tests/plot_test.cpp:18: MESSAGE: skipped: no gnuplot here (Debian: apt-get install gnuplot-nox)
/source/tests/plot_test.cpp:18: MESSAGE: skipped: no gnuplot here (Debian: apt-get install gnuplot-nox)
[doctest] test cases: 1 | 1 passed | 0 failed | 1338 skipped
3/5 Testing: another picture is drawn
Output:
/source/tests/plot_test.cpp:80: MESSAGE: skipped: no gnuplot here (Debian: apt-get install gnuplot-nox)
4/5 Testing: the package
Output:
SKIPPED [1] ../../tests/python/package_test.py:64: could not import 'mypy'
5/5 Testing: whole
Output:
<< skipped: no Eigen 5
")
set(expected "  skipped: no Conan on this machine (pip install conan)
    a script
  skipped: no gnuplot here (Debian: apt-get install gnuplot-nox)
    a picture is drawn
    another picture is drawn
  skipped: could not import 'mypy'
    the package
  skipped: no Eigen 5
    whole
")
string(RANDOM LENGTH 12 name)
set(file $ENV{TMPDIR})
if(NOT file)
  set(file /tmp)
endif()
string(APPEND file "/bellamy-skipped-${name}")
file(WRITE ${file} "${log}")
execute_process(COMMAND ${awk} -f ${source}/support/skipped_tests.awk ${file} OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${file})
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "expected\n${expected}found\n${found}")
endif()
file(STRINGS ${source}/run lines REGEX "support/skipped_tests.awk build/Testing/Temporary/LastTest.log[)] [|][|] true")
if(NOT lines)
  message(FATAL_ERROR "expected tests/run to list skipped tests by skipped_tests.awk, and to go on where ctest left no log, found no such line")
endif()
