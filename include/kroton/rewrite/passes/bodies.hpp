// Bodies: rewritten as the graph that owns them is, some of them written out where a program is
// planned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

#include <string_view>

namespace kroton::rewrite {

/// Bodies by their addresses, and what they have become.
struct known_bodies {
  list<long long> before;
  list<body> after;

  constexpr int find(long long address) const {
    int k = 0;
    while (k < before.size() && before[k] != address) ++k;
    return k;
  }
};

/// The graph with `rewritten(body)` for each body that its nodes own. A body that several nodes own
/// is rewritten once, and so is one that others own, too, where `rewritten` keeps what is known
/// from graph to graph. The error of one that cannot be rewritten is that of the graph.
template <class Rewrite>
constexpr graph with_bodies(graph const& g, Rewrite rewritten, known_bodies& known) {
  list<long long> kept;
  std::string_view error;
  graph made = rebuilt(g, [&](graph& to, int id, list<int> const& image) {
    if (!g[id].op->has_body) return -1;
    long long const address = g.attribute(id, 0);
    int k = known.find(address);
    if (k == known.before.size()) {
      graph inner = rewritten(g.body(address));
      if (!inner.error().empty()) {
        error = inner.error();
        inner = g.body(address);
      }
      k = known.before.size();  // those inside are known by now
      known.before.push_back(address);
      known.after.push_back(body(inner));
    }
    list<int> inputs;
    for (int in : g.inputs(id)) inputs.push_back(image[in]);
    list<long long> attributes(g.attribute_data(id), g[id].attribute_count);
    attributes[0] = to.intern(known.after[k]);
    kept.push_back(attributes[0]);
    return to.add(g[id].op, g.type(id), inputs, attributes);
  });
  made.keep_bodies(kept);
  if (!error.empty()) made.fail(error);
  return made;
}
template <class Rewrite>
constexpr graph with_bodies(graph const& g, Rewrite rewritten) {
  known_bodies known;
  return with_bodies(g, rewritten, known);
}

/// Whether a graph has ops that stand for others. They may be left when the loops around them, and
/// with them all bodies, are gone.
constexpr bool has_owners_to_write_out(graph const& g) {
  bool has = !g.bodies().empty();
  for (int id = 0; id < g.size(); ++id) has = has || g[id].op->is_written_out;
  return has;
}
/// The graph with the nodes that the owners of bodies stand for, except for those that run them.
constexpr graph written_out(graph const& g) {
  list<list<int>> outputs(g.size(), list<int>{});
  graph made = rebuilt(g, [&](graph& to, int id, list<int> const& image) {
    int const of = g.is<op::item>(id) ? g.input_of(id, 0) : id;
    if (!g[of].op->is_written_out) return -1;
    if (of != id) return outputs[of][static_cast<int>(g.attribute(id, 0))];
    list<int> inputs;
    for (int in : g.inputs(id)) inputs.push_back(image[in]);
    g[id].op->write_out(to, {&to, inputs, g.attributes(id)}, outputs[id]);
    return outputs[id][0];
  });
  list<long long> kept;
  for (int id = 0; id < made.size(); ++id)
    if (made[id].op->has_body) kept.push_back(made.attribute(id, 0));
  made.keep_bodies(kept);
  return cleaner(made).run();
}

}  // namespace kroton::rewrite
