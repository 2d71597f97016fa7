// Operands laid out anew for a loop: a transposed one is read in tiles, and short rows become a
// long one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/folding.hpp>
#include <kroton/cpu/loop/tiles.hpp>
#include <kroton/plan/indirect.hpp>

#include <algorithm>

namespace kroton::cpu {

/// Which operands of a loop are laid out anew: those that do not lie as the loop reads them, or are
/// read through indices, are copied, a block of its last two axes at a time, into a buffer that
/// stays in the first cache.
/// Where everything then lies densely, a block is a single long row.
template <class Space>
class staging {
  // A loop that reads through indices has to find room for all that it reads so.
  static_assert(max_indirect_operands * machine::line <= machine::max_staged);

 public:
  staging(Space const& s, loop_facts const& facts) {
    if (!Space::fixed_rows || (s.rank < 2 && s.indirect == nullptr)) return;
    std::ptrdiff_t const n = columns(s);
    folds_ = is_folded(s, facts);
    folds_ = folds_ && can_join(s, facts);  // which asks whether they fold
    joins_ = folds_ ||
             (n <= (is_in_place(s) ? machine::max_joined_row : facts.max_joined_row) &&
              rows(s) > 1 && can_join(s, facts));
    for (int k = 0; k < s.operands; ++k) {
      bool const spans = facts.spans_rows[k] && (n > 1 || folds_);
      bool const lies_along = along(s, k) == 1 || (folds_ && n == 1);
      staged_[k] =
          is_indirect(s, k) || (spans && (!lies_along || (joins_ && across(s, k) != n)));
      count_ += staged_[k] ? 1 : 0;
      only_gathers_ = only_gathers_ && (!staged_[k] || is_indirect(s, k));
      makes_ = makes_ || (is_indirect(s, k) && s.indirect[k]->make != nullptr);
    }
    for (int k = 0; k < s.results && s.indirect == nullptr && !folds_; ++k)
      if (facts.result[k].reduction || along(s, s.operands + k) != 1) count_ = 0;
    for (int k = 0; k < s.results && folds_; ++k)
      count_ += is_summed_over_rows(s, facts, k) ? 1 : 0;
    facts_ = &facts;
    if (count_ > 0) share_ = machine::max_staged / count_ / machine::line * machine::line;
    if (share_ < machine::min_block && s.indirect == nullptr) count_ = 0;
  }
  /// Whether an operand is copied, and whether blocks of rows become one row.
  bool is_staged(int k) const { return count_ > 0 && staged_[k]; }
  bool joins_rows() const { return count_ > 0 && joins_; }
  /// Whether results that are summed over these rows have a sum for each element of such a row.
  bool folds_rows() const { return count_ > 0 && folds_; }
  /// Whether results may be stored past the caches: not from tiles, whose rows are short, nor where
  /// elements are made, which takes longer than storing them.
  bool has_long_rows() const { return count_ == 0 || (only_gathers_ && !joins_ && !makes_); }

  /// Runs all rows of the space, or of one of its parts.
  void run(Space const& s, rows_function<Space> loop) const {
    if (count_ == 0) return s.for_rows(loop);
    if constexpr (Space::fixed_rows) run_blocks(s, loop);
  }

 private:
  using addresses = typename Space::template per_array<std::byte*>;
  struct part_of_axis {
    std::ptrdiff_t first, count;
  };

  static std::ptrdiff_t columns(Space const& s) { return s.extents[s.rank - 1]; }
  static std::ptrdiff_t rows(Space const& s) { return s.rank < 2 ? 1 : s.extents[s.rank - 2]; }
  static std::ptrdiff_t along(Space const& s, int k) { return s.strides[s.rank - 1][k]; }
  static std::ptrdiff_t across(Space const& s, int k) {
    return s.rank < 2 ? 0 : s.strides[s.rank - 2][k];
  }
  static bool is_indirect(Space const& s, int k) {
    return s.indirect != nullptr && s.indirect[k] != nullptr;
  }
  /// Whether an axis goes along the rows that indices select, and not along these.
  static bool is_behind(Space const& s, int k, int axis) {
    return axis >= s.rank - s.behind && k < s.operands && is_indirect(s, k) &&
           s.indirect[k]->behind > 0;
  }
  /// Whether a result takes the place of an operand.
  static bool is_in_place(Space const& s) {
    for (int k = s.operands; k < s.count; ++k)
      for (int i = 0; i < s.operands; ++i)
        if (s.data[i] == s.data[k] && s.data[i] != nullptr) return true;
    return false;
  }
  bool can_join(Space const& s, loop_facts const& facts) const {
    for (int k = 0; k < s.operands; ++k)
      if (!facts.spans_rows[k] && across(s, k) != 0) return false;
    for (int k = 0; k < s.results; ++k) {
      int const array = s.operands + k;
      if (facts.result[k].along_rows) {
        if (across(s, array) != 0) return false;  // only a total goes on in the next row
      } else if (folds_ && columns(s) > 1 && along(s, array) != 1) {
        return false;
      } else if (across(s, array) != columns(s) &&
                 !(folds_ && is_summed_over_rows(s, facts, k))) {
        return false;
      }
    }
    return true;
  }

