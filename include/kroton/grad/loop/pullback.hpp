// The pullback of a scan: another scan, which goes back through the steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/loop/arrays.hpp>
#include <kroton/grad/loop/conditions.hpp>
#include <kroton/grad/loop/reached.hpp>
#include <kroton/grad/loop/residuals.hpp>
#include <kroton/grad/loop/snapshots.hpp>
#include <kroton/grad/sweep.hpp>
#include <kroton/ops/loop/history.hpp>

namespace kroton::calculus {

constexpr list<int> pull_back_leaf(graph& g, int id, list<int> const& given,
                                   list<bool> const& wanted);

/// Makes the reverse scan of one node. Its states are the gradients of states that steps before the
/// current one have made, and the sums of what the steps give for each constant; its outputs are
/// the gradients of sequence elements. It reads what the forward scan has computed and stored, and
/// computes only what is cheap again.
class scan_pullback {
 public:
  /// `given` are the gradients of the outputs or -1; `wanted` says for which operands there will be
  /// one. Of a scan that is `unread`, nothing but the reverse scan will read a value.
  constexpr scan_pullback(graph& g, int id, list<int> const& given, list<bool> const& wanted,
                          body_pullback inner, bool unread = false)
      : g_(g),
        id_(id),
        given_(given),
        wanted_(wanted),
        parts_(scan_parts_of(g, id)),
        at_(layout_of(g, id)),
        body_(with_parts_of_softmax(g.body(at_.address()))),
        work_(body_),
        inner_(inner),
        unread_(unread),
        steps_(steps_done(g, id)) {
    for (int& of : given_) of = rows_done(of);
  }

  /// The gradients of the operands, or -1.
  constexpr list<int> run() {
    list<int> gradients(g_[id_].input_count, -1);
    active_ = tapes_reached(body_, at_, given_);
    sweep_body();
    collect_results();
    if (results_.empty()) return gradients;
    list<int> wanted;
    for (reverse_result const& r : results_) wanted.push_back(r.node);
    list<int> const same_extents = leaves_of_extents();
    residuals const stored(g_, id_, work_, body_, wanted, same_extents);
    if (parts_.snapshots > 0 && parts_.truncate < 0 && at_.states() > 0)
      return by_snapshots(stored);
    store(stored);
    require_operands(g_, id_);
    // A graph in error gets no more scans.
    if (forward_ >= 0) record(stored, same_extents);
    if (reverse_ >= 0) give(gradients);
    return gradients;
  }

 private:
  constexpr bool is_state(int tape) const { return tape < at_.states(); }
  // The gradient of the rows that a loop has stored before it stopped: all that is read of a stack
  // are these rows, see result_of_scan.
  constexpr int rows_done(int of) const {
    bool const is_part = at_.stops() && of >= 0 && g_.is<op::inc_subtensor>(of) &&
                         g_[of].input_count == 4 && g_.input_of(of, 3) == steps_.id;
    return is_part ? g_.input_of(of, 1) : of;
  }
  constexpr int tap_node(int tape, int k) const {
    return body_.parameters()[at_.tap_input(tape, k)];
  }
  constexpr bool is_differentiable(int node) const {
    return is_continuous(body_.type(node).element);
  }

  // A new parameter of the reverse body. Gradients are not rounded to 16 bits from step to step.
  constexpr int fresh(tensor_type type) {
    type.element = computed_as(type.element);
    return work_.input(type, work_.parameters().size());
  }
  // The gradients of the parameters of the body, in `work_`, from those of its results: what is
  // given from outside and, of a state, what later steps have given.
  constexpr void sweep_body() {
    list<int> seeds(at_.tapes(), -1);
    pending_ = list<list<int>>(at_.tapes(), list<int>{});
    given_in_ = list<int>(at_.tapes(), -1);
    for (int tape = 0; tape < at_.tapes(); ++tape) {
      if (!active_[tape]) continue;
      int const result = body_.results()[tape];
      for (int q = 0; q < at_.reach(tape); ++q)
        pending_[tape].push_back(fresh(work_.type(tap_node(tape, 0))));
      if (given_[tape] >= 0 && !given_at_end(tape).exists())
        given_in_[tape] = fresh(work_.type(result));
      term sum{};
      if (given_in_[tape] >= 0) sum = {&work_, given_in_[tape]};
      if (is_state(tape)) {
        term const later{&work_, pending_[tape][0]};
        sum = sum.exists() ? sum + later : later;
      }
      seeds[tape] = unbroadcast(sum, work_.type(result)).id;
    }
    list<int> wrt;
    for (int p = 0; p < body_.parameters().size(); ++p)
      if (is_wanted(p)) wrt.push_back(body_.parameters()[p]);
    reverse_sweep sweep(work_, inner_);
    for (int tape = 0; tape < at_.tapes(); ++tape)
      if (seeds[tape] >= 0) sweep.seed(body_.results()[tape], seeds[tape]);
    sweep.run(wrt);
    of_input_ = list<int>(body_.parameters().size(), -1);
    for (int p = 0; p < body_.parameters().size(); ++p)
      if (is_wanted(p)) of_input_[p] = sweep.gradient(body_.parameters()[p]);
  }
  constexpr bool is_wanted(int p) const {
    if (!is_differentiable(body_.parameters()[p])) return false;
    int const operand = operand_of_input(at_, p).operand;
    int const tape = operand - at_.tape_operand(0);
    if (tape >= 0 && tape < at_.states()) return active_[tape];
    return wanted_[operand];
  }

