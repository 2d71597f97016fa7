// Rows, columns, triangles, means, extrema and Kronecker products of sparse matrices, interpreted, against SciPy.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

// The matrices of sparse_operations.cpp, A and B.
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
template <class M>
bool is_dense(M const& got, mat<double> const& want) {
  return mat<double>(got.to_dense()) == want;
}
using list = vec<std::int64_t>;

}  // namespace

TEST_CASE("parts of sparse matrices as SciPy selects them", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<double> a, kt::csc<double> b, kt::lvector four, kt::lvector two, kt::lvector other, kt::lvector third) {
        auto const c = csc_from_dense(dense_from_sparse(a));
        return std::tuple(a(kt::slice(), kt::slice(1, 3)), a(kt::slice(0, kt::none, 2), kt::slice(1, kt::none, 2)),
                          a(four), a(kt::slice(), two), c(kt::slice(1, 4)), c(other), a(third, kt::slice(1, kt::none)),
                          tril(a), triu(c, 1), pow(a, 3),
                          kron(a(kt::slice(0, 2), kt::slice(0, 2)), b(kt::slice(0, 2))));
      },
      kt::mode::interpret);
  auto const [columns, every, rows, listed, of_csc, listed_of_csc, block, below, above, cubes, product] =
      f(first(), second(), list{3, 0, 3, -1}, list{2, 0}, list{4, 0}, list{3, 1});
  // A[:, 1:3]
  CHECK(is_not(columns, {2., -0.5, -1.5, 0.5}, {0, 0, 1, 1}, {0, 1, 3, 3, 4, 4}) == "");
  // A[::2, 1::2]
  CHECK(is_not(every, {2., -0.5, 2}, {0, 1, 1}, {0, 1, 2, 3}) == "");
  // A[[3, 0, 3, -1]]
  CHECK(is_not(rows, {0.5, 2.5, 1, 2, 0.5, 2.5, 2}, {2, 3, 0, 1, 2, 3, 3}, {0, 2, 4, 6, 7}) == "");
  // A[:, [2, 0]]
  CHECK(is_not(listed, {1., -1.5, 2, 0.5, 0.5}, {1, 0, 1, 1, 0}, {0, 1, 3, 4, 5, 5}) == "");
  // A.tocsc()[1:4]
  CHECK(is_not(of_csc, {2., 0.5, -0.5, -1.5, 0.5, -0.5, 2.5}, {0, 1, 0, 0, 2, 1, 2}, {0, 2, 3, 5, 7}) == "");
  // A.tocsc()[[4, 0]]
  CHECK(is_not(listed_of_csc, {1., 2, 2}, {1, 1, 0}, {0, 1, 2, 2, 3}) == "");
  // A[[3, 1], 1:]
  CHECK(is_not(block, {0.5, 2.5, -0.5, -1.5}, {1, 2, 0, 1}, {0, 2, 4}) == "");
  // sp.tril(A)
  CHECK(is_not(below, {1., 2, -0.5, 0.5, 0.5, 2.5, 2}, {0, 0, 1, 0, 2, 3, 3}, {0, 1, 3, 4, 6, 7}) == "");
  // sp.triu(A.tocsc(), 1)
  CHECK(is_not(above, {2., -1.5, -0.5}, {0, 1, 2}, {0, 0, 1, 2, 3}) == "");
  // A.power(3)
  CHECK(is_not(cubes, {1., 8, 8, -0.125, -3.375, 0.125, -0.125, 0.125, 15.625, 8}, {0, 1, 0, 1, 2, 0, 3, 2, 3, 3}, {0, 2, 5, 7, 9, 10}) == "");
  // sp.kron(A[:2, :2], B[:2], format="csr")
  CHECK(is_not(product, {-1., -2, 2, -1, 1.5, -1, 4, -2, 3, -2, -2, 0.5, 4, -2, 3, -2, -1, 0.5, -0.75, 0.5}, {5, 11, 0, 1, 3, 4, 6, 7, 9, 10, 5, 11, 0, 1, 3, 4, 6, 7, 9, 10}, {0, 2, 10, 12, 20}) == "");
}

