// Which of its axes a loop takes for rows, where it is compiled for several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/loop.hpp>
#include <kroton/freeze/turned.hpp>

#include <cstddef>

namespace kroton::cpu {

/// A loop that reduces over some of three or more axes: its rows are along one of the last three.
/// Which, the extents of a call decide, since the kind of a row is compiled into the loop.
template <class Expression, int Rank>
struct turning_loop {
  template <int Before>
  static constexpr bool is_offered() {
    if constexpr (Rank < 3) return false;
    else return freeze::can_be_turned<Expression, Before>;
  }
  /// Calls run(space, kernel) with the loop's space turned for the best rows. `first` is the extent
  /// of the axis before the last two, of which a space may be a part.
  template <class Space, class Run>
  static void run(Space& space, std::ptrdiff_t first, Run const& run) {
    if constexpr (is_offered<1>())
      if (is_better(space.extents[Rank - 1], space.extents[Rank - 2])) return turn<1>(space, run);
    if constexpr (is_offered<2>())
      if (is_best(space.extents[Rank - 1], space.extents[Rank - 2], first))
        return turn<2>(space, run);
    run(space, std::type_identity<loop_of<Expression>>{});
  }

 private:
  // Narrow rows cost as much to begin as to compute; and where a reduction changes between the two
  // axes, one over an axis of few elements stays in registers.
  static bool is_better(std::ptrdiff_t last, std::ptrdiff_t before) {
    using group = freeze::group<Expression>;
    constexpr bool exchanges = freeze::exchanges_reductions<group, 1>(typename group::outputs{});
    if (before < machine::min_turned_rows) return false;
    return exchanges ? last <= machine::max_turned_row ||
                           (last <= machine::max_turned_sum && last < 2 * before)
                     : last <= machine::max_row_of_points;
  }
  static bool is_best(std::ptrdiff_t last, std::ptrdiff_t before, std::ptrdiff_t first) {
    return last <= machine::max_turned_row && before < machine::min_turned_rows &&
           first >= 2 * machine::min_turned_rows;
  }
  template <int Before, class Space, class Run>
  static void turn(Space& space, Run const& run) {
    space.turn(Before);
    run(space, std::type_identity<loop_of<freeze::turned_t<Expression, Before>>>{});
  }
};

}  // namespace kroton::cpu
