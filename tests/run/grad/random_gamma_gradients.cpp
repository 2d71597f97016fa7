// Gradients of gamma numbers by their shape, which are implicit: against distribution functions
// that are inverted, and against the derivatives of what is expected.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <numeric>

using namespace reference;

namespace {

/// The x with P(a, x) = p, by bisection.
double quantile(double a, double p) {
  double low = 0, high = 100;
  for (int i = 0; i < 200; ++i) {
    double const x = (low + high) / 2;
    (kt::math::gammainc(a, x) < p ? low : high) = x;
  }
  return (low + high) / 2;
}
constexpr auto by_shape = [](kt::dvector a, kt::rng r) {
  auto x = r.gamma(a);
  return std::tuple(x, grad(sum(x), a));
};
template <class Stream>
void check_slopes(Stream stream) {
  auto f = kt::function(by_shape, stream);
  vec<double> const a{0.3, 0.3, 0.9, 1, 2, 7.5, 40};
  auto const [x, slope] = f(a);
  double const h = 1e-4;
  CHECK(mismatch(
            slope,
            [&](std::size_t i) {
              double const p = kt::math::gammainc(a(i), x(i));
              return (quantile(a(i) + h, p) - quantile(a(i) - h, p)) / (2 * h);
            },
            2e-6, 1e-9) == "");
}

}  // namespace

TEST_CASE("random: gamma numbers keep their rank when the shape changes") {
  check_slopes(kt::philox_streams(3));
  check_slopes(kt::random_streams(4));
  check_slopes(kt::mrg_random_streams(5));
}

TEST_CASE("random: gradients of what is expected of gamma numbers") {
  // Of x, x^2 and log x: a, a + a^2 and digamma(a), times the scale, its square, and plus its log.
  kt::philox_streams s(6);
  auto f = kt::function(
      [](kt::dscalar a, kt::dscalar scale, kt::rng r) {
        auto x = r.gamma(a, scale, kt::size(200, 1000));
        auto y = mean(x), z = mean(sqr(x)), w = mean(log(x));
        return std::tuple(grad(y, a), grad(z, a), grad(w, a), grad(grad(z, a), a), grad(z, scale));
      },
      s);
  double const a = 1.5, b = 0.5;
  auto const [y, z, w, second, by_scale] = f(a, b);
  CHECK(y == Approx(b).epsilon(0.01));
  CHECK(z == Approx(b * b * (1 + 2 * a)).epsilon(0.01));
  CHECK(w == Approx(kt::math::trigamma(a)).epsilon(0.01));
  CHECK(second == Approx(2 * b * b).epsilon(0.02));
  CHECK(by_scale == Approx(2 * b * (a + a * a)).epsilon(0.01));
  // So small a shape draws zeros, and numbers whose reciprocal is infinite: noise, but no NaN.
  CHECK(std::isfinite(std::get<3>(f(1e-3, b))));
}

TEST_CASE("random: gamma numbers in loops, in maps, of float, and in forward mode") {
  kt::philox_streams s(7);
  auto f = kt::function(
      [](kt::dscalar a, kt::fvector b, kt::rng r) {
        auto steps = scan([=](kt::dscalar x) { return x + r.gamma(a, kt::size()); },
                          kt::outputs_info(zeros_like(a)), kt::n_steps(400));
        auto rows =
            kt::vmap([=](kt::fscalar shape) { return r.gamma<float>(shape, kt::size(400)); })(b);
        auto x = r.gamma(a, kt::size(3));
        return std::tuple(grad(steps(-1), a) / 400, grad(sum(rows), b) / 400.f,
                          rop(x, a, ones_like(a)), grad(sum(x), a));
      },
      s);
  auto const [in_loop, in_map, forward, backward] = f(2.5, vec<float>{0.5f, 6});
  CHECK(in_loop == Approx(1).epsilon(0.1));
  CHECK(mismatch(in_map, [](auto) { return 1; }, 0.1) == "");
  CHECK(xt::sum(forward)() == Approx(backward));
}
