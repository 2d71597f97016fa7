// Variables of known extents: every kind of argument, results that allocate nothing, and other extents refused.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include "run/direct.hpp"

#include <span>

using namespace reference;
using namespace direct;
using I = std::size_t;

namespace {

template <int N>
using point = kt::fixed<double, N>;
template <std::size_t... N>
using fixed_array = xt::xtensor_fixed<double, xt::xshape<N...>>;

constexpr auto rotated = [](kt::fixed<double, 3, 3> r, point<3> p, point<3> t) {
  return std::tuple(dot(r, p) + t, r.T() - 1, norm(p));
};
template <int N>
constexpr auto formulas = [](point<N> a, point<N> b) {
  return std::tuple(2 * a - b / 3, exp(a) * b, sum(a * b), max(a), a > b, norm(a), grad(sum(sqr(a) * b), a));
};

template <int N>
void check_formulas() {
  auto f = kt::function(formulas<N>);
  check_direct(f);
  auto const a = numbers<double>(N, 1), b = numbers<double>(N, 2);
  auto const [linear, bell, product, most, greater, length, gradient] = f(a, b);
  check_past_frame(f);
  static_assert(std::is_same_v<decltype(linear), fixed_array<N> const>);
  static_assert(std::is_same_v<decltype(greater), xt::xtensor_fixed<bool, xt::xshape<N>> const>);
  double expected = 0, squares = 0;
  for (I i = 0; i < N; ++i) {
    CHECK(close(linear(i), 2 * a(i) - b(i) / 3, 1e-15, 1e-15));
    CHECK(close(bell(i), std::exp(a(i)) * b(i), 1e-15, 1e-15));
    CHECK(close(gradient(i), 2 * a(i) * b(i), 1e-15, 1e-15));
    CHECK(greater(i) == (a(i) > b(i)));
    expected += a(i) * b(i);
    squares += a(i) * a(i);
  }
  CHECK(close(product, expected, 1e-14, 1e-15));
  CHECK(close(length, std::sqrt(squares), 1e-14));
  CHECK(most == *std::max_element(a.begin(), a.end()));
  auto const by_frame = f(strided(a), b);
  check_in_frame(f);
  for (I i = 0; i < N; ++i) CHECK(close(std::get<1>(by_frame)(i), bell(i), 1e-15));
}

}  // namespace

TEST_CASE("formulas of known extents") {
  check_formulas<2>();
  check_formulas<3>();
  check_formulas<4>();
  check_formulas<8>();
  check_formulas<13>();
  check_formulas<64>();
}

TEST_CASE("results that are interpreted have the types of those that are compiled") {
  auto const x = numbers<double>(3, 1), y = numbers<double>(4, 2);
  auto const check = [](auto const& f, auto const&... arguments) {
    auto const compiled = kt::function(f)(arguments...);
    auto const interpreted = kt::function(f, kt::mode::interpret)(arguments...);
    static_assert(std::is_same_v<decltype(compiled), decltype(interpreted)>);
    CHECK(xt::allclose(compiled, interpreted, 1e-14, 1e-15));
    return compiled;
  };
  auto const part = check(
      [](point<3> a, kt::dvector b) { return a + kt::concatenate(b, b)(kt::slice(0, 3)); }, x, y);
  static_assert(std::is_same_v<decltype(part), fixed_array<3> const>);
  auto const last = check([](point<3> a) { return kt::exp(a)(kt::slice(1, kt::none)); }, x);
  static_assert(std::is_same_v<decltype(last), fixed_array<2> const>);
  auto const derivatives = check([](point<3> a) { return kt::jacobian(a * kt::sum(a), a); }, x);
  static_assert(std::is_same_v<decltype(derivatives), fixed_array<3, 3> const>);
  auto const all = check([](point<3> a, kt::dvector b) { return kt::outer(a, b); }, x, y);
  static_assert(std::is_same_v<decltype(all), xt::xtensor<double, 2> const>);
}

