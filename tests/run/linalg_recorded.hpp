// Functions of matrices recorded at run time: what they give, and whether gradients are those of
// differences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime.hpp>

#include "run/linalg.hpp"

namespace linalg_test {

/// An array of run-time rank as a matrix; a vector is a row.
inline mat<double> as_matrix(kt::runtime::array const& x) {
  auto const& shape = x.shape();
  std::size_t const rank = shape.size();
  mat<double> m(std::array<std::size_t, 2>{rank == 2 ? shape[0] : 1, rank > 0 ? shape[rank - 1] : 1});
  kt::runtime::array const numbers = x.cast(kt::element::float64);
  std::copy(numbers.data<double>(), numbers.data<double>() + m.size(), m.data());
  return m;
}
/// What f, which returns terms, makes of a matrix, by the interpreter.
template <class F, class A>
std::vector<mat<double>> made_by(F f, A const& a) {
  kt::runtime::graph g;
  auto const x = g.input<typename A::value_type, 2>("x");
  std::vector<mat<double>> results;
  for (kt::runtime::array const& y : g.function(std::vector<kt::term>{x}, std::vector<kt::term>(f(x)))(a))
    results.push_back(as_matrix(y));
  return results;
}
/// Whether the gradient of a cost of a matrix is that of central differences.
template <class F>
bool has_gradient(F cost, mat<double> a, double e = 1e-6) {
  kt::runtime::graph g;
  auto const x = g.input<double, 2>("x");
  auto const y = cost(x);
  auto const f = g.function(std::vector<kt::term>{x}, std::vector<kt::term>{y, grad(y, x)});
  mat<double> const expected = as_matrix(f(a)[1]);
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const at = a.data()[i], h = 1e-5;
    auto const moved = [&](double to) {
      a.data()[i] = to;
      return as_matrix(f(a)[0])(0, 0);
    };
    double const slope = (moved(at + h) - moved(at - h)) / (2 * h);
    a.data()[i] = at;
    if (!(std::abs(slope - expected.data()[i]) <= e * (1 + std::abs(slope)))) return false;
  }
  return true;
}
/// Something that weighs every element differently, so that no gradient is lost in a sum.
inline constexpr auto weighed = [](auto x) {
  auto const rows = kt::cast<double>(arange(x.shape(0)));
  if constexpr (kt::rank_of<decltype(x)> == 1) return sum(x * sin(rows + 1));
  else
    return sum(x * sin(rows(kt::slice(), kt::newaxis) + 1) * cos(2.0 * kt::cast<double>(arange(x.shape(1))) + x));
};

}  // namespace linalg_test
