// Reductions over rows and along rows of small matrices in calls past the frame: all extents around
// the width of a batch.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/direct.hpp"

#include <limits>

using namespace reference;
using namespace direct;
using I = std::size_t;

namespace {

template <class M, class V>
constexpr auto over_rows = [](M x, V v) {
  auto const shifted = x + v(kt::slice(), kt::newaxis);
  return std::tuple(max(shifted, kt::axis<0>), min(shifted, kt::axis<0>), sum(shifted, kt::axis<0>),
                    sum(exp(-sqr(shifted)), kt::axis<0>));
};
template <class M, class V>
constexpr auto along_rows = [](M x, V v) {
  auto const moved = x * v(kt::slice(), kt::newaxis);
  return std::tuple(max(x, kt::axis<1>), sum(exp(-sqr(moved)), kt::axis<1>), moved);
};
/// One loop whose results are a matrix and both kinds of sums.
template <class M, class V>
constexpr auto both_ways = [](M x, V v) {
  auto const e = exp(-sqr(x)) * v(kt::slice(), kt::newaxis);
  return std::tuple(e, sum(e, kt::axis<0>), sum(e, kt::axis<1>));
};

}  // namespace

TEMPLATE_TEST_CASE("reductions of small matrices", "", float, double) {
  using T = TestType;
  double const near = std::is_same_v<T, float> ? 1e-5 : 1e-13;
  auto const over = kt::function(over_rows<kt::matrix<T>, kt::vector<T>>);
  auto const along = kt::function(along_rows<kt::matrix<T>, kt::vector<T>>);
  auto const both = kt::function(both_ways<kt::matrix<T>, kt::vector<T>>);
  check_direct(over);
  check_direct(along);
  for (I n : {1, 2, 3, 4, 5, 8, 9, 16, 31, 64})
    for (I m : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 32, 33, 64}) {
      CAPTURE(n, m);
      auto const x = matrix<T>(n, m, 1);
      auto const v = numbers<T>(n, 2);
      auto const [most, least, total, bells] = over(x, v);
      auto at = [&](I i, I j) { return x(i, j) + v(i); };
      auto column = [&](I j, auto start, auto f) {
        double s = start;
        for (I i = 0; i < n; ++i) s = f(s, static_cast<double>(at(i, j)));
        return s;
      };
      constexpr double infinity = std::numeric_limits<double>::infinity();
      CHECK(mismatch(most, [&](I j) {
              return column(j, -infinity, [](double a, double b) { return std::max(a, b); });
            }) == "");
      CHECK(mismatch(least, [&](I j) {
              return column(j, infinity, [](double a, double b) { return std::min(a, b); });
            }) == "");
      CHECK(mismatch(
                total, [&](I j) { return column(j, 0, [](double a, double b) { return a + b; }); },
                near, near) == "");
      CHECK(mismatch(
                bells,
                [&](I j) {
                  return column(j, 0, [](double a, double b) { return a + std::exp(-b * b); });
                },
                near, near) == "");
      auto const [largest, sums, moved] = along(x, v);
      CHECK(mismatch(largest, [&](I i) { return xt::amax(xt::view(x, i))(); }) == "");
      CHECK(mismatch(moved, [&](I i, I j) { return x(i, j) * v(i); }) == "");
      CHECK(mismatch(
                sums,
                [&](I i) {
                  double s = 0;
                  for (I j = 0; j < m; ++j)
                    s += std::exp(-std::pow(static_cast<double>(x(i, j) * v(i)), 2));
                  return s;
                },
                near, near) == "");
      auto const [e, of_columns, of_rows] = both(x, v);
      CHECK(mismatch(
                of_columns,
                [&, &e = e](I j) {
                  double s = 0;
                  for (I i = 0; i < n; ++i) s += static_cast<double>(e(i, j));
                  return s;
                },
                near, near) == "");
      CHECK(mismatch(
                of_rows,
                [&, &e = e](I i) {
                  double s = 0;
                  for (I j = 0; j < m; ++j) s += static_cast<double>(e(i, j));
                  return s;
                },
                near, near) == "");
    }
  check_past_frame(over);
}

TEMPLATE_TEST_CASE("NaN in a column or row", "", float, double) {
  using T = TestType;
  auto const f = kt::function([](kt::matrix<T> x) {
    return std::tuple(max(x, kt::axis<0>), min(x, kt::axis<0>), max(x, kt::axis<1>),
                      sum(x, kt::axis<0>));
  });
  for (I n : {1, 4, 6, 9, 300})
    for (I m : {3, 8, 16, 21})
      for (I i : {I(0), n / 2, n - 1}) {
        CAPTURE(n, m, i);
        auto x = matrix<T>(n, m, 3);
        I const j = (i + 2) % m;
        x(i, j) = std::numeric_limits<T>::quiet_NaN();
        auto const [most, least, of_rows, sums] = f(x);
        for (I k = 0; k < m; ++k)
          CHECK((std::isnan(most(k)) == (k == j) && std::isnan(least(k)) == (k == j) &&
                 std::isnan(sums(k)) == (k == j)));
        for (I k = 0; k < n; ++k) CHECK(std::isnan(of_rows(k)) == (k == i));
      }
}

TEST_CASE("sums of matrices without rows or columns") {
  auto const f = kt::function(
      [](kt::dmatrix x) { return std::tuple(sum(x, kt::axis<0>), sum(x, kt::axis<1>)); });
  auto const [none, of_rows] = f(mat<double>(std::array<I, 2>{0, 3}));
  CHECK((none == vec<double>{0, 0, 0}));
  CHECK(of_rows.size() == 0);
  auto const [columns, zeros] = f(mat<double>(std::array<I, 2>{2, 0}));
  CHECK(columns.size() == 0);
  CHECK((zeros == vec<double>{0, 0}));
}
