// The order of products, and differences of one function at two arguments, in numbers: against long
// double.
// SPDX-License-Identifier: BSD-3-Clause
#include <random>

#include "run/seed.hpp"
#include "run/values.hpp"

using namespace values;

TEST_CASE("products stay in range where the order as written does", "[rewrite]") {
  CHECK(value([](auto x, auto y) { return x * (sin(y) / y); }, 1e300, 1e200) ==
        1e300 * (std::sin(1e200) / 1e200));
  CHECK(value([](auto x, auto y) { return x * y * y; }, 1e-300, 1e200) == Approx(1e100));
  CHECK(value([](auto x, auto y) { return sqr(x / y); }, 1e200, 1e199) == Approx(100));
  CHECK(value([](auto x, auto y, auto z) { return x / y * z; }, 1e200, 1e150, 1e200) ==
        Approx(1e250));
  CHECK(value([](auto x, auto y, auto z) { return x / y / z; }, 1e-10, 1e200, 1e-200) ==
        Approx(1e-10));
  CHECK(value([](auto t) { return 2 * t / (1 + t) * (2 * t / (1 + t)); }, 1e197) == 4);
}

TEST_CASE("what is left when factors cancel is paired as written", "[rewrite]") {
  CHECK(value([](auto x, auto y, auto z, auto t) { return x * (y / z * t / t); }, 1e200, 1e150,
              1e100, 3.) == Approx(1e250));
  CHECK(value([](auto x, auto y, auto z) { return y * (sqr(x / y) * z); }, 1e200, 1e190, 0.5) ==
        Approx(5e209));
  CHECK(value([](auto x, auto y) { return -x / -x / (y * -x) * 3; }, 4., 0.5) == Approx(-1.5));
  CHECK(value([](auto m, auto h, auto x, auto y) { return -(m / h) * (x - y); }, 1e200, 1e190,
              1e160, 2e160) == Approx(1e170));
}

TEST_CASE("powers of a sum that cancel with a sign", "[rewrite]") {
  CHECK(value([](auto x, auto z) { return -(pow(x - 4, 2) / (x - 4)) * z; }, 7., 5.) == -15);
  CHECK(value([](auto x) { return -3 * (pow(x - 4, 2) / (x - 4)); }, 7.) == -9);
  CHECK(value([](auto x, auto z) { return -(pow(x - 4, 3) / pow(x - 4, 2)) * z; }, 7., 5.) == -15);
  CHECK(value([](auto x, auto z) { return -z * (pow(x - 4, 2) / pow(x - 4, 3)); }, 7., 6.) == -2);
}

TEST_CASE("roots of a product are that product, whose coefficient counts once", "[rewrite]") {
  CHECK(value(
            [](auto x) {
              auto const h = pow(x + x, 0.5);
              return (-h * h) * (-h * h);
            },
            3.) == Approx(36));
  CHECK(value(
            [](auto x) {
              auto const h = pow(x + x, 0.5);
              return pow(pow(-h, 3) / h, 3);
            },
            3.) == Approx(-216));
}

TEST_CASE("a divisor stays in a sum that has more to do", "[rewrite]") {
  auto const f = [](auto n, auto u, auto a, auto b) {
    return sin((1 - u) * n) * (1 / sin(n)) * a + sin(u * n) * (1 / sin(n)) * b;
  };
  CHECK(value(f, 1e-200, 0.25, 1e-200, 2e-200) / 1.25e-200 == Approx(1));
}

TEST_CASE("a square that others need stays apart where it was", "[rewrite]") {
  CHECK(value(
            [](auto r, auto v, auto w) {
              return 3 + 2 / (r * r) - 0.125 * (3 - 2 * v) * (w * w * r * r) / (1 - v) - 4.5;
            },
            1e180, 0., 1e-100) == Approx(-0.375e160));
}

TEST_CASE("whole powers of powers are powers without the rule for the others", "[rewrite]") {
  constexpr std::string_view names[] = {"power_of_power"};
  kt::rewrite::rewrite_options without;
  without.excluded = {names, 1};
  CHECK(value_with(
            without, [](auto x, auto y) { return sqr(x) * y + x * y / sqr(x) + sqrt(sqr(x)); }, -2.,
            3.) == Approx(12.5));
}

