# find_package(kroton) gives kroton::kroton and, where it was installed, kroton::runtime; with COMPONENTS cuda also
# kroton::cuda.

include(${CMAKE_CURRENT_LIST_DIR}/KrotonDependencies.cmake)
if(kroton_missing)
  set(kroton_FOUND FALSE)
  set(kroton_NOT_FOUND_MESSAGE "kroton needs (Debian's package names): ${kroton_missing}")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/krotonTargets.cmake)
# Where it was built and installed, kroton::runtime.
include(${CMAKE_CURRENT_LIST_DIR}/krotonRuntime.cmake OPTIONAL RESULT_VARIABLE kroton_runtime_FOUND)
if(kroton_runtime_FOUND)
  set(kroton_runtime_FOUND TRUE)
elseif(kroton_FIND_REQUIRED_runtime)
  set(kroton_FOUND FALSE)
  set(kroton_NOT_FOUND_MESSAGE "kroton: this installation is without the component runtime")
endif()

if("cuda" IN_LIST kroton_FIND_COMPONENTS)
  include(${CMAKE_CURRENT_LIST_DIR}/KrotonCuda.cmake)
  if(TARGET kroton::cuda)
    set(kroton_cuda_FOUND TRUE)
  elseif(kroton_FIND_REQUIRED_cuda)
    set(kroton_FOUND FALSE)
    set(kroton_NOT_FOUND_MESSAGE "kroton: the component cuda needs nvcc")
  endif()
endif()
