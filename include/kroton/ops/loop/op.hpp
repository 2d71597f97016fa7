// scan: a loop as one node, whose step is a graph of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/layout.hpp>
#include <kroton/ops/shapes/extents.hpp>

namespace kroton {
namespace ops {

/// The source of an int64 scalar of a scan's body as seen from outside: a literal 1, an extent or
/// the value of an operand. False for what is computed inside.
constexpr bool outer_source(scan_layout const& at, graph const& body, int id,
                            extent_source& source) {
  if (body.is_literal(id)) {
    source.by.plus = body.literal_bits(id) - 1;
    return true;
  }
  bool const is_extent = body.is<op::extent_of>(id);
  int const of = is_extent ? body.input_of(id, 0) : id;
  for (int p = 0; p < body.parameters().size(); ++p) {
    if (body.parameters()[p] != of) continue;
    outer_operand const from = operand_of_input(at, p);
    source.input = from.operand;
    if (!is_extent && from.axes > 0) return false;  // an element
    source.from = is_extent ? extent_source::dimension : extent_source::value;
    if (is_extent) source.axis = static_cast<int>(body.attribute(id, 0)) + from.axes;
    return is_extent || p >= at.non_sequence_input(0);
  }
  return false;
}

/// The position behind the extents of rows among the operands.
constexpr int end_of_extents(scan_layout const& at, graph const& body) {
  int end = at.first_extent_operand();
  for (int t = at.states(); t < at.tapes(); ++t) end += body.type(body.results()[t]).rank;
  return end;
}

}  // namespace ops

namespace op {

/// Runs its body a number of times, each on the next element of its sequences and on what earlier
/// steps have made of its states. The results are stacked along a new leading axis, those of states
/// without their starts. See ops/loop/layout.hpp for operands and attributes. (theano.scan)
struct scan : operation<"scan", -1> {
  static constexpr bool takes_complex = true, is_holomorphic = false, has_body = true;
  static constexpr auto step = core::step_kind::scan;
  static constexpr core::pullback_of_body pullback{};

  static constexpr int outputs(core::application const& a) {
    return ops::scan_layout(a.attributes).results();
  }
  static constexpr tensor_type type(core::application const& a, int tape) {
    ops::scan_layout const at(a.attributes);
    if (tape == at.tapes()) return {element::int64, 0, 0};
    graph const& body = a.of->body(at.address());
    tensor_type t = body.type(body.results()[tape]);
    if (!at.is_stack(tape)) return t;
    ++t.rank;
    t.broadcast <<= 1;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d, int tape) {
    using source = core::extent_source;
    ops::scan_layout const at(a.attributes);
    int const start = at.tape_operand(tape);
    if (at.is_shared(tape)) return {source::dimension, start, d};
    if (d == 0) return {source::value, at.steps_operand, 0};
    if (tape < at.states())
      return {source::dimension, start, at.kind(tape) == ops::tape_kind::mit_sot ? d : d - 1};
    graph const& body = a.of->body(at.address());
    int operand = at.first_extent_operand() + d - 1;
    for (int t = at.states(); t < tape; ++t) operand += body.type(body.results()[t]).rank;
    return {source::value, operand, 0};
  }
  /// How many steps a condition lets a loop do is known when it stops.
  static constexpr bool grows(core::application const& a, int tape) {
    ops::scan_layout const at(a.attributes);
    return at.stops() && at.is_stack(tape);
  }
  /// Sequences and starts are long enough, and what the body requires of its parameters holds. What
  /// it requires of what it computes is checked in its first step.
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    using source = core::extent_source;
    using core::condition;
    ops::scan_layout const at(a.attributes);
    source const steps{source::value, at.steps_operand, 0};
    // A note says which parameter of the body reads a sequence; 0: it is a start.
    auto require = [&](source extent, source least, int parameter) {
      pairs.push_back({extent, least, condition::at_least});
      source number{};
      number.by.plus = parameter - 1;
      pairs.push_back({number, {source::one}, condition::note});
    };
    if (at.all[at.counted] != 0) {
      pairs.push_back({steps, {source::zero, 0, 0}, condition::at_least});
      for (int i = 0; i < at.sequences(); ++i)
        require({source::dimension, at.sequence_operand(i), 0}, steps, i + 1);
    }
    graph const& body = a.of->body(at.address());
    for (int i = ops::end_of_extents(at, body); i < a.count(); i += 3) {
      int const reader = a.inputs.first[i + 2];
      pairs.push_back({{source::value, i, 0}, {source::value, i + 1, 0}, condition::at_least});
      if (a.of->literal_bits(reader) >= 0)
        pairs.push_back({{source::value, i + 2, 0}, {source::one}, condition::note});
    }
    for (int tape = 0; tape < at.count(ops::tape_kind::mit_sot); ++tape) {
      source rows{};
      rows.by.plus = at.reach(tape) - 1;
      require({source::dimension, at.tape_operand(tape), 0}, rows, 0);
    }
    for (auto const& c : body.constraints()) {
      core::extent_pair pair{{}, {}, c.kind};
      if (c.kind == condition::equal && ops::outer_source(at, body, c.left, pair.left) &&
          ops::outer_source(at, body, c.right, pair.right))
        pairs.push_back(pair);
    }
  }
};

}  // namespace op
}  // namespace kroton
