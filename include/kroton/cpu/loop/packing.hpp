// Arrays that a loop goes through with a stride, again and again: operands are copied before it,
// results that it adds to before and behind it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/loop/transposition.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace kroton::cpu {

/// Whether an array of a space is one that is copied: its rows have gaps, and the loop comes to
/// each of its elements several times.
template <class Space>
bool is_packed(Space const& s, int k) {
  int const last = s.rank - 1;
  bool const is_indirect = s.indirect != nullptr && k < s.operands && s.indirect[k] != nullptr;
  if (is_indirect || s.strides[last][k] == 0 || s.strides[last][k] == 1 ||
      s.extents[last] < machine::min_packed_row)
    return false;
  std::ptrdiff_t repeats = 1;
  for (int d = 0; d < last; ++d) repeats *= s.strides[d][k] == 0 ? s.extents[d] : 1;
  return repeats >= machine::min_reads_of_packed;
}

/// The memory of the copies, to which the space refers as long as there are any.
template <class Space>
class packed_arrays {
 public:
  explicit packed_arrays(Space& s) {
    for (int k = 0; k < s.count && Space::fixed_rows; ++k)
      if (is_packed(s, k)) pack(s, k);
  }
  /// Copies the results to where they belong.
  void store() const {
    for (copy const& each : copies_)
      if (each.is_result) copy_array(each.original, each.packed);
  }

 private:
  struct copy {
    array_ref original, packed;
    bool is_result;
    std::unique_ptr<std::byte[]> memory;
  };
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
    std::unique_ptr<std::byte[]> memory(
        new std::byte[static_cast<std::size_t>(to.size()) * static_cast<std::size_t>(to.bytes)]);
    to.data = memory.get();
    copy_array(to, from);
    s.data[k] = to.data;
    for (int d = 0, own = 0; d < s.rank; ++d)
      if (s.strides[d][k] != 0) s.strides[d][k] = to.strides[own++];
    copies_.push_back({from, to, k >= s.operands, std::move(memory)});
  }

  std::vector<copy> copies_;
};

}  // namespace kroton::cpu
