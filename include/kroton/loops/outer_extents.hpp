// Extents that are known outside of a loop are known in its body.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/rebuilding.hpp>
#include <kroton/ops/fixed.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::loops {

/// For a body, which extents of its parameters are the same number, or the same as others, in every
/// call, as conditions: what follows around it from kt::fixed, from literals, from transposes. What
/// the plan makes of conditions does not depend on where they come from.
constexpr graph with_known_extents(graph body, graph& around, int scan,
                                   ops::extent_classes const& classes) {
  ops::scan_layout const at = ops::layout_of(around, scan);
  ops::extent_classes inner;
  for (auto const& c : body.constraints())
    if (c.kind == core::condition::equal) inner.unite(body, c.left, c.right);
  auto require = [&](int left, int right) {
    if (inner.unite(body, left, right))
      body.constraints().push_back(
          {left, right, identity<op::fixed>(), core::condition::equal});
  };
  list<int> classes_seen, first_inside;
  for (int p = 0; p < body.parameters().size(); ++p) {
    ops::outer_operand const from = ops::operand_of_input(at, p);
    int const operand = around.input_of(scan, from.operand);
    for (int d = 0; d < body.type(body.parameters()[p]).rank; ++d) {
      int const outside = classes.find(extent_node(around, operand, d + from.axes)),
                inside = extent_node(body, body.parameters()[p], d);
      if (body.is_literal(inside)) continue;
      int k = 0;
      while (k < classes_seen.size() && classes_seen[k] != outside) ++k;
      if (around.is_literal(outside)) {
        require(inside, body.literal(around.literal_bits(outside), element::int64));
      } else if (k < classes_seen.size()) {
        require(inside, first_inside[k]);
      } else {
        classes_seen.push_back(outside);
        first_inside.push_back(inside);
      }
    }
  }
  return body;
}

/// The graph with what is known of extents in all bodies. Two loops of one body may have different
/// extents, so that each has its own afterwards.
constexpr graph with_outer_extents(graph g) {
  if (g.has<op::scan>()) {
    graph around = g;  // finding extents adds nodes
    ops::extent_classes classes;
    for (auto const& c : g.constraints())
      if (c.kind == core::condition::equal) classes.unite(g, c.left, c.right);
    list<long long> kept;
    graph made = rewrite::rebuilt(g, [&](graph& to, int id, list<int> const& image) {
      if (!g[id].op->has_body) return -1;
      long long address = g.attribute(id, 0);
      if (g.is<op::scan>(id)) {
        graph const inner = with_outer_extents(
            with_known_extents(g.body(address), around, id, classes));
        address = to.intern(core::body(inner));
      }
      kept.push_back(address);
      list<int> inputs;
      for (int in : g.inputs(id)) inputs.push_back(image[in]);
      list<long long> attributes(g.attribute_data(id), g[id].attribute_count);
      attributes[0] = address;
      return to.add(g[id].op, g.type(id), inputs, attributes);
    });
    made.keep_bodies(kept);
    g = std::move(made);
  }
  return g;
}

}  // namespace kroton::loops
