// A fused loop in the plan of a call: its ops, its axes, and what its schedule says.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/schedule.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace kroton::printing {

/// The axes of a loop that remain after merging: `rows and columns merged: 1 axis of 1000000`.
inline std::string axes_text(std::ptrdiff_t const* before, int rank, std::ptrdiff_t const* after,
                             int left) {
  std::string extents;
  for (int d = 0; d < left; ++d) extents += (d == 0 ? "" : " x ") + std::to_string(after[d]);
  std::string const what = std::to_string(left) + (left == 1 ? " axis of " : " axes of ") + extents;
  int dropped = 0;
  for (int d = 0; d < rank; ++d) dropped += before[d] == 1 ? 1 : 0;
  if (left == rank) return what;
  if (rank - dropped <= left) return "axes of one element dropped: " + what;
  return (rank == 2 ? "rows and columns merged: " : "axes merged: ") + what;
}

/// What a schedule says in words, a line for each decision that is not the usual one.
template <class Space>
void describe(loop_schedule<Space> const& how, Space const& s, std::vector<std::string>& notes) {
  if (how.shares.parts > 1)
    notes.push_back(std::to_string(how.shares.parts) + " threads, each up to " +
                    std::to_string(how.shares.size) + " of axis " +
                    std::to_string(how.shares.axis) +
                    (how.shares.combines ? "; partial results are combined" : ""));
  if (how.streams) notes.push_back("stores bypass the caches");
  std::string text;
  for (int k = 0; k < s.operands; ++k)
    if (how.staged.is_staged(k)) text += (text.empty() ? "" : ", ") + std::to_string(k + 1);
  if (!text.empty())
    text = (text.find(',') == std::string::npos ? "copied in blocks: operand "
                                                : "copied in blocks: operands ") +
           text;
  if (how.staged.joins_rows())
    text += text.empty() ? "blocks of rows become one long row" : "; rows become one long row";
  if (how.staged.folds_rows()) text += ", each of whose elements has a sum of its own";
  if (!text.empty()) notes.push_back(text);
}

/// A loop in the plan.
struct planned_loop {
  std::string names;
  int rank = 0;
  std::ptrdiff_t before[max_rank + 1]{};  // extents, before axes are merged
  bool empty = false, reduces = false;
  std::vector<std::string> notes;

  template <class Space, class Facts>
  static planned_loop of(Space space, Facts const& facts, std::string names, bool reduces) {
    planned_loop l;
    l.names = std::move(names);
    l.rank = space.rank;
    l.reduces = reduces;
    std::copy(space.extents, space.extents + l.rank, l.before);
    l.empty = space.empty();
    if (l.empty) return l;
    space.adds_few = has_narrow_sums(space, facts);
    space.merge_axes(facts);
    if (l.rank > 1) l.notes.push_back(axes_text(l.before, l.rank, space.extents, space.rank));
    for (int k = 0; k < space.operands; ++k)
      if (is_packed(space, k)) l.notes.push_back("copied once: operand " + std::to_string(k + 1));
    order_of_sums<Space> const order(space, facts);
    if (order.passes() == 0) describe(loop_schedule<Space>(space, facts), space, l.notes);
    order.run(space, [&](Space const& part) {
      l.notes.push_back("sums of " + std::to_string(part.extents[part.rank - 2]) +
                        " rows at a time");
      describe(loop_schedule<Space>(part, facts), part, l.notes);
    });
    return l;
  }
};

}  // namespace kroton::printing
