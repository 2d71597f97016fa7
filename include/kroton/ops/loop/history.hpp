// The values of a state before and after all steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/parts.hpp>
#include <kroton/ops/loop/rows.hpp>

namespace kroton::ops {

/// The rows of a start that the first step reads.
constexpr term rows_of_start(graph& g, scan_tape const& tape) {
  term const start{&g, tape.start};
  return tape.kind == tape_kind::mit_sot ? rows(start, integer(g, 0), integer(g, tape.reach()))
                                         : as_row(start);
}
/// The rows of the start, and then those that the steps have made.
constexpr term with_start(graph& g, scan_tape const& tape, term made) {
  return join(list<term>{rows_of_start(g, tape), made}, 0);
}

}  // namespace kroton::ops
