// Loops that do nothing but reduce along rows: in several batches at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/reduce.hpp>
#include <kroton/cpu/loop/row.hpp>

#include <cstdint>
#include <cstring>

namespace kroton::cpu {

/// How many elements stand before the first operand that spans rows is aligned.
template <class Kernel>
std::ptrdiff_t elements_before_aligned(typename Kernel::space const& s, std::byte* const* p) {
  using L = typename Kernel::lane;
  constexpr std::size_t batch_bytes = sizeof(xsimd::batch<L>);
  for (int k = 0; k < Kernel::operands; ++k) {
    if (!Kernel::facts.spans_rows[k] || s.bytes[k] != static_cast<int>(sizeof(L))) continue;
    std::size_t const beyond = reinterpret_cast<std::uintptr_t>(p[k]) % batch_bytes;
    return static_cast<std::ptrdiff_t>((batch_bytes - beyond) % batch_bytes / sizeof(L));
  }
  return 0;
}

/// Operands of which all rows are the same one, shorter than a batch, copied to where a batch may
/// read it. Those have a dense row of the kernel's lanes.
template <class Kernel>
class repeated_rows {
  using L = typename Kernel::lane;

 public:
  void copy(typename Kernel::space const& s, std::ptrdiff_t const* step, std::byte** row) {
    std::ptrdiff_t const n = s.extents[s.rank - 1];
    if (n >= Kernel::width) return;
    for (int k = 0; k < Kernel::operands; ++k) {
      if (!Kernel::facts.spans_rows[k] || step[k] != 0) continue;
      std::memcpy(copies_[k], row[k], static_cast<std::size_t>(n) * sizeof(L));
      row[k] = reinterpret_cast<std::byte*>(copies_[k]);
    }
  }