  // The results of the reverse body: states first.
  struct reverse_result {
    int node = -1;     // in `work_`
    int start = -1;    // outside; -1 for an output
    int input = -1;    // the parameter of the state, in `work_`
    int operand = -1;  // whose gradient the last value is, or that of each step
    int back = 0;      // of a state's start: which row, counted back from the first step
  };

  constexpr void collect_results() {
    for (int tape = 0; tape < at_.states(); ++tape) collect_pending(tape);
    for (int i = 0; i < at_.non_sequences(); ++i) {
      int const p = at_.non_sequence_input(i), of = of_input_[p];
      if (of < 0) continue;
      int const sum = fresh(work_.type(body_.parameters()[p]));
      term const x{&g_, parts_.constants[i]};
      results_.push_back({(term{&work_, sum} + term{&work_, of}).id,
                          expand_like({&g_, g_.literal(0, x.element())}, x).id, sum,
                          at_.non_sequence_operand(i)});
    }
    for (int i = 0; i < at_.sequences(); ++i)
      if (int const of = of_input_[at_.sequence_input(i)]; of >= 0)
        results_.push_back({of, -1, -1, at_.sequence_operand(i)});
  }
  // After a step, what is pending for the state `q` steps before it is what was pending for one
  // more step back, and what the step gives.
  constexpr void collect_pending(int tape) {
    if (!active_[tape]) return;
    int const reach = at_.reach(tape);
    for (int q = 1; q <= reach; ++q) {
      term next{};
      if (q < reach) next = {&work_, pending_[tape][q]};
      for (int k = 0; k < at_.taps(tape); ++k) {
        int const of = of_input_[at_.tap_input(tape, k)];
        if (at_.tap(tape, k) != -q || of < 0) continue;
        next = next.exists() ? next + term{&work_, of} : term{&work_, of};
      }
      int const input = pending_[tape][q - 1];
      if (!next.exists())
        next = expand_like({&work_, work_.literal(0, work_.type(input).element)}, {&work_, input});
      results_.push_back({next.id, start_of_pending(tape, q), input, at_.tape_operand(tape), q});
    }
  }
  constexpr int start_of_pending(int tape, int q) {
    if (term const last = given_at_end(tape); q == 1 && last.exists()) return last.id;
    term const start{&g_, parts_.tapes[tape].start};
    if (parts_.tapes[tape].kind == tape_kind::mit_sot) return zeros_like_row(start).id;
    return expand_like({&g_, g_.literal(0, start.element())}, start).id;
  }
  // The gradient of the last value, if it is all that is given: of a shared tape it always is, of a
  // stack if only x(-1) was read of it.
  constexpr term given_at_end(int tape) const {
    if (!is_state(tape) || given_[tape] < 0) return {};
    term const given{&g_, given_[tape]};
    return at_.is_shared(tape) ? given
                               : added_at_end(given, extent(result_of_scan(g_, id_, tape), 0));
  }

  // Extents of a state are those of its pending gradient, so that its values need not be passed.
  constexpr list<int> leaves_of_extents() const {
    list<int> same(work_.size(), -1);
    for (int tape = 0; tape < at_.states(); ++tape)
      for (int k = 0; active_[tape] && k < at_.taps(tape); ++k)
        same[tap_node(tape, k)] = pending_[tape][0];
    return same;
  }

