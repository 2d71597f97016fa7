// The product of two sparse matrices times a dense one, in that order: ops of the optimizer alone,
// which makes them when gradients are known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/products.hpp>

namespace kroton::op {

/// dot(dot(a, b), x) for a dense matrix x, without the product of a and b in memory. Operands: the
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

/// Whether it is faster so than dot(a, dot(b, x)). Operands: the number of columns of x; indices
/// and bounds of lines of a, the number of what its indices count; the same of b. Attributes as
/// those of `sparse_pair_dot`.
struct sparse_pair_first : operation<"sparse_pair_first", 7> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const&) { return {element::boolean, 0, 0}; }
};

}  // namespace kroton::op
