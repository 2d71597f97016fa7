// The gradient of a scan that keeps few snapshots of its states: a loop that takes snapshots on its
// way to the last steps, reverses these, and goes back to the snapshot before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/loop/schedule.hpp>
#include <kroton/grad/sweep.hpp>
#include <kroton/ops/loop/rows.hpp>

namespace kroton::calculus {

/// What is asked of the gradient of a scan.
struct reversal_request {
  constexpr reversal_request(graph const& g, int id, list<bool> const& states, term done,
                             term at_once)
      : rows(layout_of(g, id).tapes(), -1),
        last(rows),
        active(states),
        reached(g[id].input_count),
        steps(done),
        leaf(at_once) {}

  list<int> rows, last;  // of each tape, the gradients of its rows and of its last value, or -1
  list<bool> active;     // tapes that a gradient reaches
  list<bool> reached;    // operands other than starts that have a gradient
  term steps, leaf;      // how many were done, and how many are reversed at once
};

/// Records the loop over actions. An action goes on from the last snapshot. If what is left behind
/// it is no longer than a leaf, it reverses that; otherwise it takes another snapshot. All states
/// are rows of their own, one for each step back that the loop reads.
class snapshot_reversal {
 public:
  constexpr snapshot_reversal(graph& g, scan_parts const& parts, scan_layout const& at,
                              graph const& body, reversal_request const& asked,
                              body_pullback inner)
      : g_(g), parts_(parts), at_(at), body_(body), asked_(asked), inner_(inner) {
    work_.share_bodies(g);
  }

  /// The gradients of the operands, or -1.
  constexpr list<int> run() {
    term const leaves = call<op::floordiv>(asked_.steps + (asked_.leaf - 1), asked_.leaf);
    places_ = call<op::maximum>(call<op::minimum>(leaves, integer(g_, parts_.snapshots)), 1);
    add_states();
    add_constants();
    act();
    list<int> gradients(asked_.reached.size(), -1);
    if (!work_.error().empty()) g_.fail(work_.error());
    if (!g_.error().empty()) return gradients;
    loop_ = record_scan(g_, outer_, work_);
    if (loop_ >= 0) give(gradients);
    return gradients;
  }

 private:
  /// A row of a state: the number of its tape, and how many steps back it is.
  struct cell {
    int tape = 0, back = 1;
    term snapshots{}, pending{};  // in `work_`; pending only where a gradient reaches it
    int result = -1;              // the number of the state that is pending
  };
  /// What is summed up for a constant or filled in for a sequence.
  struct gathered {
    int number = 0, operand = 0;
    term state{};
    int result = -1;
  };

