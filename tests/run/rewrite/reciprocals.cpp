// Quotients of one denominator: how many divisions are left, and what the reciprocal gives where it is 0, infinite or NaN.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/op_counts.hpp"
#include "run/reference.hpp"


using namespace reference;

namespace {

constexpr auto three = [](kt::dvector a, kt::dvector b, kt::dvector c, kt::dvector d) { return std::tuple(a / d, b / d, c / d); };
constexpr auto two = [](kt::dvector a, kt::dvector b, kt::dvector c, kt::dvector d) { return std::tuple(a / d, b / d, c); };
constexpr auto inverted = [](kt::dvector a, kt::dvector b, kt::dvector c, kt::dvector d) { return std::tuple(1 / d, b / d, (a + c) / d); };
constexpr auto squares = [](kt::dvector a, kt::dvector b, kt::dvector c, kt::dvector d) { return std::tuple(a / sqr(d), b / sqr(d), c); };
constexpr auto powers = [](kt::dvector a, kt::dvector b, kt::dvector c, kt::dvector d) { return std::tuple(a / pow(d, 3), b / pow(d, 4), c); };
// A power that is a vector, in a product that is a matrix
constexpr auto smaller = [](kt::dvector a, kt::dvector b, kt::dvector, kt::dvector d) {
  return std::tuple(a / pow(d, 3), kt::dimshuffle<0, 'x'>(b) * pow(d, -4));
};

/// How often an op is computed in a mode.
template <class Op, class F, class Mode>
int count(F f, Mode mode) {
  return op_counts::count<Op>(op_counts::prepared<kt::dvector, kt::dvector, kt::dvector, kt::dvector>(f, mode));
}
using kt::mode::fast_run, kt::mode::ieee;

TEST_CASE("divisors of several quotients are inverted once") {
  CHECK(count<kt::op::div>(three, fast_run) == 0);
  CHECK(count<kt::op::inv>(three, fast_run) == 1);
  CHECK(count<kt::op::div>(two, fast_run) == 2);
  CHECK(count<kt::op::inv>(two, fast_run) == 0);
  CHECK(count<kt::op::div>(inverted, fast_run) == 0);
  CHECK(count<kt::op::inv>(inverted, fast_run) == 1);
  // Squares of integers may be divided exactly.
  CHECK(count<kt::op::div>(squares, fast_run) == 2);
  CHECK(count<kt::op::inv>(squares, fast_run) == 0);
  CHECK(count<kt::op::div>(powers, fast_run) == 0);
  CHECK(count<kt::op::inv>(powers, fast_run) == 1);
  CHECK(count<kt::op::div>(smaller, fast_run) == 0);
  CHECK(count<kt::op::inv>(smaller, fast_run) == 1);
  CHECK(count<kt::op::div>(three, ieee) == 3);
  CHECK(count<kt::op::div>(three, fast_run.excluding<"reciprocals">()) == 3);
}

TEST_CASE("quotients of one denominator are right to two roundings") {
  std::size_t const n = 1001;
  vec<double> const a = numbers<double>(n, 1, -9, 9), b = numbers<double>(n, 2, -1e-9, 1e-9), c = numbers<double>(n, 3, -1e9, 1e9);
  vec<double> const d = numbers<double>(n, 4, -2, 3);
  auto const [x, y, z] = kt::function(three)(a, b, c, d);
  double const bound = 1.5 * std::numeric_limits<double>::epsilon();
  CHECK(mismatch(x, [&](std::size_t i) { return a(i) / d(i); }, bound) == "");
  CHECK(mismatch(y, [&](std::size_t i) { return b(i) / d(i); }, bound) == "");
  CHECK(mismatch(z, [&](std::size_t i) { return c(i) / d(i); }, bound) == "");
}

TEST_CASE("a quotient that is rounded or compared comes out whole") {
  auto f = kt::function([](kt::dvector x, kt::dvector y) {
    return std::tuple(floor(x / y), where((x + 1) / y >= 1, 1., 0.), (x + 2) / y, (x + 3) / y, (x + 4) / y);
  });
  vec<double> x = vec<double>::from_shape({2000}), y = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y(i) = static_cast<double>(i % 199 + 1);
    x(i) = y(i) * static_cast<double>(i % 17 + 1);
  }
  CHECK(mismatch(std::get<0>(f(x, y)), [&](std::size_t i) { return static_cast<double>(i % 17 + 1); }) == "");
  CHECK(mismatch(std::get<1>(f(x, y)), [](std::size_t) { return 1.0; }) == "");
  CHECK(mismatch(std::get<1>(f(y - 1, y)), [](std::size_t) { return 1.0; }) == "");
}

TEST_CASE("quotients by 0, infinities and NaN") {
  vec<double> const a{1, -1, 0, infinity, 2, not_a_number, infinity}, d{0, 0, 0, 3, infinity, 1, infinity};
  auto const [x, y, z] = kt::function(three)(a, -a, a, d);
  CHECK(mismatch(x, [&](std::size_t i) { return a(i) / d(i); }) == "");
  CHECK(mismatch(y, [&](std::size_t i) { return -a(i) / d(i); }) == "");
  CHECK(mismatch(z, [&](std::size_t i) { return a(i) / d(i); }) == "");
}

}  // namespace
