// kt::root.
// SPDX-License-Identifier: BSD-3-Clause
#include <run/minimize/problems.hpp>

namespace {

constexpr auto kepler = [](kt::dscalar e, kt::dscalar m) { return e - 0.9 * sin(e) - m; };
constexpr auto no_zero = [](kt::dscalar x) { return sqr(x) + 1; };
constexpr auto square = [](kt::dscalar x) { return sqr(x); };
constexpr auto arctangent = [](kt::dscalar x) { return atan(x); };
// Broyden's tridiagonal equations
constexpr auto tridiagonal = [](kt::dvector x) {
  auto zero = kt::zeros<double>(1);
  auto before = concatenate<0>(zero, x(kt::slice(0, -1)));
  auto after = concatenate<0>(x(kt::slice(1, kt::none)), zero);
  return (3 - 2 * x) * x - before - 2 * after + 1;
};
constexpr auto matrix_root = [](kt::dmatrix x, kt::dmatrix a) { return dot(x, x) - a; };
constexpr auto three_of_two = [](problems::two x) { return stack<0>(x(0), x(1), x(0) + x(1)); };
constexpr auto singular = [](problems::two x) {  // of rank 1 at the root
  return stack<0>(x(0) + x(1), sqr(x(0) - x(1)));
};

}  // namespace

TEST_CASE("root: a scalar of a scalar", "[minimize]") {
  for (double m : {0.01, 0.5, 3.0}) {
    auto const r = kt::root(kepler, m, kt::given(m));
    static_assert(std::is_same_v<decltype(r.x), double>);
    CHECK(r.converged);
    CHECK(r.why == kt::ending::small_residuals);
    CHECK(r.value <= 1e-12);
    CHECK(r.x - 0.9 * std::sin(r.x) == Approx(m));
  }
  // Newton's steps alone diverge from here
  auto const a = kt::root(arctangent, 10.0);
  CHECK(a.converged);
  CHECK(a.x == Approx(0).margin(1e-12));
  auto const s = kt::root(square, 1.0);
  CHECK(s.converged);
  CHECK(s.x == Approx(0).margin(2e-6));
}

TEST_CASE("root: systems", "[minimize]") {
  auto const r = kt::root(problems::rosenbrock, std::vector{-1.2, 1.0});
  CHECK(r.converged);
  CHECK(agrees(r.x, {1, 1}, 1e-12));

  xt::xtensor<double, 1> const start = -1 * xt::ones<double>({30});
  auto const t = kt::root(tridiagonal, start);
  CHECK(t.converged);
  CHECK(t.value <= 1e-12);
  CHECK(t.evaluations <= 8);

  xt::xtensor<double, 2> const a{{5, 4}, {4, 5}};
  auto const m =
      kt::root(matrix_root, xt::xtensor<double, 2>{{1.5, 0.5}, {0.6, 1.4}}, kt::given(a));
  CHECK(m.converged);
  CHECK(agrees(m.x, {2, 1, 1, 2}, 1e-10));

  auto const d = kt::root(singular, std::vector{3.0, 1.0});
  CHECK(d.converged);
  CHECK(agrees(d.x, {0, 0}, 1e-5));
}

TEST_CASE("root: failures", "[minimize]") {
  auto const r = kt::root(no_zero, 0.7);
  CHECK_FALSE(r.converged);
  CHECK(r.why == kt::ending::no_root);
  CHECK(r.value == Approx(1));
  CHECK(r.x == Approx(0).margin(1e-4));
  CHECK(r.message().find("not a root") != std::string::npos);
  CHECK_THROWS_WITH(kt::root(three_of_two, std::vector{1.0, 2.0}),
                    "kt::root: the lambda returns 3 elements for 2 unknowns; both numbers must be "
                    "equal: see kt::least_squares");
  CHECK_THROWS_AS(kt::root(three_of_two, std::vector{1.0, 2.0}), kt::shape_error);
  auto const limited = kt::root(tridiagonal, std::vector<double>(5, -1), {.max_iterations = 1});
  CHECK(limited.why == kt::ending::max_iterations);
}
