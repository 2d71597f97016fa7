// Derivatives that do not exist, rejected with a sentence: of tensors, with respect to integers,
// with respect to nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/jacobian.hpp>
#include <kroton/grad/reverse.hpp>
#include <kroton/grad/sparse_jacobian.hpp>
#include <kroton/ops/refused/arrays.hpp>

#include <tuple>

namespace kroton {
namespace calculus {

/// The position of the first argument after the function that cannot be differentiated by, from 1;
/// 0 if there is none.
template <class... W>
constexpr int first_integer_argument() {
  int at = 1, found = 0;
  ((found = found == 0 && !gradient_is_with_respect_to_floating_variables<W> ? at + 1 : found,
    ++at),
   ...);
  return found;
}
template <class W>
constexpr auto refused_gradient(W const& w) {
  if constexpr (symbolic<W>) {
    w.of->fail(said_above);
    return std::tuple<W>(w);
  } else if constexpr (structured<W>) {
    return std::tuple<W>(w);
  } else {
    return std::tuple<>();
  }
}
/// The variables themselves, so that no second error follows.
template <class C, class... W>
constexpr auto refused_gradients(C const& cost, W const&... w) {
  if constexpr (symbolic<C>) cost.of->fail(said_above);
  if constexpr ((symbolic_or_structured<W> || ...))
    return one_or_all(std::tuple_cat(refused_gradient(w)...));
  else return cost;
}
/// A number in the place of a variable, or a variable.
template <class C, class... W>
concept differentiated_operands = operand<C> && (symbolic<C> || (symbolic<W> || ...));

}  // namespace calculus

/// Rejects a cost that is not a floating-point scalar, and variables that it cannot be
/// differentiated by.
template <class C, class... W>
  requires calculus::differentiated_operands<C, W...>
constexpr auto grad(C const& cost, W const&... w) {
  constexpr int integer = calculus::first_integer_argument<W...>();
  if constexpr (!symbolic<C>)
    static_assert(is_accepted<met::type<C>>,
                  "kt::grad: the cost must be a scalar that depends on w, as in grad(sum(w * w), "
                  "w), not a number");
  else if constexpr (!cost_is_a_floating_scalar<C> && core::static_rank<C>() != 0)
    static_assert(is_accepted<met::rank<core::static_rank<C>()>, wanted::rank<0>>,
                  "kt::grad: the cost must be a scalar: use sum(cost) or mean(cost); the "
                  "derivative of a tensor is jacobian(y, x)");
  else if constexpr (!cost_is_a_floating_scalar<C>)
    static_assert(is_accepted<met::element<value_type_of<C>>, wanted::element<double>>,
                  "kt::grad: the cost is an integer or a bool, which does not change continuously: "
                  "use a floating-point cost");
  else if constexpr (!gradient_names_a_variable<W...>)
    static_assert(is_accepted<C, met::type<W>...>,
                  "kt::grad: after the cost, pass the variables to differentiate by, as in "
                  "grad(cost, w, b), and, if needed, kt::known_grads or kt::disconnected::zero");
  else
    static_assert(is_accepted<of::argument<integer>, met::type<W>...>,
                  "kt::grad: an integer does not change continuously: differentiate by "
                  "floating-point variables, or convert first, with kt::cast<double>(n)");
  return calculus::refused_gradients(cost, w...);
}

/// Rejects a cost that is not a floating-point scalar, as grad does.
template <class C, class... X>
  requires calculus::differentiated_operands<C, X...>
constexpr auto hessian(C const& cost, X const&... x) {
  if constexpr (!symbolic<C>)
    static_assert(is_accepted<met::type<C>>,
                  "kt::hessian: the cost must be a scalar that depends on x, not a number");
  else if constexpr (!cost_is_a_floating_scalar<C>)
    static_assert(is_accepted<met::type<C>, wanted::rank<0>>,
                  "kt::hessian: the cost must be a floating-point scalar: use sum(cost) or "
                  "mean(cost)");
  else if constexpr (calculus::first_integer_argument<X...>() != 0)
    static_assert(
        is_accepted<of::argument<calculus::first_integer_argument<X...>()>, met::type<X>...>,
        "kt::hessian: an integer does not change continuously: differentiate by "
        "floating-point variables");
  else
    static_assert(is_accepted<met::type<X>...>,
                  "kt::hessian: after the cost, pass variables of at most four dimensions, or "
                  "structs of them");
  return calculus::refused_gradients(cost, x...);
}

/// Rejects integers and too many dimensions.
template <class Y, class... X>
  requires calculus::differentiated_operands<Y, X...>
constexpr auto jacobian(Y const& y, X const&... x) {
  if constexpr (!symbolic<Y>)
    static_assert(is_accepted<met::type<Y>>,
                  "kt::jacobian: differentiate a tensor that depends on x, not a number");
  else if constexpr (!jacobian_is_of_a_floating_variable<Y>)
    static_assert(is_accepted<met::type<Y>>,
                  "kt::jacobian: an integer does not change continuously: use a floating-point "
                  "tensor");
  else if constexpr (calculus::first_integer_argument<X...>() != 0)
    static_assert(
        is_accepted<of::argument<calculus::first_integer_argument<X...>()>, met::type<X>...>,
        "kt::jacobian: an integer does not change continuously: differentiate by "
        "floating-point variables");
  else
    static_assert(is_accepted<met::type<Y>, met::type<X>...>,
                  "kt::jacobian: the result has the dimensions of y and then those of x, at most 8 "
                  "together; after y, pass variables or structs of them");
  return calculus::refused_gradients(y, x...);
}

/// Rejects a direction that is missing, and several at once.
template <symbolic X>
constexpr X rop(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::rop: takes what is differentiated, one variable and its direction, rop(y, x, "
                "v); along several variables it is the sum, rop(y, x, v) + rop(y, z, w)");
  return ops::first_symbolic(x);
}
template <symbolic X>
constexpr X lop(X const& x, ...) {
  static_assert(is_accepted<met::type<X>>,
                "kt::lop: takes what is differentiated, one variable and factors of the shape of "
                "the first, lop(y, x, v)");
  return ops::first_symbolic(x);
}

/// Rejects tensors and variables that are not of real floating-point numbers.
template <class Y, class... X>
  requires calculus::differentiated_operands<Y, X...>
constexpr auto sparse_jacobian(Y const& y, X const&... x) {
  if constexpr (!typed<Y> || !sparse_derivatives_are_real<Y>)
    static_assert(is_accepted<met::type<Y>>,
                  "kt::sparse_jacobian: the tensor is not of real floating-point numbers");
  else
    static_assert(is_accepted<met::type<Y>, met::type<X>...>,
                  "kt::sparse_jacobian: after y, pass real floating-point variables or structs of "
                  "them, and, if needed, kt::disconnected::zero");
  return calculus::refused_gradients(y, x...);
}

/// The same, and costs that are not scalars.
template <class C, class... X>
  requires calculus::differentiated_operands<C, X...>
constexpr auto sparse_hessian(C const& cost, X const&... x) {
  if constexpr (!symbolic<C> || !cost_is_a_floating_scalar<C>)
    static_assert(is_accepted<met::type<C>>,
                  "kt::sparse_hessian: the cost must be a floating-point scalar: use sum(cost) or "
                  "mean(cost)");
  else
    static_assert(is_accepted<met::type<C>, met::type<X>...>,
                  "kt::sparse_hessian: after the cost, pass real floating-point variables or "
                  "structs of them");
  return calculus::refused_gradients(cost, x...);
}

}  // namespace kroton
