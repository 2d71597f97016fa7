// Gradients of sums over all pairs of points: loops over (n, m, d) that reduce over each of the axes, in
// bands, and choose for which of them they go row by row.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {

template <class T>
using matrix_of = kt::variable<T, 2>;

/// The sum of w_ij / (1 + |p_i - q_j|^2), as one writes it for points in rows and in columns.
constexpr auto of_rows = [](auto p, auto q, auto w) {
  auto d = kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(q);
  return sum(w / (1 + sum(sqr(d), kt::axis<2>)));
};
constexpr auto of_columns = [](auto p, auto q, auto w) {
  auto d = kt::dimshuffle<0, 1, 'x'>(p) - kt::dimshuffle<0, 'x', 1>(q);
  return sum(w / (1 + sum(sqr(d), kt::axis<0>)));
};

template <class T, class F>
void check(F const& f, bool columns, std::size_t n, std::size_t m, std::size_t d) {
  INFO(n << " and " << m << " points of " << d << " numbers" << (columns ? " in columns" : ""));
  mat<T> p(std::array{n, d}), q(std::array{m, d}), w(std::array{n, m});
  int k = 0;
  for (auto* x : {&p, &q, &w})
    for (T& each : *x) each = static_cast<T>(std::sin(0.7 * ++k));
  mat<double> by_p = xt::zeros<double>({n, d}), by_q = xt::zeros<double>({m, d});
  double cost = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      double square = 0;
      for (std::size_t a = 0; a < d; ++a) square += std::pow(static_cast<double>(p(i, a)) - static_cast<double>(q(j, a)), 2);
      cost += static_cast<double>(w(i, j)) / (1 + square);
      for (std::size_t a = 0; a < d; ++a) {
        double const g = -2 * static_cast<double>(w(i, j)) * (static_cast<double>(p(i, a)) - static_cast<double>(q(j, a))) / std::pow(1 + square, 2);
        by_p(i, a) += g;
        by_q(j, a) -= g;
      }
    }
  double const within = sizeof(T) == 4 ? 2e-5 : 1e-12;
  auto const close = [&](auto const& found, auto const& wanted) { return xt::allclose(xt::cast<double>(found), wanted, within, within * 10); };
  for (int call = 0; call < 2; ++call) {
    mat<T> const x = columns ? mat<T>(xt::transpose(p)) : p, y = columns ? mat<T>(xt::transpose(q)) : q;
    auto const [value, gp, gq] = f(x, y, w);
    CHECK(value == Approx(cost).epsilon(within).margin(within * 10));
    CHECK(close(columns ? mat<T>(xt::transpose(gp)) : gp, by_p));
    CHECK(close(columns ? mat<T>(xt::transpose(gq)) : gq, by_q));
  }
}

template <class T>
void check_all() {
  auto const rows = kt::function([](matrix_of<T> p, matrix_of<T> q, matrix_of<T> w) {
    auto cost = of_rows(p, q, w);
    return std::tuple_cat(std::tuple(cost), grad(cost, p, q));
  });
  auto const columns = kt::function([](matrix_of<T> p, matrix_of<T> q, matrix_of<T> w) {
    auto cost = of_columns(p, q, w);
    return std::tuple_cat(std::tuple(cost), grad(cost, p, q));
  });
  for (std::size_t d : {1u, 2u, 3u, 8u, 9u, 40u})
    for (auto [n, m] : {std::pair<std::size_t, std::size_t>{1, 40}, {5, 5}, {70, 3}, {200, 9}, {50, 33}, {33, 64}}) {
      check<T>(rows, false, n, m, d);
      check<T>(columns, true, n, m, d);
    }
}

}  // namespace

TEST_CASE("gradients of sums over pairs of points, for all numbers of points and of coordinates") {
  check_all<double>();
  check_all<float>();
}
