# Compiles FILE, which has to fail with every sentence of its lines "// expect: <sentence>", and, where it has a line
# "// errors: at most <n>", with no more errors than that.
#
# A file with lines "// mistake <name>: <sentence>" is compiled once for each of them, with the macro MISTAKE_<name> defined. That
# sentence has to be the last error, to stand among the last ten lines, and to be the only error; in a line
# "// mistake <name>, after others: <sentence>" errors of the compiler's own may stand before it.
#
# Lines "// flags g++: <flags>" and "// flags clang: <flags>" come after the flags that every file has.

if(COMPILER MATCHES "clang")
  set(own_flags "^// flags clang: ")
else()
  set(own_flags "^// flags g\\+\\+: ")
endif()
file(STRINGS ${FILE} more_flags REGEX ${own_flags})
string(REGEX REPLACE ${own_flags} "" more_flags "${more_flags}")
separate_arguments(more_flags)
if(more_flags)
  set(PRECOMPILED)  # with other flags
endif()

# C: straight quotes. No colours, no wrapping: sentences stay whole.
function(compile)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
            ${COMPILER} ${PRECOMPILED} @${FLAGS} ${more_flags} ${ARGN} -fsyntax-only -fmessage-length=0 -fdiagnostics-color=never ${FILE}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(status ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(check_mistake name others sentence)
  compile(-D MISTAKE_${name})
  if(status EQUAL 0)
    message(FATAL_ERROR "${FILE}: ${name} compiles, but has to be refused with:\n${sentence}")
  endif()
  # Lists of CMake end at semicolons and keep brackets together.
  string(REGEX REPLACE "[][;]" " " output "${output}")
  string(REGEX REPLACE "\n+$" "" output "${output}")
  string(REPLACE "\n" ";" lines "${output}")
  list(FILTER lines INCLUDE REGEX ".")
  set(errors ${lines})
  list(FILTER errors INCLUDE REGEX ":[0-9]+: error: ")
  list(LENGTH errors count)
  if(count EQUAL 0 OR (count GREATER 1 AND NOT others))
    message(FATAL_ERROR "${FILE}: ${name} is refused with ${count} errors, but has to be with one:\n\n${output}")
  endif()
  list(GET errors -1 last)
  string(FIND "${last}" "${sentence}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${FILE}: the last error of ${name} is not\n\n  ${sentence}\n\nbut:\n\n${output}")
  endif()
  list(REVERSE lines)
  list(FIND lines "${last}" after)
  if(after GREATER 9)
    message(FATAL_ERROR "${FILE}: after the sentence of ${name} follow ${after} lines:\n\n${output}")
  endif()
endfunction()

file(STRINGS ${FILE} mistakes REGEX "^// mistake ")
foreach(line IN LISTS mistakes)
  if(NOT line MATCHES "^// mistake ([a-z_0-9]+)(, after others)?: (.*)$")
    message(FATAL_ERROR "${FILE}: a line \"// mistake <name>: <sentence>\" is not of this form:\n${line}")
  endif()
  check_mistake(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" "${CMAKE_MATCH_3}")
endforeach()
if(mistakes)
  return()
endif()

file(STRINGS ${FILE} sentences REGEX "^// expect: ")
if(NOT sentences)
  message(FATAL_ERROR "${FILE} has no line \"// expect: <sentence>\"")
endif()

compile()
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
