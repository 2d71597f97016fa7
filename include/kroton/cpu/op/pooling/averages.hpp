// Averages of windows, and their gradient, which spreads shares over windows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/pooling/windows.hpp>

namespace kroton::cpu {

/// Sums of the rows that a row of windows meets, then of neighbouring columns, and back. There are
/// zeros around the image.
template <class T>
class sums_of_windows {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);

 public:
  explicit sums_of_windows(pooled_planes const& p)
      : planes_(p),
        columns_(p.axes[2]),
        memory_(pooled_rows::of<T>(p)),
        size_(memory_.size),
        image_(memory_of_pooling(1).room<T>((2 * memory_.at_once + 1) * size_)),
        neighbours_(image_ + memory_.at_once * size_),
        counts_(neighbours_ + memory_.at_once * size_) {
    memory_.surround(image_, columns_, T(0));
    std::fill_n(neighbours_, size_, T(0));
    for (std::ptrdiff_t i = 0; i < columns_.windows; ++i)
      counts_[i] = static_cast<T>(p.counted(2, i));
  }

  /// Computes the averages of a row of windows; `rows` visits the first element of each row that
  /// they meet. They are written when enough rows have come, or by `finish`.
  template <class Rows>
  void average(T const* plane, Rows const& rows, std::ptrdiff_t z, std::ptrdiff_t y, T* out) {
    T* const sums = image_ + used_ * size_ + columns_.before;
    bool starts = true;
    rows([&](std::ptrdiff_t from) {
      if (starts) std::copy_n(plane + from, columns_.image, sums);
      else add(sums, plane + from);
      starts = false;
    });
    if (starts) std::fill_n(sums, columns_.image, T(0));  // a window of the padding alone
    rows_[used_] = {out, others(z, y)};
    if (++used_ == memory_.at_once) finish();
  }
  void finish() {
    for (std::ptrdiff_t r = 0; r < used_; ++r)
      for (std::ptrdiff_t j = r * size_; j < r * size_ + columns_.covered() - columns_.window + 1;
           j += width) {
        B sum = B::load_unaligned(image_ + j);
        for (std::ptrdiff_t k = 1; k < columns_.window; ++k)
          sum += B::load_unaligned(image_ + j + k);
        sum.store_unaligned(neighbours_ + j);
      }
    for (std::ptrdiff_t r = 0; r < used_; ++r)
      take_windows(rows_[r].out, neighbours_ + r * size_, columns_.stride, columns_.windows);
    for (std::ptrdiff_t r = 0; r < used_; ++r)
      each_batch(columns_.windows, [&](auto b, std::ptrdiff_t i) {
        T* const at = rows_[r].out + i;
        store(at, load(b, at) / (load(b, counts_ + i) * decltype(b)(rows_[r].others)));
      });
    used_ = 0;
  }
  /// Adds to some rows of a plane what belongs to each window of a row.
  template <class Rows>
  void spread(T const* windows, std::ptrdiff_t z, std::ptrdiff_t y, Rows const& rows, T* plane) {
    T const by = others(z, y);
    std::ptrdiff_t const before = columns_.window - 1;
    for (std::ptrdiff_t i = 0; i < columns_.windows; ++i)
      neighbours_[before + i * columns_.stride] = windows[i] / (counts_[i] * by);
    for (std::ptrdiff_t j = 0; j < columns_.image; j += width) {
      T const* const last = neighbours_ + before + columns_.before + j;
      B sum(T(0));
      for (std::ptrdiff_t k = columns_.window; k-- > 0;) sum += B::load_unaligned(last - k);
      sum.store_unaligned(image_ + j);
    }
    rows([&](std::ptrdiff_t to) { add(plane + to, image_); });
  }

 private:
  struct row {
    T* out;
    T others;
  };
  // What a sum is divided by because of the other axes.
  T others(std::ptrdiff_t z, std::ptrdiff_t y) const {
    return static_cast<T>(planes_.counted(0, z) * planes_.counted(1, y));
  }
  void add(T* to, T const* from) const {
    each_batch(columns_.image, [&](auto b, std::ptrdiff_t i) {
      store(to + i, load(b, to + i) + load(b, from + i));
    });
  }
  // Batches while there are enough elements, then one by one.
  template <class Visit>
  static KROTON_INLINE void each_batch(std::ptrdiff_t count, Visit visit) {
    std::ptrdiff_t i = 0;
    for (; i + width <= count; i += width) visit(B(T(0)), i);
    for (; i < count; ++i) visit(T(0), i);
  }
  static KROTON_INLINE B load(B const&, T const* from) { return B::load_unaligned(from); }
  static KROTON_INLINE T load(T, T const* from) { return *from; }
  static KROTON_INLINE void store(T* to, B const& b) { b.store_unaligned(to); }
  static KROTON_INLINE void store(T* to, T x) { *to = x; }

  pooled_planes const& planes_;
  pooled_axis const& columns_;
  pooled_rows memory_;
  std::ptrdiff_t size_;               // of a row with what is around it
  T *image_, *neighbours_, *counts_;  // sums of columns, sums at all columns, of the windows
  row rows_[most_rows_at_once];
  std::ptrdiff_t used_ = 0;
};

}  // namespace kroton::cpu
