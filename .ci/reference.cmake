# Makes the reference of the public headers, below `include`, into `directory`/html, with examples that link to what they use and
# are linked from there; what Doxygen warns about is an error. Where `compiled` names sources, the examples must be among them.
cmake_minimum_required(VERSION 3.24)
set(examples quickstart.cpp tutorial.cpp scheduler.cpp c/quickstart.c)
separate_arguments(compiled UNIX_COMMAND "${compiled}")
get_filename_component(example_folder ${include}/../examples ABSOLUTE)
foreach(example IN LISTS examples)
  if(compiled AND NOT example IN_LIST compiled)
    message(FATAL_ERROR "expected the examples of the reference among those that are compiled, ${compiled}, found ${example}")
  endif()
endforeach()
find_program(doxygen doxygen)
if(NOT doxygen)
  message("skipped: no Doxygen on this machine (Debian: apt-get install doxygen)")
  return()
endif()
set(pages "/** @mainpage bellamy ${version}
Start with a file of the list of files: each header says what it is for. What is shared between threads, allocates or throws is
said at each function.\n")
foreach(example IN LISTS examples)
  string(APPEND pages "@li @ref ${example}\n")
endforeach()
string(APPEND pages "*/\n")
foreach(example IN LISTS examples)
  # The first comment of an example says what it shows.
  file(READ ${example_folder}/${example} first)
  string(REGEX MATCH "^(// [^\n]*\n)+" first "${first}")
  string(REGEX REPLACE "(^|\n)// " "\\1" first "${first}")
  string(APPEND pages "/** @example ${example}\n${first}*/\n")
endforeach()
file(WRITE ${directory}/pages.dox "${pages}")
file(WRITE ${directory}/Doxyfile "
PROJECT_NAME = bellamy
PROJECT_NUMBER = ${version}
OUTPUT_DIRECTORY = \"${directory}\"
INPUT = \"${directory}/pages.dox\" \"${include}/bellamy\" \"${include}/bellamy/baseline\" \"${include}/bellamy/c\" \"${include}/bellamy/placement\"
FILE_PATTERNS = *.hpp *.h
EXAMPLE_PATH = \"${example_folder}\"
STRIP_FROM_PATH = \"${include}\"
EXCLUDE_SYMBOLS = *::detail*
EXTRACT_ALL = YES
JAVADOC_AUTOBRIEF = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
INPUT_FILTER = \"sed -e 's,inline namespace BELLAMY_ABI {,,' -e 's,^}},},'\"
PREDEFINED = BELLAMY_C_API= BELLAMY_C_NOEXCEPT=
EXPAND_AS_DEFINED = BELLAMY_ERROR_LIST BELLAMY_ENTRY
INCLUDE_PATH = \"${include}\"
GENERATE_LATEX = NO
HAVE_DOT = NO
QUIET = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
")
execute_process(COMMAND ${doxygen} ${directory}/Doxyfile COMMAND_ERROR_IS_FATAL ANY)
if(NOT EXISTS ${directory}/html/index.html)
  message(FATAL_ERROR "expected a reference in ${directory}/html, found none")
endif()
file(GLOB pages ${directory}/html/*-example.html)
list(LENGTH pages shown)
list(LENGTH examples wanted)
if(NOT shown EQUAL wanted)
  message(FATAL_ERROR "expected a page for each of ${examples}, found ${pages}")
endif()
file(READ ${directory}/html/classbellamy_1_1curve.html curve)
if(NOT curve MATCHES "-example\\.html")
  message(FATAL_ERROR "expected the page of bellamy::curve to link to an example, found no link")
endif()
