# Makes the reference of the public headers, below `include`, into `directory`/html; what Doxygen warns about is an error.
find_program(doxygen doxygen)
if(NOT doxygen)
  message("skipped: no Doxygen on this machine (Debian: apt-get install doxygen)")
  return()
endif()
file(WRITE ${directory}/Doxyfile "
PROJECT_NAME = bellamy
PROJECT_NUMBER = ${version}
OUTPUT_DIRECTORY = \"${directory}\"
INPUT = \"${include}/bellamy\" \"${include}/bellamy/baseline\" \"${include}/bellamy/c\"
FILE_PATTERNS = *.hpp *.h
STRIP_FROM_PATH = \"${include}\"
EXCLUDE_SYMBOLS = *::detail*
EXTRACT_ALL = YES
JAVADOC_AUTOBRIEF = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = BELLAMY_ABI=current BELLAMY_C_API= BELLAMY_C_NOEXCEPT=
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
