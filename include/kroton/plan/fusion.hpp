// Fusion: which nodes can share a loop, given the extents over which they are computed and the
// values that they wait for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>
#include <kroton/plan/guards.hpp>

namespace kroton::plan {

/// Properties of a node that the plan reads often.
struct role {
  bool runs;       // it is needed and is not a leaf
  bool leaf;       // a parameter, a literal or an extent
  bool fused;      // computed in a loop
  bool reduction;
  bool item;       // an additional output of its input, computed by the input's step
  int reads;  // how many of its inputs it reads the values of: an alloc the first, the others are
              // extents
  int space;  // the number of the shape over which it is computed; nodes of different guards have
              // different numbers
};

/// The shapes, roles and depths of the nodes of a lowered graph. The depth counts the results of
/// other loops, products and reductions that a node must wait for. Two nodes of the same space and
/// depth cannot depend on each other through another step, so loops with several outputs and shared
/// inputs result without a search.
class fusion {
 public:
  constexpr explicit fusion(graph& g) : g_(g) {
    for (auto const& c : g.constraints())
      if (c.kind == condition::equal) classes.unite(g, c.left, c.right);
    find_shapes();
    guarded.find(g_, live_);
    find_roles();
    if (!guarded.empty()) separate_guards();
    find_depths();
  }

  constexpr list<int> const& shape(int id) const { return shapes[shape_of_[id]]; }
  /// The conditions under which a node is needed, as returned by `guards`.
  constexpr list<int> conditions(int id) const { return guarded.conditions(guarded.of(id)); }

  extent_classes classes{};
  list<list<int>> shapes{};  // all that occur; the first is that of scalars
  list<role> roles{};
  list<int> depths{};
  guards guarded{};

 private:
  // Numbers the shapes, equal ones equally, so that they are compared by number.
  constexpr void find_shapes() {
    // Extents of parameters are leaves that may be added at this point; nothing else is added.
    live_ = g_.live();
    int const size = live_.size();
    extent_table table(g_);
    shapes.push_back({});
    shape_of_ = list<int>(size);
    list<int> extents_of_node;
    for (int id = 0; id < size; ++id) {
      int const rank = g_.type(id).rank;
      if (rank == 0 || (!live_[id] && !g_.is<op::input>(id))) continue;
      if (has_extents_of_first(g_, id)) {
        shape_of_[id] = shape_of_[g_.input_of(id, 0)];
        continue;
      }
      extents_of_node.clear();
      for (int d = 0; d < rank; ++d) extents_of_node.push_back(classes.find(table.find(id, d)));
      int found = 1;
      while (found < shapes.size() && !same(shapes[found], extents_of_node)) ++found;
      if (found == shapes.size()) shapes.push_back(extents_of_node);
      shape_of_[id] = found;
    }
    while (live_.size() < g_.size()) {
      live_.push_back(true);
      shape_of_.push_back(0);
    }
  }
  static constexpr bool same(list<int> const& a, list<int> const& b) {
    if (a.size() != b.size()) return false;
    for (int i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

  constexpr void find_roles() {
    roles.reserve(g_.size());
    for (int id = 0; id < g_.size(); ++id) {
      node const& n = g_[id];
      bool const extent = is_op<op::extent_of>(n.op), alloc = is_op<op::alloc>(n.op);
      role r{};
      r.leaf = extent || is_op<op::input>(n.op) || is_op<op::literal>(n.op);
      r.item = is_op<op::item>(n.op);
      r.runs = live_[id] && !r.leaf;
      r.reduction = n.op->reduction;
      r.fused = n.op->elementwise || r.reduction || alloc;
      r.reads = extent ? 0 : alloc || is_op<op::reshape>(n.op) ? 1 : n.input_count;
      r.space = shape_of_[r.reduction ? g_.input_of(id, 0) : id];
      roles.push_back(r);
    }
  }
  // Gives each shape a separate number for each guard, so that nodes with different guards never
  // share a loop, and each loop runs as a whole.
  constexpr void separate_guards() {
    list<int> shape_of_space;
    list<std::uint64_t> guard_of_space;
    for (int s = 0; s < shapes.size(); ++s) {
      shape_of_space.push_back(s);
      guard_of_space.push_back(0);
    }
    for (int id = 0; id < roles.size(); ++id) {
      std::uint64_t const guard = guarded.of(id);
      if (!roles[id].runs || guard == 0) continue;
      int const shape = roles[id].space;
      int s = 0;
      while (s < shapes.size() && (shape_of_space[s] != shape || guard_of_space[s] != guard)) ++s;
      if (s == shapes.size()) {
        shapes.push_back(list<int>(shapes[shape]));
        shape_of_space.push_back(shape);
        guard_of_space.push_back(guard);
      }
      roles[id].space = s;
    }
  }
  // Whether `id` may read `in` inside one loop.
  static constexpr bool joins(role const& in, role const& id) {
    return in.fused && !in.reduction && id.fused && in.space == id.space;
  }

  // Whether operand i is a serial op that only precedes: of steps of one depth it is the first.
  constexpr bool only_follows(int id, int i) const {
    return g_[id].op->is_serial && i == g_[id].input_count - 1 && !roles[id].fused &&
           !roles[g_.input_of(id, i)].fused;
  }

  constexpr void find_depths() {
    depths = list<int>(g_.size());
    list<int> latest_depth(g_.size(), -1);
    list<bool> joined_loop = list<bool>(g_.size());
    // Plain pointers: every call counts.
    role const* const role_of = roles.data();
    int *const depth = depths.data(), *const latest = latest_depth.data();
    bool* const joined = joined_loop.data();
    bool const has_guards = !guarded.empty();
    for (int id = 0; id < g_.size(); ++id) {
      if (!role_of[id].runs) continue;
      if (has_guards)
        for (std::uint64_t rest = guarded.of(id); rest != 0; rest &= rest - 1) {
          int const c = guarded.first_condition(rest);
          if (!role_of[c].leaf && depth[c] >= depth[id]) depth[id] = depth[c] + 1;
        }
      int const* const inputs = g_.input_data(id);
      for (int i = 0; i < role_of[id].reads; ++i) {
        int const in = inputs[i];
        if (role_of[in].leaf) continue;
        bool const at_once =
            joins(role_of[in], role_of[id]) || role_of[id].item || only_follows(id, i);
        int const after = depth[in] + (at_once ? 0 : 1);
        if (after > depth[id]) depth[id] = after;
      }
    }
    // A node whose readers all wait for something else moves into the loop of the first reader, so
    // that its value need not be stored.
    for (int id = g_.size() - 1; id >= 0; --id) {
      role const& r = role_of[id];
      if (!r.runs) continue;
      if (r.fused && !r.reduction && joined[id] && latest[id] > depth[id]) depth[id] = latest[id];
      if (has_guards)
        for (std::uint64_t rest = guarded.of(id); rest != 0; rest &= rest - 1) {
          int const c = guarded.first_condition(rest);
          if (latest[c] < 0 || depth[id] - 1 < latest[c]) latest[c] = depth[id] - 1;
        }
      int const* const inputs = g_.input_data(id);
      for (int i = 0; i < r.reads; ++i) {
        int const in = inputs[i];
        bool const join = joins(role_of[in], r);
        int const limit = depth[id] - (join ? 0 : 1);
        joined[in] = joined[in] || join;
        if (latest[in] < 0 || limit < latest[in]) latest[in] = limit;
      }
    }
  }

  graph& g_;
  list<bool> live_;
  list<int> shape_of_;
};

}  // namespace kroton::plan
