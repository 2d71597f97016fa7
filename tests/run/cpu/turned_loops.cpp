// Gradients of sums over all pairs of points: loops over (n, m, d) that reduce over each of the
// axes, in bands, and choose for which of them they go row by row.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <sstream>

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
      for (std::size_t a = 0; a < d; ++a)
        square += std::pow(static_cast<double>(p(i, a)) - static_cast<double>(q(j, a)), 2);
      cost += static_cast<double>(w(i, j)) / (1 + square);
      for (std::size_t a = 0; a < d; ++a) {
        double const g = -2 * static_cast<double>(w(i, j)) *
                         (static_cast<double>(p(i, a)) - static_cast<double>(q(j, a))) /
                         std::pow(1 + square, 2);
        by_p(i, a) += g;
        by_q(j, a) -= g;
      }
    }
  double const within = sizeof(T) == 4 ? 2e-5 : 1e-12;
  auto const close = [&](auto const& found, auto const& wanted) {
    return xt::allclose(xt::cast<double>(found), wanted, within, within * 10);
  };
  for (int call = 0; call < 2; ++call) {
    mat<T> const x = columns ? mat<T>(xt::transpose(p)) : p,
                 y = columns ? mat<T>(xt::transpose(q)) : q;
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
    for (auto [n, m] : {std::pair<std::size_t, std::size_t>{1, 40},
                        {5, 5},
                        {70, 3},
                        {200, 9},
                        {50, 33},
                        {33, 64}}) {
      check<T>(rows, false, n, m, d);
      check<T>(columns, true, n, m, d);
    }
  // Bands of several parts.
  for (auto [n, m] : {std::pair<std::size_t, std::size_t>{401, 517}, {640, 1000}, {513, 2049}}) {
    check<T>(rows, false, n, m, 3);
    check<T>(columns, true, n, m, 3);
  }
}

}  // namespace

TEST_CASE("gradients of sums over pairs of points, for all numbers of points and of coordinates") {
  check_all<double>();
  check_all<float>();
}

TEST_CASE("a value that two loops of a band read in different orders, in two calls") {
  auto const f = kt::function([](kt::dmatrix x, kt::dmatrix p) {
    auto const v = tanh(p);
    auto const d = kt::dimshuffle<0, 'x', 1>(x) - kt::dimshuffle<'x', 0, 1>(v);
    auto const cost = sum(exp(-0.1 * sum(log(1 + sqr(d)), kt::axis<2>)));
    return std::tuple(cost, grad(cost, p));
  });
  std::size_t const n = 3000, m = 64;
  mat<double> x(std::array{n, m}), p(std::array{m, m});
  int k = 0;
  for (double& each : x) each = std::sin(0.7 * ++k);
  for (int call = 0; call < 2; ++call) {
    for (double& each : p) each = std::sin(0.9 * ++k);
    auto const [cost, by_p] = f(x, p);
    // One element against differences.
    double const h = 1e-6;
    mat<double> up = p, down = p;
    up(3, 5) += h, down(3, 5) -= h;
    double const slope = (std::get<0>(f(x, up)) - std::get<0>(f(x, down))) / (2 * h);
    CHECK(by_p(3, 5) == Approx(slope).epsilon(1e-5));
    auto const again = f(x, p);
    CHECK(xt::allclose(by_p, std::get<1>(again), 1e-12, 1e-12));
  }
}

