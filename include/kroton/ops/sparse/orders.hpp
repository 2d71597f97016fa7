// The product of two sparse matrices and a dense one, in the order that a call finds best: an op of
// the optimizer alone, which makes it when gradients are known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/products.hpp>

namespace kroton::op {

/// dot(a, dot(b, x)) for a dense matrix x; or dot(dot(a, b), x) where the patterns say that this is
/// faster, without the product of a and b in memory. Operands: the
/// values of both, x; indices and bounds of lines of a, the number of what its indices count; the
/// same of b. Attributes: whether a is the transpose of these lines, whether b is.
struct sparse_pair_dot : operation<"sparse_pair_dot", 9> {
  static constexpr bool takes_complex = true;
  static constexpr auto own = core::own_function::typed;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(2);
    t.broadcast &= ~1u;
    if (a.attribute(0) != 0 && a.of->is_literal(a.inputs[5], 1)) t.broadcast |= 1u;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (d == 1) return {core::extent_source::dimension, 2, 1};
    return a.attribute(0) != 0 ? core::extent_source{core::extent_source::value, 5, 0}
                               : ops::lines_of(4);
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    using from = core::extent_source;
    core::extent_source const between[] = {ops::lines_of(7), {from::value, 8, 0}},
                              first[] = {{from::value, 5, 0}, ops::lines_of(4)};
    bool const of_a = a.attribute(0) != 0, of_b = a.attribute(1) != 0;
    pairs.push_back({{from::dimension, 0, 0}, {from::dimension, 3, 0}});
    pairs.push_back({{from::dimension, 1, 0}, {from::dimension, 6, 0}});
    pairs.push_back({first[of_a], between[of_b]});
    pairs.push_back({between[!of_b], {from::dimension, 2, 0}});
  }
};

}  // namespace kroton::op
