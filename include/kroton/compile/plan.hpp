// The plan: which nodes share a loop, which values are stored where, and in which order the steps run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/compile/blas_calls.hpp>
#include <kroton/compile/planned.hpp>
#include <kroton/core/extents.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/linalg.hpp>

namespace kroton::core {

/// Divides a lowered graph into steps. A fused loop holds all elementwise nodes and reductions over one space (the same
/// extents in every dimension) at one depth, where the depth counts the results of other loops, products and reductions that
/// a node has to wait for. Two nodes of one space and depth cannot depend on each other through another step, so loops with
/// several outputs and shared inputs follow without a search.
class planner {
 public:
  constexpr explicit planner(graph& g) : g_(g) { run(); }

  list<planned_value> values{};
  list<planned_step> steps{};
  list<planned_extent> extents{};
  list<int> value_of{};  // of each node, or -1

 private:
  constexpr void run() {
    for (auto const& c : g_.constraints())
      if (!c.index) classes_.unite(c.left, c.right);
    find_extents();
    find_depths();
    form_steps();
    order_steps();
    find_values();
    build_bodies();
    find_lifetimes();
  }

  constexpr bool is_leaf(int id) const { return g_.is<op::input>(id) || g_.is_literal(id) || g_.is<op::extent_of>(id); }
  constexpr bool is_view(int id) const {
    return g_.is<op::dimshuffle>(id) || g_.is<op::reshape>(id) || g_.is<op::subtensor>(id);
  }
  constexpr bool is_reduction(int id) const { return g_[id].op->reduction; }
  constexpr bool is_fused(int id) const { return g_[id].op->elementwise || g_.is<op::alloc>(id) || is_reduction(id); }
  // The nodes whose values a node reads: an alloc reads its first input; the others are extents.
  constexpr int read_count(int id) const {
    if (g_.is<op::alloc>(id) || g_.is<op::reshape>(id)) return 1;
    return g_.is<op::extent_of>(id) ? 0 : g_[id].input_count;
  }

  constexpr void find_extents() {
    // Extents of parameters are leaves that may be added now; nothing else is.
    list<bool> const live = g_.live();
    live_ = live;
    extent_table table(g_);
    shapes_ = list<list<int>>(live.size(), list<int>{});
    for (int id = 0; id < live.size(); ++id) {
      if (!live[id] && !g_.is<op::input>(id)) continue;
      for (int d = 0; d < g_.type(id).rank; ++d) shapes_[id].push_back(classes_.find(table.find(id, d)));
    }
    while (live_.size() < g_.size()) {
      live_.push_back(true);
      shapes_.push_back(list<int>{});
    }
  }

