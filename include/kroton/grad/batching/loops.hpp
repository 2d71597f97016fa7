// How loops are batched: as one loop, each step of which works on the whole batch; folds that a
// condition stops, see folds.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/folds.hpp>
#include <kroton/grad/dependence.hpp>
#include <kroton/grad/part.hpp>
#include <kroton/ops/loop/parts.hpp>
#include <kroton/ops/random/body_streams.hpp>

namespace kroton::calculus {

/// The body is batched where it depends on mapped operands. The batch axes are the first ones of
/// what a step reads and gives, so in sequences and stacks they come behind the axis of time.
class loop_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  constexpr lanes scan() const {
    scan_parts parts = scan_parts_of(g_, id_);
    scan_layout const at = layout_of(g_, id_);
    if (is_mapped(parts.steps))
      g_.fail(
          "kt::vmap: a mapped number of steps: the number of steps of a scan must be the same for "
          "all slices");
    list<bool> operands;
    for (int in : g_.inputs(id_)) operands.push_back(is_mapped(in));
    bool const draws = pass_.has_own_draw(id_);
    list<bool> const tapes = dependent_tapes(g_, id_, operands, {&by_value, draws});
    if (!draws && at.stops() && tapes[at.tapes()] && fold_batching::is_fold(at))
      return one_by_one();
    list<int> const extents = extents_of_rows(parts, at, tapes);
    if (!g_.error().empty()) return {id_, 0, true, false};
    graph const body = batched_body(g_.body(at.address()), at, operands, tapes);
    parts.steps = pass_.at(parts.steps).node;
    for (int& x : parts.sequences) x = operand(x, is_mapped(x), true);
    for (int& x : parts.constants) x = operand(x, is_mapped(x), false);
    for (int tape = 0; tape < at.states(); ++tape) {
      int& start = parts.tapes[tape].start;
      start = operand(start, tapes[tape], parts.tapes[tape].kind == tape_kind::mit_sot);
      if (draws) start = with_drawn_words(start, g_.body(at.address()), tape);
    }
    for (term n : pass_.extents())
      if (draws && !g_.is_literal(n.id)) parts.constants.push_back(n.id);
    parts.extents = extents;
    for (int& r : parts.required) r = pass_.shared(r);
    int const made = record_scan(g_, parts, body);
    return made < 0 ? lanes{id_, 0, true, false} : output(made, 0);
  }
  /// An output of a scan, whose first output has been batched.
  constexpr lanes item() const {
    int made = first().node;
    while (!g_.is<op::scan>(made)) made = g_.input_of(made, 0);
    bool const is_by_slices =
        layout_of(g_, input(0)).stops() && !layout_of(g_, made).stops();
    return is_by_slices ? fold_batching(pass_, id_).output(made, attribute(0))
                        : output(made, attribute(0));
  }

 private:
  constexpr lanes one_by_one() const {
    fold_batching const fold(pass_, id_);
    int const made = fold.record();
    return made < 0 ? lanes{id_, 0, true, false} : fold.output(made, 0);
  }

  constexpr bool is_mapped(int id) const { return pass_.at(id).batched; }

  // The extents of a row of each output, preceded by those of the batch if it has them.
  constexpr list<int> extents_of_rows(scan_parts const& parts, scan_layout const& at,
                                      list<bool> const& tapes) const {
    graph const& body = g_.body(at.address());
    list<int> extents;
    for (int tape = at.states(), next = 0; tape < at.tapes(); ++tape) {
      for (int b = 0; tapes[tape] && b < axes_; ++b) extents.push_back(pass_.extents()[b].id);
      for (int d = 0; d < body.type(body.results()[tape]).rank; ++d)
        extents.push_back(pass_.shared(parts.extents[next++]));
    }
    return extents;
  }

  constexpr graph batched_body(graph const& body, scan_layout const& at, list<bool> const& operands,
                               list<bool> const& tapes) const {
    graph work = body;
    list<int> leaves, mapped;
    for (int p = 0; p < at.inputs(); ++p) {
      int const leaf = body.parameters()[p], state = state_of_input(at, p);
      leaves.push_back(leaf);
      if (state >= 0 ? !tapes[state] : !operands[operand_of_input(at, p).operand]) continue;
      leaves.back() = work.input(with_batch_axes(body.type(leaf)), work.parameters().size());
      mapped.push_back(p);
    }
    list<term> extents;
    bool const draws = pass_.has_own_draw(id_);
    for (int b = 0; b < axes_; ++b)
      extents.push_back(draws ? extent_inside(work, pass_.extents()[b], leaves)
                              : extent({&work, leaves[mapped[0]]}, b));
    batching inside(work, extents);
    if (draws) inside.batch_draws_from(0);
    for (int p : mapped) inside.set(body.parameters()[p], {leaves[p], 0, true, true});
    inside.run(body.results());
    list<int> results;
    for (int tape = 0; tape < at.tapes(); ++tape) {
      int const result = body.results()[tape];
      results.push_back(tapes[tape] ? inside.dense(result).id : inside.shared(result));
    }
    if (at.stops()) {
      if (tapes[at.tapes()])
        g_.fail(
            "kt::vmap: a loop that kt::until stops must do as many steps for one slice as for all "
            "others: its condition depends on the slice");
      results.push_back(inside.at(body.results().back()).node);
    }
    if (!work.error().empty()) g_.fail(work.error());
    return part_of(work, leaves, results);
  }
  // The extent of a batch axis in the body: where nothing that a step reads need have the axis, it
  // is a constant of the loop.
  constexpr term extent_inside(graph& work, term outside, list<int>& leaves) const {
    if (g_.is_literal(outside.id)) return integer(work, g_.literal_bits(outside.id));
    leaves.push_back(work.input(outside.type(), work.parameters().size()));
    return {&work, leaves.back()};
  }
  // The start of a state, of a stream of MRG31k3p with the words that a draw for all slices needs.
  constexpr int with_drawn_words(int start, graph const& body, int tape) const {
    long long const drawn = most_drawn(body, body.results()[tape]);
    if (drawn == 0) return start;
    term count = integer(g_, drawn > 0 ? drawn : math::max_substreams);
    for (term n : pass_.extents())
      if (drawn > 0) count = count * n;
    return with_words({&g_, start},
                      words_of_substreams(call<op::minimum>(count, math::max_substreams)));
  }
  constexpr tensor_type with_batch_axes(tensor_type type) const {
    type.rank = static_cast<std::uint8_t>(type.rank + axes_);
    type.broadcast <<= axes_;
    return type;
  }

  // An operand of the batched scan; `in_time`: its own first axis is that of time.
  constexpr int operand(int id, bool mapped, bool in_time) const {
    if (!mapped) return pass_.at(id).node;
    term const all = pass_.dense(id);
    if (!in_time) return all.id;
    list<int> pattern{axes_};
    for (int d = 0; d < all.rank(); ++d)
      if (d != axes_) pattern.push_back(d);
    return permute(all, pattern).id;
  }
  constexpr lanes output(int scan, int k) const {
    term const all = output_of({&g_, scan}, k);
    if (all.rank() == rank_) return {all.id, 0, true, false};
    if (layout_of(g_, scan).is_shared(k)) return {all.id, 0, true, true};
    list<int> pattern;
    for (int b = 0; b < axes_; ++b) pattern.push_back(b + 1);
    pattern.push_back(0);
    for (int d = axes_ + 1; d < all.rank(); ++d) pattern.push_back(d);
    return {permute(all, pattern).id, 0, true, true};
  }
};

}  // namespace kroton::calculus
