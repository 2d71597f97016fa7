// Extreme elements of sparse matrices, interpreted, against those of dense ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <random>

using namespace reference;

namespace {

/// Columns and rows without values, full ones, stored zeros, equal elements and, if asked for, NaN.
template <class Matrix>
Matrix made(std::size_t rows, std::size_t columns, double density, bool has_nan, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::size_t const lines = Matrix::by_rows ? rows : columns,
                    inner = Matrix::by_rows ? columns : rows;
  std::vector<double> data;
  std::vector<int> indices, indptr{0};
  for (std::size_t i = 0; i < lines; ++i) {
    for (std::size_t j = 0; j < inner; ++j) {
      double const part = i % 5 == 2 ? 1 : i % 5 == 3 ? 0 : density;
      if (j % 7 != 3 && unit(random) >= part) continue;
      if (j % 7 == 5) continue;
      indices.push_back(static_cast<int>(j));
      double const value = std::floor(unit(random) * 5) - (i % 3 == 0 ? 5 : 2);
      data.push_back(has_nan && unit(random) < 0.05 ? std::nan("") : value);
    }
    indptr.push_back(static_cast<int>(data.size()));
  }
  return {data, indices, indptr, {rows, columns}};
}
bool same(vec<double> const& a, vec<double> const& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(a(k) == b(k) || (std::isnan(a(k)) && std::isnan(b(k))))) return false;
  return true;
}
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

constexpr auto of_sparse = [](auto a) {
  return std::tuple(max(a), min(a), max(a, kt::axis<0>), max(a, kt::axis<1>), min(a, kt::axis<0>), min(a, kt::axis<-1>),
                    argmax(a), argmin(a), argmax(a, kt::axis<-2>), argmax(a, kt::axis<1>), argmin(a, kt::axis<0>), argmin(a, kt::axis<1>));
};

}  // namespace

TEST_CASE("extreme elements of sparse matrices are those of dense ones", "[sparse]") {
  auto const by_rows = kt::function([](kt::csr<double> a) { return of_sparse(a); }, kt::mode::interpret);
  auto const by_columns = kt::function([](kt::csc<double> a) { return of_sparse(a); }, kt::mode::interpret);
  auto const dense = kt::function([](kt::dmatrix a) { return of_sparse(a); }, kt::mode::interpret);
  auto const check = [&](auto const& have, mat<double> const& full) {
    auto const want = dense(full);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto const one = [&](std::size_t k, auto const& x, auto const& y) {
        INFO("output " << k);
        if constexpr (requires { x.size(); }) CHECK(same(vec<double>(x), vec<double>(y)));
        else CHECK(same(static_cast<double>(x), static_cast<double>(y)));
      };
      (one(K, std::get<K>(have), std::get<K>(want)), ...);
    }(std::make_index_sequence<12>{});
  };
  unsigned seed = 0;
  for (auto [rows, columns] : {std::pair{1, 1}, {6, 9}, {9, 6}, {40, 100}, {100, 40}})
    for (double density : {0., 0.1, 0.7, 1.})
      for (bool has_nan : {false, true}) {
        INFO(rows << " x " << columns << ", " << density << ", " << has_nan);
        auto const m = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(columns);
        auto const a = made<kt::csr_array<double>>(m, n, density, has_nan, ++seed);
        auto const b = made<kt::csc_array<double>>(m, n, density, has_nan, ++seed);
        check(by_rows(a), a.to_dense());
        check(by_columns(b), b.to_dense());
      }
  kt::csr_array<double> const full(std::vector{-1., -2., -2., -1.}, std::vector{0, 1, 0, 1}, std::vector{0, 2, 4}, {2, 2}),
      none(std::vector<double>{}, std::vector<int>{}, std::vector{0, 0, 0}, {2, 3});
  check(by_rows(full), full.to_dense());
  check(by_rows(none), none.to_dense());
  kt::csr_array<double> const empty(std::vector<double>{}, std::vector<int>{}, std::vector{0, 0, 0}, {2, 0});
  CHECK_THROWS_WITH(by_rows(empty), Catch::StartsWith("max, min, argmax or argmin of no elements of a sparse matrix: "));
}

TEST_CASE("extreme elements of sparse matrices of whole numbers", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<std::int32_t> a) { return std::tuple(max(a), min(a, kt::axis<0>), argmin(a, kt::axis<1>)); }, kt::mode::interpret);
  kt::csr_array<std::int32_t> const a(std::vector{-3, 4, -1, -2}, std::vector{0, 2, 0, 1}, std::vector{0, 2, 2, 4}, {3, 3});
  auto const [largest, smallest, at] = f(a);
  CHECK(largest == 4);
  CHECK((smallest == vec<std::int32_t>{-3, -2, 0}));
  CHECK((at == vec<std::int64_t>{0, 0, 1}));
}

TEST_CASE("gradients of extreme elements go to the first of equals, if it is stored", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<double> a, kt::dvector u, kt::dvector v) {
        auto cost = 3 * max(a) - min(a) + dot(u, sqr(max(a, kt::axis<0>))) + dot(v, exp(min(a, kt::axis<1>)));
        return grad(cost, a);
      },
      kt::mode::interpret);
  auto const g = kt::function(
      [](kt::dmatrix a, kt::dvector u, kt::dvector v) {
        auto cost = 3 * max(a) - min(a) + dot(u, sqr(max(a, kt::axis<0>))) + dot(v, exp(min(a, kt::axis<1>)));
        return grad(cost, a);
      },
      kt::mode::interpret);
  auto const a = made<kt::csr_array<double>>(30, 20, 0.3, false, 3);
  vec<double> u = xt::linspace<double>(1, 2, 20), v = xt::linspace<double>(-1, 1, 30);
  auto const have = f(a, u, v);
  mat<double> const want = g(a.to_dense(), u, v);
  for (std::size_t i = 0; i < 30; ++i)
    for (auto k = static_cast<std::size_t>(a.indptr()(i)); k < static_cast<std::size_t>(a.indptr()(i + 1)); ++k)
      CHECK(have.data()(k) == Approx(want(i, static_cast<std::size_t>(a.indices()(k)))));
  auto const empty = kt::function([](kt::csr<double> x) { return grad(max(x) + sum(min(x, kt::axis<1>)), x); }, kt::mode::interpret);
  CHECK(empty(kt::csr_array<double>(std::vector<double>{}, std::vector<int>{}, std::vector{0, 0}, {1, 3})).size() == 0);
}
