// Matrices next to rows and columns, transposed, narrow and wide, reduced and searched, against plain loops that the compiler makes
// vectors of.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/matrices.hpp"

#include <kroton/kroton.hpp>

#include <algorithm>
#include <cstdint>

namespace kt = kroton;

namespace {

using bench::matrix;
template <class T>
using vec = xt::xtensor<T, 1>;

/// Stands for a program that is not there.
constexpr auto none = nullptr;

/// A matrix, and a number for each of its columns and of its rows.
template <class T>
struct operands {
  matrix<T> const& x;
  vec<T> row, column;
};
/// The same as addresses, for loops.
template <class T>
struct addresses {
  T const *x, *row, *column;
  std::size_t rows, columns;
};

/// y(i, j) = f(i, j) of dense rows.
template <class T, class F>
void each(T* __restrict y, std::size_t rows, std::size_t columns, F f) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) y[i * columns + j] = f(i, j);
}

#if defined(BENCH_EIGEN)
/// What Eigen sees of them, and of the result.
template <class T>
struct eigen_maps {
  using array = decltype(bench::eigen_map(std::declval<matrix<T>&>()));
  using numbers = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
  array x;
  numbers row, column;
};
template <class T>
auto column_map(vec<T>& v) {
  return Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>(v.data(), static_cast<Eigen::Index>(v.size()));
}
template <class T>
auto result_map(matrix<T>& y) {
  return bench::eigen_map(y);
}
template <class T>
auto result_map(vec<T>& y) {
  return column_map(y);
}
#endif

/// One formula of matrices of several extents, as each contestant writes it; `result_of` gives the array for the results.
template <class T, class Result, class Loop, class Kroton, class Eigenish>
void formula(bench::program& p, std::string const& name, std::string const& numpy, Result result_of, Loop loop, Kroton f,
             [[maybe_unused]] Eigenish eigen) {
  std::vector<std::array<std::size_t, 2>> const extents{{100, 100}, {1000, 1000}, {10000, 3}, {10000, 7}, {10000, 30}, {7, 10000}};
  bench::of_matrices<T>(p, name, extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    operands<T> o{x, vec<T>::from_shape({x.shape(1)}), vec<T>::from_shape({x.shape(0)})};
    bench::fill(o.row, 2);
    bench::fill(o.column, 2);
    auto y = result_of(x);
    c.output(y);
    addresses<T> const a{x.data(), o.row.data(), o.column.data(), x.shape(0), x.shape(1)};
    c.add("a plain loop", [&loop, a, to = y.data()] { loop(to, a); });
    c.add("Kroton", [&] { f(y, o); });
#if defined(BENCH_EIGEN)
    if constexpr (!std::is_same_v<Eigenish, std::nullptr_t>)
      c.add("Eigen", [=, maps = eigen_maps<T>{bench::eigen_map(x), column_map(o.row), column_map(o.column)},
                      ey = result_map(y)]() mutable { eigen(ey, maps); });
#endif
    if (bench::python::available()) {
      python.array("y", y);
      python.array("row", o.row);
      python.array("column", o.column);
      c.add("NumPy", python.loop(numpy));
    }
    c.measure();
  });
}

