// Gradients of logarithms whose addends, or whose smaller or larger operands, have none: weights of 0, exponents of -inf.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>

#include <cmath>
#include <limits>

namespace kt = kroton;
using kt::dscalar, kt::dvector, kt::mode::ieee;

namespace {

using vector = xt::xtensor<double, 1>;

void check(vector const& got, vector const& wanted) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got(i) == Approx(wanted(i)).epsilon(1e-12));
}

double const inf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a mixture has gradients at weights of 0", "[grad]") {
  auto f = [](dscalar w, dscalar a, dscalar b) {
    auto const p = w * exp(a);
    return kt::grad(log(p + (1 - w) * sigmoid(b)) + log(3 + p * p), w, a, b);
  };
  // By hand, with w = 0: log(p + (1 - w) s) rises by (e - s) / s with w, and by 1 - s with b.
  double const e = std::exp(0.3), s = 1 / (1 + std::exp(0.5));
  auto check_all = [&](auto const& g) {
    auto const [by_w, by_a, by_b] = g(0., 0.3, -0.5);
    CHECK(by_w == Approx((e - s) / s).epsilon(1e-12));
    CHECK(by_a == 0);
    CHECK(by_b == Approx(1 - s).epsilon(1e-12));
  };
  check_all(kt::function(f));
  check_all(kt::function(f, ieee));
}

TEST_CASE("factors and divisors next to an addend have gradients where the product is 0", "[grad]") {
  auto f = [](dvector x, dvector z, dvector b) {
    auto const [by_x, by_z, by_b] = kt::grad(sum(log(2 + (b - 1) * (x / exp(z)))), x, z, b);
    return by_x + 10 * by_z + 100 * by_b;
  };
  vector const x{0, 0.5, 0, 2}, z{0.1, -1, 0.7, 0.2}, b{1, 1, 3, 1.5}, u = x / xt::exp(z), c = 2 + (b - 1) * u;
  vector const wanted = (b - 1) / xt::exp(z) / c - 10 * (b - 1) * u / c + 100 * u / c;
  check(kt::function(f)(x, z, b), wanted);
  check(kt::function(f, ieee)(x, z, b), wanted);
}

TEST_CASE("exponents of -inf have the gradient 0", "[grad]") {
  auto f = [](dvector x) { return kt::grad(log(sum(exp(x))), x); };
  vector const x{0, -inf, 0}, wanted{0.5, 0, 0.5};
  check(kt::function(f)(x), wanted);
  check(kt::function(f, ieee)(x), wanted);
}

TEST_CASE("the logarithm of the larger of two stands where the smaller one has none", "[rewrite]") {
  vector const x{0, 0.25, -0.5}, y{-1, 0.5, -2}, s = 1 / (1 + xt::exp(-x));
  auto check_all = [&](auto const& f) {
    auto const [of_sigmoid, clamped, difference, rest] = f(x, y);
    check(of_sigmoid, xt::log(xt::maximum(s, y)));
    check(clamped, xt::log(xt::maximum(1 - xt::exp(x), 1e-3)));
    check(difference, xt::log(xt::maximum(xt::exp(x) - xt::exp(y), 1e-3)));
    check(rest, xt::log1p(-xt::minimum(s, 2 + y)));
  };
  auto f = [](dvector x, dvector y) {
    return std::tuple(log(kt::maximum(sigmoid(x), y)), log(kt::maximum(1 - exp(x), 1e-3)),
                      log(kt::maximum(exp(x) - exp(y), 1e-3)), log1p(-kt::minimum(sigmoid(x), 2 + y)));
  };
  check_all(kt::function(f));
  check_all(kt::function(f, ieee));
}
