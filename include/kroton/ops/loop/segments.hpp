// A loop in segments: a loop over them, around the loop over the steps of one. Its gradient stores
// the states between segments, and computes those within a segment again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/history.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton {
namespace op {

/// The rows of all steps, from those of segments and those of the rest, whose last one is known:
/// readers of it alone do not need the others. Operands: the number of rows, the rows of segments,
/// the others, the last one.
struct stacked : operation<"stacked", -1> {
  static constexpr bool takes_stored = true;
  static constexpr bool takes_complex = true, has_body = false;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(1);
    t.broadcast &= a.input(2).broadcast & ~1u;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (d == 0) return {core::extent_source::value, 0, 0};
    return {core::extent_source::dimension, a.input(1).broadcasts(d) ? 2 : 1, d};
  }
  static constexpr void write_out(graph& g, core::application const& a,
                                  core::list<int>& outputs) {
    outputs.push_back(g.apply<op::join>({a.inputs.first[0], a.inputs.first[1], a.inputs.first[2]},
                                        {0}));
  }
  static constexpr core::any_gradients pullback(term g, term y) {
    core::any_gradients result;
    result.terms = core::list<term>(4, term{});
    term const count{y.of, y.of->input_of(y.id, 0)}, first{y.of, y.of->input_of(y.id, 1)};
    term const last = ops::added_at_end(g, ops::extent(y, 0)), begin = ops::extent(first, 0);
    if (last.exists()) {
      result.terms[3] = last;
    } else {
      result.terms[1] = ops::rows(g, ops::integer(*y.of, 0), begin);
      result.terms[2] = ops::rows(g, begin, count - begin);
    }
    return result;
  }
};

}  // namespace op

namespace ops {

/// Records a scan in segments of `length` steps, and the rest of its steps as a scan behind them.
class segmented_scan {
 public:
  constexpr segmented_scan(graph& g, scan_parts const& parts, graph const& body, term length)
      : g_(g), parts_(parts), body_(body), length_(length), steps_{&g, parts.steps} {
    count_ = call<op::floordiv>(steps_, length_);
    done_ = count_ * length_;
  }

  /// The results of all steps, in the order of the tapes; none if the graph is in error.
  constexpr list<term> record() {
    list<term> results;
    segments_ = record_segments();
    if (segments_ >= 0) rest_ = record_rest();
    if (rest_ < 0) return results;
    for (int t = 0; t < tapes(); ++t) results.push_back(result(t));
    return results;
  }

 private:
  constexpr int tapes() const { return parts_.tapes.size(); }
  constexpr tape_kind kind(int tape) const { return parts_.tapes[tape].kind; }
  constexpr bool is_state(int tape) const { return kind(tape) != tape_kind::nit_sot; }
  constexpr bool is_stack(int tape) const { return kind(tape) != tape_kind::shared; }
  // The number of tapes before this one for which a test holds.
  template <class Test>
  constexpr int count_before(int tape, Test test) const {
    int count = 0;
    for (int t = 0; t < tape; ++t) count += test(t) ? 1 : 0;
    return count;
  }
  constexpr int states() const {
    return count_before(tapes(), [&](int t) { return is_state(t); });
  }
  // The result of the loop over segments that holds the stacks of a tape.
  constexpr int stack_number(int tape) const {
    return states() + count_before(tape, [&](int t) { return is_stack(t); });
  }
  constexpr int reach(int tape) const { return parts_.tapes[tape].reach(); }
  // The extents of one row of a stack, nodes of the graph outside.
  constexpr list<int> extents_of_row(int tape) const {
    list<int> extents;
    int const rank = body_.type(body_.results()[tape]).rank;
    int const first = count_before_extents(tape);
    for (int d = 0; d < rank; ++d)
      extents.push_back(is_state(tape) ? extent_node(g_, parts_.tapes[tape].start,
                                                     kind(tape) == tape_kind::mit_sot ? d + 1 : d)
                                       : parts_.extents[first + d]);
    return extents;
  }
  constexpr int count_before_extents(int tape) const {
    int count = 0;
    for (int t = 0; t < tape; ++t)
      if (!is_state(t)) count += body_.type(body_.results()[t]).rank;
    return count;
  }

  // What a state is between segments: the rows that the next step reads.
  constexpr int start(int tape) const {
    scan_tape const& of = parts_.tapes[tape];
    return of.kind == tape_kind::mit_sot ? rows_of_start(g_, of).id : of.start;
  }
  // The rows of a sequence, or of a gradient of one, segment by segment.
  constexpr int by_segments(int sequence) const {
    term const all{&g_, sequence};
    list<term> extents{count_, length_};
    for (int d = 1; d < all.rank(); ++d) extents.push_back(extent(all, d));
    return reshape(rows(all, integer(g_, 0), done_), extents).id;
  }
  constexpr term in_one_axis(term stacks) const {
    list<term> extents{done_};
    for (int d = 2; d < stacks.rank(); ++d) extents.push_back(extent(stacks, d));
    return reshape(stacks, extents);
  }