  // ---- states and constants of the loop over actions
  constexpr int states() const { return outer_.tapes.size(); }
  constexpr term add_state(term start, std::uint32_t broadcast) {
    outer_.tapes.push_back({tape_kind::shared, list<int>{-1}, start.id});
    tensor_type type = start.type();
    type.broadcast = broadcast;
    return {&work_, work_.input(type, work_.parameters().size())};
  }
  constexpr term add_state(term start) { return add_state(start, start.type().broadcast); }
  // Gradients are not rounded to 16 bits from step to step.
  constexpr term add_gradient(term start) {
    return add_state({&g_, g_.cast(start.id, computed_as(start.element()))});
  }
  constexpr term add_constant(int operand) {
    if (g_.is_literal(operand))
      return {&work_, work_.literal_of_bits(g_.literal_bits(operand), g_.type(operand).element)};
    outer_.constants.push_back(operand);
    return {&work_, work_.input(g_.type(operand), work_.parameters().size())};
  }
  constexpr term start_of(cell const& c) const {
    term const given{&g_, parts_.tapes[c.tape].start};
    return parts_.tapes[c.tape].kind == tape_kind::mit_sot
               ? row_at(given, integer(g_, at_.reach(c.tape) - c.back))
               : given;
  }
  // Room for snapshots, of which the start is the first.
  constexpr term first_snapshot(term start) const {
    list<term> extents{places_};
    for (int d = 0; d < start.rank(); ++d) extents.push_back(extent(start, d));
    term const zero{&g_, g_.literal(0, start.element())};
    return with_rows(alloc(zero, extents), as_row(start), integer(g_, 0), integer(g_, 1));
  }
  constexpr term first_pending(cell const& c) const {
    if (c.back == 1 && asked_.last[c.tape] >= 0) return {&g_, asked_.last[c.tape]};
    term const start = start_of(c);
    return expand_like({&g_, g_.literal(0, start.element())}, start);
  }
  constexpr void add_states() {
    term const zero = integer(g_, 0);
    begins_ = add_state(alloc(zero, list<term>{places_}));
    last_ = add_state(zero);
    end_ = add_state(asked_.steps);
    for (int tape = 0; tape < at_.states(); ++tape)
      for (int back = 1; back <= at_.reach(tape); ++back) {
        cells_.push_back({tape, back});
        cell& c = cells_.back();
        term const start = start_of(c);
        c.snapshots = add_state(first_snapshot(start), start.type().broadcast << 1);
        if (!asked_.active[tape]) continue;
        c.result = states();
        c.pending = add_gradient(first_pending(c));
      }
    for (int i = 0; i < at_.non_sequences(); ++i)
      gather(constants_, i, at_.non_sequence_operand(i), parts_.constants[i]);
    for (int i = 0; i < at_.sequences(); ++i)
      gather(sequences_, i, at_.sequence_operand(i), parts_.sequences[i]);
  }
  constexpr void gather(list<gathered>& all, int number, int operand, int of) {
    if (!asked_.reached[operand]) return;
    int const result = states();
    term const x{&g_, of}, zeros = expand_like({&g_, g_.literal(0, x.element())}, x);
    all.push_back({number, operand, add_gradient(zeros), result});
  }
  constexpr void add_constants() {
    leaf_ = add_constant(asked_.leaf.id);
    room_ = add_constant(places_.id);
    for (int s : parts_.sequences) of_sequence_.push_back(add_constant(s));
    for (int c : parts_.constants) of_constant_.push_back(add_constant(c));
    int next = 0;
    for (int tape = 0; tape < at_.tapes(); ++tape) {
      rows_.push_back(asked_.rows[tape] >= 0 ? add_constant(asked_.rows[tape]) : term{});
      extents_.push_back(list<term>{});
      if (tape < at_.states()) continue;
      int const rank = body_.type(body_.results()[tape]).rank;
      for (int d = 0; d < rank; ++d, ++next)
        if (rows_[tape].exists()) extents_[tape].push_back(add_constant(parts_.extents[next]));
    }
  }

  // ---- one action
  constexpr void act() {
    term const zero = integer(work_, 0), one = integer(work_, 1);
    term const begin = row_at(begins_, last_), places = room_ - last_;
    term const leaves = call<op::floordiv>(end_ - begin + (leaf_ - 1), leaf_),
               ahead = call<op::where>(call<op::gt>(leaves, one),
                                       steps_to_snapshot(leaves, places), zero);
    term const is_last = call<op::le>(leaves - ahead, one), count = ahead * leaf_,
               middle = begin + count, reversed = call<op::where>(is_last, end_ - middle, zero),
               taken = call<op::where>(is_last, zero, one);
    go_on(begin, count);
    if (!work_.error().empty()) return;
    list<term> results{with_rows(begins_, as_row(middle), last_ + 1, taken),
                       call<op::where>(is_last,
                                       call<op::where>(call<op::eq>(ahead, zero), last_ - 1, last_),
                                       last_ + 1),
                       call<op::where>(is_last, middle, end_)};
    reverse(middle, reversed);
    if (!work_.error().empty()) return;
    for (int k = 0; k < cells_.size(); ++k) {
      cell const& c = cells_[k];
      results.push_back(with_rows(c.snapshots, as_row(values_[k]), last_ + 1, taken));
      if (c.pending.exists()) results.push_back(new_pending_[k]);
    }
    for (int k = 0; k < constants_.size(); ++k)
      results.push_back(constants_[k].state + of_leaf(of_constant_[constants_[k].number]));
    for (int k = 0; k < sequences_.size(); ++k)
      results.push_back(with_rows(sequences_[k].state, of_leaf(slices_[sequences_[k].number]),
                                  middle, reversed));
    for (term r : results) work_.results().push_back(r.id);
    work_.results().push_back(call<op::le>(results[2], zero).id);
    outer_.stops = true;
    outer_.steps = (asked_.steps * 2).id;
  }
  // The states `count` steps after the last snapshot.
  constexpr void go_on(term begin, term count) {
    scan_parts parts;
    parts.steps = count.id;
    for (term s : of_sequence_) parts.sequences.push_back(rows(s, begin, count).id);
    for (cell const& c : cells_)
      parts.tapes.push_back(
          {tape_kind::shared, list<int>{-1}, row_at(c.snapshots, last_).id});
    for (term c : of_constant_) parts.constants.push_back(c.id);
    ahead_ = record_scan(work_, parts, body_of_cells());
    for (int k = 0; ahead_ >= 0 && k < cells_.size(); ++k)
      values_.push_back(output_of({&work_, ahead_}, k));
  }
  // The body that makes new states alone, of which rows of earlier steps are states of their own.
  constexpr graph body_of_cells() const {
    graph made;
    made.share_bodies(body_);
    list<int> image(body_.size(), -1), inputs;
    auto add = [&](tensor_type const& type) {
      return made.input(type, made.parameters().size());
    };
    for (int i = 0; i < at_.sequences(); ++i) {
      int const p = body_.parameters()[at_.sequence_input(i)];
      image[p] = add(body_.type(p));
    }
    list<int> of_cell;
    for (cell const& c : cells_) {
      of_cell.push_back(add(body_.type(body_.parameters()[at_.tap_input(c.tape, 0)])));
      for (int k = 0; k < at_.taps(c.tape); ++k)
        if (at_.tap(c.tape, k) == -c.back)
          image[body_.parameters()[at_.tap_input(c.tape, k)]] = of_cell.back();
    }
    for (int i = 0; i < at_.non_sequences(); ++i) {
      int const p = body_.parameters()[at_.non_sequence_input(i)];
      image[p] = add(body_.type(p));
    }
    for (int id = 0; id < body_.size(); ++id) {
      if (image[id] >= 0) continue;
      inputs.clear();
      for (int in : body_.inputs(id)) inputs.push_back(image[in]);
      image[id] = made.add(body_[id].op, body_.type(id), inputs, body_.attributes(id));
    }
    for (int k = 0; k < cells_.size(); ++k)
      made.results().push_back(cells_[k].back == 1 ? image[body_.results()[cells_[k].tape]]
                                                   : of_cell[k - 1]);
    for (auto const& c : body_.constraints())
      made.constraints().push_back({image[c.left], image[c.right], c.op, c.kind});
    return made;
  }

