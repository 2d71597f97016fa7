# The target kroton::dependencies: xtensor, xsimd, Boost and OpenBLAS. What is not found is listed
# in kroton_missing, by Debian package.
#
# One file for the build tree and for the installed package, so that no path of one machine is ever
# exported. All are looked for as plain files, since not every system ships CMake packages of them.

if(TARGET kroton::dependencies)
  return()
endif()
set(kroton_missing)
set(kroton_include_dirs)
set(kroton_libraries)

macro(kroton_need_header variable header package)
  find_path(${variable} ${header} ${ARGN})
  mark_as_advanced(${variable})
  if(NOT ${variable})
    list(APPEND kroton_missing ${package})
  elseif(NOT ${variable} IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    # The compiler's own folders stay unnamed: naming them again would break its #include_next.
    list(APPEND kroton_include_dirs ${${variable}})
  endif()
endmacro()

kroton_need_header(KROTON_XTL_INCLUDE_DIR xtl/xsequence.hpp xtl-dev)
kroton_need_header(KROTON_XTENSOR_INCLUDE_DIR xtensor/xtensor.hpp libxtensor-dev)
kroton_need_header(KROTON_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp libxsimd-dev)
kroton_need_header(KROTON_BOOST_INCLUDE_DIR boost/mp11.hpp libboost-dev)
kroton_need_header(KROTON_CBLAS_INCLUDE_DIR cblas.h libopenblas-dev PATH_SUFFIXES openblas)

find_library(KROTON_OPENBLAS openblas)
mark_as_advanced(KROTON_OPENBLAS)
if(KROTON_OPENBLAS)
  set(kroton_libraries ${KROTON_OPENBLAS})
else()
  # Other vendors keep CBLAS in a library of its own, or in BLAS itself.
  find_package(LAPACK QUIET)
  find_library(KROTON_CBLAS cblas)
  mark_as_advanced(KROTON_CBLAS)
  if(NOT LAPACK_FOUND)
    list(APPEND kroton_missing libopenblas-dev)
  endif()
  set(kroton_libraries $<$<BOOL:${KROTON_CBLAS}>:${KROTON_CBLAS}> LAPACK::LAPACK)
endif()

# For kroton/npz.hpp alone, which nothing else includes.
find_library(KROTON_ZLIB z)
mark_as_advanced(KROTON_ZLIB)
if(KROTON_ZLIB)
  list(APPEND kroton_libraries ${KROTON_ZLIB})
endif()

list(REMOVE_DUPLICATES kroton_missing)
if(NOT kroton_missing)
  # An imported target's headers are SYSTEM headers: their warnings are not ours. GLOBAL, so that
  # add_subdirectory hands it up.
  add_library(kroton::dependencies INTERFACE IMPORTED GLOBAL)
  target_include_directories(kroton::dependencies INTERFACE ${kroton_include_dirs})
  target_link_libraries(kroton::dependencies INTERFACE ${kroton_libraries} m)
endif()