TEST_CASE("coefficients are applied once", "[rewrite]") {
  CHECK(value([](auto x, auto y, auto z) { return (y * x) * (z / (y * x) + 3); }, 2., 3., 5.) ==
        Approx(23));
  CHECK(value([](auto x, auto y) { return (1 / (y * x) + 3) / (1 / (y * x)); }, 2., 3.) ==
        Approx(19));
  CHECK(value([](auto x, auto y) { return sqr(3 / x) * y + sqr(2 * x * y) / (2 * x * y); }, 2.,
              3.) == Approx(18.75));
}

TEST_CASE("a quotient by an exponential is not a product with one", "[rewrite]") {
  constexpr std::string_view names[] = {"exponentials"};
  kt::rewrite::rewrite_options without;
  without.excluded = {names, 1};
  double const e = std::exp(0.5);
  CHECK(value_with(
            without, [](auto x) { return 1 / (1 + exp(x)) / exp(x); }, 0.5) ==
        Approx(1 / (1 + e) / e));
}

TEST_CASE("differences keep their digits", "[rewrite]") {
  CHECK(value([](auto x) { return sqrt(x + 1) - sqrt(x); }, 1e20) == 5e-11);
  CHECK(value([](auto x, auto y) { return (sqrt(x + 1) - sqrt(x)) + (sqrt(y + 1) - sqrt(y)); },
              1e20, 1e20) == 1e-10);
  CHECK(value([](auto x) { return 1 / (x + 1) - 1 / x; }, 1e20) == Approx(-1e-40));
  CHECK(value([](auto x) { return log(x + 1) - log(x); }, 1e20) == 1e-20);
  CHECK(value([](auto x) { return log(x + 1) - log(x); }, 1e-300) == Approx(-std::log(1e-300)));
  CHECK(value([](auto x) { return atan(x + 1) - atan(x); }, 1e10) == Approx(1e-20));
  CHECK(value([](auto x, auto y) { return sin(x + y) - sin(x); }, 1., 1e-20) ==
        Approx(1e-20 * std::cos(1.)));
  CHECK(value([](auto x) { return 1 / sqrt(x) - 1 / sqrt(x + 1); }, 1e20) == Approx(5e-31));
}

TEST_CASE("differences at the ends are those as written", "[rewrite]") {
  CHECK(value([](auto x, auto y) { return sqrt(x + y) - sqrt(x); }, 0., 0.) == 0);
  CHECK(value([](auto x, auto y) { return 1 / (x + exp(y)) - 1 / x; }, 2., 800.) == -0.5);
  CHECK(value([](auto x, auto y) { return atan(x + exp(y)) - atan(x); }, 0., 800.) ==
        Approx(1.5707963267948966));
  CHECK(value([](auto x) { return sqrt(x + 1) - sqrt(x); }, 0.) == 1);
}

TEST_CASE("differences are the same elsewhere", "[rewrite]") {
  std::mt19937 random = seeded_generator();
  std::uniform_real_distribution<double> near(-3, 3), positive(0.01, 5);
  for (int trial = 0; trial < 30; ++trial) {
    double const x = near(random), y = near(random), p = positive(random), q = positive(random);
    agrees(BOTH(sqrt(x + y + 2) - sqrt(x + y)), p, q);
    agrees(BOTH(2 * sqrt(x) - 2 * sqrt(x + 3) + y), p, q);
    agrees(BOTH(1 / (x + y) - 1 / (x + y + 2)), p, q);
    agrees(BOTH(1 / sqrt(x + 2) - 1 / sqrt(x)), p, q);
    agrees(BOTH(log(x + 3) - log(x)), p, q);
    agrees(BOTH(log(x) - log(x + 3)), p, q);
    agrees(BOTH(sin(x - y) - sin(x)), x, y);
    agrees(BOTH(cos(x + y) - cos(x)), x, y);
    agrees(BOTH(tan(x + y) - tan(x)), x, y);
    agrees(BOTH(atan(x + y + 2) - atan(x + y)), x, 3 * y);
    agrees(BOTH(pow(x + 2, 1. / 3) - pow(x, 1. / 3)), p, q);
  }
}
