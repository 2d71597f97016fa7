// Functions that are computed from others which are there anyway: which ones are left, and how exact they are.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/op_counts.hpp"
#include "run/reference.hpp"

using namespace reference;

namespace {

template <class S>
constexpr auto growth = [](S x) { return std::tuple(1 - exp(x), exp(x)); };
/// Morse's potential, whose derivative has the exponential, too.
constexpr auto morse = [](kt::dscalar r, kt::dscalar depth, kt::dscalar width) {
  auto const value = depth * sqr(1 - exp(-width * (r - 1.2)));
  return std::tuple(value, grad(value, r, depth, width));
};
template <class S>
constexpr auto pendulum = [](S x) { return std::tuple(1 - cos(x), sin(x)); };
template <class S>
constexpr auto rotation = [](S x) { return std::tuple(1 - cos(x), sin(x), cos(x), 3 - 3 * cos(x)); };
template <class S>
constexpr auto cosines = [](S x) { return std::tuple(1 - cos(x), cos(x)); };
/// The angle is a sum, and a product with a coefficient.
constexpr auto angles = [](kt::dscalar a, kt::dscalar b, kt::dscalar c) {
  return std::tuple(1 - cos(a - b), sin(a - b), 1 - cos(3 * b * c), sin(3 * b * c));
};
template <class S>
constexpr auto others = [](S x) { return std::tuple(1 - cos(x), sin(2 * x), cos(3 * x), expm1(x), exp(2 * x)); };

template <class Op, class S, class F, class Mode>
int count(F f, Mode mode) {
  if constexpr (std::is_invocable_v<F, S>) return op_counts::count<Op>(op_counts::prepared<S>(f, mode));
  else return op_counts::count<Op>(op_counts::prepared<S, S, S>(f, mode));
}
using kt::dscalar, kt::dvector, kt::mode::fast_run, kt::mode::ieee;
using kt::op::expm1, kt::op::exp, kt::op::sin, kt::op::cos;
constexpr auto without = fast_run.excluding<"related_functions">();

TEST_CASE("functions of one argument are computed from one another") {
  CHECK(count<expm1, dscalar>(growth<dscalar>, fast_run) == 0);
  CHECK(count<exp, dscalar>(growth<dscalar>, fast_run) == 1);
  CHECK(count<expm1, dscalar>(morse, fast_run) == 0);
  CHECK(count<exp, dscalar>(morse, fast_run) == 1);
  // Loops have kernels for both.
  CHECK(count<expm1, dvector>(growth<dvector>, fast_run) == 1);
  CHECK(count<exp, dvector>(growth<dvector>, fast_run) == 1);
  CHECK(count<expm1, dscalar>(growth<dscalar>, without) == 1);
  CHECK(count<exp, dscalar>(growth<dscalar>, without) == 1);
  CHECK(count<sin, dscalar>(pendulum<dscalar>, without) == 2);
  CHECK(count<sin, dscalar>(pendulum<dscalar>, fast_run) == 1);
  CHECK(count<cos, dscalar>(pendulum<dscalar>, fast_run) == 1);
  CHECK(count<sin, dvector>(pendulum<dvector>, fast_run) == 1);
  CHECK(count<cos, dvector>(pendulum<dvector>, fast_run) == 1);
  CHECK(count<sin, dscalar>(rotation<dscalar>, fast_run) == 1);
  CHECK(count<cos, dscalar>(rotation<dscalar>, fast_run) == 1);
  CHECK(count<sin, dvector>(rotation<dvector>, fast_run) == 1);
  CHECK(count<cos, dvector>(rotation<dvector>, fast_run) == 1);
  CHECK(count<sin, dscalar>(angles, fast_run) == 2);
  CHECK(count<cos, dscalar>(angles, fast_run) == 2);
  CHECK(count<sin, dscalar>(others<dscalar>, fast_run) == 2);
  CHECK(count<cos, dscalar>(others<dscalar>, fast_run) == 1);
  CHECK(count<expm1, dscalar>(others<dscalar>, fast_run) == 1);
  // As written.
  CHECK(count<expm1, dscalar>(growth<dscalar>, ieee) == 0);
  CHECK(count<exp, dscalar>(growth<dscalar>, ieee) == 1);
}

/// The difference in units of the last place of what it should be.
template <class T>
double ulps(T got, long double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : infinity;
  if (static_cast<long double>(got) == want || (std::isinf(want) && static_cast<T>(want) == got)) return 0;
  T const nearest = std::fabs(static_cast<T>(want));
  long double const unit = std::nextafter(nearest, std::numeric_limits<T>::infinity()) - nearest;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}
template <class T>
vec<T> arguments(double most) {
  std::size_t const each = 600;
  vec<T> x = numbers<T>(3 * each, 7, -1, 1);
  for (std::size_t i = 0; i < each; ++i) {
    x(i) *= static_cast<T>(most);
    x(2 * each + i) *= std::pow(T(10), static_cast<T>(-(static_cast<double>(i) / 20)));
  }
  return x;
}

TEMPLATE_TEST_CASE("what comes from related functions is as exact", "", float, double) {
  using T = TestType;
  double const unit = interprets ? 4 : 1;
  using S = kt::scalar<T>;
  T const inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  auto grow = kt::function(growth<S>);
  for (T x : arguments<T>(sizeof(T) == 4 ? 80 : 700)) {
    CAPTURE(x);
    auto const [difference, power] = grow(x);
    CHECK(ulps(difference, -std::expm1(static_cast<long double>(x))) <= 2.5 * unit);
    CHECK(ulps(power, std::exp(static_cast<long double>(x))) <= unit);
  }
  CHECK(std::get<0>(grow(-inf)) == 1);
  CHECK(std::get<0>(grow(inf)) == -inf);
  CHECK(std::isnan(std::get<0>(grow(nan))));
  CHECK(std::get<0>(grow(T(0))) == 0);

  auto swing = kt::function(pendulum<S>);
  auto turn = kt::function(rotation<S>);
  auto even = kt::function(cosines<S>);
  for (T x : arguments<T>(30)) {
    CAPTURE(x);
    long double const half = std::sin(static_cast<long double>(x) / 2), versed = 2 * half * half;
    auto const [height, sine] = swing(x);
    CHECK(ulps(height, versed) <= 4 * unit);
    CHECK(ulps(sine, std::sin(static_cast<long double>(x))) <= 4 * unit);
    auto const [v, s, c, triple] = turn(x);
    CHECK(ulps(v, versed) <= 4 * unit);
    CHECK(ulps(s, std::sin(static_cast<long double>(x))) <= unit);
    CHECK(ulps(c, std::cos(static_cast<long double>(x))) <= unit);
    CHECK(ulps(triple, 3 * versed) <= 5 * unit);
    CHECK(ulps(std::get<0>(even(x)), versed) <= 4 * unit);
  }
  CHECK(std::isnan(std::get<0>(turn(inf))));
  CHECK(std::isnan(std::get<0>(swing(nan))));
}

TEST_CASE("an angle is twice another one by all its terms") {
  auto const f = [](dscalar a, dscalar b, dscalar c) { return std::tuple(sqr(kt::sin(a + a + b)), kt::sin(2 * a + 2 * b + 2 * c), kt::cos(4 * a + 2 * b)); };
  auto const [p, q, r] = kt::function(f, fast_run.excluding<"like_terms">())(0.3, 0.5, 0.7);
  CHECK(close(p, std::pow(std::sin(1.1), 2), 1e-14));
  CHECK(close(q, std::sin(3.0), 1e-13));
  CHECK(close(r, std::cos(2.2), 1e-14));
}

TEST_CASE("related functions of arrays and of composed angles") {
  vec<double> const x = arguments<double>(30);
  auto const [height, sine] = kt::function(pendulum<dvector>)(x);
  CHECK(mismatch(height, [&](std::size_t i) { return 2 * std::pow(std::sin(x(i) / 2), 2); }, 2e-15) == "");
  CHECK(mismatch(sine, [&](std::size_t i) { return std::sin(x(i)); }, 2e-15) == "");
  auto const [v, s, c, triple] = kt::function(rotation<dvector>)(x);
  CHECK(mismatch(v, [&](std::size_t i) { return 2 * std::pow(std::sin(x(i) / 2), 2); }, 2e-15) == "");
  CHECK(mismatch(triple, [&](std::size_t i) { return 6 * std::pow(std::sin(x(i) / 2), 2); }, 2e-15) == "");
  CHECK(mismatch(c, [&](std::size_t i) { return std::cos(x(i)); }, 2e-15) == "");
  auto const [p, q, r, t] = kt::function(angles)(0.7, 0.2, 1.9);
  CHECK(close(p, 1 - std::cos(0.5), 1e-14));
  CHECK(close(q, std::sin(0.5), 1e-14));
  CHECK(close(r, 1 - std::cos(3 * 0.2 * 1.9), 1e-14));
  CHECK(close(t, std::sin(3 * 0.2 * 1.9), 1e-14));
  auto const cost = [](dscalar a, dscalar d, dscalar w) { return std::get<0>(morse(a, d, w)) + d * (1 - kt::cos(w * a)) + kt::sin(w * a); };
  CHECK(kt::verify_grad(cost, 0.7, 1.3, 0.9));
}

}  // namespace
