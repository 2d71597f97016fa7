// How folds are batched that a condition stops, for each slice after another number of steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/rule.hpp>
#include <kroton/ops/loop/parts.hpp>

namespace kroton::calculus {

/// A loop over the slices, whose body is the fold of one of them. Several batch axes are one.
class fold_batching : batching_rule {
 public:
  using batching_rule::batching_rule;

  /// Whether the steps of a scan leave nothing but the last values of its states.
  static constexpr bool is_fold(scan_layout const& at) {
    return at.count(tape_kind::shared) == at.tapes();
  }

  /// The loop over the slices; -1 if it is in error.
  constexpr int record() const {
    scan_layout const at = layout_of(g_, id_);
    graph body;
    body.share_bodies(g_);
    scan_parts parts{.steps = pass_.extents()[0].id};
    for (int b = 1; b < axes_; ++b) parts.steps = (term{&g_, parts.steps} * pass_.extents()[b]).id;
    list<int> operands(g_[id_].input_count, -1);
    for (bool is_mapped : {true, false})
      for (int k = 0; k < operands.size(); ++k) {
        lanes const x = pass_.at(input(k));
        if (x.batched != is_mapped) continue;
        if (g_.is_literal(x.node)) {
          operands[k] = body.literal_of_bits(g_.literal_bits(x.node), g_.type(x.node).element);
          continue;
        }
        operands[k] = body.input(g_.type(input(k)), body.parameters().size());
        if (is_mapped) parts.sequences.push_back(slices_of(input(k)).id);
        else parts.constants.push_back(x.node);
      }
    int const fold = body.add(g_[id_].op, g_.type(id_), operands, g_.attributes(id_));
    for (int k = 0; k < at.results(); ++k) {
      body.results().push_back(output_of({&body, fold}, k).id);
      parts.tapes.push_back({});
      if (k < at.tapes())
        for (term const& e : extents_of_state(input(at.tape_operand(k))))
          parts.extents.push_back(e.id);
    }
    return record_scan(g_, parts, body);
  }
  /// An output of the fold from the loop over the slices.
  constexpr lanes output(int loop, int k) const {
    term all = output_of({&g_, loop}, k);
    if (axes_ > 1) {
      list<term> extents(pass_.extents());
      for (int d = 1; d < all.rank(); ++d) extents.push_back(extent(all, d));
      all = reshape(all, extents);
    }
    return {all.id, 0, true, true};
  }

 private:
  constexpr term slices_of(int id) const {
    term const all = pass_.dense(id);
    if (axes_ == 1) return all;
    term count = extent(all, 0);
    for (int b = 1; b < axes_; ++b) count = count * extent(all, b);
    list<term> extents{count};
    for (int d = axes_; d < all.rank(); ++d) extents.push_back(extent(all, d));
    return reshape(all, extents);
  }
  constexpr list<term> extents_of_state(int start) const {
    lanes const x = pass_.at(start);
    term const all = x.batched ? pass_.dense(start) : term{&g_, x.node};
    list<term> extents;
    for (int d = x.batched ? axes_ : 0; d < all.rank(); ++d) extents.push_back(extent(all, d));
    return extents;
  }
};

}  // namespace kroton::calculus
