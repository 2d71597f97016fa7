// Where planned values are stored: outputs and updates in place if that is safe, the rest in a few
// shared slots.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/layout.hpp>
#include <kroton/plan/bodies.hpp>
#include <kroton/plan/free_slots.hpp>
#include <kroton/plan/overwriting.hpp>

namespace kroton::plan {

/// How an update reaches its parameter.
struct planned_update {
  int parameter = 0, value = 0;
  bool in_place = false;  // the step that computes it writes into the shared variable itself

  template <class Self, class Each>
  static constexpr void fields(Self& u, Each& each) {
    each(u.parameter, u.value, u.in_place);
  }
};

/// The detail of a buffer in which the loop of this step may leave the last value of the state that
/// starts there. Other loops may have read the same start before.
constexpr long long spent_start(std::size_t step) {
  return -1 - static_cast<long long>(step);
}

/// The decisions about memory for a plan.
class storage_plan {
 public:
  constexpr storage_plan(graph const& g, planner& p, bool is_body = false)
      : g_(g), p_(p), readers_(g, p, is_body) {
    for (auto const& step : p.steps)
      for (int k = 0; k < step.results.size(); ++k)
        if (int const v = step.results[k]; v >= 0 && p.values[v].where == storage::buffer) {
          if (grows(step, k)) p.values[v].where = storage::grown;
          else if (step.prologue) p.values[v].where = storage::early;
        }
    place_updates();
    slots = list<int>(p.values.size(), -1);
    outputs = list<int>(p.values.size(), -1);
    for (int k = 0; k < g.results().size(); ++k) {
      int const v = p.value_of[g.results()[k]];
      if (p.values[v].where == storage::buffer && outputs[v] < 0) outputs[v] = k;
    }
    companions = list<int>(p.values.size(), -1);
    find_parts();
    find_sums_of_rows();
    local_ = list<bool>(p.values.size());
    find_companions();
    find_overwritten();
    find_slices();
    share_slots();
  }

  list<planned_update> updates{};
  list<int> slots{};    // of each value in the arena
  list<int> outputs{};  // the output in whose memory a value is computed, or -1
  // For each value, a later one that is computed in the same place, or of which it is a part, or -1
  list<int> companions{};
  list<int> joins{};  // the step that joins a value to others, if it is a part of its companion
  int slot_count = 0;
  list<planned_slice> slices{};

 private:
  constexpr bool grows(planned_step const& step, int output) const {
    if (step.kind == step_kind::loop || !g_[step.node].op->has_growing) return false;
    return g_[step.node].op->grows({&g_, g_.inputs(step.node), g_.attributes(step.node)}, output);
  }
  static constexpr bool same(list<int> const& a, list<int> const& b) { return readers::same(a, b); }
  constexpr bool is_view_of(int v, int base) const { return readers_.is_view_of(v, base); }
  constexpr bool is_sliced(int id, int band) const { return readers_.is_sliced(id, band); }
  constexpr bool is_part(int v) const {
    return companions[v] >= 0 && p_.values[v].where == storage::view;
  }
  constexpr bool is_result(int v) const {
    for (int id : g_.results())
      if (p_.value_of[id] == v) return true;
    return false;
  }

  constexpr bool can_update_in_place(int parameter, int v) const {
    if (p_.values[v].where != storage::buffer || is_result(v)) return false;
    if (continues_sum(p_.values[v].first_step)) return false;
    int uses = 0;
    for (auto const& u : g_.updates()) uses += p_.value_of[u.value] == v ? 1 : 0;
    return uses == 1 && readers_.may_overwrite(parameter, v);
  }
  constexpr void place_updates() {
    for (auto const& u : g_.updates()) {
      int const v = p_.value_of[u.value];
      bool const in_place = can_update_in_place(u.parameter, v);
      if (in_place) {
        p_.values[v].where = storage::parameter;
        p_.values[v].detail = u.parameter;
      }
      updates.push_back({u.parameter, v, in_place});
    }
  }

  // Parts of a value are stored with it, see plan/parts.hpp.
  constexpr void find_parts() {
    for (planned_step const& step : p_.steps)
      if (core::places_part(step.kind)) companions[step.results[0]] = step.operands[0];
  }
  // What steps of a band add to some rows is one value, whichever of them was there before.
  constexpr void find_sums_of_rows() {
    for (int s = 0; s < p_.steps.size(); ++s)
      if (continues_sum(s)) companions[p_.steps[s].operands[0]] = p_.steps[s].results[0];
  }
  constexpr bool continues_sum(int s) const {
    planned_step const& step = p_.steps[s];
    if (!adds_to_part(step)) return false;
    int const before = p_.values[step.operands[0]].first_step;
    return before >= 0 && p_.steps[before].band == step.band && adds_to_part(p_.steps[before]);
  }
  // Whether every call takes a step, for all its rows, when memory is laid out.
  constexpr bool is_plain(int s) const {
    planned_step const& step = p_.steps[s];
    return !step.prologue && step.band < 0 && step.guards.empty();
  }

