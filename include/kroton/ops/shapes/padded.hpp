// Arrays with zeros round them: what gradients of ranges are sums of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/shape.hpp>

namespace kroton::op {

/// A tensor in zeros. There is one attribute per axis: 0 where the tensor is as long as the result,
/// 1 where it begins at a position there. The other inputs are the extents of the result, then the
/// positions: int64 scalars. That the tensor lies within them is for those to say who make it.
struct padded : operation<"padded", -1> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr bool takes_stored = true, takes_complex = true, pads = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t{a.input(0).element, a.input(0).rank, 0};
    for (int d = 0; d < t.rank; ++d)
      if (a.of->is_literal(a.inputs[d + 1], 1)) t.broadcast |= 1u << d;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::value, d + 1, 0};
  }
};

}  // namespace kroton::op
