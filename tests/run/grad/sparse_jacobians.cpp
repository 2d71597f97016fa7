// Sparse Jacobians and Hessians against closed forms, differences and dense ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

// 100 (x(i+1) - x(i)^2)^2 + (1 - x(i))^2, summed.
constexpr auto rosenbrock = [](auto const& x) {
  auto const next = x(kt::slice(1, kt::none)), here = x(kt::slice(kt::none, -1));
  return sum(100 * sqr(next - sqr(here)) + sqr(1 - here));
};
double rosenbrock_hessian(vec<double> const& x, I i, I j) {
  I const n = x.size();
  if (i == j)
    return (i + 1 < n ? 1200 * x(i) * x(i) - 400 * x(i + 1) + 2 : 0.) + (i > 0 ? 200. : 0.);
  return i + 1 == j ? -400 * x(i) : j + 1 == i ? -400 * x(j) : 0;
}

// How many elements are stored, of those that differ from 0.
template <class A, class D>
bool is_exact(A const& a, D const& dense) {
  I n = 0;
  for (double v : dense) n += v != 0;
  return n == a.size();
}

}  // namespace

TEST_CASE("a sparse Hessian of a chain is known while the program compiles", "[sparse]") {
  auto f = kt::function([](kt::dvector x, kt::dvector w) {
    auto h = kt::sparse_hessian(rosenbrock(x), x);
    return std::tuple(h, grad(sum(h.data() * w), x));
  });
  for (I n : {1, 2, 3, 7, 3000}) {
    vec<double> const x = numbers<double>(n, 3), w = numbers<double>(n == 1 ? 0 : 3 * n - 2, 4);
    auto const [h, third] = f(x, w);
    REQUIRE(h.shape() == std::array{n, n});
    REQUIRE(h.size() == w.size());
    if (n < 10)
      CHECK(mismatch(
                h.to_dense(), [&](I i, I j) { return rosenbrock_hessian(x, i, j); }, 1e-14,
                1e-13) == "");
    bool ascends = true, is_close = true;
    for (I i = 0; i < n; ++i)
      for (auto k = static_cast<I>(h.indptr()(i)); k < static_cast<I>(h.indptr()(i + 1)); ++k) {
        auto const j = static_cast<I>(h.indices()(k));
        ascends = ascends && (k == static_cast<I>(h.indptr()(i)) || h.indices()(k - 1) < h.indices()(k));
        is_close = is_close && close(h.data()(k), rosenbrock_hessian(x, i, j), 1e-13, 1e-12);
      }
    CHECK(ascends);
    CHECK(is_close);
    // The weights of elements (i, i - 1), (i, i), (i, i + 1) are 3i - 1 and the next ones.
    CHECK(mismatch(
              third,
              [&](I i) {
                double sum = 0;
                if (i + 1 < n) sum += 2400 * x(i) * w(3 * i) - 400 * (w(3 * i + 1) + w(3 * i + 2));
                if (i > 0) sum -= 400 * w(3 * i - 3);
                return sum;
              },
              1e-12, 1e-11) == "");
  }
}

TEST_CASE("diagonals of one scalar are passed as scalars", "[sparse]") {
  auto f = kt::function([](kt::dvector x, kt::dscalar c) {
    auto h = kt::sparse_hessian(
        c * sum(x(kt::slice(2, kt::none)) * x(kt::slice(kt::none, -2))) + sum(sqr(x)), x);
    return std::tuple(h, grad(sum(h.data()), c));
  });
  for (I n : {1, 3, 20}) {
    auto const [h, by_c] = f(numbers<double>(n, 2), 3.0);
    I const pairs = n > 2 ? n - 2 : 0;
    CHECK(h.size() == n + 2 * pairs);
    CHECK(by_c == static_cast<double>(2 * pairs));
    CHECK(mismatch(h.to_dense(), [](I i, I j) {
            return i == j ? 2.0 : i + 2 == j || j + 2 == i ? 3.0 : 0.0;
          }) == "");
  }
}

