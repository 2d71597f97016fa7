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
#include <kroton/kroton.hpp>

namespace kroton::cuda {

/// Compiles a captureless lambda over symbolic variables into a function on the GPU; a mode may
/// follow. Arguments are kt::cuda::array (used in place), host arrays (transferred), and numbers;
/// outputs are kt::cuda::array. Elementwise expressions only; for others a sentence at compile time
/// says what needs the CPU. (theano.function with device=cuda)
template <class F, class... Mode>
  requires(core::has_signature<F> && sizeof...(Mode) <= 1)
auto function(F const& f, Mode const&... mode) {
  return function_on<gpu>(f, mode...);
}
/// The same for a generic lambda, with the parameter types given: `kt::cuda::function<kt::dvector,
/// kt::dmatrix>(f)`.
template <typed... P, class F>
  requires(sizeof...(P) > 0)
auto function(F const&) {
  return make_function<gpu, F, std::tuple<P...>, std::remove_const_t<decltype(mode::fast_run)>>();
}

}  // namespace kroton::cuda
