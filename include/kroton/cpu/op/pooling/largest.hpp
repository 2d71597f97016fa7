// The largest elements of windows, and where they are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/pooling/windows.hpp>

#include <algorithm>
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
      rows.each([&](std::ptrdiff_t from) {
        for (std::ptrdiff_t i = from + columns.begin(j); i < from + columns.end(j); ++i)
          if (best < 0 || is_larger(plane[i], plane[best])) best = i;
      });
      *out++ = plane[best];
      if (places != nullptr) *places++ = best;
    }
}

/// The largest elements of windows in some rows, and where they are: first of each column, then of
/// neighbouring columns. Positions are counted in the type of the elements. What is around the
/// image is smaller than any element, or behind it.
template <class T, bool Places>
class largest_of_windows {
  using B = xsimd::batch<T>;
  static constexpr T least = -std::numeric_limits<T>::infinity();

 public:
  /// Whether positions are counted exactly.
  static bool fits(pooled_planes const& p) {
    std::ptrdiff_t const row = p.axes[2].image, slice = p.axes[1].image * row;
    return (p.axes[0].window - 1) * slice + p.axes[1].window * row <=
           std::ptrdiff_t{1} << std::min(std::numeric_limits<T>::digits, 52);
  }
  /// For planes whose elements and results end there.
  largest_of_windows(pooled_planes const& p, T const* end, T* out_end)
      : columns_(p.axes[2]), memory_(pooled_rows::of<T>(p)), end_(end), out_end_(out_end) {
    std::ptrdiff_t const rows = memory_.at_once, size = memory_.size;
    best_ = memory_of_pooling(1).room<T>((rows + 1) * size);
    memory_.surround(best_, columns_, least);
    at_all_ = best_ + rows * size;
    if constexpr (Places) {
      places_ = memory_of_pooling(2).room<T>((rows + 1) * size);
      memory_.surround(places_, columns_, std::numeric_limits<T>::max());
      places_at_all_ = places_ + rows * size;
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
    T const* const end = end_;
    T *best_of = best_ + columns_.before, *place_of = Places ? places_ + columns_.before : nullptr;
    bool all_numbers = true;
    for (std::ptrdiff_t r = 0; r < rows.of_windows; ++r, rows.first += rows.step) {
      each_batch<T>(columns, [&](std::ptrdiff_t j, std::ptrdiff_t n) KROTON_INLINE_LAMBDA {
        B best(least), place(T(0));
        auto numbers = best == best;
        rows.each<High>([&](std::ptrdiff_t from) KROTON_INLINE_LAMBDA {
          B const v = keep_first(load_first(plane + from + j, n, end), n, least);
          numbers = numbers & (v == v);
          if constexpr (Places)
            place = xsimd::select(v > best, B(static_cast<T>(from - rows.first)), place);
          best = larger(v, best);
        });
        all_numbers &= xsimd::all(numbers);
        best.store_unaligned(best_of + j);
        if constexpr (Places)
          keep_first(place + counted<T>() + B(static_cast<T>(j)), n, std::numeric_limits<T>::max())
              .store_unaligned(place_of + j);
      });
      best_of += size;
      if constexpr (Places) place_of += size;
    }
    return all_numbers;
  }
  /// Step is 0 for a stride that batches do not have.
  template <std::ptrdiff_t Step>
  void of_windows(met_rows rows, T* out, std::int64_t* places) const {
    std::ptrdiff_t const windows = columns_.windows, size = memory_.size;
    T* const out_end = out_end_;
    T const *best_of = best_, *place_of = places_;
    for (std::ptrdiff_t r = 0; r < rows.of_windows; ++r, rows.first += rows.step) {
      if constexpr (Step == 0) at_wide_steps(best_of, place_of, rows.first, out, places);
      else
        of_row<Step>(best_of, place_of, windows,
                     [&](std::ptrdiff_t i, std::ptrdiff_t n, B const& best, B const& place) {
                       store_first(out + i, best, n, out_end);
                       if constexpr (Places) {
                         T lanes[B::size];
                         place.store_unaligned(lanes);
                         for (std::ptrdiff_t k = 0; k < n; ++k)
                           places[i + k] = rows.first + static_cast<std::int64_t>(lanes[k]);
                       }
                     });
      out += windows;
      best_of += size;
      if constexpr (Places) {
        places += windows;
        place_of += size;
      }
    }
  }
  /// Visits batches of windows that begin at every Step-th column.
  template <std::ptrdiff_t Step, class Visit>
  KROTON_INLINE void of_row(T const* best_of, T const* place_of, std::ptrdiff_t windows,
                            Visit visit) const {
    each_batch<T>(windows, [&, window = columns_.window](std::ptrdiff_t i,
                                                         std::ptrdiff_t n) KROTON_INLINE_LAMBDA {
      B best = load_every<Step>(best_of + i * Step), place(T(0));
      if constexpr (Places) place = load_every<Step>(place_of + i * Step);
      for (std::ptrdiff_t k = i * Step + 1; k < i * Step + window; ++k) {
        B const v = load_every<Step>(best_of + k);
        if constexpr (Places) {
          B const other = load_every<Step>(place_of + k);
          place = xsimd::select((v > best) | ((v == best) & (other < place)), other, place);
        }
        best = larger(v, best);
      }
      visit(i, n, best, place);
    });
  }
  void at_wide_steps(T const* best_of, T const* place_of, std::ptrdiff_t first, T* out,
                     std::int64_t* places) const {
    T *best_at = at_all_, *place_at = places_at_all_;
    std::ptrdiff_t const windows = columns_.windows, stride = columns_.stride;
    of_row<1>(best_of, place_of, (windows - 1) * stride + 1,
              [&](std::ptrdiff_t i, std::ptrdiff_t, B const& best, B const& place) {
                best.store_unaligned(best_at + i);
                if constexpr (Places) place.store_unaligned(place_at + i);
              });
    for (std::ptrdiff_t i = 0; i < windows; ++i) {
      out[i] = best_at[i * stride];
      if constexpr (Places) places[i] = first + static_cast<std::int64_t>(place_at[i * stride]);
    }
  }

  pooled_axis const& columns_;
  pooled_rows memory_;
  T const* end_;
  T* out_end_;
  T *best_ = nullptr, *places_ = nullptr;           // of columns, row by row
  T *at_all_ = nullptr, *places_at_all_ = nullptr;  // of windows at all columns
};

}  // namespace kroton::cpu
