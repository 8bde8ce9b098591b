# Fails unless the file `readme` holds the whole of the file `program`.
file(READ ${readme} text)
file(READ ${program} code)
string(FIND "${text}" "${code}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "expected ${program} word by word in ${readme}, found something else")
endif()
