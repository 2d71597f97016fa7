// Pooling: windows over planes, row by row, then along the rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/geometry.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/ops/pooling.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>

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
      axes[3 - n + d] = {images.extents[leading + d], windows.extents[leading + d],
                         attribute(0, d),             attribute(1, d),
                         attribute(2, d),             averages ? attribute(3, d) : 0};
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
      product *= counts_image_only ? axes[d].end(at[d]) - axes[d].begin(at[d])
                                   : axes[d].count(at[d]);
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

/// The largest elements of the columns of some rows, and in which row the first of them is.
template <class T>
class largest_of_columns {
 public:
  largest_of_columns(std::ptrdiff_t columns, std::ptrdiff_t rows)
      : columns_(columns),
        best_(memory_of_pooling(1).room<T>(columns)),
        at_(memory_of_pooling(2).room<T>(columns)),
        from_(static_cast<std::size_t>(rows)) {}

  void start() { rows_ = 0; }
  /// Takes a row of elements, of which the first has a number in its plane.
  template <bool Places>
  void take(T const* row, std::ptrdiff_t first) {
    from_[static_cast<std::size_t>(rows_)] = first;
    T const number = static_cast<T>(rows_);
    if (rows_++ == 0) {
      std::copy_n(row, columns_, best_);
      if constexpr (Places) std::fill_n(at_, columns_, T(0));
      return;
    }
    std::ptrdiff_t j = 0;
    if constexpr (std::is_floating_point_v<T>) {
      using B = xsimd::batch<T>;
      constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
      for (; j + width <= columns_; j += width) {
        B const v = B::load_unaligned(row + j), best = B::load_unaligned(best_ + j);
        auto const takes = (v > best) | ((v != v) & (best == best));
        xsimd::select(takes, v, best).store_unaligned(best_ + j);
        if constexpr (Places)
          xsimd::select(takes, B(number), B::load_unaligned(at_ + j)).store_unaligned(at_ + j);
      }
    }
    for (; j < columns_; ++j) {
      bool const takes = is_larger(row[j], best_[j]);
      best_[j] = takes ? row[j] : best_[j];
      if constexpr (Places) at_[j] = takes ? number : at_[j];
    }
  }
  /// The largest of some columns, and its number in the plane if it is wanted.
  template <bool Places>
  T among(std::ptrdiff_t begin, std::ptrdiff_t end, std::int64_t* place) const {
    std::ptrdiff_t best = begin;
    for (std::ptrdiff_t j = begin + 1; j < end; ++j) {
      bool takes = is_larger(best_[j], best_[best]);
      if constexpr (Places) takes = takes || (at_[j] < at_[best] && is_as_large(best_[j], best_[best]));
      best = takes ? j : best;
    }
    if constexpr (Places)
      *place = from_[static_cast<std::size_t>(at_[best])] + best;
    return best_[best];
  }

 private:
  std::ptrdiff_t columns_, rows_ = 0;
  T *best_, *at_;
  std::vector<std::ptrdiff_t> from_;
};

template <>
struct kernel<op::max_pool> {
  template <class T>
    requires(std::is_arithmetic_v<T>)
  static void run(core::invocation const& call) {
    if (call.result(1).data != nullptr && fits<T>(call)) find<T, true>(call);
    else if (call.result(1).data != nullptr) find_one_by_one<T>(call);
    else find<T, false>(call);
  }

 private:
  // Whether rows of a window are counted exactly in the type of the elements.
  template <class T>
  static bool fits(core::invocation const& call) {
    long long rows = 1;
    for (int d = 0; d + 1 < call.attribute(0); ++d) rows *= call.attribute(1 + d);
    return rows <= (std::is_floating_point_v<T> ? 1 << 24
                                                : static_cast<long long>(std::min<std::uint64_t>(
                                                      std::numeric_limits<T>::max(), 1 << 24)));
  }
  template <class T, bool Places>
  static void find(core::invocation const& call) {
    pooled_planes const p(call, call.operand(0), call.result(), false);
    if (p.count * p.windows() == 0) return;
    T const* const x = packed<T>(call.operand(0), memory_of_pooling(0));
    T* const out = reinterpret_cast<T*>(call.result().data);
    auto* const places = reinterpret_cast<std::int64_t*>(call.result(1).data);
    pooled_axis const& column = p.axes[2];
    largest_of_columns<T> columns(column.image, p.axes[0].window * p.axes[1].window);
    for (std::ptrdiff_t plane = 0; plane < p.count; ++plane) {
      T const* const image = x + plane * p.pixels();
      p.each_row([&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t, auto const& rows) {
        columns.start();
        rows([&](std::ptrdiff_t from) { columns.template take<Places>(image + from, from); });
        std::ptrdiff_t const to = plane * p.windows() + first;
        for (std::ptrdiff_t j = 0; j < column.windows; ++j)
          out[to + j] = columns.template among<Places>(column.begin(j), column.end(j),
                                                       Places ? places + to + j : nullptr);
      });
    }
  }
  template <class T>
  static void find_one_by_one(core::invocation const& call) {
    pooled_planes const p(call, call.operand(0), call.result(), false);
    T const* const x = packed<T>(call.operand(0), memory_of_pooling(0));
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
          reinterpret_cast<T*>(call.result().data)[to] = image[best];
          reinterpret_cast<std::int64_t*>(call.result(1).data)[to] = best;
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
          T const share =
              g[plane * p.windows() + first + j] / static_cast<T>(p.divisor(z, y, j));
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
