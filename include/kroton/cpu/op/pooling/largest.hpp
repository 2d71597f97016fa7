// The largest elements of windows, and where they are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/pooling/windows.hpp>

#include <array>
#include <limits>
#include <type_traits>

namespace kroton::cpu {

/// Whether v is the larger one: NaN is larger than all numbers.
template <class T>
bool is_larger(T v, T than) {
  if constexpr (std::is_floating_point_v<T>) return v > than || (v != v && than == than);
  else return v > than;
}
/// Of rows of windows, element by element; of equal ones the first.
template <class T>
void find_one_by_one(pooled_axis const& columns, T const* plane, met_rows rows, T* out,
                     std::int64_t* places) {
  for (std::ptrdiff_t r = 0; r < rows.of_windows; ++r, rows.first += rows.step)
    for (std::ptrdiff_t j = 0; j < columns.windows; ++j) {
      std::ptrdiff_t best = -1;
      rows.each([&](std::ptrdiff_t, std::ptrdiff_t from) {
        for (std::ptrdiff_t i = from + columns.begin(j); i < from + columns.end(j); ++i)
          if (best < 0 || is_larger(plane[i], plane[best])) best = i;
      });
      *out++ = plane[best];
      if (places != nullptr) *places++ = best;
    }
}

/// The largest elements of windows in some rows, and where they are: first of each column, then of
/// neighbouring columns. Places are counted in the type of the elements, row after row. What is
/// around the image is smaller than any element, or behind it.
template <class T, bool Places>
class largest_of_windows {
  using B = xsimd::batch<T>;

 public:
  /// Whether places are counted exactly.
  static bool fits(pooled_planes const& p) {
    return p.axes[0].window * p.axes[1].window * p.axes[2].image <= 1 << 24;
  }
  explicit largest_of_windows(pooled_planes const& p)
      : columns_(p.axes[2]), memory_(pooled_rows::of<T>(p)) {
    std::ptrdiff_t const size = memory_.at_once * memory_.size;
    best_ = memory_of_pooling(1).room<T>(size);
    memory_.surround(best_, columns_, -std::numeric_limits<T>::infinity());
    if constexpr (Places) {
      places_ = memory_of_pooling(2).room<T>(size);
      memory_.surround(places_, columns_, std::numeric_limits<T>::max());
    }
  }

  std::ptrdiff_t rows_at_once() const { return memory_.at_once; }
  void find(T const* plane, met_rows const& rows, T* out, std::int64_t* places) const {
    bool numbers = true;
    rows.count_once([&](auto high) { numbers = of_columns<high>(plane, rows); });
    if (!numbers) return find_one_by_one(columns_, plane, rows, out, places);
    with_step(columns_.stride, [&](auto step) { of_windows<step>(rows, out, places); });
  }

 private:
  /// Returns whether they are numbers. Where one is NaN, other results are not the largest.
  template <int High>
  bool of_columns(T const* plane, met_rows rows) const {
    // Copies, since stores of vectors may change members as far as the compiler knows.
    std::ptrdiff_t const columns = columns_.image, size = memory_.size;
    T *best_of = best_ + columns_.before, *place_of = Places ? places_ + columns_.before : nullptr;
    bool all_numbers = true;
    for (std::ptrdiff_t r = 0; r < rows.of_windows; ++r, rows.first += rows.step) {
      each_batch<T>(columns, [&](std::ptrdiff_t j, std::ptrdiff_t n) KROTON_INLINE_LAMBDA {
        B best(-std::numeric_limits<T>::infinity()), number(T(0));
        auto numbers = best == best;
        rows.each<High>([&](std::ptrdiff_t k, std::ptrdiff_t from) KROTON_INLINE_LAMBDA {
          B const v = load_first(plane + from + j, n);
          numbers = numbers & (v == v);
          if constexpr (Places) number = xsimd::select(v > best, B(static_cast<T>(k)), number);
          best = larger(v, best);
        });
        all_numbers &= xsimd::all(numbers);
        store_first(best_of + j, best, n);
        if constexpr (Places) {
          B const first = B::load_unaligned(counted()) + B(static_cast<T>(j));
          store_first(place_of + j, xsimd::fma(number, B(static_cast<T>(rows.row)), first), n);
        }
      });
      best_of += size;
      if constexpr (Places) place_of += size;
    }
    return all_numbers;
  }
  /// Step is 0 for a stride that batches do not have.
  template <std::ptrdiff_t Step>
  void of_windows(met_rows rows, T* out, std::int64_t* places) const {
    std::ptrdiff_t const windows = columns_.windows, window = columns_.window, size = memory_.size;
    T const *best_of = best_, *place_of = places_;
    for (std::ptrdiff_t r = 0; r < rows.of_windows; ++r, rows.first += rows.step) {
      if constexpr (Step == 0)
        for (std::ptrdiff_t i = 0; i < windows; ++i) {
          std::ptrdiff_t const from = i * columns_.stride;
          std::ptrdiff_t at = from;
          for (std::ptrdiff_t j = from + 1; j < from + window; ++j)
            if (best_of[j] > best_of[at] ||
                (Places && best_of[j] == best_of[at] && place_of[j] < place_of[at]))
              at = j;
          out[i] = best_of[at];
          if constexpr (Places) places[i] = place(rows, static_cast<std::ptrdiff_t>(place_of[at]));
        }
      else
        each_batch<T>(windows, [&](std::ptrdiff_t i, std::ptrdiff_t n) KROTON_INLINE_LAMBDA {
          B best = load_every<Step>(best_of + i * Step), at(T(0));
          if constexpr (Places) at = load_every<Step>(place_of + i * Step);
          for (std::ptrdiff_t k = i * Step + 1; k < i * Step + window; ++k) {
            B const v = load_every<Step>(best_of + k);
            if constexpr (Places) {
              B const other = load_every<Step>(place_of + k);
              at = xsimd::select((v > best) | ((v == best) & (other < at)), other, at);
            }
            best = larger(v, best);
          }
          store_first(out + i, best, n);
          if constexpr (Places) store_places(rows, at, places + i, n);
        });
      out += windows;
      best_of += size;
      if constexpr (Places) {
        places += windows;
        place_of += size;
      }
    }
  }
  static KROTON_INLINE void store_places(met_rows const& rows, B const& counted, std::int64_t* to,
                                         std::ptrdiff_t n) {
    T lanes[B::size];
    counted.store_unaligned(lanes);
    if (rows.deep == 1 && n == batch_width<T>)
      for (std::ptrdiff_t k = 0; k < batch_width<T>; ++k)
        to[k] = rows.first + static_cast<std::int64_t>(lanes[k]);
    else
      for (std::ptrdiff_t k = 0; k < n; ++k)
        to[k] = place(rows, static_cast<std::ptrdiff_t>(lanes[k]));
  }
  static std::int64_t place(met_rows const& rows, std::ptrdiff_t counted) {
    return rows[counted / rows.row] + counted % rows.row;
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
  pooled_rows memory_;
  T *best_ = nullptr, *places_ = nullptr;  // of columns, row by row
};

}  // namespace kroton::cpu
