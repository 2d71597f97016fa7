// The pullback of a loop that fills arrays, by the same loop without them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/sweep.hpp>
#include <kroton/loops/unfilled.hpp>

namespace kroton::calculus {

/// A body that asks for no extents but those of its parameters, where these are what it asks for.
constexpr graph with_extents_of_parameters(graph body) {
  list<int> same(body.size(), -1);
  for (int id = 0; id < same.size(); ++id)
    if (body.is<op::extent_of>(id))
      same[id] = extent_node(body, body.input_of(id, 0), static_cast<int>(body.attribute(id, 0)));
  graph made;
  loops::body_copy copy(body, made);
  for (int id : body.parameters())
    copy.set(id, made.input(body.type(id), made.parameters().size()));
  for (int id = 0; id < same.size(); ++id)
    if (same[id] >= 0 && same[id] != id) copy.set(id, copy.copy(same[id]));
  for (int id : body.results()) made.results().push_back(copy.copy(id));
  copy.copy_conditions();
  return made;
}

/// Pulls back a scan that fills arrays. Its own reverse would read the whole array of each step; a
/// state that goes back some steps has one element in each. Nothing happens if the scan is another
/// one.
class array_pullback {
 public:
  /// `given` are the gradients of the outputs or -1; `wanted` says for which operands there will be
  /// one.
  constexpr array_pullback(graph& g, int id, list<int> const& given, list<bool> const& wanted)
      : g_(g), id_(id), given_(given), wanted_(wanted), form_(loops::form_of(g, id)) {}

  /// Whether the scan fills arrays.
  constexpr bool find() {
    scan_parts& parts = form_.parts;
    bool const fills =
        form_.body.has<op::set_subtensor>() || form_.body.has<op::inc_subtensor>();
    if (!fills || parts.stops || parts.repeats || parts.truncate >= 0 || has_conditions(g_, id_))
      return false;
    form_.body = with_extents_of_parameters(form_.body);
    if (g_.is<op::extent_of>(parts.steps))
      parts.steps = extent_node(g_, g_.input_of(parts.steps, 0),
                                static_cast<int>(g_.attribute(parts.steps, 0)));
    loops::filled_state_finder finder(g_, form_, true);
    for (int t = 0; t < parts.tapes.size(); ++t)
      if (loops::filled_state const state = finder.find(t); state.tape >= 0 && is_read_at_end(t))
        states_.push_back(state);
    return !states_.empty();
  }

  /// The gradients of the operands, or -1.
  constexpr list<int> run(body_pullback of_body) {
    loops::unfilled_loop loop(g_, form_, states_);
    list<int> const results = loop.record();
    list<int> gradients(g_[id_].input_count, -1);
    if (!g_.error().empty()) return gradients;
    reverse_sweep sweep(g_, of_body);
    for (int t = 0; t < given_.size(); ++t)
      if (given_[t] >= 0) sweep.seed(results[t], fills(t) ? given_at_end(t).id : given_[t]);
    list<int> wrt, first;  // operands, and where each comes first
    for (int k = 0; k < wanted_.size(); ++k)
      if (wanted_[k] && !wrt.contains(g_.input_of(id_, k))) {
        wrt.push_back(g_.input_of(id_, k));
        first.push_back(k);
      }
    sweep.run(wrt, wrt);
    for (int k = 0; k < wrt.size(); ++k) {
      int const gradient = sweep.gradient(wrt[k]);
      gradients[first[k]] = gradient;
      if (gradient < 0) continue;
      for (auto const& condition : loop.asked)
        for (core::extent_constraint c : condition) {
          c.node = gradient;
          g_.constraints().push_back(c);
        }
    }
    return gradients;
  }

 private:
  constexpr bool fills(int tape) const {
    bool fills = false;
    for (loops::filled_state const& state : states_) fills = fills || state.tape == tape;
    return fills;
  }
  // The gradient of the last value, if it is all that is given.
  constexpr term given_at_end(int tape) const {
    term const given{&g_, given_[tape]};
    return form_.parts.tapes[tape].kind == tape_kind::shared
               ? given
               : added_at_end(given, extent(output_of({&g_, id_}, tape), 0));
  }
  constexpr bool is_read_at_end(int tape) const {
    return given_[tape] < 0 || given_at_end(tape).exists();
  }

  graph& g_;
  int id_;
  list<int> const& given_;
  list<bool> const& wanted_;
  loops::loop_form form_;
  list<loops::filled_state> states_{};
};

}  // namespace kroton::calculus