  constexpr list<int> const& space_of(int id) const { return is_reduction(id) ? shapes_[g_.input_of(id, 0)] : shapes_[id]; }
  static constexpr bool same(list<int> const& a, list<int> const& b) {
    if (a.size() != b.size()) return false;
    for (int i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  // Whether `id` may read `in` inside one loop.
  constexpr bool joins(int in, int id) const {
    return is_fused(in) && !is_reduction(in) && is_fused(id) && same(space_of(in), space_of(id));
  }

  constexpr void find_depths() {
    depth_ = list<int>(g_.size(), 0);
    for (int id = 0; id < g_.size(); ++id) {
      if (!live_[id] || is_leaf(id)) continue;
      for (int i = 0; i < read_count(id); ++i) {
        int const in = g_.input_of(id, i);
        if (is_leaf(in)) continue;
        int const after = depth_[in] + (joins(in, id) ? 0 : 1);
        if (after > depth_[id]) depth_[id] = after;
      }
    }
    // A node whose readers all wait for something else moves into the loop of the first of them: what it would have stored
    // is not stored.
    list<int> latest(g_.size(), -1);
    list<bool> joined(g_.size(), false);
    for (int id = g_.size() - 1; id >= 0; --id) {
      if (!live_[id] || is_leaf(id)) continue;
      if (is_fused(id) && !is_reduction(id) && joined[id] && latest[id] > depth_[id]) depth_[id] = latest[id];
      for (int i = 0; i < read_count(id); ++i) {
        int const in = g_.input_of(id, i);
        bool const join = joins(in, id);
        int const limit = depth_[id] - (join ? 0 : 1);
        joined[in] = joined[in] || join;
        if (latest[in] < 0 || limit < latest[in]) latest[in] = limit;
      }
    }
  }

  constexpr void form_steps() {
    step_of_ = list<int>(g_.size(), -1);
    for (int id = 0; id < g_.size(); ++id) {
      if (!live_[id] || is_leaf(id)) continue;
      int found = -1;
      if (is_fused(id))
        for (int s = 0; s < steps.size() && found < 0; ++s)
          if (steps[s].kind == step_kind::loop && steps[s].depth == depth_[id] && same(steps[s].space, space_of(id)))
            found = s;
      if (found < 0) {
        planned_step step;
        step.kind = is_fused(id)                   ? step_kind::loop
                    : g_.is<op::dimshuffle>(id)    ? step_kind::dimshuffle
                    : g_.is<op::reshape>(id)       ? step_kind::reshape
                    : g_.is<op::subtensor>(id)     ? step_kind::subtensor
                    : g_.is<op::dot>(id)           ? step_kind::dot
                    : g_.is<op::first_equal>(id)   ? step_kind::first_equal
                    : g_.is<op::inc_subtensor>(id) ? step_kind::inc_subtensor
                    : g_.is<op::gemm>(id)          ? step_kind::gemm
                                                   : step_kind::own;
        step.node = id;
        step.depth = depth_[id];
        if (is_fused(id)) step.space = space_of(id);
        found = steps.size();
        steps.push_back(step);
      }
      steps[found].nodes.push_back(id);
      step_of_[id] = found;
    }
  }

  // Everything an extent is computed from runs first: scalars of extents, literals and scalar parameters.
  constexpr void mark_prologue(int id) {
    list<int> todo{id};
    while (!todo.empty()) {
      int const next = todo.back();
      todo.pop_back();
      if (is_leaf(next)) continue;
      if (g_.type(next).rank != 0 || !is_fused(next) || is_reduction(next)) {
        g_.fail("an extent depends on a computed value: extents may only depend on extents and scalar parameters");
        return;
      }
      if (prologue_[next]) continue;
      prologue_[next] = true;
      for (int in : g_.inputs(next)) todo.push_back(in);
    }
  }

  constexpr void order_steps() {
    prologue_ = list<bool>(g_.size(), false);
    for (int id = 0; id < shapes_.size(); ++id)
      if (live_[id])
        for (int e : shapes_[id]) mark_prologue(e);
    for (auto const& c : g_.constraints()) {
      mark_prologue(c.left);
      mark_prologue(c.right);
    }
    for (int id = 0; id < g_.size(); ++id)
      if (prologue_[id]) depth_[id] = 0;
    split_prologue();
    list<int> order;
    for (int s = 0; s < steps.size(); ++s) order.push_back(s);
    sort(order, [&](int a, int b) {
      if (steps[a].prologue != steps[b].prologue) return steps[a].prologue;
      return steps[a].depth < steps[b].depth;
    });
    list<planned_step> sorted;
    for (int s : order) {
      for (int id : steps[s].nodes) step_of_[id] = sorted.size();
      sorted.push_back(steps[s]);
    }
    steps.swap(sorted);
  }
  // The scalars of the prologue form a step of their own.
  constexpr void split_prologue() {
    planned_step first;
    first.prologue = true;
    for (auto& step : steps) {
      list<int> rest;
      for (int id : step.nodes)
        if (!prologue_[id]) rest.push_back(id);
      step.nodes.swap(rest);
    }
    for (int id = 0; id < g_.size(); ++id)
      if (prologue_[id]) first.nodes.push_back(id);
    list<planned_step> kept;
    if (!first.nodes.empty()) kept.push_back(first);
    for (auto const& step : steps)
      if (!step.nodes.empty()) kept.push_back(step);
    steps.swap(kept);
  }

  constexpr int extent_number(int id) {
    planned_extent e;
    if (g_.is_literal(id)) {
      e = {planned_extent::number, g_.literal_bits(id), 0};
    } else if (g_.is<op::extent_of>(id)) {
      int position = 0;
      for (int p = 0; p < g_.parameters().size(); ++p)
        if (g_.parameters()[p] == g_.input_of(id, 0)) position = p;
      e = {planned_extent::parameter, position, g_.attribute(id, 0)};
    } else {
      e = {planned_extent::value, value(id), 0};
    }
    for (int i = 0; i < extents.size(); ++i)
      if (extents[i].from == e.from && extents[i].which == e.which && extents[i].axis == e.axis) return i;
    extents.push_back(e);
    return extents.size() - 1;
  }

  // The value that holds a node, made when it is first asked for.
  constexpr int value(int id) {
    if (value_of[id] >= 0) return value_of[id];
    planned_value v;
    v.node = id;
    v.type = g_.type(id);
    if (g_.is<op::input>(id)) {
      v.where = storage::parameter;
      for (int p = 0; p < g_.parameters().size(); ++p)
        if (g_.parameters()[p] == id) v.detail = p;
    } else if (g_.is_literal(id)) {
      v.where = storage::literal;
      v.detail = g_.literal_bits(id);
    } else if (g_.is<op::extent_of>(id)) {
      v.where = storage::extent;
      // The extent itself, not the one that represents its class: conditions compare members of one class.
      // A declared row has extent 1 by its type; what its extent is at run time is what its condition asks.
      int const of = g_.input_of(id, 0);
      int const own = g_.is<op::input>(of) ? id : extent_node(g_, of, static_cast<int>(g_.attribute(id, 0)));
      v.detail = extent_number(is_leaf(own) ? own : classes_.find(own));
    } else if (is_view(id)) {
      v.where = storage::view;
      v.detail = value(g_.input_of(id, 0));
    } else if (g_.type(id).rank == 0) {
      v.where = storage::scalar;
    }
    value_of[id] = values.size();
    values.push_back(v);
    for (int e : shapes_[id]) {
      int const number = extent_number(e);
      values[value_of[id]].extents.push_back(number);
    }
    return value_of[id];
  }

  constexpr void find_values() {
    value_of = list<int>(g_.size(), -1);
    for (int id : g_.parameters()) value(id);
    for (int id : g_.results()) value(id);
    for (auto const& u : g_.updates()) value(u.value);
    for (auto const& c : g_.constraints()) {
      value(c.left);
      value(c.right);
    }
    for (int s = 0; s < steps.size(); ++s)
      for (int id : steps[s].nodes) {
        if (steps[s].kind != step_kind::loop) value(id);
        for (int i = 0; i < read_count(id); ++i) {
          int const in = g_.input_of(id, i);
          if (g_.is_literal(in) && steps[s].kind == step_kind::loop) continue;
          if (step_of_[in] != s) value(in);
        }
      }
  }

  constexpr void build_bodies() {
    for (int s = 0; s < steps.size(); ++s) {
      planned_step& step = steps[s];
      if (step.kind != step_kind::loop) {
        for (int i = 0; i < read_count(step.node); ++i) step.operands.push_back(value(g_.input_of(step.node, i)));
        step.results.push_back(value(step.node));
        continue;
      }
      list<int> extent_numbers;
      for (int e : step.space) extent_numbers.push_back(extent_number(e));
      step.space.swap(extent_numbers);
      build_body(s);
    }
  }

  constexpr void build_body(int s) {
    planned_step& step = steps[s];
    graph& body = step.body;
    list<int> image(g_.size(), -1);
    int const rank = step.space.size();
    // Operands first: their order is that of their first use.
    for (int id : step.nodes)
      for (int i = 0; i < read_count(id); ++i) {
        int const in = g_.input_of(id, i);
        if (image[in] >= 0 || step_of_[in] == s) continue;
        if (g_.is_literal(in)) continue;
        image[in] = body.input(g_.type(in), step.operands.size());
        step.operands.push_back(value(in));
      }
    for (int id : step.nodes) {
      list<int> inputs;
      for (int i = 0; i < read_count(id); ++i) {
        int const in = g_.input_of(id, i);
        inputs.push_back(g_.is_literal(in) ? body.literal_of_bits(g_.literal_bits(in), g_.type(in).element) : image[in]);
      }
      if (g_.is<op::alloc>(id)) {
        image[id] = inputs[0];  // a loop over the alloc's space reads the value with stride 0
        continue;
      }
      list<long long> attributes;
      if (is_reduction(id)) {
        // Axes counted from the last, since the operand may have a lower rank than the space.
        long long from_last = 0;
        for (int d = 0; d < rank; ++d)
          if ((g_.attribute(id, 0) >> d & 1) != 0) from_last |= 1ll << (rank - 1 - d);
        attributes.push_back(from_last);
      } else {
        for (long long a : g_.attributes(id)) attributes.push_back(a);
      }
      // Only element types matter inside a loop: without ranks, equal formulas over other shapes are one kernel.
      image[id] = body.add(g_[id].op, {g_.type(id).element, 0, 0}, inputs, attributes);
    }
    for (int id : step.nodes)
      if (value_of[id] >= 0) {
        body.results().push_back(image[id]);
        step.results.push_back(value_of[id]);
      }
  }

  constexpr void find_lifetimes() {
    for (int s = 0; s < steps.size(); ++s) {
      for (int v : steps[s].results) values[v].first_step = values[v].last_step = s;
      for (int v : steps[s].operands) touch(v, s);
    }
    for (int id : g_.results()) touch(value_of[id], steps.size());
    for (auto const& u : g_.updates()) touch(value_of[u.value], steps.size());
  }
  constexpr void touch(int v, int s) {
    if (values[v].last_step < s) values[v].last_step = s;
    if (values[v].where == storage::view) touch(static_cast<int>(values[v].detail), s);
  }

  graph& g_;
  extent_classes classes_;
  list<bool> live_, prologue_;
  list<list<int>> shapes_;
  list<int> depth_, step_of_;
};

}  // namespace kroton::core
