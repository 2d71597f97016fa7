// Loops that store rows and sum along them, where batches do not divide rows: the last batch of a row goes on in the next row, and nothing
// is read or written behind the last one.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>
#include <xtensor/xadapt.hpp>

using namespace reference;

namespace row_ends {

template <class T>
constexpr auto shifted = [](kt::matrix<T> x, kt::vector<T> w, kt::vector<T> c) {
  auto e = kt::exp(x - kt::dimshuffle<0, 'x'>(c)) * w;
  return std::tuple(e, kt::sum(e, kt::axis<1>), kt::max(x + e, kt::axis<1>));
};

/// Compares all results with those of a loop by hand; what stands behind the elements stays.
template <class T, class Function>
void check(Function const& f, std::size_t n, std::size_t m) {
  CAPTURE(n, m);
  xt::xtensor<T, 2> x = xt::zeros<T>({n, m});
  vec<T> w = xt::zeros<T>({m}), c = xt::zeros<T>({n});
  for (std::size_t i = 0; i < n; ++i) {
    c(i) = static_cast<T>(std::sin(3.0 + static_cast<double>(i)));
    for (std::size_t j = 0; j < m; ++j) x(i, j) = static_cast<T>(2 * std::sin(static_cast<double>(i * m + j)));
  }
  for (std::size_t j = 0; j < m; ++j) w(j) = static_cast<T>(std::cos(static_cast<double>(j)));
  T const mark = static_cast<T>(77);
  std::vector<T> memory(n * m + 64, mark);
  auto e = xt::adapt(memory.data(), n * m, xt::no_ownership(), std::vector<std::size_t>{n, m});
  vec<T> sums, most;
  f.into(std::tie(e, sums, most), x, w, c);
  double const tolerance = 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double total = 0, largest = -std::numeric_limits<double>::infinity(), size = 0;
    for (std::size_t j = 0; j < m; ++j) {
      double const one = std::exp(static_cast<double>(x(i, j)) - static_cast<double>(c(i))) * static_cast<double>(w(j));
      total += one;
      size += std::abs(one);
      largest = std::fmax(largest, static_cast<double>(x(i, j)) + one);
      wrong += std::abs(static_cast<double>(e(i, j)) - one) > tolerance * std::abs(one);
    }
    wrong += std::abs(static_cast<double>(sums(i)) - total) > tolerance * size;
    wrong += std::abs(static_cast<double>(most(i)) - largest) > tolerance * (2 + size);
  }
  CHECK(wrong == 0);
  for (std::size_t k = n * m; k < memory.size(); ++k) wrong += memory[k] != mark;
  CHECK(wrong == 0);
}

}  // namespace row_ends

TEMPLATE_TEST_CASE("ends of rows that are stored and summed", "[row_ends]", double, float) {
  auto const f = kt::function(row_ends::shifted<TestType>);
  for (std::size_t m = 1; m <= 37; ++m)
    for (std::size_t n : {1, 2, 3, 4, 9, 40}) row_ends::check<TestType>(f, n, m);
  // Calls that are not small
  for (std::size_t m : {3, 5, 9, 10, 17, 20, 31, 33}) row_ends::check<TestType>(f, 30011, m);
}

TEST_CASE("softmax of rows that batches do not divide, also in place", "[row_ends]") {
  auto const f = kt::function([](kt::dmatrix x) { return softmax(x); });
  for (std::size_t m : {3, 7, 9, 10, 13, 17, 23, 31})
    for (std::size_t n : {1, 3, 8, 50, 40000}) {
      CAPTURE(n, m);
      xt::xtensor<double, 2> x = xt::zeros<double>({n, m});
      for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = std::sin(static_cast<double>(k)) + (k % 11 == 0 ? 30 : 0);
      auto const y = f(x);
      int wrong = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double most = x(i, 0), total = 0;
        for (std::size_t j = 0; j < m; ++j) most = std::fmax(most, x(i, j));
        for (std::size_t j = 0; j < m; ++j) total += std::exp(x(i, j) - most);
        for (std::size_t j = 0; j < m; ++j) wrong += std::abs(y(i, j) - std::exp(x(i, j) - most) / total) > 1e-14;
      }
      CHECK(wrong == 0);
      auto given = x;
      given = f(std::move(given));
      CHECK((given == y));
    }
}

TEST_CASE("sums over rows of a few batches keep to their columns", "[row_ends]") {
  auto const f = kt::function([](kt::dmatrix x) {
    auto e = exp(x);
    return std::tuple(e, sum(e, kt::axis<1>), sum(e, kt::axis<0>));
  });
  for (std::size_t n : {1, 5, 20, 5000})
    for (std::size_t m : {3, 9, 10, 13, 17, 23}) {
      CAPTURE(n, m);
      xt::xtensor<double, 2> x = xt::zeros<double>({n, m});
      for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = std::sin(static_cast<double>(k));
      std::vector<double> memory(m + 64, 77);
      auto columns = xt::adapt(memory.data(), m, xt::no_ownership(), std::vector<std::size_t>{m});
      xt::xtensor<double, 2> e;
      vec<double> rows;
      f.into(std::tie(e, rows, columns), x);
      CHECK((xt::allclose(rows, xt::sum(xt::exp(x), {1}), 1e-12, 0)));
      CHECK((xt::allclose(columns, xt::sum(xt::exp(x), {0}), 1e-12, 0)));
      int changed = 0;
      for (std::size_t k = m; k < memory.size(); ++k) changed += memory[k] != 77;
      CHECK(changed == 0);
    }
}

TEST_CASE("numbers of the next row do not reach the sums of a row", "[row_ends]") {
  auto const f = kt::function([](kt::dmatrix x) { return std::tuple(exp(x), sum(exp(x), kt::axis<1>), max(exp(x), kt::axis<1>)); });
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  xt::xtensor<double, 2> x = xt::zeros<double>({20, 9});
  for (std::size_t i = 1; i < 20; i += 2)
    for (std::size_t j = 0; j < 9; ++j) x(i, j) = i % 4 == 1 ? infinity : nan;
  auto const [e, sums, most] = f(x);
  for (std::size_t i = 0; i < 20; i += 2) {
    CHECK(sums(i) == 9);
    CHECK(most(i) == 1);
  }
  CHECK(sums(1) == infinity);
  CHECK(std::isnan(sums(3)));
  CHECK(std::isnan(most(3)));
}