  // Reverses `count` steps from number `begin` on: the loop over these alone is differentiated.
  constexpr void reverse(term begin, term count) {
    scan_parts parts;
    parts.steps = count.id;
    parts.unrolled = parts_.unrolled;
    graph inner = body_;
    inner.results().clear();
    for (term s : of_sequence_) {
      slices_.push_back(rows(s, begin, count));
      parts.sequences.push_back(slices_.back().id);
    }
    for (term c : of_constant_) parts.constants.push_back(c.id);
    list<int> number(at_.tapes(), -1);  // of the result that has the rows of a tape
    for (int tape = 0; tape < at_.states(); ++tape) {
      bool const has_rows = parts_.tapes[tape].kind == tape_kind::mit_sot;
      parts.tapes.push_back(parts_.tapes[tape]);
      if (!has_rows) parts.tapes.back().kind = tape_kind::shared;
      parts.tapes.back().start = has_rows ? start_rows(tape).id : value_of(tape, 1).id;
      inner.results().push_back(body_.results()[tape]);
      if (has_rows) number[tape] = tape;
    }
    for (int tape = 0; tape < at_.tapes(); ++tape) {
      if (!rows_[tape].exists() || number[tape] >= 0) continue;
      number[tape] = parts.tapes.size();
      parts.tapes.push_back({});
      inner.results().push_back(body_.results()[tape]);
      if (tape < at_.states())
        for (int d = 0; d < value_of(tape, 1).rank(); ++d)
          parts.extents.push_back(extent(value_of(tape, 1), d).id);
      else
        for (term e : extents_[tape]) parts.extents.push_back(e.id);
    }
    int const loop = record_scan(work_, parts, inner);
    if (loop < 0) return;
    sweep(loop, number, begin, count);
  }
  constexpr term value_of(int tape, int back) const {
    int k = 0;
    while (cells_[k].tape != tape || cells_[k].back != back) ++k;
    return values_[k];
  }
  constexpr term start_rows(int tape) const {
    list<term> rows;
    for (int back = at_.reach(tape); back > 0; --back)
      rows.push_back(as_row(value_of(tape, back)));
    return rows.size() == 1 ? rows[0] : join(rows, 0);
  }
  constexpr void sweep(int loop, list<int> const& number, term begin, term count) {
    list<term> after;
    for (cell const& c : cells_) {
      term const made = output_of({&work_, loop}, c.tape);
      if (number[c.tape] != c.tape || !c.pending.exists()) {
        after.push_back(made);
        continue;
      }
      term const all = join(list<term>{start_rows(c.tape), made}, 0);
      after.push_back(row_at(all, count + (at_.reach(c.tape) - c.back)));
    }
    list<term> rows_made;
    for (int tape = 0; tape < at_.tapes(); ++tape)
      rows_made.push_back(rows_[tape].exists() ? output_of({&work_, loop}, number[tape]) : term{});
    list<term> given;
    for (term r : rows_) given.push_back(r.exists() ? rows(r, begin, count) : term{});
    list<int> wrt, ends;
    for (int k = 0; k < cells_.size(); ++k)
      if (cells_[k].pending.exists()) wrt.push_back(values_[k].id);
    for (gathered const& c : constants_) wrt.push_back(of_constant_[c.number].id);
    for (gathered const& s : sequences_) wrt.push_back(slices_[s.number].id);
    for (term v : values_) ends.push_back(v.id);
    for (term s : slices_) ends.push_back(s.id);
    reverse_sweep back(work_, inner_);
    for (int k = 0; k < cells_.size(); ++k)
      if (cells_[k].pending.exists()) back.seed(after[k].id, cells_[k].pending.id);
    for (int tape = 0; tape < at_.tapes(); ++tape)
      if (given[tape].exists()) back.seed(rows_made[tape].id, given[tape].id);
    back.run(wrt, ends);
    for (int k = 0; k < cells_.size(); ++k) {
      if (!cells_[k].pending.exists()) {
        new_pending_.push_back({});
        continue;
      }
      int const id = back.gradient(values_[k].id);
      new_pending_.push_back(id >= 0 ? term{&work_, id} : zeros(cells_[k].pending));
    }
    of_leaf_ = list<int>(work_.size(), -1);
    for (gathered const& c : constants_) note_gradient(back, of_constant_[c.number]);
    for (gathered const& s : sequences_) note_gradient(back, slices_[s.number]);
  }
  constexpr void note_gradient(reverse_sweep& back, term x) {
    of_leaf_.extend(x.id + 1, -1);
    of_leaf_[x.id] = back.gradient(x.id);
  }
  static constexpr term zeros(term like) {
    return expand_like({like.of, like.of->literal(0, like.element())}, like);
  }
  constexpr term of_leaf(term x) {
    return of_leaf_[x.id] >= 0 ? term{&work_, of_leaf_[x.id]} : zeros(x);
  }

