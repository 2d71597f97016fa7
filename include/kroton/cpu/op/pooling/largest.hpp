// The largest elements of windows, and where they are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/pooling/windows.hpp>

#include <array>
#include <limits>
#include <type_traits>
#include <vector>

namespace kroton::cpu {

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
/// neighbouring columns. Places are counted in the type of the elements, row after row. What is
/// around the image is smaller than any element, or behind it.
template <class T>
class largest_of_windows {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);

 public:
  /// Whether places are counted exactly.
  static bool fits(pooled_planes const& p) {
    return p.axes[0].window * p.axes[1].window * p.axes[2].image <= 1 << 24;
  }
  largest_of_windows(pooled_planes const& p, bool with_places)
      : columns_(p.axes[2]), memory_(pooled_rows::of<T>(p)) {
    std::ptrdiff_t const size = 2 * memory_.at_once * memory_.size;
    best_ = memory_of_pooling(1).room<T>(size);
    memory_.surround(best_, columns_, -std::numeric_limits<T>::infinity());
    if (!with_places) return;
    places_ = memory_of_pooling(2).room<T>(size);
    memory_.surround(places_, columns_, std::numeric_limits<T>::max());
  }

  /// Finds the largest elements of a row of windows; `rows` visits the first element of each row
  /// that they meet. They are written when enough rows have come, or by `finish`.
  template <bool Places, class Rows>
  void find(T const* plane, Rows const& rows, T* out, std::int64_t* places) {
    row& r = rows_[used_];
    r.out = out;
    r.places = places;
    r.first.clear();
    rows([&](std::ptrdiff_t first) { r.first.push_back(first); });
    r.numbers = true;
    std::ptrdiff_t j = 0;
    for (; j + width <= columns_.image; j += width) of_columns<Places>(r, plane, j);
    if (j < columns_.image) {
      if (columns_.image >= width) of_columns<Places>(r, plane, columns_.image - width);
      else
        for (; j < columns_.image; ++j) of_column<Places>(r, plane, j);
    }
    if (++used_ == memory_.at_once) finish<Places>();
  }
  template <bool Places>
  void finish() {
    std::ptrdiff_t const starts = columns_.covered() - columns_.window + 1;
    for (std::ptrdiff_t k = 0; k < used_; ++k)
      for (std::ptrdiff_t i = 0; i < starts; i += width)
        of_neighbours<Places>(k * memory_.size + i);
    for (std::ptrdiff_t k = 0; k < used_; ++k)
      if (rows_[k].numbers) take<Places>(rows_[k], (memory_.at_once + k) * memory_.size);
      else take_one_by_one<Places>(rows_[k], k * memory_.size);
    used_ = 0;
  }

 private:
  struct row {
    std::vector<std::ptrdiff_t> first;  // the first element of each row of the plane
    T* out;
    std::int64_t* places;
    bool numbers;  // and no NaN

    bool are_neighbours(std::ptrdiff_t image) const {
      return first.back() == first[0] + (static_cast<std::ptrdiff_t>(first.size()) - 1) * image;
    }
  };
  T* best_of(row const& r) const { return best_ + (&r - rows_) * memory_.size + columns_.before; }
  T* places_of(row const& r) const {
    return places_ + (&r - rows_) * memory_.size + columns_.before;
  }

  template <bool Places>
  void of_columns(row& r, T const* plane, std::ptrdiff_t j) {
    T const* const from = plane + j;
    B best = B::load_unaligned(from + r.first[0]), number(T(0));
    auto numbers = best == best;
    for (std::size_t k = 1; k < r.first.size(); ++k) {
      B const v = B::load_unaligned(from + r.first[k]);
      auto const takes = (!(v <= best)) & (best == best);
      numbers = numbers & (v == v);
      best = xsimd::select(takes, v, best);
      if constexpr (Places) number = xsimd::select(takes, B(static_cast<T>(k)), number);
    }
    best.store_unaligned(best_of(r) + j);
    if constexpr (Places) {
      B const first = B::load_unaligned(counted()) + B(static_cast<T>(j));
      xsimd::fma(number, B(static_cast<T>(columns_.image)), first)
          .store_unaligned(places_of(r) + j);
    }
    r.numbers = r.numbers && xsimd::all(numbers);
  }
  template <bool Places>
  void of_column(row& r, T const* plane, std::ptrdiff_t j) {
    std::size_t best = 0;
    for (std::size_t k = 0; k < r.first.size(); ++k) {
      T const v = plane[r.first[k] + j];
      r.numbers = r.numbers && v == v;
      if (is_larger(v, plane[r.first[best] + j])) best = k;
    }
    best_of(r)[j] = plane[r.first[best] + j];
    if constexpr (Places)
      places_of(r)[j] = static_cast<T>(static_cast<std::ptrdiff_t>(best) * columns_.image + j);
  }
  // Of windows that begin at some neighbouring columns.
  template <bool Places>
  void of_neighbours(std::ptrdiff_t j) {
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
        best = xsimd::select(v > best, v, best);  // the first one of equals
      }
    }
    best.store_unaligned(best_ + memory_.at_once * memory_.size + j);
    if constexpr (Places) place.store_unaligned(places_ + memory_.at_once * memory_.size + j);
  }
  template <bool Places>
  void take(row const& r, std::ptrdiff_t at) const {
    take_windows(r.out, best_ + at, columns_.stride, columns_.windows);
    if constexpr (Places) {
      bool const are_neighbours = r.are_neighbours(columns_.image);
      T const* const places = places_ + at;
      for (std::ptrdiff_t i = 0; i < columns_.windows; ++i) {
        auto const counted = static_cast<std::ptrdiff_t>(places[i * columns_.stride]);
        r.places[i] = are_neighbours ? r.first[0] + counted : place(r, counted);
      }
    }
  }
  template <bool Places>
  void take_one_by_one(row const& r, std::ptrdiff_t of_row) const {
    T const* const best = best_ + of_row;
    for (std::ptrdiff_t i = 0; i < columns_.windows; ++i) {
      std::ptrdiff_t at = columns_.before + columns_.begin(i);
      for (std::ptrdiff_t j = at + 1; j < columns_.before + columns_.end(i); ++j)
        if (is_larger(best[j], best[at]) || (Places && is_as_large(best[j], best[at]) &&
                                             places_[of_row + j] < places_[of_row + at]))
          at = j;
      r.out[i] = best[at];
      if constexpr (Places)
        r.places[i] = place(r, static_cast<std::ptrdiff_t>(places_[of_row + at]));
    }
  }
  std::int64_t place(row const& r, std::ptrdiff_t counted) const {
    if (r.are_neighbours(columns_.image)) return r.first[0] + counted;
    return r.first[static_cast<std::size_t>(counted / columns_.image)] + counted % columns_.image;
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
  T *best_ = nullptr, *places_ = nullptr;  // of columns, row by row; of windows at all columns
  row rows_[most_rows_at_once];
  std::ptrdiff_t used_ = 0;
};

}  // namespace kroton::cpu
