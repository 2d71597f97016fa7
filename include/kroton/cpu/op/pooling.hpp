// Pooling: windows over planes, row by row, then along the rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/geometry.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/ops/signal/pooling.hpp>

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

namespace kroton::cpu {

/// One axis of a plane and its windows.
struct pooled_axis {
  std::ptrdiff_t image = 1, windows = 1, window = 1, stride = 1, before = 0, after = 0;

  /// The elements of the image in window i.
  std::ptrdiff_t begin(std::ptrdiff_t i) const {
    return std::max<std::ptrdiff_t>(i * stride - before, 0);
  }
  std::ptrdiff_t end(std::ptrdiff_t i) const {
    return std::min(i * stride - before + window, image);
  }
  /// How many elements window i has, those of the padding included.
  std::ptrdiff_t count(std::ptrdiff_t i) const {
    return std::min(i * stride - before + window, image + after) - (i * stride - before);
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
  /// Visits the rows of windows of a plane: the position of the first one, and the rows of elements
  /// that they meet, as `rows(visit)` with the number of the first element of each.
  template <class Visit>
  void each_row(Visit visit) const {
    pooled_axis const &depth = axes[0], &row = axes[1];
    for (std::ptrdiff_t z = 0; z < depth.windows; ++z)
      for (std::ptrdiff_t y = 0; y < row.windows; ++y)
        visit((z * row.windows + y) * axes[2].windows, z, y, [&](auto const& each) {
          for (std::ptrdiff_t k = depth.begin(z); k < depth.end(z); ++k)
            for (std::ptrdiff_t i = row.begin(y); i < row.end(y); ++i)
              each((k * row.image + i) * axes[2].image);
        });
  }
  /// What the sum of a window is divided by.
  std::ptrdiff_t divisor(std::ptrdiff_t z, std::ptrdiff_t y, std::ptrdiff_t x) const {
    std::ptrdiff_t const at[] = {z, y, x};
    std::ptrdiff_t product = 1;
    for (int d = 0; d < 3; ++d)
      product *=
          counts_image_only ? axes[d].end(at[d]) - axes[d].begin(at[d]) : axes[d].count(at[d]);
    return product;
  }
};

/// Memory of the thread for rows and copies.
inline kept_memory& memory_of_pooling(int which) {
  static thread_local kept_memory memory[3];
  return memory[which];
}

/// Whether v is the larger one: NaN is larger than all numbers.
template <class T>
bool is_larger(T v, T than) {
  if constexpr (std::is_floating_point_v<T>) return v > than || (v != v && than == than);
  else return v > than;
}
template <class T>
bool is_as_large(T v, T as) {
  if constexpr (std::is_floating_point_v<T>) return v == as || (v != v && as != as);
  else return v == as;
}

/// The largest elements of windows in some rows, and where they are: first of each column, then of
/// neighbouring columns. Places are counted in the type of the elements, row after row.
template <class T>
class largest_of_windows {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);

 public:
  /// Whether places are counted exactly.
  static bool fits(pooled_planes const& p) {
    return p.axes[0].window * p.axes[1].window * p.axes[2].image <= 1 << 24;
  }
  explicit largest_of_windows(pooled_axis const& columns)
      : columns_(columns),
        best_(memory_of_pooling(1).room<T>(2 * (columns.image + columns.window) + 4 * width)),
        places_(memory_of_pooling(2).room<T>(2 * (columns.image + columns.window) + 4 * width)) {}

  void start() { rows_.clear(); }
  void take(std::ptrdiff_t first) { rows_.push_back(first); }
  /// Writes the largest elements of all windows in the rows of a plane that were taken.
  template <bool Places>
  void find(T const* plane, T* out, std::int64_t* places) {
    bool numbers = true;
    std::ptrdiff_t j = 0;
    for (; j + width <= columns_.image; j += width) numbers &= of_columns<Places>(plane, j);
    if (j < columns_.image) {
      if (columns_.image >= width) numbers &= of_columns<Places>(plane, columns_.image - width);
      else
        for (; j < columns_.image; ++j) numbers &= of_column<Places>(plane, j);
    }
    std::ptrdiff_t const offset = columns_.image + columns_.window + 2 * width;
    std::ptrdiff_t const most = columns_.image - columns_.window;
    if (numbers)
      for (std::ptrdiff_t i = 0; i <= most; i += width) of_neighbours<Places>(i, offset);
    for (std::ptrdiff_t i = 0; i < columns_.windows; ++i) {
      std::ptrdiff_t const begin = columns_.begin(i), end = columns_.end(i);
      std::ptrdiff_t at = offset + begin;
      if (!numbers || end - begin < columns_.window) at = one_by_one(begin, end);
      out[i] = best_[at];
      if constexpr (Places) places[i] = place(static_cast<std::ptrdiff_t>(places_[at]));
    }
  }