  // The forward scan with all states and residuals as results: the node itself if it has them.
  constexpr void store(residuals const& stored) {
    forward_ = id_;
    // The forward scan leaves out the last step where nobody reads what that makes.
    bool const leaves_last = unread_ && !parts_.stops && !stored.reads_results();
    if (stored.stored.empty() && at_.count(tape_kind::shared) == 0 && !leaves_last) return;
    scan_parts parts = parts_;
    if (leaves_last) {
      term const before_last = call<op::maximum>(steps_ - 1, 0);
      parts.steps = before_last.id;
      for (int& of : parts.sequences) of = rows({&g_, of}, integer(g_, 0), before_last).id;
    }
    graph inner = body_;
    for (scan_tape& tape : parts.tapes)
      if (tape.kind == tape_kind::shared) tape.kind = tape_kind::sit_sot;
    if (parts.stops) inner.results().pop_back();
    for (int id : stored.stored) {
      parts.tapes.push_back({});
      inner.results().push_back(id);
    }
    if (parts.stops) inner.results().push_back(body_.results().back());
    for (int e : stored.extents) parts.extents.push_back(e);
    forward_ = record_scan(g_, parts, inner);
  }

  constexpr list<int> by_snapshots(residuals const& stored) {
    require_operands(g_, id_);
    reversal_request asked(g_, id_, active_, steps_, steps_of_leaf(g_, id_, work_, stored));
    for (int tape = 0; tape < at_.tapes(); ++tape)
      if (term const last = given_at_end(tape); active_[tape] && last.exists())
        asked.last[tape] = last.id;
      else if (active_[tape]) asked.rows[tape] = given_[tape];
    for (reverse_result const& r : results_)
      if (r.back == 0) asked.reached[r.operand] = true;
    return snapshot_reversal(g_, parts_, at_, body_, asked, pull_back_leaf).run();
  }

  // The number of steps that the gradient goes back.
  constexpr term reverse_steps() const {
    return parts_.truncate < 0 ? steps_ : call<op::minimum>(steps_, integer(g_, parts_.truncate));
  }
  // Rows of an array, of which `first` belongs to step 0, from the last step back.
  constexpr int backwards(term all, int first = 0) const {
    return rows(all, steps_ - 1 + first, reverse_steps(), -1).id;
  }
  // What a leaf of the reverse body is outside, as a sequence from the last step back.
  constexpr int sequence_of(int leaf, residuals const& stored) {
    for (int tape = 0; tape < at_.tapes(); ++tape)
      if (given_in_[tape] == leaf) return backwards({&g_, given_[tape]});
    for (int i = 0; i < at_.sequences(); ++i)
      if (body_.parameters()[at_.sequence_input(i)] == leaf)
        return backwards({&g_, parts_.sequences[i]});
    for (int tape = 0; tape < at_.states(); ++tape)
      for (int k = 0; k < at_.taps(tape); ++k)
        if (tap_node(tape, k) == leaf) return history(tape, at_.tap(tape, k));
    for (int tape = 0; tape < at_.tapes(); ++tape)
      if (body_.results()[tape] == leaf) return backwards(result_of_scan(g_, forward_, tape));
    int k = 0;
    while (stored.stored[k] != leaf) ++k;
    return backwards(result_of_scan(g_, forward_, at_.tapes() + k));
  }
  // The values of a state before each step: its start, and then what the steps have made.
  constexpr int history(int tape, int tap) {
    term const made = result_of_scan(g_, forward_, tape);
    return backwards(with_start(g_, parts_.tapes[tape], made), at_.reach(tape) + tap);
  }
  constexpr bool is_constant(int leaf) const {
    for (int i = 0; i < at_.non_sequences(); ++i)
      if (body_.parameters()[at_.non_sequence_input(i)] == leaf) return true;
    return false;
  }

  constexpr void record(residuals const& stored, list<int> const& same_extents) {
    scan_parts parts;
    parts.steps = reverse_steps().id;
    parts.unrolled = parts_.unrolled;
    graph body;
    list<int> image(work_.size(), -1);
    auto add_input = [&](int leaf) {
      image[leaf] = body.input(work_.type(leaf), body.parameters().size());
    };
    list<bool> is_state_input(work_.size());
    for (reverse_result const& r : results_)
      if (r.input >= 0) is_state_input[r.input] = true;
    for (int id = 0; id < work_.size(); ++id) {
      if (!stored.needs(id) || !stored.is_leaf(id) || is_state_input[id] || is_constant(id))
        continue;
      add_input(id);
      parts.sequences.push_back(sequence_of(id, stored));
    }
    for (reverse_result const& r : results_) {
      if (r.input >= 0) {
        add_input(r.input);
        parts.tapes.push_back({tape_kind::shared, list<int>{-1}, r.start});
      } else {
        parts.tapes.push_back({});
        term const x{&g_, g_.input_of(id_, r.operand)};
        for (int d = 1; d < x.rank(); ++d) parts.extents.push_back(extent(x, d).id);
      }
    }
    for (int i = 0; i < at_.non_sequences(); ++i) {
      int const leaf = body_.parameters()[at_.non_sequence_input(i)];
      if (!stored.needs(leaf)) continue;
      add_input(leaf);
      parts.constants.push_back(parts_.constants[i]);
    }
    copy(body, image, stored, same_extents);
    for (reverse_result const& r : results_) body.results().push_back(image[r.node]);
    copy_conditions(work_, body_.constraints().size(), body, image);
    if (!work_.error().empty()) g_.fail(work_.error());
    reverse_ = record_scan(g_, parts, body);
  }
  constexpr void copy(graph& to, list<int>& image, residuals const& stored,
                      list<int> const& same_extents) const {
    to.share_bodies(work_);
    list<int> inputs;
    for (int id = 0; id < work_.size(); ++id) {
      if (!stored.needs(id) || image[id] >= 0) continue;
      if (stored.has_parts(id)) {
        softmax_parts const& of = stored.parts(id);
        image[id] = softmax_of_parts(to, image[stored.form(id).of],
                                     {image[of.largest], image[of.sum]}, stored.form(id).axes);
        continue;
      }
      inputs.clear();
      for (int in : work_.inputs(id)) {
        bool const is_other = work_.is<op::extent_of>(id) && same_extents[in] >= 0;
        inputs.push_back(image[is_other ? same_extents[in] : in]);
      }
      image[id] = to.add(work_[id].op, work_.type(id), inputs, work_.attributes(id));
    }
  }