  void run_blocks(Space const& s, rows_function<Space> loop) const {
    alignas(64) std::byte buffer[static_cast<std::size_t>(machine::max_staged) * 16];
    std::ptrdiff_t index[max_rank + 1]{};
    for (;;) {
      addresses at;
      typename Space::template per_array<std::ptrdiff_t> in_row{};
      for (int k = 0; k < s.count; ++k) {
        at[k] = s.data[k];
        for (int d = 0; d < s.rank - 2; ++d)
          if (is_behind(s, k, d)) in_row[k] += index[d] * s.strides[d][k];
          else at[k] += index[d] * s.strides[d][k] * s.bytes[k];
      }
      run_matrix(s, at, in_row, buffer, loop);
      int d = s.rank - 3;
      for (; d >= 0 && ++index[d] == s.extents[d]; --d) index[d] = 0;
      if (d < 0) return;
    }
  }
  /// `in_row`: how far from the beginnings of selected rows, in elements.
  void run_matrix(Space const& s, std::byte* const* at, std::ptrdiff_t const* in_row,
                  std::byte* buffers, rows_function<Space> loop) const {
    std::ptrdiff_t const widest = makes_          ? std::min(share_, machine::max_made)
                                  : only_gathers_ ? share_
                                                  : machine::max_tile_columns;
    std::ptrdiff_t const width = joins_ ? columns(s) : std::min(columns(s), widest);
    std::ptrdiff_t const fitting = folds_ ? rows_folded(s) : share_ / width,
                         whole = fitting < machine::tile_side
                                     ? fitting
                                     : fitting - fitting % machine::tile_side;
    std::ptrdiff_t const height = std::max<std::ptrdiff_t>(std::min(rows(s), whole), 1);
    Space block = s;
    block.indirect = nullptr;
    block.behind = 0;
    block.whole_rows = s.whole_rows && !joins_ && columns(s) <= widest;
    block.rank = joins_ ? 1 : 2;
    for (std::ptrdiff_t r = 0; r < rows(s); r += height)
      for (std::ptrdiff_t c = 0; c < columns(s); c += width) {
        std::ptrdiff_t const h = std::min(height, rows(s) - r), w = std::min(width, columns(s) - c);
        std::byte* buffer = buffers;
        for (int k = 0; k < s.count; ++k) {
          bool const is_copied = k < s.operands && staged_[k];
          block.strides[0][k] = joins_ ? along_joined(s, k) : is_copied ? w : across(s, k);
          block.strides[1][k] = along(s, k);
          block.data[k] = at[k] + (r * across(s, k) + c * along(s, k)) * s.bytes[k];
          if (folds(s, k)) {
            block.data[k] = buffer;
            if (r == 0) start_folded(buffer, fact(s, k), s.bytes[k], height * w);
            buffer += share_ * s.bytes[k];
          }
          if (!is_copied) continue;
          block.strides[joins_ ? 0 : 1][k] = 1;
          // What is the same for all rows is there after the first block.
          bool const is_there = across(s, k) == 0 && joins_ && r > 0;
          block.bytes[k] = is_indirect(s, k) ? s.indirect[k]->bytes : s.bytes[k];
          bool const is_in_row = is_behind(s, k, s.rank - 1);
          if (!is_there && is_in_row)
            gather_rows(buffer, s, k, at[k], in_row[k], {r, h}, {c, w});
          else if (!is_there && is_indirect(s, k))
            gather_tile(buffer, *s.indirect[k], block.data[k], h, w, across(s, k), along(s, k));
          else if (!is_there)
            copy_tile(buffer, block.data[k], s.bytes[k], h, w, across(s, k), along(s, k));
          block.data[k] = buffer;
          buffer += share_ * block.bytes[k];
        }
        block.extents[0] = joins_ ? h * w : h;
        block.extents[1] = w;
        loop(block, block.data, joins_ ? 1 : h);
      }
    for (int k = s.operands; folds_ && k < s.count; ++k)
      if (folds(s, k)) finish_folded(at[k], block.data[k], fact(s, k), s.bytes[k], height, width);
  }
  /// How many rows become one row, each of whose elements has a sum.
  std::ptrdiff_t rows_folded(Space const& s) const {
    std::ptrdiff_t const side = machine::tile_side, n = columns(s),
                         some = std::max({rows(s) / machine::min_rows_of_folded,
                                          machine::min_folded / n, side});
    return std::min({share_ / n, std::max(machine::max_folded / n, side), some});
  }
  bool folds(Space const& s, int k) const {
    return folds_ && k >= s.operands && is_summed_over_rows(s, *facts_, k - s.operands);
  }
  result_fact const& fact(Space const& s, int k) const { return facts_->result[k - s.operands]; }
  /// The stride of an array along a row of several rows.
  std::ptrdiff_t along_joined(Space const& s, int k) const {
    return (k < s.operands ? facts_->spans_rows[k] : !fact(s, k).along_rows) ? 1 : 0;
  }

  /// A block of rows that indices select, or of one of them.
  static void gather_rows(std::byte* to, Space const& s, int k, std::byte const* index,
                          std::ptrdiff_t in_row, part_of_axis row, part_of_axis column) {
    indirect_array const& from = *s.indirect[k];
    in_row += column.first * along(s, k);
    if (!is_behind(s, k, s.rank - 2))
      return cpu::gather_rows(to, from, index + row.first * across(s, k) * s.bytes[k], row.count,
                              across(s, k), in_row, column.count, along(s, k));
    in_row += row.first * across(s, k);
    copy_tile(to, from.at(*reinterpret_cast<std::int64_t const*>(index)) + in_row * from.bytes,
              from.bytes, row.count, column.count, across(s, k), along(s, k));
  }

  bool staged_[static_cast<std::size_t>(Space::max_arrays)]{};
  bool joins_ = false, folds_ = false, only_gathers_ = true, makes_ = false;
  loop_facts const* facts_ = nullptr;
  int count_ = 0;
  std::ptrdiff_t share_ = 0;  // elements of an operand's block
};

}  // namespace kroton::cpu
