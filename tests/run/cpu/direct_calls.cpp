// Calls past the frame: every kind of step, both floating types and all lengths, next to the frame.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/direct.hpp"

using namespace reference;
using namespace direct;
using I = std::size_t;

namespace {

template <class V>
constexpr auto formulas = [](V a, V b) {
  return std::tuple(2 * a + 3 * b, exp(-a * a) / (1 + abs(b)), where(a > b, a, b - 1), a > 0, sum(a * b), norm(a) + sum(b));
};
template <class V>
constexpr auto numbers_beside = [](V a, kt::lvector k, kt::dscalar s) {
  return std::tuple(kt::cast<double>(a) * s + kt::cast<double>(k), sum(k), k * 2, prod(1 + 0.001 * kt::cast<double>(a)));
};
template <class M>
constexpr auto flat = [](M a, M b) { return std::tuple(sqr(a) - b, sum(a * b), sqrt(abs(a)) + b); };

}  // namespace

TEMPLATE_TEST_CASE("elementwise formulas and whole reductions of vectors", "", float, double) {
  using T = TestType;
  double const near = std::is_same_v<T, float> ? 3e-6 : 1e-14;
  for (auto n : lengths) {
    CAPTURE(n);
    auto const a = numbers<T>(n, 1), b = numbers<T>(n, 2);
    auto f = kt::function(formulas<kt::vector<T>>);
    check_direct(f);
    auto const by_direct = f(a, b);
    check_past_frame(f);
    auto const by_frame = f(strided(a), strided(b));
    if (n > 1) check_in_frame(f);
    auto const& [linear, bell, chosen, positive, product, total] = by_direct;
    CHECK(mismatch(
              linear, [&](I i) { return 2 * a(i) + 3 * b(i); }, near, near) == "");
    CHECK(mismatch(positive, [&](I i) { return a(i) > 0 ? 1 : 0; }) == "");
    CHECK(mismatch(
              bell, [&](I i) { return std::get<1>(by_frame)(i); }, near, near) == "");
    CHECK(mismatch(
              chosen, [&](I i) { return std::get<2>(by_frame)(i); }, near, near) == "");
    CHECK(close(product, std::get<4>(by_frame), near, near));
    CHECK(close(total, std::get<5>(by_frame), near, near));
    double expected = 0;
    for (I i = 0; i < n; ++i) expected += static_cast<double>(a(i)) * static_cast<double>(b(i));
    CHECK(close(product, expected, 10 * near, near));
  }
}

TEMPLATE_TEST_CASE("extrema hand on what is not a number, and refuse vectors of no elements", "", float, double) {
  using T = TestType;
  auto f = kt::function([](kt::vector<T> a) { return std::tuple(max(a), min(a), sum(a)); });
  check_direct(f);
  for (auto n : lengths) {
    CAPTURE(n);
    if (n == 0) {
      CHECK_THROWS_WITH(f(vec<T>(std::array<I, 1>{0})), Catch::Contains(interprets ? "of no elements" : "max of no elements"));
      continue;
    }
    auto a = numbers<T>(n, 3);
    auto const [most, least, total] = f(a);
    CHECK(most == *std::max_element(a.begin(), a.end()));
    CHECK(least == *std::min_element(a.begin(), a.end()));
    a(n / 2) = static_cast<T>(not_a_number);
    auto const [m, l, t] = f(a);
    CHECK((std::isnan(m) && std::isnan(l) && std::isnan(t)));
    a(n / 2) = static_cast<T>(infinity);
    CHECK(std::get<0>(f(a)) == static_cast<T>(infinity));
    CHECK(std::get<2>(f(a)) == static_cast<T>(infinity));
  }
}

TEST_CASE("integers, scalars and literals next to vectors") {
  auto f = kt::function(numbers_beside<kt::fvector>);
  check_direct(f);
  for (auto n : lengths) {
    CAPTURE(n);
    auto const a = numbers<float>(n, 4);
    auto const k = bits<std::int64_t>(n, 5);
    auto const direct = f(a, k, 0.5);
    auto const frame = f(strided(a), strided(k), 0.5);
    CHECK(mismatch(std::get<0>(direct), [&](I i) { return std::get<0>(frame)(i); }) == "");
    CHECK(std::get<1>(direct) == std::get<1>(frame));
    CHECK(std::get<2>(direct) == std::get<2>(frame));
    CHECK(close(std::get<3>(direct), std::get<3>(frame), 1e-14));
  }
}

TEST_CASE("arrays of one shape are one row, whatever their rank") {
  auto f = kt::function(flat<kt::dmatrix>);
  check_direct(f);
  auto cube = kt::function(flat<kt::dtensor3>);
  check_direct(cube);
  for (I n : {0, 1, 3, 17})
    for (I m : {0, 1, 2, 9, 40}) {
      CAPTURE(n, m);
      auto const a = matrix<double>(n, m, 1), b = matrix<double>(n, m, 2);
      auto const [y, total, z] = f(a, b);
      CHECK(mismatch(
                y, [&](I i, I j) { return a(i, j) * a(i, j) - b(i, j); }, 1e-15, 1e-15) == "");
      CHECK(mismatch(
                z, [&](I i, I j) { return std::sqrt(std::abs(a(i, j))) + b(i, j); }, 1e-15, 1e-15) == "");
      CHECK(close(total, xt::sum(a * b)(), 1e-13, 1e-13));
      xt::xtensor<double, 3> const c = xt::reshape_view(a, std::array<I, 3>{n, 1, m}),
                                   d = xt::reshape_view(b, std::array<I, 3>{n, 1, m});
      CHECK(close(std::get<1>(cube(c, d)), total, 1e-14, 1e-14));
      check_past_frame(cube);
    }
  check_past_frame(f);
}

