// Loops that read joined arrays where they are: part by part, each of which reads one array of each
// join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/plan/indirect.hpp>

#include <algorithm>

namespace kroton::cpu {

/// Arrays that lie one after the other along an axis, in place of an operand.
struct joined_arrays {
  static constexpr int most = 16;

  int operand = 0, axis = 0, count = 0;
  array_ref const* arrays[most]{};

  /// Lets an operand of a part of a space be the array that has its first elements.
  template <class Space>
  void read_in(Space& part, std::ptrdiff_t const* first) const {
    std::ptrdiff_t position = first[axis];
    array_ref const* const* array = arrays;
    for (; position >= (*array)->extents[axis]; ++array) position -= (*array)->extents[axis];
    part.add(operand, **array, part.rank);
    for (int d = 0; d < part.rank; ++d)
      part.data[operand] +=
          (d == axis ? position : first[d]) * part.strides[d][operand] * part.bytes[operand];
  }
};

/// The parts of a space: each axis is cut where something that the loop reads goes from one array
/// to the next.
class space_parts {
 public:
  static constexpr int most = 16;  // of an axis

  space_parts(int rank, std::ptrdiff_t const* extents) : rank_(rank) {
    for (int d = 0; d < rank; ++d) {
      counts_[d] = 1;
      ends_[d][0] = extents[d];
    }
  }

  /// False if an axis is in too many parts then.
  bool add(joined_arrays const& joined) {
    bool fits = true;
    std::ptrdiff_t end = 0;
    for (int k = 0; k + 1 < joined.count; ++k)
      fits = cut(joined.axis, end += joined.arrays[k]->extents[joined.axis]) && fits;
    joined_[joined_count_++] = joined;
    return fits;
  }
  bool takes_rows_apart() const { return counts_[rank_ - 1] > 1; }
  std::ptrdiff_t count() const {
    std::ptrdiff_t n = 1;
    for (int d = 0; d < rank_; ++d) n *= counts_[d];
    return n;
  }

  /// Calls a function for each part of a space.
  template <class Space, class Function>
  void for_each(Space const& whole, Function call) const {
    std::ptrdiff_t first[max_rank + 1]{};
    int index[max_rank + 1]{};
    for (;;) {
      Space part = whole;
      part.whole_rows = whole.whole_rows && counts_[rank_ - 1] == 1;
      for (int d = 0; d < rank_; ++d) {
        first[d] = index[d] == 0 ? 0 : ends_[d][index[d] - 1];
        part.extents[d] = ends_[d][index[d]] - first[d];
        for (int k = 0; k < whole.count; ++k)
          part.data[k] += first[d] * whole.strides[d][k] * whole.bytes[k];
      }
      for (int j = 0; j < joined_count_; ++j) joined_[j].read_in(part, first);
      call(part);
      int d = rank_ - 1;
      while (d >= 0 && ++index[d] == counts_[d]) index[d--] = 0;
      if (d < 0) return;
    }
  }

  /// The part that has the most elements.
  template <class Space>
  Space largest(Space const& whole) const {
    Space most_of_it = whole;
    for (int d = 0; d < rank_; ++d) most_of_it.extents[d] = 0;
    for_each(whole, [&](Space const& part) {
      if (part.size() > most_of_it.size()) most_of_it = part;
    });
    return most_of_it;
  }

 private:
  bool cut(int axis, std::ptrdiff_t at) {
    std::ptrdiff_t* const ends = ends_[axis];
    int& count = counts_[axis];
    if (at <= 0 || std::find(ends, ends + count, at) != ends + count) return true;
    if (count == most) return false;
    int k = count++;
    for (; k > 0 && ends[k - 1] > at; --k) ends[k] = ends[k - 1];
    ends[k] = at;
    return true;
  }

  int rank_;
  int counts_[max_rank + 1]{};
  std::ptrdiff_t ends_[max_rank + 1][most]{};
  int joined_count_ = 0;
  joined_arrays joined_[plan::max_indirect_operands];
};

}  // namespace kroton::cpu
