// Products and quotients that have factors in common: how many operations are left, and what they give.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/op_counts.hpp"
#include "run/reference.hpp"

using namespace reference;

namespace {

using vector = kt::dvector;
constexpr auto quotients = [](vector a, vector b, vector c, vector d) {
  return std::tuple(a / b, c / (b * d), a / (sqr(b) * sqrt(d)), c / d, (a + c) / b, (a - c) / (d * sqrt(d)), exp(a) / sqrt(d));
};
constexpr auto apart = [](vector a, vector b, vector c, vector d) { return std::tuple(a / b, c / d, b / (a * c)); };
constexpr auto alike = [](vector a, vector b, vector c, vector d) { return std::tuple(a / (b * d), c / (b * d), exp(a) / (b * d)); };
constexpr auto rounded = [](vector a, vector b, vector c, vector d) {
  return std::tuple(floor(a / (b * d)), floor(c / b), floor(a / b), floor(a / d), floor(c / d));
};
constexpr auto products = [](vector a, vector b, vector c, vector d) {
  return std::tuple(a * c * d, 3 * b * c * d, a * b * d, a + b * c * d);
};
/// Coefficients are factors; powers are products.
constexpr auto forces = [](vector a, vector b, vector c, vector d) { return std::tuple(6 * a * c * d, -6 * a * c * d, 6 * b * c * d, -6 * b * c * d); };
constexpr auto powers = [](vector a, vector b, vector c, vector d) { return std::tuple(a * a * b * b * c, a * b * d, 2 * a * a * b * d); };
/// A quotient of which others are multiples.
constexpr auto multiples = [](vector a, vector b, vector c, vector d) { return std::tuple(a / (1 + b * b), a * c / (1 + b * b), d * a / (1 + b * b) - c); };
constexpr auto scalars = [](vector a, vector b, vector c, vector d) { return std::tuple(a * sum(b) * sum(c), d * sum(b) * sum(c)); };

/// How often an op is computed in a mode.
template <class Op, class F, class Mode>
int count(F f, Mode mode) {
  return op_counts::count<Op>(op_counts::prepared<vector, vector, vector, vector>(f, mode));
}
using kt::mode::fast_run, kt::mode::ieee;
constexpr auto without = fast_run.excluding<"shared_products">();
using kt::op::div, kt::op::inv, kt::op::mul;

TEST_CASE("shared factors are multiplied once") {
  // By b, d and the root of d, which is not a number where d is negative and the quotients are.
  CHECK(count<div>(quotients, fast_run) == 0);
  CHECK(count<inv>(quotients, fast_run) == 3);
  CHECK(count<div>(quotients, ieee) == 7);
  CHECK(count<inv>(quotients, ieee) == 0);
  CHECK(count<div>(quotients, fast_run.excluding<"reciprocals">()) == 7);
  CHECK(count<div>(apart, fast_run) == 3);
  CHECK(count<div>(alike, fast_run) == 0);
  CHECK(count<inv>(alike, fast_run) == 1);
  CHECK(count<div>(rounded, fast_run) == 5);
  CHECK(count<inv>(rounded, fast_run) == 0);
  // cd, a(cd), b(cd), 3b(cd), (ab)d.
  CHECK(count<mul>(products, without) > 6);
  CHECK(count<mul>(products, fast_run) == 6);
  CHECK(count<mul>(scalars, fast_run) == 3);
  CHECK(count<div>(multiples, without) + count<inv>(multiples, without) > 0);
  CHECK(count<div>(multiples, fast_run) == 1);
  CHECK(count<inv>(multiples, fast_run.excluding<"reciprocals">()) == 0);
  // 6cd, a(6cd), b(6cd), and their negatives.
  CHECK(count<mul>(forces, without) > 5);
  CHECK(count<mul>(forces, fast_run) == 4);
  CHECK(count<kt::op::neg>(forces, fast_run) == 2);
  // ab, its square times c, (ab)d, and that times 2a.
  CHECK(count<mul>(powers, without) > 5);
  CHECK(count<mul>(powers, fast_run) == 5);
  CHECK(count<kt::op::sqr>(powers, fast_run) == 1);
}

double const eps = std::numeric_limits<double>::epsilon();

TEST_CASE("products with shared factors and reciprocals are right to some roundings") {
  std::size_t const n = 1001;
  vec<double> const a = numbers<double>(n, 1, -9, 9), b = numbers<double>(n, 2, 1e-9, 2e-9), c = numbers<double>(n, 3, -1e9, 1e9),
                    d = numbers<double>(n, 4, 2, 3);
  auto const [v, w, x, y, z, t, u] = kt::function(quotients)(a, b, c, d);
  CHECK(mismatch(v, [&](std::size_t i) { return a(i) / b(i); }, 2 * eps) == "");
  CHECK(mismatch(w, [&](std::size_t i) { return c(i) / (b(i) * d(i)); }, 3 * eps) == "");
  CHECK(mismatch(x, [&](std::size_t i) { return a(i) / (b(i) * b(i) * std::sqrt(d(i))); }, 5 * eps) == "");
  CHECK(mismatch(y, [&](std::size_t i) { return c(i) / d(i); }, 2 * eps) == "");
  CHECK(mismatch(z, [&](std::size_t i) { return (a(i) + c(i)) / b(i); }, 2 * eps) == "");
  CHECK(mismatch(t, [&](std::size_t i) { return (a(i) - c(i)) / (d(i) * std::sqrt(d(i))); }, 4 * eps) == "");
  CHECK(mismatch(u, [&](std::size_t i) { return std::exp(a(i)) / std::sqrt(d(i)); }, 8 * eps) == "");
  auto const [p, q, r, s] = kt::function(products)(a, b, c, d);
  CHECK(mismatch(p, [&](std::size_t i) { return a(i) * c(i) * d(i); }, 3 * eps) == "");
  CHECK(mismatch(q, [&](std::size_t i) { return 3 * b(i) * c(i) * d(i); }, 4 * eps) == "");
  CHECK(mismatch(r, [&](std::size_t i) { return a(i) * b(i) * d(i); }, 3 * eps) == "");
  CHECK(mismatch(s, [&](std::size_t i) { return a(i) + b(i) * c(i) * d(i); }, 1e-12) == "");
}

TEST_CASE("products with shared coefficients and powers are right") {
  std::size_t const n = 101;
  vec<double> const a = numbers<double>(n, 1, -9, 9), b = numbers<double>(n, 2, 1, 2), c = numbers<double>(n, 3, -3, 3),
                    d = numbers<double>(n, 4, 2, 3);
  auto const [p, q, r, s] = kt::function(forces)(a, b, c, d);
  CHECK(mismatch(p, [&](std::size_t i) { return 6 * a(i) * c(i) * d(i); }, 3 * eps) == "");
  CHECK(mismatch(q, [&](std::size_t i) { return -6 * a(i) * c(i) * d(i); }, 3 * eps) == "");
  CHECK(mismatch(r, [&](std::size_t i) { return 6 * b(i) * c(i) * d(i); }, 3 * eps) == "");
  CHECK(mismatch(s, [&](std::size_t i) { return -6 * b(i) * c(i) * d(i); }, 3 * eps) == "");
  auto const [t, u, v] = kt::function(multiples)(a, b, c, d);
  CHECK(mismatch(t, [&](std::size_t i) { return a(i) / (1 + b(i) * b(i)); }, 2 * eps) == "");
  CHECK(mismatch(u, [&](std::size_t i) { return a(i) * c(i) / (1 + b(i) * b(i)); }, 4 * eps) == "");
  CHECK(mismatch(v, [&](std::size_t i) { return d(i) * a(i) / (1 + b(i) * b(i)) - c(i); }, 0, 40 * eps) == "");
  auto const [x, y, z] = kt::function(powers)(a, b, c, d);
  CHECK(mismatch(x, [&](std::size_t i) { return a(i) * a(i) * b(i) * b(i) * c(i); }, 5 * eps) == "");
  CHECK(mismatch(y, [&](std::size_t i) { return a(i) * b(i) * d(i); }, 3 * eps) == "");
  CHECK(mismatch(z, [&](std::size_t i) { return 2 * a(i) * a(i) * b(i) * d(i); }, 4 * eps) == "");
}

TEST_CASE("quotients of scalars have their special values") {
  auto f = kt::function([](kt::dscalar a, kt::dscalar b, kt::dscalar c) { return std::tuple(a / b, c / (b * b), sqrt(c) / b, a / (b * c), a / c, b / c); });
  double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(f(1., 0., 4.) == std::tuple(inf, inf, inf, inf, 0.25, 0.));
  CHECK(f(-1., inf, 4.) == std::tuple(-0., 0., 0., -0., -0.25, inf));
  CHECK(std::isnan(std::get<1>(f(1., nan, 4.))));
  CHECK(std::isnan(std::get<0>(f(0., 0., 4.))));
}

TEST_CASE("a quotient next to one by the root is one where the root is none") {
  auto f = kt::function([](kt::dscalar a, kt::dscalar b, kt::dscalar c) { return std::tuple(a / b, a / sqrt(b), c / b, c / sqrt(b), a * c / b, (a + c) / sqrt(b)); });
  auto const [p, q, r, s, t, u] = f(1., -4., 2.);
  CHECK((p == -0.25 && r == -0.5 && t == -0.5));
  CHECK((std::isnan(q) && std::isnan(s) && std::isnan(u)));
}

TEST_CASE("products of a gradient agree with finite differences") {
  auto const cost = [](kt::dscalar a, kt::dscalar b, kt::dscalar c) {
    return exp(-sqr(a / b) / c) * a / (b * c) + a * b * c / sqrt(c) + b / c;
  };
  CHECK(kt::verify_grad(cost, 0.7, 1.3, 0.9));
}

}  // namespace
