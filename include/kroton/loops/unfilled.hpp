// A loop without the arrays that it fills: what a step reads of what earlier ones have written is a
// state that goes back as many steps, and the array is known behind the loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/filled.hpp>
#include <kroton/ops/loop/rows.hpp>

namespace kroton::loops {

/// Records such a loop in the graph of the operands of a form.
class unfilled_loop {
 public:
  constexpr unfilled_loop(graph& to, loop_form const& form, list<filled_state> const& states)
      : to_(to), form_(form), states_(states), positions_(to, form_) {
    for (filled_state const& state : states_) {
      drop_condition(form_, state.written);
      for (filled_reading const& r : state.read) drop_condition(form_, r.part);
    }
    sort(states_, [](filled_state const& a, filled_state const& b) {
      return a.written.node < b.written.node;
    });
  }

  /// What has to be asked before the loop, once it is recorded.
  list<list<core::extent_constraint>> asked{};

  /// The results of the loop. Of a state that is an array it is the array at the end.
  constexpr list<int> record() {
    add_tapes();
    made_.parts = form_.parts;
    made_.parts.tapes.clear();
    made_.parts.extents.clear();
    copy_ = body_copy(form_.body, made_.body);
    add_parameters();
    for (int k = 0; k < states_.size(); ++k) add_value(k);
    for (new_tape const& tape : tapes_)
      made_.body.results().push_back(tape.state < 0 ? copy_.copy(form_.body.results()[tape.tape])
                                                    : values_[tape.state]);
    copy_.copy_conditions();
    int const node = record_scan(to_, made_.parts, made_.body);
    list<int> results(form_.parts.tapes.size(), -1);
    for (int k = 0; node >= 0 && k < tapes_.size(); ++k) {
      term const made = output_of({&to_, node}, k);
      results[tapes_[k].tape] =
          tapes_[k].state < 0 ? made.id : array_at_end(states_[tapes_[k].state], made).id;
    }
    return results;
  }

 private:
  // A tape of the new loop, which it was before, and whether it was such an array.
  struct new_tape {
    int tape = -1, state = -1;
    scan_tape of{};
    list<int> extents{};
  };
  // What a state has written before, as a parameter of the new body.
  struct earlier_element {
    int state = -1, back = 0, input = -1;
  };

  constexpr term start_of(filled_state const& state) const {
    return {&to_, form_.parts.tapes[state.tape].start};
  }
  constexpr term steps() const { return {&to_, form_.parts.steps}; }

  constexpr void add_tapes() {
    list<new_tape> all;
    for (int t = 0; t < form_.parts.tapes.size(); ++t) {
      all.push_back({t, -1, form_.parts.tapes[t]});
      for (int k = 0; k < states_.size(); ++k)
        if (states_[k].tape == t) all.back().state = k;
      if (all.back().state >= 0) make_state(all.back(), states_[all.back().state]);
      int const first = form_.first_extent(t);
      for (int d = 0; form_.is_output(t) && d < form_.body.type(form_.body.results()[t]).rank; ++d)
        all.back().extents.push_back(form_.parts.extents[first + d]);
    }
    for (int kind = 0; kind < tape_kinds; ++kind)
      for (new_tape const& tape : all)
        if (static_cast<int>(tape.of.kind) == kind) tapes_.push_back(tape);
  }
  constexpr void make_state(new_tape& made, filled_state const& state) {
    ask(state.written, state);
    for (filled_reading const& r : state.read) ask(r.part, state);
    int const reach = state.reach();
    term const start = elements_before(state);
    made.of = {};
    for (int d = 1; reach == 0 && d < start.rank(); ++d)
      made.extents.push_back(extent(start, d).id);
    if (reach == 1)
      made.of = {tape_kind::sit_sot, list<int>{-1}, row_at(start, integer(to_, 0)).id};
    if (reach > 1) made.of = {tape_kind::mit_sot, {}, start.id};
    for (int back = reach; reach > 1 && back > 0; --back)
      if (state.reads_back(back)) made.of.taps.push_back(-back);
  }
  constexpr void ask(subscript const& part, filled_state const& state) {
    if (part.is_checked)
      asked.push_back(condition_on_elements(positions_, part, start_of(state).id));
  }
  // The elements of the start that the first steps read as written before them. A loop without
  // steps reads none, and the start need not have them.
  constexpr term elements_before(filled_state const& state) {
    int const reach = state.reach() > 0 ? state.reach() : 1;
    progression const at = positions_.of(state.written.counted);
    linear_form first = at.first;
    first.add(linear_form(at.stride), -reach);
    bool const is_sure = to_.is_literal(steps().id) && to_.literal_bits(steps().id) > 0;
    term const zero = integer(to_, 0), all = integer(to_, reach);
    term const count = is_sure ? all : call<op::where>(call<op::lt>(zero, steps()), all, zero);
    term const read =
        read_at_once(start_of(state), range_of(positions_, state.written, first, count));
    if (is_sure) return read;
    list<term> extents{all};
    for (int d = 1; d < read.rank(); ++d) extents.push_back(extent(read, d));
    return with_rows(alloc({&to_, to_.literal(0, read.element())}, extents), read, zero, count);
  }

