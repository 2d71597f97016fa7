// Correlations of one plane with one filter, as in depthwise convolutions: the lanes are
// neighbouring columns, and a tile has several rows, so that an element is loaded once for all of
// them that meet it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/op/convolution/columns.hpp>
#include <kroton/cpu/simd/horizontal.hpp>
#include <kroton/cpu/simd/shifted.hpp>
#include <kroton/cpu/simd/tails.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

namespace kroton::cpu {

/// Visits blocks of `extent`: the first element, and the first one that no block had before. The
/// last block overlaps the one before it. Where all are fewer, blocks of one.
template <int Extent, class Visit>
KROTON_INLINE void each_block(std::ptrdiff_t count, Visit visit) {
  if (count < Extent)
    for (std::ptrdiff_t i = 0; i < count; ++i) visit(std::integral_constant<int, 1>(), i, i);
  else
    for (std::ptrdiff_t i = 0; i < count; i += Extent)
      visit(std::integral_constant<int, Extent>(), std::min(i, count - Extent), i);
}
/// How many of `count` are left from `begin` on, each `apart` from the one before.
constexpr std::ptrdiff_t some_apart(std::ptrdiff_t count, std::ptrdiff_t begin,
                                    std::ptrdiff_t apart) {
  return (count - begin + apart - 1) / apart;
}

/// What the fields of planes have to provide: see `field_layout::lay_out`.
template <class T>
inline constexpr std::ptrdiff_t planes_line = loads_of_lines ? shifted_rows<T>::width : 1;
template <class T>
inline constexpr std::ptrdiff_t planes_reach = (loads_of_lines ? 3 : 1) * shifted_rows<T>::width;

template <class T>
class planes_correlation {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  // Planes of many networks have multiples of seven rows.
  static constexpr int height = 7, max_taps = 3;

 public:
  explicit planes_correlation(correlation const& c) : c_(c) {}

  std::ptrdiff_t packed_size() const { return c_.taps; }
  /// A filter's elements in the order in which the field has what they meet.
  void pack(T const* filter, T* to) const {
    for (correlation_phase const& p : c_.phases)
      for (std::ptrdiff_t const e : p.elements) *to++ = filter[e];
  }
  static constexpr bool is_divisible = false;
  static constexpr std::ptrdiff_t scratch_size() { return 0; }
  /// The result for one plane, from its field and the packed filter.
  void run(share const&, T const* field, T const* filter, T* to, T*) const {
    for (correlation_phase const& p : c_.phases) {
      auto const rows = static_cast<std::ptrdiff_t>(p.rows.size()), apart = p.shared.rows_apart;
      for (std::ptrdiff_t depth = 0; depth < rows; depth += p.lines)
        for (std::ptrdiff_t r = 0; r < std::min(apart, p.lines); ++r)
          each_block<height>(
              some_apart(p.lines, r, apart), [&](auto extent, std::ptrdiff_t i, std::ptrdiff_t) {
                sum<extent>(p, p.rows.data() + depth + r + i * apart, field, filter, to);
              });
      filter += p.elements.size();
    }
  }

