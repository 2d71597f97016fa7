// Determinants, and the cofactors of which their gradients are made. LAPACK computes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>

#include <tuple>

namespace kroton {
namespace ops {

/// Whether a gradient g has been divided by what is 0 where another node is, as that of log(det(a))
/// has been divided by the determinant.
constexpr bool is_divided_by(term g, int zero) {
  graph const& of = *g.of;
  list<char> vanishes(g.id + 1, 0), divided(g.id + 1, 0);
  if (zero <= g.id) vanishes[zero] = 1;
  for (int id = zero + 1; id <= g.id; ++id) {
    auto const input = [&](int k) { return of.input_of(id, k); };
    bool const multiplies = of.is<op::mul>(id);
    if (of.is<op::neg>(id) || of.is<op::abs>(id) || of.is<op::conj>(id) || of.is<op::sqr>(id) ||
        of.is<op::sqrt>(id) || of.is<op::pow>(id))
      vanishes[id] = vanishes[input(0)];
    divided[id] =
        (of.is<op::div>(id) && vanishes[input(1)]) || (of.is<op::inv>(id) && vanishes[input(0)]);
    for (int from : of.inputs(id)) {
      vanishes[id] = vanishes[id] || (multiplies && vanishes[from]);
      divided[id] = divided[id] || divided[from];
    }
  }
  return divided[g.id];
}

}  // namespace ops

namespace op {

/// Base of functions that take a square matrix to one of its extents.
template <text Name, int Operands>
struct function_of_square : operation<Name, Operands> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return ops::square_type(a); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::require_square(a, pairs);
  }
};

/// The gradient of sum(g * cofactors(a)) with respect to a: the second derivative of the
/// determinant along g, in which it is symmetric. Further derivatives are those of the formula for
/// regular matrices.
struct cofactors_change : function_of_square<"cofactors_change", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::gradient_list<2> pullback(term h, term, term a, term g);
};

/// The derivatives of the determinant by each element, which regular and singular matrices have:
/// det(a) * matrix_inverse(a).T() of a regular one.
struct cofactors : function_of_square<"cofactors", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::gradient_list<1> pullback(term g, term, term a) {
    return {{{a.of, a.of->apply<cofactors_change>({a.id, g.id})}}};
  }
};

struct det : operation<"det", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 0, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int) { return {}; }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::require_square(a, pairs);
  }
  // Of log(det(a)) the determinant, which may be out of range, cancels: the inverse is left.
  static constexpr core::gradient_list<1> pullback(term g, term y, term a) {
    if (ops::is_divided_by(g, y.id))
      return {{g * y * ops::flipped({a.of, a.of->apply<matrix_inverse>({a.id})})}};
    return {{g * term{a.of, a.of->apply<cofactors>({a.id})}}};
  }
};

// With x the transpose of the inverse, the change along g, weighted by h, is
// det(a) * (sum(g * x) * sum(h * x) - sum(h * x.g'.x)).
constexpr core::gradient_list<2> cofactors_change::pullback(term h, term, term a, term g) {
  auto const apply = [&]<class Op>(Op, auto... x) {
    return term{a.of, a.of->apply<Op>({x.id...})};
  };
  term const x = ops::flipped(apply(matrix_inverse{}, a));
  auto const total = [](term m) { return ops::reduce(core::identity<sum>(), m, 3, false); };
  auto const between = [&](term m) { return ops::dot(ops::dot(x, ops::flipped(m)), x); };
  term const of_g = total(g * x), of_h = total(h * x), by_g = between(g), by_h = between(h);
  term const both =
      ops::dot(ops::dot(by_g, ops::flipped(h)), x) + ops::dot(ops::dot(by_h, ops::flipped(g)), x);
  term const by_a = (of_g * of_h - total(h * by_g)) * x - of_h * by_g - of_g * by_h + both;
  return {{apply(det{}, a) * by_a, apply(cofactors_change{}, a, h)}};
}

/// The sign of the determinant, which is complex for a complex matrix, and the logarithm of its
/// magnitude, which is real.
struct slogdet : operation<"slogdet", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const& a, int output) {
    element const e = a.input(0).element;
    return {output == 0 ? e : core::real_of(e), 0, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int) { return {}; }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::require_square(a, pairs);
  }
  // The logarithm of the determinant changes by trace(inv(a) . da): the real part is the change of
  // the logarithm of the magnitude; the imaginary part rotates the sign, which for real matrices is
  // constant.
  static constexpr core::gradient_list<1> pullback(core::several const& g, core::several const& y,
                                                   term a) {
    bool const turns = g.has(0) && core::is_complex(a.element());
    if (!g.has(1) && !turns) return {{ops::expand_like({a.of, a.of->literal(0, a.element())}, a)}};
    term const size = g.has(1) ? g[1] : term{a.of, a.of->literal(0, core::real_of(a.element()))};
    term const inverse = ops::adjoint({a.of, a.of->apply<matrix_inverse>({a.id})});
    if (!turns) return {{size * inverse}};
    return {{call<complex>(size, call<imag>(g[0] * call<conj>(y[0]))) * inverse}};
  }
};

}  // namespace op

/// The determinant of a square matrix. Its gradient is made of the cofactors, which a singular
/// matrix has, too; third derivatives need the inverse. (numpy.linalg.det)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto det(X const& x) {
  return ops::linear_result<0, X>(
      {x.of, x.of->template apply<op::det>({ops::linear_operand(x).id})});
}
/// The sign of the determinant and the logarithm of its magnitude, for determinants that would
/// overflow; 0 and minus infinity for a singular matrix. For a complex matrix the sign is a complex
/// number of magnitude 1, and the logarithm is real. (numpy.linalg.slogdet)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto slogdet(X const& x) {
  term const node{x.of, x.of->template apply<op::slogdet>({ops::linear_operand(x).id})};
  return std::tuple(ops::linear_result<0, X>(node),
                    ops::real_linear_result<0, X>(core::output_of(node, 1)));
}

}  // namespace kroton
