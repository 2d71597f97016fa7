// Logistic functions of one scalar: what is left of their exponentials, and that nothing else changes.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/op_counts.hpp"
#include "run/reference.hpp"

using namespace reference;

namespace {

template <class S>
constexpr auto functions = [](S x, S y) {
  S const z = 0.5 * x - 3 * y;
  return std::tuple(sigmoid(z), softplus(z), sigmoid(-z), softplus(3 * y - x / 2));
};
constexpr auto loss = [](kt::dscalar y, kt::dscalar a, kt::dscalar b) {
  auto const p = 1 / (1 + exp(-(a * 0.3 - b * 0.7 + 0.1)));
  auto const l = -y * log(p) - (1 - y) * log(1 - p);
  return std::tuple(l, grad(l, a, b));
};
constexpr auto alone = [](kt::dscalar y, kt::dscalar a, kt::dscalar b) { return std::tuple(sigmoid(y), softplus(a), sigmoid(b - y)); };
constexpr auto arrays = [](kt::dvector x, kt::dscalar a, kt::dscalar b) { return std::tuple(sigmoid(x), softplus(-x), a + b); };

/// How often an op is computed in a mode.
template <class Op, class First, class F, class Mode>
int count(F f, Mode mode) {
  return op_counts::count<Op>(op_counts::prepared<First, kt::dscalar, kt::dscalar>(f, mode));
}
using kt::mode::fast_run, kt::mode::ieee;
constexpr auto apart = fast_run.excluding<"shared_exponentials">();
using kt::dscalar;

TEST_CASE("logistic functions of one argument take one exponential") {
  CHECK(count<kt::op::exp, dscalar>(loss, fast_run) == 1);
  CHECK(count<kt::op::log1p, dscalar>(loss, fast_run) == 1);
  CHECK(count<kt::op::sigmoid, dscalar>(loss, fast_run) == 0);
  CHECK(count<kt::op::softplus, dscalar>(loss, fast_run) == 0);
  CHECK(count<kt::op::sigmoid, dscalar>(loss, apart) == 2);
  CHECK(count<kt::op::softplus, dscalar>(loss, apart) == 2);
  CHECK(count<kt::op::sigmoid, dscalar>(alone, fast_run) == 2);
  CHECK(count<kt::op::softplus, dscalar>(alone, fast_run) == 1);
  CHECK(count<kt::op::sigmoid, kt::dvector>(arrays, fast_run) == 1);
  CHECK(count<kt::op::exp, kt::dvector>(arrays, fast_run) == 0);
}

// Four functions of an argument and its negative cost more than the exponential that they share.
constexpr auto loss_of_arrays = [](kt::dvector y, kt::dscalar a, kt::dscalar b) {
  auto const p = 1 / (1 + exp(-(a * y + b)));
  auto const l = -sum(y * log(p) + (1 - y) * log(1 - p));
  return std::tuple(l, grad(l, a, b));
};

TEST_CASE("logistic functions of arrays that share exponentials") {
  CHECK(count<kt::op::exp, kt::dvector>(loss_of_arrays, fast_run) == 1);
  CHECK(count<kt::op::log1p, kt::dvector>(loss_of_arrays, fast_run) == 1);
  CHECK(count<kt::op::inv, kt::dvector>(loss_of_arrays, fast_run) == 1);
  CHECK(count<kt::op::div, kt::dvector>(loss_of_arrays, fast_run) == 0);
  CHECK(count<kt::op::sigmoid, kt::dvector>(loss_of_arrays, apart) == 2);
  CHECK(count<kt::op::softplus, kt::dvector>(loss_of_arrays, apart) == 2);
}

TEMPLATE_TEST_CASE("logistic functions that share an exponential are those that do not", "", float, double) {
  using T = TestType;
  auto shared = kt::function(functions<kt::scalar<T>>);
  auto single = kt::function(functions<kt::scalar<T>>, apart);
  auto same = [](T x, T y) { return std::isnan(x) ? std::isnan(y) : x == y || close(x, y, 2 * static_cast<double>(std::numeric_limits<T>::epsilon())); };
  T const inf = std::numeric_limits<T>::infinity();
  for (T x : {T(-1600), T(-80), T(-2), T(-1e-9), T(-0.), T(0), T(1e-9), T(0.3), T(2), T(80), T(1600), inf, -inf, std::numeric_limits<T>::quiet_NaN()}) {
    CAPTURE(x);
    auto const [a, b, c, d] = shared(x, T(0));
    auto const [p, q, r, s] = single(x, T(0));
    CHECK(same(a, p));
    CHECK(same(b, q));
    CHECK(same(c, r));
    CHECK(same(d, s));
  }
  auto const [low, small, high, large] = shared(T(-80), T(0));
  CHECK(close(low, std::exp(-40.), 1e-6));
  CHECK(close(small, std::exp(-40.), 1e-6));
  CHECK(high == 1);
  CHECK(large == 40);
}

TEST_CASE("a logistic loss of scalars and its gradient") {
  auto f = kt::function(loss);
  for (double y : {0., 0.25, 1.})
    for (double a : {-3., 0.4, 900.}) {
      auto const [l, by_a, by_b] = f(y, a, 0.5);
      double const z = 0.3 * a - 0.7 * 0.5 + 0.1, s = 1 / (1 + std::exp(-z));
      CHECK(close(l, std::max(z, 0.) + std::log1p(std::exp(-std::abs(z))) - y * z, 1e-14, 1e-14));
      CHECK(close(by_a, 0.3 * (s - y), 1e-14, 1e-14));
      CHECK(close(by_b, -0.7 * (s - y), 1e-14, 1e-14));
    }
}

TEST_CASE("a logistic loss of arrays and its gradient") {
  vec<double> const y = numbers<double>(1001, 5, -1, 2);
  for (double a : {-3., 0.4, 900.}) {
    auto const [l, by_a, by_b] = kt::function(loss_of_arrays)(y, a, 0.5);
    auto const [m, of_a, of_b] = kt::function(loss_of_arrays, apart)(y, a, 0.5);
    double loss = 0, first = 0, second = 0;
    for (double t : y) {
      double const z = a * t + 0.5, s = z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z));
      loss += std::max(z, 0.) + std::log1p(std::exp(-std::abs(z))) - t * z;
      first += (s - t) * t;
      second += s - t;
    }
    CHECK((close(l, loss, 1e-12) && close(l, m, 1e-12)));
    CHECK((close(by_a, first, 1e-12) && close(by_a, of_a, 1e-12)));
    CHECK((close(by_b, second, 1e-12) && close(by_b, of_b, 1e-12)));
  }
}

}  // namespace