 private:
  // Some rows of the result, from `row` on.
  template <int Rows>
  void sum(correlation_phase const& p, correlation_phase::row const* row, T const* field,
           T const* filter, T* to) const {
    auto const taps = static_cast<std::ptrdiff_t>(p.offsets.size());
    std::ptrdiff_t const apart = p.shared.taps_apart;
    lines const rows{field + row->from, to + row->to,
                     Rows > 1 ? row[p.shared.rows_apart].to - row->to : 0};
    bool starts = true;
    if (taps == 0) add_columns<Rows, 1, 1, false>(p, 0, 0, rows, filter, starts);
    for (std::ptrdiff_t depth = 0; depth < taps; depth += p.tap_rows * p.tap_columns)
      for (std::ptrdiff_t c = 0; c < std::min(apart, p.tap_rows); ++c)
        for (std::ptrdiff_t k = c; k < p.tap_rows; k += max_taps * apart, starts = false) {
          std::ptrdiff_t const t = depth + k * p.tap_columns;
          if (k + 2 * apart < p.tap_rows) add<Rows, max_taps>(p, t, rows, filter, starts);
          else if (k + apart < p.tap_rows) add<Rows, 2>(p, t, rows, filter, starts);
          else add<Rows, 1>(p, t, rows, filter, starts);
        }
  }
  struct lines {
    T const* from;
    T* to;
    std::ptrdiff_t next;  // from one line of the result to the next
  };
  // Adds what some rows of taps contribute, the first of which begins at tap t.
  template <int Rows, int Taps>
  static KROTON_INLINE void add(correlation_phase const& p, std::ptrdiff_t t, lines const& rows,
                                T const* filter, bool starts) {
    std::ptrdiff_t const end = t + p.tap_columns;
    if constexpr (loads_of_lines)
      for (; t + max_taps <= end; t += max_taps, starts = false) {
        std::ptrdiff_t const* const offset = p.offsets.data() + t;
        std::ptrdiff_t const apart = offset[1] - offset[0];
        T const* const from = rows.from + *offset;
        if (offset[2] - offset[1] != apart || !shifted_rows<T, max_taps>::fits(from, apart)) break;
        if (shifted_rows<T>::is_line(from))
          add_columns<Rows, Taps, max_taps, true>(p, t, t + max_taps, rows, filter, starts);
        else add_columns<Rows, Taps, max_taps, false>(p, t, t + max_taps, rows, filter, starts);
      }
    if (t < end) add_columns<Rows, Taps, 1, false>(p, t, end, rows, filter, starts);
  }
  // Adds what these columns of taps contribute, some at once. A function of its own, so that all it
  // needs stays in registers.
  template <int Rows, int Taps, int Columns, bool AreLines>
  [[gnu::noinline]] static void add_columns(correlation_phase const& p, std::ptrdiff_t begin,
                                            std::ptrdiff_t end, lines const& rows, T const* filter,
                                            bool starts) {
    std::ptrdiff_t const whole = p.step == 1 ? p.columns / width * width : 0;
    array_of<B, Rows> sums;
    for (std::ptrdiff_t j = 0; j < whole; j += width) {
      KROTON_UNROLL(8)
      for (int r = 0; r < Rows; ++r) sums[r] = B(T(0));
      if (!starts) {
        KROTON_UNROLL(8)
        for (int r = 0; r < Rows; ++r) sums[r] = B::load_unaligned(rows.to + r * rows.next + j);
      }
      accumulate<Taps, Columns, AreLines>(p, begin, end, rows.from + j, filter, sums);
      KROTON_UNROLL(8)
      for (int r = 0; r < Rows; ++r) sums[r].store_unaligned(rows.to + r * rows.next + j);
    }
    for (std::ptrdiff_t j = whole; j < p.columns; j += width) {
      // Batches that need not begin at lines end where the row ends: nothing behind it is read.
      std::ptrdiff_t const count = std::min(p.columns - j, width),
                           known = !loads_of_lines && p.columns >= width ? width - count : 0;
      T* const to = rows.to + (j - known) * p.step;
      KROTON_UNROLL(8)
      for (int r = 0; r < Rows; ++r)
        sums[r] = starts ? B(T(0)) : read(to + r * rows.next, p.step, known + count);
      accumulate<Taps, Columns, AreLines>(p, begin, end, rows.from + j - known, filter, sums);
      KROTON_UNROLL(8)
      for (int r = 0; r < Rows; ++r) write(sums[r], to + r * rows.next, p.step, known, count);
    }
  }
  template <int Taps, int Columns, bool AreLines, std::size_t Rows>
  static KROTON_INLINE void accumulate(correlation_phase const& p, std::ptrdiff_t begin,
                                       std::ptrdiff_t end, T const* from, T const* filter,
                                       B (&sums)[Rows]) {
    constexpr int rows = static_cast<int>(Rows);
    std::ptrdiff_t const* const offsets = p.offsets.data();
    std::ptrdiff_t const line = p.shared.taps_apart * p.tap_columns;
    for (std::ptrdiff_t t = begin; t < end; t += Columns) {
      shifted_rows<T, Columns> x(from + offsets[t], Columns > 1 ? offsets[t + 1] - offsets[t] : 0);
      tile_of<B, Taps, Columns> w;
      KROTON_UNROLL(3)
      for (int i = 0; i < Taps; ++i) KROTON_UNROLL(3)
      for (int k = 0; k < Columns; ++k) w[i][k] = B(filter[t + i * line + k]);
      KROTON_UNROLL(10)
      for (int r = 0; r < rows + Taps - 1; ++r, x += p.shared.step) {
        array_of<B, Columns> v;
        x.template load<AreLines>(v);
        KROTON_UNROLL(3)
        for (int k = 0; k < Columns; ++k) KROTON_UNROLL(3)
        for (int i = 0; i < Taps; ++i)
          if (r - i >= 0 && r - i < rows) sums[r - i] = xsimd::fma(w[i][k], v[k], sums[r - i]);
      }
    }
  }
  // `count` elements, each a step from the one before.
  static B read(T const* from, std::ptrdiff_t step, std::ptrdiff_t count) {
    alignas(64) T lanes[B::size]{};
    if (step != 1 || !load_tail(reinterpret_cast<std::byte*>(lanes),
                                reinterpret_cast<std::byte const*>(from), sizeof(T), count, width))
      for (std::ptrdiff_t i = 0; i < count; ++i) lanes[i] = from[i * step];
    return B::load_aligned(lanes);
  }
  // Those behind the first `known` ones.
  static KROTON_INLINE void write(B const& sum, T* to, std::ptrdiff_t step, std::ptrdiff_t known,
                                  std::ptrdiff_t count) {
    alignas(64) T lanes[B::size];
    sum.store_aligned(lanes);
    if (step != 1 || known > 0 ||
        !store_tail(reinterpret_cast<std::byte*>(to), reinterpret_cast<std::byte const*>(lanes),
                    sizeof(T), count, width))
      for (std::ptrdiff_t i = known; i < known + count; ++i) to[i * step] = lanes[i];
  }

