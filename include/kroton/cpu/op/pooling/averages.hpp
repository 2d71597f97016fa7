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

 public:
  explicit sums_of_windows(pooled_planes const& p)
      : planes_(p),
        columns_(p.axes[2]),
        memory_(pooled_rows::of<T>(p)),
        image_(memory_of_pooling(1).room<T>((memory_.at_once + 2) * memory_.size)),
        shares_(image_ + memory_.at_once * memory_.size),
        counts_(shares_ + memory_.size) {
    memory_.surround(image_, columns_, T(0));
    std::fill_n(shares_, memory_.size, T(0));
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
              T* plane) {
    T const by = others(z, y);
    T* const share = image_;
    each_batch<T>(columns_.windows, [&](std::ptrdiff_t i, std::ptrdiff_t n) {
      store_first(share + i, load_first(windows + i, n) / (load_first(counts_ + i, n) * B(by)), n);
    });
    std::ptrdiff_t const before = columns_.window - 1;
    for (std::ptrdiff_t i = 0; i < columns_.windows; ++i)
      shares_[before + i * columns_.stride] = share[i];
    each_batch_once<T>(columns_.image, [&](std::ptrdiff_t j, std::ptrdiff_t n) {
      T const* const last = shares_ + before + columns_.before + j;
      B sum(T(0));
      for (std::ptrdiff_t k = columns_.window; k-- > 0;) sum += B::load_unaligned(last - k);
      rows.each([&](std::ptrdiff_t, std::ptrdiff_t to) {
        store_first(plane + to + j, load_first(plane + to + j, n) + sum, n);
      });
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
    T* sums = image_ + columns_.before;
    for (std::ptrdiff_t r = 0; r < rows.of_windows; ++r, rows.first += rows.step, sums += size)
      each_batch<T>(columns, [&](std::ptrdiff_t j, std::ptrdiff_t n) KROTON_INLINE_LAMBDA {
        B sum(T(0));
        rows.each<High>([&](std::ptrdiff_t, std::ptrdiff_t from)
                            KROTON_INLINE_LAMBDA { sum += load_first(plane + from + j, n); });
        store_first(sums + j, sum, n);
      });
  }
  template <std::ptrdiff_t Step>
  void of_windows(met_rows const& rows, T others, T* out) const {
    std::ptrdiff_t const windows = columns_.windows, window = columns_.window, size = memory_.size,
                         stride = columns_.stride;
    T const *sums = image_, *counts = counts_;
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
          store_first(out + i, sum / (load_first(counts + i, n) * B(others)), n);
        });
  }

  pooled_planes const& planes_;
  pooled_axis const& columns_;
  pooled_rows memory_;
  T *image_, *shares_, *counts_;  // sums of columns, what windows give, what they are divided by
};

}  // namespace kroton::cpu