namespace {
template <class T>
void check_exponentials() {
  auto const f = kt::function([](matrix_of<T> x, kt::variable<T, 1> w) {
    auto e = exp(x + kt::dimshuffle<'x', 0>(w));
    auto y = logsumexp(sqr(x) + kt::dimshuffle<'x', 0>(w), kt::axis<1>);
    auto cost = sum(sqr(y));
    return std::tuple(sum(e, kt::axis<1>), sum(e, kt::axis<0>), max(e, kt::axis<1>), cost,
                      grad(cost, w), dot(x, w));
  });
  double const within = sizeof(T) == 4 ? 2e-5 : 1e-12;
  for (std::size_t n : {1u, 31u, 32u, 100u, 1000u})
    for (std::size_t k : {1u, 2u, 3u, 4u, 8u, 9u, 40u}) {
      INFO(n << " rows of " << k);
      mat<T> x(std::array{n, k});
      vec<T> w(std::array{k});
      for (std::size_t i = 0; i < x.size(); ++i)
        x.flat(i) = static_cast<T>(std::sin(0.3 * static_cast<double>(i)));
      for (std::size_t i = 0; i < k; ++i) w(i) = static_cast<T>(0.1 * static_cast<double>(i) - 0.5);
      vec<double> over_columns = xt::zeros<double>({n}), over_rows = xt::zeros<double>({k}),
                  most = xt::zeros<double>({n}), by_w = xt::zeros<double>({k});
      double cost = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) {
          double const a = static_cast<double>(x(i, j)), b = static_cast<double>(w(j)),
                       e = std::exp(a + b);
          over_columns(i) += e, over_rows(j) += e, most(i) = std::max(most(i), e),
                                                   sum += std::exp(a * a + b);
        }
        double const y = std::log(sum);
        cost += y * y;
        for (std::size_t j = 0; j < k; ++j)
          by_w(j) +=
              2 * y *
              std::exp(std::pow(static_cast<double>(x(i, j)), 2) + static_cast<double>(w(j))) / sum;
      }
      auto const close = [&](auto const& found, auto const& wanted) {
        return xt::allclose(xt::cast<double>(found), wanted, within, within * 10);
      };
      auto const found = f(x, w);
      CHECK(close(std::get<0>(found), over_columns));
      CHECK(close(std::get<1>(found), over_rows));
      CHECK(close(std::get<2>(found), most));
      CHECK(static_cast<double>(std::get<3>(found)) == Approx(cost).epsilon(within));
      CHECK(close(std::get<4>(found), by_w));
    }
}
}  // namespace

TEST_CASE("exponentials in rows of a few elements, reduced over rows and columns") {
  check_exponentials<double>();
  check_exponentials<float>();
}

TEST_CASE("sums over an axis of dense arrays, and of repeated ones, by the rows that they choose") {
  auto const of_array = [](kt::variable<double, 3> x) {
    return std::tuple(sum(x * x, kt::axis<2>), sum(x + 1, kt::axis<1>));
  };
  auto const of_rows = [](kt::dmatrix p, kt::dmatrix q) {
    return sum(kt::dimshuffle<0, 'x', 1>(p) * kt::dimshuffle<'x', 0, 1>(q), kt::axis<2>);
  };
  auto const f = kt::function(of_array);
  auto const g = kt::function(of_rows);
  auto const h = kt::function([](kt::variable<double, 3> x) { return sum(exp(x), kt::axis<2>); });
  for (auto [n, m, d] : {std::array<std::size_t, 3>{1, 40, 30}, {2, 33, 40}, {3, 33, 64},
                         {5, 64, 17}, {40, 16, 9}}) {
    INFO(n << " by " << m << " by " << d);
    xt::xtensor<double, 3> x(std::array{n, m, d});
    mat<double> p(std::array{n, d}), q(std::array{m, d});
    int k = 0;
    for (double& each : x) each = ++k % 23 - 11;
    for (auto* each : {&p, &q})
      for (double& one : *each) one = ++k % 23 - 11;
    mat<double> squares = xt::zeros<double>({n, m}), products = squares, exponentials = squares,
                sums = xt::zeros<double>({n, d});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j)
        for (std::size_t c = 0; c < d; ++c) {
          squares(i, j) += x(i, j, c) * x(i, j, c), sums(i, c) += x(i, j, c) + 1;
          products(i, j) += p(i, c) * q(j, c), exponentials(i, j) += std::exp(x(i, j, c));
        }
    // Sums of small integers are exact in every order.
    auto const [over_last, over_middle] = f(x);
    CHECK((over_last == squares));
    CHECK((over_middle == sums));
    CHECK((g(p, q) == products));
    CHECK((xt::allclose(h(x), exponentials, 1e-13, 0)));
  }
  auto const plan = [](auto const& of, auto const&... shapes) {
    std::ostringstream out;
    kt::debugprint(of, out, shapes...);
    return out.str();
  };
  // What is read once goes along its rows; a row that is read often is copied for another axis.
  CHECK_THAT(plan(h, kt::shape(64, 256, 64)), Catch::Contains("loop over (64, 256, 64)"));
  auto const by_pairs = kt::function([](kt::dmatrix p, kt::dmatrix q) {
    auto d = kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(q);
    return sum(exp(-sqr(d)), kt::axis<2>);
  });
  CHECK_THAT(plan(by_pairs, kt::shape(2, 64), kt::shape(256, 64)),
             Catch::Contains("loop over (2, 256, 64)"));
  CHECK_THAT(plan(by_pairs, kt::shape(64, 64), kt::shape(256, 64)),
             Catch::Contains("loop over (64, 64, 256)"));
}
