// Writes to most of an array: to all but a few places at the ends of its axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing/part_writes.hpp>
#include <kroton/ops/shapes/extents.hpp>

namespace kroton::plan {

/// Compares the lengths of ranges with extents of a graph.
class range_lengths {
 public:
  constexpr range_lengths(graph const& g, ops::extent_classes const& classes)
      : g_(g), classes_(classes) {}

  /// Whether a range is all of an axis but a few elements.
  constexpr bool is_most_of(int length, int extent) const {
    if (g_.is_literal(length) && g_.is_literal(extent))
      return 2 * g_.literal_bits(length) >= g_.literal_bits(extent);
    if (is_same(length, extent) || differs_by_number(length, extent) ||
        differs_by_number(extent, length))
      return true;
    if (g_.is<op::sub>(length))
      return is_same(g_.input_of(length, 0), extent) && is_few(g_.input_of(length, 1));
    for (int k = 0; k < 2 && g_.is<op::maximum>(length) && g_[length].input_count == 2; ++k)
      if (g_.is_literal(g_.input_of(length, k)) && is_most_of(g_.input_of(length, 1 - k), extent))
        return true;
    return false;
  }

 private:
  constexpr bool is_same(int id, int extent) const {
    return classes_.find(id) == classes_.find(extent);
  }
  constexpr bool differs_by_number(int sum, int from) const {
    bool found = false;
    for (int k = 0; k < 2 && g_.is<op::add>(sum) && g_[sum].input_count == 2; ++k)
      found =
          found || (g_.is_literal(g_.input_of(sum, k)) && is_same(g_.input_of(sum, 1 - k), from));
    return found;
  }
  constexpr bool is_few(int id) const {
    if (g_.is_literal(id)) return true;
    for (int k = 0; k < g_[id].input_count && g_.is<op::minimum>(id); ++k)
      if (g_.is_literal(g_.input_of(id, k))) return true;
    return false;
  }

  graph const& g_;
  ops::extent_classes const& classes_;
};

/// Whether a write to an array of these extents fills most of it, with an element for each place,
/// next to each other.
constexpr bool fills_most(graph const& g, ops::extent_classes const& classes,
                          list<int> const& extents, int write) {
  tensor_type const written = g.type(g.input_of(write, 1));
  range_lengths const lengths(g, classes);
  for (int d = 0, next = 2; d < extents.size(); ++d) {
    long long const code = g.attribute(write, 2 * d), step = g.attribute(write, 2 * d + 1);
    if (code == 1 || (code == 2 && step != 1) || written.broadcasts(d)) return false;
    if (code == 0) continue;
    if (!lengths.is_most_of(g.input_of(write, next + 1), extents[d])) return false;
    next += 2;
  }
  return written.rank == extents.size();
}

}  // namespace kroton::plan