  constexpr int add_parameter(tensor_type type) {
    return made_.body.input(type, made_.body.parameters().size());
  }
  constexpr void add_copied(int inner) { copy_.set(inner, add_parameter(form_.body.type(inner))); }
  // The type of what a step writes to an array.
  constexpr tensor_type type_of(filled_state const& state) const {
    graph const& body = form_.body;
    tensor_type type = body.type(state.written.node);
    for (int d = 0, rank = type.rank; d < rank; ++d)
      if (body.attribute(state.written.node, 2 * d) == 1) --type.rank;
    return type;
  }

  constexpr void add_parameters() {
    for (int i = 0; i < form_.parts.sequences.size(); ++i) add_copied(form_.sequence(i));
    for (filled_state const& state : states_) add_elements_of_start(state);
    list<earlier_element> earlier;
    for (new_tape const& tape : tapes_) {
      made_.parts.tapes.push_back(tape.of);
      for (int e : tape.extents) made_.parts.extents.push_back(e);
      for (int k = 0; k < tape.of.taps.size(); ++k)
        if (tape.state < 0) add_copied(form_.tap(tape.tape, k));
        else
          earlier.push_back(
              {tape.state, -tape.of.taps[k], add_parameter(type_of(states_[tape.state]))});
    }
    for (int i = 0; i < form_.parts.constants.size(); ++i) add_copied(form_.constant(i));
    for (filled_state const& state : states_) add_extents(state);
    for (earlier_element const& e : earlier) read(states_[e.state], e.back, e.input);
  }
  constexpr void add_elements_of_start(filled_state const& state) {
    auto const add = [&](subscript const& part, tensor_type type) {
      made_.parts.sequences.push_back(
          read_at_once(start_of(state), range_of_steps(positions_, part)).id);
      return add_parameter(type);
    };
    for (filled_reading const& r : state.read)
      if (r.of_start) copy_.set(r.part.node, add(r.part, form_.body.type(r.part.node)));
    bool const adds = form_.body.is<op::inc_subtensor>(state.written.node);
    added_to_.push_back(adds ? add(state.written, type_of(state)) : -1);
  }
  // The extents of an array that goes, for what asks for them.
  constexpr void add_extents(filled_state const& state) {
    graph const& body = form_.body;
    int const before = form_.tap(state.tape, 0), after = state.written.node;
    extents_.push_back({});
    for (int d = 0; d < body.type(after).rank; ++d) {
      made_.parts.constants.push_back(extent(start_of(state), d).id);
      int const made = add_parameter({element::int64, 0, 0});
      extents_.back().push_back(made);
      for (int id = 0; id < body.size(); ++id)
        if (body.is<op::extent_of>(id) && body.attribute(id, 0) == d &&
            (body.input_of(id, 0) == before || body.input_of(id, 0) == after))
          copy_.set(id, made);
    }
  }
  // Puts what a step has written in the place of what reads it.
  constexpr void read(filled_state const& state, int back, int element) {
    for (filled_reading const& r : state.read)
      if (!r.of_start && r.back == back)
        copy_.set(r.part.node, r.is_whole ? element : part_of(element, r.part));
  }
  constexpr int part_of(int element, subscript const& part) {
    graph const& body = form_.body;
    list<int> operands{element};
    list<long long> attributes;
    int next = part.operands;
    for (int d = 0; d < body[part.node].attribute_count / 2; ++d) {
      int const code = static_cast<int>(body.attribute(part.node, 2 * d));
      for (int k = 0; d != part.axis && k < code; ++k)
        operands.push_back(copy_.copy(body.input_of(part.node, next + k)));
      for (int k = 0; d != part.axis && k < 2; ++k)
        attributes.push_back(body.attribute(part.node, 2 * d + k));
      next += code;
    }
    return made_.body.apply(identity<op::subtensor>(), operands, attributes);
  }
  // What a step writes, in the shape of its place.
  constexpr void add_value(int k) {
    filled_state const& state = states_[k];
    int const node = state.written.node;
    term value{&made_.body, copy_.copy(form_.body.input_of(node, 1))};
    if (added_to_[k] >= 0) value = term{&made_.body, added_to_[k]} + value;
    tensor_type const type = type_of(state);
    if (value.rank() != type.rank || value.type().broadcast != 0)
      value = alloc(value, extents_of_place(k));
    values_.push_back(made_.body.store(value.id, type.element));
    read(state, 0, values_.back());
  }
  constexpr list<term> extents_of_place(int k) {
    graph const& body = form_.body;
    int const node = states_[k].written.node;
    list<term> extents;
    int next = states_[k].written.operands;
    for (int d = 0; d < body.type(node).rank; ++d) {
      int const code = static_cast<int>(body.attribute(node, 2 * d));
      if (code == 0) extents.push_back({&made_.body, extents_[k][d]});
      if (code == 2)
        extents.push_back({&made_.body, copy_.copy(body.input_of(node, next + 1))});
      next += code;
    }
    return extents;
  }

