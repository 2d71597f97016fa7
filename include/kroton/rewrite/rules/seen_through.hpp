// Stable forms behind ops that hide them: a function of elements is tried on what a selection
// selects of, and on each part of what is joined or chosen; it moves there where a rule that
// stabilizes then applies, and nowhere else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/rewrite/engine/trial.hpp>
#include <kroton/rewrite/rules/selections.hpp>

namespace kroton::rewrite {

/// Whether a graph has any op that hides from a rule what it is applied to, without being a view.
constexpr bool hides_forms(graph const& g) {
  if (g.has<op::take, op::take_along_axis, op::diagonal, op::join, op::where, op::ifelse>())
    return true;
  return g.has<op::reshape, op::subtensor>();
}

/// An elementwise node as it was tried in other forms, for the nodes above it.
struct other_forms {
  int sunk = -1;  // with copies of elements moved below; -1: not known, or none
  // With its op applied to each part of a join or a choice: the parts in the list of branches
  int fork = -1, first = -1;
  int depth = 0;  // how many ops it is above the fork
};

/// The forms of the nodes of one rewriter, and how many more may be tried: choices of choices have
/// very many.
class seen_forms {
 public:
  constexpr explicit seen_forms(int trials) : trials_(trials) {}

  /// Whether another form may be tried, which uses one up.
  constexpr bool may_try() { return nested_ < most_nested && trials_ > 0 && trials_-- > 0; }
  /// Around a trial. What it comes upon may be tried as well, but not what that comes upon.
  constexpr void enter() { ++nested_; }
  constexpr void leave() { --nested_; }
  constexpr other_forms& of(int id) {
    while (forms_.size() <= id) forms_.push_back({});
    return forms_[id];
  }
  constexpr list<int>& branches() { return branches_; }

 private:
  static constexpr int most_nested = 2;

  list<other_forms> forms_;
  list<int> branches_;
  int trials_, nested_ = 0;
};

/// One attempt to see more in an elementwise node, whose operands are final, than is there as it
/// stands.
class second_look {
 public:
  constexpr second_look(rewriter& r, seen_forms& seen, int id)
      : r_(r), g_(r.g), seen_(seen), id_(id) {}

  /// The node itself, or what it is when functions move across copies and joins of elements.
  constexpr int run() {
    if (int const form = on_branches(); form >= 0) return form;
    if (int const form = on_selections(); form >= 0) return form;
    return id_;
  }

 private:
  static constexpr int highest_fork = 4;  // ops above a choice that are tried in its branches

  // ---- copies of elements -----------------------------------------------------------------------

  constexpr int sunk(int id) {
    if (seen_.of(id).sunk >= 0) return seen_.of(id).sunk;
    if (!is_gathering(g_, id) && !is_repetition(id)) return id;
    int const form =
        is_repetition(id) ? repeated_operand(id) : sunk_selection(r_, id, g_.input_of(id, 0));
    int const result = form < 0 ? id : form;
    if (!r_.is_suspended()) seen_.of(id).sunk = result;
    return result;
  }
  /// Elements spread along new axes that a reshape then merges with others: repeat and tile.
  constexpr bool is_repetition(int id) const {
    return g_.is<op::reshape>(id) && g_.is<op::alloc>(g_.input_of(id, 0)) &&
           g_.type(g_.input_of(g_.input_of(id, 0), 0)).rank > 0;
  }
  constexpr int repeated_operand(int id) {
    int const spread = g_.input_of(id, 0), value = g_.input_of(spread, 0);
    if (!g_[value].op->elementwise) return -1;
    list<int> inputs = r_.inputs(value);
    for (int& i : inputs) {
      if (g_.type(i).rank == 0) continue;
      i = sunk(applied_to(r_, id, applied_to(r_, spread, i)));
    }
    int const form = g_.is<op::cast>(value) ? r_.cast(inputs[0], g_.type(value).element)
                                            : r_.make(g_[value].op, inputs);
    return r_.conform(form, id);
  }

  constexpr int on_selections() {
    list<int> inputs = r_.inputs(id_);
    bool changed = false;
    for (int& i : inputs) {
      int const form = sunk(i);
      changed = changed || form != i;
      i = form;
    }
    if (!changed || !seen_.may_try()) return -1;
    // Products see what the terms of a sum have in common.
    if (g_.is<op::mul>(id_))
      for (int& i : inputs) i = r_.closed(i);
    bool fires = false;
    int const form = made(inputs, fires);
    if (fires) return r_.conform(form, id_);
    if (!r_.is_suspended()) seen_.of(id_).sunk = form;
    return -1;
  }
  constexpr int made(list<int> const& inputs, bool& fires) {
    if (g_.is<op::cast>(id_)) return r_.cast(inputs[0], g_.type(id_).element);
    seen_.enter();
    int const form = tried(r_, g_[id_].op, inputs, fires);
    seen_.leave();
    return form;
  }

  // ---- joins and choices, and selections of what is not a function of elements ------------------

