// The conditions of a graph whose arrays are taken apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/scalars/replacement.hpp>

#include <optional>

namespace kroton::rewrite {

/// Whether a condition between two numbers holds; nothing where one of them is not known.
constexpr std::optional<bool> holds(scalar_replacement& r, extent_constraint const& c) {
  int const left = r.scalar(c.left), right = r.scalar(c.right);
  if (left < 0 || right < 0 || !r.made.is_literal(left) || !r.made.is_literal(right)) return {};
  long long const a = r.made.literal_bits(left), b = r.made.literal_bits(right);
  switch (c.kind) {
    case condition::equal: return a == b;
    case condition::index: return a >= 0 && a < b;
    case condition::at_least: return a >= b;
    default: return {};
  }
}
/// Whether no condition is false, so that extents and indices of elements are what operands have.
constexpr bool has_no_contradiction(scalar_replacement& r) {
  bool none = true;
  for (auto const& c : list<extent_constraint>(r.from().constraints()))
    none = none && holds(r, c) != false;
  return none;
}

/// Moves the conditions to the graph of elements. Those that follow from the types of parameters
/// are gone; one from which an extent is known stays, with the extent as it was written.
class moved_conditions {
 public:
  constexpr explicit moved_conditions(scalar_replacement& r) : r_(r) {}

  constexpr void run() {
    bool drops = false;  // with a condition, what belongs to it
    for (auto c : list<extent_constraint>(r_.from().constraints())) {
      if (!is_continued(c.kind)) drops = !is_op<op::fixed>(c.op) && is_settled(c);
      if (drops) continue;
      c.left = as_written(c.left);
      c.right = as_written(c.right);
      c.node = -1;
      if (c.left < 0 || c.right < 0) return r_.give_up();
      r_.made.constraints().push_back(c);
    }
  }

 private:
  constexpr bool is_settled(extent_constraint const& c) {
    // Where all extents are known there are few elements.
    if (c.kind == condition::count) return !r_.has_whole_axes();
    return rests_on_types(c.left) && rests_on_types(c.right) && holds(r_, c) == true;
  }
  constexpr bool rests_on_types(int id) {
    graph const& g = r_.from();
    if (g.is_literal(id)) return true;
    if (g.is<op::extent_of>(id)) {
      int const of = g.input_of(id, 0);
      int const same = r_.extent_of(of, static_cast<int>(g.attribute(id, 0)));
      return same == id ? has_fixed_extent(id) : rests_on_types(same);
    }
    bool all = g[id].op->elementwise;
    for (int in : r_.inputs_of(id)) all = all && rests_on_types(in);
    return all;
  }
  constexpr bool has_fixed_extent(int id) const {
    bool has = false;
    for (auto const& c : r_.from().constraints())
      has = has || (is_op<op::fixed>(c.op) && c.left == id);
    return has;
  }
  /// A scalar of extents whatever is known of these.
  constexpr int as_written(int id) {
    graph const& g = r_.from();
    if (g.is<op::extent_of>(id)) {
      int const of = g.input_of(id, 0), d = static_cast<int>(g.attribute(id, 0));
      if (g.is<op::input>(of)) return extent_node(r_.made, r_.parameter(of), d);
      int const same = r_.extent_of(of, d);
      return same != id ? as_written(same) : r_.scalar(id);
    }
    if (g.is_literal(id) || !g[id].op->elementwise) return r_.scalar(id);
    list<int> inputs;
    for (int in : r_.inputs_of(id)) {
      inputs.push_back(as_written(in));
      if (inputs.back() < 0) return -1;
    }
    return r_.made.add(g[id].op, g.type(id), inputs, g.attributes(id));
  }

  scalar_replacement& r_;
};

constexpr void move_conditions(scalar_replacement& r) { moved_conditions(r).run(); }

}  // namespace kroton::rewrite
