// Gradients of whole results against differences in every element, for the files that list the expressions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/reference.hpp"

namespace gradients {

using namespace reference;
using I = std::size_t;
using kt::slice, kt::none, kt::newaxis;

// A smooth weighting, so that every element of a result counts differently.
constexpr auto weigh = [](auto y) { return sum(sin(y + 0.3) * (y + 2)); };

// Costs and their gradients by x; what else a lambda needs are further parameters.
template <class X, class... Y>
constexpr auto costs(X const& x, Y const&... y) {
  auto both = [&](auto const& result) {
    auto const cost = weigh(result);
    return std::tuple(cost, grad(cost, x));
  };
  return std::tuple(both(y)...);
}

template <class Function, class X, class... Rest>
void check_costs(Function& f, X const& x, Rest const&... rest) {
  auto const at = f(x, rest...);
  double const step = 1e-4;
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    std::tuple<std::remove_cvref_t<decltype(K, X(x))>...> want{((void)K, x)...};
    for (I i = 0; i < x.size(); ++i) {
      X up = x, down = x;
      up.data()[i] += step;
      down.data()[i] -= step;
      auto const a = f(up, rest...), b = f(down, rest...);
      ((std::get<K>(want).data()[i] = (std::get<2 * K>(a) - std::get<2 * K>(b)) / (2 * step)), ...);
    }
    auto one = [&](std::size_t number, X const& got, X const& expected) {
      CAPTURE(number);
      REQUIRE(got.shape() == x.shape());
      CHECK(mismatch(got, [&](auto... i) { return expected(i...); }, 1e-6, 1e-6) == "");
    };
    (one(K, std::get<2 * K + 1>(at), std::get<K>(want)), ...);
  }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<decltype(at)>> / 2>{});
}

}  // namespace gradients