 private:
  // Whether all are numbers.
  template <bool Places>
  bool of_columns(T const* plane, std::ptrdiff_t j) {
    T const* const from = plane + j;
    B best = B::load_unaligned(from + rows_[0]), row(T(0));
    auto numbers = best == best;
    for (std::size_t k = 1; k < rows_.size(); ++k) {
      B const v = B::load_unaligned(from + rows_[k]);
      auto const takes = (!(v <= best)) & (best == best);
      numbers = numbers & (v == v);
      best = xsimd::select(takes, v, best);
      if constexpr (Places) row = xsimd::select(takes, B(static_cast<T>(k)), row);
    }
    best.store_unaligned(best_ + j);
    if constexpr (Places) {
      B const first = B::load_unaligned(counted()) + B(static_cast<T>(j));
      xsimd::fma(row, B(static_cast<T>(columns_.image)), first).store_unaligned(places_ + j);
    }
    return xsimd::all(numbers);
  }
  template <bool Places>
  bool of_column(T const* plane, std::ptrdiff_t j) {
    std::size_t best = 0;
    bool numbers = true;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      T const v = plane[rows_[k] + j];
      numbers = numbers && v == v;
      if (is_larger(v, plane[rows_[best] + j])) best = k;
    }
    best_[j] = plane[rows_[best] + j];
    if constexpr (Places)
      places_[j] = static_cast<T>(static_cast<std::ptrdiff_t>(best) * columns_.image + j);
    return numbers;
  }
  // Of windows that begin at some neighbouring columns.
  template <bool Places>
  void of_neighbours(std::ptrdiff_t j, std::ptrdiff_t offset) {
    B best = B::load_unaligned(best_ + j), place(T(0));
    if constexpr (Places) place = B::load_unaligned(places_ + j);
    for (std::ptrdiff_t k = 1; k < columns_.window; ++k) {
      B const v = B::load_unaligned(best_ + j + k);
      if constexpr (Places) {
        B const other = B::load_unaligned(places_ + j + k);
        auto const takes = (v > best) | ((v == best) & (other < place));
        best = xsimd::select(takes, v, best);
        place = xsimd::select(takes, other, place);
      } else {
        best = xsimd::max(best, v);
      }
    }
    best.store_unaligned(best_ + offset + j);
    if constexpr (Places) place.store_unaligned(places_ + offset + j);
  }
  std::ptrdiff_t one_by_one(std::ptrdiff_t begin, std::ptrdiff_t end) const {
    std::ptrdiff_t at = begin;
    for (std::ptrdiff_t j = begin + 1; j < end; ++j)
      if (is_larger(best_[j], best_[at]) ||
          (is_as_large(best_[j], best_[at]) && places_[j] < places_[at]))
        at = j;
    return at;
  }
  std::int64_t place(std::ptrdiff_t counted) const {
    std::ptrdiff_t const last = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
    if (rows_[static_cast<std::size_t>(last)] == rows_[0] + last * columns_.image)
      return rows_[0] + counted;
    return rows_[static_cast<std::size_t>(counted / columns_.image)] + counted % columns_.image;
  }
  static T const* counted() {
    static constexpr auto lanes = [] {
      std::array<T, B::size> all{};
      for (std::size_t k = 0; k < B::size; ++k) all[k] = static_cast<T>(k);
      return all;
    }();
    return lanes.data();
  }