TEST_CASE("a slice of all rows or columns may have a step", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<double> a, kt::csc<double> b) {
        auto const third = kt::slice(kt::none, kt::none, 3);
        auto const other = kt::slice(kt::none, kt::none, 2);
        return std::tuple(a(third), a(kt::slice(), third), b(other), b(other, third), a(third, 1));
      },
      kt::mode::interpret);
  auto const [rows, columns, of_csc, both, part] = f(first(), second());
  // A[::3], A[:, ::3], B[::2], B[::2, ::3]
  CHECK(is_not(rows, {1., 2, 0.5, 2.5}, {0, 1, 2, 3}, {0, 2, 4}) == "");
  CHECK(is_not(columns, {1., 2, 0.5, -0.5, 2.5, 2}, {0, 0, 0, 1, 1, 1}, {0, 1, 2, 4, 5, 6}) == "");
  CHECK(is_not(of_csc, {-0.5, -1.5, 2, -1}, {1, 1, 1, 0}, {0, 1, 1, 2, 2, 3, 4}) == "");
  CHECK(is_not(both, {-0.5}, {1}, {0, 1, 1}) == "");
  CHECK((part == vec<double>{2, 0}));
}

TEST_CASE("rows and columns of sparse matrices by a number are dense vectors", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<double> a, kt::lscalar i) {
        auto const c = csc_from_dense(dense_from_sparse(a));
        return std::tuple(a(i), c(i), a(kt::slice(), -1), c(kt::slice(), -1), a(i, kt::slice(1, 3)), a(kt::slice(3, kt::none), 3));
      },
      kt::mode::interpret);
  auto const [row, same_row, column, same_column, part, end] = f(first(), 1);
  CHECK((row == vec<double>{2, -0.5, -1.5, 0}));
  CHECK((same_row == row));
  CHECK((column == vec<double>{0, 0, -0.5, 2.5, 2}));
  CHECK((same_column == column));
  CHECK((part == vec<double>{-0.5, -1.5}));
  CHECK((end == vec<double>{2.5, 2}));
  CHECK((std::get<0>(f(first(), -5)) == vec<double>{1, 2, 0, 0}));
  CHECK_THROWS_AS(f(first(), 5), kt::value_error);
  auto const lines = kt::function([](kt::csr<double> a, kt::lvector k) { return a(k); }, kt::mode::interpret);
  CHECK(lines(first(), list::from_shape({0})).shape()[0] == 0);
}

TEST_CASE("vectors that select rows and columns of sparse matrices are checked as those of dense ones", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<double> a, kt::lvector k) {
        auto const selected = a(k);
        return std::tuple(selected, grad(sum(sqr(selected.data())), a), a(k, kt::slice(0, 2)));
      },
      kt::mode::interpret);
  auto const g = kt::function(
      [](kt::csr<double> a, kt::lvector k) {
        auto const selected = a(kt::slice(), k);
        return std::tuple(selected, grad(sum(sqr(selected.data())), a), csc_from_dense(dense_from_sparse(a))(kt::slice(), k));
      },
      kt::mode::interpret);
  auto const dense = kt::function([](kt::dmatrix a, kt::lvector k) { return a(k); }, kt::mode::interpret);
  auto const message = [](auto const& call, std::int64_t k) -> std::string {
    try {
      call(k);
    } catch (kt::value_error const& e) {
      return e.what();
    }
    return "nothing";
  };
  mat<double> const rows = first().to_dense(), columns = xt::transpose(rows);
  for (std::int64_t k : {-12, -11, -10, -9, -8, -7, -6, -5, 4, 5, 6, 10}) {
    auto const of_dense = [&](mat<double> const& x) { return message([&](std::int64_t i) { dense(x, list{0, i}); }, k); };
    INFO(k);
    CHECK(message([&](std::int64_t i) { f(first(), list{0, i}); }, k) == of_dense(rows));
    CHECK(message([&](std::int64_t i) { g(first(), list{0, i}); }, k) == of_dense(columns));
  }
}

