// Gradients through random numbers: those of the formula with the numbers as they were drawn.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cmath>

namespace kt = kroton;

namespace {

/// The gradients of a function of two parameters against central differences in which the stream
/// begins anew.
template <class Stream, class F>
void check_gradient(Stream s, F f) {
  double const a = 1.5, b = 0.75, h = 1e-6;
  auto const at = [&](double p, double q) {
    s.seed(11);
    return std::get<0>(f(p, q));
  };
  s.seed(11);
  auto const [y, by_a, by_b] = f(a, b);
  CHECK(at(a, b) == y);
  CHECK(by_a == Approx((at(a + h, b) - at(a - h, b)) / (2 * h)).epsilon(1e-7).margin(1e-8));
  CHECK(by_b == Approx((at(a, b + h) - at(a, b - h)) / (2 * h)).epsilon(1e-7).margin(1e-8));
}

constexpr auto parameters_of_all = [](kt::dscalar a, kt::dscalar b, kt::rng r) {
  auto const n = kt::size(50);
  auto const y = sum(sqr(r.normal(a, b, n))) + sum(exp(r.uniform(b, a, n))) +
                 sum(sqr(r.exponential(a, n))) + sum(pow(r.truncated_normal(a, b, n), 3)) +
                 sum(sqr(a * r.gamma(2., b, n)));
  return std::tuple{y, grad(y, a), grad(y, b)};
};

template <class Stream>
void check_stream(Stream s) {
  check_gradient(s, kt::function(parameters_of_all, s, kt::mode::interpret));
}

}  // namespace

TEST_CASE("random: gradients by the parameters of distributions") {
  check_stream(kt::philox_streams(11));
  check_stream(kt::mrg_random_streams(11));
  check_stream(kt::random_streams(11));
  kt::philox_streams s(11);
  check_gradient(s, kt::function(parameters_of_all, s));
}

TEST_CASE("random: draws are constant for gradients, whatever they are made of") {
  kt::philox_streams s(4);
  auto f = kt::function(
      [](kt::dvector x, kt::dscalar p, kt::rng r) {
        auto const kept = where(r.uniform(x.shape(0)) < p, x, 0.0);
        auto const y = sum(sqr(kept)) + sum(kt::cast<double>(r.poisson(p, kt::size(3)))) * x(0);
        return std::tuple{kept, grad(y, x), grad(y, p, kt::disconnected::zero),
                          sum(kt::cast<double>(r.poisson(p, kt::size(3))))};
      },
      s, kt::mode::interpret);
  xt::xtensor<double, 1> const x{1., 2., 3., 4., 5., 6.};
  auto const [kept, by_x, by_p, ignored] = f(x, 0.5);
  for (std::size_t i = 1; i < 6; ++i) CHECK(by_x(i) == 2 * kept(i));
  CHECK(by_p == 0);
  CHECK(ignored >= 0);
}

TEST_CASE("random: a gradient through a loop has the numbers of its steps") {
  kt::random_streams s(6);
  auto f = kt::function(
      [](kt::dscalar a, kt::dscalar b, kt::rng r) {
        auto const path = scan([=](kt::dscalar x) { return b * x + r.normal(0., a, kt::size()); },
                               kt::outputs_info(ones_like(a)), kt::n_steps(12));
        auto const y = sqr(path(-1)) + sum(path);
        return std::tuple{y, grad(y, a), grad(y, b)};
      },
      s, kt::mode::interpret);
  check_gradient(s, f);
}

TEST_CASE("random: slices of a map have gradients of their own") {
  kt::philox_streams s(6);
  auto f = kt::function(
      [](kt::dscalar a, kt::dscalar b, kt::rng r) {
        auto const m = stack<0>(a, b, a * b);
        auto const y =
            kt::vmap([=](kt::dscalar x) { return sum(sqr(r.normal(x, 0.5, kt::size(4)))); })(m);
        return std::tuple{sum(y), grad(sum(y), a), grad(sum(y), b)};
      },
      s, kt::mode::interpret);
  check_gradient(s, f);
}