  constexpr bool is_choice(int id) const {
    return applies<op::where>(g_, id) || applies<op::ifelse>(g_, id);
  }
  constexpr bool is_fork(int id) const {
    if (applies<op::join>(g_, id) || is_choice(id)) return true;
    if (!is_selection(g_, id)) return false;
    int const source = g_.input_of(id, 0);
    return !g_[source].op->elementwise && !g_.is<op::input>(source) && !g_.is<op::dot>(source);
  }
  constexpr int fork_of(int id) { return is_fork(id) ? id : seen_.of(id).fork; }

  constexpr int on_branches() {
    if (is_choice(id_)) return -1;
    int fork = -1, depth = 0;
    for (int i : r_.inputs(id_)) {
      if (fork < 0) fork = fork_of(i);
      if (fork >= 0 && fork_of(i) == fork && !is_fork(i) && seen_.of(i).depth > depth)
        depth = seen_.of(i).depth;
    }
    if (fork < 0 || depth == highest_fork) return -1;
    bool const joins = applies<op::join>(g_, fork);
    int const count = joins ? g_[fork].input_count - 1 : is_choice(fork) ? 2 : 1;
    if (joins && g_.type(fork).rank != g_.type(id_).rank) return -1;
    list<int> parts;
    bool fires = false;
    int begin = g_.literal(0, element::int64);
    for (int k = 0; k < count; ++k) {
      if (!seen_.may_try()) return -1;
      int view = -1;
      if (joins) {
        int const axis = static_cast<int>(g_.attribute(fork, 0)),
                  length = r_.extent(g_.input_of(fork, k + 1), axis);
        list<axis_selection> axes(g_.type(id_).rank, axis_selection{});
        axes[axis] = {2, 1, begin, length};
        view = select(r_, id_, axes);
        begin = r_.representative(r_.make<op::add>({begin, length}));
      }
      list<int> inputs = r_.inputs(id_);
      for (int& i : inputs) {
        i = branch(i, fork, k, view);
        if (i < 0) return -1;
      }
      bool one = false;
      int const part = made(inputs, one);
      fires = fires || one;
      parts.push_back(view >= 0 ? r_.conform(part, view) : part);
    }
    if (fires) return put_together(fork, parts);
    if (r_.is_suspended()) return -1;
    seen_.of(id_).fork = fork;
    seen_.of(id_).depth = depth + 1;
    seen_.of(id_).first = seen_.branches().size();
    for (int part : parts) seen_.branches().push_back(part);
    return -1;
  }
  /// What an operand is in branch k of the fork; `view` is the part of the node there, of a join.
  constexpr int branch(int operand, int fork, int k, int view) {
    bool const selects = !is_choice(fork) && view < 0;
    if (operand == fork || (selects && selects_alike(fork, operand)))
      return g_.input_of(operand, selects ? 0 : k + 1);
    if (seen_.of(operand).fork == fork && seen_.of(operand).first >= 0)
      return seen_.branches()[seen_.of(operand).first + k];
    if (selects) return g_.type(operand).rank == 0 ? operand : -1;
    if (view < 0) return operand;
    int const own = operand_view(r_, view, operand);
    return own < 0 || own == operand ? own : r_.settle(own);
  }
  /// Whether a node selects of a tensor of the same shape what another one does.
  constexpr bool selects_alike(int a, int b) const {
    if (!(*g_[a].op == *g_[b].op) || g_[a].input_count != g_[b].input_count ||
        g_[a].attribute_count != g_[b].attribute_count)
      return false;
    tensor_type const x = g_.type(g_.input_of(a, 0)), y = g_.type(g_.input_of(b, 0));
    bool alike = x.rank == y.rank && x.broadcast == y.broadcast;
    for (int d = 0; alike && d < x.rank; ++d)
      alike = r_.extent(g_.input_of(a, 0), d) == r_.extent(g_.input_of(b, 0), d);
    for (int i = 1; i < g_[a].input_count; ++i)
      alike = alike && g_.input_of(a, i) == g_.input_of(b, i);
    for (int i = 0; i < g_[a].attribute_count; ++i)
      alike = alike && g_.attribute(a, i) == g_.attribute(b, i);
    return alike;
  }
  constexpr int put_together(int fork, list<int> const& parts) {
    if (is_selection(g_, fork)) {
      // A function of numbers alone has lost the axes.
      int const whole = r_.conform(parts[0], with_element(g_.input_of(fork, 0), parts[0]));
      return r_.conform(r_.settle(applied_to(r_, fork, whole)), id_);
    }
    list<int> inputs{g_.input_of(fork, 0)};
    for (int part : parts)
      inputs.push_back(applies<op::ifelse>(g_, fork) ? r_.conform(part, id_) : part);
    list<long long> const attributes = r_.attributes(fork);
    return r_.conform(r_.make(g_[fork].op, inputs, attributes), id_);
  }

  /// A node with the extents of `like` and the element type of another one.
  constexpr int with_element(int like, int of) { return g_.cast(like, g_.type(of).element); }

  rewriter& r_;
  graph& g_;
  seen_forms& seen_;
  int id_;
};

}  // namespace kroton::rewrite
