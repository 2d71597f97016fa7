// A change of a scan: what it reads or computes in addition, and what it no longer does.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/rebuilding.hpp>

namespace kroton::loops {

/// A node of a body that becomes a parameter, and the operand that it is then.
struct moved_out {
  int inner = -1, operand = -1;
};
/// A node of a body that becomes an output, and the extents of a row of it.
struct added_output {
  int inner = -1;
  list<int> extents{};
};

struct loop_change {
  list<moved_out> sequences{}, constants{};
  list<added_output> outputs{};
  list<bool> dropped{};  // tapes that go
};

/// The form with a change, whose operands are nodes of the same graph as those of the form. Tapes
/// that stay keep their order; further outputs come last.
constexpr loop_form changed(loop_form const& form, loop_change const& change) {
  loop_form made;
  made.parts = form.parts;
  made.parts.tapes.clear();
  made.parts.extents.clear();
  body_copy copy(form.body, made.body);
  auto add = [&](int inner) {
    copy.set(inner, made.body.input(form.body.type(inner), made.body.parameters().size()));
  };
  for (int i = 0; i < form.parts.sequences.size(); ++i) add(form.sequence(i));
  for (moved_out const& m : change.sequences) {
    made.parts.sequences.push_back(m.operand);
    add(m.inner);
  }
  for (int t = 0; t < form.parts.tapes.size(); ++t)
    for (int k = 0; !change.dropped[t] && k < form.parts.tapes[t].taps.size(); ++k)
      add(form.tap(t, k));
  for (int i = 0; i < form.parts.constants.size(); ++i) add(form.constant(i));
  for (moved_out const& m : change.constants) {
    made.parts.constants.push_back(m.operand);
    add(m.inner);
  }
  for (int t = 0; t < form.parts.tapes.size(); ++t) {
    if (change.dropped[t]) continue;
    made.body.results().push_back(copy.copy(form.body.results()[t]));
    made.parts.tapes.push_back(form.parts.tapes[t]);
    int const first = form.first_extent(t);
    for (int d = 0; form.is_output(t) && d < form.body.type(form.body.results()[t]).rank; ++d)
      made.parts.extents.push_back(form.parts.extents[first + d]);
  }
  for (added_output const& output : change.outputs) {
    made.body.results().push_back(copy.copy(output.inner));
    made.parts.tapes.push_back({});
    for (int e : output.extents) made.parts.extents.push_back(e);
  }
  if (form.parts.stops) made.body.results().push_back(copy.copy(form.condition()));
  copy.copy_conditions();
  return made;
}

/// What is known outside of a body. Extents that nodes compute are not.
constexpr bool is_extent_of_parameter(graph const& body, int id) {
  return body.is<op::extent_of>(id) && body.is<op::input>(body.input_of(id, 0));
}

/// For each node of a body, whether it needs more than extents of some parameters.
constexpr list<bool> nodes_after(graph const& body, list<int> const& leaves) {
  list<bool> after(body.size());
  for (int id : leaves) after[id] = true;
  for (int id = 0; id < body.size(); ++id)
    for (int in : body.inputs(id))
      after[id] = after[id] || (after[in] && !is_extent_of_parameter(body, id));
  return after;
}
constexpr list<int> sequences_of(loop_form const& form) {
  list<int> all;
  for (int i = 0; i < form.parts.sequences.size(); ++i) all.push_back(form.sequence(i));
  return all;
}
constexpr list<int> states_of(loop_form const& form) {
  list<int> all;
  for (int t = 0; t < form.parts.tapes.size(); ++t)
    for (int k = 0; k < form.parts.tapes[t].taps.size(); ++k) all.push_back(form.tap(t, k));
  return all;
}

/// Records parts of a body in the graph around it. Constants are their operands there, extents of
/// all parameters those of the operands; the caller says what further nodes are.
class outside_copy {
 public:
  constexpr outside_copy(graph& to, loop_form const& form)
      : to_(to), form_(form), image_(form.body.size(), -1) {
    to.share_bodies(form.body);
    for (int i = 0; i < form.parts.constants.size(); ++i)
      image_[form.constant(i)] = form.parts.constants[i];
  }
  constexpr void set(int inner, int node) { image_[inner] = node; }
  constexpr int operator[](int inner) const { return image_[inner]; }
  constexpr graph& to() const { return to_; }

