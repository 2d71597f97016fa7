// The parts of a scan, from which its node is made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/loop/op.hpp>

namespace kroton::ops {

/// A state or an output of a scan. `start` is a node; outputs have none.
struct scan_tape {
  tape_kind kind = tape_kind::nit_sot;
  list<int> taps{};
  int start = -1;
  bool backwards = false;  // the row of the last step comes first, see loops/backwards.hpp

  /// The number of steps that the earliest tap goes back.
  constexpr int reach() const {
    int most = 0;
    for (int tap : taps) most = -tap > most ? -tap : most;
    return most;
  }
};

/// A scan around a body whose parameters and results are in the order of ops/loop/layout.hpp, with
/// nodes of the graph around it.
struct scan_parts {
  int steps = -1;
  bool counted = false;  // whether `steps` was given, so that it may not fit
  bool stops = false;      // whether the last result of the body is a condition that ends the loop
  bool repeats = false;    // whether a gradient computes the steps again
  long long unrolled = 1;  // how many steps a compiled loop takes at once
  long long truncate = -1;
  long long snapshots = 0;  // how many a gradient keeps, see grad/loop/snapshots.hpp
  list<int> sequences{};
  list<scan_tape> tapes{};  // in the order of kinds
  list<int> constants{};
  list<int> extents{};  // of one row of each nit_sot
  list<int> required{};  // further conditions, see scan_layout
};

constexpr long long count_of(scan_parts const& parts, tape_kind kind) {
  long long count = 0;
  for (scan_tape const& tape : parts.tapes) count += tape.kind == kind ? 1 : 0;
  return count;
}

constexpr bool requires_equal(graph const& g, int left, int right) {
  for (auto const& c : g.constraints())
    if (c.kind == condition::equal && c.left == left && c.right == right) return true;
  return false;
}
/// The new value of a state has the extents of those before it.
constexpr void keep_extents_of_states(scan_parts const& parts, graph& body) {
  int input = parts.sequences.size();
  for (int tape = 0; tape < parts.tapes.size(); ++tape)
    for (int k = 0; k < parts.tapes[tape].taps.size(); ++k, ++input)
      for (int d = 0; d < body.type(body.results()[tape]).rank; ++d) {
        int const before = extent_node(body, body.parameters()[input], d),
                  after = extent_node(body, body.results()[tape], d);
        if (before != after && !requires_equal(body, after, before))
          body.constraints().push_back({after, before, identity<op::scan>(), condition::equal});
      }
}

/// Converts operands, and what a step makes of states, to the element types of the parameters of
/// the body: what has been computed with numbers of 16 bits is of float32.
constexpr void match_elements(graph& g, scan_parts& parts, graph& inner) {
  int next = 0;
  auto const match = [&](int& operand) {
    element const e = inner.type(inner.parameters()[next++]).element;
    operand = g.store(operand, e);
    return e;
  };
  for (int& s : parts.sequences) match(s);
  for (int t = 0; t < parts.tapes.size(); ++t)
    for (int k = 0; k < parts.tapes[t].taps.size(); ++k)
      inner.results()[t] = inner.store(inner.results()[t], match(parts.tapes[t].start));
  for (int& c : parts.constants) match(c);
}

/// Records the node, and finds the conditions of the body. -1 if the body is in error.
constexpr int record_scan(graph& g, scan_parts parts, graph inner) {
  match_elements(g, parts, inner);
  keep_extents_of_states(parts, inner);
  collect_constraints(inner);
  long long backwards = 0;
  for (int t = 0; t < parts.tapes.size(); ++t)
    if (parts.tapes[t].backwards) backwards |= 1LL << t;
  list<long long> attributes{g.intern(body(inner)), parts.truncate, parts.counted ? 1 : 0,
                             parts.stops ? 1 : 0, parts.repeats ? 1 : 0,
                             parts.unrolled, parts.snapshots, backwards,
                             parts.sequences.size()};
  for (int kind = 0; kind < tape_kinds; ++kind)
    attributes.push_back(count_of(parts, static_cast<tape_kind>(kind)));
  attributes.push_back(parts.constants.size());
  list<int> operands{parts.steps};
  for (int s : parts.sequences) operands.push_back(s);
  for (scan_tape const& tape : parts.tapes) {
    operands.push_back(tape.kind == tape_kind::nit_sot ? parts.steps : tape.start);
    if (tape.kind != tape_kind::mit_sot) continue;
    attributes.push_back(tape.taps.size());
    for (int t : tape.taps) attributes.push_back(t);
  }
  for (int c : parts.constants) operands.push_back(c);
  for (int e : parts.extents) operands.push_back(e);
  for (int r : parts.required) operands.push_back(r);
  if (!g.error().empty()) return -1;
  return g.add(identity<op::scan>(), op::scan::type({&g, operands, attributes}, 0), operands,
               attributes);
}

/// Whether a scan has conditions among its operands.
constexpr bool has_conditions(graph const& g, int id) {
  scan_layout const at = layout_of(g, id);
  return end_of_extents(at, g.body(at.address())) < g[id].input_count;
}
/// The parts of a node.
constexpr scan_parts scan_parts_of(graph const& g, int id) {
  scan_layout const at = layout_of(g, id);
  scan_parts parts;
  parts.steps = g.input_of(id, at.steps_operand);
  parts.counted = at.all[at.counted] != 0;
  parts.stops = at.stops();
  parts.repeats = at.repeats();
  parts.unrolled = at.all[at.unrolled];
  parts.truncate = at.all[at.truncate];
  parts.snapshots = at.snapshots();
  for (int i = 0; i < at.sequences(); ++i)
    parts.sequences.push_back(g.input_of(id, at.sequence_operand(i)));
  for (int t = 0; t < at.tapes(); ++t) {
    scan_tape tape{at.kind(t)};
    tape.backwards = at.is_backwards(t);
    if (t < at.states()) tape.start = g.input_of(id, at.tape_operand(t));
    for (int k = 0; k < at.taps(t); ++k) tape.taps.push_back(at.tap(t, k));
    parts.tapes.push_back(tape);
  }
  for (int i = 0; i < at.non_sequences(); ++i)
    parts.constants.push_back(g.input_of(id, at.non_sequence_operand(i)));
  int const end = end_of_extents(at, g.body(at.address()));
  for (int i = at.first_extent_operand(); i < end; ++i) parts.extents.push_back(g.input_of(id, i));
  for (int i = end; i < g[id].input_count; ++i) parts.required.push_back(g.input_of(id, i));
  return parts;
}

/// Whether a node computes a product, or is an op with a function of its own: too much to be done
/// again in each step.
constexpr bool is_expensive(graph const& g, int id) {
  op_info const& op = *g[id].op;
  bool const is_part = g.is<op::item>(id) || g.is<op::extent_of>(id) || g.is<op::alloc>(id) ||
                       g.is<op::input>(id) || g.is_literal(id);
  bool const is_of_exponentials =
      g.is<op::softmax>(id) || g.is<op::log_softmax>(id) || g.is<op::logsumexp>(id) ||
      g.is<op::largest_exponent>(id) || g.is<op::relative_sum>(id);
  return !op.elementwise && !op.reduction && !is_of_exponentials && !is_part && !is_view(op.step) &&
         op.step != step_kind::inc_subtensor && op.step != step_kind::set_subtensor;
}

/// The nodes that a graph needs whatever branch an ifelse in it takes.
constexpr list<bool> always_needed(graph const& g) {
  list<bool> needed(g.size());
  for (int id : g.results()) needed[id] = true;
  for (auto const& u : g.updates()) needed[u.value] = true;
  for (auto const& c : g.constraints()) needed[c.left] = needed[c.right] = true;
  for (int id = g.size() - 1; id >= 0; --id)
    for (int k = 0; needed[id] && k < (g.is<op::ifelse>(id) ? 1 : g[id].input_count); ++k)
      needed[g.input_of(id, k)] = true;
  return needed;
}

/// What an int64 scalar of a body is outside of it, where it follows from extents and from
/// non-sequences; -1 where it depends on elements or states.
class outer_scalars {
 public:
  constexpr outer_scalars(graph& g, int id) : g_(g), id_(id), at_(layout_of(g, id)) {}