  correlation const& c_;
};

/// Gradients by such filters: sums over all positions of a plane.
template <class T>
class planes_filters {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  static constexpr int height = loads_of_lines ? 7 : 4, max_rows = 3,
                       max_columns = vector_registers == 32 ? 3 : 2;

 public:
  static constexpr bool is_divisible = false;
  /// `c`: the plan of the outputs.
  explicit planes_filters(correlation const& c) : p_(c.phases[0]), shared_(p_.shared) {}

  /// Adds what one plane contributes to its filter. `outputs` are readable beyond the last row if
  /// rows are shorter than a batch.
  void run(share const&, T const* field, T const* outputs, T* filter) const {
    auto const taps = static_cast<std::ptrdiff_t>(p_.offsets.size());
    for (std::ptrdiff_t depth = 0; depth < taps; depth += p_.tap_rows * p_.tap_columns)
      for (std::ptrdiff_t c = 0; c < std::min(shared_.taps_apart, p_.tap_rows); ++c)
        each_block<max_rows>(
            some_apart(p_.tap_rows, c, shared_.taps_apart),
            [&](auto rows, std::ptrdiff_t k, std::ptrdiff_t first_row) {
              each_block<max_columns>(p_.tap_columns, [&](auto columns, std::ptrdiff_t l,
                                                          std::ptrdiff_t first_column) {
                tile_of<T, rows, columns> found;
                std::ptrdiff_t const line = shared_.taps_apart * p_.tap_columns,
                                     t = depth + c * p_.tap_columns + k * line + l;
                sum<rows, columns>(t, field, outputs, found);
                for (int i = static_cast<int>(first_row - k); i < rows; ++i)
                  for (int j = static_cast<int>(first_column - l); j < columns; ++j)
                    filter[p_.elements[static_cast<std::size_t>(t + i * line + j)]] += found[i][j];
              });
            });
  }

