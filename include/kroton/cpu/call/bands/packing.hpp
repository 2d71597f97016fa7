// Arrays that the loops of a band go through with a stride, in all of its parts: they lie densely
// while the band is under way.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/steps.hpp>
#include <kroton/cpu/loop/packing.hpp>

namespace kroton::cpu {

/// Lets those arrays of a loop be packed until the end of its band that it takes whole: operands
/// that no step of the band computes, and results to which all rows add. Without this, each part of
/// the band would pack them again; see packing.hpp.
template <class Space>
class band_packing {
 public:
  /// In the first of several parts. The space is that of the step, turned, before its axes are
  /// merged; the facts are those of before.
  static void pack(step_view const& s, Space& space, loop_facts const& facts) {
    band_pass const now = s.f.bands().now;
    if (s.info.band < 0 || !now.begins || now.ends) return;
    band_packing const found{s, space, facts};
    for (int k = 0; k < space.count; ++k)
      if (is_packed(space, k) && found.is_whole(k) && !s.f.bands().has_packed(found.value(k)))
        found.pack(k);
  }

 private:
  bool is_result(int k) const { return k >= space_.operands; }
  int value(int k) const { return is_result(k) ? s_.result(k - space_.operands) : s_.operand(k); }
  bool is_whole(int k) const {
    if (space_.extents[space_.band_axis] < 2 || space_.strides[space_.band_axis][k] != 0)
      return false;
    return is_result(k) || !is_computed_in_band(value(k));
  }
  bool is_computed_in_band(int value) const {
    program_tables const& tables = s_.f.tables();
    band_info const& band = tables.bands[s_.info.band];
    for (int i = band.first; i <= band.last; ++i)
      for (int k = 0; k < tables.steps[i].result_count; ++k)
        if (step_view{s_.f, tables.steps[i]}.result(k) == value) return true;
    return false;
  }
  void pack(int k) const {
    array_ref& array = s_.f.value(value(k));
    array_ref const original = array;
    // First what may throw.
    array.data = s_.f.bands().pack(
        value(k), original, static_cast<std::size_t>(array.size() * array.bytes), is_result(k));
    // Strides from the last axis of the space on.
    std::ptrdiff_t size = 1;
    for (int d = space_.rank - 1; d >= 0; --d) {
      if (space_.strides[d][k] == 0) continue;
      space_.strides[d][k] = size;
      array.strides[axis_of(k, d, array.rank)] = size;
      size *= space_.extents[d];
    }
    space_.data[k] = array.data;
    if (!is_result(k)) copy_array(array, original);
  }
  /// The axis of an array that is an axis of the space.
  int axis_of(int k, int d, int rank) const {
    int const axis = space_.before_turn(d);
    if (!is_result(k) || rank == space_.rank) return axis - (space_.rank - rank);
    int position = 0;
    for (int other = 0; other < axis; ++other)
      position +=
          (facts_.result[k - space_.operands].axes >> (space_.rank - 1 - other) & 1) != 0 ? 0 : 1;
    return position;
  }

  step_view const& s_;
  Space& space_;
  loop_facts const& facts_;

  band_packing(step_view const& s, Space& space, loop_facts const& facts)
      : s_(s), space_(space), facts_(facts) {}
};

}  // namespace kroton::cpu