  // If a step converts a value to an output in place, the value is computed in the output's memory;
  // but what a step adds to a state is not: the sum takes the place of the state.
  constexpr void find_companions() {
    for (int s = p_.steps.size() - 1; s >= 0; --s)
      for (int v : p_.steps[s].results) {
        if (v < 0 || (outputs[v] < 0 && companions[v] < 0) || is_part(v)) continue;
        if (readers_.changes_state(s, v)) continue;
        for (int from : p_.steps[s].operands)
          if (p_.values[from].where == storage::buffer && outputs[from] < 0 &&
              companions[from] < 0 && takes_over(p_.steps[s], s, from, v)) {
            companions[from] = v;
            break;
          }
      }
  }

  // An output may be computed in the memory of a parameter that no later step reads: where a call
  // gives it away, and where some parts of it are written anew; a loop with such a state needs no
  // copy of it.
  constexpr void find_overwritten() {
    list<bool> is_companion(p_.values.size());
    for (int v = 0; v < companions.size(); ++v)
      if (companions[v] >= 0 && !is_part(v)) is_companion[companions[v]] = true;
    for (int v = 0; v < p_.values.size(); ++v)
      if (outputs[v] >= 0) p_.values[v].detail = overwritten_by(v, is_companion[v]).detail();
    for (int s = 0; s < p_.steps.size(); ++s)
      if (p_.steps[s].kind == step_kind::scan) find_spent_starts(s);
  }
  // Starts of states of which nothing is read behind the loop, if nothing else reads them.
  constexpr void find_spent_starts(int s) {
    planned_step const& step = p_.steps[s];
    ops::scan_layout const at(g_.attributes(step.node));
    for (int tape = 0; tape < at.states(); ++tape) {
      int const operand = at.tape_operand(tape), v = step.operands[operand];
      planned_value& start = p_.values[v];
      if (step.results[tape] >= 0 || start.where != storage::buffer || start.last_step != s ||
          outputs[v] >= 0)
        continue;
      bool is_alone = true;
      for (int k = 0; k < step.operands.size(); ++k)
        is_alone = is_alone && (k == operand || !readers_.shows(step.operands[k], v));
      if (is_alone) start.detail = spent_start(static_cast<std::size_t>(s));
    }
  }
  constexpr overwritten_parameters overwritten_by(int v, bool is_companion) const {
    overwritten_parameters found;
    int first = -1;
    found.changed = parameter_written_to(v, first);
    if (found.changed >= 0 && !readers_.may_throw_from(first)) found.give(found.changed);
    for (int k = 0; k < g_.parameters().size(); ++k)
      if (!is_companion && readers_.may_overwrite(k, v)) found.give(k);
    return found;
  }
  /// The parameter of which a value is a copy with some parts written anew, from step `first` on;
  /// or -1.
  constexpr int parameter_written_to(int v, int& first) const {
    for (int written = v;;) {
      first = p_.values[written].first_step;
      planned_step const& step = p_.steps[first];
      bool const writes_part =
          step.kind == step_kind::set_subtensor || step.kind == step_kind::inc_subtensor;
      if (!writes_part || !is_plain(first)) return -1;
      int const old = step.operands[0];
      if (p_.values[old].where == storage::parameter)
        return same(p_.values[old].extents, p_.values[v].extents) &&
                       readers_.is_done_with(old, first)
                   ? static_cast<int>(p_.values[old].detail)
                   : -1;
      if (p_.values[old].where != storage::buffer || companions[old] != written) return -1;
      written = old;
    }
  }

  constexpr void find_slices() {
    for (int b = 0; b < p_.bands.size(); ++b) {
      planned_band const& band = p_.bands[b];
      for (auto const& slice : band.slices) {
        int const v = p_.value_of[slice.node];
        if (v < 0) continue;
        planned_value const& value = p_.values[v];
        bool const local = value.where == storage::buffer && outputs[v] < 0 && companions[v] < 0 &&
                           value.first_step >= band.first && value.last_step <= band.last;
        slices.push_back({b, v, slice.axis, local});
        local_[v] = local_[v] || local;
      }
    }
  }
  constexpr bool is_local(int v) const {
    return local_[v];
  }
  // Whether one value may take the place of another in a band: both are processed in slices that
  // move alike, and no step reads the first in any other way.
  constexpr bool move_alike(int band, int from, int to) const {
    for (int s = p_.bands[band].first; s <= p_.bands[band].last; ++s)
      for (int v : p_.steps[s].operands)
        if (is_view_of(v, from)) return false;
    return is_sliced(p_.values[from].node, band) && is_sliced(p_.values[to].node, band) &&
           is_local(from) == is_local(to);
  }