  pooled_axis const& columns_;
  T *best_, *places_;
  std::vector<std::ptrdiff_t> rows_;  // the first element of each, in its plane
};

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
      if (largest_of_windows<T>::fits(p))
        return places != nullptr ? find<true>(p, x, out, places) : find<false>(p, x, out, places);
    find_one_by_one(p, x, out, places);
  }

  /// Of all planes, in the order of their elements.
  template <bool Places, class T>
  static void find(pooled_planes const& p, T const* x, T* out, std::int64_t* places) {
    largest_of_windows<T> largest(p.axes[2]);
    for (std::ptrdiff_t plane = 0; plane < p.count; ++plane)
      p.each_row([&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t, auto const& rows) {
        largest.start();
        rows([&](std::ptrdiff_t from) { largest.take(from); });
        std::ptrdiff_t const to = plane * p.windows() + first;
        largest.template find<Places>(x + plane * p.pixels(), out + to,
                                      Places ? places + to : nullptr);
      });
  }
  template <class T>
  static void find_one_by_one(pooled_planes const& p, T const* x, T* out, std::int64_t* places) {
    pooled_axis const& column = p.axes[2];
    for (std::ptrdiff_t plane = 0; plane < p.count; ++plane)
      p.each_row([&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t, auto const& rows) {
        T const* const image = x + plane * p.pixels();
        for (std::ptrdiff_t j = 0; j < column.windows; ++j) {
          std::ptrdiff_t best = -1;
          rows([&](std::ptrdiff_t from) {
            for (std::ptrdiff_t i = from + column.begin(j); i < from + column.end(j); ++i)
              if (best < 0 || is_larger(image[i], image[best])) best = i;
          });
          std::ptrdiff_t const to = plane * p.windows() + first + j;
          out[to] = image[best];
          if (places != nullptr) places[to] = best;
        }
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
    pooled_axis const& column = p.axes[2];
    T* const sums = memory_of_pooling(1).room<T>(column.image);
    for (std::ptrdiff_t plane = 0; plane < p.count; ++plane) {
      T const* const image = x + plane * p.pixels();
      p.each_row([&](std::ptrdiff_t first, std::ptrdiff_t z, std::ptrdiff_t y, auto const& rows) {
        std::fill_n(sums, column.image, T(0));
        rows([&](std::ptrdiff_t from) {
          for (std::ptrdiff_t i = 0; i < column.image; ++i) sums[i] += image[from + i];
        });
        for (std::ptrdiff_t j = 0; j < column.windows; ++j) {
          T sum = T(0);
          for (std::ptrdiff_t i = column.begin(j); i < column.end(j); ++i) sum += sums[i];
          out[plane * p.windows() + first + j] = sum / static_cast<T>(p.divisor(z, y, j));
        }
      });
    }
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
    std::fill_n(out, call.result().size(), T(0));
    T const* const g = packed<T>(call.operand(0), memory_of_pooling(0));
    pooled_axis const& column = p.axes[2];
    T* const shares = memory_of_pooling(1).room<T>(column.image);
    for (std::ptrdiff_t plane = 0; plane < p.count; ++plane) {
      T* const image = out + plane * p.pixels();
      p.each_row([&](std::ptrdiff_t first, std::ptrdiff_t z, std::ptrdiff_t y, auto const& rows) {
        std::fill_n(shares, column.image, T(0));
        for (std::ptrdiff_t j = 0; j < column.windows; ++j) {
          T const share = g[plane * p.windows() + first + j] / static_cast<T>(p.divisor(z, y, j));
          for (std::ptrdiff_t i = column.begin(j); i < column.end(j); ++i) shares[i] += share;
        }
        rows([&](std::ptrdiff_t to) {
          for (std::ptrdiff_t i = 0; i < column.image; ++i) image[to + i] += shares[i];
        });
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
    std::fill_n(out, call.result().size(), T(0));
    if (planes.count * planes.first == 0) return;
    T const* const g = packed<T>(call.operand(0), memory_of_pooling(0));
    auto const* const at = packed<std::int64_t>(call.operand(1), memory_of_pooling(1));
    for (std::ptrdiff_t p = 0; p < planes.count; ++p)
      for (std::ptrdiff_t i = p * planes.first; i < (p + 1) * planes.first; ++i)
        out[p * planes.second + at[i]] += g[i];
  }
};

}  // namespace kroton::cpu
