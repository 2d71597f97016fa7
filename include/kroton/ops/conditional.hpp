// The lazy choice: one of two tensors by a scalar condition. Only the selected one is computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton {
namespace op {

/// One of two tensors of the same element type, rank and shape, selected by a bool scalar, the
/// first input. The plan skips steps that only the other one needs. A dimension of the result
/// broadcasts if it does in both. (theano.ifelse.IfElse)
struct ifelse : operation<"ifelse", 3> {
  static constexpr bool takes_stored = false;  // the branches may be of different types
  static constexpr auto step = core::step_kind::ifelse;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(1);
    t.broadcast &= a.input(2).broadcast;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return {core::extent_source::dimension, a.input(1).broadcasts(d) ? 2 : 1, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    for (int d = 0; d < a.input(1).rank; ++d)
      pairs.push_back(
          {{core::extent_source::dimension, 1, d}, {core::extent_source::dimension, 2, d}});
  }
  // Each gradient is again a choice, between the branch's gradient and zeros: the backward sweep
  // recognizes the zeros and computes nothing below them.
  static constexpr core::gradient_list<3> pullback(term g, term y, term c, term a, term b);
};

}  // namespace op

namespace ops {

/// The node of an ifelse of three nodes that match; a choice between equal nodes is that node.
constexpr int choose(graph& g, int condition, int then, int otherwise) {
  return then == otherwise ? then : g.apply<op::ifelse>({condition, then, otherwise});
}
/// Zeros of the type and shape of x.
constexpr int zeros_of(term x) {
  return expand_like(term{x.of, x.of->literal(0, x.element())}, x).id;
}

/// Records an ifelse of operands: the branches are converted to their promoted type, as in `where`.
template <class C, class A, class B>
constexpr term record_ifelse(C const& c, A const& a, B const& b) {
  graph& g = *graph_of_operands(c, a, b);
  auto const condition = as_condition(c);
  element const beside = element_beside(condition, a, b);
  int const inputs[] = {node_of(g, condition, beside), node_of(g, a, beside),
                        node_of(g, b, beside)};
  if (g.type(inputs[0]).rank != 0)
    g.fail("kt::ifelse: the condition must be a scalar; where(c, a, b) chooses element by element");
  if (g.type(inputs[1]).rank != g.type(inputs[2]).rank) {
    g.fail(
        "kt::ifelse: both branches must have the same rank; kt::full_like(x, value) spreads a "
        "number over the shape of x");
    return {&g, inputs[1]};
  }
  element const to = promote(g.type(inputs[1]).element, g.type(inputs[2]).element);
  return {&g, g.apply<op::ifelse>({g.cast(inputs[0], element::boolean), g.cast(inputs[1], to),
                                   g.cast(inputs[2], to)})};
}

/// The type of an ifelse, which is that of `where` with the same operands.
template <class C, class A, class B>
constexpr auto ifelse_of(C const& c, A const& a, B const& b) {
  return result_of<op::where, decltype(as_condition(c)), A, B>(record_ifelse(c, a, b));
}

// The checks that types allow; for a term, the graph knows more.
template <class C>
inline constexpr bool condition_is_a_scalar = static_rank<C>() == 0;
template <class A, class B>
inline constexpr bool branches_have_one_rank =
    (symbolic<A> && !typed<A>) || (symbolic<B> && !typed<B>) ||
    static_rank<A>() == static_rank<B>();

}  // namespace ops

namespace op {

constexpr core::gradient_list<3> ifelse::pullback(term g, term, term c, term a, term b) {
  // Summed before the choice, which then has the operand's own type.
  term const to_a = ops::unbroadcast(g, a.type()), to_b = ops::unbroadcast(g, b.type());
  return inputs(none, term{g.of, ops::choose(*g.of, c.id, to_a.id, ops::zeros_of(to_a))},
                term{g.of, ops::choose(*g.of, c.id, ops::zeros_of(to_b), to_b.id)});
}

}  // namespace op

/// Lazy choice: a if the scalar c holds (a bool, or a nonzero number), otherwise b. Only the
/// selected branch is computed, also in gradients. a and b must have the same rank and, at run
/// time, the same shape (otherwise kt::shape_error); a number can only be paired with a scalar.
/// Their element types are promoted as in `where`. (theano.ifelse.ifelse)
template <class C, class A, class B>
  requires operands<C, A, B>
constexpr auto ifelse(C const& c, A const& a, B const& b) {
  constexpr bool is_scalar = ops::condition_is_a_scalar<C>,
                 is_one_rank = ops::branches_have_one_rank<A, B>;
  static_assert(is_scalar,
                "kt::ifelse: the condition must be a scalar; where(c, a, b) chooses element by "
                "element");
  static_assert(is_one_rank,
                "kt::ifelse: both branches must have the same rank; kt::full_like(x, value) "
                "spreads a number over the shape of x");
  if constexpr (!is_scalar || !is_one_rank) {
    if constexpr (symbolic<A>) return a;
    else if constexpr (symbolic<B>) return b;
    else return c;
  } else if constexpr (number<A> && number<B>) {
    // Two numbers are promoted to a common type, without the condition's.
    using R = std::common_type_t<A, B>;
    element const e = core::element_of<R>();
    return ifelse(c, variable<R, 0>(term{c.of, c.of->literal(static_cast<R>(a), e)}),
                  variable<R, 0>(term{c.of, c.of->literal(static_cast<R>(b), e)}));
  } else {
    return ops::ifelse_of(c, a, b);
  }
}
/// Another name of `ifelse`.
template <class C, class A, class B>
  requires operands<C, A, B>
constexpr auto cond(C const& c, A const& a, B const& b) {
  return ifelse(c, a, b);
}

/// Rejects a choice between numbers by a number, which C++ provides.
template <number C, number A, number B>
constexpr A ifelse(C const&, A const& a, B const&) {
  static_assert(!number<C>,
                "kt::ifelse: none of the three operands is a symbolic variable; between numbers "
                "write c ? a : b");
  return a;
}
template <number C, number A, number B>
constexpr A cond(C const& c, A const& a, B const& b) {
  return ifelse(c, a, b);
}

}  // namespace kroton
