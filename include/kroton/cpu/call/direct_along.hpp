// Elements picked along the rows of matrices in a direct call, and added back: labels of a
// cross-entropy and their gradient.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct_arrays.hpp>
#include <kroton/cpu/op/along_axis.hpp>
#include <kroton/ops/along_axis.hpp>

namespace kroton::core {

/// The steps of take_along_axis and add_along_axis on matrices, along the last axis.
template <class Program>
class direct_along {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  /// A matrix in memory: its elements by row and column.
  template <class T>
  struct matrix {
    T* data;
    std::ptrdiff_t to_row, to_column, rows, columns;
    T& operator()(std::ptrdiff_t i, std::ptrdiff_t j) const {
      return data[i * to_row + j * to_column];
    }
  };
  template <int V, class T = value_t<tables::value(V).type>>
  static KROTON_INLINE matrix<T> matrix_of(state const& s) {
    constexpr value_info v = tables::value(V);
    return {reinterpret_cast<T*>(s.data[V]), s.template stride<V, 0>(), s.template stride<V, 1>(),
            s.extents[v.extents[0]], s.extents[v.extents[1]]};
  }

 public:
  template <int S>
  static KROTON_INLINE void take(state& s) {
    auto const from = matrix_of<tables::operand(S, 0)>(s);
    auto const at = matrix_of<tables::operand(S, 1)>(s);
    auto const to = matrix_of<tables::result(S, 0)>(s);
    for (std::ptrdiff_t i = 0; i < to.rows; ++i)
      for (std::ptrdiff_t j = 0; j < to.columns; ++j)
        to(i, j) =
            from(i, cpu::checked_position(at(i, j), from.columns, op::take_along_axis::name));
  }
  template <int S>
  static KROTON_INLINE void add(state& s) {
    auto const old = matrix_of<tables::operand(S, 0)>(s);
    auto const added = matrix_of<tables::operand(S, 1)>(s);
    auto const at = matrix_of<tables::operand(S, 2)>(s);
    auto const to = matrix_of<tables::result(S, 0)>(s);
    auto const position = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
      return cpu::checked_position(at(i, j), to.columns, op::take_along_axis::name);
    };
    for (std::ptrdiff_t i = 0; i < at.rows; ++i)
      for (std::ptrdiff_t j = 0; j < at.columns; ++j) (void)position(i, j);
    for (std::ptrdiff_t i = 0; old.data != to.data && i < to.rows; ++i)
      for (std::ptrdiff_t j = 0; j < to.columns; ++j) to(i, j) = old(i, j);
    for (std::ptrdiff_t i = 0; i < at.rows; ++i)
      for (std::ptrdiff_t j = 0; j < at.columns; ++j) to(i, position(i, j)) += added(i, j);
  }
};

}  // namespace kroton::core
