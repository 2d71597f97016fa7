// Matrices for contests, and what views them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "python.hpp"

#include <xtensor/xtensor.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#if defined(BENCH_EIGEN)
#include <Eigen/Core>
#endif

namespace bench {

template <class T>
using matrix = xt::xtensor<T, 2>;

/// As NumPy says it.
template <class T>
constexpr char const* type_name = sizeof(T) == 8 ? "float64" : "float32";

/// Numbers that are not all alike, around 1/2 so that sums do not cancel.
template <class Array>
void fill(Array& x, double scale = 1) {
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = static_cast<typename Array::value_type>(0.5 + scale * std::sin(static_cast<double>(i)));
}

/// Contests on matrices of some extents: `prepare(contest, matrix, python)` adds the contestants and measures.
template <class T, class Prepare>
void of_matrices(program& p, std::string const& name, std::vector<std::array<std::size_t, 2>> const& extents, Prepare prepare) {
  for (auto const& [rows, columns] : extents) {
    contest c(p, name + ", " + type_name<T>, nanoseconds("an element"), std::to_string(rows) + " x " + std::to_string(columns),
              static_cast<double>(rows * columns));
    if (!c) continue;
    matrix<T> x = matrix<T>::from_shape({rows, columns});
    fill(x, 3);
    c.tolerance(sizeof(T) == 8 ? 1e-11 : 1e-4);
    python python;
    if (python::available()) python.array("x", x);
    prepare(c, x, python);
  }
}

#if defined(BENCH_EIGEN)
/// Eigen's view of a matrix in rows, and of a vector as a row.
template <class T>
auto eigen_map(matrix<T>& x) {
  return Eigen::Map<Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      x.data(), static_cast<Eigen::Index>(x.shape(0)), static_cast<Eigen::Index>(x.shape(1)));
}
template <class T>
auto eigen_map(xt::xtensor<T, 1>& x) {
  return Eigen::Map<Eigen::Array<T, 1, Eigen::Dynamic>>(x.data(), static_cast<Eigen::Index>(x.size()));
}
#endif

}  // namespace bench