  constexpr int record_segments() {
    scan_parts parts;
    parts.steps = count_.id;
    parts.repeats = true;
    graph body;
    body.share_bodies(g_);
    auto add = [&](tensor_type const& type) { return body.input(type, body.parameters().size()); };
    auto add_constant = [&](int operand) {
      if (g_.is_literal(operand))
        return body.literal_of_bits(g_.literal_bits(operand), g_.type(operand).element);
      parts.constants.push_back(operand);
      return add(g_.type(operand));
    };
    scan_parts inner = parts_;
    inner.counted = false;
    for (int& s : inner.sequences) {
      parts.sequences.push_back(by_segments(s));
      tensor_type const type = g_.type(parts.sequences.back());
      s = add({type.element, static_cast<std::uint8_t>(type.rank - 1), type.broadcast >> 1});
    }
    for (int t = 0; t < tapes(); ++t) {
      if (!is_state(t)) continue;
      parts.tapes.push_back({tape_kind::shared, list<int>{-1}, start(t)});
      inner.tapes[t].start = add(g_.type(parts.tapes.back().start));
    }
    inner.steps = add_constant(length_.id);
    for (int& c : inner.constants) c = add_constant(c);
    for (int& e : inner.extents) e = add_constant(e);
    int const loop = record_scan(body, inner, body_);
    list<int> stacks;
    for (int t = 0; loop >= 0 && t < tapes(); ++t) {
      term const made = output_of({&body, loop}, t);
      if (is_state(t)) body.results().push_back(state_after(t, made, inner).id);
      if (!is_stack(t)) continue;
      stacks.push_back(made.id);
      parts.tapes.push_back({});
      parts.extents.push_back(length_.id);
      for (int e : extents_of_row(t)) parts.extents.push_back(e);
    }
    for (int s : stacks) body.results().push_back(s);
    if (!body.error().empty()) g_.fail(body.error());
    parts.required = required();
    return record_scan(g_, parts, body);
  }
  // The state that a segment of at least one step leaves.
  constexpr term state_after(int tape, term made, scan_parts const& inner) const {
    graph& g = *made.of;
    term const steps{&g, inner.steps};
    if (kind(tape) == tape_kind::shared) return made;
    // As a user reads it, which is how gradients of a last value are recognized
    if (kind(tape) == tape_kind::sit_sot) return row_at(made, integer(g, -1) + extent(made, 0));
    return rows(join(list<term>{{&g, inner.tapes[tape].start}, made}, 0), steps,
                integer(g, reach(tape)));
  }
  // What the loop that is divided requires of its operands.
  constexpr list<int> required() const {
    list<int> all;
    auto require = [&](term rows, term least, int reader) {
      for (term const& t : {rows, least, integer(g_, reader)}) all.push_back(t.id);
    };
    if (parts_.counted) {
      require(steps_, integer(g_, 0), -1);
      for (int i = 0; i < parts_.sequences.size(); ++i)
        require(extent({&g_, parts_.sequences[i]}, 0), steps_, i + 1);
    }
    for (int t = 0; t < tapes(); ++t)
      if (kind(t) == tape_kind::mit_sot)
        require(extent({&g_, parts_.tapes[t].start}, 0), integer(g_, reach(t)), 0);
    return all;
  }

  // The rest may have no steps: the last values are states of their own.
  constexpr int record_rest() {
    scan_parts parts = parts_;
    graph body = body_;
    term const count = steps_ - done_;
    parts.steps = count.id;
    parts.counted = false;
    for (int& s : parts.sequences) s = rows({&g_, s}, done_, count).id;
    for (int t = 0; t < tapes(); ++t) {
      if (!is_state(t)) continue;
      parts.tapes[t].start = output_of({&g_, segments_}, t).id;
      if (kind(t) != tape_kind::sit_sot) continue;
      parts.tapes[t].kind = tape_kind::shared;
      parts.tapes.push_back({});
      body.results().push_back(body.results()[t]);
      for (int e : extents_of_row(t)) parts.extents.push_back(e);
    }
    return record_scan(g_, parts, body);
  }

  constexpr term result(int tape) const {
    term const made = output_of({&g_, rest_}, tape);
    if (!is_stack(tape)) return made;
    term const first = in_one_axis(output_of({&g_, segments_}, stack_number(tape)));
    if (!is_state(tape)) return join(list<term>{first, made}, 0);
    if (kind(tape) == tape_kind::sit_sot) {
      int const stack =
          tapes() + count_before(tape, [&](int t) { return kind(t) == tape_kind::sit_sot; });
      return stack_of(first, output_of({&g_, rest_}, stack), made);
    }
    term const start = output_of({&g_, segments_}, tape), count = steps_ - done_;
    term const all = join(list<term>{start, made}, 0);
    return stack_of(first, made, row_at(all, count + (reach(tape) - 1)));
  }
  constexpr term stack_of(term first, term rest, term last) const {
    return {&g_, g_.apply<op::stacked>({steps_.id, first.id, rest.id, last.id})};
  }

  graph& g_;
  scan_parts const& parts_;
  graph const& body_;
  term length_, steps_, count_{}, done_{};
  int segments_ = -1, rest_ = -1;
};

/// The length of segments with which as many states are stored between as within them.
constexpr term root_of_steps(term steps) {
  graph& g = *steps.of;
  term const real{&g, g.cast(steps.id, element::float64)};
  term const root = call<op::ceil>(call<op::sqrt>(call<op::maximum>(real, 1)));
  return {&g, g.cast(root.id, element::int64)};
}

}  // namespace ops
}  // namespace kroton
