// The interpreter runs the op of this file, although another file has a different one with the same name.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <xtensor/xtensor.hpp>
#include <kroton/runtime.hpp>

namespace {
constexpr double factor = 3;
}
#include "run/unnamed_op.hpp"

TEST_CASE("an op in an unnamed namespace is the one of its file when it is interpreted - second", "[runtime]") {
  constexpr auto f = [](kt::dmatrix x) { return scale(x) + 1; };
  xt::xtensor<double, 2> const x{{1., 2.}, {3., 4.}};
  CHECK((kt::function(f, kt::mode::interpret)(x) == xt::xtensor<double, 2>(factor * x + 1)));
  CHECK((kt::function(f)(x) == xt::xtensor<double, 2>(factor * x + 1)));
}
