// Solutions of small systems of equations as formulas on elements.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/rewrite/scalars.hpp"

namespace {

using namespace scalar_tests;

fixed_array<3, 3> const indefinite{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}};

}  // namespace

TEST_CASE("small arrays: solutions", "[scalars]") {
  auto const f = [](mat3 A, vec3 x) { return kt::solve(A, x); };
  check_of_numbers(f);
  check_elements(f, P, x);
  check_elements(f, A, x);
  check_elements([](mat4 A, vec4 x) { return kt::solve(A, x); }, M, z);
  check_elements([](mat3 A, vec3 x) { return kt::solve(A.T(), kt::outer(x, x)); }, P, y);
  auto const derivatives = [](mat3 A, vec3 x) {
    auto cost = sum(sqr(kt::solve(A, x)));
    return std::tuple(kt::grad(cost, A), kt::jacobian(kt::solve(A, x), x));
  };
  check_of_numbers(derivatives);
  check_elements(derivatives, P, x);
}

TEST_CASE("small arrays: triangles", "[scalars]") {
  auto const f = [](mat3 A, vec3 x, mat3 B) {
    return std::tuple(kt::solve_triangular(A, x, kt::lower), kt::solve_triangular(A, B, kt::upper),
                      kt::solve_triangular(A, x, kt::upper, kt::unit_diagonal));
  };
  check_elements(f, A, x, P);
  auto const g = kt::function([](mat3 A, vec3 x) { return kt::solve_triangular(A, x, kt::lower); });
  check_calls(g);
  CHECK_THROWS_MATCHES(
      g(P, x), kt::linalg_error,
      Catch::Message("solve_triangular: the matrix is singular: element 0 of its diagonal is 0"));
}

TEST_CASE("small arrays: matrices without solutions or factors", "[scalars]") {
  auto const solve = kt::function([](mat3 A, vec3 x) { return kt::solve(A, x); });
  check_calls(solve);
  // Elimination of small integers is exact.
  CHECK_THROWS_MATCHES(solve(singular, x), kt::linalg_error,
                       Catch::Message("solve: the matrix is singular: pivot 3 of 3 is 0"));
  auto const inverse = kt::function([](mat3 A) { return kt::matrix_inverse(A); });
  CHECK_THROWS_MATCHES(inverse(singular), kt::linalg_error,
                       Catch::Message("matrix_inverse: the matrix is singular: pivot 3 of 3 is 0"));
  auto const factor = kt::function([](mat3 A) { return kt::cholesky(A); });
  check_calls(factor);
  CHECK_THROWS_MATCHES(factor(indefinite), kt::linalg_error,
                       Catch::Message("cholesky: the leading minor of order 2 is not positive"));
  // Nothing is updated then.
  kt::shared<double, 1> w(xt::xtensor<double, 1>{1, 2, 3});
  auto const step = kt::function(
      [](mat3 A, vec3 w) { return kt::outputs(sum(w)).update(w, kt::solve(A, w)); }, w);
  check_calls(step);
  CHECK_THROWS_AS(step(singular), kt::linalg_error);
  xt::xtensor<double, 1> const now = w.get_value();
  CHECK((now == xt::xtensor<double, 1>{1, 2, 3}));
}
