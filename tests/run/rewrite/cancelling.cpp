// Fractions, powers, x log x and functions less the first term of their series, where the leading
// parts cancel: against forms that do not, in long double.
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "run/values.hpp"

using namespace values;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double magnitudes[] = {1e-300, 1e-100, 1e-20, 1e-8, 1e-3, 0.2, 0.45,
                                 0.55,   0.95,   1.05,  2,    4,    30,  600};

/// f(x) - x near 0 by its series, in long double.
template <class F>
long double less_argument(F f, long double x, long double leading, int order) {
  if (std::abs(x) > 1e-4L) return f(x) - x;
  return leading * std::pow(x, order);
}

}  // namespace

TEST_CASE("functions less the first term of their series", "[rewrite]") {
  for (double magnitude : magnitudes)
    for (double x : {magnitude, -magnitude}) {
      INFO(x);
      double const error = std::abs(x) < 1e-2 ? 2e-5 : 1e-12;
      auto const check = [&](auto f, long double expected) {
        if (std::abs(expected) < 1e-300L || std::abs(expected) > 1e300L) return;
        CHECK(value(f, x) == Approx(static_cast<double>(expected)).epsilon(error).margin(0));
      };
      using wide = long double;
      wide const w = x;
      check([](auto v) { return sin(v) - v; },
            less_argument([](wide v) { return std::sin(v); }, w, -1.L / 6, 3));
      check([](auto v) { return 2 * v - 2 * tan(v); },
            -2 * less_argument([](wide v) { return std::tan(v); }, w, 1.L / 3, 3));
      check([](auto v) { return sinh(v) - v; },
            less_argument([](wide v) { return std::sinh(v); }, w, 1.L / 6, 3));
      check([](auto v) { return v - tanh(v) + v * 0; },
            -less_argument([](wide v) { return std::tanh(v); }, w, -1.L / 3, 3));
      check([](auto v) { return exp(v) - 1 - v; },
            less_argument([](wide v) { return std::expm1(v); }, w, 0.5L, 2));
      check([](auto v) { return 1 / v - 1 / tan(v); },
            std::abs(w) > 1e-4L ? 1 / w - 1 / std::tan(w) : w / 3);
      check([](auto v) { return 1 / tanh(v) - 1 / v; },
            std::abs(w) > 1e-4L ? 1 / std::tanh(w) - 1 / w : w / 3);
    }
  CHECK(value([](auto x) { return sin(x) - x; }, 0.) == 0);
  CHECK(value([](auto x) { return tanh(x) - x; }, infinity) == -infinity);
  CHECK(std::isnan(value([](auto x) { return sin(x) - x; }, infinity)));
  CHECK(value([](auto x) { return (x - sin(x)) / (x - tan(x)); }, 1e-50) == Approx(-0.5));
  CHECK(value(BOTH(sin(x * y) - x * y), 1e150, 1e-151) == Approx(-1.665833531718508e-4));
  CHECK(applies("remainder_of_series", BOTH(y * y + sin(x * y) - x * y), 1., 1.));
  CHECK(value_without("regimes", BOTH(sin(x) - x), 1e-9, 0.) == 0);
}

TEST_CASE("fractions whose leading terms cancel", "[rewrite]") {
  for (double x : {-1e200, -1e20, -1e5, -3., 0.25, 7., 1e8, 1e150}) {
    long double const w = x;
    CHECK(value([](auto v) { return 1 / (v + 1) - 2 / v + 1 / (v - 1); }, x) ==
          Approx(double(2 / w / (w + 1) / (w - 1))).margin(0));
    CHECK(value([](auto v) { return v / (v + 1) - (v + 1) / (v - 1); }, x) ==
          Approx(double(-(3 * w + 1) / (w + 1) / (w - 1))).margin(0));
    CHECK(value(BOTH(1 - (1 - x) * y / (y + 1)), 1e-3, x) ==
          Approx(double((1 + 1e-3L * w) / (w + 1))).margin(0));
    CHECK(value(BOTH(3 * y / (x + y) + 3 * x / (x + y)), x, 2.) == Approx(3));
  }
  CHECK(value([](auto x) { return 1e10 + 1e10 * ((x - 1) / (x + 1)); }, 1e303) == 2e10);
  // A difference that is written as a product keeps its digits.
  CHECK(value([](auto x, auto y,
                 auto w) { return (x - y) * (x + y) / (x + 1) + w - w * x / (x + 1); },
              1e8 + 1, 1e8, 3.) == Approx(double((200000001.L + 3) / (1e8L + 2))));
  // What would be inf / inf stays.
  CHECK(value([](auto x) { return 1 - 1 / (1 + x * x); }, 1e200) == 1);
  CHECK(value([](auto x) { return 1 - 1 / (1 + cosh(x)); }, 800.) == 1);
  CHECK(value(BOTH(1 / x - 1 / (x + y)), 2., infinity) == 0.5);
}