TEST_CASE("a Kronecker product whose columns int32 cannot count is refused", "[sparse]") {
  auto const f = kt::function([](kt::csr<double> a, kt::csr<double> b) { return kron(a, b); }, kt::mode::interpret);
  auto const one = [](int column, std::ptrdiff_t columns) {
    return kt::csr_array<double>(std::vector{2.}, std::vector{column}, std::vector{0, 1}, {1, static_cast<std::size_t>(columns)});
  };
  CHECK(is_not(f(one(32766, 32767), one(65535, 65536)), {4}, {2147418111}, {0, 1}) == "");
  std::string const what = "kron: int32 cannot count the values or columns of the result: 2147483648";
  CHECK_THROWS_MATCHES(f(one(7, 32768), one(7, 65536)), kt::value_error, Catch::Matchers::Message(what));
  CHECK_THROWS_AS(f(one(65535, 65538), one(7, 65536)), kt::value_error);
}

TEST_CASE("means, extrema and diagonals of sparse matrices", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<double> a, kt::csc<double> e, kt::csr<std::int32_t> whole, kt::csr<std::complex<double>> z, kt::dvector v) {
        return std::tuple(mean(a), mean(a, kt::axis<0>), mean(a, kt::axis<-1>), mean(whole), mean(z), maximum(a, e),
                          minimum(e, a), maximum(a, 2 * a), kt::square_diagonal(v), dot(kt::square_diagonal(v), a));
      },
      kt::mode::interpret);
  auto const a = first();
  kt::csc_array<double> const eye(std::vector{1., 1., 1., 1.}, std::vector{0, 1, 2, 3}, std::vector{0, 1, 2, 3, 4}, {5, 4});
  kt::csr_array<std::int32_t> const whole(std::vector{1, 2, 4}, std::vector{0, 1, 0}, std::vector{0, 2, 3}, {2, 2});
  kt::csr_array<std::complex<double>> const z(std::vector<std::complex<double>>{{1, 2}, {3, -4}}, std::vector{0, 1}, std::vector{0, 1, 2}, {2, 2});
  vec<double> const v{1, 2, 3, 4, 5};
  auto const [all, columns, rows, of_integers, of_complex, largest, smallest, larger, diagonal, scaled] = f(a, eye, whole, z, v);
  CHECK(all == Approx(0.4));
  CHECK(mismatch(columns, [&](I k) { return std::vector{0.7, 0.3, -0.2, 0.8}[k]; }, 1e-15) == "");
  CHECK(mismatch(rows, [&](I k) { return std::vector{0.75, 0., 0., 0.75, 0.5}[k]; }, 1e-15) == "");
  CHECK(of_integers == 1.75);
  CHECK(of_complex == std::complex<double>(1, -0.5));
  // A.maximum(sp.csr_matrix(np.eye(5, 4))), and minimum
  CHECK(is_dense(largest, {{1, 2, 0, 0}, {2, 1, 0, 0}, {0.5, 0, 1, 0}, {0, 0, 0.5, 2.5}, {0, 0, 0, 2}}));
  CHECK(is_dense(smallest, {{1, 0, 0, 0}, {0, -0.5, -1.5, 0}, {0, 0, 0, -0.5}, {0, 0, 0, 1}, {0, 0, 0, 0}}));
  CHECK(is_dense(larger, {{2, 4, 0, 0}, {4, -0.5, -1.5, 0}, {1, 0, 0, -0.5}, {0, 0, 1, 5}, {0, 0, 0, 4}}));
  CHECK(is_dense(diagonal, xt::diag(v)));
  CHECK(is_dense(scaled, a.to_dense() * mat<double>(xt::reshape_view(v, {5, 1}))));
}

