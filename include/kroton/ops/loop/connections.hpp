// Which results of a graph, or of a scan, depend on which of its inputs by more than positions and
// extents.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>
#include <kroton/ops/loop/op.hpp>

namespace kroton::ops {

/// One list for each input, with an entry for each result.
using connections = list<list<bool>>;

constexpr connections connections_of_scan(graph const& g, int id);

/// How many operands of a node its values are made of. The others are indices and extents.
constexpr int value_operands(graph const& g, int id) {
  if (g.is<op::extent_of>(id)) return 0;
  bool const takes_one = g.is<op::alloc>(id) || g.is<op::reshape>(id) ||
                         g.is<op::subtensor>(id) || g.is<op::take>(id);
  bool const takes_two = g.is<op::inc_subtensor>(id) || g.is<op::set_subtensor>(id) ||
                         g.is<op::inc_take>(id) || g.is<op::set_take>(id);
  return takes_one ? 1 : takes_two ? 2 : g[id].op->read(g[id].input_count);
}

/// The connections of the parameters and results of a graph.
constexpr connections connections_of_graph(graph const& g) {
  list<int> scans;
  list<connections> in_scans;
  for (int id = 0; id < g.size(); ++id)
    if (g.is<op::scan>(id)) {
      scans.push_back(id);
      in_scans.push_back(connections_of_scan(g, id));
    }
  auto reaches = [&](list<bool> const& reached, int id) {
    bool const is_item = g.is<op::item>(id);
    int const node = is_item ? g.input_of(id, 0) : id;
    int scan = 0;
    while (scan < scans.size() && scans[scan] != node) ++scan;
    if (is_item && scan == scans.size()) return bool{reached[node]};
    bool found = false;
    for (int i = 0, read = value_operands(g, node); i < read; ++i) {
      if (!reached[g.input_of(node, i)]) continue;
      if (scan == scans.size()) found = true;
      else if (i < in_scans[scan].size())
        found = found || in_scans[scan][i][is_item ? static_cast<int>(g.attribute(id, 0)) : 0];
    }
    return found;
  };
  connections all;
  for (int p : g.parameters()) {
    list<bool> reached(g.size());
    reached[p] = true;
    for (int id = p + 1; id < g.size(); ++id) reached[id] = reached[id] || reaches(reached, id);
    list<bool> of_results;
    for (int r : g.results()) of_results.push_back(reached[r]);
    all.push_back(of_results);
  }
  return all;
}

/// The connections of the operands and results of a scan over all steps. The number of steps and
/// the lengths of outputs are connected with nothing.
constexpr connections connections_of_scan(graph const& g, int id) {
  scan_layout const at = layout_of(g, id);
  connections const inner = connections_of_graph(g.body(at.address()));
  connections all(at.first_extent_operand(), list<bool>(at.results()));
  auto join = [&](list<bool>& to, list<bool> const& from) {
    bool grew = false;
    for (int tape = 0; tape < at.tapes(); ++tape) {
      grew = grew || (from[tape] && !to[tape]);
      to[tape] = to[tape] || from[tape];
    }
    return grew;
  };
  for (int p = 0; p < inner.size(); ++p) join(all[operand_of_input(at, p).operand], inner[p]);
  // Whatever a step gives a state, later steps read.
  connections by_state(at.states(), list<bool>(at.results()));
  for (int tape = 0; tape < at.states(); ++tape) by_state[tape] = all[at.tape_operand(tape)];
  for (list<bool>& of_operand : all)
    for (bool grew = true; grew;) {
      grew = false;
      for (int tape = 0; tape < at.states(); ++tape)
        if (of_operand[tape]) grew = join(of_operand, by_state[tape]) || grew;
    }
  return all;
}

}  // namespace kroton::ops
