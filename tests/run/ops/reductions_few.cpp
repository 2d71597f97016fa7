// Rows of few elements and few rows, which are reduced several at a time: as plain loops in long double do, from parts of larger
// matrices, and without a trace of the elements next to them.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>

#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

template <class T>
using array = xt::xtensor<T, 2>;

// A number for each element, with few digits, so that sums of any order are near.
template <class T>
T number(std::size_t i, std::size_t j) {
  return static_cast<T>(static_cast<double>((i * 37 + j * 101) % 211) / 64 - 1.5);
}

struct expected {
  long double sum = 0, squares = 0;
  double largest = -std::numeric_limits<double>::infinity();
  void add(double x) {
    sum += x;
    squares += static_cast<long double>(x) * x;
    largest = std::isnan(x) || std::isnan(largest) ? std::numeric_limits<double>::quiet_NaN() : std::max(largest, x);
  }
};

bool close(double got, long double want, double bound) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return std::abs(got - want) <= bound * (1 + std::abs(want));
}

}  // namespace

TEMPLATE_TEST_CASE("few elements a row and few rows are reduced as by plain loops", "[reduction]", double, float) {
  using T = TestType;
  using M = kt::matrix<T>;
  auto const row_sums = kt::function([](M x) { return sum(x, kt::axis<1>); });
  auto const row_pairs = kt::function([](M x) { return std::tuple(sum(x * x, kt::axis<1>), max(x, kt::axis<1>)); });
  auto const column_sums = kt::function([](M x) { return sum(x, kt::axis<0>); });
  auto const column_pairs = kt::function([](M x) { return std::tuple(sum(x * x, kt::axis<0>), max(x, kt::axis<0>)); });
  double const bound = sizeof(T) == 8 ? 1e-14 : 4e-6;
  T const nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();

  auto check = [&](auto const& x) {
    std::size_t const n = x.shape(0), m = x.shape(1);
    CAPTURE(n, m);
    std::vector<expected> rows(n), columns(m);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        rows[i].add(static_cast<double>(x(i, j)));
        columns[j].add(static_cast<double>(x(i, j)));
      }
    auto same = [&](auto const& sums, auto const& pairs, std::vector<expected> const& want) {
      bool good = sums.size() == want.size();
      for (std::size_t k = 0; good && k < want.size(); ++k)
        good = close(static_cast<double>(sums(k)), want[k].sum, bound) &&
               close(static_cast<double>(std::get<0>(pairs)(k)), want[k].squares, bound) &&
               close(static_cast<double>(std::get<1>(pairs)(k)), want[k].largest, 0);
      return good;
    };
    CHECK(same(row_sums(x), row_pairs(x), rows));
    CHECK(same(column_sums(x), column_pairs(x), columns));
  };
  for (std::size_t const n : {1, 2, 7, 8, 9, 15, 16, 17, 33, 40, 257, 300})
    for (std::size_t m = 1; m <= 70; m += m < 36 ? 1 : 17) {
      array<T> x = array<T>::from_shape({n, m});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) x(i, j) = number<T>(i, j);
      check(x);
      // A part of a matrix whose other elements are no numbers.
      array<T> wide(std::array<std::size_t, 2>{n + 1, m + 3}, nan);
      auto part = xt::view(wide, xt::range(0, n), xt::range(2, m + 2));
      part = x;
      check(part);
      // One that spreads to its own row and column only.
      x(n / 2, m / 2) = nan;
      check(x);
      x(n / 2, m / 2) = infinity;
      check(x);
    }
  // Many columns, in more than one tile, and rows that do not lie one after the other.
  for (std::size_t const n : {5, 20, 600})
    for (std::size_t const m : {2047, 4100}) {
      array<T> x = array<T>::from_shape({n, m});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) x(i, j) = number<T>(i, j);
      check(x);
      check(xt::view(x, xt::range(0, n, 2), xt::all()));
      check(xt::view(x, xt::all(), xt::range(0, m, 3)));
      check(xt::transpose(x));
    }
}

TEMPLATE_TEST_CASE("sums over the first and the middle axis, of few and of many rows", "[reduction]", double, float) {
  using T = TestType;
  using X = kt::tensor3<T>;
  auto const f = kt::function([](X x) { return sum(x, kt::axis<0>); });
  auto const g = kt::function([](X x) { return sum(x, kt::axis<1>); });
  auto const h = kt::function([](X x) { return sum(x, kt::axis<0, 1>); });
  double const bound = sizeof(T) == 8 ? 1e-13 : 4e-6;
  for (std::size_t const a : {1, 3, 90})
    for (std::size_t const b : {1, 8, 70})
      for (std::size_t const c : {1, 5, 8, 21, 64}) {
        CAPTURE(a, b, c);
        xt::xtensor<T, 3> x = xt::xtensor<T, 3>::from_shape({a, b, c});
        xt::xtensor<double, 2> first = xt::zeros<double>({b, c}), middle = xt::zeros<double>({a, c});
        xt::xtensor<double, 1> both = xt::zeros<double>({c});
        for (std::size_t i = 0; i < a; ++i)
          for (std::size_t j = 0; j < b; ++j)
            for (std::size_t k = 0; k < c; ++k) {
              double const v = static_cast<double>(x(i, j, k) = number<T>(i * 7 + j, k));
              first(j, k) += v;
              middle(i, k) += v;
              both(k) += v;
            }
        auto near = [&](auto const& got, auto const& want) {
          return got.shape() == want.shape() && xt::allclose(xt::cast<double>(got), want, bound, bound);
        };
        CHECK(near(f(x), first));
        CHECK(near(g(x), middle));
        CHECK(near(h(x), both));
      }
}
