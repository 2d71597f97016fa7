// A row in whole batches: directly where data is dense, through a small buffer where it is strided
// or the row ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/gathering.hpp>
#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/loop/streaming.hpp>
#include <kroton/cpu/simd/tails.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kroton::cpu {

/// Lets a part of a row that is strided, or shorter than a batch, be read from buffers.
template <int Operands, int Results, int Width>
class part_buffers {
 public:
  using space = loop_space<Operands + Results>;
  static constexpr std::ptrdiff_t most = machine::batches_moved * Width;  // elements

  part_buffers(space const& s, loop_facts const& facts) : s_(s), strides_(s.strides[s.rank - 1]) {
    for (int k = 0; k < Operands; ++k) {
      spans_[k] = facts.spans_rows[k];
      dense = dense && (!spans_[k] || strides_[k] == 1);
    }
  }
  bool dense = true;  // whether only parts shorter than a batch need buffers

  /// Copies the operands' elements at these addresses, and changes the addresses; what is shorter
  /// than a batch is filled up.
  template <std::size_t Count>
  KROTON_INLINE void fill(std::byte* (&at)[Count], std::ptrdiff_t size) {
    std::byte* moved[Count];  // a copy that does not escape leaves addresses in registers
    for (std::size_t k = 0; k < Count; ++k) moved[k] = at[k];
    move(moved, size);
    for (std::size_t k = 0; k < Count; ++k) at[k] = moved[k];
  }

 private:
  void move(std::byte** at, std::ptrdiff_t size) {
    for (int k = 0; k < Operands; ++k) {
      if (!spans_[k] || (strides_[k] == 1 && size >= Width)) continue;
      bool const loaded =
          strides_[k] == 1 && load_tail(buffer_[k], at[k], s_.bytes[k], size, Width);
      if (!loaded)
        gather(buffer_[k], at[k], strides_[k], s_.bytes[k], size, size < Width ? Width : size);
      at[k] = buffer_[k];
    }
  }

  space const& s_;
  std::ptrdiff_t const* strides_;
  bool spans_[static_cast<std::size_t>(Operands) + 1]{};
  alignas(64)
      std::byte buffer_[static_cast<std::size_t>(Operands) + 1][static_cast<std::size_t>(most) * 8];
};

/// Walks rows in parts of whole batches. The last elements are padded with the last one to a whole
/// batch, so that there is one copy of the arithmetic, and every element of a row goes through it.
/// Where something accumulates along rows that lie behind each other, the last batch goes on in the
/// next row, for which what it writes there is written anew.
template <int Operands, int Results, int Width>
class row_parts {
 public:
  using space = loop_space<Operands + Results>;
  static constexpr int count = Operands + Results;
  // What accumulates in the lane type without rounding much
  static constexpr std::ptrdiff_t long_part = machine::max_batches_of_sums * Width;
  static constexpr std::ptrdiff_t moved_part = machine::batches_moved * Width;
  static constexpr std::ptrdiff_t long_row = machine::min_batches_aligned * Width;

  std::ptrdiff_t size = 0;  // of the part, in elements: a multiple of Width, or less than it
  bool exceeds = false;     // or a row whose last batch goes on in the next one
  bool streams = false;     // whether its results are stored past the caches