  constexpr int copy(int root) {
    graph const& body = form_.body;
    list<bool> needed(root + 1);
    needed[root] = true;
    for (int id = root; id >= 0; --id)
      if (needed[id] && image_[id] < 0 && !is_extent_of_parameter(body, id))
        for (int in : body.inputs(id)) needed[in] = true;
    list<int> inputs;
    for (int id = 0; id <= root; ++id) {
      if (!needed[id] || image_[id] >= 0) continue;
      if (is_extent_of_parameter(body, id)) {
        image_[id] = extent_outside(body.input_of(id, 0), static_cast<int>(body.attribute(id, 0)));
        continue;
      }
      inputs.clear();
      for (int in : body.inputs(id)) inputs.push_back(image_[in]);
      bool const has_own_type =
          body.is<op::cast>(id) || body.is_literal(id) || body[id].op->has_items();
      image_[id] = has_own_type ? to_.add(body[id].op, body.type(id), inputs, body.attributes(id))
                                : to_.apply(body[id].op, inputs, body.attributes(id));
    }
    return image_[root];
  }

 private:
  constexpr int extent_outside(int parameter, int d) {
    for (int i = 0; i < form_.parts.sequences.size(); ++i)
      if (form_.sequence(i) == parameter) return extent_node(to_, form_.parts.sequences[i], d + 1);
    for (int t = 0; t < form_.parts.tapes.size(); ++t)
      for (int k = 0; k < form_.parts.tapes[t].taps.size(); ++k)
        if (form_.tap(t, k) == parameter)
          return extent_node(to_, form_.parts.tapes[t].start,
                             form_.parts.tapes[t].kind == tape_kind::mit_sot ? d + 1 : d);
    int i = 0;
    while (form_.constant(i) != parameter) ++i;
    return extent_node(to_, form_.parts.constants[i], d);
  }

