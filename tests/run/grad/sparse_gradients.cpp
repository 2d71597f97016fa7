// Gradients of sparse matrices against differences, of second order, in forward mode, and of many
// at once.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

kt::csr_array<double> first() {
  return {std::vector{1., 0.2, -0.3, 0.4, 0.5},
          std::vector{0, 2, 1, 0, 3},
          std::vector{0, 2, 2, 3, 5},
          {4, 4}};
}
kt::csr_array<double> second() {
  return {
      std::vector{0.5, -1., 2., 3.}, std::vector{2, 0, 1, 3}, std::vector{0, 1, 2, 3, 4}, {4, 4}};
}
mat<double> waves(I rows, I columns) {
  return xt::sin(mat<double>(
      xt::reshape_view(xt::arange<double>(static_cast<double>(rows * columns)), {rows, columns})));
}

}  // namespace

TEST_CASE("gradients of sparse matrices against differences", "[sparse]") {
  CHECK(kt::verify_grad(
      [](kt::csr<double> a, kt::csr<double> b) {
        return sum(sin(dot(a, b))) + sum(sqr((a + b).data())) + sum(sqr(tanh(a * b))) +
               sum(sqr((a - b.T()).data()));
      },
      first(), second()));
  CHECK(kt::verify_grad(
      [](kt::csr<double> a, kt::dmatrix x, kt::dvector v) {
        auto y = dot(a, x) + dot(x, a);
        return sum(sqr(y)) + sum(tanh(dot(a.T(), v))) + sum(sqr(diag(a))) + a(3, 0) * a(0, 0) +
               sum(sqr(sum(a, kt::axis<0>))) + sum(sqr(sum(sampling_dot(x, x, a), kt::axis<1>))) +
               sum(sqr((a * x).data())) + sum(sqr((a * v).data())) +
               sum(sqr(dense_from_sparse(a))) + sum(sqr(csr_from_dense(x).data())) +
               sum(sqr(vstack(a, a(kt::slice(2))).data()));
      },
      first(), waves(4, 4) + 0.1, vec<double>{1, 0.2, -0.3, 0.4}));
}

TEST_CASE("gradients of sparse matrices of second order", "[sparse]") {
  // The Hessian of sum(y * y * y) for y = a.x by the values, times a change, in three ways.
  auto f = kt::function(
      [](kt::csr<double> a, kt::csr<double> change, kt::dvector x) {
        auto cost = sum(pow(dot(a, x), 3));
        auto g = grad(cost, a);
        auto moved = a.with_data(change.data());
        auto forward = rop(g.data(), a, moved);
        auto backward = grad(sum(g.data() * change.data()), a);
        return std::tuple(forward, backward, dot(hessian(cost, a), change.data()),
                          jacobian(dot(a, x), a), rop(dot(a, x), a, moved), hessian(cost, x));
      },
      kt::mode::interpret);
  auto const a = first();
  kt::csr_array<double> change = a;
  for (I k = 0; k < 5; ++k) change.data()(k) = std::cos(static_cast<double>(k));
  vec<double> const x{1, -1, 2, 0.5};
  auto const [forward, backward, whole, slopes, moved, by_x] = f(a, change, x);
  I const row[] = {0, 0, 2, 3, 3};
  auto const d = a.to_dense(), e = change.to_dense();
  auto const times = [&](auto const& m, I i) {
    double sum = 0;
    for (I j = 0; j < 4; ++j) sum += m(i, j) * x(j);
    return sum;
  };
  // y_i moves by (change.x)_i, and the gradient is 3 y_i^2 x_j.
  auto const expected = [&](I k) {
    I const j = static_cast<I>(a.indices()(k));
    return 6 * times(d, row[k]) * times(e, row[k]) * x(j);
  };
  CHECK(mismatch(forward, expected, 1e-14, 1e-14) == "");
  CHECK(mismatch(backward.data(), expected, 1e-14, 1e-14) == "");
  CHECK(mismatch(whole, expected, 1e-14, 1e-14) == "");
  CHECK(mismatch(slopes, [&](I i, I k) {
          return row[k] == i ? x(static_cast<I>(a.indices()(k))) : 0.0;
        }) == "");
  CHECK(mismatch(moved, [&](I i) { return times(e, i); }, 1e-15, 1e-15) == "");
  CHECK(mismatch(
            by_x,
            [&](I j, I l) {
              double sum = 0;
              for (I i = 0; i < 4; ++i) sum += 6 * times(d, i) * d(i, j) * d(i, l);
              return sum;
            },
            1e-14, 1e-14) == "");
}

