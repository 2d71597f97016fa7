// Sparse matrices in compiled functions: products with dense ones and their gradients, what a
// parameter takes, results into the caller's arrays, shared matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#if __has_include(<eigen3/Eigen/Sparse>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <eigen3/Eigen/Sparse>
#pragma GCC diagnostic pop
#define KROTON_TESTS_EIGEN
#endif

using namespace reference;
using I = std::size_t;

namespace {

// With a line that is empty.
kt::csr_array<double> matrix() {
  return {std::vector{1., 2., 3., 4., 5.},
          std::vector{0, 2, 1, 0, 3},
          std::vector{0, 2, 2, 3, 5},
          {4, 5}};
}

}  // namespace

TEST_CASE("products of sparse and dense matrices, and their gradients", "[sparse]") {
  auto const a = matrix();
  auto const d = a.to_dense();
  vec<double> x{1, -1, 2, 0.5, 3};
  // 13 columns: blocks of several batches, of one, and single elements.
  mat<double> const w = xt::sin(mat<double>(xt::reshape_view(xt::arange<double>(4 * 13), {4, 13})));
  mat<double> wide = xt::zeros<double>({5, 13});
  xt::view(wide, xt::range(0, 4), xt::all()) = w;
  auto f = kt::function(
      [](kt::csr<double> a, kt::dvector x, kt::dmatrix w, kt::dmatrix u) {
        auto y = dot(a, x);
        auto cost = sum(sqr(y)) + sum(dot(a, w) * u);
        auto [ga, gx, gw] = grad(cost, a, x, w);
        return std::tuple(y, dot(a, w), dot(a.T(), u), ga, gx, gw,
                          a.with_data(exp(a.data()) * 2 + 1));
      },
      kt::mode::debug);
  auto const [y, aw, atu, ga, gx, gw, e] = f(a, x, wide, w);
  auto const times = [&](I i, auto const& column) {
    double sum = 0;
    for (I j = 0; j < 5; ++j) sum += d(i, j) * column(j);
    return sum;
  };
  CHECK(mismatch(y, [&](I i) { return times(i, x); }, 1e-15) == "");
  CHECK(mismatch(
            aw, [&](I i, I c) { return times(i, [&](I j) { return wide(j, c); }); }, 1e-15,
            1e-15) == "");
  auto const transposed = [&](I j, I c) {
    double sum = 0;
    for (I i = 0; i < 4; ++i) sum += d(i, j) * w(i, c);
    return sum;
  };
  CHECK(mismatch(atu, transposed, 1e-15, 1e-15) == "");
  CHECK(mismatch(gw, transposed, 1e-15, 1e-15) == "");
  CHECK(ga.size() == 5);
  CHECK(mismatch(
            ga.to_dense(),
            [&](I i, I j) {
              double sum = 2 * times(i, x) * x(j);
              for (I c = 0; c < 13; ++c) sum += w(i, c) * wide(j, c);
              return d(i, j) == 0 ? 0.0 : sum;
            },
            1e-14, 1e-15) == "");
  CHECK(mismatch(
            gx,
            [&](I j) {
              double sum = 0;
              for (I i = 0; i < 4; ++i) sum += 2 * times(i, x) * d(i, j);
              return sum;
            },
            1e-15) == "");
  CHECK(mismatch(e.data(), [&](I k) { return 2 * std::exp(a.data()(k)) + 1; }, 1e-15) == "");
  CHECK(e.shape() == a.shape());
  CHECK((e.indices() == a.indices()));
}

TEST_CASE("what a sparse parameter takes", "[sparse]") {
  auto f = kt::function([](kt::csr<double> a, kt::csc<double> b, kt::dvector x) {
    return std::tuple(dot(a, x), dot(x, b));
  });
  vec<double> const x{1, -1, 2};
  std::vector<double> const value{1, 2, 4};
  std::vector<int> const index{2, 0, 1}, start{0, 1, 3};
  // Rows (0, 0, 1), (2, 4, 0); its transpose, by columns.
  kt::csr_array const a{value, index, start, {2, 3}};
  kt::csc_array const b{value, std::span(index), start, {3, 2}};
  auto const check = [&](auto const& result) {
    CHECK((std::get<0>(result) == vec<double>{2, -2}));
    CHECK((std::get<1>(result) == vec<double>{2, -2}));
  };
  check(f(a, b, x));
  // Unsorted indices are sorted, and the values of equal ones added.
  kt::csr_array const unsorted{std::vector{1., 1., 2., 3.},
                               std::vector{2, 1, 0, 1},
                               std::vector<std::int64_t>{0, 1, 4},
                               {2, 3}};
  CHECK((unsorted.data() == vec<double>{1, 2, 4}));
  CHECK((unsorted.indices() == vec<int>{2, 0, 1}));
  check(f(unsorted, b, x));
  kt::csr_array const wide{value, std::vector<std::int64_t>{2, 0, 1}, start, {2, 3}};
  STATIC_REQUIRE(std::is_same_v<decltype(wide)::index_type, std::int64_t>);
  check(f(wide, b, x));
  // Elements of other types are converted where nothing is lost.
  kt::csr_array const single{std::vector<float>{1, 2, 4}, index, start, {2, 3}};
  check(f(single, b, x));
#if defined(KROTON_TESTS_EIGEN)
  Eigen::SparseMatrix<double, Eigen::RowMajor> rows(2, 3);
  Eigen::SparseMatrix<double> columns(3, 2);
  for (auto [i, j, v] : {std::tuple(0, 2, 1.), {1, 0, 2.}, {1, 1, 4.}})
    rows.insert(i, j) = v, columns.insert(j, i) = v;
  CHECK_THROWS_AS(f(rows, b, x), kt::value_error);  // not compressed yet
  rows.makeCompressed(), columns.makeCompressed();
  check(f(rows, columns, x));
  Eigen::SparseMatrix<double> const other = rows;
  Eigen::SparseMatrix<double, Eigen::RowMajor> const transposed = rows.transpose();
  check(f(other, transposed, x));
#endif
}

TEST_CASE("shared sparse matrices, and results into arrays of the caller", "[sparse]") {
  auto const a = matrix();
  kt::shared<kt::csr<double>> w(a);
  auto step = kt::function(
      [](kt::dvector x, kt::csr<double> w) {
        auto cost = sum(sqr(dot(w, x)));
        auto next = w - 0.1 * grad(cost, w);
        return kt::outputs(cost, 2 * w).update(w, next);
      },
      w);
  vec<double> const x{1, -1, 2, 0.5, 3};
  auto const [cost, twice] = step(x);
  // Rows of a times x: 5, 0, -3, 6.5 (and 2 y_i x_j is the gradient).
  double const y[] = {5, 0, -3, 6.5};
  CHECK(cost == Approx(25 + 9 + 6.5 * 6.5));
  CHECK((twice.data() == vec<double>{2, 4, 6, 8, 10}));
  auto const next = w.get_value();
  CHECK((next.indices() == a.indices()));
  CHECK(mismatch(
            next.data(),
            [&](I k) {
              I const row[] = {0, 0, 2, 3, 3};
              return a.data()(k) - 0.2 * y[row[k]] * x(static_cast<I>(a.indices()(k)));
            },
            1e-14) == "");
  w.set_value(a);
  CHECK((w.get_value().data() == a.data()));
  auto f = kt::function([](kt::csr<double> a) { return tanh(a) * 2; });
  kt::csr_array<double> out;
  f.into(out, a);
  CHECK(out.shape() == a.shape());
  CHECK(mismatch(out.data(), [&](I k) { return 2 * std::tanh(a.data()(k)); }, 1e-15) == "");
}