TEST_CASE("every kind of argument for known extents, and their results") {
  auto f = kt::function(rotated);
  check_direct(f);
  mat<double> const r{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
  fixed_array<3, 3> const fixed_r = r;
  double const t[3] = {10, 20, 30};
  std::vector<double> const vector{1, 2, 3};
  auto check = [&](auto const& rotation, auto const& p, auto const& shift) {
    auto const [moved, turned, length] = f(rotation, p, shift);
    static_assert(std::is_same_v<decltype(moved), fixed_array<3> const>);
    static_assert(std::is_same_v<decltype(turned), fixed_array<3, 3> const>);
    CHECK((moved(0) == 8 && moved(1) == 21 && moved(2) == 33));
    CHECK((turned(0, 1) == 0 && turned(1, 0) == -2 && turned(2, 2) == 0 && turned(0, 0) == -1));
    CHECK(close(length, std::sqrt(14.), 1e-15));
  };
  check(r, vector, t);
  check(fixed_r, std::array{1., 2., 3.}, std::span<double const, 3>(t));
  check(xt::xarray<double>(r), fixed_array<3>{1, 2, 3}, std::span<double const>(t));
  check(r, xt::xtensor<float, 1>{1, 2, 3}, xt::xarray<int>{10, 20, 30});
  check_past_frame(f);
  check(by_columns(r), strided(vec<double>{1, 2, 3}), t);
  check_in_frame(f);

  auto twice = kt::function([](point<3> p) { return 2 * p; });
  vec<double> y;
  twice.into(y, t);
  CHECK((y == vec<double>{20, 40, 60}));
  fixed_array<3> z;
  twice.into(z, t);
  CHECK((z(0) == 20 && z(2) == 60));
}

TEST_CASE("other extents than the known ones are refused, and change nothing") {
  auto f = kt::function([](point<3> a, kt::fixed<double, 2, 1> m) { return a + m; });
  auto const y = f(vec<double>{1, 2, 3}, mat<double>{{10}, {20}});
  static_assert(std::is_same_v<decltype(y), fixed_array<2, 3> const>);
  CHECK((y(0, 2) == 13 && y(1, 0) == 21));
  vec<double> three{1, 2, 3};
  mat<double> const column{{10}, {20}}, wide{{10, 1}, {20, 2}};
  CHECK_THROWS_WITH(f(vec<double>{1, 2}, column), Catch::Contains("extent 0 of parameter 1 (dvector) is 2, it must be 3"));
  CHECK_THROWS_WITH(f(std::vector<double>{1, 2, 3, 4}, column),
                    Catch::Contains("extent 0 of parameter 1 (dvector) is 4, it must be 3"));
  CHECK_THROWS_WITH(f(three, wide), Catch::Contains("extent 1 of parameter 2") && Catch::Contains("is 2, but it must be 1"));
  mat<double> target{{7, 7}};
  CHECK_THROWS_AS(f.into(target, vec<double>{1, 2}, column), kt::shape_error);
  CHECK((target == mat<double>{{7, 7}}));

  kt::shared w(vec<double>{1, 2, 3});
  auto step = kt::function([](kt::dscalar rate, point<3> v) { return kt::outputs().update(v, v - rate * v); }, w);
  step(0.5);
  CHECK((w.get_value() == vec<double>{0.5, 1, 1.5}));
  w.set_value(vec<double>{1, 2});
  CHECK_THROWS_AS(step(0.5), kt::shape_error);
  CHECK((w.get_value() == vec<double>{1, 2}));
}

TEST_CASE("known extents next to unknown ones, and in extents of results") {
  auto f = kt::function(
      [](kt::fixed<float, 2> a, kt::fvector b) { return std::tuple(a + b, sum(b), zeros<float>(b.shape(0)), mean(a)); });
  auto const [y, total, z, middle] = f(std::array{1.f, 2.f}, std::vector<float>{3, 4});
  static_assert(std::is_same_v<decltype(y), xt::xtensor_fixed<float, xt::xshape<2>> const>);
  CHECK((y(0) == 4 && y(1) == 6 && total == 7 && z(1) == 0 && middle == 1.5f));
  CHECK_THROWS_AS(f(std::array{1.f, 2.f}, std::vector<float>{3, 4, 5}), kt::shape_error);
  auto g = kt::function([](kt::dvector a, point<3> b) { return kt::dot(a, a) * b; });
  CHECK(g(vec<double>{1, 2}, std::array{1., 0., 2.})(2) == 10);
}
