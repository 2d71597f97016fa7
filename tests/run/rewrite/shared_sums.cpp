// Sums that have terms in common, or multiples of them: how many operations are left, and what they give.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/op_counts.hpp"
#include "run/reference.hpp"

using namespace reference;

namespace {

template <class S>
constexpr auto multiples = [](S a, S b, S c) {
  return std::tuple(sqr(a + 10 * b), 2 * a + 20 * b - exp(c), cos(c) - 3 * a - 30 * b, exp(a - b) + c);
};
/// Three terms, constants among them, of opposite signs.
template <class S>
constexpr auto with_constants = [](S a, S b, S c) { return std::tuple(exp(a - b + 1.5), erf(c - 2 * a + 2 * b - 3), sin(b - a - 1.5)); };
/// Halves stay as they are, and so does what other sums have in other proportions.
template <class S>
constexpr auto apart = [](S a, S b, S c) { return std::tuple(exp(a + b), erf(0.5 * a + 0.5 * b), cos(a + 2 * b), sin(a - b), a * c); };
/// Beale's function: its gradient is made of the sums whose squares it adds.
constexpr auto beale = [](kt::dscalar x, kt::dscalar y) {
  auto const a = 1.5 - x + x * y, b = 2.25 - x + x * y * y, c = 2.625 - x + x * y * y * y;
  return a * a + b * b + c * c;
};
constexpr auto beale_gradient = [](kt::dscalar x, kt::dscalar y) {
  auto const value = beale(x, y);
  return std::tuple(value, grad(value, x, y));
};

template <class... P, class F, class Mode>
int count(F f, Mode mode, auto... ops) {
  return op_counts::count<decltype(ops)...>(op_counts::prepared<P...>(f, mode));
}
template <class S, class F, class Mode>
int additions(F f, Mode mode) {
  return count<S, S, S>(f, mode, kt::op::add{}, kt::op::sub{});
}
template <class S, class F, class Mode>
int multiplications(F f, Mode mode) {
  return count<S, S, S>(f, mode, kt::op::mul{});
}
using kt::dscalar, kt::dvector, kt::mode::fast_run, kt::mode::ieee;
constexpr auto without = fast_run.excluding<"shared_sums">();

TEST_CASE("shared terms are added once") {
  // a + 10b once, by which three others are a multiple and a term; a - b is none of them.
  CHECK(additions<dscalar>(multiples<dscalar>, fast_run) == 5);
  CHECK(multiplications<dscalar>(multiples<dscalar>, fast_run) == 3);
  CHECK(additions<dvector>(multiples<dvector>, fast_run) == 5);
  CHECK(multiplications<dvector>(multiples<dvector>, fast_run) == 3);
  CHECK(additions<dscalar>(multiples<dscalar>, without) == 7);
  CHECK(multiplications<dscalar>(multiples<dscalar>, without) > 4);
  CHECK(additions<dscalar>(multiples<dscalar>, ieee) == 7);
  // a - b + 1.5, minus itself, and c minus twice that.
  CHECK(additions<dscalar>(with_constants<dscalar>, fast_run) == 3);
  CHECK(additions<dvector>(with_constants<dvector>, fast_run) == 3);
  CHECK(additions<dscalar>(apart<dscalar>, fast_run) == 4);
  CHECK(multiplications<dscalar>(apart<dscalar>, fast_run) == 4);
  // Six for the sums, two of squares, and what is left for the gradient.
  CHECK(count<dscalar, dscalar>(beale_gradient, fast_run, kt::op::add{}, kt::op::sub{}) <= 15);
  auto operations = [](auto mode) {
    return count<dscalar, dscalar>(beale_gradient, mode, kt::op::add{}, kt::op::sub{}, kt::op::mul{}, kt::op::sqr{});
  };
  CHECK(operations(fast_run) < operations(without));
}

TEMPLATE_TEST_CASE("sums with shared terms are right to some roundings", "", float, double) {
  using T = TestType;
  using V = kt::vector<T>;
  std::size_t const n = 301;
  vec<T> const a = numbers<T>(n, 1, -3, 3), b = numbers<T>(n, 2, -1, 1), c = numbers<T>(n, 3, -2, 2);
  double const bound = 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
  auto at = [](vec<T> const& v, std::size_t i) { return static_cast<double>(v(i)); };
  auto const [p, q, r, s] = kt::function(multiples<V>)(a, b, c);
  CHECK(mismatch(p, [&](std::size_t i) { return std::pow(at(a, i) + 10 * at(b, i), 2); }, 0, 20 * bound) == "");
  CHECK(mismatch(q, [&](std::size_t i) { return 2 * at(a, i) + 20 * at(b, i) - std::exp(at(c, i)); }, 0, bound) == "");
  CHECK(mismatch(r, [&](std::size_t i) { return std::cos(at(c, i)) - 3 * at(a, i) - 30 * at(b, i); }, 0, bound) == "");
  CHECK(mismatch(s, [&](std::size_t i) { return std::exp(at(a, i) - at(b, i)) + at(c, i); }, 0, 4 * bound) == "");
  auto const [t, u, v] = kt::function(with_constants<V>)(a, b, c);
  CHECK(mismatch(t, [&](std::size_t i) { return std::exp(at(a, i) - at(b, i) + 1.5); }, bound) == "");
  CHECK(mismatch(u, [&](std::size_t i) { return std::erf(at(c, i) - 2 * at(a, i) + 2 * at(b, i) - 3); }, 0, bound) == "");
  CHECK(mismatch(v, [&](std::size_t i) { return std::sin(at(b, i) - at(a, i) - 1.5); }, 0, bound) == "");
}

TEST_CASE("a term that a sum has twice is not another one") {
  auto const f = [](dscalar a, dscalar b, dscalar c, dscalar d, dscalar e) { return std::tuple(a + a + b + c, a + b + c, b + c + d, b + c + e); };
  auto const [p, q, r, s] = kt::function(f, fast_run.excluding<"like_terms">())(0.1, 0.2, 0.3, 0.4, 0.5);
  CHECK(close(p, 0.7, 1e-15));
  CHECK(close(q, 0.6, 1e-15));
  CHECK(close(r, 0.9, 1e-15));
  CHECK(close(s, 1.0, 1e-15));
  auto const g = [](dscalar b, dscalar c, dscalar d, dscalar e) {
    return std::tuple((b + infinity) + (c + 1), (c + infinity) + ((b + 1) + e), b + c + 1, b + c + d, b + c + e);
  };
  auto const [t, u, v, w, x] = kt::function(g)(0.1, 0.2, 0.3, 0.4);
  CHECK((t == infinity && u == infinity));
  CHECK(close(v, 1.3, 1e-15));
  CHECK(close(w, 0.6, 1e-15));
  CHECK(close(x, 0.7, 1e-15));
}

TEST_CASE("multiples of sums are exact, or are none") {
  auto const whole = kt::function([](dscalar a, dscalar b) { return std::tuple(floor(3 * b + 4 * a), sin(6 * b + 8 * a), exp(-3 * b - 4 * a)); });
  for (double a = 1; a < 30; ++a)
    for (double b = 1; b < 30; ++b) CHECK(std::get<0>(whole(a, b)) == 3 * b + 4 * a);
  // The quotients and products of these coefficients are no numbers.
  auto const extreme = kt::function([](dscalar a, dscalar b, dscalar c) {
    return std::tuple(1e-200 * a + 1e200 * b, sin(1e-200 * a + 1e200 * b + c), (a + infinity) + (infinity + b), exp(1e200 * a + 1e300 * b), erf(1e250 * a + 1e300 * b),
                      1 - cos(1.5e308 * a), sin(1.5e308 * a + b), cos(c));
  });
  CHECK(std::get<0>(extreme(1., 0., 0.)) == 1e-200);
  CHECK(std::get<2>(extreme(1., 0., 0.)) == infinity);
}

TEST_CASE("a gradient of shared sums is right") {
  CHECK(kt::verify_grad(beale, 0.7, 0.4));
  CHECK(kt::function(beale_gradient)(3., 0.5) == std::tuple(0., 0., 0.));  // the minimum
}

TEST_CASE("a sum of numbers is that of its terms in any order") {
  auto const f = kt::function([](dscalar a, dscalar b, dscalar c, dscalar d) {
    return std::tuple(-exp(a) - b - 2 * c * d - 1, 4 - sqrt(a) / b + c - d, 1 - a - b - c - d, a + b + c + d, -a - b - c);
  });
  auto const [p, q, r, s, t] = f(4., 2., 8., 16.);
  CHECK(close(p, -std::exp(4.) - 2 - 256 - 1, 1e-15));
  CHECK(q == 4 - 1 + 8 - 16);
  CHECK(r == 1 - 4 - 2 - 8 - 16);
  CHECK(s == 30);
  CHECK(t == -14);
}

}  // namespace