  // ---- the gradients of the operands
  constexpr void give(list<int>& gradients) const {
    for (int tape = 0; tape < at_.states(); ++tape) {
      if (!asked_.active[tape]) continue;
      list<term> parts;
      for (int k = cells_.size() - 1; k >= 0; --k)
        if (cells_[k].tape == tape) parts.push_back(output_of({&g_, loop_}, cells_[k].result));
      term all = parts[0];
      if (parts_.tapes[tape].kind == tape_kind::mit_sot) {
        list<term> rows;
        for (term p : parts) rows.push_back(as_row(p));
        all = rows.size() == 1 ? rows[0] : join(rows, 0);
        all = rows_in_zeros({&g_, parts_.tapes[tape].start}, all, integer(g_, 0),
                            integer(g_, at_.reach(tape)));
      }
      gradients[at_.tape_operand(tape)] = all.id;
    }
    for (gathered const& c : constants_)
      gradients[c.operand] = output_of({&g_, loop_}, c.result).id;
    for (gathered const& s : sequences_)
      gradients[s.operand] = output_of({&g_, loop_}, s.result).id;
  }

  graph& g_;
  scan_parts const& parts_;
  scan_layout const& at_;
  graph const& body_;
  reversal_request const& asked_;
  body_pullback inner_;
  scan_parts outer_{};
  graph work_{};  // the body of the loop over actions
  list<cell> cells_{};
  list<gathered> constants_{}, sequences_{};
  term places_{};                       // how many snapshots there may be
  term begins_{}, last_{}, end_{};      // where they were taken, which is the last; what is left
  term leaf_{}, room_{};
  list<term> of_sequence_{}, of_constant_{}, rows_{};
  list<list<term>> extents_{};          // of a row of each output
  list<term> values_{}, slices_{}, new_pending_{};
  list<int> of_leaf_{};  // of a constant or a slice, the gradient
  int ahead_ = -1, loop_ = -1;
};

}  // namespace kroton::calculus
