// Checks that constant evaluation gives the values of run time: special values exactly, others
// within 1 ulp of double. SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <catch2/catch.hpp>

#include <kroton/math/functions.hpp>

namespace math = kroton::math;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double denormal = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

constexpr double arguments[] = {
    0.0,    -0.0,  denormal, -1e-310, 1e-300,  1e-30,    -1e-9,  0.1,         0.25,  -0.3,
    0.5,    -0.5,  0.75,     1.0,     -1.0,    1.000001, 1.25,   1.5,         -1.75, 2.0,
    2.5,    -2.5,  3.0,      -3.5,    5.0,     6.5,      -7.25,  10.0,        22.0,  -26.0,
    26.7,   -30.5, 100.0,    -708.5,  709.5,   710.25,   -745.5, 1024.5,      1e5,   -1e10,
    4.5e15, 1e22,  -1e150,   1e305,   largest, inf,      -inf,   not_a_number};
constexpr std::size_t count = sizeof(arguments) / sizeof(arguments[0]);

/// Distance in units in the last place, 0 for two NaNs; a wrong sign of zero counts as far.
template <class R>
double ulps(R x, R y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0 : HUGE_VAL;
  if (x == y) return std::signbit(x) == std::signbit(y) ? 0 : HUGE_VAL;
  const R size = std::fmax(std::fabs(x), std::numeric_limits<R>::min());
  return std::fabs(static_cast<double>(x) - static_cast<double>(y)) /
         std::ldexp(1.0, std::ilogb(size) + 1 - std::numeric_limits<R>::digits);
}

// Fewer for the functions of two arguments, which take every combination.
constexpr double both[] = {0.0,  -0.0, 1e-310, 0.3,    -0.5,    1.0, -1.0, 2.5,
                           -3.0, 7.0,  250.0,  -1e300, largest, inf, -inf, not_a_number};
constexpr std::size_t both_count = sizeof(both) / sizeof(both[0]);

// Variable templates, so that every value is a constant of its own, with its own limit of steps in
// the compiler: this file compiles only if all are constants.
template <class R, auto f, std::size_t i>
constexpr R constant_1 = f(math::constant::rounded<R>(arguments[i]));
template <class R, auto f, std::size_t i>
constexpr R constant_2 = f(math::constant::rounded<R>(both[i / both_count]),
                           math::constant::rounded<R>(both[i % both_count]));

template <class R, auto f>
double worst_unary(std::string& where) {
  double worst = 0;
  const auto constants = []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array{constant_1<R, f, i>...};
  }
  (std::make_index_sequence<count>());
  for (std::size_t i = 0; i < count; ++i) {
    volatile R x = static_cast<R>(arguments[i]);
    const double error = ulps<R>(constants[i], f(R(x)));
    if (error > worst)
      where = "at " + std::to_string(arguments[i]) + ", number " + std::to_string(i);
    worst = std::fmax(worst, error);
  }
  return worst;
}
template <class R, auto f>
double worst_binary(std::string& where) {
  double worst = 0;
  const auto constants = []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array{constant_2<R, f, i>...};
  }
  (std::make_index_sequence<both_count * both_count>());
  for (std::size_t i = 0; i < both_count * both_count; ++i) {
    volatile R x = static_cast<R>(both[i / both_count]), y = static_cast<R>(both[i % both_count]);
    const double error = ulps<R>(constants[i], f(R(x), R(y)));
    if (error > worst) where = "at " + std::to_string(x) + " and " + std::to_string(y);
    worst = std::fmax(worst, error);
  }
  return worst;
}

