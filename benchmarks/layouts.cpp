// Matrices beside rows and columns, transposed, narrow and wide, reduced and searched, against plain loops that the compiler makes
// vectors of.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/matrices.hpp"

#include <kroton/kroton.hpp>

#include <algorithm>
#include <cstdint>

namespace kt = kroton;

namespace {

template <class T>
using vec = xt::xtensor<T, 1>;
using bench::fill, bench::matrix, bench::of_matrices;
#if defined(BENCH_EIGEN)
using bench::eigen_map;
template <class T>
using eigen_column = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
eigen_column<T> column_map(vec<T>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}
#endif

/// y(i, j) = f(i, j) of dense rows.
template <class T, class F>
void each(matrix<T>& y, F f) {
  std::size_t const rows = y.shape(0), columns = y.shape(1);
  T* __restrict to = y.data();
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) to[i * columns + j] = f(i, j);
}
template <class T>
vec<T> filled(std::size_t n) {
  vec<T> v = vec<T>::from_shape({n});
  fill(v, 2);
  return v;
}

template <class T>
void layouts(bench::program& p) {
  using M = kt::matrix<T>;
  using V = kt::vector<T>;
  std::vector<std::array<std::size_t, 2>> const extents{{100, 100}, {1000, 1000}, {10000, 3}, {10000, 7}, {10000, 30}, {7, 10000}};
  of_matrices<T>(p, "m + row", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    matrix<T> y = x;
    auto v = filled<T>(x.shape(1));
    auto f = kt::function([](M m, V row) { return m + row; });
    c.output(y);
    c.add("a plain loop",
          [&] { each(y, [columns = x.shape(1), m = x.data(), r = v.data()](auto i, auto j) { return m[i * columns + j] + r[j]; }); });
    c.add("Kroton", [&] { f.into(y, x, v); });
#if defined(BENCH_EIGEN)
    c.add("Eigen", [ex = eigen_map(x), ey = eigen_map(y), ev = eigen_map(v)]() mutable { ey = ex.rowwise() + ev; });
#endif
    if (bench::python::available()) {
      python.array("y", y);
      python.array("v", v);
      c.add("NumPy", python.loop("np.add(x, v, out=y)"));
    }
    c.measure();
  });
  of_matrices<T>(p, "m * column", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    matrix<T> y = x;
    auto v = filled<T>(x.shape(0));
    auto f = kt::function([](M m, V column) { return m * column(kt::slice(), kt::newaxis); });
    c.output(y);
    c.add("a plain loop",
          [&] { each(y, [columns = x.shape(1), m = x.data(), w = v.data()](auto i, auto j) { return m[i * columns + j] * w[i]; }); });
    c.add("Kroton", [&] { f.into(y, x, v); });
#if defined(BENCH_EIGEN)
    c.add("Eigen", [ex = eigen_map(x), ey = eigen_map(y), ev = column_map(v)]() mutable { ey = ex.colwise() * ev; });
#endif
    if (bench::python::available()) {
      python.array("y", y);
      python.array("v", v);
      c.add("NumPy", python.loop("np.multiply(x, v[:, None], out=y)"));
    }
    c.measure();
  });
  of_matrices<T>(p, "m' + 0.5", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    matrix<T> y = matrix<T>::from_shape({x.shape(1), x.shape(0)});
    auto f = kt::function([](M m) { return m.T() + T(0.5); });
    c.output(y);
    c.add("a plain loop", [&] { each(y, [columns = x.shape(1), m = x.data()](auto i, auto j) { return m[j * columns + i] + T(0.5); }); });
    c.add("Kroton", [&] { f.into(y, x); });
#if defined(BENCH_EIGEN)
    c.add("Eigen", [ex = eigen_map(x), ey = eigen_map(y)]() mutable { ey = ex.transpose() + T(0.5); });
#endif
    if (bench::python::available()) {
      python.array("y", y);
      c.add("NumPy", python.loop("np.add(x.T, x.dtype.type(0.5), out=y)"));
    }
    c.measure();
  });
  of_matrices<T>(p, "m - means of columns", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    matrix<T> y = x;
    vec<T> means = vec<T>::from_shape({x.shape(1)});
    auto f = kt::function([](M m) { return m - mean(m, kt::axis<0>); });
    c.output(y);
    c.add("a plain loop", [&] {
      std::size_t const rows = x.shape(0), columns = x.shape(1);
      T* __restrict to = means.data();
      T const* const m = x.data();
      std::fill(to, to + columns, T(0));
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) to[j] += m[i * columns + j];
      for (std::size_t j = 0; j < columns; ++j) to[j] /= static_cast<T>(rows);
      each(y, [columns, m, r = means.data()](auto i, auto j) { return m[i * columns + j] - r[j]; });
    });
    c.add("Kroton", [&] { f.into(y, x); });
#if defined(BENCH_EIGEN)
    c.add("Eigen", [ex = eigen_map(x), ey = eigen_map(y)]() mutable { ey = ex.rowwise() - ex.colwise().mean().eval(); });
#endif
    if (bench::python::available()) {
      python.array("y", y);
      c.add("NumPy", python.loop("np.subtract(x, x.mean(axis=0), out=y)"));
    }
    c.measure();
  });
  of_matrices<T>(p, "largest of a row", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    vec<T> y = vec<T>::from_shape({x.shape(0)});
    auto f = kt::function([](M m) { return max(m, kt::axis<1>); });
    c.output(y);
    c.add("a plain loop", [&] {
      for (std::size_t i = 0; i < x.shape(0); ++i) {
        T const* const row = x.data() + i * x.shape(1);
        T most = row[0];
        for (std::size_t j = 1; j < x.shape(1); ++j) most = most > row[j] ? most : row[j];
        y(i) = most;
      }
    });
    c.add("Kroton", [&] { f.into(y, x); });
#if defined(BENCH_EIGEN)
    c.add("Eigen", [ex = eigen_map(x), ey = column_map(y)]() mutable { ey = ex.rowwise().maxCoeff(); });
#endif
    if (bench::python::available()) {
      python.array("y", y);
      c.add("NumPy", python.loop("x.max(axis=1, out=y)"));
    }
    c.measure();
  });
  of_matrices<T>(p, "where a row's largest stands", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    vec<std::int64_t> y = vec<std::int64_t>::from_shape({x.shape(0)}), own = y;
    auto f = kt::function([](M m) { return argmax(m, kt::axis<1>); });
    c.add(
        "a plain loop",
        [&] {
          for (std::size_t i = 0; i < x.shape(0); ++i) {
            T const* const row = x.data() + i * x.shape(1);
            std::size_t found = 0;
            for (std::size_t j = 1; j < x.shape(1); ++j)
              if (row[j] > row[found]) found = j;
            own(i) = static_cast<std::int64_t>(found);
          }
        },
        own);
    c.add("Kroton", [&] { f.into(y, x); }, y);
    if (bench::python::available()) {
      python.run("at = np.zeros(x.shape[0], np.int64)");
      c.add("NumPy", python.loop("np.argmax(x, axis=1, out=at)"), [&] { return python.values("at"); });
    }
    c.measure();
  });
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("layouts", "layouts: matrices beside rows and columns, transposed, narrow, reduced and searched", argc, argv);
  layouts<double>(p);
  layouts<float>(p);
  return p.finish();
}
