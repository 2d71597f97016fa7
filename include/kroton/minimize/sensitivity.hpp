// How roots and minima change with their data: derivatives by the implicit function theorem.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/function.hpp>
#include <kroton/grad/forward.hpp>
#include <kroton/grad/implicit.hpp>
#include <kroton/minimize/derivatives.hpp>
#include <kroton/minimize/given.hpp>
#include <kroton/minimize/refused.hpp>
#include <kroton/minimize/unknowns.hpp>

namespace kroton {
namespace minimization {

/// What is 0 at a root or at a minimum, as many numbers as there are unknowns.
template <task Task, class R>
constexpr term residuals_of(R const& result, term unknowns) {
  if constexpr (Task == task::minimize) {
    return calculus::cost_gradient(result, unknowns);
  } else {
    list<term> const all = std::apply([](auto const&... r) { return list<term>{term(r)...}; },
                                      result_variables(result));
    if constexpr (Task == task::root) return calculus::joined_unknowns(all);
    term cost = calculus::number_like(unknowns, 0);
    for (term const& r : all) cost = cost + sum(sqr(r)) / 2;
    return calculus::cost_gradient(cost, unknowns);
  }
}
/// A scalar for a vector of one element, or the other way round.
constexpr term of_rank(int rank, term x) {
  if (x.rank() == rank) return x;
  return rank == 0 ? ops::row_at(x, ops::integer(*x.of, 0)) : ops::with_new_axis(x, 0);
}

/// The first parameter as what it is: the solution for the data.
template <task Task, class F, class P, class... D>
constexpr P solution_for(P const& p, D const&... data) {
  calculus::implicit_unknowns<P> const unknowns(p);
  term const x = unknowns.formal(), start = unknowns.start();
  term const r = of_rank(x.rank(), residuals_of<Task>(F{}(unknowns.value(x), data...), x));
  if (x.rank() == 1) calculus::require_equal<op::equations>(extent(r, 0), extent(start, 0));
  auto const part =
      calculus::part_between(x, {&unknowns.of(), unknowns.of().cast(r.id, x.element())});
  calculus::require_solvable(part, x, "kt::minimize, kt::root: nothing depends on the unknowns");
  return unknowns.value(calculus::solution_of(part.of, part.parameters, start, start));
}

/// Derivatives of all unknowns by the parameters numbered K.
template <task Task, class F, class Parameters, int... K>
struct sensitivities;
template <task Task, class F, class P, class... D, int... K>
struct sensitivities<Task, F, std::tuple<P, D...>, K...> {
  using parameters = std::tuple<P, D...>;
  constexpr auto operator()(P const& p, D const&... data) const {
    auto const all = std::tie(p, data...);
    return std::apply(
        [&](auto const&... x) {
          return std::tuple_cat(
              calculus::as_tuple(jacobian(x, std::get<K>(all)..., disconnected::zero))...);
        },
        core::leaves(solution_for<Task, F>(p, data...)));
  }
};
/// The same, multiplied by weights of the unknowns and added up.
template <task Task, class F, class Parameters, int... K>
struct weighted_sensitivities;
template <task Task, class F, class P, class... D, int... K>
struct weighted_sensitivities<Task, F, std::tuple<P, D...>, K...> {
  using parameters = std::tuple<P, P, D...>;
  constexpr auto operator()(P const& p, P const& weights, D const&... data) const {
    auto const all = std::tie(p, data...);
    term const x = calculus::joined_unknowns(
                   calculus::leaves_of(solution_for<Task, F>(p, data...))),
               w = calculus::joined_unknowns(calculus::leaves_of(weights));
    term const cost = x.rank() == 0 ? x * w : term(sum(x * w));
    return grad(cost, std::get<K>(all)..., disconnected::zero);
  }
};

template <int Data, int... K>
constexpr bool names_data() {
  constexpr bool names = sizeof...(K) > 0 && ((K > 0 && K <= Data) && ...);
  static_assert(
      names || is_accepted<met::arguments<Data>>,
      "kt::minimizer_sensitivity, kt::root_sensitivity: name the parameters of the lambda "
      "to differentiate by, data from 1 on, as in kt::root_sensitivity<1>(f, x, "
      "kt::given(a))");
  return names;
}
template <task Task, int... K, class F, class X, class... D>
auto sensitivity(F const&, X const& x, std::tuple<D...> const& data) {
  if constexpr (takes<Task, F, X, D...>()) {
    if constexpr (names_data<static_cast<int>(sizeof...(D)), K...>()) {
      using parameters = core::parameters_of<F>;
      unknowns<std::tuple_element_t<0, parameters>> const at(x);
      auto const f = function(sensitivities<Task, F, parameters, K...>{});
      return std::apply([&](auto const&... d) { return f(at.value(), d...); }, data);
    }
  }
}
template <task Task, int... K, class F, class X, class W, class... D>
auto sensitivity(F const&, X const& x, W const& weights, std::tuple<D...> const& data) {
  if constexpr (takes<Task, F, X, D...>() && takes<Task, F, W, D...>()) {
    if constexpr (names_data<static_cast<int>(sizeof...(D)), K...>()) {
      using parameters = core::parameters_of<F>;
      unknowns<std::tuple_element_t<0, parameters>> const at(x), by(weights);
      auto const f = function(weighted_sensitivities<Task, F, parameters, K...>{});
      return std::apply([&](auto const&... d) { return f(at.value(), by.value(), d...); }, data);
    }
  }
}

}  // namespace minimization

/// How a minimum moves with its data: the derivatives of `x`, which kt::minimize has found, by the
/// parameters of the cost numbered K: `kt::minimizer_sensitivity<3>(cost, found.x, kt::given(x, y,
/// penalty))`. Each is an array with the axes of the unknowns, then those of the data; of several
/// numbers, or of unknowns that are a struct, a tuple, variable by variable. By the implicit
/// function theorem: one system of equations with the Hessian at x, which nothing checks to be a
/// minimum. Throws kt::linalg_error where the Hessian is singular. (jaxopt.implicit_diff.root_jvp)
template <int... K, class F, class X, class... D>
auto minimizer_sensitivity(F const& f, X const& x, given_data<D...> const& data) {
  return minimization::sensitivity<minimization::task::minimize, K...>(f, x, data.all);
}
/// The gradients of a cost by data that act on it through a minimum, from its gradient by the
/// unknowns: `weights`, a value like x, times the derivatives above, without forming these. With
/// the gradient of a validation loss as weights, the gradient by hyperparameters.
/// (jaxopt.implicit_diff.root_vjp)
template <int... K, class F, class X, class W, class... D>
auto minimizer_sensitivity(F const& f, X const& x, W const& weights, given_data<D...> const& data) {
  return minimization::sensitivity<minimization::task::minimize, K...>(f, x, weights, data.all);
}
/// The same of a minimum of half the sum of squares of residuals, which kt::least_squares has found
/// without a robust loss. (With one, minimize and differentiate the cost.)
template <int... K, class F, class X, class... D>
auto least_squares_sensitivity(F const& f, X const& x, given_data<D...> const& data) {
  return minimization::sensitivity<minimization::task::least_squares, K...>(f, x, data.all);
}
template <int... K, class F, class X, class W, class... D>
auto least_squares_sensitivity(F const& f, X const& x, W const& weights,
                               given_data<D...> const& data) {
  return minimization::sensitivity<minimization::task::least_squares, K...>(f, x, weights,
                                                                            data.all);
}
/// The same of a root, with the Jacobian of the equations in the place of the Hessian.
template <int... K, class F, class X, class... D>
auto root_sensitivity(F const& f, X const& x, given_data<D...> const& data) {
  return minimization::sensitivity<minimization::task::root, K...>(f, x, data.all);
}
template <int... K, class F, class X, class W, class... D>
auto root_sensitivity(F const& f, X const& x, W const& weights, given_data<D...> const& data) {
  return minimization::sensitivity<minimization::task::root, K...>(f, x, weights, data.all);
}

}  // namespace kroton
