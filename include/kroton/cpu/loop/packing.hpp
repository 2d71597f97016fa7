// Arrays that a loop traverses repeatedly with a stride: operands are copied before it, results
// that it adds to before and behind it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/loop/transposition.hpp>

#include <cstddef>
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
  if (k < s.operands || repeats < 2) return repeats >= machine::min_reads_of_packed;
  // Batches of sums are added in place only where these are dense, and what they are made of.
  bool are_dense = true;
  for (int i = 0; are_dense && i < s.operands; ++i)
    are_dense = s.strides[last][i] == 0 || s.strides[last][i] == 1 || is_packed(s, i);
  return are_dense || repeats >= machine::min_reads_of_packed;
}

/// The copies, to which the space refers from then on. Their memory is kept for the next loop of
/// this thread.
template <class Space>
class packed_arrays {
 public:
  explicit packed_arrays(Space& s) : kept_(memory()) {
    if (!Space::fixed_rows) return;
    kept_.copies.clear();
    std::size_t bytes = 0;
    for (int k = 0; k < s.count; ++k)
      if (is_packed(s, k)) {
        array_ref const from = elements_of(s, k);
        kept_.copies.push_back({k, bytes, from, from});
        bytes += static_cast<std::size_t>(from.size() * from.bytes + 63) / 64 * 64;
      }
    if (kept_.bytes.size() < bytes) kept_.bytes.resize(bytes);
    for (copied& each : kept_.copies) pack(s, each);
  }
  /// Copies the results to where they belong.
  void store(Space const& s) const {
    for (copied const& each : kept_.copies)
      if (each.array >= s.operands) copy_array(each.original, each.packed);
  }

 private:
  struct copied {
    int array;
    std::size_t begin;
    array_ref original, packed;
  };
  struct kept {
    std::vector<copied> copies;
    std::vector<std::byte> bytes;
  };
  static kept& memory() {
    static thread_local kept of_thread;
    return of_thread;
  }
  /// An array of the space without the axes along which it is repeated.
  static array_ref elements_of(Space const& s, int k) {
    array_ref a;
    a.bytes = s.bytes[k];
    a.data = s.data[k];
    for (int d = 0; d < s.rank; ++d) {
      if (s.strides[d][k] == 0) continue;
      a.extents[a.rank] = s.extents[d];
      a.strides[a.rank++] = s.strides[d][k];
    }
    return a;
  }
  void pack(Space& s, copied& c) {
    c.packed.make_contiguous_strides();
    c.packed.data = kept_.bytes.data() + c.begin;
    copy_array(c.packed, c.original);
    s.data[c.array] = c.packed.data;
    for (int d = 0, own = 0; d < s.rank; ++d)
      if (s.strides[d][c.array] != 0) s.strides[d][c.array] = c.packed.strides[own++];
  }

  kept& kept_;
};

}  // namespace kroton::cpu
