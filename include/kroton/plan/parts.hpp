// Values that are computed where they come to lie: a write to most of an array copies what is left
// of it, and nothing twice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/fusion.hpp>
#include <kroton/plan/planned.hpp>

namespace kroton::plan {

/// Places what loops compute for writes to most of an array: a step of kind `part` before the loop
/// makes its result a view of the array, whose memory is used from there on. Where little is
/// written, the array is changed in place instead.
class part_finder {
 public:
  constexpr part_finder(graph const& g, fusion const& f, list<planned_step>& steps,
                        list<planned_value>& values)
      : g_(g), fusion_(f), steps_(steps), values_(values) {}

  /// The loop before which the part of step `write` begins, or -1.
  constexpr int maker_of_part(int write) const {
    planned_step const& step = steps_[write];
    if (step.kind != step_kind::set_subtensor || !is_plain(step)) return -1;
    int const v = step.operands[1], maker = maker_of(v);
    if (maker < 0 || steps_[maker].kind != step_kind::loop || !is_plain(steps_[maker]) ||
        steps_[maker].space.empty() || g_[values_[v].node].op->reduction ||
        values_[v].where != storage::buffer || is_kept(v))
      return -1;
    planned_value const& whole = values_[step.results[0]];
    if (values_[v].type.element != whole.type.element || !fills_most(step.node, values_[v].type))
      return -1;
    for (int s = 0; s < steps_.size(); ++s)
      if (count(steps_[s].operands, v) != (s == write ? 1 : 0)) return -1;
    for (int k = 2; k < step.operands.size(); ++k)
      if (!is_known_before(step.operands[k], maker)) return -1;
    return maker;
  }
  /// The loop that does nothing but fill the array of write `write`, for this write alone; or -1.
  constexpr int fill_of(int write) const {
    int const old = steps_[write].operands[0], fill = maker_of(old);
    if (fill < 0 || !is_plain(steps_[fill]) || steps_[fill].nodes.size() != 1 ||
        !g_.is<op::alloc>(steps_[fill].nodes[0]) || is_kept(old) ||
        g_.type(g_.input_of(steps_[fill].nodes[0], 0)).rank != 0)
      return -1;
    for (int s = 0; s < steps_.size(); ++s)
      if (count(steps_[s].operands, old) != (s == write ? 1 : 0)) return -1;
    return fill;
  }
  /// Makes what is written a view of the array, and returns the step that takes it.
  constexpr planned_step place(int write) {
    planned_step const& step = steps_[write];
    planned_step part;
    part.kind = step_kind::part;
    part.node = step.node;
    part.depth = step.depth;
    part.operands.push_back(step.results[0]);
    for (int k = 2; k < step.operands.size(); ++k) part.operands.push_back(step.operands[k]);
    part.results.push_back(step.operands[1]);
    planned_value& v = values_[step.operands[1]];
    v.where = storage::view;
    v.detail = step.results[0];
    return part;
  }

 private:
  // Whether every call takes a step, at once and for all its rows.
  static constexpr bool is_plain(planned_step const& step) {
    return !step.prologue && step.band < 0 && step.bundle < 0 && step.guards.empty();
  }
  static constexpr int count(list<int> const& all, int v) {
    int found = 0;
    for (int each : all) found += each == v ? 1 : 0;
    return found;
  }
  constexpr int maker_of(int v) const {
    for (int s = 0; s < steps_.size(); ++s)
      if (steps_[s].results.contains(v)) return s;
    return -1;
  }
  // Whether something else than steps looks for a value.
  constexpr bool is_kept(int v) const {
    int const node = values_[v].node;
    for (int id : g_.results())
      if (id == node) return true;
    for (auto const& u : g_.updates())
      if (u.value == node) return true;
    return false;
  }
  constexpr bool is_known_before(int v, int step) const {
    if (values_[v].where == storage::literal || values_[v].where == storage::extent) return true;
    if (values_[v].where != storage::scalar) return false;
    int const maker = maker_of(v);
    return maker >= 0 && maker < step;
  }

  // Whether a write covers all of an array but a few places at the ends of its axes, with elements
  // next to each other.
  constexpr bool fills_most(int write, tensor_type const& written) const {
    list<int> const& extents = fusion_.shape(write);
    int next = 2, last = 0;
    for (int d = 0; d < extents.size(); ++d) {
      last = static_cast<int>(g_.attribute(write, 2 * d));
      if (last == 1 || (last == 2 && g_.attribute(write, 2 * d + 1) != 1) || written.broadcasts(d))
        return false;
      if (last == 0) continue;
      if (!is_most_of(g_.input_of(write, next + 1), extents[d])) return false;
      next += 2;
    }
    return written.rank == extents.size();
  }
  constexpr bool is_most_of(int length, int extent) const {
    if (g_.is_literal(length) && g_.is_literal(extent))
      return 2 * g_.literal_bits(length) >= g_.literal_bits(extent);
    if (is_same(length, extent) || differs_by_number(length, extent) ||
        differs_by_number(extent, length))
      return true;
    if (g_.is<op::sub>(length))
      return is_same(g_.input_of(length, 0), extent) && is_few(g_.input_of(length, 1));
    for (int k = 0; k < 2 && g_.is<op::maximum>(length) && g_[length].input_count == 2; ++k)
      if (g_.is_literal(g_.input_of(length, k)) && is_most_of(g_.input_of(length, 1 - k), extent))
        return true;
    return false;
  }
  constexpr bool differs_by_number(int sum, int from) const {
    bool found = false;
    for (int k = 0; k < 2 && g_.is<op::add>(sum) && g_[sum].input_count == 2; ++k)
      found = found || (g_.is_literal(g_.input_of(sum, k)) && is_same(g_.input_of(sum, 1 - k), from));
    return found;
  }
  constexpr bool is_few(int id) const {
    if (g_.is_literal(id)) return true;
    for (int k = 0; k < g_[id].input_count && g_.is<op::minimum>(id); ++k)
      if (g_.is_literal(g_.input_of(id, k))) return true;
    return false;
  }
  constexpr bool is_same(int id, int extent) const {
    return fusion_.classes.find(id) == fusion_.classes.find(extent);
  }

  graph const& g_;
  fusion const& fusion_;
  list<planned_step>& steps_;
  list<planned_value>& values_;
};

}  // namespace kroton::plan
