// Where planned values are stored: outputs and updates in place if that is safe, the rest in a few
// shared slots.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/plan.hpp>

namespace kroton::core {

/// How an update reaches its parameter.
struct planned_update {
  int parameter = 0, value = 0;
  bool in_place = false;  // the step that computes it writes into the shared variable itself
};

/// The decisions about memory for a plan.
class storage_plan {
 public:
  constexpr storage_plan(graph const& g, planner& p) : g_(g), p_(p) {
    for (auto const& step : p.steps)
      for (int v : step.results)
        if (step.prologue && v >= 0 && p.values[v].where == storage::buffer)
          p.values[v].where = storage::early;
    place_updates();
    slots = list<int>(p.values.size(), -1);
    outputs = list<int>(p.values.size(), -1);
    for (int k = 0; k < g.results().size(); ++k) {
      int const v = p.value_of[g.results()[k]];
      if (p.values[v].where == storage::buffer && outputs[v] < 0) outputs[v] = k;
    }
    companions = list<int>(p.values.size(), -1);
    find_companions();
    find_slices();
    share_slots();
  }

  list<planned_update> updates{};
  list<int> slots{};    // of each value in the arena
  list<int> outputs{};  // the output in whose memory a value is computed, or -1
  // For each value, a later one that is computed in the same place in an output's memory, or -1
  list<int> companions{};
  int slot_count = 0;
  list<planned_slice> slices{};

 private:
  static constexpr bool same(list<int> const& a, list<int> const& b) {
    if (a.size() != b.size()) return false;
    for (int i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  constexpr bool is_view_of(int v, int base) const {
    while (p_.values[v].where == storage::view) {
      int const second = p_.values[v].second;
      if (second >= 0 && (second == base || is_view_of(second, base))) return true;
      v = static_cast<int>(p_.values[v].detail);
      if (v == base) return true;
    }
    return false;
  }
  constexpr bool is_result(int v) const {
    for (int id : g_.results())
      if (p_.value_of[id] == v) return true;
    return false;
  }

  // A step may overwrite a parameter's old value with the new one if no later step reads the old
  // one, and the step itself reads it element by element as it writes, or as the matrix that a
  // product accumulates into.
  constexpr bool can_update_in_place(int parameter, int v, int step) const {
    planned_value const& value = p_.values[v];
    if (value.where != storage::buffer || is_result(v)) return false;
    int const old = p_.value_of[g_.parameters()[parameter]];
    if (!same(value.extents, p_.values[old].extents)) return false;
    for (int id : g_.results())
      if (p_.value_of[id] == old || is_view_of(p_.value_of[id], old)) return false;
    int uses = 0;
    for (auto const& u : g_.updates()) {
      uses += p_.value_of[u.value] == v ? 1 : 0;
      if (u.parameter != parameter &&
          (p_.value_of[u.value] == old || is_view_of(p_.value_of[u.value], old)))
        return false;
    }
    if (uses != 1) return false;
    for (int s = 0; s < p_.steps.size(); ++s) {
      planned_step const& at = p_.steps[s];
      // It may throw, and then nothing may be updated.
      bool const comes_after = s > step || (at.band >= 0 && at.band == p_.steps[step].band);
      if (comes_after && at.kind == step_kind::own) return false;
      for (int k = 0; k < at.operands.size(); ++k) {
        bool const direct = at.operands[k] == old;
        if (!direct && !is_view_of(at.operands[k], old)) continue;
        // A band returns to its first steps for the next rows, and a view may show them rows that
        // have been overwritten by then.
        bool const comes_again = s != step && at.band >= 0 && at.band == p_.steps[step].band;
        if (comes_again &&
            (p_.steps[step].gathers || !direct || !is_sliced(g_.parameters()[parameter], at.band)))
          return false;
        if (s < step) continue;
        if (s > step || !direct) return false;
        bool const in_step = at.kind == step_kind::loop ? same(at.space, p_.values[old].extents)
                                                        : accumulates_into(at, k);
        if (!in_step) return false;
      }
    }
    return true;
  }
  constexpr bool is_sliced(int id, int band) const {
    for (auto const& slice : p_.bands[band].slices)
      if (slice.node == id) return true;
    return false;
  }
  constexpr void place_updates() {
    for (auto const& u : g_.updates()) {
      int const v = p_.value_of[u.value];
      bool const in_place = can_update_in_place(u.parameter, v, p_.values[v].first_step);
      if (in_place) {
        p_.values[v].where = storage::parameter;
        p_.values[v].detail = u.parameter;
      }
      updates.push_back({u.parameter, v, in_place});
    }
  }

  // If a step converts a value to an output in place, the value is computed in the output's memory.
  constexpr void find_companions() {
    for (int s = p_.steps.size() - 1; s >= 0; --s)
      for (int v : p_.steps[s].results) {
        if (v < 0 || (outputs[v] < 0 && companions[v] < 0)) continue;
        for (int from : p_.steps[s].operands)
          if (p_.values[from].where == storage::buffer && outputs[from] < 0 &&
              companions[from] < 0 && takes_over(p_.steps[s], s, from, v)) {
            companions[from] = v;
            break;
          }
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
      }
    }
  }
  constexpr bool is_local(int v) const {
    for (auto const& slice : slices)
      if (slice.value == v && slice.local) return true;
    return false;
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
  // same step, if the step reads it element by element (or accumulates into it).
  constexpr void share_slots() {
    list<int> holder;  // of each slot, the value that holds it now
    for (int s = 0; s < p_.steps.size(); ++s) {
      planned_step const& step = p_.steps[s];
      for (int v : step.results) {
        if (v < 0 || p_.values[v].where != storage::buffer || outputs[v] >= 0 || companions[v] >= 0)
          continue;
        int chosen = -1;
        for (int slot = 0; slot < holder.size() && chosen < 0; ++slot)
          if (p_.values[holder[slot]].last_step < s || takes_over(step, s, holder[slot], v))
            chosen = slot;
        if (chosen < 0) {
          chosen = holder.size();
          holder.push_back(v);
        }
        holder[chosen] = v;
        slots[v] = chosen;
      }
    }
    slot_count = holder.size();
  }
  constexpr bool takes_over(planned_step const& step, int s, int from, int to) const {
    planned_value const &a = p_.values[from], &b = p_.values[to];
    if (a.last_read != s || a.first_step == s || !same(a.extents, b.extents) ||
        bytes_of(a.type.element) != bytes_of(b.type.element) ||
        (step.band >= 0 && !move_alike(step.band, from, to)))
      return false;
    bool reads = step.band < 0;
    for (int k = 0; k < step.operands.size(); ++k) {
      if (is_view_of(step.operands[k], from)) return false;
      reads = reads || step.operands[k] == from;
      if (step.operands[k] == from &&
          !(step.kind == step_kind::loop ? same(step.space, a.extents) : accumulates_into(step, k)))
        return false;
    }
    // Reductions accumulate while other rows are still read, and begin with their neutral elements,
    // even if they reduce no axis.
    return reads && (step.kind != step_kind::loop ||
                     (same(step.space, b.extents) && !g_[b.node].op->reduction));
  }

  graph const& g_;
  planner& p_;
};

}  // namespace kroton::core
