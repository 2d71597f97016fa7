// Determinants, inverses and factors of small matrices as formulas on elements.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/rewrite/scalars.hpp"

namespace {

using namespace scalar_tests;
using mat2 = kt::fixed<double, 2, 2>;
using mat5 = kt::fixed<double, 5, 5>;

constexpr auto spd = [](auto m) { return dot(m, m.T()) + kt::eye<double>(4, 4); };

}  // namespace

TEST_CASE("small arrays: inverses and determinants", "[scalars]") {
  auto const f = [](mat3 A, mat4 B) {
    auto [sign, log] = kt::slogdet(B);
    return std::tuple(kt::matrix_inverse(A), kt::det(A), kt::det(B), sign, log);
  };
  check_of_numbers(f);
  check_elements(f, P, M);
  check_elements([](mat2 A) { return std::tuple(kt::matrix_inverse(A), kt::grad(kt::det(A), A)); },
                 fixed_array<2, 2>{{1, 3}, {-2, 0.5}});
  check_elements([](mat3 A) { return kt::grad(std::get<1>(kt::slogdet(A)), A); }, P);
  // A determinant beyond the range of numbers, and one that is 0.
  auto const g = kt::function([](mat3 A) {
    auto [sign, log] = kt::slogdet(A);
    return std::tuple(sign, log);
  });
  auto const [sign, log] = g(fixed_array<3, 3>(1e200 * P));
  CHECK(sign == 1);
  CHECK(log == Approx(3 * 200 * std::log(10.) + std::log(26.)));
  // Elimination multiplies by quotients, not elements with each other.
  fixed_array<3, 3> const full{{2, 1, 1}, {1, 3, 1}, {1, 1, 4}};
  for (double const scale : {1e200, 1e-200}) {
    auto const [positive, logarithm] = g(fixed_array<3, 3>(scale * full));
    CHECK(positive == 1);
    CHECK(logarithm == Approx(3 * std::log(scale) + std::log(17.)));
  }
  auto const [none, least] = g(singular);
  CHECK(none == 0);
  CHECK(least == -std::numeric_limits<double>::infinity());
  CHECK(kt::function([](mat3 A) { return kt::det(A); })(singular) == 0);
}

TEST_CASE("small arrays: very small and very large elements", "[scalars]") {
  using matrix = xt::xtensor_fixed<float, xt::xshape<3, 3>>;
  using vector = xt::xtensor_fixed<float, xt::xshape<3>>;
  auto const f = kt::function([](kt::fixed<float, 3, 3> A, kt::fixed<float, 3> b) {
    return std::tuple(kt::solve(A, b), kt::matrix_inverse(A), kt::cholesky(A));
  });
  matrix const A{{2, 1, 1}, {1, 3, 1}, {1, 1, 4}};
  vector const b{4, 5, 6};
  for (float const scale : {1e-30f, 1.f, 1e30f}) {
    CAPTURE(scale);
    auto const [x, inverse, l] = f(matrix(scale * A), vector(scale * b));
    for (std::size_t i = 0; i < 3; ++i) CHECK(x(i) == Approx(1).epsilon(1e-6));
    CHECK(inverse(0, 0) * scale == Approx(11. / 17).epsilon(1e-6));
    CHECK(inverse(2, 1) * scale == Approx(-1. / 17).epsilon(1e-5));
    CHECK(l(2, 1) / std::sqrt(scale) == Approx(0.5 / std::sqrt(2.5)).epsilon(1e-6));
    CHECK(l(2, 2) / std::sqrt(scale) == Approx(std::sqrt(3.4)).epsilon(1e-6));
  }
}

TEST_CASE("small arrays: Cholesky factors", "[scalars]") {
  auto const f = [](mat4 A, vec4 x) {
    auto l = kt::cholesky(spd(A));
    return std::tuple(l, kt::solve_triangular(l, x, kt::lower), sum(log(kt::diag(l))));
  };
  check_of_numbers(f);
  check_elements(f, M, z);
  check_elements(
      [](mat3 A) { return kt::grad(sum(log(kt::diag(kt::cholesky(dot(A, A.T()))))), A); }, P);
}

TEST_CASE("small arrays: larger matrices are LAPACK's", "[scalars]") {
  auto const f = [](mat5 A, kt::fixed<double, 5> x) {
    return kt::solve(A + 5 * kt::eye<double>(5, 5), x) + x;
  };
  using kt::functions::graph_of_compiled;
  CHECK(graph_of_compiled<decltype(kt::function(f))>::optimized().has<kt::op::solve>());
  fixed_array<5, 5> B;
  fixed_array<5> b;
  for (int i = 0; i < 5; ++i) {
    b(i) = i - 1.5;
    for (int j = 0; j < 5; ++j) B(i, j) = std::cos(1. + i * j);
  }
  check_elements(f, B, b);
}
