// Functions on a device: kt::function with a mode whose target is the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/target.hpp>
#include <kroton/function/extended_functions.hpp>

namespace kroton::cuda {

/// Compiles a captureless lambda over symbolic variables into a function on a device, kt::cuda::gpu
/// or kt::cuda::emulated. What may follow the lambda, and the errors, are those of kt::function.
template <class Device, class... P, class F, class... O>
auto function_on(F const& f, O const&... options) {
  if constexpr ((functions::is_mode<O> || ...)) {
    auto const on_device = []<class Option>(Option const& o) -> decltype(auto) {
      if constexpr (functions::is_mode<Option>) return mode_on<Device, Option>{};
      else return (o);
    };
    return kroton::function<P...>(f, on_device(options)...);
  } else {
    return kroton::function<P...>(f, options..., mode_on<Device>{});
  }
}

/// How many values a call moves between the host and the device, apart from its arguments; known to
/// the compiler. `static_assert(kt::cuda::transfers(f).to_host == 0);`
template <class F, class Mode, class... P, class... S>
constexpr transfer_counts transfers(compiled_function<F, Mode, std::tuple<P...>, S...> const&) {
  return transfers_of<freeze::program<F, Mode, static_cast<int>(sizeof...(S)), P...>>;
}

}  // namespace kroton::cuda
