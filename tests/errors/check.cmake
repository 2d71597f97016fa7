# Compiles FILE, which has to fail with every sentence of its lines "// expect: <sentence>", and, where it has a line
# "// errors: at most <n>", with no more errors than that.
#
# A file with lines "// mistake <name>: <sentence>" holds each of these mistakes in a namespace <name>. Each has to be refused with
# one error, its sentence, and at most nine lines about it may follow.
#
# Where it holds "#if defined(MISTAKE_<name>)" instead, it is compiled once for each mistake: for mistakes that would hide others. The
# sentence has to be the last error then, and the only one but in a line "// mistake <name>, after others: <sentence>", where errors
# of the compiler's own may stand before it.
#
# Lines "// flags g++: <flags>" and "// flags clang: <flags>" come after the flags that every file has.

cmake_minimum_required(VERSION 3.22)

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
  # The sentences of a trace are template arguments, for clang in pieces of a line each.
  string(REGEX REPLACE "\"}, text<[0-9]+>{\"" " " output "${output}")
  set(status ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The lines of the output, and the numbers of those that are errors.
function(split_output)
  # Lists of CMake end at semicolons and keep brackets together.
  string(REGEX REPLACE "[][;]" " " output "${output}")
  string(REGEX REPLACE "\n+" ";" lines "${output}")
  list(FILTER lines INCLUDE REGEX ".")
  set(errors)
  set(number 0)
  foreach(line IN LISTS lines)
    if(line MATCHES ":[0-9]+: error: ")
      list(APPEND errors ${number})
    endif()
    math(EXPR number "${number} + 1")
  endforeach()
  set(lines ${lines} PARENT_SCOPE)
  set(errors ${errors} PARENT_SCOPE)
endfunction()

# check_sentence(name sentence at next): the error in line `at` says this, and no more than nine lines about it follow; those that
# match `next` belong to another error.
function(check_sentence name sentence at next)
  list(GET lines ${at} error)
  string(FIND "${error}" "${sentence}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${FILE}: the error of ${name} is not\n\n  ${sentence}\n\nbut:\n\n${error}\n\n${output}")
  endif()
  list(SUBLIST lines ${at} -1 after)
  list(POP_FRONT after)
  set(count 0)
  foreach(line IN LISTS after)
    if(line MATCHES "${next}")
      break()
    endif()
    math(EXPR count "${count} + 1")
  endforeach()
  if(count GREATER 9)
    message(FATAL_ERROR "${FILE}: after the sentence of ${name} follow ${count} lines:\n\n${output}")
  endif()
endfunction()

function(check_mistake name others sentence)
  compile(-D MISTAKE_${name})
  split_output()
  list(LENGTH errors count)
  if(count EQUAL 0 OR (count GREATER 1 AND NOT others))
    message(FATAL_ERROR "${FILE}: ${name} is refused with ${count} errors, but has to be with one:\n\n${output}")
  endif()
  list(GET errors -1 last)
  check_sentence(${name} "${sentence}" ${last} "^[0-9]+ errors? generated")
endfunction()

file(STRINGS ${FILE} mistakes REGEX "^// mistake ")
file(STRINGS ${FILE} one_by_one REGEX "^#if defined.MISTAKE_")
if(mistakes AND NOT one_by_one)
  compile()
  split_output()
  list(LENGTH errors error_count)
  list(LENGTH mistakes mistake_count)
  if(NOT error_count EQUAL mistake_count)
    message(FATAL_ERROR "${FILE} is refused with ${error_count} errors, but has to be with ${mistake_count}:\n\n${output}")
  endif()
endif()
foreach(line IN LISTS mistakes)
  if(NOT line MATCHES "^// mistake ([a-z_0-9]+)(, after others)?: (.*)$")
    message(FATAL_ERROR "${FILE}: a line \"// mistake <name>: <sentence>\" is not of this form:\n${line}")
  endif()
  if(one_by_one)
    check_mistake(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" "${CMAKE_MATCH_3}")
  else()
    # A type that is incomplete is reported before what stands above it: the first error that says it and is not another's.
    list(GET errors 0 at)
    foreach(candidate IN LISTS errors)
      list(GET lines ${candidate} error)
      string(FIND "${error}" "${CMAKE_MATCH_3}" position)
      if(NOT position EQUAL -1)
        set(at ${candidate})
        break()
      endif()
    endforeach()
    list(REMOVE_ITEM errors ${at})
    check_sentence(${CMAKE_MATCH_1} "${CMAKE_MATCH_3}" ${at}
                   "^In file included |: In [a-z]+|: At global scope|: error: |required from|^[0-9]+ errors? generated")
  endif()
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
