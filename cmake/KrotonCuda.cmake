# The target kroton::cuda, where nvcc is found: for .cu files that include <kroton/cuda.hpp>.

if(TARGET kroton::cuda)
  return()
endif()

if(NOT CMAKE_CUDA_COMPILER)
  # nvcc is often installed without being in PATH.
  find_program(KROTON_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda
               PATH_SUFFIXES bin)
  mark_as_advanced(KROTON_NVCC)
  if(KROTON_NVCC)
    set(CMAKE_CUDA_COMPILER ${KROTON_NVCC})
  elseif(KROTON_CUDA STREQUAL "ON")
    message(FATAL_ERROR "kroton: KROTON_CUDA is ON, but there is no nvcc")
  else()
    return()
  endif()
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  # CMake's own default is an architecture that new versions of nvcc have dropped.
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

add_library(kroton::cuda INTERFACE IMPORTED GLOBAL)
if(cuda_std_20 IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
  target_compile_features(kroton::cuda INTERFACE cuda_std_20)
else()
  # CMake before 3.26 has not heard of nvcc and C++20.
  target_compile_options(kroton::cuda INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
endif()
# One constexpr function serves the folder in the compiler, the CPU and a CUDA thread.
target_compile_options(kroton::cuda INTERFACE
                       $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>)
target_link_libraries(kroton::cuda INTERFACE kroton::kroton CUDA::cudart)
if(TARGET CUDA::cublas)
  target_link_libraries(kroton::cuda INTERFACE CUDA::cublas)
endif()
