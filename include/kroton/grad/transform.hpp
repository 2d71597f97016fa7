// Derivatives of callables: transformations of functions, which can be applied to their own
// results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/signature.hpp>
#include <kroton/grad/forward.hpp>
#include <kroton/grad/reverse.hpp>

namespace kroton {
namespace calculus {

template <class F>
struct keeps_signature {};
template <has_signature F>
struct keeps_signature<F> {
  using parameters = parameters_of<F>;
};

/// Gradient of F with respect to the parameters numbered Which.
template <class F, int... Which>
struct gradient_of : keeps_signature<F> {
  template <symbolic_or_structured... X>
    requires(sizeof...(X) > 0)
  constexpr auto operator()(X const&... x) const {
    auto const all = std::tie(x...);
    return grad(F{}(x...), std::get<Which>(all)...);
  }
};

/// The value of F and its gradient with respect to the parameters numbered Which.
template <class F, int... Which>
struct value_and_gradient_of : keeps_signature<F> {
  template <symbolic_or_structured... X>
    requires(sizeof...(X) > 0)
  constexpr auto operator()(X const&... x) const {
    auto const all = std::tie(x...);
    auto const value = F{}(x...);
    return std::tuple(value, grad(value, std::get<Which>(all)...));
  }
};

/// A callable that can be differentiated: it has no state, so its type determines it.
template <class F>
concept stateless_callable =
    std::is_class_v<F> && std::is_empty_v<F> && !symbolic<F> && !structured<F>;

}  // namespace calculus

/// The gradient of a callable that returns a scalar, as a callable of the same parameters: with
/// respect to the first, or `kt::grad<0, 2>(f)`, a tuple. It nests: `kt::grad(kt::grad(f))`.
/// (jax.grad)
template <int... Which, calculus::stateless_callable F>
constexpr auto grad(F const&) {
  if constexpr (sizeof...(Which) == 0) return calculus::gradient_of<F, 0>{};
  else return calculus::gradient_of<F, Which...>{};
}

/// The value of a callable and its gradient, as a callable that returns both in a tuple.
/// (jax.value_and_grad)
template <int... Which, calculus::stateless_callable F>
constexpr auto value_and_grad(F const&) {
  if constexpr (sizeof...(Which) == 0) return calculus::value_and_gradient_of<F, 0>{};
  else return calculus::value_and_gradient_of<F, Which...>{};
}

}  // namespace kroton
