// Operations on sparse matrices, interpreted, against dense computations and SciPy.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

// A = sp.random(5, 4, density=0.5, random_state=7, format='csr'); A.data = np.round(A.data * 8 - 3)
// / 2; A.eliminate_zeros(); B the same of (4, 6), density 0.4, random_state 5, format 'csc'.
kt::csr_array<double> first() {
  return {std::vector{1., 2., 2., -0.5, -1.5, 0.5, -0.5, 0.5, 2.5, 2.},
          std::vector{0, 1, 0, 1, 2, 0, 3, 2, 3, 3},
          std::vector{0, 2, 5, 7, 9, 10},
          {5, 4}};
}
kt::csc_array<double> second() {
  return {std::vector{2., -0.5, -1., -1.5, 1.5, -1., 2., 0.5, -1., 0.5},
          std::vector{1, 2, 1, 2, 1, 1, 2, 3, 0, 3},
          std::vector{0, 2, 3, 4, 5, 8, 10},
          {4, 6}};
}
template <class M>
std::string is_not(M const& got, std::vector<double> const& data, std::vector<int> const& indices,
                   std::vector<int> const& indptr) {
  if (!std::equal(indices.begin(), indices.end(), got.indices().begin(), got.indices().end()))
    return "other indices";
  if (!std::equal(indptr.begin(), indptr.end(), got.indptr().begin(), got.indptr().end()))
    return "other indptr";
  return mismatch(got.data(), [&](I k) { return data[k]; }, 1e-15);
}

}  // namespace

TEST_CASE("sparse matrices as SciPy combines them", "[sparse]") {
  auto f = kt::function(
      [](kt::csr<double> a, kt::csc<double> b, kt::dmatrix eye) {
        return std::tuple(dot(a, b), a + csr_from_dense(eye), sum(a), sum(a, kt::axis<0>),
                          sum(a, kt::axis<1>), a(kt::slice(1, 4)), tanh(a), hstack(a, a),
                          dot(b.T(), a.T()), csc_from_dense(dense_from_sparse(a)),
                          vstack(a, a.T().T()) - 0.5 * vstack(a, a));
      },
      kt::mode::interpret);
  mat<double> const eye = xt::eye<double>({5, 4});
  auto const [c, e, all, columns, rows, part, t, h, turned, csc, half] = f(first(), second(), eye);
  // (A @ B).tocsr()
  CHECK(is_not(c,
               {4, -2, 3, -2, -1, -0.25, 0.5, 2.25, -0.75, -2.5, -2, -0.25, -0.75, -0.25, -0.75,
                2.25, 1.25, 1, 1},
               {0, 1, 3, 4, 5, 0, 1, 2, 3, 4, 5, 4, 5, 0, 2, 4, 5, 4, 5},
               {0, 5, 11, 13, 17, 19}) == "");
  // A + sp.csr_matrix(np.eye(5, 4))
  CHECK(is_not(e, {2, 2, 2, 0.5, -1.5, 0.5, 1, -0.5, 0.5, 3.5, 2},
               {0, 1, 0, 1, 2, 0, 2, 3, 2, 3, 3}, {0, 2, 5, 8, 10, 11}) == "");
  // A.sum(), A.sum(axis=0), A.sum(axis=1)
  CHECK(all == 8);
  CHECK((columns == vec<double>{3.5, 1.5, -1, 4}));
  CHECK((rows == vec<double>{3, 0, 0, 3, 2}));
  // A[1:4]
  CHECK(is_not(part, {2, -0.5, -1.5, 0.5, -0.5, 0.5, 2.5}, {0, 1, 2, 0, 3, 2, 3}, {0, 3, 5, 7}) ==
        "");
  // A.tanh()
  CHECK(is_not(t,
               {0.7615941559557649, 0.9640275800758169, 0.9640275800758169, -0.46211715726000974,
                -0.9051482536448665, 0.46211715726000974, -0.46211715726000974, 0.46211715726000974,
                0.9866142981514303, 0.9640275800758169},
               {0, 1, 0, 1, 2, 0, 3, 2, 3, 3}, {0, 2, 5, 7, 9, 10}) == "");
  // sp.hstack([A, A], format='csr')
  CHECK(is_not(h, {1,   2,    1,   2,    2,   -0.5, -1.5, 2,   -0.5, -1.5,
                   0.5, -0.5, 0.5, -0.5, 0.5, 2.5,  0.5,  2.5, 2,    2},
               {0, 1, 4, 5, 0, 1, 2, 4, 5, 6, 0, 3, 4, 7, 2, 3, 6, 7, 3, 7},
               {0, 4, 10, 14, 18, 20}) == "");
  CHECK(mismatch(turned.to_dense(), [d = c.to_dense()](I i, I j) { return d(j, i); }) == "");
  // A.tocsc()
  CHECK(is_not(csc, {1, 2, 0.5, 2, -0.5, -1.5, 0.5, -0.5, 2.5, 2}, {0, 1, 2, 0, 1, 1, 3, 2, 3, 4},
               {0, 3, 5, 7, 10}) == "");
  CHECK(mismatch(half.to_dense(), [d = first().to_dense()](I i, I j) { return d(i % 5, j) / 2; }) ==
        "");
}

