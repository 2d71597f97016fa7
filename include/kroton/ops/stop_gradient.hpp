// What ends a gradient.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>

namespace kroton::op {

/// The identity, without a gradient.
struct stop_gradient : elementwise<"stop_gradient", 1> {
  static constexpr bool takes_complex = true;
  static constexpr core::gradient_barrier pullback{};
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R x) {
    return x;
  }
};

}  // namespace kroton::op
