// What tests of functions of small arrays for all rows of large ones share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/rewrite/scalars.hpp"

namespace scalar_tests {

using loop_tests::matrix, loop_tests::vector;

inline matrix numbers(std::size_t rows, std::size_t columns, double from) {
  matrix m(std::array<std::size_t, 2>{rows, columns});
  for (std::size_t i = 0; i < m.size(); ++i)
    m.flat(i) = std::sin(from + 1.7 * static_cast<double>(i)) + from / 4;
  return m;
}
inline xt::xtensor<double, 3> matrices(std::size_t count, double from) {
  return xt::reshape_view(numbers(count, 9, from), std::array<std::size_t, 3>{count, 3, 3});
}
inline constexpr auto first = [](std::size_t n) { return numbers(n, 3, 0.5); };
inline constexpr auto second = [](std::size_t n) { return numbers(n, 3, 2.0); };

inline constexpr auto cross = [](auto a, auto b) {
  return kt::stack(a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0));
};

/// Whether nothing is left that has rows of few elements, but parameters, their columns, and
/// results.
template <class F>
bool computes_along_rows(F const& f) {
  return all_nodes(f, [](kt::graph const& g, int id) {
    bool const computes = g[id].op->elementwise || g[id].op->reduction || g.is<kt::op::dot>(id);
    return !computes || g.type(id).rank <= 1;
  });
}
/// Checks for few rows, one, and none.
template <class F, class... Make>
void check_rows(F const& f, Make... make) {
  for (std::size_t rows : {5u, 1u, 0u}) {
    INFO(rows << " rows");
    check_elements(f, make(rows)...);
  }
}

}  // namespace scalar_tests