  graph& to_;
  loop_form const& form_;
  list<int> image_;
};

/// Whether scalars of a body need no element and no state.
constexpr bool follow_from_extents(loop_form const& form, items<int> scalars) {
  list<bool> needed(form.body.size());
  for (int id : scalars) needed[id] = true;
  for (int id = form.body.size() - 1; id >= 0; --id)
    if (needed[id] && !is_extent_of_parameter(form.body, id))
      for (int in : form.body.inputs(id)) needed[in] = true;
  bool follow = true;
  for (int id : sequences_of(form)) follow = follow && !needed[id];
  for (int id : states_of(form)) follow = follow && !needed[id];
  return follow;
}

/// Extents of the states that go, as constants, where anything that stays has them.
constexpr void keep_extents(loop_form const& form, outside_copy& outside, loop_change& change) {
  list<int> stays, gone;
  for (int t = 0; t < form.parts.tapes.size(); ++t)
    if (!change.dropped[t]) stays.push_back(form.body.results()[t]);
    else gone.push_back(form.tap(t, 0));
  for (added_output const& output : change.outputs) stays.push_back(output.inner);
  list<bool> needed(form.body.size());
  for (int id : stays) needed[id] = true;
  for (int id = form.body.size() - 1; id >= 0; --id) {
    if (!needed[id]) continue;
    for (int in : form.body.inputs(id)) needed[in] = true;
    if (form.body.is<op::extent_of>(id) && gone.contains(form.body.input_of(id, 0)))
      change.constants.push_back({id, outside.copy(id)});
  }
}

/// Whether a condition of a body is asked outside of it if steps are computed there.
enum class asked : unsigned char { with_steps, always };

/// A condition that is asked if there is a step, and with its error: where that tells what the
/// condition compares, a note does, since what `where` chooses has no name.
constexpr list<core::extent_constraint> asked_with_steps(graph& g, core::extent_constraint c,
                                                         int steps, bool has_notes) {
  term const left{&g, c.left}, right{&g, c.right}, count{&g, steps};
  auto if_any = [&](term value, term otherwise) {
    return call<op::where>(call<op::lt>(integer(g, 0), count), value, otherwise).id;
  };
  bool const is_index = c.kind == condition::index;
  if (is_index && (is_op<op::subtensor>(c.op) || is_op<op::set_subtensor>(c.op) ||
                   is_op<op::inc_subtensor>(c.op))) {
    // As many steps find an element as there are, or none
    term const found = call<op::where>(call<op::lt>(left, right),
                                       call<op::where>(call<op::lt>(left, 0), 0, count), 0);
    return {{found.id, steps, identity<op::subtensor>(), condition::at_least},
            {c.left, c.right, identity<op::subtensor>(), condition::note}};
  }
  core::extent_constraint const compared{c.left, c.right, identity<op::where>(), condition::note};
  c.left = if_any(left, is_index ? integer(g, 0) : right);
  if (is_index) c.right = if_any(right, integer(g, 1));
  list<core::extent_constraint> all{c};
  if (!has_notes) all.push_back(compared);
  return all;
}

/// Puts conditions of a body that need no step around it: what leaves the body is computed before
/// its first step. `image` are the nodes of `from`, the graph with the scan, in the new one.
constexpr void lift_conditions(graph const& from, list<int> const& image, loop_form const& form,
                               outside_copy& outside,
                               list<core::extent_constraint> const& conditions,
                               asked when = asked::with_steps) {
  graph& to = outside.to();
  int const steps = form.parts.steps;
  bool const is_sure =
      when == asked::always || (to.is_literal(steps) && to.literal_bits(steps) > 0);
  auto is_there = [&](core::extent_constraint const& c) {
    for (auto const& other : from.constraints()) {
      int const left = image[other.left], right = image[other.right];
      bool const turns = c.kind == condition::equal && left == c.right && right == c.left;
      if (other.kind == c.kind && ((left == c.left && right == c.right) || turns)) return true;
    }
    return false;
  };
  bool lifted = false;
  for (int at = 0; at < conditions.size(); ++at) {
    core::extent_constraint c = conditions[at];
    // A note belongs to the condition before it. What an array can hold is asked again outside.
    bool const is_note = c.kind == condition::note, is_whole = c.kind == condition::equal ||
                                                               c.kind == condition::index ||
                                                               c.kind == condition::at_least;
    int const scalars[] = {c.left, c.right};
    if ((is_note ? !lifted : !is_whole) || !follow_from_extents(form, scalars)) {
      lifted = false;
      continue;
    }
    c.left = outside.copy(c.left);
    c.right = outside.copy(c.right);
    c.node = -1;
    lifted = is_note || !is_there(c);
    if (!lifted) continue;
    list<core::extent_constraint> all{c};
    if (!is_note && !is_sure) {
      bool const counts_steps = is_op<op::scan>(c.op) && c.kind == condition::at_least;
      bool const has_notes =
          at + 1 < conditions.size() && conditions[at + 1].kind == condition::note;
      all = asked_with_steps(to, c, steps, has_notes || counts_steps);
      lifted = !is_there(all[0]);  // it was lifted before
    }
    for (int k = 0; lifted && k < all.size(); ++k) to.constraints().push_back(all[k]);
  }
}
constexpr void lift_conditions(graph const& from, list<int> const& image, loop_form const& form,
                               outside_copy& outside, asked when = asked::with_steps) {
  lift_conditions(from, image, form, outside, form.body.constraints(), when);
}

}  // namespace kroton::loops
