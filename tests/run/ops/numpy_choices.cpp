// Choices between several, numbers of elements in several dimensions, and statistics without NaN,
// as NumPy 1.24 has them; expected values are its.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/reference.hpp"

using namespace reference;

namespace {

vec<double> const x{-2, -0.5, 0, 0.5, 3};
mat<double> const m{{1, 2, 4}, {0, 5, 9}};

}  // namespace

TEST_CASE("choices by conditions and by numbers") {
  auto const f = kt::function([](kt::dvector v, kt::lvector i) {
    auto const first = select(v < 0, 2 * v, v > 1, v + 10, -1);
    auto const pieces = piecewise(
        v, v < -1, [](auto t) { return sqr(t); }, v > 1, [](auto t) { return 1 / t; },
        [](auto t) { return t + 100; });
    auto const last = piecewise(v, v < 0, [](auto t) { return -t; }, v >= -0.5, 7);
    auto const chosen = choose(i, v, v * v, -5);
    auto const root = piecewise(v, v > 0, [](auto t) { return sqrt(t); });
    return std::tuple(first, pieces, last, chosen, select(v > 0, v), grad(sum(first), v),
                      grad(sum(pieces), v), grad(sum(chosen), v), grad(sum(root), v));
  });
  vec<std::int64_t> const index{2, 0, 1, 1, 0};
  auto const [first, pieces, last, chosen, positive, g_first, g_pieces, g_chosen, g_root] =
      f(x, index);
  CHECK((first == vec<double>{-4, -1, -1, -1, 13}));
  CHECK((last == vec<double>{2, 7, 7, 7, 7}));
  CHECK((pieces == vec<double>{4, 99.5, 100, 100.5, 1. / 3}));
  CHECK((chosen == vec<double>{-5, -0.5, 0, 0.25, 3}));
  CHECK((positive == vec<double>{0, 0, 0, 0.5, 3}));
  CHECK((g_first == vec<double>{2, 2, 0, 0, 1}));
  CHECK(xt::allclose(g_pieces, vec<double>{-4, 1, 1, 1, -1. / 9}, 1e-15));
  CHECK((g_chosen == vec<double>{0, 1, 0, 1, 1}));
  CHECK((g_root(0) == 0 && g_root(2) == 0 && g_root(4) == Approx(0.5 / std::sqrt(3.))));
  CHECK_THROWS_AS(f(x, vec<std::int64_t>{2, 0, 3, 1, 0}), kt::value_error);
  CHECK_THROWS_AS(f(x, vec<std::int64_t>{2, 0, -1, 1, 0}), kt::value_error);
}

TEST_CASE("numbers of elements in several dimensions") {
  auto const f = kt::function([](kt::lvector k, kt::lscalar rows) {
    auto const [i, j] = unravel_index(k, rows, 4);
    auto const [a, b, c] = unravel_index(k, 2, 3, 2);
    return std::tuple(i, j, a, b, c, ravel_multi_index(std::tuple(i, j), rows, 4),
                      ravel_multi_index(std::tuple(i(kt::slice(), kt::newaxis), j), rows, 4));
  });
  vec<std::int64_t> const k{0, 5, 11, 7};
  auto const [i, j, a, b, c, back, table] = f(k, 3);
  CHECK((i == vec<std::int64_t>{0, 1, 2, 1} && j == vec<std::int64_t>{0, 1, 3, 3}));
  CHECK((a == vec<std::int64_t>{0, 0, 1, 1} && b == vec<std::int64_t>{0, 2, 2, 0} &&
         c == vec<std::int64_t>{0, 1, 1, 1}));
  CHECK((back == k && table(1, 2) == 7 && table(2, 0) == 8));
  CHECK_THROWS_AS(f(k, 2), kt::value_error);
  CHECK_THROWS_AS(f(vec<std::int64_t>{-1}, 3), kt::value_error);
  auto const number = kt::function(
      [](kt::lvector r, kt::lvector s) { return ravel_multi_index(std::tuple(r, s), 3, 4); });
  CHECK((number(vec<std::int64_t>{0, 1, 2}, vec<std::int64_t>{3, 0, 3}) ==
         vec<std::int64_t>{3, 4, 11}));
  CHECK_THROWS_AS(number(vec<std::int64_t>{0}, vec<std::int64_t>{4}), kt::value_error);
}

