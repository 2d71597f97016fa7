// Fixed points, roots and minima as values of an expression, which can be differentiated by
// everything that they depend on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/implicit/refused.hpp>
#include <kroton/grad/implicit/steps.hpp>

namespace kroton {
namespace op {

// Not the ops of any nodes: they name the condition that a result has the extents of the unknowns.
struct fixed_point : core::named_condition<"fixed_point"> {};
struct equations : core::named_condition<"equations"> {};
struct root_equations : core::named_condition<"kt::root"> {};

}  // namespace op

namespace calculus {

template <class F, class X>
constexpr X fixed_point_of(F const& f, X const& start, solver const& options) {
  implicit_unknowns<X> const unknowns(start);
  term const x = unknowns.formal(),
             made = unknowns.template joined_result<op::fixed_point>(X(unknowns.call(f)));
  captured_part const step = part_between(x, made), residuals = part_between(x, x - made);
  require_solvable(residuals, x, {});
  if (!x.of->error().empty()) return start;
  double const tolerance = tolerance_of_iteration(options, x.element());
  term const found =
      solved_by(iteration{step, tolerance}, options,
                "kt::fixed_point: the iteration does not converge", unknowns.start());
  return unknowns.value(solution_of(residuals.of, residuals.parameters, found, unknowns.start()));
}

template <class F, class X>
constexpr X root_of(F const& f, X const& start, solver const& options) {
  implicit_unknowns<X> const unknowns(start);
  term const x = unknowns.formal(), first = unknowns.start();
  captured_part const residuals =
      part_between(x, unknowns.template joined_result<op::root_equations>(X(unknowns.call(f))));
  require_solvable(residuals, x, "kt::root: the equations do not depend on the unknowns");
  if (!x.of->error().empty()) return start;
  newton_step const step{residuals, tolerance_of_newton(options, x.element()), length(first)};
  term const found =
      solved_by(step, options, "kt::root: no root was found from this start", first,
                number_like(x, -1), first_scale(first));
  return unknowns.value(solution_of(residuals.of, residuals.parameters, found, first));
}

template <class F, class X>
constexpr X minimizer_of(F const& f, X const& start, solver const& options) {
  implicit_unknowns<X> const unknowns(start);
  term const x = unknowns.formal(), first = unknowns.start(), cost = unknowns.call(f);
  captured_part const gradient = part_between(x, cost_gradient(cost, x));
  require_solvable(gradient, x,
                   "kt::minimizer: the cost is linear in the unknowns, or does not depend on them");
  if (!x.of->error().empty()) return start;
  descent_step const step{part_between(x, cost), gradient,
                          tolerance_of_newton(options, x.element()), length(first)};
  term const found =
      solved_by(step, options, "kt::minimizer: no minimum was found from this start", first,
                first_radius(length(first)));
  return unknowns.value(solution_of(gradient.of, gradient.parameters, found, first));
}

}  // namespace calculus

/// kt::root of a start of numbers is that of <kroton/minimize.hpp>.
template <class X>
concept start_is_a_variable_or_a_struct_of_variables = calculus::symbolic_or_structured<X>;

/// The x with x = f(x), by iteration from a start: `kt::fixed_point([&](auto x) { return
/// cos(a * x); }, a)`. `f` takes variables of the start's type, a float or double variable
/// of any rank or a struct of such, and returns the same; what it captures it depends on. The
/// iteration ends when a step is short, see kt::solver. If it does not converge, the result is NaN,
/// or what `unsolved` says.
///
/// Derivatives by what `f` captures are those of the implicit function theorem, of any order, in
/// both modes: one system of equations with the dense matrix I - df/dx, whatever the number of
/// iterations. The derivative by the start is 0. Throws kt::shape_error if f(x) has other extents
/// than x; a gradient where I - df/dx is singular may throw kt::linalg_error.
/// (jaxopt.FixedPointIteration)
template <class F, class X>
constexpr X fixed_point(F const& f, X const& start, solver const& options = {}) {
  if constexpr (calculus::takes_unknowns<false, F, X>())
    return calculus::fixed_point_of(f, start, options);
  else return start;
}

/// An x with f(x) = 0 near a start, by Newton's method in a trust region: `kt::root([&](auto x) {
/// return x * x - a; }, a)`. Arguments, derivatives and errors as for kt::fixed_point; the matrix
/// is df/dx, also that of each step. (jax.lax.custom_root, jaxopt.ScipyRootFinding)
template <class F, class X>
  requires start_is_a_variable_or_a_struct_of_variables<X>
constexpr X root(F const& f, X const& start, solver const& options = {}) {
  if constexpr (calculus::takes_unknowns<false, F, X>())
    return calculus::root_of(f, start, options);
  else return start;
}

/// An x at which a cost has a minimum, near a start, by Newton's method in a trust region:
/// `kt::minimizer([&](auto w) { return sum(sqr(dot(x, w) - y)) + l * sum(sqr(w)); }, first)`. `f`
/// returns a scalar. Arguments, derivatives and errors as for kt::fixed_point; the matrix is the
/// Hessian, whose eigenvalues each step computes: up to a few hundred unknowns. Saddle points are
/// left. (jaxopt.implicit_diff.custom_root of a gradient)
template <class F, class X>
constexpr X minimizer(F const& f, X const& start, solver const& options = {}) {
  if constexpr (calculus::takes_unknowns<true, F, X>())
    return calculus::minimizer_of(f, start, options);
  else return start;
}

}  // namespace kroton
