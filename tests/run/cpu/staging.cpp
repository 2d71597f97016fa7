// Loops whose operands are laid out anew: transposed and strided matrices, short rows, rows that are all the same.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

constexpr std::size_t sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 200};

template <class T>
T number(std::size_t i) {
  return static_cast<T>((i * 37 + 11) % 101);
}
template <class T>
xt::xtensor<T, 2> matrix(std::size_t rows, std::size_t columns, std::size_t from) {
  xt::xtensor<T, 2> m = xt::xtensor<T, 2>::from_shape({rows, columns});
  for (std::size_t i = 0; i < m.size(); ++i) m.flat(i) = number<T>(i + from);
  return m;
}

}  // namespace

TEMPLATE_TEST_CASE("Transposed operands and short rows", "[staging]", double, float, std::int16_t, std::complex<double>) {
  using T = TestType;
  using matrix_type = kt::matrix<T>;
  using vector_type = kt::vector<T>;
  // A transposed one; two; a row; rows and a transposed one; a column, which keeps rows apart, and a transposed one.
  auto f = kt::function([](matrix_type a, matrix_type b, vector_type row, vector_type column) {
    return std::tuple(a.T() * b, a.T() + a.T() * T(2), b + row, row * b + a.T(), (b - column(0)) * a.T() + row,
                      kt::dimshuffle<0, 'x'>(column) * a.T() - b);
  });
  for (std::size_t const rows : sizes)
    for (std::size_t const columns : {std::size_t{1}, std::size_t{3}, std::size_t{10}, std::size_t{16}, std::size_t{65}, std::size_t{130}}) {
      auto const a = matrix<T>(columns, rows, 0), b = matrix<T>(rows, columns, 50);
      xt::xtensor<T, 1> row = xt::xtensor<T, 1>::from_shape({columns}), column = xt::xtensor<T, 1>::from_shape({rows});
      for (std::size_t i = 0; i < columns; ++i) row(i) = number<T>(i + 3);
      for (std::size_t i = 0; i < rows; ++i) column(i) = number<T>(i + 7);
      auto const [product, twice, sum, both, apart, with_column] = f(a, b, row, column);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          T const x = a(j, i), y = b(i, j);
          wrong += product(i, j) != static_cast<T>(x * y);
          wrong += twice(i, j) != static_cast<T>(x + x * T(2));
          wrong += sum(i, j) != static_cast<T>(y + row(j));
          wrong += both(i, j) != static_cast<T>(row(j) * y + x);
          wrong += apart(i, j) != static_cast<T>((y - column(0)) * x + row(j));
          wrong += with_column(i, j) != static_cast<T>(column(i) * x - y);
        }
      INFO(rows << " x " << columns);
      CHECK(wrong == 0);
    }
}

TEST_CASE("Equal numbers give equal numbers, whichever part of a row they stand in", "[staging]") {
  auto const f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dvector v, kt::dcol c) {
    return std::tuple(a * b + v * c, a * a - b * c, maximum(a, b), minimum(a, v), abs(-a), kt::where((a > b) & (v <= c), a, b), a == b,
                      sqr(a) + sqr(b) - a * b * v);
  });
  for (int k = 1; k < 20; ++k) {
    double const x = 84.4 / k;
    std::size_t const n = 67 + 4 * static_cast<std::size_t>(k % 3);
    xt::xtensor<double, 2> const a(std::array<std::size_t, 2>{6, n}, x), b(std::array<std::size_t, 2>{n, 6}, 1.7 * x);
    xt::xtensor<double, 2> const c(std::array<std::size_t, 2>{6, 1}, 0.3 + x);
    xt::xtensor<double, 1> const v(std::array<std::size_t, 1>{n}, x / 3);
    INFO(x << ", " << n);
    std::apply([](auto const&... y) { CHECK((std::all_of(y.begin(), y.end(), [&](auto e) { return e == y(0, 0); }) && ...)); },
               f(a, xt::transpose(b), v, c));
  }
}

TEST_CASE("Strided and reversed parts, truth values and three axes", "[staging]") {
  auto f = kt::function([](kt::dmatrix a, kt::matrix<bool> take, kt::dtensor3 t, kt::dvector row) {
    auto const turned = kt::dimshuffle<2, 0, 1>(t);
    return std::tuple(a(kt::slice(), kt::slice(kt::none, kt::none, -2)) + 1.0, kt::where(take.T(), a, row), turned * 2.0 + turned,
                      kt::dimshuffle<1, 0, 2>(t) - row(kt::slice(t.shape(2))));
  });
  for (std::size_t const n : {1, 4, 9, 40, 70, 140}) {
    std::size_t const m = 2 * n + 3;
    auto const a = matrix<double>(n, m, 5);
    xt::xtensor<bool, 2> take = xt::xtensor<bool, 2>::from_shape({m, n});
    for (std::size_t i = 0; i < take.size(); ++i) take.flat(i) = i % 3 == 0;
    xt::xtensor<double, 3> t = xt::xtensor<double, 3>::from_shape({3, n, 5});
    for (std::size_t i = 0; i < t.size(); ++i) t.flat(i) = number<double>(i);
    xt::xtensor<double, 1> row = xt::xtensor<double, 1>::from_shape({m});
    for (std::size_t i = 0; i < m; ++i) row(i) = number<double>(i + 1);
    auto const [reversed, chosen, turned, swapped] = f(a, take, t, row);
    REQUIRE(reversed.shape(1) == (m + 1) / 2);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < (m + 1) / 2; ++j) wrong += reversed(i, j) != a(i, m - 1 - 2 * j) + 1;
      for (std::size_t j = 0; j < m; ++j) wrong += chosen(i, j) != (take(j, i) ? a(i, j) : row(j));
    }
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < 5; ++k) {
          wrong += turned(k, i, j) != t(i, j, k) * 3;
          wrong += swapped(j, i, k) != t(i, j, k) - row(k);
        }
    INFO(n);
    CHECK(wrong == 0);
  }
}