template <class T>
void formulas(bench::program& p) {
  using M = kt::matrix<T>;
  using V = kt::vector<T>;
  auto const as_it_is = [](matrix<T> const& x) { return x; };
  auto const transposed = [](matrix<T> const& x) { return matrix<T>::from_shape({x.shape(1), x.shape(0)}); };
  auto const one_a_row = []<class E>(std::type_identity<E>) {
    return [](matrix<T> const& x) { return vec<E>::from_shape({x.shape(0)}); };
  };

  formula<T>(
      p, "m + row", "np.add(x, row, out=y)", as_it_is,
      [](T* y, auto const& a) { each(y, a.rows, a.columns, [a](auto i, auto j) { return a.x[i * a.columns + j] + a.row[j]; }); },
      [f = kt::function([](M m, V row) { return m + row; })](auto& y, auto& o) mutable { f.into(y, o.x, o.row); },
      [](auto& y, auto& m) { y = m.x.rowwise() + m.row.transpose(); });
  formula<T>(
      p, "m * column", "np.multiply(x, column[:, None], out=y)", as_it_is,
      [](T* y, auto const& a) { each(y, a.rows, a.columns, [a](auto i, auto j) { return a.x[i * a.columns + j] * a.column[i]; }); },
      [f = kt::function([](M m, V column) { return m * column(kt::slice(), kt::newaxis); })](auto& y, auto& o) mutable {
        f.into(y, o.x, o.column);
      },
      [](auto& y, auto& m) { y = m.x.colwise() * m.column; });
  formula<T>(
      p, "m' + 0.5", "np.add(x.T, x.dtype.type(0.5), out=y)", transposed,
      [](T* y, auto const& a) { each(y, a.columns, a.rows, [a](auto i, auto j) { return a.x[j * a.columns + i] + T(0.5); }); },
      [f = kt::function([](M m) { return m.T() + T(0.5); })](auto& y, auto& o) mutable { f.into(y, o.x); },
      [](auto& y, auto& m) { y = m.x.transpose() + T(0.5); });
  formula<T>(
      p, "m - means of columns", "np.subtract(x, x.mean(axis=0), out=y)", as_it_is,
      [means = std::vector<T>()](T* y, auto const& a) mutable {
        means.assign(a.columns, T(0));
        T* __restrict const to = means.data();
        for (std::size_t i = 0; i < a.rows; ++i)
          for (std::size_t j = 0; j < a.columns; ++j) to[j] += a.x[i * a.columns + j];
        for (std::size_t j = 0; j < a.columns; ++j) to[j] /= static_cast<T>(a.rows);
        each(y, a.rows, a.columns, [a, to](auto i, auto j) { return a.x[i * a.columns + j] - to[j]; });
      },
      [f = kt::function([](M m) { return m - mean(m, kt::axis<0>); })](auto& y, auto& o) mutable { f.into(y, o.x); },
      [](auto& y, auto& m) { y = m.x.rowwise() - m.x.colwise().mean().eval(); });
  formula<T>(
      p, "largest of a row", "x.max(axis=1, out=y)", one_a_row(std::type_identity<T>{}),
      [](T* y, auto const& a) {
        for (std::size_t i = 0; i < a.rows; ++i) {
          T const* const row = a.x + i * a.columns;
          T most = row[0];
          for (std::size_t j = 1; j < a.columns; ++j) most = most > row[j] ? most : row[j];
          y[i] = most;
        }
      },
      [f = kt::function([](M m) { return max(m, kt::axis<1>); })](auto& y, auto& o) mutable { f.into(y, o.x); },
      [](auto& y, auto& m) { y = m.x.rowwise().maxCoeff(); });
  formula<T>(
      p, "where a row's largest stands", "np.argmax(x, axis=1, out=y)", one_a_row(std::type_identity<std::int64_t>{}),
      [](std::int64_t* y, auto const& a) {
        for (std::size_t i = 0; i < a.rows; ++i) {
          T const* const row = a.x + i * a.columns;
          std::size_t found = 0;
          for (std::size_t j = 1; j < a.columns; ++j)
            if (row[j] > row[found]) found = j;
          y[i] = static_cast<std::int64_t>(found);
        }
      },
      [f = kt::function([](M m) { return argmax(m, kt::axis<1>); })](auto& y, auto& o) mutable { f.into(y, o.x); }, none);
  formula<T>(
      p, "sums along a row", "np.cumsum(x, axis=1, out=y)", as_it_is,
      [](T* __restrict y, auto const& a) {
        for (std::size_t i = 0; i < a.rows; ++i) {
          double sum = 0;
          for (std::size_t j = 0; j < a.columns; ++j) y[i * a.columns + j] = static_cast<T>(sum += a.x[i * a.columns + j]);
        }
      },
      [f = kt::function([](M m) { return cumsum(m, kt::axis<1>); })](auto& y, auto& o) mutable { f.into(y, o.x); }, none);
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("layouts", "layouts: matrices next to rows and columns, transposed, narrow, reduced and searched", argc, argv,
                   "a plain loop");
  formulas<double>(p);
  formulas<float>(p);
  return p.finish();
}
