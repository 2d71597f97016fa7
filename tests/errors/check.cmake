# Compiles FILE, which has to fail with every sentence of its lines "// expect: <sentence>", and, where it has a line
# "// errors: at most <n>", with no more errors than that.

file(STRINGS ${FILE} sentences REGEX "^// expect: ")
if(NOT sentences)
  message(FATAL_ERROR "${FILE} has no line \"// expect: <sentence>\"")
endif()

# C: straight quotes. No colours, no wrapping: sentences stay whole.
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
          ${COMPILER} @${FLAGS} -fsyntax-only -fmessage-length=0 -fdiagnostics-color=never ${FILE}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(status EQUAL 0)
  message(FATAL_ERROR "${FILE} compiles, but has to be refused with:\n${sentences}")
endif()
foreach(line IN LISTS sentences)
  string(REGEX REPLACE "^// expect: " "" sentence "${line}")
  string(FIND "${output}" "${sentence}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${FILE} is refused, but not with the words\n\n  ${sentence}\n\nbut:\n\n${output}")
  endif()
endforeach()
file(STRINGS ${FILE} limit REGEX "^// errors: at most ")
if(limit)
  string(REGEX REPLACE "^// errors: at most " "" limit "${limit}")
  string(REGEX MATCHALL ":[0-9]+: error: " errors "${output}")
  list(LENGTH errors count)
  if(count GREATER limit)
    message(FATAL_ERROR "${FILE} is refused with ${count} errors, but has to be with ${limit} at most:\n\n${output}")
  endif()
endif()