TEST_CASE("Rows a little longer than batches", "[staging]") {
  // The last batch of a row takes elements of the one before it along, unless the result lies in an operand.
  auto f = kt::function([](kt::dmatrix a, kt::dvector column) { return a * kt::dimshuffle<0, 'x'>(column) + 1.0; });
  auto g = kt::function([](kt::fmatrix a, kt::fvector column) { return (exp(a) * kt::dimshuffle<0, 'x'>(column)).T() + 1.0f; });
  for (std::size_t n = 1; n < 70; ++n) {
    auto const a = matrix<double>(5, n, n);
    xt::xtensor<double, 1> column = {1, 2, 3, 4, 5};
    xt::xtensor<double, 2> const y = f(a, column);
    xt::xtensor<double, 2> in_place = a;
    f.into(in_place, in_place, column);
    xt::xtensor<float, 2> const b = xt::cast<float>(a) / 100.0f;
    xt::xtensor<float, 2> const z = g(b, xt::xtensor<float, 1>(xt::cast<float>(column)));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double const expected = a(i, j) * column(i) + 1;
        wrong += y(i, j) != expected;
        wrong += in_place(i, j) != expected;
        wrong += !(std::fabs(static_cast<double>(z(j, i)) - (std::exp(static_cast<double>(b(i, j))) * column(i) + 1)) < 1e-5);
      }
    INFO(n);
    CHECK(wrong == 0);
  }
}

TEMPLATE_TEST_CASE("Rows shorter than batches, which are written over the next ones", "[staging]", double, float) {
  using T = TestType;
  // So many that the call takes no direct way, of whole matrices and of parts of wider ones; nothing next to the result changes.
  auto f = kt::function([](kt::matrix<T> a, kt::vector<T> column) { return a * column(kt::slice(), kt::newaxis) - a; });
  auto part = kt::function([](kt::matrix<T> a, kt::vector<T> column) {
    return a(kt::slice(), kt::slice(1, -1)) * column(kt::slice(), kt::newaxis) - T(1);
  });
  auto planes = kt::function([](kt::tensor3<T> a, kt::tensor3<T> b) { return a * b(kt::slice(), kt::slice(), 0)(kt::slice(), kt::slice(), kt::newaxis) + a; });
  for (std::size_t n = 1; n < 20; ++n) {
    for (std::size_t const rows : {1, 2, 5, 2000, 8500}) {
      auto const a = matrix<T>(rows, n, n);
      xt::xtensor<T, 1> column = xt::xtensor<T, 1>::from_shape({rows});
      for (std::size_t i = 0; i < rows; ++i) column(i) = number<T>(i + 3);
      constexpr T guard = T(-7);
      xt::xtensor<T, 2> around(std::array<std::size_t, 2>{rows + 40, n}, guard);
      auto target = xt::view(around, xt::range(std::size_t{20}, rows + 20), xt::all());
      f.into(target, a, column);
      auto in_place = a;
      f.into(in_place, in_place, column);
      auto const inner = part(matrix<T>(rows, n + 2, n), column);
      auto const wide = matrix<T>(rows, n + 2, n);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          T const expected = a(i, j) * column(i) - a(i, j);
          wrong += around(i + 20, j) != expected;
          wrong += in_place(i, j) != expected;
          wrong += inner(i, j) != wide(i, j + 1) * column(i) - 1;
        }
      for (std::size_t i = 0; i < 20; ++i)
        for (std::size_t j = 0; j < n; ++j) wrong += (around(i, j) != guard) + (around(rows + 20 + i, j) != guard);
      INFO(rows << " x " << n);
      CHECK(wrong == 0);
    }
    xt::xtensor<T, 3> a = xt::xtensor<T, 3>::from_shape({7, 500, n}), b = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a.flat(i) = number<T>(i);
      b.flat(i) = number<T>(i + 50);
    }
    auto const y = planes(a, b);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 500; ++j)
        for (std::size_t k = 0; k < n; ++k) wrong += y(i, j, k) != a(i, j, k) * b(i, j, 0) + a(i, j, k);
    INFO(n);
    CHECK(wrong == 0);
  }
}

TEMPLATE_TEST_CASE("Columns of narrow matrices, which end where their memory ends", "[staging]", double, float, std::int16_t, std::complex<float>) {
  using T = TestType;
  auto f = kt::function([](kt::vector<T> a, kt::vector<T> b) { return a * b + b; });
  for (std::size_t width = 1; width < 6; ++width)
    for (std::size_t n = 1; n < 70; ++n) {
      auto const x = matrix<T>(n, width, width);
      for (std::size_t c = 0; c < width; ++c) {
        auto const column = xt::view(x, xt::all(), c), last = xt::view(x, xt::all(), width - 1);
        xt::xtensor<T, 1> const y = f(column, last), wanted = column * last + last;
        INFO(n << " rows, column " << c << " of " << width);
        CHECK((y == wanted));
      }
    }
}
