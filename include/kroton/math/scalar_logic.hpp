// Comparisons, logic and selection of C++ scalars.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>

namespace kroton::math {

template <class R>
struct scalar_logic {
  static KROTON_FN bool eq(R a, R b) { return a == b; }
  static KROTON_FN bool neq(R a, R b) { return a != b; }
  static KROTON_FN bool lt(R a, R b) { return a < b; }
  static KROTON_FN bool le(R a, R b) { return a <= b; }
  static KROTON_FN bool gt(R a, R b) { return a > b; }
  static KROTON_FN bool ge(R a, R b) { return a >= b; }
  static KROTON_FN bool isnan(R x) { return x != x; }
  static KROTON_FN R select(bool c, R a, R b) { return c ? a : b; }
  static KROTON_FN R logical_and(R a, R b) {
    return static_cast<R>(static_cast<bool>(a) & static_cast<bool>(b));
  }
  static KROTON_FN R logical_or(R a, R b) {
    return static_cast<R>(static_cast<bool>(a) | static_cast<bool>(b));
  }
  static KROTON_FN R logical_xor(R a, R b) {
    return static_cast<R>(static_cast<bool>(a) != static_cast<bool>(b));
  }
  static KROTON_FN bool any(R a) { return static_cast<bool>(a); }
  static KROTON_FN R logical_not(R a) { return static_cast<R>(!static_cast<bool>(a)); }
};

}  // namespace kroton::math
