// Graphs rebuilt around new forms of their scans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/form.hpp>

namespace kroton::loops {

constexpr bool is_scan(graph const& g, int id) { return g.is<op::scan>(id); }
/// The scan that a node is an output of, or -1, and which output it is.
constexpr int scan_of(graph const& g, int id) {
  if (g.is<op::item>(id)) id = g.input_of(id, 0);
  return is_scan(g, id) ? id : -1;
}
constexpr int output_number(graph const& g, int id) {
  return g.is<op::item>(id) ? static_cast<int>(g.attribute(id, 0)) : 0;
}

/// For each result of a scan, whether anything reads it.
constexpr list<bool> used_results(graph const& g, int scan, list<bool> const& live) {
  list<bool> used(layout_of(g, scan).results());
  auto note = [&](int id) {
    if (scan_of(g, id) == scan) used[output_number(g, id)] = true;
  };
  for (int id = 0; id < live.size(); ++id)
    if (live[id] && !g.is<op::item>(id))
      for (int in : g.inputs(id)) note(in);
  for (int id : g.results()) note(id);
  for (auto const& u : g.updates()) note(u.value);
  for (auto const& c : g.constraints()) {
    note(c.left);
    note(c.right);
  }
  return used;
}

/// Leaves every node as it is.
struct no_other {
  constexpr int operator()(graph&, int, list<int> const&) const { return -1; }
};

/// Copies a graph. `scans` are recorded as soon as everything that reads none of them has been:
/// `make(to, image)` gives for each the nodes that stand for its results. `other(to, id, image)`
/// records what stands for a node behind them, or gives -1 for one that stays as it is. What cannot
/// be recorded leaves an error in the graph.
template <class Make, class Other = no_other>
constexpr graph with_scans(graph const& from, list<int> const& scans, Make make, Other other = {}) {
  graph to;
  to.reserve_for(from.size());
  to.share_bodies(from);
  list<bool> const live = from.live();
  list<bool> after(from.size());
  for (int id : scans) after[id] = true;
  for (int id = 0; id < from.size(); ++id)
    for (int in : from.inputs(id)) after[id] = after[id] || after[in];
  list<int> image(from.size(), -1), inputs;
  for (int id : from.parameters())
    image[id] = to.input(from.type(id), static_cast<int>(from.attribute(id, 0)));
  list<list<int>> made;
  for (bool second : {false, true}) {
    if (second) {
      list<list<int>> results = make(to, image);
      made.swap(results);
      if (!to.error().empty()) break;
      for (int k = 0; k < scans.size(); ++k) image[scans[k]] = made[k][0];
    }
    for (int id = 0; id < from.size(); ++id) {
      if (!live[id] || image[id] >= 0 || after[id] != second) continue;
      int const scan = from.is<op::item>(id) ? from.input_of(id, 0) : -1;
      for (int k = 0; k < scans.size(); ++k)
        if (scans[k] == scan) image[id] = made[k][static_cast<int>(from.attribute(id, 0))];
      if (second && image[id] < 0) image[id] = other(to, id, image);
      if (image[id] >= 0) continue;
      inputs.clear();
      for (int i : from.inputs(id)) inputs.push_back(image[i]);
      image[id] = to.add(from[id].op, from.type(id), inputs, from.attributes(id));
    }
  }
  if (to.error().empty()) to.adopt(from, image);
  return to;
}

/// All results of a scan.
constexpr list<int> results_of(graph& g, int scan) {
  list<int> results;
  for (int t = 0, count = scan < 0 ? 0 : layout_of(g, scan).results(); t < count; ++t)
    results.push_back(output_of({&g, scan}, t).id);
  return results;
}

/// The scans of a graph that are needed, in order; without those whose stacks are stored backwards
/// already, if these are finished: passes count rows.
constexpr list<int> scans_in(graph const& g, bool finished = false) {
  list<int> found;
  list<bool> const live = g.live();
  for (int id = 0; id < g.size(); ++id)
    if (live[id] && is_scan(g, id) &&
        (finished || layout_of(g, id).all[scan_layout::backward_stacks] == 0))
      found.push_back(id);
  return found;
}

/// The graph after `change`, which changes the first scan for which it has something to do, until
/// it finds none: `change(g, scan, made)` gives whether `made` is the changed graph. One with an
/// error is not taken. `finished` as scans_in says.
template <class Change>
constexpr graph with_each_scan(graph g, Change change, bool finished = false) {
  for (bool again = true; again;) {
    again = false;
    graph made;
    for (int id : scans_in(g, finished)) {
      again = change(g, id, made) && made.error().empty();
      if (again) break;
    }
    if (again) g = std::move(made);
  }
  return g;
}

}  // namespace kroton::loops