TEST_CASE("the pattern follows views, sums, products, joins and indices", "[sparse]") {
  auto f = kt::function([](kt::dmatrix x, kt::dmatrix m, kt::lvector at) {
    auto const flat = [](auto const& part) { return flatten(part); };
    auto y = concatenate(
        flat(sqr(x.T()(kt::slice(kt::none, kt::none, -2)))), sum(x * x, kt::axis<1>),
        flat(dot(m, sin(x))), flat(x(at) * x(0)), flat(exp(stack(x(1), x(-1)))), diag(x * x),
        flat(set_subtensor(x(kt::slice(1, 3), 1), cos(x(0, kt::slice(0, 2))))),
        flat(inc_subtensor(x(at), sqr(x(kt::slice(0, 3))))), max(x, kt::axis<0>));
    return std::tuple(y, kt::sparse_jacobian(y, x), jacobian(y, x));
  });
  mat<double> const x = matrix<double>(4, 3, 5), m = matrix<double>(2, 4, 6);
  vec<std::int64_t> at{2, -1, 0};
  for (int k = 0; k < 3; ++k) {
    auto const [y, sparse, dense] = f(x, m, at);
    CHECK(sparse.shape() == std::array{y.size(), x.size()});
    auto const all = sparse.to_dense();
    CHECK(mismatch(
              all, [&](I i, I j) { return dense(i, j / 3, j % 3); }, 1e-13, 1e-14) == "");
    for (I j = 0; j < x.size(); ++j) {
      mat<double> up = x, down = x;
      up.data()[j] += 1e-5, down.data()[j] -= 1e-5;
      vec<double> const above = std::get<0>(f(up, m, at)), below = std::get<0>(f(down, m, at));
      bool is_close = true;
      for (I i = 0; i < y.size(); ++i)
        is_close = is_close && close(all(i, j), (above(i) - below(i)) / 2e-5, 1e-6, 1e-8);
      CHECK(is_close);
    }
    // Only of the maxima more is stored than differs from 0: one of four elements does.
    I n = 0;
    for (double v : all) n += v != 0;
    CHECK(sparse.size() == n + 9);
    // Other indices give another pattern, the same ones the same.
    if (k == 0) at = {1, 1, 3};
  }
  // The pattern reads nothing out of bounds before the call fails.
  CHECK_THROWS_AS(f(x, m, vec<std::int64_t>{0, 4, -9}), kt::value_error);
  CHECK_THROWS_AS(f(x, m, vec<std::int64_t>{0, 1}), kt::shape_error);
  CHECK_THROWS_AS(f(x, matrix<double>(2, 5), at), kt::shape_error);
  CHECK_THROWS_AS(f(matrix<double>(1, 3), m, at), kt::error);
}

TEST_CASE("long rows are found by reverse mode, others by forward mode", "[sparse]") {
  // One row of 8,000, and 8,000 short ones: a few directions.
  auto f = kt::function([](kt::dmatrix x, kt::dvector w) {
    auto y = concatenate(sum(sqr(x), kt::axis<1>), w * x(kt::slice(), 0), stack(sum(x * x)));
    return kt::sparse_jacobian(y, x, w, kt::disconnected::zero);
  });
  I const n = 4'000;
  mat<double> const x = matrix<double>(n, 2, 7);
  vec<double> const w = numbers<double>(n, 8);
  auto const [by_x, by_w] = f(x, w);
  CHECK(by_x.size() == 2 * n + n + 2 * n);
  CHECK(by_w.size() == n);
  bool is_close = true;
  for (I i = 0; i < n; ++i) {
    I const sum = static_cast<I>(by_x.indptr()(i)), product = static_cast<I>(by_x.indptr()(n + i)),
            all = static_cast<I>(by_x.indptr()(2 * n)) + 2 * i;
    is_close = is_close && by_x.data()(sum) == 2 * x(i, 0) && by_x.data()(sum + 1) == 2 * x(i, 1) &&
               by_x.data()(product) == w(i) && by_x.data()(all) == 2 * x(i, 0) &&
               by_x.data()(all + 1) == 2 * x(i, 1) && by_w.data()(i) == x(i, 0);
  }
  CHECK(is_close);
}

