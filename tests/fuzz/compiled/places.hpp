// Where the functions of a program run: on the CPU, and, with KROTON_FUZZ_DEVICE, which doubles the
// time to compile, on an emulated device whose memory the host cannot touch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial.hpp"

#include <kroton/kroton.hpp>

#if defined(KROTON_FUZZ_DEVICE)
#include "run/cuda/guarded_device.hpp"
#endif

namespace fuzz {

struct on_host {
  static constexpr path frame = path::frame;
  static constexpr bool has_strides = true;  // outputs may be memory of any strides
  template <class T, int Rank>
  using shared = kt::shared<T, Rank>;
  template <class F, class... O>
  static auto function(F const& f, O const&... options) {
    return kt::function(f, options...);
  }
  /// An argument that an output may be written to.
  template <class A>
  static A held(A const& a) {
    return a;
  }
};

#if defined(KROTON_FUZZ_DEVICE)
struct on_device {
  static constexpr path frame = path::device;
  static constexpr bool has_strides = false;
  template <class T, int Rank>
  using shared = testing::device_shared<T, Rank>;
  template <class F, class... O>
  static auto function(F const& f, O const&... options) {
    return kt::cuda::function_on<testing::device>(f, options...);
  }
  template <class A>
  static auto held(A const& a) {
    return kt::cuda::array<kt::cpu::element_t<A>, kt::cpu::static_rank_of<A>, testing::device>(a);
  }
};
#endif

}  // namespace fuzz
