// The plan: which nodes share a loop, which values are stored where, and in which order the steps
// run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>
#include <kroton/plan/bands.hpp>
#include <kroton/plan/blas_calls.hpp>
#include <kroton/plan/bundles.hpp>
#include <kroton/plan/indirect.hpp>
#include <kroton/plan/parts.hpp>
#include <kroton/plan/planned.hpp>
#include <kroton/plan/prologue.hpp>
#include <kroton/plan/recompute.hpp>

namespace kroton::plan {

/// Divides a lowered graph into steps. A fused loop contains all elementwise nodes and reductions
/// over one space (the same extents in every dimension) at one depth.
class planner {
 public:
  constexpr explicit planner(graph& g)
      : g_(g), fusion_(g), depth_(fusion_.depths), prologue_(g, fusion_) {
    run();
  }

  list<planned_value> values{};
  list<planned_step> steps{};
  // Of the loops. Apart from the steps, which are moved often: a graph is a dozen lists.
  list<graph> bodies{};
  list<planned_extent> extents{};
  list<int> value_of{};  // of each node, or -1
  list<planned_band> bands{};
  list<planned_bundle> bundles{};

 private:
  constexpr void run() {
    form_steps();
    order_steps();
    recompute();
    bundle_finder bundled(g_, fusion_, steps, step_of_);
    bundles.swap(bundled.bundles);
    band_finder found(g_, fusion_, steps, step_of_);
    bands.swap(found.bands);
    settle(bundles, steps);
    find_values();
    build_bodies();
    find_indirect(g_, steps, values);
    place_parts();
    find_lifetimes();
  }

  constexpr role const& role_of(int id) const { return fusion_.roles[id]; }
  constexpr bool is_leaf(int id) const { return ops::is_leaf(g_, id); }
  constexpr bool is_view(int id) const {
    return step_of_[id] >= 0 && core::is_view(steps[step_of_[id]].kind);
  }

  constexpr void form_steps() {
    step_of_ = list<int>(g_.size(), -1);
    // Loops of one depth form a chain, whose last element is found by the depth.
    list<int> spaces, previous, last_of_depth;
    for (int id = 0; id < g_.size(); ++id) {
      role const& r = role_of(id);
      if (!r.runs) continue;
      int found = r.item ? step_of_[g_.input_of(id, 0)] : -1;
      if (r.fused) {
        last_of_depth.extend(depth_[id] + 1, -1);
        found = last_of_depth[depth_[id]];
        while (found >= 0 && spaces[found] != r.space) found = previous[found];
      }
      if (found < 0) {
        planned_step step;
        step.kind = r.fused ? step_kind::loop : g_[id].op->step;
        step.node = id;
        step.overwrites = g_[id].op->overwrites;
        if (step.kind == step_kind::own && g_[id].input_count > 0 && !g_[id].op->takes_complex &&
            is_complex(g_.type(g_.input_of(id, 0)).element))
          g_.fail(no_complex_numbers);
        step.depth = depth_[id];
        if (r.fused) step.space = fusion_.shapes[r.space];
        found = steps.size();
        spaces.push_back(r.space);
        previous.push_back(r.fused ? last_of_depth[step.depth] : -1);
        if (r.fused) last_of_depth[step.depth] = found;
        steps.push_back(std::move(step));
      }
      steps[found].nodes.push_back(id);
      step_of_[id] = found;
    }
  }

