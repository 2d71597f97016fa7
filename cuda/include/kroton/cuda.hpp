// Kroton on the GPU, for .cu files: device arrays, and functions whose loops are CUDA kernels.
// Include this.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if !defined(__CUDACC__)
#error "<kroton/cuda.hpp> is for .cu files, compiled by nvcc; " \
     "<kroton/cuda/emulated.hpp> runs device code on the host"
#endif

#include <kroton/cuda/array.hpp>
#include <kroton/cuda/function.hpp>
#include <kroton/cuda/gpu.hpp>
#include <kroton/cuda/shared.hpp>
#include <kroton/kroton.hpp>

namespace kroton::cuda {

/// Compiles a captureless lambda over symbolic variables into a function on the GPU: kt::function
/// with that target. Shared variables are kt::cuda::shared. Arguments are kt::cuda::array (used in
/// place), host arrays (transferred), and numbers; outputs are kt::cuda::array, of rank 0, too. A
/// step that has no form for the GPU runs on the host, between transfers.
/// (theano.function with device=cuda)
template <class... P, class F, class... O>
auto function(F const& f, O const&... options) {
  return function_on<gpu, P...>(f, options...);
}

}  // namespace kroton::cuda
