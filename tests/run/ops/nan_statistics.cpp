// Positions, running sums and quantiles of what is not NaN; expected values are NumPy's 1.24.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

template <class X>
bool is(X const& got, std::vector<double> const& expected) {
  if (got.size() != expected.size()) return false;
  I i = 0;
  for (auto const& x : got) {
    double const want = expected[i++], value = static_cast<double>(x);
    if (!close(value, want, 1e-14, 1e-14)) return false;
  }
  return true;
}
mat<double> const m{{not_a_number, 3, 1, 2}, {5, not_a_number, not_a_number, 7}, {4, 4, 6, 0}};

}  // namespace

TEST_CASE("quantiles of the elements that are not NaN") {
  constexpr auto f = [](kt::dmatrix m, kt::dmatrix s, kt::dvector t) {
    return std::tuple(nanmedian(m), nanmedian(m, kt::axis<0>), nanpercentile(m, 30, kt::axis<1>, kt::keepdims), nanquantile(m, t),
                      nanquantile(m, t, kt::axis<-1>), nanquantile(m, s, kt::axis<1>));
  };
  auto const check = [](auto const& quantiles) {
    auto const [middle, columns, rows, all, each, both] = quantiles(m, mat<double>{{0, 0.5, 1}, {0.25, 0.75, 0.1}}, vec<double>{0.1, 0.9});
    CHECK(middle == 4);
    CHECK(is(columns, {4.5, 3.5, 3.5, 2}));
    REQUIRE(rows.shape() == std::array<I, 2>{3, 1});
    CHECK(is(rows, {1.6, 5.6, 3.6}));
    CHECK(is(all, {0.8, 6.2}));
    CHECK(is(each, {1.2, 5.2, 1.2, 2.8, 6.8, 5.4}));
    REQUIRE(both.shape() == std::array<I, 3>{2, 3, 3});
    CHECK(is(both, {1, 5, 0, 2, 6, 4, 3, 7, 6, 1.5, 5.5, 3, 2.5, 6.5, 4.5, 1.2, 5.2, 1.2}));
  };
  check(kt::function(f));
  check(kt::function(f, kt::mode::interpret));
  auto const g = kt::function(
      [](kt::dmatrix m, kt::dscalar q) {
        return std::tuple(nanmedian(m, kt::axis<1>), nanquantile(m, q), grad(nanquantile(m, q), m), grad(nanquantile(m, q), q));
      },
      kt::mode::interpret);
  auto const [none, infinite, by_m, by_q] = g(mat<double>{{not_a_number, not_a_number}, {1, 2}, {infinity, 0}}, 0.5);
  CHECK(is(none, {not_a_number, 1.5, infinity}));
  CHECK(infinite == 1.5);
  CHECK(is(by_m, {0, 0, 0.5, 0.5, 0, 0}));
  CHECK(by_q == 3);
  CHECK_THROWS_WITH(g(mat<double>{{1, 2}}, 1.5), "kt::nanquantile: a share is a number from 0 to 1");
  auto const lines = kt::function(
      [](kt::dmatrix m, kt::dscalar q) {
        auto const y = sum(nanquantile(m, q, kt::axis<1>));
        return std::tuple(nanquantile(m, q, kt::axis<1>), nanmedian(m), nanmedian(m, kt::axis<0>, kt::keepdims), grad(y, m), grad(y, q));
      });
  {  // lines without numbers, and without elements
    auto const [each, one, columns, by_m, by_q] = lines(mat<double>{{not_a_number, not_a_number, not_a_number}, {3, not_a_number, 1}}, 0.25);
    CHECK(is(each, {not_a_number, 1.5}));
    CHECK(one == 2);
    CHECK(is(columns, {3, not_a_number, 1}));
    CHECK(is(by_m, {0, 0, 0, 0.25, 0, 0.75}));
    CHECK(by_q == 2);
  }
  {
    auto const [each, one, columns, by_m, by_q] = lines(mat<double>::from_shape({2, 0}), 0.25);
    CHECK(is(each, {not_a_number, not_a_number}));
    CHECK(std::isnan(one));
    CHECK(columns.size() == 0);
    CHECK(by_m.size() == 0);
    CHECK(by_q == 0);
  }
  CHECK(is(std::get<2>(lines(mat<double>::from_shape({0, 3}), 1)), {not_a_number, not_a_number, not_a_number}));
  CHECK(std::get<0>(lines(mat<double>::from_shape({0, 3}), 1)).size() == 0);
  {  // many lines, each with a number of numbers of its own
    mat<double> m = mat<double>::from_shape({40, 2000});
    std::uint64_t seed = 7;
    for (double& x : m) x = static_cast<double>((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 40);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t j = 0; j < 40 * i; ++j) m(i, j * 7 % 2000) = not_a_number;
    std::vector<double> expected;
    for (std::size_t i = 0; i < 40; ++i) {
      std::vector<double> line;
      for (std::size_t j = 0; j < 2000; ++j)
        if (m(i, j) == m(i, j)) line.push_back(m(i, j));
      std::sort(line.begin(), line.end());
      double const place = 0.3 * static_cast<double>(line.size() - 1);
      auto const at = static_cast<std::size_t>(place);
      expected.push_back(line[at] + (line[at + 1] - line[at]) * (place - static_cast<double>(at)));
    }
    CHECK(is(std::get<0>(lines(m, 0.3)), expected));
  }
  auto const h = kt::function([](kt::lmatrix k, kt::fvector x) { return std::pair(nanmedian(k), nanquantile(x, 0.25)); }, kt::mode::interpret);
  auto const [of_integers, of_floats] = h(mat<std::int64_t>{{1, 2}, {4, 5}}, vec<float>{1, std::nanf(""), 2});
  CHECK(of_integers == 3);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(of_floats)>, float>);
  CHECK(of_floats == 1.25f);
}

