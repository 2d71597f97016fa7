// Operands laid out anew for a loop: a transposed one is read in tiles, and short rows become a
// long one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/loop/tiles.hpp>

#include <algorithm>

namespace kroton::core {

/// Runs a loop over its last two axes in blocks, for which operands that do not lie as the loop
/// reads them are copied into a buffer that stays in the first-level cache. Where everything then
/// lies densely, a block is a single long row.
template <class Space>
class staged_loop {
 public:
  using rows_type = void (*)(Space const&, std::byte* const*, std::ptrdiff_t);

  staged_loop(Space const& s, loop_facts const& facts) : s_(s) {
    if (s.rank < 2) return;
    std::ptrdiff_t const n = columns();
    bool const joins = n <= (is_in_place() ? loop_facts{}.longest_joined : facts.longest_joined) &&
                       rows() > 1 && can_join(facts);
    for (int k = 0; k < s.operands; ++k) {
      bool const spans = facts.spans_rows[k] && n > 1;
      staged_[k] = spans && (along(k) != 1 || (joins && across(k) != n));
      count_ += staged_[k] ? 1 : 0;
    }
    for (int k = 0; k < s.results; ++k)
      if (facts.result[k].reduction || along(s.operands + k) != 1) count_ = 0;
    joins_ = joins;
    if (count_ > 0) share_ = most / count_ / line * line;
    if (share_ < least_share) count_ = 0;
  }
  /// Whether there is something to lay out anew.
  bool is_needed() const { return count_ > 0; }

  void run(rows_type loop) {
    std::ptrdiff_t index[max_rank + 1]{};
    for (;;) {
      addresses at;
      for (int k = 0; k < s_.count; ++k) {
        at[k] = s_.data[k];
        for (int d = 0; d < s_.rank - 2; ++d) at[k] += index[d] * s_.strides[d][k] * s_.bytes[k];
      }
      run_matrix(at, loop);
      int d = s_.rank - 3;
      for (; d >= 0 && ++index[d] == s_.extents[d]; --d) index[d] = 0;
      if (d < 0) return;
    }
  }

 private:
  using addresses = typename Space::template per_array<std::byte*>;
  // Elements of all blocks; what each one's are a multiple of
  static constexpr std::ptrdiff_t most = 2048, line = 64;
  static constexpr std::ptrdiff_t least_share = 128;

  std::ptrdiff_t columns() const { return s_.extents[s_.rank - 1]; }
  std::ptrdiff_t rows() const { return s_.extents[s_.rank - 2]; }
  std::ptrdiff_t along(int k) const { return s_.strides[s_.rank - 1][k]; }
  std::ptrdiff_t across(int k) const { return s_.strides[s_.rank - 2][k]; }
  /// Whether a result takes the place of an operand.
  bool is_in_place() const {
    for (int k = s_.operands; k < s_.count; ++k)
      for (int i = 0; i < s_.operands; ++i)
        if (s_.data[i] == s_.data[k]) return true;
    return false;
  }
  bool can_join(loop_facts const& facts) const {
    for (int k = 0; k < s_.operands; ++k)
      if (!facts.spans_rows[k] && across(k) != 0) return false;
    for (int k = 0; k < s_.results; ++k)
      if (across(s_.operands + k) != columns()) return false;
    return true;
  }

  void run_matrix(std::byte* const* at, rows_type loop) {
    // A tile's rows are a few cache lines long; those of a transposed operand, too.
    constexpr std::ptrdiff_t widest = 64;
    std::ptrdiff_t const width = joins_ ? columns() : std::min(columns(), widest);
    constexpr std::ptrdiff_t squares = 16;  // transposed in registers
    std::ptrdiff_t const fitting = share_ / width,
                         whole = fitting < squares ? fitting : fitting - fitting % squares;
    std::ptrdiff_t const height = std::max<std::ptrdiff_t>(std::min(rows(), whole), 1);
    Space block = s_;
    block.streams = false;
    block.whole_rows = !joins_ && columns() <= widest;
    block.rank = joins_ ? 1 : 2;
    for (std::ptrdiff_t r = 0; r < rows(); r += height)
      for (std::ptrdiff_t c = 0; c < columns(); c += width) {
        std::ptrdiff_t const h = std::min(height, rows() - r), w = std::min(width, columns() - c);
        std::byte* buffer = buffer_;
        for (int k = 0; k < s_.count; ++k) {
          bool const is_staged = k < s_.operands && staged_[k];
          block.strides[0][k] = joins_ ? along(k) : is_staged ? w : across(k);
          block.strides[1][k] = along(k);
          block.data[k] = at[k] + (r * across(k) + c * along(k)) * s_.bytes[k];
          if (!is_staged) continue;
          block.strides[joins_ ? 0 : 1][k] = 1;
          // What is the same for all rows is there after the first block.
          bool const is_there = across(k) == 0 && joins_ && r > 0;
          if (!is_there) copy_tile(buffer, block.data[k], s_.bytes[k], h, w, across(k), along(k));
          block.data[k] = buffer;
          buffer += share_ * s_.bytes[k];
        }
        block.extents[0] = joins_ ? h * w : h;
        block.extents[1] = w;
        loop(block, block.data, joins_ ? 1 : h);
      }
  }

  Space const& s_;
  typename Space::template per_array<bool> staged_{};
  bool joins_ = false;
  int count_ = 0;
  std::ptrdiff_t share_ = 0;  // elements of an operand's block
  alignas(64) std::byte buffer_[static_cast<std::size_t>(most) * 16];
};

/// Calls `rows` for all rows of a space.
template <class Space>
void walk(Space const& s, loop_facts const& facts,
          void (*rows)(Space const&, std::byte* const*, std::ptrdiff_t)) {
  if constexpr (Space::fixed_rows) {
    staged_loop<Space> staged(s, facts);
    if (staged.is_needed()) return staged.run(rows);
  }
  s.for_rows(rows);
}

}  // namespace kroton::core
