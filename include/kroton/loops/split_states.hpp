// A state to parts of which each step adds something, the same parts in all steps, is one state for
// each part: what is added to a part alone may leave the loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/accumulated.hpp>
#include <kroton/loops/progressions.hpp>
#include <kroton/loops/sums.hpp>
#include <kroton/loops/union.hpp>

namespace kroton::loops {

/// The nodes of a body that add to parts of a state, from the last one on; none where something
/// else reads or changes it, or where the parts move.
constexpr list<int> additions_to_parts(step_positions& positions, loop_form& form, int tape) {
  graph const& body = form.body;
  list<int> found;
  if (form.parts.tapes[tape].kind != tape_kind::shared) return found;
  list<bool> const live = body.live();
  int const state = form.tap(tape, 0);
  bool is_split = uses_of(body, live, state) == 1;
  for (int node = body.results()[tape]; is_split && node != state; node = body.input_of(node, 0)) {
    is_split = body.is<op::inc_subtensor>(node) && uses_of(body, live, node) == 1;
    for (int k = 2; is_split && k < body[node].input_count; ++k)
      is_split = positions.constant(body.input_of(node, k)) >= 0;
    if (!is_split) break;
    int const value = body.input_of(node, 1);
    int rank = 0;
    for (int d = 0; d < body.type(node).rank; ++d) rank += body.attribute(node, 2 * d) == 1 ? 0 : 1;
    is_split = body.type(value).rank == rank && body.type(value).broadcast == 0 &&
               body.type(value).element == body.type(node).element &&
               follow_from_extents(form, extents_inside(form, value));
    found.push_back(node);
  }
  if (!is_split) found.clear();
  return found;
}

/// A scan in which such states are several.
class split_form {
 public:
  /// `additions` has those of each tape; operands of the form are nodes of `to`.
  constexpr split_form(graph& to, loop_form& form, list<list<int>> const& additions)
      : to_(to), form_(form), copy_(form.body, made.body), outside_(to, form) {
    made.parts = form.parts;
    made.parts.tapes.clear();
    made.parts.extents.clear();
    for (int i = 0; i < form.parts.sequences.size(); ++i) add_input(form.sequence(i));
    for (int t = 0; t < additions.size(); ++t) add_tape(t, additions[t]);
    for (int i = 0; i < form.parts.constants.size(); ++i) add_input(form.constant(i));
    for (int t = 0, next = 0; t < additions.size(); ++t) {
      if (additions[t].empty()) made.body.results().push_back(copy_.copy(form.body.results()[t]));
      for (int node : additions[t]) {
        int const sum[] = {sums_[next++], copy_.copy(form.body.input_of(node, 1))};
        made.body.results().push_back(made.body.apply(identity<op::add>(), sum));
      }
    }
    if (form.parts.stops) made.body.results().push_back(copy_.copy(form.condition()));
    copy_.copy_conditions();
  }

  loop_form made{};
  constexpr outside_copy& outside() { return outside_; }

 private:
  constexpr int add_input(int inner) {
    int const input = made.body.input(form_.body.type(inner), made.body.parameters().size());
    copy_.set(inner, input);
    return input;
  }
  constexpr void add_tape(int tape, list<int> const& additions) {
    for (int node : additions) {
      int const value = form_.body.input_of(node, 1);
      sums_.push_back(made.body.input(form_.body.type(value), made.body.parameters().size()));
      made.parts.tapes.push_back({tape_kind::shared, list<int>{-1}, zeros_of(value)});
    }
    if (!additions.empty()) return;
    scan_tape const& of = form_.parts.tapes[tape];
    for (int k = 0; k < of.taps.size(); ++k) add_input(form_.tap(tape, k));
    made.parts.tapes.push_back(of);
    int const first = form_.first_extent(tape);
    for (int d = 0; form_.is_output(tape) && d < form_.body.type(form_.body.results()[tape]).rank;
         ++d)
      made.parts.extents.push_back(form_.parts.extents[first + d]);
  }
  constexpr int zeros_of(int inner) {
    term const zero{&to_, to_.literal(0, form_.body.type(inner).element)};
    list<term> shape;
    for (int e : extents_inside(form_, inner)) shape.push_back({&to_, outside_.copy(e)});
    return shape.empty() ? zero.id : alloc(zero, shape).id;
  }

  graph& to_;
  loop_form& form_;
  body_copy copy_;
  outside_copy outside_;
  list<int> sums_{};
};

constexpr bool split_states(graph const& g, int id, graph& made) {
  loop_form before = form_of(g, id);
  if (!before.body.has<op::inc_subtensor>()) return false;
  list<list<int>> additions;
  bool found = false;
  {
    graph trial = g;
    step_positions positions(trial, before);
    for (int t = 0; t < before.parts.tapes.size(); ++t) {
      additions.push_back(additions_to_parts(positions, before, t));
      found = found || !additions[t].empty();
    }
  }
  if (!found) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    split_form split(to, form, additions);
    lift_conditions(g, image, form, split.outside());
    int const tapes = split.made.parts.tapes.size();
    list<loop_form> const forms{split.made};
    loop_union const sorted(forms, list<list<bool>>{list<bool>(tapes, true)});
    int const node = record_scan(to, sorted.made.parts, sorted.made.body);
    list<int> results;
    for (int t = 0, next = 0; to.error().empty() && t < additions.size(); ++t) {
      int whole = form.parts.tapes[t].start;
      for (int addition : additions[t]) {
        list<int> operands{whole, output_of({&to, node}, sorted.output(0, next++)).id};
        for (int k = 2; k < form.body[addition].input_count; ++k)
          operands.push_back(split.outside().copy(form.body.input_of(addition, k)));
        whole = to.apply(identity<op::inc_subtensor>(), operands, form.body.attributes(addition));
      }
      results.push_back(additions[t].empty() ? output_of({&to, node}, sorted.output(0, next++)).id
                                             : whole);
    }
    if (form.parts.stops && to.error().empty()) results.push_back(steps_done(to, node).id);
    return list<list<int>>{results};
  });
  return true;
}
constexpr graph with_split_states(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &split_states);
}

}  // namespace kroton::loops
