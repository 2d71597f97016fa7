// Integers to which each step of a loop adds the same.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>
#include <kroton/loops/linear_forms.hpp>
#include <kroton/ops/shapes/creation.hpp>

namespace kroton::loops {

/// What is first + stride * k in step k. The form is of nodes around the loop.
struct progression {
  bool is_known = false;
  linear_form first{};
  long long stride = 0;

  constexpr void add(progression const& other, long long times = 1) {
    is_known = is_known && other.is_known;
    first.add(other.first, times);
    linear_form sum(stride);
    sum.add(linear_form(other.stride), times);
    is_known = is_known && sum.is_known() && first.is_known();
    stride = sum.number();
  }
};

constexpr progression constant_progression(linear_form const& value) { return {true, value}; }

/// The elements of an int64 vector of a graph, as those of arange are. What is joined to a vector
/// in front of it, such as the start of a state, continues it.
constexpr progression elements_of(graph const& g, int id) {
  progression found;
  if (g.type(id).element != element::int64) return found;
  if (g.type(id).rank == 0) return constant_progression(linear_form_of(g, id));
  if (g.is<op::iota>(id)) {
    found = {true, linear_form(0), 1};
  } else if (g.is<op::add>(id)) {
    found.is_known = true;
    for (int in : g.inputs(id)) found.add(elements_of(g, in));
  } else if (g.is<op::sub>(id)) {
    found = elements_of(g, g.input_of(id, 0));
    found.add(elements_of(g, g.input_of(id, 1)), -1);
  } else if (g.is<op::mul>(id) && g[id].input_count == 2) {
    for (int k : {0, 1})
      if (g.is_literal(g.input_of(id, k)) && g.type(g.input_of(id, k)).rank == 0) {
        found.is_known = true;
        found.add(elements_of(g, g.input_of(id, 1 - k)), g.literal_bits(g.input_of(id, k)));
      }
  } else if ((g.is<op::dimshuffle>(id) || g.is<op::alloc>(id)) &&
             g.type(g.input_of(id, 0)).rank == 0) {
    found = constant_progression(linear_form_of(g, g.input_of(id, 0)));
  } else if (g.is<op::subtensor>(id) && g.attribute(id, 0) == 2) {
    found = elements_of(g, g.input_of(id, 0));
    found.first.add(linear_form_of(g, g.input_of(id, 1)), found.stride);
    linear_form stride(0);
    stride.add(linear_form(found.stride), g.attribute(id, 1));
    found.is_known = found.is_known && stride.is_known();
    found.stride = stride.number();
  } else if (g.is<op::join>(id) && g[id].input_count == 3 &&
             g.type(g.input_of(id, 1)).broadcasts(0)) {
    progression const start = elements_of(g, g.input_of(id, 1));
    progression rest = elements_of(g, g.input_of(id, 2));
    rest.first.add(linear_form(-rest.stride));
    if (start.is_known && rest.is_known && rest.first == start.first) found = rest;
  }
  found.is_known = found.is_known && found.first.is_known();
  return found;
}

/// Whether all that a step does to a state is to add a constant, the stride.
constexpr bool is_counter(loop_form const& form, int tape, long long& stride) {
  scan_tape const& state = form.parts.tapes[tape];
  tensor_type const& type = form.body.type(form.body.results()[tape]);
  if (state.taps.size() != 1 || state.taps[0] != -1 || state.kind == tape_kind::mit_sot ||
      type.rank != 0 || type.element != element::int64)
    return false;
  linear_form added = linear_form_of(form.body, form.body.results()[tape]);
  added.add(linear_form::of_node(form.tap(tape, 0)), -1);
  stride = added.number();
  return added.is_number(stride) && stride != 0;
}

/// The progressions in a body, as forms of nodes of the graph around it.
class step_positions {
 public:
  /// The operands of the form are nodes of `around`.
  constexpr step_positions(graph& around, loop_form const& form)
      : form_(form), outside_(around, form) {
    list<int> moving = sequences_of(form);
    for (int id : states_of(form)) moving.push_back(id);
    varies_ = nodes_after(form.body, moving);
  }

  constexpr bool varies(int inner) const { return varies_[inner]; }
  constexpr graph& around() const { return outside_.to(); }
  constexpr loop_form const& form() const { return form_; }
  constexpr outside_copy& outside() { return outside_; }

  constexpr progression of(linear_form const& inner) {
    progression sum = constant_progression(linear_form(inner.number()));
    for (auto const& t : inner.terms()) sum.add(of_term(t.node), t.times);
    sum.is_known = sum.is_known && inner.is_known();
    return sum;
  }
  /// An integer that is the same in all steps and cannot fail, around the loop; -1 for others.
  constexpr int constant(int inner) {
    return !varies_[inner] && is_arithmetic(inner) ? outside_.copy(inner) : -1;
  }

 private:
  constexpr progression of_term(int inner) {
    for (int i = 0; i < form_.parts.sequences.size(); ++i)
      if (form_.sequence(i) == inner) return elements_of(around(), form_.parts.sequences[i]);
    progression found;
    for (int t = 0; t < form_.parts.tapes.size(); ++t)
      if (!form_.is_output(t) && form_.tap(t, 0) == inner && is_counter(form_, t, found.stride)) {
        found.first = linear_form_of(around(), form_.parts.tapes[t].start);
        found.is_known = true;
        return found;
      }
    int const node = constant(inner);
    if (node >= 0) found = constant_progression(linear_form_of(around(), node));
    return found;
  }
  constexpr bool is_arithmetic(int inner) const {
    graph const& body = form_.body;
    if (body.is<op::input>(inner) || body.is_literal(inner) || is_extent_of_parameter(body, inner))
      return true;
    bool all = body[inner].op->elementwise;
    for (int in : body.inputs(inner)) all = all && is_arithmetic(in);
    return all;
  }

  loop_form const& form_;
  outside_copy outside_;
  list<bool> varies_{};
};

}  // namespace kroton::loops
