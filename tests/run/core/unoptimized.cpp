// Compiled without optimization and without the run-time stage: an op in an unnamed namespace needs nothing of it.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

namespace {
constexpr double factor = 4;
}
#include "run/unnamed_op.hpp"

namespace {
struct quarter : kt::elementwise<"quarter", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return x * R(0.25);
  }
};
}  // namespace

TEST_CASE("an op in an unnamed namespace links without optimization") {
  auto f = kt::function([](kt::dmatrix x) { return kt::call<quarter>(scale(x)); });
  xt::xtensor<double, 2> const x{{1., 2.}, {3., 4.}};
  CHECK((f(x) == x));
}