  // The start, and in it what the steps have written. Where that is one part, it is joined to the
  // rest: what is joined is computed where it comes to lie.
  constexpr term array_at_end(filled_state const& state, term stack) {
    term const start = start_of(state);
    progression const at = positions_.of(state.written.counted);
    bool const is_joined = state.written.axis == 0 && at.stride == 1 &&
                           takes_whole_rows(form_.body, state.written);
    if (is_joined) {
      term const zero = integer(to_, 0), first = recorded(to_, at.first),
                 begin = call<op::where>(call<op::lt>(zero, steps()), first, zero),
                 end = begin + steps();
      return join(list<term>{rows(start, zero, begin), stack,
                             rows(start, end, extent(start, 0) - end)},
                  0);
    }
    selected_range const range = range_of_steps(positions_, state.written);
    list<int> operands{start.id, range.of_steps(stack).id};
    for (int id : range.operands) operands.push_back(id);
    return {&to_, to_.apply(identity<op::set_subtensor>(), operands, range.attributes)};
  }

  graph& to_;
  loop_form form_;
  list<filled_state> states_;  // in the order in which a step writes them
  step_positions positions_;
  loop_form made_{};
  body_copy copy_{};
  list<new_tape> tapes_{};
  list<list<int>> extents_{};  // of each array, in the new body
  list<int> added_to_{};       // of each array, the element to which a step adds, or -1
  list<int> values_{};         // of each array, what a step writes
};

}  // namespace kroton::loops
