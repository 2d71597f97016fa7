// Reductions of rows and columns of every length around those of batches, in both layouts, against plain loops.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

template <class T>
using array = xt::xtensor<T, 2>;

/// Sums, largest elements and products of sums of the rows of an n x m matrix, or of its columns.
template <class T>
struct expected {
  double sum = 0, largest = -10, dot = 0, exponentials = 0;
};
template <class T, class X, class Y>
expected<T> along(X const& x, Y const& y, std::size_t count) {
  expected<T> e;
  for (std::size_t k = 0; k < count; ++k) {
    double const a = static_cast<double>(x(k)), b = static_cast<double>(y(k));
    e.sum += a;
    e.largest = std::max(e.largest, a);
    e.dot += a * b;
    e.exponentials += std::exp(a);
  }
  return e;
}

}  // namespace

TEMPLATE_TEST_CASE("rows and columns of every length are reduced as by plain loops", "[reduction]", double, float) {
  using T = TestType;
  using M = kt::matrix<T>;
  auto by_rows = kt::function([](M x, M y) { return std::tuple{sum(x, kt::axis<1>), max(x, kt::axis<1>), sum(x * y, kt::axis<1>)}; });
  auto by_columns =
      kt::function([](M x, M y) { return std::tuple{sum(x, kt::axis<0>), max(x, kt::axis<0>), sum(x * y, kt::axis<0>)}; });
  auto costly = kt::function([](M x) { return std::tuple{sum(exp(x), kt::axis<1>), sum(exp(x), kt::axis<0>), sum(exp(x))}; });
  std::mt19937 generator(3);
  auto number = [&] { return static_cast<T>(static_cast<double>(generator() % 2000) / 1000 - 1); };
  double const bound = sizeof(T) == 8 ? 1e-12 : 1e-5;
  auto close = [&](T got, double want) { return std::abs(static_cast<double>(got) - want) <= bound * (10 + std::abs(want)); };
  for (std::size_t const n : {1, 2, 5, 8, 17, 70})
    for (std::size_t const m : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 300, 5000})
      for (bool const transposed : {false, true}) {
        array<T> a = transposed ? array<T>::from_shape({m, n}) : array<T>::from_shape({n, m}), b = a;
        for (T& v : a) v = number();
        for (T& v : b) v = number();
        auto check = [&](auto const& x, auto const& y) {
          auto const [rows, rows_max, rows_dot] = by_rows(x, y);
          auto const [columns, columns_max, columns_dot] = by_columns(x, y);
          auto const [rows_exp, columns_exp, all_exp] = costly(x);
          bool good = true;
          double total = 0;
          for (std::size_t i = 0; i < n; ++i) {
            auto const e = along<T>([&](std::size_t j) { return x(i, j); }, [&](std::size_t j) { return y(i, j); }, m);
            good = good && close(rows(i), e.sum) && close(rows_max(i), e.largest) && close(rows_dot(i), e.dot) &&
                   close(rows_exp(i), e.exponentials);
            total += e.exponentials;
          }
          for (std::size_t j = 0; j < m; ++j) {
            auto const e = along<T>([&](std::size_t i) { return x(i, j); }, [&](std::size_t i) { return y(i, j); }, n);
            good = good && close(columns(j), e.sum) && close(columns_max(j), e.largest) && close(columns_dot(j), e.dot) &&
                   close(columns_exp(j), e.exponentials);
          }
          return good && close(static_cast<T>(all_exp), total);
        };
        INFO(n << " x " << m << (transposed ? ", transposed" : ""));
        if (transposed) CHECK(check(xt::transpose(a), xt::transpose(b)));
        else CHECK(check(a, b));
      }
}
