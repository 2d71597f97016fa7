// Gradients of linear algebra against finite differences, and of gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg.hpp"

using namespace reference;
using linalg_test::regular;

namespace {

// Something that weighs every element differently, so that no gradient is lost in a sum.
constexpr auto weigh = [](auto x) {
  auto const rows = cast<double>(arange(x.shape(0)));
  if constexpr (kt::rank_of<decltype(x)> == 1) return sum(x * sin(rows + 1));
  else return sum(x * sin(rows(kt::slice(), kt::newaxis) + 1) * cos(2.0 * cast<double>(arange(x.shape(1))) + x));
};
// A symmetric positive definite matrix made of any.
constexpr auto square = [](auto a) { return dot(a, a.T()) + kt::identity_like(dot(a, a.T())); };

constexpr auto solvers = [](kt::dmatrix a, kt::dmatrix b, kt::dvector v) {
  return weigh(solve(a, b)) + weigh(solve(a, v)) + weigh(solve_triangular(a, b, kt::lower)) + weigh(solve_triangular(a, v, kt::upper)) +
         weigh(solve_triangular(a, b, kt::upper, kt::unit_diagonal)) + weigh(solve_triangular(a, v, kt::lower, kt::unit_diagonal));
};
constexpr auto inverses = [](kt::dmatrix a) {
  auto [sign, size] = slogdet(a);
  return weigh(matrix_inverse(a)) + sin(det(a) / 10) + sign * size * size;
};
constexpr auto factor = [](kt::dmatrix a) { return weigh(cholesky(a)); };
constexpr auto orthogonal = [](kt::dmatrix a) {
  auto [q, r] = qr(a);
  return weigh(q) + weigh(r);
};
constexpr auto triangular = [](kt::dmatrix a) { return weigh(std::get<1>(qr(a))); };
// Vectors are unique except for their signs, in which these costs are even.
constexpr auto singular = [](kt::dmatrix a) {
  auto [u, s, vt] = svd(a);
  return weigh(s) + weigh(dot(u * sin(s), vt)) + weigh(u * u) + weigh(vt * vt);
};
constexpr auto values = [](kt::dmatrix a) { return weigh(std::get<1>(svd(a))) + weigh(std::get<0>(eigh(a))); };
constexpr auto symmetric = [](kt::dmatrix a) {
  auto [w, v] = eigh(a);
  return weigh(w) + weigh(dot(v * sin(w), v.T())) + weigh(v * v);
};
constexpr auto diagonals = [](kt::dmatrix a, kt::dvector v) {
  return weigh(diag(a)) + weigh(diag(sin(a), 1)) + weigh(diag(v)) + weigh(diag(v * v, -1)) + sin(trace(a));
};

// A gradient along a direction, whose own gradient is the Hessian's product with it.
constexpr auto second = [](kt::dmatrix a) {
  auto const m = square(a);
  auto [w, v] = eigh(m);
  auto const cost = weigh(cholesky(m)) + weigh(solve(m, a)) + std::get<1>(slogdet(m)) + weigh(dot(v * sin(w), v.T()));
  return weigh(grad(cost, a));
};
constexpr auto second_of_factors = [](kt::dmatrix a) {
  auto [q, r] = qr(a);
  auto [u, s, vt] = svd(a);
  return weigh(grad(weigh(q) + weigh(r) + weigh(dot(u * sin(s), vt)), a));
};

}  // namespace

TEST_CASE("gradients of linear systems, inverses and determinants", "[linalg]") {
  CHECK(kt::verify_grad(solvers, regular<double>(3, 1), matrix<double>(3, 2, 2), numbers<double>(3, 3)));
  CHECK(kt::verify_grad(inverses, regular<double>(3, 4)));
}
TEST_CASE("gradients of decompositions", "[linalg]") {
  CHECK(kt::verify_grad(factor, mat<double>{{4, 1, 0.5}, {1, 3, 0.2}, {0.5, 0.2, 2}}));
  CHECK(kt::verify_grad(orthogonal, matrix<double>(4, 3, 1)));
  CHECK(kt::verify_grad(orthogonal, matrix<double>(2, 4, 2)));
  CHECK(kt::verify_grad(triangular, matrix<double>(3, 3, 3)));
  CHECK(kt::verify_grad(singular, matrix<double>(4, 3, 4)));
  CHECK(kt::verify_grad(singular, matrix<double>(2, 3, 5)));
  CHECK(kt::verify_grad(values, regular<double>(3, 6)));
  CHECK(kt::verify_grad(symmetric, mat<double>{{4, 1, 0.5}, {1, 3, 0.2}, {0.5, 0.2, 2}}));
  CHECK(kt::verify_grad(diagonals, matrix<double>(3, 4, 7), numbers<double>(3, 8)));
}
TEST_CASE("gradients of gradients of linear algebra", "[linalg]") {
  CHECK(kt::verify_grad(second, matrix<double>(3, 3, 1)));
  CHECK(kt::verify_grad(second_of_factors, matrix<double>(3, 3, 2)));
}
