// Systems of equations, determinants and factors of many small matrices: formulas along the rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/rewrite/scalar_rows.hpp"

using namespace scalar_tests;

TEST_CASE("rows of small arrays: systems of equations, determinants and factors", "[scalars]") {
  auto const f = [](kt::tensor3<double> A, kt::dmatrix x, vec3 c) {
    return kt::vmap<0, 1>([&](mat3 a, vec3 x) {
      auto s = dot(a, a.T()) + kt::eye<double>(3, 3);
      auto l = kt::cholesky(s);
      return std::tuple(kt::solve(s, cross(x, a(0))) + kt::solve(a, c), kt::det(a), l,
                        kt::solve_triangular(l, x, kt::lower));
    })(A, x);
  };
  CHECK(computes_along_rows(f));
  auto const three = [](std::size_t n) { return matrices(n, 1.0); };
  check_rows(f, three, first, [](std::size_t) { return x; });
  check_rows(
      [](kt::tensor3<double> A) {
        return kt::vmap([](kt::fixed<double, 2, 2> a) {
          auto [sign, log] = kt::slogdet(a);
          return std::tuple(sign, log, kt::matrix_inverse(a));
        })(A(kt::slice(), kt::slice(0, 2), kt::slice(1, 3)));
      },
      three);
  check_rows(
      [](kt::tensor3<double> A, kt::dmatrix x) {
        auto solutions =
            kt::vmap<0, 1>([](mat3 a, vec3 x) { return kt::solve(a, cross(x, a(0))); })(A, x);
        return kt::grad(sum(sqr(solutions)), A);
      },
      three, first);
  auto const solve = kt::function([](kt::tensor3<double> A, kt::dmatrix x) {
    return kt::vmap<0, 1>([](mat3 a, vec3 x) { return kt::solve(a, cross(x, a(0))); })(A, x);
  });
  xt::xtensor<double, 3> some = matrices(4, 1.0);
  xt::view(some, 2, 0) = xt::xtensor<double, 1>{1, 2, 4};
  xt::view(some, 2, 1) = xt::xtensor<double, 1>{2, 4, 8};
  CHECK_THROWS_WITH(solve(some, first(4)),
                    Catch::Contains("solve: the matrix is singular: pivot 3 of 3 is 0"));
}