TEST_CASE("gradients of parts of sparse matrices are those of the values that they have", "[sparse]") {
  // By the values, against central differences.
  auto const check = [](auto const& cost) {
    auto const f = kt::function(cost, kt::mode::interpret);
    auto const a = first();
    auto const b = second();
    auto const [value, slope] = f(a, b);
    (void)value;
    for (I k = 0; k < a.data().size(); ++k) {
      auto const moved = [&](double by) {
        auto data = a.data();
        data(k) += by;
        return std::get<0>(f(kt::csr_array<double>(data, a.indices(), a.indptr(), {5, 4}), b));
      };
      CHECK(slope.data()(k) == Approx((moved(1e-5) - moved(-1e-5)) / 2e-5).margin(1e-8));
    }
  };
#define KROTON_SLOPE(...)                                             \
  check([](kt::csr<double> a, kt::csc<double> b) {                     \
    (void)b;                                                          \
    auto const y = __VA_ARGS__;                                       \
    auto cost = sum(y * y * y);                                       \
    return std::tuple(cost, grad(cost, a));                           \
  })
  KROTON_SLOPE(a(kt::slice(), kt::slice(1, 3)).data());
  KROTON_SLOPE(a(kt::arange(a.shape(1))).data());
  KROTON_SLOPE(a(kt::slice(), kt::slice(0, kt::none, 2)).data());
  KROTON_SLOPE(a(1));
  KROTON_SLOPE(a(kt::slice(), 3));
  KROTON_SLOPE(tril(a, -1).data());
  KROTON_SLOPE(mean(a, kt::axis<0>));
  KROTON_SLOPE(pow(a, 3).data());
  KROTON_SLOPE(maximum(a(kt::slice(0, 4)), 0.4 * b(kt::slice(), kt::slice(0, 4))).data());
  KROTON_SLOPE(kron(a, b).data());
  KROTON_SLOPE(kron(b, a).data());
#undef KROTON_SLOPE
}

