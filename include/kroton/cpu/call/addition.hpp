// Adds an array to another one, both of any strides.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/machine.hpp>
#include <kroton/ops/elementwise/wrapping.hpp>

#include <cstddef>
#include <utility>

namespace kroton::cpu {

/// Adds `count` elements, `ts` and `fs` elements apart.
template <class T>
void add_row(T* to, std::ptrdiff_t ts, T const* from, std::ptrdiff_t fs, std::ptrdiff_t count) {
  if (ts == 1 && fs == 1)
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = plus(to[i], from[i]);
  else
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i * ts] = plus(to[i * ts], from[i * fs]);
}

/// Adds the elements of an array to those of another of the same extents, none of which lies in the
/// place of another: along long axes where the last one is short.
template <class T>
void add_array(array_ref const& to, array_ref const& from) {
  if (to.size() == 0) return;
  core::copied_axes axes(to, from);
  auto& axis = axes.axis;
  int const last = axes.rank - 1;
  if (last > 0 && axis[last].extent < machine::min_added_row &&
      axis[last].extent < axis[last - 1].extent)
    std::swap(axis[last], axis[last - 1]);
  auto const add = [&](auto const& again, int d, T* t, T const* f) -> void {
    if (d >= last) {
      core::copied_axis const row = last < 0 ? core::copied_axis{1, 1, 1} : axis[last];
      add_row(t, row.to, f, row.from, row.extent);
    } else {
      for (std::ptrdiff_t i = 0; i < axis[d].extent; ++i)
        again(again, d + 1, t + i * axis[d].to, f + i * axis[d].from);
    }
  };
  add(add, 0, reinterpret_cast<T*>(to.data), reinterpret_cast<T const*>(from.data));
}

}  // namespace kroton::cpu