  constexpr int find(graph& body, int inner) {
    if (body.is_literal(inner))
      return g_.literal_of_bits(body.literal_bits(inner), body.type(inner).element);
    bool const is_extent = body.is<op::extent_of>(inner);
    int const of = is_extent ? body.input_of(inner, 0) : inner;
    for (int p = 0; p < body.parameters().size(); ++p) {
      if (body.parameters()[p] != of) continue;
      outer_operand const from = operand_of_input(at_, p);
      int const operand = g_.input_of(id_, from.operand);
      if (is_extent)
        return extent_node(g_, operand, static_cast<int>(body.attribute(inner, 0)) + from.axes);
      return p >= at_.non_sequence_input(0) ? operand : -1;
    }
    if (is_extent) {
      int const same = extent_node(body, of, static_cast<int>(body.attribute(inner, 0)));
      return same == inner ? -1 : find(body, same);
    }
    if (body[inner].op->is_serial) return -1;
    list<int> inputs;
    bool known = true;
    for (int k = 0; k < body[inner].input_count; ++k) {
      int const in = body.input_of(inner, k);
      int const outside = known ? find(body, in) : -1;
      known = known && outside >= 0;
      inputs.push_back(outside);
    }
    return known ? g_.apply(body[inner].op, inputs, body.attributes(inner)) : -1;
  }

 private:
  graph& g_;
  int id_;
  scan_layout at_;
};

}  // namespace kroton::ops