 private:
  L copies_[static_cast<std::size_t>(Kernel::operands) + 1]
           [static_cast<std::size_t>(Kernel::width)]{};
};

/// How many rows behind a dense one, shorter than a batch, a batch at its beginning reads, if
/// repeated ones are copied; -1 where it may not.
template <class Kernel>
std::ptrdiff_t rows_read_beyond(typename Kernel::space const& s, std::ptrdiff_t const* step) {
  std::ptrdiff_t const n = s.extents[s.rank - 1];
  std::ptrdiff_t most = 0;
  if (Kernel::has_foreign) return -1;
  for (int k = 0; k < Kernel::operands; ++k) {
    if (!Kernel::facts.spans_rows[k]) continue;
    bool const has_lanes = s.bytes[k] == static_cast<int>(sizeof(typename Kernel::lane));
    if (!has_lanes || s.strides[s.rank - 1][k] != 1) return -1;
    if (step[k] == 0) continue;
    if (step[k] < n * s.bytes[k]) return -1;
    std::ptrdiff_t const mine = ((Kernel::width - n) * s.bytes[k] + step[k] - 1) / step[k];
    if (mine > most) most = mine;
  }
  return most;
}

/// As many rows as a batch has lanes at a time, of a few batches each, so that these are combined
/// across their lanes together. Moves the addresses on; returns how many rows that was.
template <class Kernel>
std::ptrdiff_t reduce_short_rows(typename Kernel::space const& s, std::byte** row,
                                 std::ptrdiff_t count) {
  using window = typename Kernel::window;
  constexpr std::ptrdiff_t width = Kernel::width;
  std::ptrdiff_t const n = s.extents[s.rank - 1];
  if (s.rank < 2 || n > machine::max_batches_of_short_row * width || n == 0 || count < width)
    return 0;
  std::ptrdiff_t step[Kernel::count];
  for (int k = 0; k < Kernel::count; ++k) step[k] = s.strides[s.rank - 2][k] * s.bytes[k];
  for (int k = Kernel::operands; k < Kernel::count; ++k)
    if (step[k] != s.bytes[k]) return 0;
  for (int k = 0; k < Kernel::operands; ++k)
    if (Kernel::facts.spans_rows[k] && s.strides[s.rank - 1][k] != 1) return 0;
  std::ptrdiff_t const beyond = n < width ? rows_read_beyond<Kernel>(s, step) : 0, tail = n % width;
  if (beyond < 0) return 0;
  std::ptrdiff_t const last = n < width ? 0 : n - width;
  window const lanes = n < width ? window::first(n) : window::from(width - tail);
  using sums = row_sums<typename Kernel::lane, Kernel::results, 1>;
  auto const for_rows = [](auto const& visit) KROTON_INLINE_LAMBDA {
    written_out<static_cast<std::size_t>(width)>(visit);
  };
  std::byte* at_row[Kernel::count];
  for (int k = 0; k < Kernel::count; ++k) at_row[k] = row[k];
  repeated_rows<Kernel> copies;
  copies.copy(s, step, at_row);
  std::ptrdiff_t done = 0;
  for (; done + width <= count - beyond; done += width) {
    sums of_row[static_cast<std::size_t>(width)], all;
    auto const add = [&]<bool Whole>(std::ptrdiff_t at, int r) KROTON_INLINE_LAMBDA {
      typename Kernel::values v;
      std::byte* p[Kernel::count];
      for (int k = 0; k < Kernel::count; ++k) p[k] = at_row[k] + r * step[k];
      Kernel::body::template load_invariants<typename Kernel::lane>(v, p);
      if constexpr (Whole) Kernel::template accumulate<0>(v, p, at, of_row[r]);
      else Kernel::accumulate(v, p, at, of_row[r], false, lanes);
    };
    for_rows([&](int r) KROTON_INLINE_LAMBDA { Kernel::start(of_row[r]); });
    for (std::ptrdiff_t i = 0; i + width <= n; i += width)
      for_rows([&](int r) KROTON_INLINE_LAMBDA { add.template operator()<true>(i, r); });
    if (tail != 0)
      for_rows([&](int r) KROTON_INLINE_LAMBDA { add.template operator()<false>(last, r); });
    Kernel::gather_rows(all, of_row);
    Kernel::finish_batch(all, {s, at_row, false}, 0, window::from(0));
    for (int k = 0; k < Kernel::count; ++k) at_row[k] += width * step[k];
  }
  for (int k = 0; k < Kernel::count; ++k) row[k] += done * step[k];
  return done;
}

/// Half of the elements of a row that waits for memory, of which two parts are then read at a time,
/// since memory gives two streams more than one; 0 of others.
template <class Kernel>
std::ptrdiff_t half_of_long_row(typename Kernel::space const& s) {
  std::ptrdiff_t const n = s.extents[s.rank - 1];
  std::ptrdiff_t bytes = 0;
  for (int k = 0; k < Kernel::operands; ++k)
    if (Kernel::facts.spans_rows[k]) bytes += n * s.bytes[k];
  std::ptrdiff_t const unit = 2 * Kernel::width;
  return bytes < machine::streamed_bytes ? 0 : n / 2 / unit * unit;
}

/// The rows of a loop that only reduces, along rows. Their ends are batches that overlap the ones
/// before, and of long rows the beginnings, too, so that loads between them are aligned.
template <class Kernel>
void reduce_rows(typename Kernel::space const& s, std::byte* const* first, std::ptrdiff_t count) {
  using window = typename Kernel::window;
  constexpr std::ptrdiff_t width = Kernel::width;
  constexpr int chains = Kernel::is_short ? 4 : 1;
  constexpr std::ptrdiff_t long_part =
      (sizeof(typename Kernel::lane) == 8 ? machine::max_batches_of_chain
                                          : machine::max_batches_of_short_chain) *
      chains * width;
  std::ptrdiff_t const n = s.extents[s.rank - 1];
  part_buffers<Kernel::operands, Kernel::results, static_cast<int>(width)> buffers(s,
                                                                                   Kernel::facts);
  bool const in_place = buffers.dense && n >= width;
  std::ptrdiff_t const most = buffers.dense ? long_part : buffers.most;
  typename Kernel::values v;
  row_sums<typename Kernel::lane, Kernel::results, chains> sums;
  std::byte* row[Kernel::count];
  std::ptrdiff_t to_next[Kernel::count], step[Kernel::count];
  for (int k = 0; k < Kernel::count; ++k) {
    row[k] = first[k];
    to_next[k] = s.rank > 1 ? s.strides[s.rank - 2][k] * s.bytes[k] : 0;
    step[k] = k < Kernel::operands && Kernel::facts.spans_rows[k]
                  ? s.strides[s.rank - 1][k] * s.bytes[k]
                  : 0;
  }
  std::ptrdiff_t const half = Kernel::is_short && in_place ? half_of_long_row<Kernel>(s) : 0;
  for (; count > 0; --count) {
    Kernel::body::template load_invariants<typename Kernel::lane>(v, row);
    for (std::ptrdiff_t begin = 0, part; begin < n; begin += part) {
      bool const is_half = begin < half;
      std::byte* p[Kernel::count];
      for (int k = 0; k < Kernel::count; ++k) p[k] = row[k] + begin * step[k];
      std::ptrdiff_t const rest = is_half ? half - begin : n - begin;
      std::ptrdiff_t head =
          in_place && !is_half && rest >= machine::min_batches_read_aligned * width
              ? elements_before_aligned<Kernel>(s, p)
              : 0;
      // The next one begins where it is aligned
      std::ptrdiff_t const longest = is_half ? most / 2 : most + head;
      part = rest < longest ? rest : longest;
      if (!in_place) buffers.fill(p, part);
      Kernel::start(sums);
      for (std::ptrdiff_t i = 0;; head = 0) {
        if constexpr (Kernel::is_short) {
          std::ptrdiff_t const batches = is_half ? 2 * width : 4 * width,
                               other = is_half ? half : 2 * width;
          for (; head == 0 && i + batches <= part; i += batches) {
            Kernel::template accumulate_two<0>(v, p, i, sums);
            Kernel::template accumulate_two<2>(v, p, i + other, sums);
          }
        }
        if (i >= part) break;
        bool const begins = head != 0 || (!in_place && part < width);
        std::ptrdiff_t const at = begins ? 0 : i + width <= part ? i : part - width;
        if (begins)
          Kernel::accumulate(v, p, at, sums, false, window::first(head != 0 ? head : part));
        else Kernel::accumulate(v, p, at, sums, at == i, window::from(i - at));
        i += head != 0 ? head : width;
      }
      Kernel::finish(sums, p, s.adds_few);
      if (is_half && begin + part == half) begin += half;
    }
    for (int k = 0; k < Kernel::count; ++k) row[k] += to_next[k];
  }
}

}  // namespace kroton::cpu
