// What each step reads at another position of an array is a sequence, and what it writes there is a
// stack that is written at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/accumulated.hpp>
#include <kroton/loops/fewer_steps.hpp>
#include <kroton/loops/merge.hpp>
#include <kroton/loops/positions.hpp>
#include <kroton/loops/sums.hpp>

namespace kroton::loops {

/// A state of which each step changes parts and reads nothing: the nodes that change it, from the
/// last one on.
struct written_state {
  int tape = -1;
  list<subscript> parts{};
};

/// The parts of arrays that the steps of a loop read and write.
class subscripts {
 public:
  /// The operands of the form are nodes of `around`.
  constexpr subscripts(graph& around, loop_form& form, bool can_ask)
      : form_(form), finder_(around, form, can_ask), live_(form.body.live()) {
    graph const& body = form.body;
    for (int node = 0; node < live_.size(); ++node) {
      if (!live_[node] || !body.is<op::subtensor>(node)) continue;
      for (int i = 0; i < form.parts.constants.size(); ++i)
        if (body.input_of(node, 0) == form.constant(i))
          if (subscript const part = finder_.find(node, 1, form.parts.constants[i]); part.axis >= 0)
            read.push_back(part);
    }
    for (int t = 0; !form.parts.stops && t < form.parts.tapes.size(); ++t)
      if (written_state const state = changes_of(t); !state.parts.empty()) written.push_back(state);
  }

  list<subscript> read{};
  list<written_state> written{};

 private:
  constexpr written_state changes_of(int tape) {
    graph const& body = form_.body;
    written_state found{tape};
    if (form_.parts.tapes[tape].kind != tape_kind::shared) return {};
    int const state = form_.tap(tape, 0);
    for (int node = body.results()[tape]; node != state; node = body.input_of(node, 0)) {
      // What one step sets and another one adds to may be the same element
      bool const is_only = node == body.results()[tape] && body.input_of(node, 0) == state;
      if (!body.is<op::inc_subtensor>(node) && !(body.is<op::set_subtensor>(node) && is_only))
        return {};
      subscript const part = finder_.find(node, 2, form_.parts.tapes[tape].start);
      if (part.axis < 0 || uses_of(body, live_, node) != 1 || !is_stackable(part)) return {};
      found.parts.push_back(part);
    }
    if (uses_of(body, live_, state) != 1) found.parts.clear();
    return found;
  }
  // Whether what is written has the rank of the part, and a shape that follows from extents.
  constexpr bool is_stackable(subscript const& part) {
    graph const& body = form_.body;
    int const value = body.input_of(part.node, 1);
    int rank = 0;
    for (int d = 0; d < body.type(part.node).rank; ++d)
      rank += body.attribute(part.node, 2 * d) == 1 ? 0 : 1;
    return body.type(value).rank == rank &&
           body.type(value).element == body.type(part.node).element &&
           follow_from_extents(form_, extents_inside(form_, value));
  }

  loop_form& form_;
  position_finder finder_;
  list<bool> live_;
};

/// The array that a state is at the end, of what all steps write to it.
constexpr term written_at_once(step_positions& positions, subscript const& part, term before,
                               term stack) {
  selected_range const range = range_of_steps(positions, part);
  graph& g = positions.around();
  list<int> operands{before.id, g.cast(range.of_steps(stack).id, before.element())};
  for (int id : range.operands) operands.push_back(id);
  return {&g, g.apply(positions.form().body[part.node].op, operands, range.attributes)};
}

constexpr bool take_subscripts_out(graph const& g, int id, graph& made) {
  loop_form before = form_of(g, id);
  if (!before.body.has<op::subtensor>() && !before.body.has<op::inc_subtensor>() &&
      !before.body.has<op::set_subtensor>())
    return false;
  // An error of a step that nobody needs does not appear
  bool const can_ask = !before.parts.stops && always_needed(g)[id] && steps_needed(g, id).all;
  graph trial = g;
  subscripts const found(trial, before, can_ask);
  if (found.read.empty() && found.written.empty()) return false;
  for (subscript const& part : found.read) drop_condition(before, part);
  for (written_state const& state : found.written)
    for (subscript const& part : state.parts) drop_condition(before, part);
  list<list<core::extent_constraint>> asked;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    auto ask = [&](step_positions& positions, subscript const& part, int array) {
      if (part.is_checked) asked.push_back(condition_on_elements(positions, part, array));
    };
    step_positions positions(to, form);
    outside_copy& outside = positions.outside();
    lift_conditions(g, image, form, outside);
    loop_change change;
    change.dropped = list<bool>(form.parts.tapes.size());
    for (subscript const& part : found.read) {
      int const array = outside[form.body.input_of(part.node, 0)];
      term const all = read_at_once({&to, array}, range_of_steps(positions, part));
      change.sequences.push_back({part.node, all.id});
      ask(positions, part, array);
    }
    for (written_state const& state : found.written) {
      change.dropped[state.tape] = true;
      for (subscript const& part : state.parts) {
        int const value = form.body.input_of(part.node, 1);
        change.outputs.push_back({value, extents_inside(form, value)});
        for (int& e : change.outputs.back().extents) e = outside.copy(e);
        ask(positions, part, form.parts.tapes[state.tape].start);
      }
    }
    keep_extents(form, outside, change);
    loop_form const less = changed(form, change);
    int const node = less.parts.tapes.empty() ? -1 : record_scan(to, less.parts, less.body);
    int kept = 0, added = less.parts.tapes.size() - change.outputs.size();
    list<int> results;
    for (int t = 0; to.error().empty() && t < form.parts.tapes.size(); ++t) {
      if (!change.dropped[t]) {
        results.push_back(output_of({&to, node}, kept++).id);
        continue;
      }
      term array{&to, form.parts.tapes[t].start};
      for (written_state const& state : found.written)
        for (int k = 0; state.tape == t && k < state.parts.size(); ++k)
          array =
              written_at_once(positions, state.parts[k], array, output_of({&to, node}, added++));
      results.push_back(array.id);
    }
    if (form.parts.stops) results.push_back(steps_done(to, node).id);
    return list<list<int>>{results};
  });
  // Behind those of loops that come first
  if (made.error().empty())
    for (auto const& condition : asked) ops::add_condition(made, condition);
  return true;
}
constexpr graph with_subscripts_as_sequences(graph g, rewrite::rewrite_options const&) {
  return cleaned_scans(with_each_scan(std::move(g), &take_subscripts_out));
}

}  // namespace kroton::loops
