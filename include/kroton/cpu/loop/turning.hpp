// Which of its axes a loop takes for rows, where it is compiled for several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/loop.hpp>
#include <kroton/freeze/turned.hpp>

#include <algorithm>
#include <cstddef>

namespace kroton::cpu {

/// The extents of the last four axes of a space; 1 where there are fewer.
struct row_choices {
  std::ptrdiff_t last = 1, second = 1, third = 1, fourth = 1;
};

/// A loop that only reduces: its rows are along one of the last four axes. Which, the extents of a
/// call decide, since the kind of a row is compiled into the loop. Over two axes that is worth a
/// second kernel where much is computed for each element.
template <class Expression, int Rank>
struct turning_loop {
  template <int Before>
  static constexpr bool is_offered() {
    if constexpr (Before >= Rank || (Rank == 2 && costly_nodes<Expression> == 0)) return false;
    else return freeze::can_be_turned<Expression, Before>;
  }
  /// Calls run(space, kernel) with the loop's space turned for the best rows. The choices are those
  /// of the whole loop, of which the space may be a part.
  template <class Space, class Run>
  static void run(Space& space, row_choices const& of, Run const& run) {
    if constexpr (is_offered<1>())
      if (takes_axis_before_last(space, of)) return turn<1>(space, run);
    if constexpr (is_offered<2>())
      if (takes_third_axis(of)) return turn<2>(space, run);
    if constexpr (is_offered<3>())
      if (takes_fourth_axis(of)) return turn<3>(space, run);
    run(space, std::type_identity<loop_of<Expression>>{});
  }

 private:
  // Narrow rows cost as much to begin as to compute; and where a reduction changes between the two
  // axes, one over an axis of few elements stays in registers.
  template <class Space>
  static bool takes_axis_before_last(Space const& space, row_choices const& of) {
    using group = freeze::group<Expression>;
    constexpr bool exchanges = freeze::exchanges_reductions<group, 1>(typename group::outputs{});
    using kernel = loop_of<Expression>;
    bool const adds_batches = kernel::adds_rows && of.last >= kernel::width;
    if (of.second < least_rows() || adds_batches) return false;
    if constexpr (exchanges) {
      if (of.last <= machine::max_turned_row) return true;
      return Rank > 2 && of.last <= machine::max_turned_sum && of.last < 2 * of.second &&
             !loses_dense_rows(space, of);
    } else {
      if (of.last <= machine::max_row_of_points) return true;
      return of.last * (of.third > machine::max_rows_at_once ? 2 : 1) < machine::max_turned_row &&
             of.second >= machine::min_rows_of_points && lies_along_axis_before_last(space);
    }
  }
  /// How long an axis has to be to take the place of the last one. Sums along the last one alone
  /// are then complete after one visit, for which a full batch is enough.
  static constexpr std::ptrdiff_t least_rows() {
    using kernel = loop_of<Expression>;
    return reduces_only(1) ? std::max(machine::min_turned_sums, std::ptrdiff_t{kernel::width})
                           : machine::min_turned_rows;
  }
  /// Whether all results are reduced along these axes, as bits counted from the last one.
  static constexpr bool reduces_only(long long axes) {
    using kernel = loop_of<Expression>;
    for (int k = 0; k < kernel::results; ++k)
      if (kernel::facts.result[k].axes != axes) return false;
    return true;
  }
  /// Whether an operand lies dense along the last axis, and would be read with gaps along the one
  /// before it: the loop comes to its elements too seldom to copy it, see packing.hpp.
  template <class Space>
  static bool loses_dense_rows(Space const& space, row_choices const& of) {
    int const last = space.rank - 1;
    for (int k = 0; k < space.operands; ++k) {
      if (space.strides[last][k] != 1 || space.strides[last - 1][k] == 0) continue;
      std::ptrdiff_t reads = 1;
      for (int d = 0; d < last - 1; ++d)
        if (space.strides[d][k] == 0) reads *= d == last - 2 ? of.third : space.extents[d];
      if (reads < machine::min_reads_of_packed) return true;
    }
    return false;
  }
  /// Whether the axis before the last one is that along which operands lie dense, so that rows
  /// along the last one do not follow each other.
  template <class Space>
  static bool lies_along_axis_before_last(Space const& space) {
    bool along = false;
    for (int k = 0; k < space.operands; ++k) {
      std::ptrdiff_t const step = space.strides[space.rank - 2][k];
      if (step != 0 && step != 1) return false;
      along = along || step == 1;
    }
    return along;
  }
  /// Whether sums of full batches are complete after one visit as the loop stands.
  static bool completes_batches(row_choices const& of) {
    using kernel = loop_of<Expression>;
    return kernel::adds_rows && reduces_only(2) && of.last >= kernel::width;
  }
  static bool takes_third_axis(row_choices const& of) {
    return !completes_batches(of) && of.last <= machine::max_turned_row &&
           of.second < 2 * machine::min_turned_rows && of.third >= 4 * machine::min_turned_rows;
  }
  static bool takes_fourth_axis(row_choices const& of) {
    return !completes_batches(of) && of.last <= machine::max_turned_row &&
           of.second < 2 * machine::min_turned_rows && of.third < 2 * machine::min_turned_rows &&
           of.fourth >= 4 * machine::min_turned_rows;
  }
  template <int Before, class Space, class Run>
  static void turn(Space& space, Run const& run) {
    space.turn(Before);
    run(space, std::type_identity<loop_of<freeze::turned_t<Expression, Before>>>{});
  }
};

/// A loop of a band whose matrices lie by columns, along these. There is another kernel only where
/// the kind of a row differs.
template <class Expression, class Space, class Run>
void run_by_columns(Space& space, Run const& run) {
  using group = freeze::group<Expression>;
  using turned = freeze::turned_t<Expression, 1>;
  constexpr bool same = freeze::group<turned>::spans_rows == group::spans_rows &&
                        !freeze::exchanges_reductions<group, 1>(typename group::outputs{});
  space.turn(1);
  run(space, std::type_identity<loop_of<std::conditional_t<same, Expression, turned>>>{});
}

}  // namespace kroton::cpu
