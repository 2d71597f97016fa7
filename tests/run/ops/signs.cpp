// Signs, and extrema that ignore NaN: NumPy's results in batches, alone and as constants, and gradients.
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
  return std::isnan(b) ? std::isnan(a) && std::signbit(a) == std::signbit(b) : a == b && std::signbit(a) == std::signbit(b);
}

}  // namespace

TEMPLATE_TEST_CASE("signs, and extrema that ignore NaN, of numbers and batches", "[math]", double, float) {
  using R = TestType;
  using B = xsimd::batch<R>;
  using limits = std::numeric_limits<R>;
  constexpr R nan = limits::quiet_NaN();
  R const edge[] = {R(0), R(-0.), R(1), R(-2.5), limits::denorm_min(), -limits::max(), limits::infinity(), nan, -nan};
  for (R x : edge) {
    CAPTURE(x);
    CHECK(math::signbit(x) == std::signbit(x));
    CHECK(xsimd::all(math::signbit(B(x))) == std::signbit(x));
    CHECK(xsimd::any(math::signbit(B(x))) == std::signbit(x));
    for (R y : edge) {
      CAPTURE(y);
      CHECK(same(math::copysign(x, y), std::copysign(x, y)));
      CHECK(same(math::copysign(B(x), B(y)).get(0), std::copysign(x, y)));
      CHECK(close(math::fmax(x, y), std::fmax(x, y)));
      CHECK(close(math::fmin(x, y), std::fmin(x, y)));
      CHECK(close(math::fmax(B(x), B(y)).get(0), std::fmax(x, y)));
      CHECK(close(math::fmin(B(x), B(y)).get(0), std::fmin(x, y)));
    }
  }
  STATIC_REQUIRE(math::fmax(nan, R(-1)) == -1);
  STATIC_REQUIRE(math::fmin(R(3), nan) == 3);
  STATIC_REQUIRE(math::copysign(R(3), R(-0.)) == -3);
  STATIC_REQUIRE((math::signbit(R(-0.)) && !math::signbit(R(0))));
}

// numpy.fmax, fmin, copysign and signbit of these numbers, with NumPy 1.24.
TEST_CASE("signs, and extrema that ignore NaN, of variables, and their gradients") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y, kt::lvector n, kt::fscalar s) {
    static_assert(std::is_same_v<decltype(fmax(n, n)), kt::lvector>);
    static_assert(std::is_same_v<decltype(copysign(n, n)), kt::dvector>);
    static_assert(std::is_same_v<decltype(copysign(s, s)), kt::fscalar>);
    static_assert(std::is_same_v<decltype(signbit(x > y)), kt::variable<bool, 1>>);
    auto const most = fmax(x, y), least = fmin(x, y), signed_ = copysign(x, y);
    auto const slope = [&](auto v, auto by) { return grad(sum(v * kt::constant({1., 2., 3., 4., 5., 6.})), by); };
    return std::tuple(most, least, signed_, signbit(x), fmax(n, 2), signbit(n), copysign(n, -s), slope(most, x), slope(most, y),
                      slope(least, y), slope(signed_, x), grad(sum(slope(sqr(signed_), x)), x), rop(signed_, x, y));
  });
  double const nan = not_a_number;
  vec<double> const x{1, nan, -3, nan, -0., 2}, y{-2, 5, nan, nan, 0, 2};
  xt::xtensor<std::int64_t, 1> const n{-1, 7};
  auto const [most, least, with_sign, negative, whole, below, signs, by_x, by_y, least_by_y, sign_by_x, second, forward] = f(x, y, n, 2.f);
  using V = vec<double>;
  using L = xt::xtensor<std::int64_t, 1>;
  auto const like = [](V const& got, V const& wanted) { return mismatch(got, [&](auto i) { return wanted(i); }); };
  CHECK(like(most, V{1, 5, -3, nan, 0, 2}) == "");
  CHECK(like(least, V{-2, 5, -3, nan, 0, 2}) == "");
  CHECK(like(V(xt::view(with_sign, xt::range(4, 6))), V{0, 2}) == "");
  CHECK(with_sign(0) == -1);
  CHECK_FALSE(std::signbit(with_sign(4)));
  CHECK((negative == xt::xtensor<bool, 1>{false, false, true, false, true, false}));
  CHECK((whole == L{2, 7}));
  CHECK((below == xt::xtensor<bool, 1>{true, false}));
  CHECK((signs == V{-1, -7}));
  CHECK((by_x == V{1, 0, 3, 4, 5, 6}));
  CHECK((by_y == V{0, 2, 0, 0, 0, 0}));
  CHECK((least_by_y == V{1, 2, 0, 0, 0, 0}));
  CHECK(sign_by_x(0) == -1);
  CHECK(sign_by_x(4) == 0);
  CHECK(sign_by_x(5) == 6);
  CHECK(second(0) == 2);
  CHECK(second(5) == 12);
  CHECK(forward(0) == 2);
  CHECK(forward(5) == 2);
}

TEST_CASE("vmap of signs, and their constants") {
  auto const f = kt::function(kt::vmap<0>([](kt::dscalar x, kt::dscalar y) { return copysign(fmax(x, y), -1) + fmin(x, 0); }));
  CHECK((f(vec<double>{1, -2}, 3.) == vec<double>{-3, -5}));
  constexpr auto folded = [](kt::dscalar x) { return copysign(fmax(x, std::numeric_limits<double>::quiet_NaN()), fmax(full_like(x, -3), -2)); };
  CHECK(kt::function(folded)(2.) == -2);
}
