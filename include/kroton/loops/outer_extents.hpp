// Extents that are known outside of a loop are known in its body.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/rebuilding.hpp>
#include <kroton/ops/shapes/fixed.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::loops {

/// An extent outside of a loop that its body requires to be a number: it is, wherever a loop of as
/// many steps takes one.
struct required_extent {
  int outside = -1, steps = -1;
  long long number = 0;
};

/// Which extents are to be known in bodies.
enum class known_extents : unsigned char { numbers, all };

/// For a body, which extents of its parameters are the same number, or the same as others, in every
/// call, as conditions: what follows around it from kt::fixed, from literals, from transposes, from
/// loops before it. What is made of conditions does not depend on where they come from.
class extents_of_parameters {
 public:
  constexpr extents_of_parameters(graph& around, ops::extent_classes const& classes,
                                  known_extents which)
      : around_(around), classes_(classes), which_(which) {}

  constexpr graph known_in(graph body, int scan) {
    ops::extent_classes inner;
    for (auto const& c : body.constraints())
      if (c.kind == core::condition::equal) inner.unite(body, c.left, c.right);
    auto require = [&](int left, int right) {
      if (inner.unite(body, left, right))
        body.constraints().push_back(
            {left, right, identity<op::fixed>(), core::condition::equal});
    };
    int const steps = classes_.find(around_.input_of(scan, 0));
    list<known_extent> const all = extents_of(body, scan);
    for (int k = 0; k < all.size(); ++k) {
      int const outside = all[k].outside, inside = all[k].inside;
      if (body.is_literal(inside)) continue;
      for (required_extent const& r : required_)
        if (r.outside == outside && r.steps == steps)
          require(inside, body.literal(r.number, element::int64));
      if (around_.is_literal(outside))
        require(inside, body.literal(around_.literal_bits(outside), element::int64));
      for (int j = 0; which_ == known_extents::all && j < k; ++j)
        if (all[j].outside == outside) require(inside, all[j].inside);
    }
    for (known_extent const& e : all) {
      int const same = inner.find(e.inside);
      if (!body.is_literal(same)) continue;
      required_.push_back({e.outside, steps, body.literal_bits(same)});
      // What the steps require of a parameter is as well known as its type
      if (same != e.inside && !is_fixed(body, e.inside))
        body.constraints().push_back(
            {e.inside, same, identity<op::fixed>(), core::condition::equal});
    }
    return body;
  }

 private:
  /// An extent of a parameter, as a node outside of the body and inside.
  struct known_extent {
    int outside = -1, inside = -1;
  };
  static constexpr bool is_fixed(graph const& body, int extent) {
    bool is = false;
    for (auto const& c : body.constraints())
      is = is || (c.left == extent && is_op<op::fixed>(c.op));
    return is;
  }
  constexpr list<known_extent> extents_of(graph& body, int scan) {
    list<known_extent> all;
    ops::scan_layout const at = ops::layout_of(around_, scan);
    for (int p = 0; p < body.parameters().size(); ++p) {
      ops::outer_operand const from = ops::operand_of_input(at, p);
      int const operand = around_.input_of(scan, from.operand);
      for (int d = 0; d < body.type(body.parameters()[p]).rank; ++d)
        all.push_back({classes_.find(extent_node(around_, operand, d + from.axes)),
                       extent_node(body, body.parameters()[p], d)});
    }
    return all;
  }

  graph& around_;
  ops::extent_classes const& classes_;
  known_extents which_;
  list<required_extent> required_{};
};

/// The graph with what is known of extents in all bodies. Two loops of one body may have different
/// extents, so that each has its own afterwards.
constexpr graph with_outer_extents(graph g, known_extents which = known_extents::all) {
  if (g.has<op::scan>()) {
    graph around = g;  // finding extents adds nodes
    ops::extent_classes classes;
    for (auto const& c : g.constraints())
      if (c.kind == core::condition::equal) classes.unite(g, c.left, c.right);
    extents_of_parameters extents(around, classes, which);
    list<long long> kept;
    graph made = rewrite::rebuilt(g, [&](graph& to, int id, list<int> const& image) {
      if (!g[id].op->has_body) return -1;
      long long address = g.attribute(id, 0);
      if (g.is<op::scan>(id)) {
        graph const inner =
            with_outer_extents(extents.known_in(g.body(address), id), which);
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