TEST_CASE("differences of powers with one exponent", "[rewrite]") {
  for (double x : {0., 1e-300, 1e-10, 0.3, 2., 1e5, 1e15, 1e18, 1e200})
    for (double n : {-1e10, -7.5, -0.5, 1e-3, 0.3, 2., 3.5, 1e5, 1e200}) {
      INFO("x = " << x << ", n = " << n);
      long double const w = x, p = 1 / static_cast<long double>(n);
      long double const t = w > 0 ? -p * std::log1p(1 / w) : p > 0 ? -HUGE_VALL : HUGE_VALL;
      long double const exact = std::abs(t) < 0.5L ? -std::pow(w + 1, p) * std::expm1(t)
                                                   : std::pow(w + 1, p) - std::pow(w, p);
      double const expected = double(exact);
      if (std::isinf(expected) || std::abs(expected) < 1e-290) continue;
      CHECK(value(BOTH(pow(x + 1, 1 / y) - pow(x, 1 / y)), x, n) ==
            Approx(expected).epsilon(1e-10).margin(0));
      CHECK(value(BOTH(2 * pow(x, 1 / y) - 2 * pow(1 + x, 1 / y)), x, n) ==
            Approx(-2 * expected).epsilon(1e-10).margin(0));
    }
  CHECK(value(BOTH(pow(x + 1, y) - pow(x, y)), -3., 2.) == Approx(-5));
  CHECK(value(BOTH(pow(x + 2, y) - pow(x, y)), -0.5, 3.) == Approx(3.5));
  CHECK(value(BOTH(pow(x + 1, y) - pow(x, y)), 2., 0.) == 0);
}
TEST_CASE("differences of distant arguments are those as written", "[rewrite]") {
  CHECK(value([](auto x) { return log(x + 1e10) - log(x); }, 1e-300) == Approx(713.8014135));
  CHECK(value(BOTH(pow(x + 1e10, y) - pow(x, y)), 1e-300, 2.4e-4) ==
        Approx(std::pow(1e10, 2.4e-4) - std::pow(1e-300, 2.4e-4)));
}
TEST_CASE("differences of cube roots", "[rewrite]") {
  for (double x : {-1e20, -8., -1., -0.5, 0., 1e-9, 3., 1e15, 1e200}) {
    long double const a = std::cbrt(static_cast<long double>(x) + 1),
                      b = std::cbrt((long double){x});
    CHECK(value([](auto v) { return cbrt(v + 1) - cbrt(v); }, x) ==
          Approx(static_cast<double>(1 / (a * a + a * b + b * b))).epsilon(1e-14).margin(0));
  }
}
TEST_CASE("a power of 1 + x less 1", "[rewrite]") {
  for (double x : {-0.999, -0.3, -1e-12, 1e-300, 1e-18, 1e-5, 0.25, 10., 1e10})
    for (double n : {-30., -0.7, 0., 1e-5, 0.5, 3., 12.5}) {
      INFO("x = " << x << ", n = " << n);
      double const expected = double(std::expm1(n * std::log1p(static_cast<long double>(x))));
      CHECK(value(BOTH(pow(1 + x, y) - 1), x, n) == Approx(expected).epsilon(1e-11).margin(0));
      CHECK(value(BOTH(y + (5 - 5 * pow(x + 1, y))), x, n) ==
            Approx(n - 5 * expected).epsilon(1e-11).margin(1e-300));
    }
  CHECK(value(BOTH(pow(1 + x, y) - 1), -3., 2.) == 3);
  CHECK(value(BOTH(100 * (pow(1 + x / y, y) - 1) / (x / y)), 1e-14, 12.) ==
        Approx(1200).epsilon(1e-12));
}
TEST_CASE("differences of x log x", "[rewrite]") {
  for (double n : {1e-3, 0.5, 3., 1e6, 1e17, 1e200}) {
    long double const w = n;
    CHECK(value([](auto x) { return (x + 1) * log(x + 1) - x * log(x) - 1; }, n) ==
          Approx(double(std::log(w + 1) + (w * std::log1p(1 / w) - 1))).margin(1e-13));
    CHECK(value([](auto x) { return 2 * x * log(x) - 2 * (x + 3) * log(x + 3); }, n) ==
          Approx(double(-2 * (3 * std::log(w + 3) + w * std::log1p(3 / w)))).margin(1e-13));
  }
}
TEST_CASE("quotients of sines, and logarithms to a base", "[rewrite]") {
  for (double x : {1e-200, 1e-9, 0.4, 2., 1.2}) {
    CHECK(value([](auto v) { return (1 - cos(v)) / sin(v); }, x) ==
          Approx(std::tan(x / 2)).margin(0));
    CHECK(value([](auto v) { return tan(v / 3) / sin(v / 3); }, x) == Approx(1 / std::cos(x / 3)));
    CHECK(value([](auto v) { return 5 * sin(2 * v) / tan(2 * v); }, x) ==
          Approx(5 * std::cos(2 * x)));
    CHECK(value([](auto v) { return (1 - cos(v)) / (v * v); }, x) ==
          Approx(2 * std::pow(std::sin(x / 2) / x, 2)));
    CHECK(value(
              [](auto v) {
                auto const ten = kt::term{v.of, v.of->literal(10, kt::element::float64)};
                return log(v) / log(ten);
              },
              x) == Approx(std::log10(x)).epsilon(1e-15));
  }
}
