// What is computed after something else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>

namespace kroton {
namespace op {

/// Its first operand, as a view that exists once the others are computed. No rule looks through it:
/// what is computed of it is computed again, and not before the others.
struct after : operation<"after", -1> {
  static constexpr auto step = core::step_kind::after;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr core::any_gradients pullback(term g, term) {
    core::any_gradients result;
    result.terms.push_back(g);
    return result;
  }
};

}  // namespace op
}  // namespace kroton
