// Loops that do nothing but reduce: along rows in several batches at once, along other axes several rows at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/reduce.hpp>
#include <kroton/cpu/row.hpp>

#include <cstdint>

namespace kroton::core {

/// How many elements stand before the first operand that spans rows is aligned.
template <class L, class Space>
std::ptrdiff_t elements_before_aligned(Space const& s, typename Space::facts_type const& facts, std::byte* const* p) {
  constexpr std::size_t batch_bytes = sizeof(xsimd::batch<L>);
  for (int k = 0; k < Space::operands; ++k) {
    if (!facts.spans_rows[k] || s.bytes[k] != static_cast<int>(sizeof(L))) continue;
    std::size_t const beyond = reinterpret_cast<std::uintptr_t>(p[k]) % batch_bytes;
    return static_cast<std::ptrdiff_t>((batch_bytes - beyond) % batch_bytes / sizeof(L));
  }
  return 0;
}

template <class Kernel, int Chain, class Sums>
KROTON_INLINE void accumulate_row(typename Kernel::values& v, std::byte** row, std::ptrdiff_t const* step, std::ptrdiff_t i, Sums& sums) {
  Kernel::body::template load_invariants<typename Kernel::lane>(v, row);
  Kernel::template accumulate<Chain>(v, row, i, sums);
  for (int a = 0; a < Kernel::space::operands; ++a) row[a] += step[a];
}

/// The rows of a loop that only reduces, along rows. Their ends are batches that overlap the ones before, and of long rows the
/// beginnings, too, so that loads between them are aligned.
template <class Kernel>
void reduce_rows(typename Kernel::space const& s, std::byte* const* first, std::ptrdiff_t count) {
  using space = typename Kernel::space;
  using window = typename Kernel::window;
  constexpr std::ptrdiff_t width = Kernel::width;
  constexpr int chains = Kernel::is_short ? 4 : 1;
  constexpr std::ptrdiff_t long_part = 64 * chains * width;  // what accumulates in the lane type without rounding much
  std::ptrdiff_t const n = s.extents[s.rank - 1];
  part_buffers<space, static_cast<int>(width)> buffers(s, Kernel::facts);
  bool const in_place = buffers.dense && n >= width;
  std::ptrdiff_t const most = buffers.dense ? long_part : buffers.most;
  typename Kernel::values v;
  row_sums<typename Kernel::lane, space::results, chains> sums;
  std::byte* row[space::count];
  std::ptrdiff_t to_next[space::count], step[space::count];
  for (int k = 0; k < space::count; ++k) {
    row[k] = first[k];
    to_next[k] = s.rank > 1 ? s.strides[s.rank - 2][k] * s.bytes[k] : 0;
    step[k] = k < space::operands && Kernel::facts.spans_rows[k] ? s.strides[s.rank - 1][k] * s.bytes[k] : 0;
  }
  for (; count > 0; --count) {
    Kernel::body::template load_invariants<typename Kernel::lane>(v, row);
    for (std::ptrdiff_t begin = 0, part; begin < n; begin += part) {
      part = n - begin < most ? n - begin : most;
      std::byte* p[space::count];
      for (int k = 0; k < space::count; ++k) p[k] = row[k] + begin * step[k];
      if (!in_place) buffers.fill(p, part);
      std::ptrdiff_t head = in_place && part >= 32 * width ? elements_before_aligned<typename Kernel::lane>(s, Kernel::facts, p) : 0;
      Kernel::start(sums);
      for (std::ptrdiff_t i = 0;; head = 0) {
        if constexpr (Kernel::is_short) {
          for (; head == 0 && i + 4 * width <= part; i += 4 * width) {
            Kernel::template accumulate<0>(v, p, i, sums);
            Kernel::template accumulate<1>(v, p, i + width, sums);
            Kernel::template accumulate<2>(v, p, i + 2 * width, sums);
            Kernel::template accumulate<3>(v, p, i + 3 * width, sums);
          }
        }
        if (i >= part) break;
        bool const begins = head != 0 || (!in_place && part < width);
        std::ptrdiff_t const at = begins ? 0 : i + width <= part ? i : part - width;
        Kernel::accumulate(v, p, at, sums, begins ? window::first(head != 0 ? head : part) : window::from(i - at));
        i += head != 0 ? head : width;
      }
      Kernel::finish(sums, p);
    }
    for (int k = 0; k < space::count; ++k) row[k] += to_next[k];
  }
}

/// The rows of a loop that only reduces, along other axes: some of them accumulate in registers before they are added to the results.
template <class Kernel>
void reduce_columns(typename Kernel::space const& s, std::byte* const* first, std::ptrdiff_t count) {
  using space = typename Kernel::space;
  constexpr std::ptrdiff_t width = Kernel::width;
  std::ptrdiff_t const n = s.extents[s.rank - 1];
  std::ptrdiff_t const* const strides = s.strides[s.rank - 1];
  part_buffers<space, static_cast<int>(width)> buffers(s, Kernel::facts);
  bool in_place = buffers.dense && n >= width, together = s.rank > 1;
  std::ptrdiff_t step[space::count];
  std::byte* row[space::count];
  for (int k = 0; k < space::count; ++k) {
    step[k] = s.rank > 1 ? s.strides[s.rank - 2][k] * s.bytes[k] : 0;
    row[k] = first[k];
    if (k < space::operands) continue;
    in_place = in_place && strides[k] == 1;
    together = together && step[k] == 0;
  }
  // Few, so that the processor fetches ahead of all of them; many where they are short.
  std::ptrdiff_t const most = !together ? 1 : in_place && n > 32 * width ? 16 : 64;
  typename Kernel::values v;
  row_sums<typename Kernel::lane, space::results, Kernel::is_short ? 2 : 1> sums;
  for (std::ptrdiff_t rows; count > 0; count -= rows) {
    rows = count < most ? count : most;
    for (std::ptrdiff_t j = 0; j < n; j += width) {
      std::ptrdiff_t const part = n - j < width ? n - j : width, at = in_place ? j + part - width : 0;
      Kernel::start(sums);
      std::byte* of_row[space::count];
      for (int a = 0; a < space::count; ++a) of_row[a] = row[a];
      std::ptrdiff_t r = 0;
      if constexpr (Kernel::is_short) {
        for (; in_place && r + 4 <= rows; r += 4) {
          accumulate_row<Kernel, 0>(v, of_row, step, at, sums);
          accumulate_row<Kernel, 1>(v, of_row, step, at, sums);
          accumulate_row<Kernel, 0>(v, of_row, step, at, sums);
          accumulate_row<Kernel, 1>(v, of_row, step, at, sums);
        }
      }
      for (; r < rows; ++r) {
        std::byte* p[space::count];
        for (int a = 0; a < space::count; ++a) p[a] = of_row[a];
        Kernel::body::template load_invariants<typename Kernel::lane>(v, p);
        if (!in_place) {
          for (int a = 0; a < space::operands; ++a) p[a] += Kernel::facts.spans_rows[a] ? j * strides[a] * s.bytes[a] : 0;
          buffers.fill(p, part);
        }
        Kernel::template accumulate<0>(v, p, at, sums);
        for (int a = 0; a < space::operands; ++a) of_row[a] += step[a];
      }
      if (in_place) Kernel::finish_batch(sums, s, row, at, Kernel::window::from(width - part));
      else Kernel::finish_elements(sums, s, row, j, part);
    }
    for (int a = 0; a < space::count; ++a) row[a] += rows * step[a];
  }
}

}  // namespace kroton::core
