// Sparse systems of equations: residuals, gradients, factors that are kept, singular matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/complex.hpp"

#if __has_include(<Eigen/SparseLU>) || __has_include(<eigen3/Eigen/SparseLU>)
#include <kroton/sparse_solve.hpp>

#include <map>

using namespace reference;
using I = std::size_t;

namespace {

// Entries around the diagonal and some far from it; symmetric, then positive definite or not, if so
// asked.
kt::csr_array<double> made(I n, bool symmetric, double diagonal, unsigned seed) {
  std::vector<std::map<int, double>> rows(n);
  auto const values = numbers<double>(4 * n, seed);
  for (I i = 0; i < n; ++i) {
    rows[i][static_cast<int>(i)] = diagonal + values(i);
    for (I k = 1; k < 4; ++k) {
      I const j = (i * k * 7 + 3 * k) % n;
      if (j == i) continue;
      rows[i][static_cast<int>(j)] = values(k * n + i);
      if (symmetric) rows[j][static_cast<int>(i)] = values(k * n + i);
    }
  }
  std::vector<double> data;
  std::vector<int> indices, indptr{0};
  for (auto const& row : rows) {
    for (auto const& [j, v] : row) indices.push_back(j), data.push_back(v);
    indptr.push_back(static_cast<int>(data.size()));
  }
  return {data, indices, indptr, {n, n}};
}

}  // namespace

TEST_CASE("sparse systems of symmetric and other matrices", "[sparse]") {
  auto f = kt::function([](kt::csr<double> a, kt::dvector b, kt::dmatrix c) {
    return std::tuple(dot(a, solve(a, b)), dot(a.T(), solve(a.T(), b)), dot(a, solve(a, c)));
  });
  for (auto const& [symmetric, diagonal] : {std::pair(true, 20.), {true, 0.5}, {false, 3.}})
    for (I n : {1, 2, 40, 300}) {
      vec<double> const b = numbers<double>(n, 3);
      mat<double> const c = matrix<double>(n, 3, 4);
      auto a = made(n, symmetric, diagonal, 1);
      for (int k = 0; k < 2; ++k) {
        auto const [x, y, z] = f(a, b, c);
        CHECK(mismatch(x, [&](I i) { return b(i); }, 0, 1e-9) == "");
        CHECK(mismatch(y, [&](I i) { return b(i); }, 0, 1e-9) == "");
        CHECK(mismatch(z, [&](I i, I j) { return c(i, j); }, 0, 1e-9) == "");
        // The same pattern with other values; those of a symmetric matrix are so no more.
        a.data()(a.size() - 1) *= 1.25;
        if (n > 1) a.data()(1) *= 0.5;
      }
    }
  CHECK_THROWS_AS(f(made(3, false, 3, 1), numbers<double>(4), matrix<double>(3, 1)),
                  kt::shape_error);
  kt::csr_array<double> const wide{vec<double>{1, 2}, std::vector{0, 2}, std::vector{0, 1, 2},
                                   {2, 3}};
  CHECK_THROWS_AS(f(wide, numbers<double>(2), matrix<double>(2, 1)), kt::shape_error);
}

TEST_CASE("singular sparse matrices are linalg_errors, and the next call is well", "[sparse]") {
  auto f = kt::function([](kt::csr<double> a, kt::dvector b) { return solve(a, b); });
  auto const of = [](double p, double q, double r, double s) {
    return kt::csr_array<double>{vec<double>{p, q, r, s}, std::vector{0, 1, 0, 1},
                                 std::vector{0, 2, 4}, {2, 2}};
  };
  vec<double> const b{1, 2};
  CHECK_THROWS_AS(f(of(1, 2, 2, 4), b), kt::linalg_error);
  CHECK_THROWS_AS(f(of(0, 0, 2, 4), b), kt::linalg_error);
  CHECK((f(of(1, 0, 0, 4), b) == vec<double>{1, 0.5}));
  // Symmetric, but not definite.
  CHECK((f(of(0, 1, 1, 0), b) == vec<double>{2, 1}));
  kt::csr_array<double> const empty_row{vec<double>{1}, std::vector{0}, std::vector{0, 1, 1},
                                        {2, 2}};
  CHECK_THROWS_AS(f(empty_row, b), kt::linalg_error);
  kt::csr_array<double> const nothing{vec<double>(std::array<I, 1>{0}), std::vector<int>{},
                                      std::vector{0}, {0, 0}};
  CHECK(f(nothing, vec<double>(std::array<I, 1>{0})).size() == 0);
}

