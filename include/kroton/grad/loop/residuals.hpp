// What a reverse scan reads of the forward one: which values are stored and which computed again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/loop/softmax.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/loop/parts.hpp>

namespace kroton::calculus {

/// The nodes of a differentiated body that the reverse body needs. Its leaves are parameters of the
/// forward body, results of it, which are stored anyway, and residuals: values that are stored in
/// addition, because products or functions of their own would have to be computed again, or because
/// they are all that reductions leave of a softmax. What is cheap, or the same in each step, is
/// computed from these.
class residuals {
 public:
  /// `work` is the body with gradients recorded behind its nodes; `same_extents` names a leaf for
  /// each node whose extents it has.
  constexpr residuals(graph& g, int id, graph const& work, graph const& body,
                      list<int> const& wanted, list<int> const& same_extents)
      : work_(work),
        body_(body),
        same_extents_(same_extents),
        cut_(work.size()),
        varies_(body.size()),
        parts_(work.size(), softmax_parts{}),
        forms_(work.size(), softmax_form{}),
        outside_(g, id) {
    find_leaves(layout_of(g, id));
    find_needed(wanted);
    if (!layout_of(g, id).repeats()) {
      choose();
      find_needed(wanted);
      take_softmax_apart();
      find_needed(wanted);
    }
    while (opens_more()) find_needed(wanted);
  }

  /// Whether the reverse body needs a node, as a leaf or to compute it.
  constexpr bool needs(int node) const { return needed_[node]; }
  constexpr bool is_leaf(int node) const { return cut_[node]; }
  /// Whether the reverse body reads anything that the last step makes.
  constexpr bool reads_results() const {
    bool reads = !stored.empty();
    for (int id : body_.results())
      reads = reads || (needs(id) && is_leaf(id) && !body_.parameters().contains(id));
    return reads;
  }
  /// The leaves that a softmax is computed from, if it is.
  constexpr bool has_parts(int node) const { return parts_[node].sum >= 0; }
  constexpr softmax_parts const& parts(int node) const { return parts_[node]; }
  constexpr softmax_form const& form(int node) const { return forms_[node]; }
  /// The nodes to be stored in addition, and the extents of each, as scalars outside of the body.
  list<int> stored{}, extents{};

