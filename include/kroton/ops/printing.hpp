// Printing inside an expression: a tensor that prints its values when it is computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>
#include <kroton/ops/label.hpp>

namespace kroton {
namespace op {

/// Returns its operand, which it prints. The label is packed into the attributes.
struct print : operation<"print", 1> {
  static constexpr auto step = core::step_kind::print;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr core::gradient_list<1> pullback(term g, term, term) { return inputs(g); }
};

}  // namespace op

/// Returns x, and prints `label = values` to std::cout whenever x is computed; gradients pass
/// through. Long arrays are abbreviated. (theano.printing.Print)
template <symbolic X>
constexpr auto print(std::string_view label, X const& x) {
  int const inputs[] = {x.id};
  term const result{x.of, x.of->apply(core::identity<op::print>(), inputs,
                                      ops::label_attributes(label))};
  if constexpr (typed<X>) return variable<value_type_of<X>, rank_of<X>>(result);
  else return result;
}

}  // namespace kroton
