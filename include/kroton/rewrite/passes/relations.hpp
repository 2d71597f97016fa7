// What the books of relations say, read over a whole graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/pattern/relation.hpp>

namespace kroton::rewrite {

/// Finds what the lines of a book replace in a graph in normal form. A neighbour is made in normal
/// form, too: it is there if that is a live node of the graph already.
class relating {
 public:
  constexpr relating(graph const& from, relation_view book, rewrite_options const& options)
      : r_(engine, options),
        book_(book),
        live_(from.live()),
        instead_(from.size(), -1),
        joins_(from.size()) {
    r_.g = from;
    // What is not live need not be in its final form.
    for (int id = 0; id < from.size(); ++id)
      if (live_[id]) r_.mark(id);
  }

  /// Whether there is anything.
  constexpr bool find() {
    bool any = false;
    for (int id = 0; id < live_.size(); ++id) {
      if (!live_[id] || !is_float(r_.g.type(id).element)) continue;
      for (relation_record const& line : book_.lines)
        if (instead_[id] < 0 && r_.g[id].op->key == line.roots[0] && r_.options().is_enabled(line))
          instead_[id] = applied(line, id);
      if (r_.g.is<op::mul>(id)) instead_[id] = joined(id);
      any = any || instead_[id] >= 0;
    }
    return any;
  }
  constexpr graph run() const { return substituted(r_.g, instead_); }

 private:
  constexpr int applied(relation_record const& line, int id) {
    // Functions of literals are folded.
    if (r_.g[id].input_count == 1 && r_.g.is_literal(r_.g.input_of(id, 0))) return -1;
    pattern const sides = book_.sides(line, line.right);
    matcher m(r_, sides, line);
    list<int> rest;
    if (!m.at_root(id, rest)) return -1;
    element const e = r_.g.type(id).element;
    int fitting = 0;
    for (int k = 0; k < line.count; ++k) {
      pattern const next = book_.sides(line, line.neighbours[k]);
      int const neighbour = right_side(r_, next, m.found()).build(e);
      bool const is_there = neighbour < live_.size() && live_[neighbour];
      fitting += is_there != line.is_absent[k] ? 1 : 0;
    }
    if (fitting < line.least[r_.g.type(id).rank == 0 ? 0 : 1]) return -1;
    r_.log(line.name);
    joins_[id] = line.in_products;
    return right_side(r_, sides, m.found(), line.as_written).build(e);
  }
  /// A product of what is replaced by products.
  constexpr int joined(int id) {
    list<int> factors;
    bool any = false;
    for (int f : r_.g.inputs(id)) {
      any = any || joins_[f];
      factors.push_back(joins_[f] ? instead_[f] : f);
    }
    return any ? r_.make(identity<op::mul>(), factors) : -1;
  }

  rewriter r_;
  relation_view book_;
  list<bool> live_;
  list<int> instead_;
  list<bool> joins_;  // which are
};

/// A quick look: whether some line has its left side and as many neighbours as it asks for, by
/// their ops.
constexpr bool may_relate(graph const& g, relation_view book) {
  bool may = false;
  for (relation_record const& line : book.lines) {
    int fitting = 0, absent = 0;
    for (bool is_absent : line.is_absent) absent += is_absent ? 1 : 0;
    for (int id = 0; id < g.size(); ++id) {
      std::uint64_t const key = g[id].op->key;
      bool fits = key == line.roots[0];
      for (int k = 0; k < line.count; ++k)
        fits = fits || (!line.is_absent[k] && key == book.nodes[line.neighbours[k]].op->key);
      fitting += fits ? 1 : 0;
    }
    may = may || fitting > line.least[0] - absent;
  }
  return may;
}

/// The function of a row of the table of passes: a graph in normal form with what a book replaces.
template <auto const& Book>
constexpr graph relate(graph g, rewrite_options const& options) {
  if (may_relate(g, Book)) {
    relating relations(g, Book, options);
    if (relations.find()) g = relations.run();
  }
  return g;
}

}  // namespace kroton::rewrite