TEST_CASE("orders by several keys, and elements put along an axis") {
  auto const order = kt::function([](kt::dvector b, kt::dvector a) { return lexsort(b, a); });
  CHECK((order(vec<double>{9, 4, 0, 4, 0, 2, 1}, vec<double>{1, 5, 1, 4, 3, 4, 4}) ==
         vec<std::int64_t>{2, 0, 4, 6, 5, 3, 1}));
  CHECK_THROWS_AS(order(vec<double>{1, 2}, vec<double>{3, 2, 1}), kt::shape_error);
  CHECK_THROWS_AS(order(vec<double>{3, 2, 1}, vec<double>{1, 2}), kt::shape_error);
  auto const put = kt::function([](kt::dmatrix y, kt::lmatrix at, kt::dvector v, kt::lmatrix row) {
    auto const along = put_along_axis(y, at, v(kt::slice(), kt::newaxis), kt::axis<1>);
    return std::tuple(along, put_along_axis(y, row, -1, kt::axis<0>), grad(sum(sqr(along)), y),
                      grad(sum(sqr(along)), v));
  });
  mat<std::int64_t> const at{{2, -3}, {0, 1}}, row{{1, 0, -1}};
  vec<double> const v{10, 20};
  auto const [along, down, by_x, by_v] = put(m, at, v, row);
  CHECK((along == mat<double>{{10, 2, 10}, {20, 20, 9}}));
  CHECK((down == mat<double>{{1, -1, 4}, {-1, 5, -1}}));
  CHECK((by_x == mat<double>{{0, 4, 0}, {0, 0, 18}}));
  CHECK((by_v == vec<double>{40, 80}));
  CHECK_THROWS_AS(put(m, mat<std::int64_t>{{3, 0}, {0, 1}}, v, row), kt::value_error);
  CHECK_THROWS_WITH(put(m, mat<std::int64_t>{{0, 1}}, v, row),
                    Catch::StartsWith("put_along_axis: extent 0 of parameter 2"));
}

TEST_CASE("statistics of what is not NaN") {
  auto const f = kt::function([](kt::dmatrix y) {
    return std::tuple(nanvar(y), nanstd(y, kt::axis<0>), nanprod(y, kt::axis<1>),
                      nanvar(y, kt::axis<1>, kt::keepdims), nanvar(y, kt::keepdims),
                      grad(sum(nanstd(y, kt::axis<1>)), y));
  });
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const [all, columns, products, rows, kept, slope] =
      f(mat<double>{{1, nan, 4}, {nan, nan, 2}});
  CHECK((all == Approx(14. / 9) && kept(0, 0) == Approx(14. / 9)));
  CHECK((columns(0) == 0 && std::isnan(columns(1)) && columns(2) == 1));
  CHECK((products(0) == 4 && products(1) == 2));
  CHECK((rows(0, 0) == 2.25 && rows(1, 0) == 0));
  CHECK((slope(0, 0) == -0.5 && slope(0, 1) == 0 && slope(0, 2) == 0.5 && slope(1, 2) == 0));
  CHECK(std::isnan(std::get<0>(f(mat<double>{{1, 2, infinity}}))));
  auto const [fewer, s] = kt::function([](kt::dmatrix y) {
    return std::tuple(nanvar(y, kt::ddof<1>, kt::axis<1>), nanstd(y, kt::keepdims, kt::ddof<2>));
  })(mat<double>{{1, nan, 4}, {nan, nan, 2}});
  CHECK(fewer(0) == 4.5);
  CHECK(std::isnan(fewer(1)));
  CHECK(s(0, 0) == Approx(std::sqrt(14. / 3)));
}

TEST_CASE("functions and their derivatives on grids") {
  auto const f = kt::function([](kt::dvector v, kt::dmatrix w, kt::lvector k, kt::lscalar n) {
    auto const slope = gradient(v, 0.5);
    return std::tuple(slope, gradient(w, 1, kt::axis<0>), gradient(w, 2), gradient(k),
                      grad(sum(sqr(slope)), v),
                      kt::fromfunction([](auto i, auto j) { return i + 10 * j; }, n, 3),
                      kt::fromfunction([](auto i, auto) { return i; }, n, 2),
                      kt::fromfunction([](auto) { return 1.5; }, n));
  });
  vec<double> const v{1, 2, 4, 7, 11, 16};
  vec<std::int64_t> const k{1, 4};
  auto const [slope, down, along, whole, by_v, table, rows, same] =
      f(v, mat<double>{{1, 2, 6}, {3, 4, 5}}, k, 2);
  CHECK((slope == vec<double>{2, 3, 5, 7, 9, 10}));
  CHECK((down == mat<double>{{2, 2, -1}, {2, 2, -1}}));
  CHECK((along == mat<double>{{0.5, 1.25, 2}, {0.5, 0.5, 0.5}}));
  CHECK((whole == vec<double>{3, 3}));
  // Of slopes 2 (v1 - v0), v2 - v0, ... 2 (v5 - v4).
  CHECK((by_v == vec<double>{-14, -2, -8, -8, -26, 58}));
  CHECK((table == mat<double>{{0, 10, 20}, {1, 11, 21}}));
  CHECK((rows == mat<double>{{0, 0}, {1, 1}} && same == vec<double>{1.5, 1.5}));
  CHECK_THROWS_AS(f(vec<double>{1}, mat<double>{{1, 2}, {3, 4}}, k, 2), kt::value_error);
}
