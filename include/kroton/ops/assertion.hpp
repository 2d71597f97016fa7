// Assertions inside an expression: a tensor whose use depends on a condition.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/label.hpp>
#include <kroton/ops/reduction.hpp>

namespace kroton {
namespace op {

/// Returns its first operand if the second, a bool, is true; otherwise throws kt::value_error. The
/// message is packed into the attributes.
struct assertion : operation<"assertion", 2> {
  static constexpr auto step = core::step_kind::assertion;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr core::gradient_list<2> pullback(term g, term, term, term) {
    return inputs(g, none);
  }
};

}  // namespace op

namespace ops {

/// A condition as one bool.
template <symbolic C>
constexpr term asserted(graph&, C const& c) {
  term const holds{c.of, c.of->cast(c.id, element::boolean)};
  return holds.rank() == 0 ? holds : term(all(holds));
}
constexpr term asserted(graph& g, bool c) { return {&g, g.literal(c, element::boolean)}; }

}  // namespace ops

/// Conditions of an assertion are bools.
template <class C>
concept assertion_takes_a_bool =
    std::same_as<C, bool> || (symbolic<C> && !typed<C>) || requires {
      requires std::same_as<value_type_of<C>, bool>;
    };

/// Returns x. If any element of the condition is false when x is computed (extents are computed
/// first, even those of a branch that is not taken), a call throws
/// kt::value_error with the message. Gradients pass through. Where nothing needs the result,
/// nothing is checked. (theano.raise_op.Assert)
template <assertion_takes_a_bool C, symbolic X>
constexpr auto assert_that(std::string_view message, C const& condition, X const& x) {
  int const inputs[] = {x.id, ops::asserted(*x.of, condition).id};
  term const result{x.of, x.of->apply(core::identity<op::assertion>(), inputs,
                                      ops::label_attributes(message))};
  if constexpr (typed<X>) return variable<value_type_of<X>, rank_of<X>>(result);
  else return result;
}

}  // namespace kroton