 private:
  constexpr void find_leaves(scan_layout const& at) {
    for (int p = 0; p < body_.parameters().size(); ++p) {
      int const id = body_.parameters()[p];
      cut_[id] = true;
      varies_[id] = p < at.non_sequence_input(0);
    }
    for (int id = 0; id < body_.size(); ++id)
      for (int in : body_.inputs(id)) varies_[id] = varies_[id] || varies_[in];
    opened_ = list<bool>(body_.size());
    for (int id = body_.size(); id < work_.size(); ++id)
      if (work_.is<op::item>(id) && work_.input_of(id, 0) < body_.size())
        opened_[work_.input_of(id, 0)] = true;
    for (int tape = 0, end = at.repeats() ? at.states() : at.tapes(); tape < end; ++tape)
      if (int const id = body_.results()[tape]; varies_[id] && !opened_[id]) cut_[id] = true;
    for (int id = body_.size(); id < work_.size(); ++id)
      if (work_.is<op::input>(id)) cut_[id] = true;
  }
  constexpr void find_needed(list<int> const& wanted) {
    needed_ = list<bool>(work_.size());
    for (int id : wanted) needed_[id] = true;
    for (int id = work_.size() - 1; id >= 0; --id) {
      if (!needed_[id] || cut_[id]) continue;
      if (work_.is<op::extent_of>(id))
        if (int const same = same_extents_[work_.input_of(id, 0)]; same >= 0) {
          needed_[same] = true;
          continue;
        }
      if (has_parts(id)) {
        needed_[parts_[id].largest] = needed_[parts_[id].sum] = needed_[forms_[id].of] = true;
        continue;
      }
      for (int in : work_.inputs(id)) needed_[in] = true;
    }
  }
  // Of the values that gradients read directly, those that are expensive to compute again.
  constexpr void choose() {
    list<bool> read(body_.size()), expensive(body_.size());
    for (int id = body_.size(); id < work_.size(); ++id)
      if (needed_[id])
        for (int in : work_.inputs(id))
          if (in < body_.size()) read[in] = true;
    list<bool> const always = always_needed(body_);
    // Outputs of one op are stored together, or it is computed again.
    for (int id = 0; id < body_.size(); ++id) {
      if (!body_.is<op::item>(id) || !needed_[id] || !varies_[id] || cut_[id]) continue;
      list<int> found;
      read[id] = always[id] && extents_outside(id, found);
      if (!read[id]) {
        opened_[body_.input_of(id, 0)] = true;
        cut_[body_.input_of(id, 0)] = false;
      }
    }
    for (int id = 0; id < body_.size(); ++id) {
      if (cut_[id]) continue;
      expensive[id] = is_expensive(body_, id);
      if (!body_.is<op::extent_of>(id))
        for (int in : body_.inputs(id)) expensive[id] = expensive[id] || expensive[in];
      // An output of an op that is stored is a leaf, too
      if (body_.is<op::item>(id)) expensive[id] = true;
      if (expensive[id] && read[id] && varies_[id] && needed_[id] && always[id] && !opened_[id] &&
          store(id)) {
        cut_[id] = true;
        expensive[id] = false;
      }
    }
  }
  // A softmax is computed without reductions, where the body computes these in every step.
  constexpr void take_softmax_apart() {
    list<softmax_form> computed;
    list<bool> const always = always_needed(body_);
    for (int id = 0; id < body_.size(); ++id)
      if (softmax_form const form = exponentials_at(body_, id);
          form.of >= 0 && always[id] && varies_[id])
        computed.push_back(form);
    if (computed.empty()) return;
    for (int id = 0; id < work_.size(); ++id) {
      if (!needed_[id] || cut_[id]) continue;
      softmax_form const form = softmax_at(work_, id);
      bool is_computed = false;
      for (softmax_form const& c : computed)
        is_computed = is_computed || (c.of == form.of && c.axes == form.axes);
      if (!is_computed) continue;
      softmax_parts const parts = parts_of_softmax(work_, form, body_.size());
      bool is_stored = parts.sum >= 0 && cut_[parts.sum];
      if (!is_stored) is_stored = parts.sum >= 0 && store(parts.largest) && store(parts.sum);
      if (!is_stored) continue;
      cut_[parts.largest] = cut_[parts.sum] = true;
      parts_[id] = parts;
      forms_[id] = form;
    }
  }
  // An op whose first output is a leaf, but of which another one that is not stored is needed, is
  // computed again.
  constexpr bool opens_more() {
    bool opens = false;
    for (int id = 0; id < body_.size(); ++id) {
      int const of = body_.is<op::item>(id) ? body_.input_of(id, 0) : -1;
      if (of < 0 || !needed_[id] || cut_[id] || !cut_[of]) continue;
      cut_[of] = false;
      opens = true;
    }
    return opens;
  }
  constexpr bool extents_outside(int id, list<int>& found) {
    graph scratch = body_;
    bool known = true;
    for (int d = 0; d < body_.type(id).rank; ++d) {
      int const outside = outside_.find(scratch, extent_node(scratch, id, d));
      known = known && outside >= 0;
      found.push_back(outside);
    }
    return known;
  }
  constexpr bool store(int id) {
    list<int> found;
    if (!extents_outside(id, found)) return false;
    stored.push_back(id);
    for (int e : found) extents.push_back(e);
    return true;
  }

  graph const& work_;
  graph const& body_;
  list<int> const& same_extents_;
  list<bool> cut_, varies_, needed_{};
  list<softmax_parts> parts_;
  list<softmax_form> forms_;
  // Ops with several outputs of which the gradient reads one that the body does not: they are
  // computed again
  list<bool> opened_{};
  outer_scalars outside_;
};

}  // namespace kroton::calculus