  // From the results of the reverse scan to the gradients of the operands.
  constexpr void give(list<int>& gradients) {
    for (int k = 0; k < results_.size(); ++k) {
      reverse_result const& r = results_[k];
      if (!wanted_[r.operand]) continue;
      term const made = output_of({&g_, reverse_}, k);
      if (r.start < 0) gradients[r.operand] = of_sequence(made, r.operand).id;
      else if (r.back == 0) gradients[r.operand] = made.id;
      else if (r.back == 1) gradients[r.operand] = of_start(k).id;
    }
  }
  // Elements that the loop did not reach, or the gradient did not, have the gradient 0.
  constexpr term of_sequence(term made, int operand) const {
    term const x{&g_, g_.input_of(id_, operand)}, n = reverse_steps();
    term const forward = rows(made, n - 1, n, -1);
    bool const whole = !parts_.counted && !parts_.stops && parts_.sequences.size() == 1;
    if (whole && parts_.truncate < 0) return forward;
    return rows_in_zeros(x, forward, steps_ - n, n);
  }
  // The gradient of a start, whose first result has number k. It is 0 if the gradient does not go
  // back to the first step.
  constexpr term of_start(int k) const {
    int const tape = results_[k].operand - at_.tape_operand(0), reach = at_.reach(tape);
    term const start{&g_, parts_.tapes[tape].start};
    term all{};
    if (parts_.tapes[tape].kind == tape_kind::mit_sot) {
      list<term> parts;
      for (int q = reach; q >= 1; --q)
        parts.push_back(as_row(output_of({&g_, reverse_}, k + q - 1)));
      all = parts.size() == 1 ? parts[0] : join(parts, 0);
      all = rows_in_zeros(start, all, integer(g_, 0), integer(g_, reach));
    } else {
      all = output_of({&g_, reverse_}, k);
    }
    if (parts_.truncate < 0) return all;
    return call<op::where>(call<op::eq>(reverse_steps(), steps_), all,
                           term{&g_, g_.literal(0, start.element())});
  }

  graph& g_;
  int id_;
  list<int> given_;
  list<bool> const& wanted_;
  scan_parts parts_;
  scan_layout at_;
  graph const body_;
  graph work_;
  body_pullback inner_;
  bool unread_;
  term steps_;
  list<bool> active_{};
  list<list<int>> pending_{};
  list<int> given_in_{}, of_input_{};
  list<reverse_result> results_{};
  int forward_ = -1, reverse_ = -1;
};

/// The gradients of the operands of a scan.
constexpr list<int> pulled_back(graph& g, int id, list<int> const& given,
                                list<bool> const& wanted, body_pullback inner, bool unread) {
  if (array_pullback arrays(g, id, given, wanted); arrays.find()) return arrays.run(inner);
  return scan_pullback(g, id, given, wanted, inner, unread).run();
}
constexpr list<int> pull_back_scan(graph& g, int id, list<int> const& given,
                                   list<bool> const& wanted) {
  return pulled_back(g, id, given, wanted, &pull_back_scan, false);
}
/// The same of a scan of which nothing else reads a value.
constexpr list<int> pull_back_leaf(graph& g, int id, list<int> const& given,
                                   list<bool> const& wanted) {
  return pulled_back(g, id, given, wanted, &pull_back_scan, true);
}

}  // namespace kroton::calculus