TEST_CASE("parts and joins of larger sparse matrices are those of dense ones", "[sparse]") {
  static constexpr auto parts = [](auto a, kt::lvector some, kt::lvector repeated) {
    return std::tuple(a(some), a(repeated), a(kt::slice(3, -4, 3)), a(kt::slice(), some), a(kt::slice(), repeated),
                      a(kt::slice(), kt::slice(5, -7)), a(kt::slice(), kt::slice(2, kt::none, 5)), a(kt::slice(30, 10)),
                      tril(a, 11), triu(a, -13), tril(a, -200), triu(a, -200));
  };
  auto const of_rows = kt::function([](kt::csr<double> a, kt::lvector k, kt::lvector l) { return parts(a, k, l); }, kt::mode::interpret);
  auto const of_columns = kt::function([](kt::csc<double> a, kt::lvector k, kt::lvector l) { return parts(a, k, l); }, kt::mode::interpret);
  auto const joins = kt::function(
      [](kt::csr<double> a, kt::csc<double> b) {
        return std::tuple(hstack(a, b), vstack(a, b), hstack(b, a), vstack(b, a), hstack(a, a), vstack(b, b), hstack(b, b));
      },
      kt::mode::interpret);
  // Lines of up to 50 values, and some without any.
  std::vector<double> data;
  std::vector<int> indices, indptr{0};
  for (int i = 0; i < 70; ++i) {
    for (int j = 0; j < 70; ++j)
      if (i % 9 != 4 && (i * i + 3 * j * j + i * j) % 17 < i % 13) indices.push_back(j), data.push_back(1 + i - 0.5 * j + 100 * (j % 3));
    indptr.push_back(static_cast<int>(data.size()));
  }
  kt::csr_array<double> const a(data, indices, indptr, {70, 70});
  kt::csc_array<double> const b(data, indices, indptr, {70, 70});
  list some = list::from_shape({60}), repeated = list::from_shape({90});
  for (I k = 0; k < 60; ++k) some(k) = static_cast<std::int64_t>(k * 37 % 70) - (k % 4 == 0 ? 70 : 0);
  for (I k = 0; k < 90; ++k) repeated(k) = static_cast<std::int64_t>(k * k % 70);
  auto const check = [&](auto const& have, mat<double> const& x) {
    auto const rows = [](mat<double> const& from, list const& at) {
      mat<double> to(std::array{at.size(), from.shape()[1]});
      for (I i = 0; i < at.size(); ++i)
        for (I j = 0; j < to.shape()[1]; ++j) to(i, j) = from(static_cast<I>(at(i) < 0 ? at(i) + 70 : at(i)), j);
      return to;
    };
    mat<double> const t = xt::transpose(x);
    auto const band = [&](int first, int end) {
      mat<double> y = x;
      for (int i = 0; i < 70; ++i)
        for (int j = 0; j < 70; ++j)
          if (j - i < first || j - i >= end) y(static_cast<I>(i), static_cast<I>(j)) = 0;
      return y;
    };
    CHECK(is_dense(std::get<0>(have), rows(x, some)));
    CHECK(is_dense(std::get<1>(have), rows(x, repeated)));
    CHECK(is_dense(std::get<2>(have), xt::view(x, xt::range(3, 66, 3))));
    CHECK(is_dense(std::get<3>(have), xt::transpose(rows(t, some))));
    CHECK(is_dense(std::get<4>(have), xt::transpose(rows(t, repeated))));
    CHECK(is_dense(std::get<5>(have), xt::view(x, xt::all(), xt::range(5, 63))));
    CHECK(is_dense(std::get<6>(have), xt::view(x, xt::all(), xt::range(2, 70, 5))));
    CHECK(std::get<7>(have).shape(0) == 0);
    CHECK(is_dense(std::get<8>(have), band(-100, 12)));
    CHECK(is_dense(std::get<9>(have), band(-13, 100)));
    CHECK(std::get<10>(have).size() == 0);
    CHECK(is_dense(std::get<11>(have), x));
    // Indices ascend.
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto const ascends = [](auto const& m) {
        for (I i = 0; i + 1 < m.indptr().size(); ++i)
          for (auto k = m.indptr()(i) + 1; k < m.indptr()(i + 1); ++k)
            if (m.indices()(static_cast<I>(k)) <= m.indices()(static_cast<I>(k - 1))) return false;
        return true;
      };
      bool const all = (ascends(std::get<K>(have)) && ...);
      CHECK(all);
    }(std::make_index_sequence<12>{});
  };
  mat<double> const x = a.to_dense(), y = b.to_dense();
  check(of_rows(a, some, repeated), x);
  check(of_columns(b, some, repeated), y);
  auto const beside = [](auto const& l, auto const& r) { return mat<double>(xt::concatenate(xt::xtuple(l, r), 1)); };
  auto const below = [](auto const& l, auto const& r) { return mat<double>(xt::concatenate(xt::xtuple(l, r), 0)); };
  auto const [ab, ab_below, ba, ba_below, aa, bb_below, bb] = joins(a, b);
  CHECK(is_dense(ab, beside(x, y)));
  CHECK(is_dense(ab_below, below(x, y)));
  CHECK(is_dense(ba, beside(y, x)));
  CHECK(is_dense(ba_below, below(y, x)));
  CHECK(is_dense(aa, beside(x, x)));
  CHECK(is_dense(bb_below, below(y, y)));
  CHECK(is_dense(bb, beside(y, y)));
}

TEST_CASE("gradients of joined sparse matrices are parts of those of the join", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<double> a, kt::csr<double> b, kt::dvector w) {
        auto const whole = hstack(a, b);
        auto cost = dot(w, whole.data() * whole.data());
        return std::tuple(grad(cost, a), grad(cost, b), hstack(a.with_data(a.data() * 0 + 1), b).data());
      },
      kt::mode::interpret);
  auto const a = first();
  vec<double> w = xt::arange<double>(1, 21);
  auto const [by_a, by_b, values] = f(a, a, w);
  // Behind the values of each row of the first stand those of the second.
  I n = 0;
  for (I i = 0; i + 1 < a.indptr().size(); ++i)
    for (bool of_b : {false, true})
      for (auto k = static_cast<I>(a.indptr()(i)); k < static_cast<I>(a.indptr()(i + 1)); ++k, ++n) {
        CHECK((of_b ? by_b : by_a).data()(k) == Approx(2 * w(n) * a.data()(k)));
        CHECK(values(n) == (of_b ? a.data()(k) : 1));
      }
}