TEST_CASE("sparse Hessians of grids and of arrows are symmetric", "[sparse]") {
  auto grid = kt::function([](kt::dmatrix x) {
    auto down = x(kt::slice(1, kt::none)) - x(kt::slice(kt::none, -1)),
         right = x(kt::slice(), kt::slice(1, kt::none)) - x(kt::slice(), kt::slice(kt::none, -1));
    return kt::sparse_hessian(sum(pow(down, 4)) + sum(pow(right, 4)) + sum(exp(x)), x);
  });
  mat<double> const x = matrix<double>(4, 3, 9);
  auto const h = grid(x);
  auto const dense = h.to_dense();
  auto const expected = [&](I i, I j) {
    auto const are_neighbors = [](I a, I b) {
      I const r = a / 3, c = a % 3, s = b / 3, t = b % 3;
      return (r == s && (c + 1 == t || t + 1 == c)) || (c == t && (r + 1 == s || s + 1 == r));
    };
    auto const coupling = [&](I a, I b) {
      return 12 * std::pow(x.data()[a] - x.data()[b], 2);
    };
    if (i != j) return are_neighbors(i, j) ? -coupling(i, j) : 0.0;
    double sum = std::exp(x.data()[i]);
    for (I k = 0; k < 12; ++k)
      if (are_neighbors(i, k)) sum += coupling(i, k);
    return sum;
  };
  CHECK(mismatch(dense, expected, 1e-12, 1e-13) == "");
  CHECK(mismatch(dense, [&](I i, I j) { return dense(j, i); }) == "");
  CHECK(is_exact(h, dense));

  auto arrow = kt::function([](kt::dvector x) {
    return kt::sparse_hessian(exp(x(0)) * sum(sqr(x(kt::slice(1, kt::none)))), x);
  });
  vec<double> const y = numbers<double>(5'000, 10);
  auto const a = arrow(y);
  REQUIRE(a.size() == 3 * y.size() - 2);
  double squares = 0;
  for (I i = 1; i < y.size(); ++i) squares += y(i) * y(i);
  double const e = std::exp(y(0));
  bool is_close = close(a.data()(0), e * squares, 1e-12);
  for (I i = 1; i < y.size(); ++i)
    is_close = is_close && close(a.data()(i), 2 * e * y(i), 1e-13) &&
               a.data()(y.size() + 2 * (i - 1)) == a.data()(i) &&
               close(a.data()(y.size() + 2 * (i - 1) + 1), 2 * e, 1e-13);
  CHECK(is_close);
}

TEST_CASE("sparse Jacobians of products with sparse matrices, of scalars and of nothing",
          "[sparse]") {
  auto f = kt::function([](kt::csr<double> a, kt::dvector x, kt::dvector z) {
    auto y = dot(a, sqr(x));
    return std::tuple(kt::sparse_jacobian(y, x), kt::sparse_jacobian(y, a),
                      kt::sparse_jacobian(sum(x(kt::slice(0, 2))), x),
                      kt::sparse_jacobian(y, z, kt::disconnected::zero),
                      kt::sparse_hessian(sum(x) + sum(sqr(z)), x, z));
  });
  kt::csr_array<double> const a{std::vector{1., 2., 3., 4., 5.}, std::vector{0, 2, 1, 0, 3},
                                std::vector{0, 2, 2, 3, 5}, {4, 5}};
  vec<double> const x{1, -1, 2, 0.5, 3}, z{1, 2};
  auto const d = a.to_dense();
  auto const [by_x, by_a, of_sum, by_z, xx, xz, zx, zz] = f(a, x, z);
  CHECK((by_x.indices() == a.indices()));
  CHECK((by_x.indptr() == a.indptr()));
  CHECK(mismatch(by_x.to_dense(), [&](I i, I j) { return 2 * d(i, j) * x(j); }) == "");
  CHECK(by_a.shape() == std::array<I, 2>{4, 5});
  CHECK((by_a.data() == vec<double>{1, 4, 1, 1, 0.25}));
  CHECK(of_sum.shape() == std::array<I, 2>{1, 5});
  CHECK((of_sum.indices() == vec<int>{0, 1}));
  CHECK((of_sum.data() == vec<double>{1, 1}));
  CHECK(by_z.shape() == std::array<I, 2>{4, 2});
  CHECK(by_z.size() == 0);
  CHECK(xx.size() + xz.size() + zx.size() == 0);
  CHECK(zx.shape() == std::array<I, 2>{2, 5});
  CHECK(mismatch(zz.to_dense(), [](I i, I j) { return i == j ? 2.0 : 0.0; }) == "");
}