TEST_CASE("gradients of solutions of sparse systems", "[sparse]") {
  auto f = kt::function([](kt::csr<double> a, kt::csc<double> c, kt::dvector b, kt::dmatrix m) {
    auto cost = sum(sin(solve(a, b))) + sum(cos(solve(c, m)));
    auto [ga, gc, gb, gm] = grad(cost, a, c, b, m);
    return std::tuple(cost, ga.data(), gc.data(), gb, gm);
  });
  auto a = made(9, false, 3, 5), turned = made(9, true, 9, 6);
  kt::csc_array<double> c{turned.data(), turned.indices(), turned.indptr(), {9, 9}};
  vec<double> b = numbers<double>(9, 7);
  mat<double> m = matrix<double>(9, 2, 8);
  auto const [cost, ga, gc, gb, gm] = f(a, c, b, m);
  auto const difference = [&](double& x) {
    double const kept = x;
    x = kept + 1e-5;
    double const above = std::get<0>(f(a, c, b, m));
    x = kept - 1e-5;
    double const below = std::get<0>(f(a, c, b, m));
    x = kept;
    return (above - below) / 2e-5;
  };
  CHECK(std::isfinite(cost));
  CHECK(mismatch(ga, [&](I k) { return difference(a.data()(k)); }, 1e-6, 1e-8) == "");
  CHECK(mismatch(gc, [&](I k) { return difference(c.data()(k)); }, 1e-6, 1e-8) == "");
  CHECK(mismatch(gb, [&](I k) { return difference(b(k)); }, 1e-6, 1e-8) == "");
  CHECK(mismatch(gm, [&](I i, I j) { return difference(m(i, j)); }, 1e-6, 1e-8) == "");
}

TEST_CASE("complex sparse systems, from Eigen's matrices", "[sparse]") {
  using namespace std::complex_literals;
  using complex_tests::c128;
  auto f = kt::function([](kt::csr<c128> a, kt::zmatrix b, kt::zvector v) {
    return max(abs(dot(a, solve(a, b)) - b)) + max(abs(dot(a.T(), solve(a.T(), v)) - v));
  });
  auto const b = complex_tests::matrix(3, 2, 4);
  auto const v = complex_tests::numbers(3, 5);
  Eigen::SparseMatrix<c128, Eigen::RowMajor> a(3, 3);
  a.insert(0, 0) = 4, a.insert(0, 1) = 1i, a.insert(1, 0) = -1i, a.insert(1, 1) = 5,
  a.insert(2, 2) = 3;
  a.makeCompressed();
  // Hermitian and definite; then symmetric and not Hermitian; then Hermitian and not definite.
  CHECK(f(a, b, v) < 1e-14);
  a.coeffRef(1, 0) = 1i;
  CHECK(f(a, b, v) < 1e-14);
  a.coeffRef(1, 0) = -1i, a.coeffRef(2, 2) = -3;
  CHECK(f(a, b, v) < 1e-14);
  CHECK(kt::verify_grad(
      [](kt::csr<c128> a, kt::zvector b) { return sum(abs(solve(a, b)) + real(solve(a.T(), b))); },
      kt::csr_array<c128>(vec<c128>{4. + 1i, 1i, -2i, 5., 3. - 2i}, std::vector{0, 1, 0, 1, 2},
                          std::vector{0, 2, 4, 5}, {3, 3}),
      v));
}
#endif
