// What a scan requires of its operands, for reverse scans that read nothing of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/formal.hpp>
#include <kroton/ops/loop/parts.hpp>

namespace kroton::calculus {

/// Whether a scalar has the value of a parameter of a body that is being recorded.
constexpr bool needs_formal(graph const& g, int root) {
  list<bool> needed(root + 1);
  needed[root] = true;
  for (int id = root; id >= 0; --id) {
    if (!needed[id]) continue;
    if (g.is<op::formal>(id)) return true;
    if (!g.is<op::extent_of>(id))
      for (int in : g.inputs(id)) needed[in] = true;
  }
  return false;
}

/// Requires that sequences and starts have the rows that a scan reads. Its gradient reads them even
/// if it needs nothing that the scan computes, so that nobody else asks.
constexpr void require_operands(graph& g, scan_parts const& parts) {
  // A note says which parameter of the body reads a sequence; 0: it is a start. (See op::scan)
  auto require = [&](int left, int least, int reader) {
    if (needs_formal(g, left) || needs_formal(g, least)) return;
    for (auto const& c : g.constraints())
      if (c.left == left && c.right == least && c.kind == condition::at_least) return;
    g.constraints().push_back({left, least, identity<op::scan>(), condition::at_least});
    if (reader < 0) return;
    int const number = g.literal(reader, element::int64);
    g.constraints().push_back({number, number, identity<op::scan>(), condition::note});
  };
  if (parts.counted) {
    require(parts.steps, g.literal(0, element::int64), -1);
    for (int i = 0; i < parts.sequences.size(); ++i)
      require(extent_node(g, parts.sequences[i], 0), parts.steps, i + 1);
  }
  for (scan_tape const& tape : parts.tapes) {
    int reach = 0;
    for (int t : tape.taps) reach = -t > reach ? -t : reach;
    if (tape.kind == tape_kind::mit_sot)
      require(extent_node(g, tape.start, 0), g.literal(reach, element::int64), 0);
  }
}

}  // namespace kroton::calculus