TEST_CASE("sparse matrices with dense operands, elements and parts", "[sparse]") {
  auto const a = first();
  kt::csc_array<double> const c(std::vector{1., 2., -1.}, std::vector{1, 4, 0},
                                std::vector{0, 1, 2, 2, 3}, {5, 4});
  auto const d = a.to_dense(), e = c.to_dense();
  mat<double> const x = xt::cos(mat<double>(xt::reshape_view(xt::arange<double>(20), {5, 4})));
  vec<double> const v{1, 2, 3, 4};
  mat<double> const row{{1, 2, 3, 4}}, column{{1}, {2}, {3}, {4}, {5}};
  // The pattern has 4 columns: for sampling, the second factor is 4 rows of x.
  auto const square = kt::function(
      [](kt::csr<double> a, kt::csc<double> c, kt::dmatrix x, kt::dmatrix y) {
        return std::tuple(sampling_dot(x, y, a), sampling_dot(x, y, c));
      },
      kt::mode::interpret);
  auto g = kt::function(
      [](kt::csr<double> a, kt::csc<double> c, kt::dmatrix x, kt::dvector v, kt::drow row,
         kt::dcol column) {
        return std::tuple(
            a * x, v * a, a * row, column * a, a / (x + 20), a + x, x - a, c * x, c * column,
            diag(a), diag(c.T()), a(1, 2), a(-1, 3), a(2, -3), c(4, 1),
            c(kt::slice(), kt::slice(kt::none, -1)), dot(x.T(), a), dot(v, c.T()), a * (2 * a),
            a - a, a * c, c + a,
            csr_from_parts(a.data() + 1, a.indices(), a.indptr(), a.shape(0), a.shape(1)),
            a.shape(1));
      },
      kt::mode::interpret);
  auto const [ax, va, ar, ca, quotient, apx, xma, cx, cc, da, dc, e12, e43, e21, c41, part, xa, vc,
              twice, none, both, united, more, width] = g(a, c, x, v, row, column);
  CHECK(ax.size() == 10);
  CHECK(mismatch(ax.to_dense(), [&](I i, I j) { return d(i, j) * x(i, j); }) == "");
  CHECK(mismatch(va.to_dense(), [&](I i, I j) { return d(i, j) * v(j); }) == "");
  CHECK(mismatch(ar.to_dense(), [&](I i, I j) { return d(i, j) * v(j); }) == "");
  CHECK(mismatch(ca.to_dense(), [&](I i, I j) { return d(i, j) * column(i, 0); }) == "");
  CHECK(mismatch(
            quotient.to_dense(), [&](I i, I j) { return d(i, j) / (x(i, j) + 20); }, 1e-15) == "");
  CHECK(mismatch(apx, [&](I i, I j) { return d(i, j) + x(i, j); }) == "");
  CHECK(mismatch(xma, [&](I i, I j) { return x(i, j) - d(i, j); }) == "");
  CHECK(mismatch(cx.to_dense(), [&](I i, I j) { return e(i, j) * x(i, j); }) == "");
  CHECK(mismatch(cc.to_dense(), [&](I i, I j) { return e(i, j) * column(i, 0); }) == "");
  CHECK(mismatch(da, [&](I i) { return d(i, i); }) == "");
  CHECK(mismatch(dc, [&](I i) { return e(i, i); }) == "");
  REQUIRE(dc.size() == 4);
  CHECK(e12 == -1.5);
  CHECK(e43 == 2);
  CHECK(e21 == 0);
  CHECK(c41 == 2);
  CHECK(part.shape() == std::array<I, 2>{5, 3});
  CHECK(mismatch(part.to_dense(), [&](I i, I j) { return e(i, j); }) == "");
  auto const sum = [](I n, auto const& term) {
    double total = 0;
    for (I k = 0; k < n; ++k) total += term(k);
    return total;
  };
  CHECK(mismatch(
            xa, [&](I i, I j) { return sum(5, [&](I k) { return x(k, i) * d(k, j); }); }, 1e-14,
            1e-15) == "");
  CHECK(
      mismatch(vc, [&](I i) { return sum(4, [&](I k) { return v(k) * e(i, k); }); }, 1e-15) == "");
  CHECK(mismatch(twice.to_dense(), [&](I i, I j) { return 2 * d(i, j) * d(i, j); }) == "");
  CHECK(none.size() == 10);
  CHECK(mismatch(none.data(), [](I) { return 0.0; }) == "");
  CHECK(both.size() == 1);
  CHECK(mismatch(both.to_dense(), [&](I i, I j) { return d(i, j) * e(i, j); }) == "");
  CHECK(mismatch(united.to_dense(), [&](I i, I j) { return d(i, j) + e(i, j); }) == "");
  CHECK(united.size() == 12);
  CHECK(mismatch(more.data(), [&](I k) { return a.data()(k) + 1; }) == "");
  CHECK(width == 4);
  mat<double> const y = xt::view(x, xt::range(1, 5), xt::all());
  auto const [by_rows, by_columns] = square(a, c, x, y);
  auto const sampled = [&](auto const& of) {
    return [&](I i, I j) { return of(i, j) * sum(4, [&](I k) { return x(i, k) * y(j, k); }); };
  };
  CHECK(mismatch(by_rows.to_dense(), sampled(d), 1e-14, 1e-15) == "");
  CHECK(mismatch(by_columns.to_dense(), sampled(e), 1e-14, 1e-15) == "");
}

