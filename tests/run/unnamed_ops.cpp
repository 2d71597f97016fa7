// An op in an unnamed namespace, in a program that does not include the run-time stage: nothing of its is missing there.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <xtensor/xtensor.hpp>
#include <kroton/kroton.hpp>

namespace {
constexpr double factor = 5;
}
#include "run/unnamed_op.hpp"

TEST_CASE("an op in an unnamed namespace links without the run-time stage") {
  auto const f = kt::function([](kt::dmatrix x) { return scale(x) + 1; });
  xt::xtensor<double, 2> const x{{1., 2.}, {3., 4.}};
  CHECK((f(x) == xt::xtensor<double, 2>(factor * x + 1)));
}