  constexpr void order_steps() {
    split_prologue();
    list<int> order;
    for (int s = 0; s < steps.size(); ++s) order.push_back(s);
    merge_sort(order, [&](int a, int b) {
      if (steps[a].prologue != steps[b].prologue) return steps[a].prologue;
      return steps[a].depth < steps[b].depth;
    });
    order_prologue(order);
    move_eager_steps(order);
    list<planned_step> sorted;
    sorted.reserve(order.size());
    for (int s : order) {
      for (int id : steps[s].nodes) step_of_[id] = sorted.size();
      sorted.push_back(std::move(steps[s]));
    }
    steps.swap(sorted);
  }
  // Directly behind the steps that they wait for; and so are the views that they read.
  constexpr void move_eager_steps(list<int>& order) const {
    list<bool> eager(steps.size());
    bool has_some = false;
    for (int s : order) {
      if (steps[s].kind != step_kind::own || !g_[steps[s].node].op->is_eager) continue;
      eager[s] = has_some = true;
      for (int in : g_.inputs(steps[s].node))
        if (is_view(in)) eager[step_of_[in]] = true;
    }
    for (int at = 0; has_some && at < order.size(); ++at) {
      planned_step const& step = steps[order[at]];
      if (!eager[order[at]] || step.prologue) continue;
      auto waits_for = [&](int s) {
        if (steps[s].prologue) return true;
        for (int in : g_.inputs(step.node))
          if (step_of_[in] == s) return true;
        return false;
      };
      for (int to = at; to > 0 && !waits_for(order[to - 1]); --to)
        std::swap(order[to], order[to - 1]);
    }
  }
  // Steps of the prologue also wait for the extents of their results.
  constexpr void order_prologue(list<int>& order) const {
    list<int> waiting;
    for (int s : order)
      if (steps[s].prologue) waiting.push_back(s);
    if (waiting.size() < 2) return;
    list<bool> done(g_.size());
    for (int at = 0; !waiting.empty(); ++at) {
      int next = 0;
      while (next < waiting.size() && !may_run(steps[waiting[next]], done)) ++next;
      if (next == waiting.size()) {
        g_.fail("an extent depends on what is computed over it");
        return;
      }
      order[at] = waiting[next];
      for (int id : steps[waiting[next]].nodes) done[id] = true;
      waiting.erase(next);
    }
  }
  constexpr bool may_run(planned_step const& step, list<bool> const& done) const {
    auto waits = [&](int id) {
      if (is_leaf(id) || (id < done.size() && done[id])) return false;
      for (int own : step.nodes)
        if (own == id) return false;
      return true;
    };
    for (int e : step.space)
      if (waits(e)) return false;
    for (int id : step.nodes) {
      for (int in : g_.inputs(id))
        if (waits(in)) return false;
      for (int e : fusion_.shape(id))
        if (waits(e)) return false;
    }
    return true;
  }
  // Nodes of the prologue are in separate steps.
  constexpr void split_prologue() {
    if (prologue_.empty()) return;
    list<planned_step> kept;
    if (!prologue_.scalars.empty()) {
      planned_step first;
      first.prologue = true;
      first.depth = -1;
      for (int id : prologue_.scalars) first.nodes.push_back(id);
      kept.push_back(std::move(first));
    }
    for (auto& step : steps) {
      list<int> early, rest;
      for (int id : step.nodes)
        if (!prologue_.has(step.kind == step_kind::loop ? id : step.node)) rest.push_back(id);
        else if (!prologue_.has_scalar(id)) early.push_back(id);
      if (!early.empty()) {
        kept.push_back(step);
        kept.back().prologue = true;
        kept.back().nodes.swap(early);
      }
      step.nodes.swap(rest);
      if (!step.nodes.empty()) kept.push_back(std::move(step));
    }
    steps.swap(kept);
  }

  // Finds the nodes that loops compute again.
  constexpr void recompute() {
    int loops = 0;
    for (auto const& step : steps)
      loops += step.kind == step_kind::loop && !step.space.empty() ? 1 : 0;
    if (loops < 2) return;
    recomputation const chosen(g_, fusion_.roles, step_of_, prologue_);
    for (int s = 0; s < steps.size(); ++s) {
      if (steps[s].kind != step_kind::loop) continue;
      for (int id : steps[s].nodes)
        for (int i = 0; i < role_of(id).reads; ++i) {
          int const in = g_.input_of(id, i);
          if (step_of_[in] == s || !chosen.again(in)) continue;
          for (int node : chosen.nodes_for(in)) add_sorted(steps[s].again, node);
        }
    }
  }
  static constexpr void add_sorted(list<int>& nodes, int id) {
    int at = nodes.size();
    while (at > 0 && nodes[at - 1] > id) --at;
    if (at > 0 && nodes[at - 1] == id) return;
    nodes.push_back(id);
    for (int k = nodes.size() - 1; k > at; --k) nodes[k] = nodes[k - 1];
    nodes[at] = id;
  }
  // Whether a step computes a node: one of its own, or one that it computes again.
  constexpr bool computes(int s, int id) const { return step_of_[id] == s || again_in_[id] == s; }

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
      if (extents[i].from == e.from && extents[i].which == e.which && extents[i].axis == e.axis)
        return i;
    extents.push_back(e);
    return extents.size() - 1;
  }