TEST_CASE("positions and running sums of what is not NaN") {
  auto const f = kt::function([](kt::dmatrix m, kt::lvector k) {
    return std::tuple(nanargmax(m, kt::axis<0>), nanargmin(m), nanargmin(m, kt::axis<1>, kt::keepdims), nancumsum(m, kt::axis<1>),
                      nancumprod(m), nanargmax(k), nancumsum(k), grad(sum(nancumprod(m, kt::axis<0>)), m));
  });
  auto const [largest, smallest, each, sums, products, of_integers, integers, by] =
      f(m, vec<std::int64_t>{(1ll << 60) + 1, 1ll << 60});
  CHECK(is(largest, {1, 2, 2, 1}));
  CHECK(smallest == 11);
  REQUIRE(each.shape() == std::array<I, 2>{3, 1});
  CHECK(is(each, {2, 0, 3}));
  CHECK(is(sums, {0, 3, 4, 6, 5, 5, 5, 12, 4, 8, 14, 14}));
  CHECK(is(products, {1, 3, 3, 6, 30, 30, 30, 210, 840, 3360, 20160, 0}));
  CHECK(of_integers == 0);
  CHECK(integers(1) == (1ll << 61) + 1);
  CHECK(is(by, {0, 6, 8, 8, 5, 0, 0, 2, 5, 3, 1, 14}));
  CHECK_THROWS_WITH(f(mat<double>{{not_a_number, 1}, {not_a_number, 2}}, vec<std::int64_t>{1}), "kt::nanargmax: all elements are NaN");
}

TEST_CASE("counts name what they count") {
  auto const f = kt::function([](kt::lvector k, kt::lscalar n) { return bincount(k, n); });
  CHECK((f(vec<std::int64_t>{1, 1, 0}, 3) == vec<std::int64_t>{1, 2, 0}));
  CHECK(f(vec<std::int64_t>{}, 0).size() == 0);
  CHECK_THROWS_WITH(f(vec<std::int64_t>{1}, -4), Catch::StartsWith("bincount: ") && Catch::Contains("-4"));
}

TEST_CASE("positions outside of an array are named") {
  auto const f = kt::function([](kt::lmatrix k, kt::lscalar n) {
    auto const [i, j] = unravel_index(k.T(), n, 4);
    return std::pair(i, kt::ravel_multi_index(std::tuple(j, i), 4, n));
  });
  auto const [rows, numbers] = f(mat<std::int64_t>{{0, 5}, {7, 11}}, 3);
  CHECK((rows == mat<std::int64_t>{{0, 1}, {1, 2}}));
  CHECK((numbers == mat<std::int64_t>{{0, 10}, {4, 11}}));
  CHECK_THROWS_WITH(f(mat<std::int64_t>{{0, 5}, {12, 11}}, 3), "kt::unravel_index: a number is outside of the array: 12");
  CHECK_THROWS_WITH(f(mat<std::int64_t>{{0, -5}, {12, 11}}, 3), "kt::unravel_index: a number is outside of the array: -5");
  auto const g = kt::function([](kt::lscalar k, kt::dscalar x) {
    return std::pair(kt::ravel_multi_index(std::tuple(k, k), 3, 5), choose(k, x, 2 * x, 3 * x));
  });
  CHECK(std::get<1>(g(2, 1.5)) == 4.5);
  CHECK_THROWS_WITH(g(3, 1.5), Catch::Contains("is outside of the") && Catch::EndsWith(": 3"));
  auto const h = kt::function([](kt::dvector x, kt::lvector k) { return put_along_axis(x, k, 7, kt::axis<0>); }, kt::mode::interpret);
  CHECK((h(vec<double>{1, 2, 3}, vec<std::int64_t>{-1, 0}) == vec<double>{7, 2, 7}));
  CHECK_THROWS_WITH(h(vec<double>{1, 2, 3}, vec<std::int64_t>{-4}), "kt::put_along_axis: a position is outside of the axis");
}

TEST_CASE("integrals name the positions that are too many") {
  auto const f = kt::function([](kt::dmatrix y, kt::dvector x) { return trapezoid(y, x); }, kt::mode::interpret);
  CHECK((f(mat<double>{{1, 2, 4}, {0, 1, 0}}, vec<double>{0, 1, 3}) == vec<double>{7.5, 1.5}));
  CHECK_THROWS_WITH(f(mat<double>{{1, 2, 4}}, vec<double>{0, 1}), Catch::StartsWith("trapezoid: ") && Catch::Contains("parameter 2"));
}