 private:
  // Some tap rows and columns, the first of which is tap t.
  template <int Taps, int Columns>
  void sum(std::ptrdiff_t t, T const* field, T const* outputs,
           tile_of<T, Taps, Columns>& found) const {
    tile_of<B, Taps, Columns> sums;
    KROTON_UNROLL(3)
    for (int i = 0; i < Taps; ++i) KROTON_UNROLL(3)
    for (int j = 0; j < Columns; ++j) sums[i][j] = B(T(0));
    array_of<T const*, Columns> x;
    for (int j = 0; j < Columns; ++j) x[j] = field + p_.offsets[static_cast<std::size_t>(t + j)];
    auto const rows = static_cast<std::ptrdiff_t>(p_.rows.size());
    for (std::ptrdiff_t depth = 0; depth < rows; depth += p_.lines)
      for (std::ptrdiff_t r = 0; r < std::min(shared_.rows_apart, p_.lines); ++r) {
        std::ptrdiff_t const count = some_apart(p_.lines, r, shared_.rows_apart);
        auto const* row = p_.rows.data() + depth + r;
        std::ptrdiff_t i = 0;
        for (; i + height <= count; i += height, row += height * shared_.rows_apart)
          add_rows<height>(row, x, outputs, sums);
        for (; i < count; ++i, row += shared_.rows_apart) add_rows<1>(row, x, outputs, sums);
      }
    KROTON_UNROLL(3)
    for (int i = 0; i < Taps; ++i) KROTON_UNROLL(3)
    for (int j = 0; j < Columns; ++j) found[i][j] = horizontal<op::sum>(sums[i][j]);
  }
  template <int Rows, class Addresses, class Sums>
  KROTON_INLINE void add_rows(correlation_phase::row const* row, Addresses const& x,
                              T const* outputs, Sums& sums) const {
    T const* const y = outputs + row->to;
    std::ptrdiff_t const next = Rows > 1 ? row[shared_.rows_apart].to - row->to : 0;
    std::ptrdiff_t const whole = p_.columns / width * width, rest = p_.columns - whole;
    for (std::ptrdiff_t j = 0; j < whole; j += width)
      add<Rows>(x, row->from + j, y + j, next, [](B const& b) { return b; }, sums);
    if (rest == 0) return;
    // The last columns of a row that is long enough are read with those before, which do not count.
    std::ptrdiff_t const last = p_.columns >= width ? p_.columns - width : 0;
    auto const counts =
        p_.columns >= width ? lane_window<T>::from(width - rest) : lane_window<T>::first(rest);
    add<Rows>(
        x, row->from + last, y + last, next,
        [&](B const& b) { return counts.template of<op::sum>(b); }, sums);
  }
  template <int Rows, class Counted, std::size_t Taps, std::size_t Columns>
  KROTON_INLINE void add(T const* const (&x)[Columns], std::ptrdiff_t at, T const* y,
                         std::ptrdiff_t next, Counted counted, B (&sums)[Taps][Columns]) const {
    constexpr int columns = static_cast<int>(Columns);
    array_of<B, Rows> v;
    KROTON_UNROLL(8)
    for (int r = 0; r < Rows; ++r) v[r] = counted(B::load_unaligned(y + r * next));
    if constexpr (loads_of_lines && columns > 1) {
      std::ptrdiff_t const apart = x[1] - x[0];
      if (x[columns - 1] - x[0] == (columns - 1) * apart &&
          shifted_rows<T, columns>::fits(x[0] + at, apart))
        return add(shifted_rows<T, columns>(x[0] + at, apart), 0, v, counted, sums);
    }
    KROTON_UNROLL(3)
    for (int j = 0; j < columns; ++j) add(shifted_rows<T>(x[j] + at), j, v, counted, sums);
  }
  // The columns of taps from `first` on that are read at once.
  template <int AtOnce, std::size_t Rows, class Counted, std::size_t Taps, std::size_t Columns>
  KROTON_INLINE void add(shifted_rows<T, AtOnce> x, int first, B const (&v)[Rows], Counted counted,
                         B (&sums)[Taps][Columns]) const {
    constexpr int rows = static_cast<int>(Rows), taps = static_cast<int>(Taps);
    KROTON_UNROLL(10)
    for (int i = 0; i < rows + taps - 1; ++i, x += shared_.step) {
      array_of<B, AtOnce> met;
      x.template load<false>(met);
      KROTON_UNROLL(3)
      for (int j = 0; j < AtOnce; ++j) {
        B const b = counted(met[j]);
        KROTON_UNROLL(3)
        for (int t = 0; t < taps; ++t)
          if (i - t >= 0 && i - t < rows)
            sums[t][first + j] = xsimd::fma(v[i - t], b, sums[t][first + j]);
      }
    }
  }
  correlation_phase const& p_;
  shared_rows const& shared_;
};

}  // namespace kroton::cpu
