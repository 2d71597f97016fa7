// Lines of arrays along one axis, in panels of lines that lie side by side in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/cpu/machine.hpp>

namespace kroton::cpu {

/// Some lines of N arrays: where they begin, and the strides along a line and from one line to the
/// next.
template <std::size_t N>
struct panel {
  // What an op keeps for each line of a panel fits into registers or the first cache.
  static constexpr int widest = cpu::machine::max_panel_lines;
  std::ptrdiff_t begin[N], along[N], across[N];
  std::ptrdiff_t width;

  std::ptrdiff_t at(std::size_t array, std::ptrdiff_t i, std::ptrdiff_t line) const {
    return begin[array] + i * along[array] + line * across[array];
  }
};

/// The array with one more axis, of extent 1.
inline array_ref with_axis(array_ref const& a, int axis) {
  array_ref b = a;
  b.rank = a.rank + 1;
  for (int d = b.rank - 1; d > axis; --d) {
    b.extents[d] = a.extents[d - 1];
    b.strides[d] = a.strides[d - 1];
  }
  b.extents[axis] = 1;
  b.strides[axis] = 0;
  return b;
}

/// Calls visit(panel) until every line along `axis` was visited once. The arrays have one rank, and
/// the extents of the first but along the axis.
template <std::size_t N, class Visit>
void for_each_panel(array_ref const* const (&arrays)[N], int axis, Visit visit) {
  array_ref const& first = *arrays[0];
  // Along the last axis lines lie behind each other; short ones are taken together all the same,
  // since a panel takes as long as some elements.
  constexpr std::ptrdiff_t short_line = 24;
  bool const side_by_side =
      axis + 1 < first.rank || (axis > 0 && first.extents[axis] <= short_line);
  int const inner = axis + 1 < first.rank ? first.rank - 1 : axis - 1;
  std::ptrdiff_t index[max_rank]{};
  for (int d = 0; d < first.rank; ++d)
    if (d != axis && first.extents[d] == 0) return;
  for (;;) {
    panel<N> p{};
    p.width = !side_by_side ? 1 : first.extents[inner] - index[inner];
    if (p.width > panel<N>::widest) p.width = panel<N>::widest;
    for (std::size_t k = 0; k < N; ++k) {
      for (int d = 0; d < first.rank; ++d)
        if (d != axis) p.begin[k] += index[d] * arrays[k]->strides[d];
      p.along[k] = arrays[k]->strides[axis];
      if (side_by_side) p.across[k] = arrays[k]->strides[inner];
    }
    visit(p);
    int d = first.rank - 1;
    for (; d >= 0; --d) {
      if (d == axis) continue;
      index[d] += d == inner ? p.width : 1;
      if (index[d] < first.extents[d]) break;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace kroton::cpu