  // The value that holds a node, created on demand.
  constexpr int value(int id) {
    if (value_of[id] < 0) {
      add_value(id);
      add_extents(id);
    }
    return value_of[id];
  }
  constexpr void add_value(int id) {
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
      // The extent itself, not the representative of its class: conditions compare members of one
      // class. A declared row has extent 1 by its type; its condition checks the extent at run
      // time.
      int const of = g_.input_of(id, 0);
      int const own =
          g_.is<op::input>(of) ? id : extent_node(g_, of, static_cast<int>(g_.attribute(id, 0)));
      v.detail = extent_number(is_leaf(own) ? own : fusion_.classes.find(own));
    } else if (is_view(id)) {
      v.where = storage::view;
      step_traits const is = traits_of(steps[step_of_[id]].kind);
      v.detail = value(g_.input_of(id, is.looks_into));
      if (is.or_into >= 0) v.second = value(g_.input_of(id, is.or_into));
    } else if (g_.type(id).rank == 0) {
      v.where = storage::scalar;
    }
    value_of[id] = values.size();
    values.push_back(v);
  }
  constexpr void add_extents(int id) {
    for (int e : fusion_.shape(id)) {
      int const number = extent_number(e);
      values[value_of[id]].extents.push_back(number);
    }
  }

  constexpr void find_values() {
    value_of = list<int>(g_.size(), -1);
    // Parameters are the first values, and extents may be computed ones.
    for (int id : g_.parameters()) add_value(id);
    for (int id : g_.parameters()) add_extents(id);
    for (int id : g_.results()) value(id);
    for (auto const& u : g_.updates()) value(u.value);
    for (auto const& c : g_.constraints()) {
      value(c.left);
      value(c.right);
    }
    again_in_ = list<int>(g_.size(), -1);
    for (int s = 0; s < steps.size(); ++s) {
      for (int id : steps[s].again) again_in_[id] = s;
      // A computed extent may be that of a loop and of no value.
      for (int e : steps[s].space) extent_number(e);
      for (int id : steps[s].again) find_operands(s, id);
      for (int id : steps[s].nodes) {
        if (steps[s].kind != step_kind::loop) value(id);
        find_operands(s, id);
      }
    }
  }
  constexpr void find_operands(int s, int id) {
    int const reads = role_of(id).reads;
    bool const is_loop = steps[s].kind == step_kind::loop;
    for (int i = 0; i < reads; ++i)
      if (int const in = g_.input_of(id, i); !(is_loop && g_.is_literal(in)) && !computes(s, in))
        value(in);
  }

  // See plan/bodies.hpp.
  constexpr void build_bodies();
  constexpr int axes_of_one_element(planned_step const& step) const;
  constexpr void build_body(int s, int dropped);

  constexpr void place_parts() {
    part_finder parts(g_, fusion_, steps, values);
    for (int b = bands.size() - 1; b >= 0; --b)
      if (parts.is_one_write(bands[b])) leave_band(b);
    for (int s = 0; s < steps.size(); ++s) {
      if (!parts.completes(s)) continue;
      bool const joins = steps[s].kind == step_kind::own;
      int placed = 0;
      for (int k = 1; k < (joins ? steps[s].operands.size() : 2); ++k)
        if (int const begin = parts.begin_of_part(s, k); begin >= 0) {
          steps.insert(begin, parts.place(s, k));
          move_steps(begin, 1);
          ++s;
          ++placed;
        }
      // One number is enough for what lies around a part.
      if (int const fill = placed > 0 ? parts.fill_of(s) : -1; fill >= 0) {
        steps[s].operands[0] = value(g_.input_of(steps[fill].nodes[0], 0));
        steps.erase(fill);
        move_steps(fill, -1);
        --s;
      }
    }
  }
  constexpr void leave_band(int b) {
    for (auto& step : steps) {
      if (step.band == b) step.band = -1, step.gathers = step.checks = false;
      if (step.band > b) --step.band;
    }
    bands.erase(b);
  }
  // All that counts steps from one on.
  constexpr void move_steps(int from, int by) {
    auto const move = [&](int& s) { s += s >= from ? by : 0; };
    for (auto& band : bands) move(band.first), move(band.last);
    for (auto& bundle : bundles) move(bundle.first), move(bundle.last);
    for (auto& v : values)
      if (v.indirect && v.detail >= from) v.detail += by;
  }

  constexpr void find_lifetimes() {
    for (int s = 0; s < steps.size(); ++s) {
      for (int v : steps[s].results)
        if (v >= 0) values[v].first_step = values[v].last_step = s;
      for (int v : steps[s].operands) touch(v, s);
      for (int v : steps[s].guards) touch(v / 2, s);
    }
    // An array begins where parts of it are computed.
    for (int s = steps.size() - 1; s >= 0; --s)
      if (core::places_part(steps[s].kind)) values[steps[s].operands[0]].first_step = s;
    for (int id : g_.results()) touch(value_of[id], steps.size());
    for (auto const& u : g_.updates()) touch(value_of[u.value], steps.size());
    for (auto& v : values) {
      v.last_read = v.last_step;
      int const band = v.last_step < steps.size() ? steps[v.last_step].band : -1;
      if (band >= 0) v.last_step = bands[band].last;
      int const bundle = v.last_step < steps.size() ? steps[v.last_step].bundle : -1;
      if (bundle >= 0) v.last_step = bundles[bundle].last;
    }
  }
  constexpr void touch(int v, int s) {
    if (values[v].last_step < s) values[v].last_step = s;
    for_each_seen(values[v], steps, [&](int other) { touch(other, s); });
  }

  graph& g_;
  fusion fusion_;
  list<int> depth_, step_of_;
  list<int> again_in_{};  // of each node, the last step that computes it again
  list<int> image_{};     // of each node in the body that is built, -1 between bodies
  prologue_nodes prologue_;
};

}  // namespace kroton::plan
