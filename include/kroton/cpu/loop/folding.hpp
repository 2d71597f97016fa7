// Sums over narrow rows next to what a loop stores: while a block of rows is one long row, each of
// its elements has a sum of its own, and those of a column are added at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>

namespace kroton::cpu {

/// Whether a result has a sum for each element of a row.
template <class Space>
bool is_summed_over_rows(Space const& s, loop_facts const& facts, int result) {
  result_fact const& fact = facts.result[result];
  return fact.reduction && !fact.along_rows && s.strides[s.rank - 2][s.operands + result] == 0;
}

/// Whether a loop over rows of so many elements takes blocks of them as one row although results
/// are summed over them. Loops that only reduce keep their sums in registers.
template <class Space>
bool is_folded(Space const& s, loop_facts const& facts) {
  if (!Space::fixed_rows || s.rank < 2 || s.count > machine::max_folded_arrays) return false;
  std::ptrdiff_t const n = s.extents[s.rank - 1], rows = s.extents[s.rank - 2];
  bool const fills_batches = n % machine::tile_side == 0;
  if (n > machine::max_folded_row ||
      rows < (fills_batches ? machine::min_folded_whole_rows : machine::min_folded_rows))
    return false;
  bool stores = false, adds = false;
  for (int k = 0; k < s.results; ++k) {
    stores = stores || !facts.result[k].reduction;
    adds = adds || is_summed_over_rows(s, facts, k);
  }
  return stores && adds;
}

/// Lets so many elements accumulate from nothing.
inline void start_folded(std::byte* sums, result_fact const& fact, int bytes,
                         std::ptrdiff_t count) {
  fact.start(sums);
  repeat_element(sums, count, bytes);
}
/// Adds what `rows` of n elements accumulated to that of the result, whose elements lie densely.
/// Halves are added, so that few additions have to wait for others.
inline void finish_folded(std::byte* to, std::byte* sums, result_fact const& fact, int bytes,
                          std::ptrdiff_t rows, std::ptrdiff_t n) {
  for (; rows > 1; rows = (rows + 1) / 2)
    fact.combine(sums, sums + (rows + 1) / 2 * n * bytes, rows / 2 * n);
  fact.combine(to, sums, n);
}

}  // namespace kroton::cpu
