// What tests of loops share: numbers, and results of functions with and without a pass.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/suite.hpp"

#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <tuple>
#include <utility>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace loop_tests {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

inline matrix const X{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.05}, {0.7, -0.6}},
    W{{0.1, 0.2}, {-0.3, 0.4}};
inline vector const h0{0.5, 0.6};

/// Of the elements of results, relative and absolute.
struct tolerance {
  double relative, absolute;
};

/// Checks that a function gives the same as the suite runs it, interpreted, and in a mode that
/// leaves something out.
template <class Mode, class F, class... A>
void check_agreement(Mode mode, tolerance within, F const& f, A const&... arguments) {
  auto const all = [](auto const& results) {
    if constexpr (requires { std::get<0>(results); }) return results;
    else return std::tuple(results);
  };
  auto const without = all(kroton::function(f, mode)(arguments...));
  auto const check = [&]<std::size_t... I>(auto const& found, std::index_sequence<I...>) {
    CHECK(
        (xt::allclose(std::get<I>(found), std::get<I>(without), within.relative, within.absolute) &&
         ...));
  };
  std::make_index_sequence<std::tuple_size_v<std::remove_const_t<decltype(without)>>> const each{};
  check(all(kroton::function(f)(arguments...)), each);
  check(all(kroton::function(f, kroton::mode::interpret)(arguments...)), each);
}

}  // namespace loop_tests
