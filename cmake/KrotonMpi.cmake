# The target kroton::distributed, where MPI is found: for programs that include <kroton/distributed.hpp>.

if(TARGET kroton::distributed)
  return()
endif()

# MPI's C interface by the C++ compiler; the old C++ interface would be a library more.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
if(NOT TARGET MPI::MPI_CXX)
  if(KROTON_MPI STREQUAL "ON")
    message(FATAL_ERROR "kroton: KROTON_MPI is ON, but there is no MPI. Debian, Ubuntu: apt-get install libopenmpi-dev openmpi-bin")
  endif()
  return()
endif()

add_library(kroton::distributed INTERFACE IMPORTED GLOBAL)
target_link_libraries(kroton::distributed INTERFACE kroton::kroton MPI::MPI_CXX)