  row_parts(space const& s, loop_facts const& facts, std::byte* const* first, std::ptrdiff_t rows,
            bool may_exceed)
      : s_(s),
        facts_(facts),
        n_(s.extents[s.rank - 1]),
        left_(rows),
        strides_(s.strides[s.rank - 1]) {
    bool reduces = false;
    for (int k = 0; k < count; ++k) {
      array& a = arrays_[k];
      a.spans = k < Operands ? facts.spans_rows[k] : !facts.result[k - Operands].along_rows;
      dense_ = dense_ && (!a.spans || strides_[k] == 1);
      if (is_result(k)) reduces = reduces || facts.result[k - Operands].reduction;
      a.step = a.spans ? strides_[k] * s.bytes[k] : 0;
      a.to_next_row = s.rank > 1 ? s.strides[s.rank - 2][k] * s.bytes[k] : 0;
      a.row = first[k];
      for (int i = 0; is_result(k) && i < Operands; ++i) overlaps_ = overlaps_ || may_overlap(i, k);
    }
    most_ = !dense_ ? moved_part : reduces ? long_part : n_;
    repeats_ = dense_ && !reduces && !overlaps_ && n_ > Width;
    aligns_ = s.streams ? dense_ && n_ >= Width : repeats_ && n_ >= long_row;
    if (may_exceed && reduces && n_ % Width != 0 && n_ <= long_part && lie_behind_each_other())
      exceeding_ = rows_within(Width - n_ % Width);
  }
  /// Whether rows take less time without parts: several dense ones of a few batches, of which the
  /// last overlaps the one before; or of less than one, if that `may_exceed` the row, for what it
  /// writes there is written anew.
  bool is_of_few_batches(bool may_exceed) const {
    if (!dense_ || s_.rank < 2 || s_.streams || n_ >= long_row) return false;
    if (n_ >= Width) return n_ == Width || repeats_;
    return may_exceed && lie_behind_each_other();
  }
  /// How many rows, counted from the first, batches can go through without leaving the last one.
  std::ptrdiff_t rows_within() const { return n_ < Width ? rows_within(Width - n_) : left_; }
  void skip(std::ptrdiff_t rows) {
    for (array& a : arrays_) a.row += rows * a.to_next_row;
    left_ -= rows;
  }
  /// Where an array's row begins, and its part.
  std::byte* row(int k) const { return arrays_[k].row; }
  std::byte* at(int k) const { return arrays_[k].at; }

  /// Goes to the next row, at first to the first one; false behind the last one.
  bool next_row() {
    if (left_-- == 0) return false;
    for (array& a : arrays_) a.row += begun_ ? a.to_next_row : 0;
    begun_ = true;
    exceeds = exceeding_-- > 0;
    begin_ = size = advance_ = 0;
    before_ = aligns_ ? elements_before_aligned() : -1;
    return true;
  }
  /// How many elements of the part's last batch count.
  std::ptrdiff_t lanes() const {
    return size < Width ? size : exceeds ? size % Width : Width;
  }
  bool next() {
    if (!in_place_ && size != 0) finish();
    begin_ += advance_;
    std::ptrdiff_t const rest = n_ - begin_;
    if (rest <= 0) return false;
    if (exceeds) {
      advance_ = size = n_;
      for (array& a : arrays_) a.at = a.row;
      return true;
    }
    std::ptrdiff_t const whole = rest < Width ? rest : rest - rest % Width;
    bool const is_head = begin_ == 0 && before_ > 0;
    advance_ = size = is_head ? before_ : whole < most_ ? whole : most_;
    // The first and the last batch overlap their neighbours.
    if (repeats_ && is_head) size = Width;
    if (repeats_ && rest < Width) begin_ = n_ - (advance_ = size = Width);
    for (array& a : arrays_) a.at = a.row + begin_ * a.step;
    in_place_ = dense_ && size >= Width;
    streams = s_.streams && in_place_ && before_ >= 0 && !is_head && rest >= Width;
    if (!in_place_) prepare();
    return true;
  }

 private:
  // One behind the other, since what is stored apart and read together, as compilers would here,
  // stalls.
  struct array {
    std::byte *row = nullptr, *at = nullptr;
    std::ptrdiff_t step = 0, to_next_row = 0;  // in bytes
    bool spans = false;
  };

