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
  static constexpr std::ptrdiff_t width = batch_width<T>;

 public:
  /// For planes whose elements and averages end there.
  sums_of_windows(pooled_planes const& p, T const* end, T const* out_end)
      : planes_(p),
        columns_(p.axes[2]),
        memory_(pooled_rows::of<T>(p)),
        image_(memory_of_pooling(1).room<T>((memory_.at_once + 2) * memory_.size)),
        shares_(image_ + memory_.at_once * memory_.size),
        counts_(shares_ + memory_.size),
        end_(end),
        out_end_(out_end) {
    memory_.surround(image_, columns_, T(0));
    std::fill_n(shares_, memory_.size, T(0));
    std::fill_n(counts_, memory_.size, T(1));
    for (std::ptrdiff_t i = 0; i < columns_.windows; ++i)
      counts_[i] = static_cast<T>(p.counted(2, i));
  }

  std::ptrdiff_t rows_at_once() const { return memory_.at_once; }
  /// Computes the averages of rows of windows, of which the first one is row y of slice z.
  void average(T const* plane, met_rows const& rows, std::ptrdiff_t z, std::ptrdiff_t y,
               T* out) const {
    rows.count_once([&](auto high) { of_columns<high>(plane, rows); });
    with_step(columns_.stride, [&](auto step) { of_windows<step>(rows, others(z, y), out); });
  }
  /// Adds to some rows of a plane what belongs to each window of a row.
  void spread(T const* windows, std::ptrdiff_t z, std::ptrdiff_t y, met_rows const& rows,
              T* plane) const {
    T const by = others(z, y);
    std::ptrdiff_t const columns = columns_.image, window = columns_.window, before = window - 1;
    T *const image = image_, *const shares = shares_ + before;
    T const* const counts = counts_;
    for (std::ptrdiff_t i = 0; i < columns_.windows; ++i)
      shares[i * columns_.stride] = windows[i] / (counts[i] * by);
    for (std::ptrdiff_t j = 0; j < columns; j += width) {
      T const* const last = shares + columns_.before + j;
      B sum(T(0));
      for (std::ptrdiff_t k = window; k-- > 0;) sum += B::load_unaligned(last - k);
      sum.store_unaligned(image + j);
    }
    rows.each([&](std::ptrdiff_t first) {
      T* const to = plane + first;
      std::ptrdiff_t j = 0;
      for (; j + width <= columns; j += width)
        (B::load_unaligned(to + j) + B::load_unaligned(image + j)).store_unaligned(to + j);
      for (; j < columns; ++j) to[j] += image[j];
    });
  }

 private:
  // What a sum is divided by because of the other axes.
  T others(std::ptrdiff_t z, std::ptrdiff_t y) const {
    return static_cast<T>(planes_.counted(0, z) * planes_.counted(1, y));
  }
  // Copies of members, since stores of vectors may change them as far as the compiler knows.
  template <int High>
  void of_columns(T const* plane, met_rows rows) const {
    std::ptrdiff_t const columns = columns_.image, size = memory_.size;
    T const* const end = end_;
    T* sums = image_ + columns_.before;
    for (std::ptrdiff_t r = 0; r < rows.of_windows; ++r, rows.first += rows.step, sums += size)
      each_batch<T>(columns, [&](std::ptrdiff_t j, std::ptrdiff_t n) KROTON_INLINE_LAMBDA {
        B sum(T(0));
        rows.each<High>([&](std::ptrdiff_t from)
                            KROTON_INLINE_LAMBDA { sum += load_first(plane + from + j, n, end); });
        keep_first(sum, n, T(0)).store_unaligned(sums + j);
      });
  }
  template <std::ptrdiff_t Step>
  void of_windows(met_rows const& rows, T others, T* out) const {
    std::ptrdiff_t const windows = columns_.windows, window = columns_.window, size = memory_.size,
                         stride = columns_.stride;
    T const *sums = image_, *counts = counts_, *const out_end = out_end_;
    for (std::ptrdiff_t r = 0; r < rows.of_windows; ++r, sums += size, out += windows)
      if constexpr (Step == 0)
        for (std::ptrdiff_t i = 0; i < windows; ++i) {
          T sum(0);
          for (std::ptrdiff_t k = 0; k < window; ++k) sum += sums[i * stride + k];
          out[i] = sum / (counts[i] * others);
        }
      else
        each_batch<T>(windows, [&](std::ptrdiff_t i, std::ptrdiff_t n) KROTON_INLINE_LAMBDA {
          B sum = load_every<Step>(sums + i * Step);
          for (std::ptrdiff_t k = 1; k < window; ++k) sum += load_every<Step>(sums + i * Step + k);
          store_first(out + i, sum / (B::load_unaligned(counts + i) * B(others)), n, out_end);
        });
  }

  pooled_planes const& planes_;
  pooled_axis const& columns_;
  pooled_rows memory_;
  T *image_, *shares_, *counts_;  // sums of columns, what windows give, what they are divided by
  T const *end_, *out_end_;
};

}  // namespace kroton::cpu
