// Sums with roots, quadratic formulas, roots of squares and lengths, in numbers: against forms that
// do not cancel, in long double, at both ends of the range and between.
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <random>

#include "run/seed.hpp"
#include "run/values.hpp"

using namespace values;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Magnitudes over 40 powers of ten, with either sign.
class numbers {
 public:
  double operator()() {
    double const magnitude = std::pow(10., exponent_(random_));
    return exponent_(random_) < 0 ? -magnitude : magnitude;
  }

 private:
  std::mt19937 random_ = seeded_generator();
  std::uniform_real_distribution<double> exponent_{-20, 20};
};

#define QUADRATIC(sign) \
  [](auto a, auto b, auto c) { return (-b sign sqrt(b * b - 4 * a * c)) / (2 * a); }

}  // namespace

TEST_CASE("sums with roots keep their digits", "[rewrite]") {
  numbers number;
  for (int trial = 0; trial < 40; ++trial) {
    double const x = number(), y = number();
    // In long double u - sqrt(u^2 + t) has lost its digits, too: t / (u + sqrt(u^2 + t)) has not.
    auto const down = [](auto u, auto t) {
      using std::sqrt, std::fabs;
      auto const root = sqrt(u * u + t);
      return u < 0 ? u - root : -t / (u + root);
    };
    agrees_with(BOTH(x - sqrt(x * x + 1)), [&](auto u, auto) { return down(u, 1.L); }, x, y);
    agrees_with(
        BOTH(sqrt(x * x + y * y) - x), [&](auto u, auto v) { return -down(u, v * v); }, x, y);
    agrees_with(
        BOTH(3 * x + sqrt(9 * x * x + y * y * y * y)),
        [&](auto u, auto v) { return -down(-3 * u, v * v * v * v); }, x, y);
    agrees_with(
        BOTH(2 * sqrt(x * x + y * y) - 2 * x), [&](auto u, auto v) { return -2 * down(u, v * v); },
        x, y);
    agrees_with(
        BOTH(x - y - sqrt((x - y) * (x - y) + y * y)),
        [&](auto u, auto v) { return down(u - v, v * v); }, x, y, 1e-11);
  }
  CHECK(applies("sum_with_root", BOTH(x - sqrt(x * x + y)), 1., 1.));
  CHECK_FALSE(applies("sum_with_root", BOTH(abs(x) + sqrt(x * x + 1)), 1., 1.));
  CHECK_FALSE(applies("sum_with_root", BOTH(x + sqrt(y * y + 1)), 1., 1.));
  CHECK_FALSE(applies("sum_with_root", BOTH(x * sqrt(y * y + 1) + y), 1., 1.));
}
TEST_CASE("sums with roots keep what stands under the root as it is written", "[rewrite]") {
  // Multiplied out, (y - 1)^2 would lose its digits.
  double const x = 1.6775113347143927e-06, y = 0.99999982673556087;
  CHECK(value(BOTH(sqrt(x * x + (y - 1) * (y - 1)) - x), x, y) ==
        Approx(8.92421e-09).epsilon(1e-6).margin(0));
  CHECK(value(BOTH((y - sqrt(x * x + 4)) + x), 1e-19, 2.) == 1e-19);
  CHECK(std::isfinite(
      value([](auto x, auto y, auto z) { return sqrt(sqr(x * (y * z)) + 1) - x * (y * z); }, -1e200,
            1e200, 1e-300)));
}
TEST_CASE("sums with roots are what they were at the ends", "[rewrite]") {
  auto const f = BOTH(sqrt(x * x + y * y) - x);
  CHECK(value(f, 0., 0.) == 0);
  CHECK(value(f, -1., 0.) == 2);
  CHECK(value(f, 1., 0.) == 0);
  CHECK(value(f, -infinity, 1.) == infinity);
  CHECK(value(f, -1., infinity) == infinity);
  CHECK(std::isnan(value(f, std::nan(""), 1.)));
  CHECK(std::isnan(value(BOTH(x - sqrt(x * x - y)), 1., 2.)));
  CHECK(value_without("sum_with_root", BOTH(sqrt(x * x + 1) - x), 1e10, 0.) == 0);
  CHECK(value_without("regimes", BOTH(sqrt(x * x + 1) - x), 1e10, 0.) == 0);
}
TEST_CASE("quadratic formulas keep their digits, by the sign of b", "[rewrite]") {
  numbers number;
  for (int trial = 0; trial < 60; ++trial) {
    double const a = number(), b = number(), c = b * b / a * std::pow(10., -1 - trial % 20);
    for (double const d : {c, -c}) {
      if (b * b < 4 * a * d) continue;
      long double const root = std::sqrt((long double){b} * b - 4 * (long double){a} * d);
      long double const far = b < 0 ? -b + root : -b - root;  // the sum of equal signs
      double const one = double(far / (2 * a)), other = double(2 * d / far);
      INFO(a << ' ' << b << ' ' << d);
      CHECK(value(QUADRATIC(+), a, b, d) == Approx(b < 0 ? one : other).epsilon(1e-9));
      CHECK(value(QUADRATIC(-), a, b, d) == Approx(b < 0 ? other : one).epsilon(1e-9));
    }
  }
  CHECK(value(QUADRATIC(+), 1., 1e8, 1.) == Approx(-1e-8).epsilon(1e-15).margin(0));
  CHECK(value(QUADRATIC(-), 1., -1e8, 1.) == Approx(1e-8).epsilon(1e-15).margin(0));
  CHECK(applies("choice_times_factors", QUADRATIC(+), 1., 3., 1.));
}
TEST_CASE("inverse hyperbolic functions are found in logarithms", "[rewrite]") {
  for (double x : {-1e200, -1e10, -3., -1e-9, 0., 1e-300, 0.5, 7., 1e8, 1e300}) {
    CHECK(value(BOTH(log(x + sqrt(x * x + 1))), x, 0.) == Approx(std::asinh(x)).margin(0));
    CHECK(value(BOTH(log(sqrt(x * x + 1) - x)), x, 0.) == Approx(-std::asinh(x)).margin(0));
    CHECK(value(BOTH(log(sqrt(1 + 4 * x * x) + 2 * x)), x / 2, 0.) ==
          Approx(std::asinh(x)).margin(0));
    double const y = 1 + std::abs(x);
    CHECK(value(BOTH(log(x + sqrt(x * x - 1))), y, 0.) == Approx(std::acosh(y)).margin(0));
  }
  CHECK(std::isnan(value(BOTH(log(x + sqrt(x * x - 1))), -2., 0.)));
  CHECK(std::isnan(value(BOTH(log(x + sqrt(x * x - 1))), 0.5, 0.)));
  for (double x : {-0.999, -0.5, -1e-12, 0., 1e-300, 1e-5, 0.3, 0.9999999}) {
    CHECK(value(BOTH(log((1 + x) / (1 - x))), x, 0.) == Approx(2 * std::atanh(x)).margin(0));
    CHECK(value(BOTH(0.5 * log((1 - x) / (1 + x))), x, 0.) == Approx(-std::atanh(x)).margin(0));
    CHECK(value(BOTH(log((4 + x * y) / (4 - x * y))), 4 * x, 1.) ==
          Approx(2 * std::atanh(x)).margin(0));
  }
  CHECK(value(BOTH(log((3 + x) / (3 - x))), 2.9999999992774469, 0.) ==
        Approx(22.8399896335794).epsilon(1e-13));
  CHECK(std::isnan(value(BOTH(log((1 + x) / (1 - x))), 3., 0.)));
  CHECK(value(BOTH(log((1 + x) / (1 - x))), 1., 0.) == infinity);
  CHECK_FALSE(applies("inverse_tanh", BOTH(log(x / (1 - x))), 0.5, 0.));
}
TEST_CASE("roots of squares stay in range", "[rewrite]") {
  for (double x : {-1e300, -1e-300, -2., 0., 3., 1e200}) {
    CHECK(value(BOTH(sqrt(2 * x * x)), x, 0.) == Approx(std::sqrt(2.) * std::abs(x)).margin(0));
    CHECK(value(BOTH(sqrt(x * x + x * x)), x, 0.) == Approx(std::sqrt(2.) * std::abs(x)).margin(0));
    if (x != 0)
      CHECK(value(BOTH(1 / sqrt(2 * x * x)), x, 0.) ==
            Approx(1 / std::sqrt(2.) / std::abs(x)).margin(0));
  }
  CHECK(value([](auto x, auto y, auto z, auto t) { return sqrt(sqr(x / y) * sqr(z / t)); }, 1e200,
              2e200, 3e200, 1e200) == 1.5);
  CHECK(value([](auto x, auto y, auto z) { return sqrt(2 * sqr(x * (y * z))); }, 1e200, 1e200,
              1e-300) == Approx(std::sqrt(2.) * 1e100));
  CHECK(value(BOTH(6.6e-34 * x * x / (y * y)), 1e162, 1.) == Approx(6.6e290));
  // Of a factor that may be negative nothing is said.
  CHECK(value(BOTH(sqrt(x * x * y)), 0., -3.) == 0);
  CHECK(std::isnan(value(BOTH(sqrt(x * x * y)), 1., -3.)));
}
TEST_CASE("lengths stay in range", "[rewrite]") {
  auto const plane = BOTH(sqrt(x * x + y * y));
  auto const space = [](auto x, auto y, auto z) { return sqrt(x * x + y * y + z * z); };
  for (double scale : {1e-320, 1e-200, 1e-160, 1., 1e150, 1e200, 3e307}) {
    double const error = scale < 1e-300 ? 1e-3 : 1e-15;
    CHECK(value(plane, 3 * scale, -4 * scale) == Approx(5 * scale).epsilon(error).margin(0));
    CHECK(value(space, 2 * scale, -3 * scale, 4 * scale) ==
          Approx(std::sqrt(29.) * scale).epsilon(error).margin(0));
    CHECK(value(BOTH(sqrt(x * x + 4 * y * y)), 3 * scale, 2 * scale) ==
          Approx(5 * scale).epsilon(error).margin(0));
    CHECK(value(BOTH(1 / sqrt(sqr(x) + sqr(x + y))), 3 * scale, scale) ==
          Approx(0.2 / scale).epsilon(error).margin(0));
    CHECK(value(BOTH(log(x * x + y * y)), 3 * scale, 4 * scale) ==
          Approx(2 * (std::log(5.) + std::log(scale))).epsilon(error));
    CHECK(value(BOTH(log10(sqrt(x * x + y * y))), 3 * scale, 4 * scale) ==
          Approx(std::log10(5.) + std::log10(scale)).epsilon(error));
  }
  CHECK(value(BOTH(log2(x * x + y * y)), 1., 0x1p-26) == Approx(3.2e-16).epsilon(0.02).margin(0));
  CHECK(value([](auto x, auto y, auto z) { return log(x * x + y * y + z * z); }, 1., 0x1p-26, 0.) ==
        Approx(2.2e-16).epsilon(0.02).margin(0));
  CHECK(value(plane, 0., 0.) == 0);
  CHECK(value(plane, -0., infinity) == infinity);
  CHECK(std::isnan(value(plane, std::nan(""), 1.)));
  CHECK(value(BOTH(sqrt(1 + x * x)), 1e200, 0.) == 1e200);
  CHECK(value(BOTH(sqrt(x * x + 3)), 1., 0.) == 2);  // not of an inexact root of 3
  CHECK(value_without("lengths", plane, 1e200, 1e200) == infinity);
  // The sum of squares is there: its root is all that is missing.
  CHECK(value(BOTH(sqrt(x * x + y * y) + (x * x + y * y)), 3., 4.) == 30);
}
TEST_CASE("long sums under a root stay, whichever operand is long", "[rewrite]") {
  for (bool const right : {false, true}) {
    kt::graph g;
    kt::term const x{&g, g.input({kt::element::float64, 0, 0}, 0)};
    kt::term sum = sqr(x);
    for (int i = 0; i < 100'000; ++i) sum = right ? x + sum : sum + x;
    g.results().push_back(sqrt(sum).id);
    kt::graph const made = kt::rewrite::length_pass(g).run();
    CHECK(made.size() == g.size());
    CHECK_FALSE(made.has<kt::op::hypot>());
  }
}
TEST_CASE("differences of squares keep their digits", "[rewrite]") {
  CHECK(value(BOTH(x * x - y * y), 1e8 + 1, 1e8) == 200000001);
  CHECK(value(BOTH(x * x - y * y), 94906267., 94906266.) == 189812533);
  CHECK(value(BOTH(sqr(x + y) - sqr(x)), 1., 1e-20) == 2e-20);
  CHECK(value(BOTH(3 * sqr(x + y) - 3 * sqr(x - y)), 2., 1e-20) == Approx(2.4e-19).margin(0));
  CHECK(value(BOTH(1 - sqr(1 - x + x * y)), 1e-20, 0.5) == Approx(1e-20).margin(0));
  CHECK(value(BOTH(sqr(x) - 4), 3., 0.) == 5);
}
