// The digits of formulas next to the points where they cancel, against the same in long double, from exact differences.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <random>

using namespace reference;
using I = std::size_t;

namespace {

/// The largest error in units in the last place of the exact values.
template <class T, class F>
double largest_error(vec<T> const& got, F exact) {
  double largest = 0;
  for (I i = 0; i < got.size(); ++i) {
    long double const want = exact(i);
    T const size = std::max(std::abs(static_cast<T>(want)), std::numeric_limits<T>::min());
    long double const unit = std::ldexp(1.0L, std::ilogb(size) + 1 - std::numeric_limits<T>::digits);
    largest = std::max(largest, static_cast<double>(std::abs(got(i) - want) / unit));
  }
  return largest;
}
/// Points next to those of `centres`, at distances of all magnitudes down to the last place.
template <class T>
vec<T> next_to(std::vector<double> const& centres) {
  std::mt19937_64 random(5);
  auto const uniform = [&](double from, double to) { return from + (to - from) * std::ldexp(static_cast<double>(random() >> 11), -53); };
  vec<T> x(std::array<I, 1>{centres.size() * 400});
  for (I i = 0; i < x.size(); ++i)
    x(i) = static_cast<T>(centres[i / 400] * (1 + (i % 2 == 0 ? 1 : -1) * std::exp2(uniform(-std::numeric_limits<T>::digits, -1.5))));
  return x;
}
constexpr long double pi = 3.14159265358979323846264338327950288L;

template <class T>
void check() {
  using V = kt::variable<T, 1>;
  auto const odds = kt::function([](V p) { return logit(p); });
  vec<T> const p = next_to<T>({0.5, 0.25, 0.75, 0.1, 1e-30});
  CHECK(largest_error<T>(odds(p), [&](I i) {
          long double const x = p(i);
          return std::abs(x - 0.5L) < 0.25L ? std::log1p((2 * x - 1) / (1 - x)) : std::log(x / (1 - x));
        }) < 4);
  auto const wave = kt::function([](V x) { return sinc(x); });
  vec<T> const places = next_to<T>({1, -1, 2, 3.5, 17, -46, 4096, 0.01, 1e-3});
  CHECK(largest_error<T>(wave(places), [&](I i) {
          long double const at = places(i), nearest = std::nearbyint(at);
          return std::sin(pi * (at - nearest)) * (std::fmod(nearest, 2.0L) == 0 ? 1 : -1) / (pi * at);
        }) < 4);
  auto const relative = kt::function([](V x, V y) { return rel_entr(x, y); });
  vec<T> const near = next_to<T>({1, 1, 1, 1, 1}), by = next_to<T>({1, 1e-20, 3e15, 0.1, 7});
  vec<T> const far = near * by;
  CHECK(largest_error<T>(relative(far, by), [&](I i) {
          long double const a = far(i), b = by(i);
          return a * std::log1p((a - b) / b);
        }) < 4);
  // The argument of erfc is rounded, which counts x * x times.
  auto const normal = kt::function([](V x) { return std::pair(ndtr(x), log_ndtr(-x)); });
  vec<T> const deep = next_to<T>({-0.5, -1, -3, -7, -11});
  auto const [tails, logarithms] = normal(deep);
  auto const share = [&](auto const& got, auto exact) {
    double largest = 0;
    for (I i = 0; i < got.size(); ++i)
      largest = std::max(largest, largest_error<T>(vec<T>{got(i)}, [&](I) { return exact(static_cast<long double>(deep(i))); }) /
                                      (1.5 * deep(i) * deep(i) + 5));
    return largest;
  };
  CHECK(share(tails, [](long double v) { return std::erfc(-v / std::sqrt(2.0L)) / 2; }) < 1);
  CHECK(share(logarithms, [](long double v) { return std::log1p(-std::erfc(-v / std::sqrt(2.0L)) / 2); }) < 1);
}

}  // namespace

TEST_CASE("logit, sinc and rel_entr next to their zeros") {
  check<double>();
  check<float>();
}

TEST_CASE("zeros and ends of logit, sinc and rel_entr") {
  auto const f = kt::function([](kt::dvector p, kt::dvector x) { return std::tuple(logit(p), sinc(x), rel_entr(p, p), rel_entr(p, x)); });
  auto const [odds, wave, none, relative] =
      f(vec<double>{0.5, 0, 1, 5e-324, -0.5, 1.5}, vec<double>{1, 0, -3, 1e300, infinity, not_a_number});
  CHECK(odds(0) == 0);
  CHECK(odds(1) == -infinity);
  CHECK(odds(2) == infinity);
  CHECK(odds(3) == Approx(-744.4400719213812));
  CHECK(std::isnan(odds(4)));
  CHECK(std::isnan(odds(5)));
  CHECK(wave(0) == 0);
  CHECK(wave(1) == 1);
  CHECK(wave(2) == 0);
  CHECK(wave(3) == 0);
  CHECK(std::isnan(wave(4)));
  CHECK(std::isnan(wave(5)));
  for (I i : {I{0}, I{1}, I{2}, I{3}, I{5}}) CHECK(none(i) == 0);
  CHECK(none(4) == infinity);
  CHECK(relative(1) == 0);
  CHECK(relative(2) == infinity);
  CHECK(std::isnan(relative(5)));
}

