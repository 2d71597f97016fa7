// Elements of planes: where they stand, and those that positions in their plane name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/indexed.hpp>

namespace kroton::cuda {

/// An element's plane, and its indices on three axes, of which the first ones may be trivial.
struct plane_place {
  std::int64_t plane, at[3];

  KROTON_HOST_DEVICE KROTON_INLINE plane_place(std::int64_t number, std::int64_t depth,
                                               std::int64_t rows, std::int64_t columns) {
    std::int64_t const row = quotient(number, columns), layer = quotient(row, rows);
    plane = quotient(layer, depth);
    at[0] = layer - plane * depth;
    at[1] = row - layer * rows;
    at[2] = number - row * columns;
  }
};

/// Whole planes, and positions in them, which are counted in row-major order. All are contiguous.
struct positions_arguments {
  std::byte* whole = nullptr;
  std::byte* part = nullptr;
  std::int64_t const* positions = nullptr;
  std::int64_t count = 0, of_part = 1, of_whole = 1;  // all of the part; those of a plane
};
/// Element: what becomes of the element of the whole and that of the part. (taken_element)
template <class Element>
struct positions_thread {
  using arguments = positions_arguments;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step)
      Element::run(a.whole, quotient(i, a.of_part) * a.of_whole + a.positions[i], a.part, i);
  }
};

}  // namespace kroton::cuda
