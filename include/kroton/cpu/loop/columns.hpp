// Reductions over rows: the sums of a batch of columns stay in registers from row to row.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/lanes.hpp>
#include <kroton/cpu/loop/reduce.hpp>

#include <utility>

namespace kroton::cpu {

/// The rows of a kernel that only reduces, along other axes than rows.
template <class Kernel, class Operands = std::make_integer_sequence<int, Kernel::operands>>
struct column_rows;
template <class Kernel, int... K>
struct column_rows<Kernel, std::integer_sequence<int, K...>> {
  using lane = typename Kernel::lane_or_double;
  using sums = row_sums<lane, Kernel::results, 1>;
  using addresses = std::byte * [Kernel::count];

  /// Adds so many rows, `step` bytes apart, to the sums of batches of columns side by side, the
  /// first one at `at`.
  template <std::size_t Abreast>
  static KROTON_INLINE void add(std::byte* const* first, std::ptrdiff_t const* step,
                                std::ptrdiff_t at, std::ptrdiff_t rows, sums (&sum)[Abreast]) {
    if constexpr (Kernel::only_extrema) {
      // A comparison takes longer than the row's loads, but their order does not matter.
      row_sums<lane, Kernel::results, 4> chains[1];
      Kernel::start(chains[0]);
      add_rows(first, step, at, rows, chains);
      Kernel::gather_chains(sum[0], chains[0]);
    } else {
      add_rows(first, step, at, rows, sum);
    }
  }

 private:
  using expand = int[];
  // One by one, as in direct_steps: a loop over addresses would be a vector in memory.
  static KROTON_INLINE void move([[maybe_unused]] addresses& p,
                                 [[maybe_unused]] std::ptrdiff_t const* step) {
    (void)expand{0, (p[K] = unknown_value(p[K] + step[K]), 0)...};
  }
  template <class Sums, std::size_t Abreast>
  static KROTON_INLINE void add_rows([[maybe_unused]] std::byte* const* first,
                                     std::ptrdiff_t const* step, std::ptrdiff_t at,
                                     std::ptrdiff_t rows, Sums (&sum)[Abreast]) {
    typename Kernel::values v;
    addresses p{};
    (void)expand{0, (p[K] = first[K], 0)...};
    if constexpr (Sums::chains == 4)
      for (; rows >= 4; rows -= 4) {
        add_two<0>(v, p, step, at, sum[0]);
        add_two<2>(v, p, step, at, sum[0]);
      }
    for (; rows > 0; --rows, move(p, step)) {
      Kernel::body::template load_invariants<lane>(v, p);
      written_out<Abreast>([&](int a) KROTON_INLINE_LAMBDA {
        Kernel::template accumulate<0>(v, p, at + a * Kernel::width, sum[a]);
      });
    }
  }
  template <int Chain, class Sums>
  static KROTON_INLINE void add_two(typename Kernel::values& v, addresses& p,
                                    std::ptrdiff_t const* step, std::ptrdiff_t at, Sums& sum) {
    addresses next{};
    (void)expand{0, (next[K] = p[K] + step[K], 0)...};
    Kernel::template accumulate_rows<Chain>(v, p, next, at, sum);
    move(p, step), move(p, step);
  }
};

}  // namespace kroton::cpu