TEST_CASE("derivatives of logit, sinc and rel_entr") {
  auto const f = kt::function(
      [](kt::dvector p, kt::dvector x, kt::dvector q) {
        auto const by_p = grad(sum(logit(p)), p), by_x = grad(sum(sinc(x)), x);
        auto const [a, b] = grad(sum(rel_entr(p, q)), p, q);
        return std::tuple(by_p, grad(sum(by_p), p), by_x, grad(sum(by_x), x), a, b);
      },
      kt::mode::interpret);
  vec<double> const p{0.5, 0.1, 0.75, 1e-200}, x{1, -2.25, 0.5, 0}, q{0.5, 0.3, 0.7, 1};
  auto const [once, twice, slope, bend, by_p, by_q] = f(p, x, q);
  for (I i = 0; i < p.size(); ++i) {
    CHECK(once(i) == Approx(1 / p(i) / (1 - p(i))).epsilon(1e-14));
    if (i < 3) CHECK(twice(i) == Approx((2 * p(i) - 1) / std::pow(p(i) * (1 - p(i)), 2)).epsilon(1e-13).margin(1e-13));
    CHECK(by_p(i) == Approx(std::log(p(i) / q(i)) + 1).epsilon(1e-14));
    CHECK(by_q(i) == Approx(-p(i) / q(i)).epsilon(1e-14));
  }
  CHECK(slope(0) == Approx(-1).epsilon(1e-14));
  CHECK(bend(0) == Approx(2).epsilon(1e-14));
  CHECK(slope(1) == Approx(-0.2698096155319418).epsilon(1e-12));
  CHECK(slope(2) == Approx(-1.2732395447351628).epsilon(1e-14));
  CHECK(slope(3) == 0);
  CHECK(bend(3) == Approx(-std::acos(-1.) * std::acos(-1.) / 3).epsilon(1e-14));
  // What is found in sigmoids stays finite.
  auto const g = kt::function([](kt::dvector t) { return std::pair(logit(sigmoid(t)), logit(1 / (1 + exp(-t)))); });
  vec<double> const far{40, -40, 800, -0.125, 0};
  auto const [library, written] = g(far);
  for (I i = 0; i < far.size(); ++i) {
    CHECK(library(i) == Approx(far(i)).epsilon(1e-14));
    CHECK(written(i) == Approx(far(i)).epsilon(1e-14));
  }
}

TEST_CASE("the error of beta grows with its logarithm") {
  auto const f = kt::function([](kt::dvector a, kt::dvector b, kt::fvector c, kt::fvector d) { return std::pair(beta(a, b), beta(c, d)); });
  auto const [doubles, floats] = f(vec<double>{46, 22, 99999}, vec<double>{57, 26, 75}, vec<float>{38, 0.5f}, vec<float>{58.34238815307617f, 0.5f});
  std::vector<long double> const exact{8.84617240105835167716041e-32L, 3.064234794624365398557092e-15L, 3.219788779232956774076949e-268L};
  for (I i = 0; i < 3; ++i)
    CHECK(largest_error<double>(vec<double>{doubles(i)}, [&](I) { return exact[i]; }) < 3 * static_cast<double>(3 - std::log(exact[i])));
  CHECK(floats(0) == 4.540645139014714e-29f);
  CHECK(floats(1) == 3.14159265358979f);
}

TEST_CASE("third and fourth derivatives of sinc near 0") {
  auto const f = kt::function(
      [](kt::dscalar x) {
        auto const third = grad(grad(grad(sinc(x), x), x), x);
        return std::pair(third, grad(third, x));
      },
      kt::mode::interpret);
  for (double x : {0.0031, 0.0033, 0.05, 0.31, 0.33}) {
    long double const square = std::numbers::pi_v<long double> * std::numbers::pi_v<long double>;
    long double third = 0, fourth = 0, part = 1;  // part: pi^2k / (2k + 1)! with its sign
    for (int k = 1; k < 20; ++k) {
      part *= -square / (2 * k * (2 * k + 1));
      long double const slope = part * (2 * k) * (2 * k - 1) * (2 * k - 2);
      if (k > 1) third += slope * std::pow(static_cast<long double>(x), 2 * k - 3);
      if (k > 1) fourth += slope * (2 * k - 3) * std::pow(static_cast<long double>(x), 2 * k - 4);
    }
    auto const [by_three, by_four] = f(x);
    CAPTURE(x, by_three, third, by_four, fourth);
    CHECK(std::abs(by_three / static_cast<double>(third) - 1) < 1e-12);
    CHECK(std::abs(by_four / static_cast<double>(fourth) - 1) < 1e-12);
  }
}
