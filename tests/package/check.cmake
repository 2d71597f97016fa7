# A foreign project in the folder WAY uses the library: find_package from a temporary prefix that has
# been moved after the installation, or add_subdirectory. Then its program runs.

set(work ${KROTON_BUILD}/package/${WAY})
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

if(WAY STREQUAL "find_package")
  step(${CMAKE_COMMAND} --install ${KROTON_BUILD} --prefix ${work}/prefix)
  file(RENAME ${work}/prefix ${work}/moved)
endif()
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${WAY} -B ${work}/build -G ${GENERATOR}
     -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS}
     -D CMAKE_PREFIX_PATH=${work}/moved -D KROTON_SOURCE=${KROTON_SOURCE})
step(${CMAKE_COMMAND} --build ${work}/build)
step(${work}/build/foreign)
message("${output}")
step(${work}/build/foreign_runtime)
message("${output}")
