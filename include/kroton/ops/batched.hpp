// Products of batches: a matrix product for each index of a leading axis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linalg.hpp>

namespace kroton {
namespace core {

/// c = a.b, slice by slice along the leading axis, for elements of this type.
void multiply_slices(array_ref const& a, array_ref const& b, array_ref const& c, element e);

}  // namespace core

namespace op {

/// The products of corresponding slices: (b,m,k) (b,k,n) gives (b,m,n); element types are equal.
struct batched_dot : operation<"batched_dot", 2> {
  static constexpr tensor_type type(core::application const& a) {
    tensor_type const l = a.input(0), r = a.input(1);
    return {l.element, 3, (l.broadcast & r.broadcast & 1u) | (l.broadcast & 2u) | (r.broadcast & 4u)};
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return {core::extent_source::dimension, d == 2 || (d == 0 && a.input(0).broadcasts(0)) ? 1 : 0, d};
  }
  static constexpr void constraints(core::application const& a, core::list<core::extent_pair>& pairs) {
    using core::extent_source;
    if (!a.input(0).broadcasts(0) && !a.input(1).broadcasts(0))
      pairs.push_back({{extent_source::dimension, 0, 0}, {extent_source::dimension, 1, 0}});
    pairs.push_back({{extent_source::dimension, 0, 2}, {extent_source::dimension, 1, 1}});
  }
  static constexpr term product(term a, term b) { return {a.of, a.of->apply<batched_dot>({a.id, b.id})}; }
  static constexpr core::gradient_list<2> pullback(term g, term, term a, term b) {
    return {{product(g, core::permute(b, {0, 2, 1})), product(core::permute(a, {0, 2, 1}), g)}};
  }
};

}  // namespace op
}  // namespace kroton