TEST_CASE("long vectors and other layouts are left to the frame") {
  auto f = kt::function([](kt::dvector a) { return std::tuple(a + 1, sum(a)); });
  vec<double> const a = xt::ones<double>({16385});
  CHECK(std::get<1>(f(a)) == 16385);
  check_in_frame(f);
  auto g = kt::function([](kt::dmatrix x) { return 2 * x; });
  xt::xtensor<double, 2, xt::layout_type::column_major> const columns = matrix<double>(3, 5);
  CHECK(mismatch(g(columns), [&](I i, I j) { return 2 * columns(i, j); }) == "");
  check_in_frame(g);
}

TEST_CASE("every kind of argument and target of a direct call") {
  auto f = kt::function([](kt::dvector a, kt::dvector b) { return a - 2 * b; });
  double const array[3] = {1, 2, 3};
  std::vector<double> const vector{4, 5, 6};
  vec<double> const expected{-7, -8, -9};
  CHECK((f(array, vector) == expected));
  CHECK((f(std::array{1., 2., 3.}, xt::xarray<double>{4, 5, 6}) == expected));
  CHECK((f(xt::xtensor<float, 1>{1, 2, 3}, xt::view(mat<double>{{0, 0, 0}, {4, 5, 6}}, 1, xt::all())) == expected));
  check_past_frame(f);
  mat<double> rows = xt::zeros<double>({2, 3});
  auto row = xt::view(rows, 1, xt::all());
  f.into(row, array, vector);
  CHECK((rows == mat<double>{{0, 0, 0}, {-7, -8, -9}}));
  check_past_frame(f);
  xt::xarray<double> dynamic;
  f.into(dynamic, array, vector);
  CHECK((dynamic == expected));
  auto column = xt::view(rows, xt::all(), 0);
  f.into(column, std::array{1., 2.}, std::array{0., 0.5});
  CHECK((rows == mat<double>{{1, 0, 0}, {1, -8, -9}}));
  auto single = kt::function([](kt::fvector a) { return 2 * a; });
  vec<double> wide;
  single.into(wide, vec<float>{1, 2, 3});
  CHECK((wide == vec<double>{2, 4, 6}));
}

TEST_CASE("extents, parameters and numbers among the results, and targets of other layouts") {
  kt::shared n(std::int64_t{-1});
  auto f = kt::function([](kt::dmatrix x, kt::dscalar s, kt::lscalar k) {
    return kt::outputs(2 * x, x.shape(1), s, sum(x) + x.shape(0)).update(k, x.shape(0));
  }, n);
  check_direct(f);
  auto const x = matrix<double>(3, 5);
  auto const [y, columns, s, total] = f(x, 2.5);
  check_past_frame(f);
  CHECK((columns == 5 && s == 2.5 && n.get_value() == 3));
  CHECK(close(total, 3 + xt::sum(x)(), 1e-14));
  CHECK(mismatch(y, [&](I i, I j) { return 2 * x(i, j); }) == "");
  auto twice = kt::function([](kt::dmatrix m) { return 2 * m; });
  for (I rows : {1, 3}) {
    xt::xtensor<double, 2, xt::layout_type::column_major> to = xt::zeros<double>({rows, I{1}});
    twice.into(to, x);
    CHECK(mismatch(to, [&](I i, I j) { return 2 * x(i, j); }) == "");
  }
}

TEST_CASE("a target that overlaps an argument, and extents that do not fit") {
  auto f = kt::function([](kt::dvector a, kt::dvector b) { return a + 10 * b; });
  vec<double> a{1, 2, 3, 4, 5};
  vec<double> const b{1, 0, 1, 0, 1};
  f.into(a, a, b);
  CHECK((a == vec<double>{11, 2, 13, 4, 15}));
  auto shifted = xt::view(a, xt::range(1, 4));
  f.into(shifted, xt::view(a, xt::range(0, 3)), vec<double>{0, 0, 0});
  CHECK((a == vec<double>{11, 11, 2, 13, 15}));
  vec<double> y{7, 7};
  CHECK_THROWS_WITH(f.into(y, a, vec<double>{1, 2}),
                    Catch::Contains("add: extent 0 of parameter 1 (dvector) is 5, extent 0 of parameter 2 (dvector) is 2"));
  CHECK((y == vec<double>{7, 7}));
  mat<double> rows = xt::ones<double>({2, 3});
  auto row = xt::view(rows, 0, xt::all());
  CHECK_THROWS_AS(f.into(row, a, b), kt::shape_error);
  CHECK((rows == mat<double>{{1, 1, 1}, {1, 1, 1}}));
}
