// Assertions inside an expression: a tensor whose use depends on a condition.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/label.hpp>
#include <kroton/ops/linear_algebra/faults.hpp>

namespace kroton {
namespace op {

/// Returns its first operand if the second, a bool, is true; otherwise throws kt::value_error with
/// the message that is packed into the attributes, or kt::linalg_error if they are what is wrong
/// with a matrix. Where the operand is positions, the message ends with one that is outside.
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

/// The attributes of an assertion about a matrix. The first one is negative, and no text's.
constexpr list<long long> attributes_of(matrix_fault fault, int at, int of) {
  return {-1 - static_cast<int>(fault), at, of};
}
template <class Attributes>
constexpr bool is_about_matrix(Attributes const& attributes, int count) {
  return count == 3 && attributes(0) < 0 && attributes(0) >= -matrix_faults;
}
/// What stands before the message of an assertion about positions; no text's either.
inline constexpr long long about_positions = -1 - matrix_faults;
template <class Attributes>
[[gnu::cold]] std::string text_of_assertion(Attributes const& attributes, int count) {
  if (is_about_matrix(attributes, count))
    return text_of(static_cast<matrix_fault>(-1 - attributes(0)), attributes(1), attributes(2));
  int const first = count > 0 && attributes(0) == about_positions ? 1 : 0;
  return label_of([&](int i) { return attributes(first + i); }, count - first);
}
/// What a call does where the condition does not hold; `outside` gives an int64 position that is
/// outside, if they are what the assertion is about.
template <class Attributes, class Outside>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_assertion(Attributes const& attributes,
                                                             int count, Outside const& outside) {
  std::string const text = text_of_assertion(attributes, count);
  if (is_about_matrix(attributes, count)) throw linalg_error(text);
  if (count > 0 && attributes(0) == about_positions)
    throw value_error(text + ": " + std::to_string(outside()));
  throw value_error(text);
}

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
concept assertion_takes_a_bool = std::same_as<C, bool> || (symbolic<C> && !typed<C>) ||
                                 requires { requires std::same_as<value_type_of<C>, bool>; };

/// Returns x; a call throws kt::value_error with the message if any element of the condition is
/// false when x is computed (extents are computed first, even those of a branch that is not taken).
/// Gradients pass through. Where nothing needs the result,
/// nothing is checked. (theano.raise_op.Assert)
template <assertion_takes_a_bool C, symbolic X>
constexpr auto assert_that(std::string_view message, C const& condition, X const& x) {
  int const inputs[] = {x.id, ops::asserted(*x.of, condition).id};
  term const result{
      x.of, x.of->apply(core::identity<op::assertion>(), inputs, ops::label_attributes(message))};
  if constexpr (typed<X>) return variable<value_type_of<X>, rank_of<X>>(result);
  else return result;
}

namespace ops {

/// Positions, int64, if all of them lie in 0, 1 ... count - 1; else one that does not ends the
/// message.
template <symbolic I, operand N>
constexpr I asserted_positions(std::string_view message, I const& positions, N const& count) {
  term const at = positions;
  graph& g = *at.of;
  term const holds =
      asserted(g, call<op::bit_and>(call<op::ge>(at, 0), call<op::lt>(at, count)));
  list<long long> attributes;
  if (at.element() == element::int64) attributes.push_back(about_positions);
  for (long long word : label_attributes(message)) attributes.push_back(word);
  int const inputs[] = {at.id, holds.id};
  return I(term{&g, g.apply(core::identity<op::assertion>(), inputs, attributes)});
}

}  // namespace ops
}  // namespace kroton