TEST_CASE("sparse matrices of integers and of float, and without elements", "[sparse]") {
  auto f = kt::function(
      [](kt::csr<std::int32_t> a, kt::csr<float> b, kt::dvector x, kt::ivector n, kt::fmatrix w) {
        return std::tuple(dot(a, x), dot(a, n), dot(b, w), sum(a, kt::axis<0>), a * 0.5,
                          a + a.T().T(), sqrt(b));
      },
      kt::mode::interpret);
  kt::csr_array<std::int32_t> const a{
      std::vector{3, -2}, std::vector{1, 0}, std::vector{0, 1, 2}, {2, 2}};
  kt::csr_array<float> const b{
      std::vector<float>{}, std::vector<int>{}, std::vector{0, 0, 0}, {2, 3}};
  auto const [ax, an, bw, s, half, twice, root] =
      f(a, b, vec<double>{0.5, 1.5}, vec<int>{4, 5}, xt::ones<float>({3, 2}));
  CHECK((ax == vec<double>{4.5, -1}));
  CHECK((an == vec<int>{15, -8}));
  CHECK((bw == mat<float>(xt::zeros<float>({2, 2}))));
  CHECK((s == vec<std::int64_t>{-2, 3}));
  CHECK((half.data() == vec<double>{1.5, -1}));
  CHECK((twice.data() == vec<int>{6, -4}));
  CHECK(root.size() == 0);
}
