// Values that are computed where they come to lie: what a step writes to most of an array, and what
// it joins, is copied by nobody.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/bands.hpp>
#include <kroton/plan/fusion.hpp>
#include <kroton/plan/planned.hpp>
#include <kroton/plan/written_ranges.hpp>

namespace kroton::plan {

/// Places parts of arrays: before the step that computes what another step writes to an array, or
/// joins, comes one of kind `written_part` or `joined_part`, which makes it a view of that array.
/// The array's memory is used from there on. Where little is written, the array is changed in place
/// instead.
class part_finder {
 public:
  constexpr part_finder(graph const& g, fusion const& f, list<planned_step>& steps,
                        list<planned_value>& values)
      : g_(g), fusion_(f), steps_(steps), values_(values) {}

  /// Whether a band does nothing but compute what it writes to most of an array.
  constexpr bool is_one_write(planned_band const& band) const {
    int loop = -1, write = -1, others = 0;
    for (int s = band.first; s <= band.last; ++s)
      if (steps_[s].kind == step_kind::loop && loop < 0) loop = s;
      else if (steps_[s].kind == step_kind::set_subtensor && write < 0) write = s;
      else if (!core::is_view(steps_[s].kind)) ++others;
    if (loop < 0 || write < 0 || others > 0) return false;
    int const v = steps_[write].operands[1], node = steps_[write].node;
    return maker_of(v) == loop && leaves_gaps(loop, v) && !is_kept(v) &&
           fills_most(g_, fusion_.classes, fusion_.shape(node), node);
  }
  /// Whether a step completes an array of which others may compute parts.
  constexpr bool completes(int s) const {
    planned_step const& step = steps_[s];
    return (step.kind == step_kind::set_subtensor || joins(step)) && is_plain(step) &&
           !values_[step.results[0]].indirect;
  }
  /// The step before which operand k of such a step is placed, or -1 if it is computed apart.
  constexpr int begin_of_part(int whole, int k) const {
    planned_step const& step = steps_[whole];
    int const v = joins(step) ? stored_for(step.operands[k]) : step.operands[k];
    planned_value const& value = values_[v];
    int const maker = maker_of(v);
    if (maker < 0 || !is_plain(steps_[maker]) || value.where != storage::buffer ||
        value.indirect || is_kept(v) || count_of_readers(step.operands, v) != 1 ||
        value.type.element != values_[step.results[0]].type.element)
      return -1;
    bool const dense = joins(step) && g_.attribute(step.node, 0) == 0 &&
                       values_[step.results[0]].where == storage::buffer;
    if (!dense && !(leaves_gaps(maker, v) && has_plain_readers(v))) return -1;
    int const begin = begin_of(v);
    if (joins(step)) return begin;
    if (!fills_most(g_, fusion_.classes, fusion_.shape(step.node), step.node)) return -1;
    for (int i = 2; i < step.operands.size(); ++i)
      if (!is_known_before(step.operands[i], begin)) return -1;
    return begin;
  }
  /// Makes operand k of a step a view of its result, and returns the step that takes the view.
  constexpr planned_step place(int whole, int k) {
    planned_step const& step = steps_[whole];
    bool const is_joined = joins(step);
    int const v = is_joined ? stored_for(step.operands[k]) : step.operands[k];
    planned_step part;
    part.kind = is_joined ? step_kind::joined_part : step_kind::written_part;
    part.node = step.node;
    part.depth = step.depth;
    part.operands.push_back(step.results[0]);
    part.results.push_back(v);
    items<long long> const own = g_.attributes(step.node);
    part.attributes = list<long long>(own.first, own.count);
    for (int i = 2; i < step.operands.size() && !is_joined; ++i)
      part.operands.push_back(step.operands[i]);
    for (int i = 1; i < k && is_joined; ++i)
      part.space.push_back(
          values_[step.operands[i]].extents[static_cast<int>(g_.attribute(step.node, 0))]);
    values_[v].where = storage::view;
    values_[v].detail = step.results[0];
    return part;
  }
  /// The loop that does nothing but fill the array of write `write`, for this write alone; or -1.
  constexpr int fill_of(int write) const {
    if (steps_[write].kind != step_kind::set_subtensor) return -1;
    int const old = steps_[write].operands[0], fill = maker_of(old);
    if (fill < 0 || !is_plain(steps_[fill]) || steps_[fill].nodes.size() != 1 ||
        !g_.is<op::alloc>(steps_[fill].nodes[0]) || is_kept(old) ||
        g_.type(g_.input_of(steps_[fill].nodes[0], 0)).rank != 0)
      return -1;
    for (int s = 0; s < steps_.size(); ++s)
      if (count_of_readers(steps_[s].operands, old) != (s == write ? 1 : 0)) return -1;
    return fill;
  }

 private:
  // Whether every call takes a step, at once and for all its rows.
  static constexpr bool is_plain(planned_step const& step) {
    return !step.prologue && step.band < 0 && step.bundle < 0 && step.guards.empty();
  }
  constexpr bool joins(planned_step const& step) const {
    return step.kind == step_kind::own && g_[step.node].op->concatenates;
  }
  // The array that the operand of a join is stored as: itself, or what lacks its first axis, along
  // which it has one element.
  constexpr int stored_for(int v) const {
    planned_value const& value = values_[v];
    if (value.where != storage::view || value.indirect || value.second >= 0 ||
        g_[value.node].op->step != step_kind::dimshuffle || g_.attribute(value.node, 0) >= 0)
      return v;
    for (int d = 1; d < value.type.rank; ++d)
      if (g_.attribute(value.node, d) != d - 1) return v;
    int const base = static_cast<int>(value.detail);
    return values_[base].type.rank + 1 == value.type.rank ? base : v;
  }
  // Whether a step may store a result with gaps between its rows.
  constexpr bool leaves_gaps(int maker, int v) const {
    planned_step const& step = steps_[maker];
    if (step.kind == step_kind::loop)
      return !step.space.empty() && !g_[values_[v].node].op->reduction;
    if (step.kind == step_kind::set_subtensor) return true;
    if (!joins(step)) return false;
    for (planned_step const& part : steps_)
      if (core::places_part(part.kind) && part.operands[0] == v) {
        int const own = part.results[0];
        if (!leaves_gaps(maker_of(own), own)) return false;
      }
    return true;
  }
  // Whether no step that goes through some rows at a time reads a value.
  constexpr bool has_plain_readers(int v) const {
    for (planned_step const& step : steps_)
      if ((step.band >= 0 || step.bundle >= 0) && count_of_readers(step.operands, v) > 0)
        return false;
    return true;
  }
  // The step that makes a value, or the first one that takes a part of it.
  constexpr int begin_of(int v) const {
    for (int s = 0; s < steps_.size(); ++s)
      if (steps_[s].results.contains(v) ||
          (core::places_part(steps_[s].kind) && steps_[s].operands[0] == v))
        return s;
    return -1;
  }
  constexpr int maker_of(int v) const {
    for (int s = 0; s < steps_.size(); ++s)
      if (!core::places_part(steps_[s].kind) && steps_[s].results.contains(v)) return s;
    return -1;
  }
  constexpr int count_of_readers(list<int> const& all, int v) const {
    int count = 0;
    for (int each : all) count += shows(each, v) ? 1 : 0;
    return count;
  }
  constexpr bool shows(int v, int base) const {
    bool found = v == base;
    for_each_seen(values_[v], steps_, [&](int other) { found = found || shows(other, base); });
    return found;
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

  graph const& g_;
  fusion const& fusion_;
  list<planned_step>& steps_;
  list<planned_value>& values_;
};

}  // namespace kroton::plan
