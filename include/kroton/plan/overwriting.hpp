// Whether a step may write where a parameter lies: nothing may read the old elements afterwards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/layout.hpp>
#include <kroton/plan/bodies.hpp>

namespace kroton::plan {

/// In which parameters' memory an output may be computed; the detail of its value holds it. The
/// parameter of which it changes some parts: a loop hands on such a state even if a step may fail,
/// since nobody sees it then. And the parameters that a call may give away, or states that a loop
/// may, among the first ones.
struct overwritten_parameters {
  static constexpr int part_bits = 16, most_given = 40;

  int changed = -1;
  long long given = 0;

  constexpr overwritten_parameters() = default;
  constexpr explicit overwritten_parameters(long long detail) {
    if (detail <= 0) return;
    changed = static_cast<int>(detail & ((1 << part_bits) - 1)) - 1;
    given = detail >> part_bits;
  }
  constexpr long long detail() const { return given << part_bits | (changed + 1); }
  constexpr void give(int parameter) {
    if (parameter < most_given) given |= 1LL << parameter;
  }
  constexpr bool gives(int parameter) const {
    return parameter < most_given && (given >> parameter & 1) != 0;
  }
};

/// What reads the values of a plan, and until when.
class readers {
 public:
  constexpr readers(graph const& g, planner const& p, bool is_body)
      : g_(g), p_(p), is_body_(is_body), last_(p.values.size(), -1) {
    for (int s = 0; s < p.steps.size(); ++s) {
      for (int v : p.steps[s].operands) note_reader(v, s);
      for (int guard : p.steps[s].guards) note_reader(guard / 2, s);
    }
  }

  static constexpr bool same(list<int> const& a, list<int> const& b) {
    if (a.size() != b.size()) return false;
    for (int i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  constexpr bool is_view_of(int v, int base) const {
    bool found = false;
    for_each_seen(p_.values[v], p_.steps,
                  [&](int other) { found = found || shows(other, base); });
    return found;
  }
  /// Whether a value is another one or looks into it.
  constexpr bool shows(int v, int base) const { return v == base || is_view_of(v, base); }
  constexpr bool is_sliced(int id, int band) const {
    for (auto const& slice : p_.bands[band].slices)
      if (slice.node == id) return true;
    return false;
  }

  /// Whether a value may be computed where a parameter lies: nothing reads the old elements later,
  /// the step that computes it reads them element by element as it writes, as the matrix that a
  /// product accumulates into, or as the start of a state, and nothing fails once some have been
  /// overwritten. The states of a loop that fails are lost anyway.
  constexpr bool may_overwrite(int parameter, int v) const {
    int const old = p_.value_of[g_.parameters()[parameter]], step = p_.values[v].first_step,
              end = completed_by(v);
    if (!is_like(v, old) || last_[old] > end || outlives_steps(old)) return false;
    int const band = p_.steps[step].band;
    if (p_.steps[step].bundle >= 0) return false;
    if (p_.steps[step].kind == step_kind::loop && g_[p_.values[v].node].op->reduction) return false;
    for (int s = 0; s < p_.steps.size(); ++s) {
      planned_step const& at = p_.steps[s];
      // A band returns to its first steps for the next rows.
      bool const comes_again = s != step && band >= 0 && at.band == band;
      if (comes_again && traits_of(at.kind).may_throw) return false;
      for (int k = 0; k < at.operands.size(); ++k) {
        bool const direct = at.operands[k] == old;
        if (!shows(at.operands[k], old)) continue;
        // A view may show it rows that have been overwritten by then.
        if (comes_again &&
            (p_.steps[step].gathers || !direct || !is_sliced(g_.parameters()[parameter], band)))
          return false;
        if (s < step) continue;
        // Parts are stored before the last step reads it.
        if (!direct || s < end) return false;
        if (!writes_as_it_reads(at, k, v)) return false;
      }
    }
    if (is_body_) return true;
    // What throws has stored some elements by then, unless its op says that it may overwrite.
    bool const may_fail = traits_of(p_.steps[step].kind).may_throw &&
                          (band >= 0 || p_.steps[step].overwrites < 0);
    return !may_fail && !may_throw_from(step + 1);
  }
  /// The step that completes a value of which others may have computed parts.
  constexpr int completed_by(int v) const {
    int step = p_.values[v].first_step;
    while (step < p_.steps.size() && !p_.steps[step].results.contains(v)) ++step;
    return step;
  }
  /// Whether a step of a body computes a value from a parameter, where that lies.
  constexpr bool changes_state(int step, int v) const {
    for (int k = 0; is_body_ && k < g_.parameters().size(); ++k)
      if (p_.steps[step].operands.contains(p_.value_of[g_.parameters()[k]]) && may_overwrite(k, v))
        return true;
    return false;
  }
  /// Whether a step may store a result where its operand k lies, which it reads element by element,
  /// accumulates into, or reads before it stores the last value of the state that starts there.
  constexpr bool writes_as_it_reads(planned_step const& step, int k, int result) const {
    if (step.kind == step_kind::loop)
      return same(step.space, p_.values[step.operands[k]].extents);
    if (step.kind != step_kind::scan) return accumulates_into(step, k);
    ops::scan_layout const at(g_.attributes(step.node));
    int const tape = k - at.tape_operand(0);
    return tape >= 0 && tape < at.states() && at.is_shared(tape) && step.results[tape] == result;
  }
  /// Whether nothing but the first operand of a step reads a parameter from that step on.
  constexpr bool is_done_with(int old, int step) const {
    if (last_[old] > step || outlives_steps(old)) return false;
    for (int k = 1; k < p_.steps[step].operands.size(); ++k)
      if (shows(p_.steps[step].operands[k], old) && !(k == 1 && moves_one_part(step))) return false;
    return true;
  }

  constexpr bool may_throw_from(int step) const {
    for (int s = step; s < p_.steps.size(); ++s)
      if (traits_of(p_.steps[s].kind).may_throw) return true;
    return false;
  }

 private:
  /// Whether what a step writes to a part, all that some indices leave, is such a part of the same
  /// array: both are the same elements, or have none in common.
  constexpr bool moves_one_part(int step) const {
    planned_step const& write = p_.steps[step];
    int const read = p_.values[write.operands[1]].first_step;
    if (read < 0 || p_.steps[read].kind != step_kind::subtensor ||
        p_.steps[read].operands[0] != write.operands[0])
      return false;
    items<long long> const to = g_.attributes(write.node),
                           from = g_.attributes(p_.steps[read].node);
    bool same = to.count == from.count;
    for (int i = 0; same && i < to.count; i += 2) same = to[i] == from[i] && to[i] != 2;
    return same;
  }
  constexpr bool is_like(int a, int b) const {
    return p_.values[a].type.element == p_.values[b].type.element &&
           same(p_.values[a].extents, p_.values[b].extents);
  }
  /// Whether a value is stored after the steps.
  constexpr bool outlives_steps(int v) const {
    for (int id : g_.results())
      if (shows(p_.value_of[id], v)) return true;
    for (auto const& u : g_.updates())
      if (shows(p_.value_of[u.value], v)) return true;
    return false;
  }

  constexpr void note_reader(int v, int step) {
    last_[v] = step;
    for_each_seen(p_.values[v], p_.steps, [&](int other) { note_reader(other, step); });
  }

  graph const& g_;
  planner const& p_;
  bool is_body_;
  list<int> last_;  // of each value, the last step that reads it, also through views
};

}  // namespace kroton::plan
