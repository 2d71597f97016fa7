// Tests whether a lambda has auto parameters, without instantiating its body.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>

#include <concepts>

namespace kroton::functions {

struct rival {};

/// A lambda with additional call operators that match as well as one with auto parameters: a call
/// is then ambiguous, and no body is instantiated. Returns false for lambdas of more than six auto
/// parameters.
template <class F>
struct with_rivals : F {
  using F::operator();
  // Has another parameter, so that none hides the lambda's own.
  template <class A>
  rival operator()(A, rival = {}) const;
  template <class A, class B>
  rival operator()(A, B, rival = {}) const;
  template <class A, class B, class C>
  rival operator()(A, B, C, rival = {}) const;
  template <class A, class B, class C, class D>
  rival operator()(A, B, C, D, rival = {}) const;
  template <class A, class B, class C, class D, class E>
  rival operator()(A, B, C, D, E, rival = {}) const;
  template <class A, class B, class C, class D, class E, class G>
  rival operator()(A, B, C, D, E, G, rival = {}) const;
};
template <class F>
inline constexpr bool has_auto_parameters =
    !requires(with_rivals<F> const& f, variable<double, 1> const& x) {
      { f(x) } -> std::same_as<rival>;
      { f(x, x) } -> std::same_as<rival>;
      { f(x, x, x) } -> std::same_as<rival>;
      { f(x, x, x, x) } -> std::same_as<rival>;
      { f(x, x, x, x, x) } -> std::same_as<rival>;
      { f(x, x, x, x, x, x) } -> std::same_as<rival>;
    };

}  // namespace kroton::functions
