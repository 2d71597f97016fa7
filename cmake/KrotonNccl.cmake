# The target kroton::nccl, where kroton::cuda, kroton::distributed and NCCL are: for programs that include
# <kroton/cuda/nccl.hpp>. NCCL is no package of Debian's; it is looked for beside the toolkit and in NCCL_HOME.

if(TARGET kroton::nccl OR NOT TARGET kroton::cuda OR NOT TARGET kroton::distributed)
  return()
endif()

find_path(KROTON_NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_HOME ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
find_library(KROTON_NCCL_LIBRARY nccl HINTS ENV NCCL_HOME ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
mark_as_advanced(KROTON_NCCL_INCLUDE_DIR KROTON_NCCL_LIBRARY)
if(NOT KROTON_NCCL_INCLUDE_DIR OR NOT KROTON_NCCL_LIBRARY)
  return()
endif()

add_library(kroton::nccl INTERFACE IMPORTED GLOBAL)
target_include_directories(kroton::nccl INTERFACE ${KROTON_NCCL_INCLUDE_DIR})
target_compile_definitions(kroton::nccl INTERFACE KROTON_NCCL=1)
target_link_libraries(kroton::nccl INTERFACE kroton::cuda kroton::distributed ${KROTON_NCCL_LIBRARY})
