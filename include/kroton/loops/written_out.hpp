// Short loops of a known number of steps are written out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>
#include <kroton/ops/loop/rows.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// The nodes of all steps that a loop may have to be written out.
inline constexpr int most_written_nodes = 64;

/// Whether the conditions of a body are those of the operands, which are checked before the loop.
constexpr bool has_outer_conditions(graph const& g, int id) {
  scan_layout const at = layout_of(g, id);
  graph const& body = g.body(at.address());
  for (auto const& c : body.constraints()) {
    core::extent_source left, right;
    if (c.kind != condition::equal || !ops::outer_source(at, body, c.left, left) ||
        !ops::outer_source(at, body, c.right, right))
      return false;
  }
  return true;
}
/// How many nodes one step computes; -1 if some of them may not be computed twice.
constexpr int nodes_in_step(graph const& body) {
  list<bool> const live = body.live();
  int count = 0;
  bool once = false;
  for (int id = 0; id < body.size(); ++id) {
    if (!live[id]) continue;
    once = once || body[id].op->is_serial;
    count += body[id].input_count > 0 && !body.is<op::extent_of>(id) ? 1 : 0;
  }
  return once ? -1 : count;
}
constexpr bool can_be_written_out(graph const& g, int id) {
  scan_layout const at = layout_of(g, id);
  int const steps = g.input_of(id, at.steps_operand);
  if (at.stops() || at.repeats() || !g.is_literal(steps)) return false;
  long long const count = g.literal_bits(steps);
  int const nodes = nodes_in_step(g.body(at.address()));
  // A step that computes nothing is there, too
  bool const is_short = count == 1 || (count >= 1 && count <= most_written_nodes &&
                                       count * (nodes + 1) <= most_written_nodes);
  return nodes >= 0 && is_short && has_outer_conditions(g, id);
}

/// The steps of a loop one after the other.
class written_steps {
 public:
  constexpr written_steps(graph& to, loop_form const& form) : to_(to), form_(form) {}

  constexpr list<int> record(int steps) {
    rows_ = list<list<term>>(tapes(), list<term>{});
    for (int step = 0; step < steps; ++step) take(step);
    list<int> results;
    for (int t = 0; t < tapes(); ++t) results.push_back(result(t).id);
    return results;
  }

 private:
  constexpr int tapes() const { return form_.parts.tapes.size(); }

  constexpr void take(int step) {
    outside_copy copy(to_, form_);
    for (int i = 0; i < form_.parts.sequences.size(); ++i)
      copy.set(form_.sequence(i),
               row_at({&to_, form_.parts.sequences[i]}, integer(to_, step)).id);
    for (int t = 0; t < tapes(); ++t)
      for (int k = 0; k < form_.parts.tapes[t].taps.size(); ++k)
        copy.set(form_.tap(t, k), before(t, step + form_.parts.tapes[t].taps[k]).id);
    for (int t = 0; t < tapes(); ++t)
      rows_[t].push_back({&to_, kept(t, copy.copy(form_.body.results()[t]))});
  }
  // A state of 16 bits is rounded at each step.
  constexpr int kept(int tape, int made) const {
    element const e = to_.type(made).element;
    if (!core::is_short(e) || form_.parts.tapes[tape].taps.empty()) return made;
    return to_.cast(to_.cast(made, core::computed_as(e)), e);
  }
  // What a state was in a step, which may lie before the first.
  constexpr term before(int tape, int step) const {
    scan_tape const& of = form_.parts.tapes[tape];
    if (step >= 0) return rows_[tape][step];
    term const start{&to_, of.start};
    if (of.kind != tape_kind::mit_sot) return start;
    return row_at(start, integer(to_, of.reach() + step));
  }
  constexpr term result(int tape) const {
    list<term> stack;
    if (form_.parts.tapes[tape].kind == tape_kind::shared) return rows_[tape].back();
    for (term const& r : rows_[tape]) stack.push_back(as_row(r));
    return stack.size() == 1 ? stack[0] : join(stack, 0);
  }

  graph& to_;
  loop_form const& form_;
  list<list<term>> rows_{};
};

constexpr bool write_loop_out(graph const& g, int id, graph& made) {
  if (!can_be_written_out(g, id)) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = form_of(g, id);
    move_operands(form.parts, image);
    int const steps = static_cast<int>(g.literal_bits(g.input_of(id, 0)));
    return list<list<int>>{written_steps(to, form).record(steps)};
  });
  return true;
}
constexpr graph with_short_loops_out(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &write_loop_out);
}

}  // namespace kroton::loops
