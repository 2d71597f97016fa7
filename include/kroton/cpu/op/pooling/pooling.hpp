// Pooling: windows over planes, row by row, then along the rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/pooling/averages.hpp>
#include <kroton/cpu/op/pooling/largest.hpp>

namespace kroton::cpu {

template <>
struct kernel<op::max_pool> {
  template <class T>
    requires(std::is_arithmetic_v<T>)
  static void run(core::invocation const& call) {
    pooled_planes const p(call, call.operand(0), call.result(), false);
    if (p.count * p.windows() == 0) return;
    T const* const x = packed<T>(call.operand(0), memory_of_pooling(0));
    T* const out = reinterpret_cast<T*>(call.result().data);
    auto* const places = reinterpret_cast<std::int64_t*>(call.result(1).data);
    if constexpr (std::is_floating_point_v<T>)
      if (largest_of_windows<T, true>::fits(p))
        return places != nullptr ? find<true>(p, x, out, places) : find<false>(p, x, out, places);
    each_rows(p, p.axes[1].windows,
              [&](std::ptrdiff_t plane, std::ptrdiff_t to, met_rows const& rows) {
                find_one_by_one(p.axes[2], x + plane * p.pixels(), rows, out + to,
                                places != nullptr ? places + to : nullptr);
              });
  }

  /// Of all planes, in the order of their elements.
  template <class Visit>
  static void each_rows(pooled_planes const& p, std::ptrdiff_t at_once, Visit visit) {
    for (std::ptrdiff_t plane = 0; plane < p.count; ++plane)
      p.each_rows(at_once,
                  [&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t, met_rows const& rows) {
                    visit(plane, plane * p.windows() + first, rows);
                  });
  }
  template <bool Places, class T>
  static void find(pooled_planes const& p, T const* x, T* out, std::int64_t* places) {
    largest_of_windows<T, Places> const largest(p, x + p.count * p.pixels(),
                                                out + p.count * p.windows());
    each_rows(p, largest.rows_at_once(),
              [&](std::ptrdiff_t plane, std::ptrdiff_t to, met_rows const& rows) {
                largest.find(x + plane * p.pixels(), rows, out + to,
                             Places ? places + to : nullptr);
              });
  }
};

template <>
struct kernel<op::avg_pool> {
  template <class T>
    requires(std::is_floating_point_v<T>)
  static void run(core::invocation const& call) {
    pooled_planes const p(call, call.operand(0), call.result(), true);
    if (p.count * p.windows() == 0) return;
    T const* const x = packed<T>(call.operand(0), memory_of_pooling(0));
    T* const out = reinterpret_cast<T*>(call.result().data);
    sums_of_windows<T> const sums(p, x + p.count * p.pixels(), out + p.count * p.windows());
    for (std::ptrdiff_t plane = 0; plane < p.count; ++plane)
      p.each_rows(sums.rows_at_once(), [&](std::ptrdiff_t first, std::ptrdiff_t z, std::ptrdiff_t y,
                                           met_rows const& rows) {
        sums.average(x + plane * p.pixels(), rows, z, y, out + plane * p.windows() + first);
      });
  }
};

template <>
struct kernel<op::spread_windows> {
  template <class T>
    requires(std::is_floating_point_v<T>)
  static void run(core::invocation const& call) {
    pooled_planes const p(call, call.result(), call.operand(0), true);
    if (p.count * p.pixels() == 0) return;
    T* const out = reinterpret_cast<T*>(call.result().data);
    T const* const g = packed<T>(call.operand(0), memory_of_pooling(0));
    sums_of_windows<T> const sums(p, nullptr, nullptr);
    for (std::ptrdiff_t plane = 0; plane < p.count; ++plane) {
      std::fill_n(out + plane * p.pixels(), p.pixels(), T(0));
      p.each_rows(
          1, [&](std::ptrdiff_t first, std::ptrdiff_t z, std::ptrdiff_t y, met_rows const& rows) {
            sums.spread(g + plane * p.windows() + first, z, y, rows, out + plane * p.pixels());
          });
    }
  }
};

/// The planes of arrays with the same leading axes.
struct plane_pair {
  std::ptrdiff_t count = 1, first = 1, second = 1;

  plane_pair(core::invocation const& call, core::array_ref const& a, core::array_ref const& b) {
    int const leading = a.rank - static_cast<int>(call.attribute(0));
    for (int d = 0; d < a.rank; ++d) {
      (d < leading ? count : first) *= a.extents[d];
      if (d >= leading) second *= b.extents[d];
    }
  }
};

template <>
struct kernel<op::take_in_planes> {
  template <class T>
  static void run(core::invocation const& call) {
    plane_pair const planes(call, call.operand(0), call.operand(1));
    if (planes.count * planes.second == 0) return;
    T const* const x = packed<T>(call.operand(0), memory_of_pooling(0));
    auto const* const at = packed<std::int64_t>(call.operand(1), memory_of_pooling(1));
    T* const out = reinterpret_cast<T*>(call.result().data);
    for (std::ptrdiff_t p = 0; p < planes.count; ++p)
      for (std::ptrdiff_t i = p * planes.second; i < (p + 1) * planes.second; ++i)
        out[i] = x[p * planes.first + at[i]];
  }
};

template <>
struct kernel<op::add_in_planes> {
  template <class T>
    requires(std::is_floating_point_v<T> || core::is_complex_number<T>)
  static void run(core::invocation const& call) {
    plane_pair const planes(call, call.operand(0), call.result());
    T* const out = reinterpret_cast<T*>(call.result().data);
    T const* const g = packed<T>(call.operand(0), memory_of_pooling(0));
    auto const* const at = packed<std::int64_t>(call.operand(1), memory_of_pooling(1));
    for (std::ptrdiff_t p = 0; p < planes.count; ++p) {
      std::fill_n(out + p * planes.second, planes.second, T(0));
      for (std::ptrdiff_t i = p * planes.first; i < (p + 1) * planes.first; ++i)
        out[p * planes.second + at[i]] += g[i];
    }
  }
};

}  // namespace kroton::cpu
