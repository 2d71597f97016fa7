// Binary exponents and neighbours of numbers: NumPy's results in batches, alone and as constants, and gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cpu/simd/math.hpp>

#include <cmath>
#include <limits>

#include "run/reference.hpp"

using namespace reference;
namespace math = kroton::math;

namespace {

template <class R>
bool same(R a, R b) {
  return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
}
template <class R>
using limits = std::numeric_limits<R>;

}  // namespace

TEMPLATE_TEST_CASE("products with powers of two are rounded once", "[math]", double, float) {
  using R = TestType;
  R const largest = limits<R>::max(), least = limits<R>::denorm_min(), normal = limits<R>::min();
  for (R x : {R(0), R(-0.), R(1), R(-3), R(1) / 3, R(-1.9), R(5) * least, R(3) * normal, largest,
              -largest, limits<R>::infinity(), limits<R>::quiet_NaN()})
    for (int n : {0, 1, -1, 5, -120, -126, -127, -140, -150, -151, -280, 277, 300, -1000, -1022,
                  -1050, -1074, -1075, -2000, -2097, -2098, -2150, 1023, 2000, 2098, 2147483647}) {
      R const exact = std::ldexp(x, n);
      CAPTURE(x, n, exact);
      CHECK(same(math::ldexp(x, static_cast<R>(n)), exact));
      CHECK(same(math::ldexp(xsimd::batch<R>(x), xsimd::batch<R>(static_cast<R>(n))).get(0), exact));
    }
  STATIC_REQUIRE(math::ldexp(R(3), R(-2)) == R(0.75));
  STATIC_REQUIRE(math::ldexp(R(3), R(-151)) == (sizeof(R) == 4 ? limits<R>::denorm_min() : R(0x3p-151)));
  STATIC_REQUIRE(math::ldexp(R(-3), R(9000)) == -limits<R>::infinity());
}

TEMPLATE_TEST_CASE("exponents and neighbours", "[math]", double, float) {
  using R = TestType;
  using B = xsimd::batch<R>;
  R const edge[] = {R(0), R(-0.), R(1), R(-1), R(0.5), R(6), limits<R>::denorm_min(),
                    -limits<R>::min(), limits<R>::max(), limits<R>::infinity(),
                    limits<R>::quiet_NaN()};
  for (R x : edge) {
    int n = 0;
    if (std::isfinite(x)) std::frexp(x, &n);
    CHECK(math::frexp_exponent(x) == static_cast<R>(n));
    CHECK(math::frexp_exponent(B(x)).get(0) == static_cast<R>(n));
    for (R y : edge) {
      R const next = std::nextafter(x, y);
      CAPTURE(x, y, next);
      CHECK(same(math::nextafter(x, y), next));
      CHECK(same(math::nextafter(B(x), B(y)).get(0), next));
      CHECK(same(math::constant::nextafter(x, y), next));
    }
  }
  STATIC_REQUIRE(math::frexp_exponent(R(6)) == 3);
  STATIC_REQUIRE(math::frexp_exponent(limits<R>::denorm_min()) == (sizeof(R) == 4 ? -148 : -1073));
  STATIC_REQUIRE(math::nextafter(R(1), R(2)) == 1 + limits<R>::epsilon());
  STATIC_REQUIRE(math::nextafter(R(0), R(-1)) == -limits<R>::denorm_min());
}

TEST_CASE("ldexp, frexp and nextafter of variables, and their gradients") {
  auto const f = kt::function([](kt::dvector x, kt::ivector n, kt::fscalar s) {
    auto const [mantissa, exponent] = frexp(x);
    auto const scaled = ldexp(x, n), next = nextafter(x, -x);
    static_assert(std::is_same_v<decltype(ldexp(s, n)), kt::fvector>);
    static_assert(std::is_same_v<decltype(exponent), kt::ivector const>);
    auto const slope = [&](auto y) { return grad(sum(sqr(y)), x); };
    return std::tuple(mantissa, exponent, scaled, next, ldexp(s, n), slope(mantissa), slope(scaled),
                      slope(next), grad(sum(grad(sum(sqr(scaled)), x)), x));
  });
  vec<double> const x{0.75, -6, 1024, 0x1p-1074, 0};
  xt::xtensor<std::int32_t, 1> const n{2, -1, 0, 1000, 3};
  auto const [mantissa, exponent, scaled, next, single, of_mantissa, of_scaled, of_next, second] =
      f(x, n, 3.f);
  for (std::size_t i = 0; i < x.size(); ++i) {
    int e = 0;
    double const m = std::frexp(x(i), &e);
    CHECK(mantissa(i) == m);
    CHECK(exponent(i) == e);
    CHECK(scaled(i) == std::ldexp(x(i), n(i)));
    CHECK(next(i) == std::nextafter(x(i), -x(i)));
    CHECK(single(i) == std::ldexp(3.f, n(i)));
    CHECK(of_mantissa(i) == std::ldexp(2 * m, -e));
    CHECK(of_scaled(i) == std::ldexp(2 * scaled(i), n(i)));
    CHECK(of_next(i) == 2 * next(i));
    CHECK(second(i) == std::ldexp(2., 2 * n(i)));
  }
}

TEST_CASE("ldexp of numbers, integers and terms") {
  auto const f = kt::function([](kt::lvector k) { return std::pair(ldexp(k, 3), ldexp(0.5, k)); });
  xt::xtensor<std::int64_t, 1> const k{3, -7};
  auto const [eighth, halves] = f(k);
  CHECK(eighth(1) == -56);
  CHECK(halves(0) == 4);
  CHECK(halves(1) == 0x1p-8);
  kt::graph g;
  kt::term const x{&g, g.input(kt::dvector::parameter_type, 0)};
  ldexp(x, x);
  CHECK(g.error().find("kt::ldexp: the exponent must be an integer") != std::string::npos);
}
