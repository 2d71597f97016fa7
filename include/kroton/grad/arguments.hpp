// The arguments of a gradient after the cost: variables, structs of them, and options.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/structure.hpp>
#include <kroton/core/variable.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>

namespace kroton {

/// Gives a parameter that the cost does not depend on the gradient 0, instead of an error; with a
/// warning of the compiler where a function is made of it, or without. (theano.grad's
/// disconnected_inputs: 'warn', 'ignore')
struct disconnected_t {
  bool warns = false;
};
namespace disconnected {
inline constexpr disconnected_t zero{}, warn{true};
}

/// Known gradients: `kt::known_grads(y, gy, z, gz)` seeds y with gy and z with gz.
template <symbolic... X>
struct known_grads {
  std::tuple<X...> pairs;
  constexpr explicit known_grads(X const&... x) : pairs(x...) {
    static_assert(sizeof...(X) % 2 == 0,
                  "kt::known_grads takes pairs of a variable and its gradient");
  }
};

namespace calculus {

template <class X>
concept symbolic_or_structured = symbolic<X> || structured<X>;

template <class X>
constexpr bool is_known_grads = false;
template <class... X>
constexpr bool is_known_grads<known_grads<X...>> = true;

template <class W>
inline constexpr bool is_gradient_option =
    symbolic_or_structured<W> || std::same_as<W, disconnected_t> || is_known_grads<W>;

}  // namespace calculus

/// The arguments after the cost are variables, structs of them, and options.
template <class... W>
concept gradient_names_a_variable =
    (calculus::symbolic_or_structured<W> || ...) && (calculus::is_gradient_option<W> && ...);

/// A cost is a floating-point scalar; derivatives of anything else need `lop` or `jacobian`.
template <class C>
concept cost_is_a_floating_scalar =
    !typed<C> || (rank_of<C> == 0 && core::is_continuous(core::element_of<value_type_of<C>>()));

namespace calculus {

template <class W>
constexpr bool is_differentiable() {
  if constexpr (typed<W>)
    return is_continuous(element_of<value_type_of<W>>());
  else if constexpr (compound<W>)
    return is_differentiable<decltype(std::declval<W const&>().continuous())>();
  else if constexpr (structured<W>)
    return with_members<W>([]<class... M>(std::type_identity<M>...) {
      return (is_differentiable<typename M::type>() && ...);
    });
  else
    return true;
}

}  // namespace calculus

/// Gradients exist with respect to floating-point variables, and to structs of them.
template <class W>
concept gradient_is_with_respect_to_floating_variables = calculus::is_differentiable<W>();

}  // namespace kroton
