// Operands that a loop reads with a stride, again and again: they are copied once, before it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/loop/transposition.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace kroton::cpu {

/// Whether an operand of a space is one that is copied: its rows have gaps, and each of its
/// elements is read several times.
template <class Space>
bool is_packed(Space const& s, int k) {
  int const last = s.rank - 1;
  bool const is_indirect = s.indirect != nullptr && s.indirect[k] != nullptr;
  if (is_indirect || s.strides[last][k] == 0 || s.strides[last][k] == 1 ||
      s.extents[last] < machine::min_packed_row)
    return false;
  std::ptrdiff_t repeats = 1;
  for (int d = 0; d < last; ++d) repeats *= s.strides[d][k] == 0 ? s.extents[d] : 1;
  return repeats >= machine::min_reads_of_packed;
}

/// The memory of the copies, to which the space refers then.
template <class Space>
class packed_operands {
 public:
  explicit packed_operands(Space& s) {
    for (int k = 0; k < s.operands && Space::fixed_rows; ++k)
      if (is_packed(s, k)) pack(s, k);
  }

 private:
  void pack(Space& s, int k) {
    array_ref from;
    from.bytes = s.bytes[k];
    from.data = s.data[k];
    for (int d = 0; d < s.rank; ++d) {
      if (s.strides[d][k] == 0) continue;
      from.extents[from.rank] = s.extents[d];
      from.strides[from.rank++] = s.strides[d][k];
    }
    array_ref to = from;
    to.make_contiguous_strides();
    memory_.emplace_back(
        new std::byte[static_cast<std::size_t>(to.size()) * static_cast<std::size_t>(to.bytes)]);
    to.data = memory_.back().get();
    copy_array(to, from);
    s.data[k] = to.data;
    for (int d = 0, own = 0; d < s.rank; ++d)
      if (s.strides[d][k] != 0) s.strides[d][k] = to.strides[own++];
  }

  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

}  // namespace kroton::cpu