#define CHECK_UNARY(name, bound)                                                   \
  {                                                                                \
    std::string where;                                                             \
    const double worst = worst_unary<R, [](R x) { return math::name(x); }>(where); \
    INFO(#name << " " << where);                                                   \
    CHECK(worst <= bound);                                                         \
  }
#define CHECK_BINARY(name, bound)                                                           \
  {                                                                                         \
    std::string where;                                                                      \
    const double worst = worst_binary<R, [](R x, R y) { return math::name(x, y); }>(where); \
    INFO(#name << " " << where);                                                            \
    CHECK(worst <= bound);                                                                  \
  }

}  // namespace

TEMPLATE_TEST_CASE("constants equal run-time values: exponentials and logarithms", "[math]", double,
                   float) {
  using R = TestType;
  CHECK_UNARY(exp, 1)
  CHECK_UNARY(exp2, 1)
  CHECK_UNARY(expm1, 2)
  CHECK_UNARY(cbrt, 2)
  CHECK_UNARY(log, 1)
  CHECK_UNARY(log2, 1)
  CHECK_UNARY(log10, 2)
  CHECK_UNARY(log1p, 1)
  CHECK_UNARY(sqrt, 0)
  CHECK_UNARY(sinh, 2)
  CHECK_UNARY(cosh, 2)
  CHECK_UNARY(tanh, 2)
  CHECK_UNARY(asinh, 2)
  CHECK_UNARY(acosh, 2)
  CHECK_UNARY(atanh, 2)
}

TEMPLATE_TEST_CASE("constants equal run-time values: trigonometry", "[math]", double, float) {
  using R = TestType;
  CHECK_UNARY(sin, 1)
  CHECK_UNARY(cos, 1)
  CHECK_UNARY(tan, 1)
  CHECK_UNARY(asin, 1)
  CHECK_UNARY(acos, 1)
  CHECK_UNARY(atan, 1)
}

TEMPLATE_TEST_CASE("constants equal run-time values: rounding and signs", "[math]", double, float) {
  using R = TestType;
  CHECK_UNARY(abs, 0)
  CHECK_UNARY(sgn, 0)
  CHECK_UNARY(inv, 0)
  CHECK_UNARY(floor, 0)
  CHECK_UNARY(ceil, 0)
  CHECK_UNARY(round, 0)
  CHECK_UNARY(trunc, 0)
}

TEMPLATE_TEST_CASE("constants equal run-time values: special functions", "[math]", double, float) {
  using R = TestType;
  CHECK_UNARY(erf, 1)
  CHECK_UNARY(erfc, 5)
  CHECK_UNARY(gammaln, 4)
  CHECK_UNARY(erfcx, 3)
  CHECK_UNARY(logerfc, 4)
  CHECK_UNARY(sigmoid, 2)
  CHECK_UNARY(softplus, 2)
  CHECK_UNARY(log1mexp, 2)
  CHECK_UNARY(digamma, 4)
  CHECK_UNARY(trigamma, 6)
  CHECK_UNARY(erfinv, 2)
  CHECK_UNARY(erfcinv, 2)
  CHECK_UNARY(gamma, 4)
}

TEMPLATE_TEST_CASE("constants equal run-time values: Bessel functions", "[math]", double, float) {
  using R = TestType;
  CHECK_UNARY(i0, 3)
  CHECK_UNARY(i1, 3)
  CHECK_UNARY(i0e, 3)
  CHECK_UNARY(i1e, 3)
  CHECK_UNARY(j0, 4)
  CHECK_UNARY(j1, 4)
}

TEMPLATE_TEST_CASE("constants equal run-time values: binary functions", "[math]", double, float) {
  using R = TestType;
  CHECK_BINARY(minimum, 0)
  CHECK_BINARY(maximum, 0)
  CHECK_BINARY(divide, 0)
  CHECK_BINARY(mod, 0)
  CHECK_BINARY(floordiv, 0)
}

TEMPLATE_TEST_CASE("constants equal run-time values: powers and angles", "[math]", double, float) {
  using R = TestType;
  CHECK_BINARY(pow, 1)
  CHECK_BINARY(atan2, 1)
  CHECK_BINARY(hypot, 1)
  CHECK_BINARY(loghypot, 2)
  CHECK_BINARY(logaddexp, 2)
  CHECK_BINARY(betaln, 4)
}

TEST_CASE("integers follow NumPy", "[math]") {
  STATIC_REQUIRE(math::floordiv(-7, 2) == -4);
  STATIC_REQUIRE(math::floordiv(7, -2) == -4);
  STATIC_REQUIRE(math::mod(-7, 2) == 1);
  STATIC_REQUIRE(math::mod(7, -2) == -1);
  STATIC_REQUIRE(math::floordiv(7, 0) == 0);
  STATIC_REQUIRE(math::mod(7, 0) == 0);
  STATIC_REQUIRE(math::floordiv(std::numeric_limits<int>::min(), -1) ==
                 std::numeric_limits<int>::min());
  STATIC_REQUIRE(math::mod(std::numeric_limits<int>::min(), -1) == 0);
  STATIC_REQUIRE(math::abs(std::numeric_limits<long>::min()) == std::numeric_limits<long>::min());
  STATIC_REQUIRE(math::sqr(std::numeric_limits<short>::max()) == 1);
  STATIC_REQUIRE(math::sqr(static_cast<unsigned short>(65535)) == 1);
  STATIC_REQUIRE(math::pow(3, 19) == 1162261467);
  STATIC_REQUIRE(math::pow(3L, 40L) == -6289078614652622815L);
  STATIC_REQUIRE(math::pow(-1, -3) == -1);
  STATIC_REQUIRE(math::pow(2, -1) == 0);
  STATIC_REQUIRE(math::pow(0, 0) == 1);
  STATIC_REQUIRE(math::inv(0) == 0);
  STATIC_REQUIRE(math::floordiv(7u, 2u) == 3u);
  STATIC_REQUIRE(math::floor(7) == 7);
  STATIC_REQUIRE(math::sgn(-7) == -1);
  STATIC_REQUIRE(math::sgn(7u) == 1u);
}

TEST_CASE("truth values", "[math]") {
  STATIC_REQUIRE(math::minimum(true, false) == false);
  STATIC_REQUIRE(math::maximum(true, false) == true);
  STATIC_REQUIRE(math::logical_and(true, false) == false);
  STATIC_REQUIRE(math::logical_or(true, false) == true);
  STATIC_REQUIRE(math::logical_xor(true, true) == false);
  STATIC_REQUIRE(math::logical_not(false) == true);
  STATIC_REQUIRE(math::select(true, 1.5, 2.5) == 1.5);
  STATIC_REQUIRE(math::isnan(not_a_number));
  STATIC_REQUIRE_FALSE(math::isnan(1));
  STATIC_REQUIRE_FALSE(math::eq(not_a_number, not_a_number));
  STATIC_REQUIRE(math::neq(not_a_number, not_a_number));
  STATIC_REQUIRE(std::is_same_v<decltype(math::lt(1.0f, 2.0f)), bool>);
}