TEST_CASE("products with many vectors by vmap", "[sparse]") {
  auto f = kt::function(
      [](kt::csr<double> a, kt::dmatrix x) {
        auto const times = kt::vmap<0>([](kt::dvector r, kt::dvector value, kt::ivector index,
                                          kt::ivector start, kt::lscalar columns) {
          return dot(kt::csr<double>{{}, value, index, start, columns}, r);
        });
        auto const transposed = kt::vmap<0>([](kt::dvector r, kt::dvector value, kt::ivector index,
                                               kt::ivector start, kt::lscalar columns) {
          return dot(r, kt::csr<double>{{}, value, index, start, columns});
        });
        // Matrices, mapped twice; and matrices of the same pattern, mapped by their values.
        auto const planes = kt::vmap<0>([](kt::dtensor3 all, kt::dvector value, kt::ivector index,
                                           kt::ivector start, kt::lscalar columns) {
          return kt::vmap<0>([](kt::dmatrix m, kt::dvector v, kt::ivector i, kt::ivector s,
                                kt::lscalar n) {
            return dot(kt::csr<double>{{}, v, i, s, n}, m);
          })(all, value, index, start, columns);
        });
        auto const by_values = kt::vmap<0>([](kt::dvector value, kt::dvector r, kt::ivector index,
                                              kt::ivector start, kt::lscalar columns) {
          return dot(kt::csr<double>{{}, value, index, start, columns}, r);
        });
        auto cube = kt::stack<0>(x.T(), 2 * x.T(), 3 * x.T());
        return std::tuple(times(x, a.data(), a.indices(), a.indptr(), a.shape(1)),
                          transposed(x, a.data(), a.indices(), a.indptr(), a.shape(1)),
                          planes(kt::stack<0>(cube, -cube), a.data(), a.indices(), a.indptr(),
                                 a.shape(1)),
                          by_values(kt::stack<0>(a.data(), 2 * a.data()), x(0), a.indices(),
                                    a.indptr(), a.shape(1)));
      },
      kt::mode::interpret);
  auto const a = first();
  auto const d = a.to_dense();
  mat<double> const x = waves(3, 4);
  auto const [ax, xa, planes, by_values] = f(a, x);
  CHECK(planes.shape() == std::array<I, 4>{2, 3, 4, 3});
  CHECK(mismatch(
            planes,
            [&, &ax = ax](I s, I t, I i, I r) {
              return (s == 0 ? 1.0 : -1.0) * static_cast<double>(t + 1) * ax(r, i);
            },
            1e-14, 1e-15) == "");
  CHECK(mismatch(
            by_values,
            [&, &ax = ax](I s, I i) { return static_cast<double>(s + 1) * ax(0, i); }, 1e-14,
            1e-15) == "");
  CHECK(mismatch(
            ax,
            [&](I r, I i) {
              double sum = 0;
              for (I j = 0; j < 4; ++j) sum += d(i, j) * x(r, j);
              return sum;
            },
            1e-14, 1e-15) == "");
  CHECK(mismatch(
            xa,
            [&](I r, I j) {
              double sum = 0;
              for (I i = 0; i < 4; ++i) sum += d(i, j) * x(r, i);
              return sum;
            },
            1e-14, 1e-15) == "");
}
