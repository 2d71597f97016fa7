// Small arrays whose extents no type says: a function that takes three elements does, or what is
// joined of so many.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/rewrite/scalar_rows.hpp"

namespace {

using namespace scalar_tests;

/// Rotates the rows of v by the quaternions that are the rows of q.
constexpr auto rotated = [](auto q, auto v) {
  auto u = q(kt::slice(1, 4));
  auto t = 2 * kt::cross(u, v);
  return v + q(0) * t + kt::cross(u, t);
};
constexpr auto cost_of = [](auto r, auto q, auto v) {
  auto e = sum(r * sqr(r));
  return std::tuple(e, kt::grad(e, q), kt::grad(e, v));
};

inline constexpr auto quaternions = [](std::size_t n) { return numbers(n, 4, 0.25); };

}  // namespace

TEST_CASE("extents that cross asks for: rows, in a map, and of parts", "[scalars]") {
  auto const rows = [](kt::dmatrix q, kt::dmatrix v) {
    auto u = q(kt::slice(), kt::slice(1, 4));
    auto t = 2 * kt::cross(u, v);
    auto r = v + kt::dimshuffle<0, 'x'>(q(kt::slice(), 0)) * t + kt::cross(u, t);
    return cost_of(r, q, v);
  };
  auto const mapped = [](kt::dmatrix q, kt::dmatrix v) {
    return cost_of(kt::vmap<0, 1>(rotated)(q, v), q, v);
  };
  auto const both = [](kt::dmatrix a, kt::dmatrix b) {
    return std::tuple(kt::cross(a, b), sum(kt::cross(a, kt::cross(b, a)), kt::axis<1>));
  };
  CHECK(computes_along_rows(rows));
  CHECK(computes_along_rows(mapped));
  CHECK(computes_along_rows(both));
  check_rows(rows, quaternions, second);
  check_rows(mapped, quaternions, second);
  check_rows(both, first, second);
}

TEST_CASE("extents that cross asks for are checked at the call", "[scalars]") {
  auto const f = kt::function([](kt::dmatrix a, kt::dmatrix b) {
    auto c = kt::vmap<0, 1>([](auto x, auto y) { return kt::cross(x, y); })(a, b);
    return std::tuple(c, kt::grad(sum(sqr(c)), a));
  });
  CHECK_THROWS_WITH(f(numbers(5, 4, 0.5), second(5)), Catch::StartsWith("cross: extent 1"));
  CHECK_THROWS_AS(f(first(5), numbers(5, 2, 0.5)), kt::shape_error);
  CHECK_THROWS_AS(f(first(5), second(4)), kt::shape_error);
  auto const part = kt::function([](kt::dmatrix q, kt::dmatrix b) {
    return kt::cross(q(kt::slice(), kt::slice(1, 4)), b) * 2 + b;
  });
  CHECK_NOTHROW(part(numbers(5, 4, 0.5), second(5)));
  CHECK_THROWS_WITH(part(first(5), second(5)), "cross: a computed extent is 2, it must be 3");
}

TEST_CASE("extents of what is joined: matrices of rows", "[scalars]") {
  auto const f = [](kt::dvector a, kt::dmatrix v) {
    auto c = cos(a), s = sin(a), none = 0 * a;
    auto m = kt::stack<1>(kt::stack<1>(c, -s, none), kt::stack<1>(s, c, none),
                          kt::stack<1>(none, s * c, 1 + none));
    return cost_of(kt::einsum<"nij,nj->ni">(m, v), a, v);
  };
  CHECK(computes_along_rows(f));
  auto const angles = [](std::size_t n) { return vector(xt::view(numbers(n, 1, 0.5), xt::all(), 0)); };
  check_rows(f, angles, second);
  CHECK_THROWS_AS(kt::function(f)(angles(5), numbers(5, 4, 0.5)), kt::shape_error);
}

TEST_CASE("extents of ranges of numbers: powers as columns", "[scalars]") {
  auto const powers = [](kt::dmatrix x, kt::dvector q) {
    auto p = sum(pow(kt::dimshuffle<0, 'x'>(x(kt::slice(), 0)), kt::arange(5)) * q, kt::axis<1>);
    return std::tuple(p, kt::grad(sum(sqr(p)), q));
  };
  auto const f = kt::function(powers);
  for (std::size_t n : {1, 4, 19}) {
    auto const x = first(n);
    std::vector<double> const q{0.5, -1, 0.25, 2, -0.125};
    auto const results = f(x, q);
    std::vector<double> by_q(5, 0.);
    for (std::size_t i = 0; i < n; ++i) {
      double p = 0;
      for (std::size_t k = 0; k < 5; ++k) p += q[k] * std::pow(x(i, 0), double(k));
      CHECK(double(std::get<0>(results)(i)) == Approx(p).epsilon(1e-13));
      for (std::size_t k = 0; k < 5; ++k) by_q[k] += 2 * p * std::pow(x(i, 0), double(k));
    }
    for (std::size_t k = 0; k < 5; ++k)
      CHECK(double(std::get<1>(results)(k)) == Approx(by_q[k]).epsilon(1e-12));
  }
  std::ostringstream plan;
  kt::debugprint(f, plan);
  CHECK(plan.str().find("loop: pow") == std::string::npos);
  // Another number of coefficients is an error, as it was.
  CHECK_THROWS_AS(f(first(3), std::vector<double>(4)), kt::shape_error);
  CHECK_THROWS_AS(f(first(3), std::vector<double>(1)), kt::shape_error);
}
