// First and second derivatives of elementwise formulas against differences of fourth order, for the files that list formulas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/reference.hpp"

namespace gradients {

using namespace reference;
using I = std::size_t;

/// A formula's value, first and second derivative at every element of x.
template <class X, class... Formula>
constexpr auto derivatives(X const& x, Formula... formula) {
  auto three = [&](auto f) {
    auto const y = f(x);
    auto const g = grad(sum(y), x);
    return std::tuple(y, g, grad(sum(g), x, kt::disconnected::zero));
  };
  return std::tuple(three(formula)...);
}

/// Each derivative is the difference quotient of what comes before it, up to `tolerance` of the larger of 1 and its size.
template <class Function>
void check(Function& f, double low, double high, double tolerance = 1e-8) {
  I const n = 21;
  double const step = 1e-3 * std::fmin(1, high - low);
  vec<double> x(std::array<I, 1>{n});
  for (I i = 0; i < n; ++i) x(i) = low + (high - low) * (static_cast<double>(i) + 0.37) / n;
  auto const at = f(x), up = f(x + step), down = f(x - step), up2 = f(x + 2 * step), down2 = f(x - 2 * step);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    auto one = [&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
      if constexpr (k % 3 != 0) {
        int const formula = static_cast<int>(k / 3), order = static_cast<int>(k % 3);
        CAPTURE(formula, order);
        auto quotient = [&](I i) {
          return (8 * (std::get<k - 1>(up)(i) - std::get<k - 1>(down)(i)) - (std::get<k - 1>(up2)(i) - std::get<k - 1>(down2)(i))) / (12 * step);
        };
        CHECK(mismatch(std::get<k>(at), quotient, tolerance, tolerance) == "");
      }
    };
    (one(std::integral_constant<std::size_t, K>{}), ...);
  }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<decltype(at)>>>{});
}

}  // namespace gradients