  // Linear scan over the lifetimes. A result may reuse the memory of an operand that dies in the
  // same step, if the step reads it element by element (or accumulates into it); otherwise it gets
  // a free slot that held a value of its extents. A slot goes to other extents when no value of its
  // own is still to come: otherwise a small value that lives long would hold the memory of a large
  // one.
  constexpr void share_slots() {
    int const count = p_.steps.size();
    slot_kinds kinds(p_.values.size());
    list<bool> expected(p_.values.size());
    for (planned_step const& step : p_.steps)
      for (int part : step.results)
        if (int const v = part < 0 ? -1 : last_companion(part);
            v >= 0 && shares(v) && !expected[v]) {
          kinds.expect(v, p_.values[v]);
          expected[v] = true;
        }
    list<int> holder;  // of each slot, the value that holds it now
    // Of each step, the values that die in it and those that it is the last to read, as chains.
    list<int> dying(count + 1, -1), read_last(count + 1, -1);
    list<int> next_dying(p_.values.size(), -1), next_read(p_.values.size(), -1);
    for (int s = 0; s < count; ++s) {
      planned_step const& step = p_.steps[s];
      for (int v = s > 0 ? dying[s - 1] : -1; v >= 0; v = next_dying[v])
        if (holder[slots[v]] == v) kinds.release(v, slots[v]);
      for (int part : step.results) {
        int const v = part < 0 ? -1 : last_companion(part);
        if (v < 0 || !shares(v) || slots[v] >= 0) continue;
        // The first slot that is free or that the result may take over.
        int const free = kinds.first_free(v);
        int chosen = free >= 0 ? free : holder.size();
        for (int from = v == part ? read_last[s] : -1; from >= 0; from = next_read[from])
          if (slots[from] < chosen && holder[slots[from]] == from && takes_over(step, s, from, v))
            chosen = slots[from];
        kinds.place(v, chosen == free);
        if (chosen == holder.size()) holder.push_back(v);
        holder[chosen] = v;
        slots[v] = chosen;
        planned_value const& value = p_.values[v];
        next_dying[v] = std::exchange(dying[value.last_step], v);
        next_read[v] = std::exchange(read_last[value.last_read], v);
      }
    }
    slot_count = holder.size();
  }
  constexpr int last_companion(int v) const {
    while (companions[v] >= 0) v = companions[v];
    return v;
  }
  constexpr bool shares(int v) const {
    return p_.values[v].where == storage::buffer && outputs[v] < 0 && companions[v] < 0;
  }
  constexpr bool takes_over(planned_step const& step, int s, int from, int to) const {
    planned_value const &a = p_.values[from], &b = p_.values[to];
    if (a.last_read != s || a.first_step == s || b.first_step < s ||
        !same(a.extents, b.extents) ||
        bytes_of(a.type.element) != bytes_of(b.type.element) ||
        (step.band >= 0 && !scatters_into(s, from) && !move_alike(step.band, from, to)) ||
        (step.bundle >= 0 && a.first_step < p_.bundles[step.bundle].first))
      return false;
    bool reads = step.band < 0 || scatters_into(s, from);
    for (int k = 0; k < step.operands.size(); ++k) {
      if (is_view_of(step.operands[k], from)) return false;
      reads = reads || step.operands[k] == from;
      if (step.operands[k] == from && !readers_.writes_as_it_reads(step, k, to)) return false;
    }
    // Reductions accumulate while other rows are still read, and begin with their neutral elements,
    // even if they reduce no axis.
    return reads && (step.kind != step_kind::loop ||
                     (same(step.space, b.extents) && !g_[b.node].op->reduction));
  }

  /// Whether a step of a band adds rows to a value that is there before, which the others do not
  /// read but to begin such sums.
  constexpr bool scatters_into(int s, int from) const {
    planned_step const& step = p_.steps[s];
    auto const scatters = [](planned_step const& other) {
      return (other.checks && other.gathers) || adds_to_part(other);
    };
    if (!scatters(step) || p_.values[from].first_step >= p_.bands[step.band].first) return false;
    for (int other = p_.bands[step.band].first; other <= p_.bands[step.band].last; ++other)
      for (int k = 0; k < p_.steps[other].operands.size(); ++k)
        if (readers_.shows(p_.steps[other].operands[k], from) &&
            !(scatters(p_.steps[other]) && k == 0 && p_.steps[other].operands[0] == from))
          return false;
    return true;
  }
  graph const& g_;
  planner& p_;
  readers readers_;
  list<bool> local_{};     // of each value, whether a band keeps one slice of it
};

}  // namespace kroton::plan
