// Windows over planes: which elements each has, and the rows that a row of windows meets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/op/pooling/batches.hpp>
#include <kroton/cpu/simd/written_out.hpp>
#include <kroton/ops/signal/pooling.hpp>

#include <algorithm>
#include <type_traits>

namespace kroton::cpu {

/// One axis of a plane and its windows.
struct pooled_axis {
  std::ptrdiff_t image = 1, windows = 1, window = 1, stride = 1, before = 0, after = 0;

  /// From the first element of the first window to the last of the last one.
  std::ptrdiff_t covered() const { return (windows - 1) * stride + window; }
  /// The elements of the image in window i.
  std::ptrdiff_t begin(std::ptrdiff_t i) const {
    return std::max<std::ptrdiff_t>(i * stride - before, 0);
  }
  std::ptrdiff_t end(std::ptrdiff_t i) const {
    return std::min(i * stride - before + window, image);
  }
  /// How many windows from window i on have all their elements in the image.
  std::ptrdiff_t whole_from(std::ptrdiff_t i) const {
    if (end(i) - begin(i) < window) return 0;
    return std::min(windows - 1, (image - window + before) / stride) + 1 - i;
  }
  /// How many elements window i has, those of the padding included.
  std::ptrdiff_t count(std::ptrdiff_t i) const {
    return std::min(i * stride - before + window, image + after) - (i * stride - before);
  }
};

/// Some rows of windows, one below the other, and the rows of elements that the first one meets:
/// `high` of each of `deep` slices. Those of the next one begin `step` elements later.
struct met_rows {
  std::ptrdiff_t of_windows = 1, step = 0;
  std::ptrdiff_t first = 0;  // the number of the first element
  std::ptrdiff_t deep = 0, high = 0, slice = 0, row = 0;

  /// Visits the number of the first element of each. `High` is how many there are of one slice,
  /// or 0.
  template <int High = 0, class Visit>
  KROTON_INLINE void each(Visit visit) const {
    if constexpr (High > 0) {
      written_out<High>([&](int k) KROTON_INLINE_LAMBDA { visit(first + k * row); });
    } else {
      for (std::ptrdiff_t d = 0; d < deep; ++d)
        for (std::ptrdiff_t h = 0; h < high; ++h) visit(first + d * slice + h * row);
    }
  }
  /// Calls `visit` with the constant that `each` takes: windows of two or three rows are written
  /// out.
  template <class Visit>
  KROTON_INLINE void count_once(Visit visit) const {
    if (deep == 1 && high == 2) visit(std::integral_constant<int, 2>());
    else if (deep == 1 && high == 3) visit(std::integral_constant<int, 3>());
    else visit(std::integral_constant<int, 0>());
  }
};

/// Planes of three axes, of which the first ones may be trivial.
struct pooled_planes {
  std::ptrdiff_t count = 1;
  pooled_axis axes[3];
  bool counts_image_only = false;

  std::ptrdiff_t pixels() const { return axes[0].image * axes[1].image * axes[2].image; }
  std::ptrdiff_t windows() const { return axes[0].windows * axes[1].windows * axes[2].windows; }

  pooled_planes(core::invocation const& call, core::array_ref const& images,
                core::array_ref const& windows, bool averages) {
    int const n = static_cast<int>(call.attribute(0)), leading = images.rank - n;
    for (int d = 0; d < leading; ++d) count *= images.extents[d];
    auto const attribute = [&](int which, int d) {
      return static_cast<std::ptrdiff_t>(call.attribute(1 + which * n + d));
    };
    for (int d = 0; d < n; ++d)
      axes[3 - n + d] = {images.extents[leading + d],
                         windows.extents[leading + d],
                         attribute(0, d),
                         attribute(1, d),
                         attribute(2, d),
                         averages ? attribute(3, d) : 0};
    counts_image_only = averages && call.attribute(1 + 4 * n) != 0;
  }
  /// Visits the rows of windows of a plane, at most so many at once: the position of the first
  /// window, in which slice and row of windows it is, and the rows.
  template <class Visit>
  void each_rows(std::ptrdiff_t at_once, Visit visit) const {
    pooled_axis const &depth = axes[0], &row = axes[1];
    met_rows rows;
    rows.row = axes[2].image;
    rows.slice = row.image * rows.row;
    rows.step = row.stride * rows.row;
    for (std::ptrdiff_t z = 0; z < depth.windows; ++z) {
      rows.deep = std::max<std::ptrdiff_t>(depth.end(z) - depth.begin(z), 0);
      for (std::ptrdiff_t y = 0; y < row.windows; y += rows.of_windows) {
        rows.of_windows = std::clamp<std::ptrdiff_t>(row.whole_from(y), 1, at_once);
        rows.first = depth.begin(z) * rows.slice + row.begin(y) * rows.row;
        rows.high = std::max<std::ptrdiff_t>(row.end(y) - row.begin(y), 0);
        visit((z * row.windows + y) * axes[2].windows, z, y, rows);
      }
    }
  }
  /// How many elements along axis d the sum of window i is divided by.
  std::ptrdiff_t counted(int d, std::ptrdiff_t i) const {
    return counts_image_only ? axes[d].end(i) - axes[d].begin(i) : axes[d].count(i);
  }
};

/// Memory of the thread for rows and copies.
inline kept_memory& memory_of_pooling(int which) {
  static thread_local kept_memory memory[3];
  return memory[which];
}

/// So many rows of windows are computed at a time, at most: what is stored is not read again at
/// once, since a load across two stores would wait for both.
inline constexpr std::ptrdiff_t most_rows_at_once = 8;
/// Rows with what is around them, in memory that stays in the first cache unless one row is longer.
struct pooled_rows {
  std::ptrdiff_t size = 0;  // of a row, read in whole batches of windows from any window on
  std::ptrdiff_t at_once = 1;

  template <class T>
  static pooled_rows of(pooled_planes const& p) {
    constexpr std::ptrdiff_t width = xsimd::batch<T>::size, bytes = 32 << 10;
    pooled_axis const& columns = p.axes[2];
    pooled_rows rows;
    rows.size = std::max(columns.before + columns.image, columns.covered()) + columns.window +
                (std::min(columns.stride, widest_step) + 1) * width;
    std::ptrdiff_t const fit = bytes / (2 * rows.size * static_cast<std::ptrdiff_t>(sizeof(T)));
    rows.at_once = std::clamp<std::ptrdiff_t>(fit, 1, most_rows_at_once);
    return rows;
  }
  /// Fills what is around the images in all rows.
  template <class T>
  void surround(T* rows, pooled_axis const& columns, T value) const {
    for (std::ptrdiff_t k = 0; k < at_once; ++k) {
      T* const row = rows + k * size;
      std::fill_n(row, columns.before, value);
      std::fill(row + columns.before + columns.image, row + size, value);
    }
  }
};

}  // namespace kroton::cpu
