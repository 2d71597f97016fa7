// A cross-entropy of a logistic function however that is written: two gradients, exact where they are small.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>

#include <cmath>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;

template <class P>
void check(char const* form, P) {
  CAPTURE(form);
  auto f = kt::function<kt::dvector, kt::dvector>([](auto z, auto y) {
    auto const p = P{}(z);
    auto const cost = -sum(y * log(p) + (1 - y) * log(1 - p));
    auto const first = grad(cost, z);
    return std::tuple(first, grad(sum(first), z));
  });
  vector const z{40, -40, 3, 800, -800, 40, -800}, y{1, 0, 0.3, 1, 0, 0, 1};
  auto const [first, second] = f(z, y);
  for (std::size_t i = 0; i < z.size(); ++i) {
    double const p = 1 / (1 + std::exp(-z(i))), q = 1 / (1 + std::exp(z(i)));
    CAPTURE(z(i), y(i));
    CHECK(first(i) == Approx((1 - y(i)) * p - y(i) * q).epsilon(1e-13));
    CHECK(second(i) == Approx(p * q).epsilon(1e-13));
  }
}
#define CHECK_FORM(...) check(#__VA_ARGS__, [](auto z) { return __VA_ARGS__; })

}  // namespace

TEST_CASE("a cross-entropy has exact gradients however the logistic function is written", "[grad]") {
  CHECK_FORM(sigmoid(z));
  CHECK_FORM(1 / (1 + exp(-z)));
  CHECK_FORM(exp(z) / (1 + exp(z)));
  CHECK_FORM(1 - 1 / (1 + exp(z)));
  CHECK_FORM(1 - exp(-z) / (1 + exp(-z)));
  CHECK_FORM(0.5 * (1 + tanh(z / 2)));
}
