// Positions of what a condition selects: extents that depend on elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/reduction.hpp>
#include <kroton/ops/shape.hpp>

namespace kroton {
namespace op {

/// Where a vector of bools holds. The second input is how often it does: the extent of the result, known before it runs.
struct nonzero : operation<"nonzero", 2> {
  static constexpr tensor_type type(core::application const&) { return {element::int64, 1, 0}; }
  static constexpr core::extent_source extent(core::application const&, int) { return {core::extent_source::value, 1, 0}; }
  static void run(core::invocation const& call) {
    core::array_ref const& mask = call.operand(0);
    auto* to = reinterpret_cast<std::int64_t*>(call.result().data);
    for (std::ptrdiff_t i = 0; i < mask.extents[0]; ++i)
      if (mask.data[i * mask.strides[0]] != std::byte{0}) *to++ = i;
  }
};

}  // namespace op

/// The positions, in row-major order, of the elements that are not 0, as an int64 vector; its extent depends on the elements, so a
/// function computes x before anything that needs the extent. No gradient flows. (numpy.flatnonzero)
template <typed X>
constexpr variable<std::int64_t, 1> nonzero(X const& x) {
  auto const mask = flatten(cast<bool>(x));
  term const count = sum(cast<std::int64_t>(mask));
  return variable<std::int64_t, 1>(term{x.of, x.of->template apply<op::nonzero>({mask.id, count.id})});
}

}  // namespace kroton
