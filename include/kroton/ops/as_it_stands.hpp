// What rules do not look through.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>

namespace kroton::op {

/// The identity. No rule looks through it, so that what is below is computed in the order in which
/// it is written: a quotient of at most 1 before the product with it, which would be infinite.
struct as_it_stands : elementwise<"as_it_stands", 1> {
  static constexpr bool is_cheap = true;
  static constexpr bool takes_complex = true;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R x) {
    return x;
  }
  static constexpr auto pullback(auto g, auto, auto) { return inputs(g); }
};

}  // namespace kroton::op
