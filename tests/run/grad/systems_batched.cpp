// Systems of equations with one matrix under vmap and in Jacobians: one system, whose matrix is
// factored once.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <xtensor/xmath.hpp>

using namespace reference;

namespace {

mat<double> const A{{4, 1, -2}, {0.5, -3, 1}, {2, 0.25, 5}}, B{{1, 2, 3}, {-1, 0.5, 4}};
xt::xtensor<double, 3> const C{{{1, 2}, {3, -1}, {0.5, 4}}, {{-2, 0}, {1, 1}, {7, 0.25}}};

/// Whether a graph solves system by system.
template <class F>
bool solves_each(F const& f) {
  kt::graph const g = kt::graph_of(f);
  bool any = false;
  for (int id = 0; id < g.size(); ++id) any = any || g[id].op->name.starts_with("each ");
  return any;
}
constexpr auto one = [](kt::dmatrix a, kt::dvector b) { return kt::solve(a, b); };
constexpr auto triangular = [](kt::dmatrix a, kt::dvector b) {
  return kt::solve_triangular(a, b, kt::lower);
};

}  // namespace

TEST_CASE("right-hand sides of slices are columns of one system") {
  auto const vectors = [](kt::dmatrix a, kt::dmatrix b) { return kt::vmap<1>(one)(a, b); };
  CHECK(!solves_each(vectors));
  mat<double> const x = kt::function(vectors)(A, B);
  auto const solve = kt::function(one);
  auto const forward = kt::function(triangular);
  for (std::size_t s = 0; s < 2; ++s) {
    vec<double> const alone = solve(A, xt::view(B, s));
    CHECK(xt::allclose(xt::view(x, s), alone, 1e-14, 1e-15));
  }
  auto const triangles = [](kt::dmatrix a, kt::dmatrix b) { return kt::vmap<1>(triangular)(a, b); };
  CHECK(!solves_each(triangles));
  mat<double> const y = kt::function(triangles)(A, B);
  for (std::size_t s = 0; s < 2; ++s) {
    vec<double> const alone = forward(A, xt::view(B, s));
    CHECK(xt::allclose(xt::view(y, s), alone, 1e-14, 1e-15));
  }
}

TEST_CASE("matrices of right-hand sides stand side by side") {
  auto const matrices = [](kt::dmatrix a, kt::tensor3<double> b) {
    return kt::vmap<1>([](kt::dmatrix a, kt::dmatrix b) { return kt::solve(a, b); })(a, b);
  };
  CHECK(!solves_each(matrices));
  xt::xtensor<double, 3> const x = kt::function(matrices)(A, C);
  auto const solve = kt::function([](kt::dmatrix a, kt::dmatrix b) { return kt::solve(a, b); });
  for (std::size_t s = 0; s < 2; ++s) {
    mat<double> const alone = solve(A, xt::view(C, s));
    CHECK(xt::allclose(xt::view(x, s), alone, 1e-14, 1e-15));
  }
  // Two batch axes of vectors.
  auto const nested = [](kt::dmatrix a, kt::tensor3<double> b) {
    return kt::vmap<1>([](kt::dmatrix a, kt::dmatrix b) { return kt::vmap<1>(one)(a, b.T()); })(a,
                                                                                                b);
  };
  CHECK(!solves_each(nested));
  xt::xtensor<double, 3> const y = kt::function(nested)(A, C);
  CHECK(xt::allclose(y, xt::transpose(x, {0, 2, 1}), 1e-14, 1e-15));
}

TEST_CASE("a matrix that differs from slice to slice is factored for each") {
  auto const f = [](kt::tensor3<double> a, kt::dvector b) { return kt::vmap<0>(one)(a, b); };
  CHECK(solves_each(f));
  xt::xtensor<double, 3> both(std::array<std::size_t, 3>{2, 3, 3});
  xt::view(both, 0) = A;
  xt::view(both, 1) = xt::transpose(A);
  vec<double> const b{1, -2, 3};
  mat<double> const x = kt::function(f)(both, b);
  vec<double> const second = kt::function(one)(mat<double>(xt::transpose(A)), b);
  CHECK(xt::allclose(xt::view(x, 1), second, 1e-14, 1e-15));
}

TEST_CASE("the Jacobian of a solution by its right-hand side is one system") {
  auto const f = [](kt::dmatrix a, kt::dvector b) { return kt::jacobian(kt::solve(a, b * b), b); };
  CHECK(!solves_each(f));
  vec<double> const b{1, -2, 3};
  mat<double> const j = kt::function(f)(A, b),
                    inverse = kt::function([](kt::dmatrix a) { return kt::matrix_inverse(a); })(A);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(j(i, k) == Approx(inverse(i, k) * 2 * b(k)).epsilon(1e-13));
  auto const gradient = [](kt::dmatrix a, kt::dmatrix b) {
    return kt::grad(sum(sqr(kt::vmap<1>(one)(a, b))), a);
  };
  mat<double> const g = kt::function(gradient)(A, B);
  auto const cost =
      kt::function([](kt::dmatrix a, kt::dmatrix b) { return sum(sqr(kt::solve(a, b.T()))); });
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      mat<double> up = A, down = A;
      up(i, k) += 1e-6, down(i, k) -= 1e-6;
      CHECK(g(i, k) == Approx((cost(up, B) - cost(down, B)) / 2e-6).epsilon(1e-6).margin(1e-8));
    }
}
