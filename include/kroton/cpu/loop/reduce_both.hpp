// Loops that do nothing but reduce, some results along rows and some along other axes: a few rows
// at once, so that what is added to columns goes through memory once for all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/reduce.hpp>

#include <type_traits>
#include <utility>

namespace kroton::cpu {

template <class Kernel, class Outputs = typename Kernel::G::outputs>
class rows_and_columns;
template <class Kernel, int... O>
class rows_and_columns<Kernel, std::integer_sequence<int, O...>> {
  using space = typename Kernel::space;

 public:
  /// Takes as many rows as it can, a few at a time, where they add to the same columns and
  /// everything lies densely. Moves the addresses on; returns how many rows that was.
  static std::ptrdiff_t reduce(space const& s, std::byte** row, std::ptrdiff_t count) {
    if (s.rank < 2 || s.extents[s.rank - 1] < width || !is_dense(s)) return 0;
    std::ptrdiff_t step[Kernel::count];
    for (int k = 0; k < Kernel::count; ++k) step[k] = s.strides[s.rank - 2][k] * s.bytes[k];
    std::ptrdiff_t done = 0;
    for (; done + together <= count; done += together) {
      reduce_few(s, row, step);
      for (int k = 0; k < Kernel::count; ++k) row[k] += together * step[k];
    }
    return done;
  }

 private:
  using lane = typename Kernel::lane_or_double;
  using window = typename Kernel::window;
  using sums = row_sums<lane, Kernel::results, 1>;
  using values = typename Kernel::values;
  using expand = int[];
  static constexpr std::ptrdiff_t width = Kernel::width, together = machine::rows_of_mixed_sums,
                                  most = machine::max_batches_of_sums * width;
  template <int Node>
  using output = typename Kernel::template output<Node>;

  static bool is_dense(space const& s) {
    bool is = true;
    for (int k = 0; k < Kernel::operands; ++k)
      is = is && (!Kernel::facts.spans_rows[k] || s.strides[s.rank - 1][k] == 1);
    for (int k = Kernel::operands; k < Kernel::count; ++k)
      is = is && (Kernel::facts.result[k - Kernel::operands].along_rows ||
                  (s.strides[s.rank - 1][k] == 1 && s.strides[s.rank - 2][k] == 0));
    return is;
  }
  template <class Visit>
  static KROTON_INLINE void for_rows(Visit const& visit) {
    written_out<static_cast<std::size_t>(together)>(visit);
  }
  static KROTON_INLINE void reduce_few(space const& s, std::byte* const* row,
                                       std::ptrdiff_t const* step) {
    // Copies that do not escape, since a batch that is stored may lie anywhere.
    std::byte* at[static_cast<std::size_t>(together)][Kernel::count];
    values v[static_cast<std::size_t>(together)];
    for_rows([&](int r) KROTON_INLINE_LAMBDA {
      for (int k = 0; k < Kernel::count; ++k) at[r][k] = row[k] + r * step[k];
      Kernel::body::template load_invariants<lane>(v[r], at[r]);
    });
    std::ptrdiff_t const n = s.extents[s.rank - 1];
    for (std::ptrdiff_t begin = 0; begin < n; begin += most) {
      std::ptrdiff_t const end = n - begin < most ? n : begin + most;
      sums of_row[static_cast<std::size_t>(together)];
      for_rows([&](int r) KROTON_INLINE_LAMBDA { Kernel::start(of_row[r]); });
      auto const add_batch = [&](std::ptrdiff_t from, auto const&... lanes) KROTON_INLINE_LAMBDA {
        sums of_columns;
        Kernel::start(of_columns);
        for_rows([&](int r) KROTON_INLINE_LAMBDA {
          accumulate(v[r], at[r], from, of_row[r], of_columns, lanes...);
        });
        add_to_columns(of_columns, at[0], from);
      };
      std::ptrdiff_t i = begin;
      for (; i + width <= end; i += width) add_batch(i);
      // One that overlaps the one before
      if (i < end) add_batch(end - width, window::from(i - (end - width)));
      for_rows([&](int r) KROTON_INLINE_LAMBDA { add_along_rows(of_row[r], at[r]); });
    }
  }
  /// A batch of a row; of some lanes, or all.
  template <class... Lanes>
  static KROTON_INLINE void accumulate(values& v, std::byte* const* p, std::ptrdiff_t i,
                                       sums& of_row, sums& of_columns, Lanes const&... lanes) {
    Kernel::body::template batch<lane>(v, p, i);
    auto const add = [&]<int Node>(std::integral_constant<int, Node>, int k) KROTON_INLINE_LAMBDA {
      sums& to = output<Node>::along_rows ? of_row : of_columns;
      if constexpr (sizeof...(Lanes) == 0) output<Node>::accumulate(to, k, 0, v.v[Node]);
      else output<Node>::accumulate(to, k, v.v[Node], lanes...);
    };
    int k = 0;
    (void)expand{0, (add(std::integral_constant<int, O>{}, k), ++k)...};
  }
  static KROTON_INLINE void add_along_rows(sums const& of_row, std::byte* const* p) {
    int k = 0;
    (void)expand{0, (output<O>::along_rows
                         ? output<O>::finish_part(of_row, k, p[Kernel::operands + k], false)
                         : void(),
                     ++k)...};
  }
  static KROTON_INLINE void add_to_columns(sums const& of_columns, std::byte* const* p,
                                           std::ptrdiff_t i) {
    int k = 0;
    (void)expand{0, (output<O>::add_columns(of_columns, k, p[Kernel::operands + k], i), ++k)...};
  }
};

}  // namespace kroton::cpu
