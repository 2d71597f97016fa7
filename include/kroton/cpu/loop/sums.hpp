// The order in which a loop that adds up rows, and does nothing else or reduces along rows too,
// goes over its axes: rows of one sum follow each other, so that it stays in registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/threads.hpp>

#include <bit>
#include <cstdint>
#include <utility>

namespace kroton::cpu {

/// Where rows have few elements, or few rows are added, an axis that is summed comes before the
/// last one. Results that are summed over different axes, along narrow rows, are computed in two
/// passes, in each of which the others go nowhere: that takes less than to load and store what a
/// row is added to.
template <class Space>
class order_of_sums {
 public:
  /// For a space whose axes are merged.
  order_of_sums(Space const& s, loop_facts const& facts) {
    if (facts.reduces_both) order_mixed_sums(s, facts);
    else if (!only_adds_rows(s, facts)) return;
    else if (s.extents[s.rank - 1] <= machine::max_narrow_row) order_narrow_rows(s, facts);
    else order_few_rows(s);
  }
  /// Whether each result is visited once, with all rows whose sum it is.
  bool takes_sums_at_once(Space const& s, loop_facts const& facts) const {
    bool at_once = Space::fixed_rows && facts.only_reduces && s.indirect == nullptr &&
                   s.extents[s.rank - 1] > 1;
    for (int k = 0; at_once && k < s.results; ++k) {
      int const axis = passes_ == 0 ? s.rank - 2 : axis_[(takes_[0] >> k & 1) != 0 ? 0 : 1];
      at_once = facts.result[k].reduction && !facts.result[k].along_rows;
      for (int d = 0; at_once && d < s.rank; ++d)
        at_once = (s.strides[d][s.operands + k] == 0) == (d == axis);
    }
    return at_once;
  }
  /// 0 where the loop goes as it is.
  int passes() const { return passes_; }

  template <class Run>
  void run(Space const& s, Run const& run) const {
    for (int pass = 0; pass < passes_; ++pass) {
      alignas(64) std::byte nowhere[static_cast<std::size_t>(machine::max_narrow_row) * 16]{};
      Space part = s;
      for (int k = 0; k < s.results; ++k) {
        if ((takes_[pass] >> k & 1) != 0) continue;
        int const array = s.operands + k;
        part.data[array] = nowhere;
        for (int d = 0; d < s.rank; ++d) part.strides[d][array] = d == s.rank - 1 ? 1 : 0;
      }
      int const axis = axis_[pass], before_last = s.rank - 2;
      std::swap(part.extents[axis], part.extents[before_last]);
      for (int k = 0; k < s.count; ++k)
        std::swap(part.strides[axis][k], part.strides[before_last][k]);
      run(part);
    }
  }

 private:
  static bool only_adds_rows(Space const& s, loop_facts const& facts) {
    if (!Space::fixed_rows || s.rank < 3 || s.results > 63 || s.indirect != nullptr) return false;
    bool all = true;
    for (int k = 0; k < s.results; ++k)
      all = all && facts.result[k].reduction && !facts.result[k].along_rows;
    return all;
  }
  void order_narrow_rows(Space const& s, loop_facts const& facts) {
    std::uint64_t left = all_results(s);
    for (int pass = 0; pass < 2 && left != 0; ++pass) {
      // Sums of few rows come first only where none has many.
      take_most(s, left, pass, machine::min_narrow_rows);
      if (takes_[pass] == 0) take_most(s, left, pass, 2);
      left &= ~takes_[pass];
      ++passes_;
    }
    bool const is_usual = passes_ == 1 && axis_[0] == s.rank - 2,
               is_dear = passes_ == 2 && (facts.costly > 1 || shares_of(s, facts).parts > 1);
    if (left != 0 || is_usual || is_dear) passes_ = 0;
  }
  /// The axis over which the most of these results are summed, if it has so many rows.
  void take_most(Space const& s, std::uint64_t those, int pass, std::ptrdiff_t least) {
    for (int d = s.rank - 2; d >= 0; --d)
      if (std::uint64_t const with = those & summed_over(s, d, least);
          std::popcount(with) > std::popcount(takes_[pass])) {
        takes_[pass] = with;
        axis_[pass] = d;
      }
  }
  void order_few_rows(Space const& s) {
    std::uint64_t const all = all_results(s);
    if (summed_over(s, s.rank - 2, 1) == all) return;
    for (int d = s.rank - 3; d >= 0 && passes_ == 0; --d)
      if ((s.extents[d] <= machine::max_rows_at_once || reads_little(s)) &&
          summed_over(s, d, 1) == all) {
        axis_[0] = d;
        takes_[0] = all;
        passes_ = 1;
      }
  }
  /// Rows that add to the same columns follow each other.
  void order_mixed_sums(Space const& s, loop_facts const& facts) {
    if (!Space::fixed_rows || s.rank < 3 || s.results > 63 || s.indirect != nullptr) return;
    std::uint64_t over_rows = 0;
    for (int k = 0; k < s.results; ++k)
      over_rows |= std::uint64_t{!facts.result[k].along_rows} << k;
    auto const adds = [&](int d) {
      return (summed_over(s, d, machine::rows_of_mixed_sums) & over_rows) == over_rows;
    };
    if (adds(s.rank - 2)) return;
    for (int d = s.rank - 3; d >= 0 && passes_ == 0; --d)
      if (adds(d)) {
        axis_[0] = d;
        takes_[0] = all_results(s);
        passes_ = 1;
      }
  }
  /// Whether the operands have few elements for those of the space, so that to read them again
  /// takes less than to add to results again.
  static bool reads_little(Space const& s) {
    std::ptrdiff_t elements = 0;
    for (int k = 0; k < s.operands; ++k) {
      std::ptrdiff_t own = 1;
      for (int d = 0; d < s.rank; ++d) own *= s.strides[d][k] == 0 ? 1 : s.extents[d];
      elements += own;
    }
    return s.size() / machine::min_reads_of_small >= elements;
  }
  static std::uint64_t all_results(Space const& s) { return (std::uint64_t{1} << s.results) - 1; }
  /// The results that are summed over an axis of so many elements, as bits.
  static std::uint64_t summed_over(Space const& s, int d, std::ptrdiff_t least) {
    std::uint64_t those = 0;
    for (int k = 0; k < s.results; ++k)
      those |= std::uint64_t{s.strides[d][s.operands + k] == 0} << k;
    return s.extents[d] >= least ? those : 0;
  }

  int passes_ = 0, axis_[2]{};
  std::uint64_t takes_[2]{};
};

}  // namespace kroton::cpu