  static constexpr bool is_result(int k) { return k >= Operands; }
  /// Whether what is written beyond a row is written anew by the next one, and nothing adds to it.
  bool lie_behind_each_other() const {
    if (!dense_ || s_.rank < 2 || s_.streams || overlaps_) return false;
    for (int k = 0; k < count; ++k) {
      std::ptrdiff_t const own = n_ * s_.bytes[k], to_next = arrays_[k].to_next_row;
      if (arrays_[k].spans &&
          (is_reduction(k) || (is_result(k) ? to_next != own : to_next < own)))
        return false;
    }
    return true;
  }
  /// How many rows, counted from the first, have so many elements behind them.
  std::ptrdiff_t rows_within(std::ptrdiff_t elements) const {
    std::ptrdiff_t beyond = 0;
    for (int k = 0; k < count; ++k)
      if (arrays_[k].spans)
        beyond = std::max(beyond, (elements * s_.bytes[k] + arrays_[k].to_next_row - 1) /
                                      arrays_[k].to_next_row);
    return std::max<std::ptrdiff_t>(left_ - beyond, 0);
  }
  bool is_reduction(int k) const { return is_result(k) && facts_.result[k - Operands].reduction; }
  /// Whether the result lies in the operand, which is then as long; neither is looked at beyond its
  /// first row.
  bool may_overlap(int operand, int result) const {
    auto const begin = [&](int k) { return reinterpret_cast<std::uintptr_t>(arrays_[k].row); };
    auto const end = [&](int k) {
      return begin(k) + static_cast<std::uintptr_t>(n_ * s_.bytes[k]);
    };
    return begin(operand) < end(result) && begin(result) < end(operand);
  }
  bool moves(int k) const { return arrays_[k].spans && (size < Width || strides_[k] != 1); }

  /// How many elements of a row stand before the results are aligned; -1 where they never are
  /// together.
  std::ptrdiff_t elements_before_aligned() const {
    constexpr auto batch_bytes = static_cast<std::ptrdiff_t>(sizeof(xsimd::batch<double>));
    std::ptrdiff_t before = -1;
    for (int k = Operands; k < count; ++k) {
      if (is_reduction(k)) continue;
      auto const beyond = static_cast<std::ptrdiff_t>(
          reinterpret_cast<std::uintptr_t>(arrays_[k].row) % batch_bytes);
      std::ptrdiff_t const mine = (batch_bytes - beyond) % batch_bytes / s_.bytes[k];
      if (s_.bytes[k] * Width != batch_bytes || beyond % s_.bytes[k] != 0 ||
          (before >= 0 && before != mine))
        return -1;
      before = mine;
    }
    return before;
  }
  /// Lets the part be computed in buffers where it is not in place.
  void prepare() {
    for (int k = 0; k < count; ++k) {
      if (!moves(k)) continue;
      std::byte* const from = arrays_[k].at;
      arrays_[k].at = buffer_[k];
      if (is_result(k) && !is_reduction(k)) continue;
      bool const loaded = strides_[k] == 1 && load_tail(buffer_[k], from, s_.bytes[k], size, Width);
      if (!loaded)
        gather(buffer_[k], from, strides_[k], s_.bytes[k], size, size < Width ? Width : size);
    }
  }
  /// Writes what was computed in buffers.
  void finish() {
    for (int k = Operands; k < count; ++k) {
      if (!moves(k)) continue;
      std::byte* const to = arrays_[k].row + begin_ * arrays_[k].step;
      bool const stored = strides_[k] == 1 && store_tail(to, buffer_[k], s_.bytes[k], size, Width);
      if (!stored) scatter(to, buffer_[k], strides_[k], s_.bytes[k], size);
    }
  }

  space const& s_;
  loop_facts const& facts_;
  std::ptrdiff_t n_, left_, begin_ = 0, advance_ = 0, before_ = -1, most_;
  std::ptrdiff_t exceeding_ = 0;  // rows left whose last batch goes on in the next one
  std::ptrdiff_t const* strides_;
  bool dense_ = true, begun_ = false, in_place_ = true;
  bool overlaps_ = false;
  // Whether a row's first and last batch may take elements of their neighbours along
  bool repeats_ = false;
  bool aligns_ = false;  // whether what is stored behind the first elements is aligned: a store
                         // that crosses a line takes two
  array arrays_[static_cast<std::size_t>(count)];
  alignas(64)
      std::byte buffer_[static_cast<std::size_t>(count)][static_cast<std::size_t>(moved_part) * 8];
};

}  // namespace kroton::cpu
