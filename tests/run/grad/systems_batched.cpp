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

TEST_CASE("nested maps, of which the inner one has the matrices: each is read once") {
  std::size_t const n = 7, k = 3;
  xt::xtensor<double, 3> const l = xt::xtensor<double, 3>{
      {{2, 0, 0}, {0.5, 1, 0}, {-1, 2, 4}},
      {{-1, 0, 0}, {3, 0.5, 0}, {0.25, 1, 2}},
      {{1, 0, 0}, {0, 3, 0}, {2, -2, 1.5}}};
  mat<double> x(std::array{n, std::size_t{3}}), m(std::array{k, std::size_t{3}});
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(1.3 * static_cast<double>(i));
  for (std::size_t i = 0; i < m.size(); ++i) m.flat(i) = std::cos(2.1 * static_cast<double>(i));
  auto const check = [&]<class Solve>(Solve) {
    auto const f = [](kt::dmatrix x, kt::dmatrix m, kt::dtensor3 l) {
      auto const z = kt::vmap<0>([&](auto p) {
        return kt::vmap<0, 1>([&](auto mk, auto lk) { return Solve{}(lk, p - mk); })(m, l);
      })(x);
      auto const cost = sum(z * sqr(z));
      return std::tuple(z, grad(cost, x), grad(cost, m), grad(cost, l));
    };
    kt::graph const g = kt::functions::graph_of_compiled<decltype(kt::function(f))>::optimized();
    for (int id = 0; id < g.size(); ++id)
      if (std::string_view(g[id].op->name).starts_with("each solve"))
        CHECK(g.type(g.input_of(id, 0)).rank == 3);
    auto const [z, by_x, by_m, by_l] = kt::function(f)(x, m, l);
    auto const one = kt::function([](kt::dmatrix l, kt::dvector b) {
      auto const z = Solve{}(l, b);
      auto const cost = sum(z * sqr(z));
      return std::tuple(z, grad(cost, l), grad(cost, b));
    });
    mat<double> sum_x = xt::zeros<double>(x.shape()), sum_m = xt::zeros<double>(m.shape());
    xt::xtensor<double, 3> sum_l = xt::zeros<double>(l.shape());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < k; ++j) {
        vec<double> const b = xt::view(x, i) - xt::view(m, j);
        auto const [own, of_matrix, of_right] = one(mat<double>(xt::view(l, j)), b);
        CHECK(xt::allclose(xt::view(z, i, j), own, 1e-12, 1e-13));
        xt::view(sum_x, i) += of_right;
        xt::view(sum_m, j) -= of_right;
        xt::view(sum_l, j) += of_matrix;
      }
    CHECK(xt::allclose(by_x, sum_x, 1e-11, 1e-11));
    CHECK(xt::allclose(by_m, sum_m, 1e-11, 1e-11));
    CHECK(xt::allclose(by_l, sum_l, 1e-11, 1e-11));
    auto const [none, empty_x, zero_m, zero_l] =
        kt::function(f)(mat<double>(xt::zeros<double>({0, 3})), m, l);
    CHECK(none.shape()[0] == 0);
    CHECK((zero_m == xt::zeros<double>(m.shape())));
    CHECK((zero_l == xt::zeros<double>(l.shape())));
  };
  check([](auto l, auto b) { return kt::solve(l, b); });
  check([](auto l, auto b) { return kt::solve_triangular(l, b, kt::lower); });
}

TEST_CASE("nested maps of systems with matrices of right-hand sides") {
  auto const f = kt::function([](kt::dtensor3 a, kt::dtensor4 b) {
    return kt::vmap<0>([&](auto right) {
      return kt::vmap<0, 1>([](auto m, auto x) { return kt::solve(m, x); })(a, right);
    })(b);
  });
  xt::xtensor<double, 3> const a{{{4, 1}, {2, 3}}, {{1, -2}, {0.5, 5}}, {{3, 0}, {1, 1}}};
  xt::xtensor<double, 4> b(std::array<std::size_t, 4>{2, 3, 2, 5});
  for (std::size_t i = 0; i < b.size(); ++i) b.flat(i) = std::sin(0.9 * static_cast<double>(i));
  xt::xtensor<double, 4> const y = f(a, b);
  REQUIRE(y.shape() == b.shape());
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t r = 0; r < 2; ++r)
        for (std::size_t c = 0; c < 5; ++c)
          CHECK(a(j, r, 0) * y(i, j, 0, c) + a(j, r, 1) * y(i, j, 1, c) ==
                Approx(b(i, j, r, c)).margin(1e-13));
}

TEST_CASE("nested maps of systems whose matrices have equal columns") {
  auto const f = kt::function([](kt::dmatrix c, kt::dmatrix x, kt::dmatrix m) {
    return kt::vmap<0>([&](auto p) {
      return kt::vmap<0>([&](auto ck) {
        return kt::solve_triangular(kt::dimshuffle<0, 'x'>(ck) * kt::ones_like(m), p, kt::lower);
      })(c);
    })(x);
  });
  mat<double> const c{{1, 2, 4}, {3, 5, 7}}, x{{1, 2, 3}, {4, 4, 4}},
      m = xt::ones<double>({3, 3});
  xt::xtensor<double, 3> const y = f(c, x, m);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      double sum = 0;
      for (std::size_t r = 0; r < 3; ++r) {
        sum += y(i, k, r);
        CHECK(c(k, r) * sum == Approx(x(i, r)).margin(1e-13));
      }
    }
}
