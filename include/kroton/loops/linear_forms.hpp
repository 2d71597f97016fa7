// Integer scalars as sums of multiples of others, and what follows of them from extents.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>

namespace kroton::loops {

/// A number plus multiples of nodes that are not sums or multiples themselves.
class linear_form {
 public:
  struct multiple {
    int node = -1;
    long long times = 0;
  };

  constexpr linear_form() = default;
  constexpr explicit linear_form(long long number) : number_(within(number)) {}

  static constexpr linear_form of_node(int node) {
    linear_form form;
    form.terms_.push_back({node, 1});
    return form;
  }

  constexpr long long number() const { return number_; }
  constexpr list<multiple> const& terms() const { return terms_; }
  /// Whether no number became too large to be computed with here.
  constexpr bool is_known() const { return known_; }
  constexpr bool is_number(long long value) const {
    return known_ && terms_.empty() && number_ == value;
  }
  constexpr bool operator==(linear_form const& other) const {
    linear_form difference = *this;
    difference.add(other, -1);
    return difference.is_number(0);
  }

  constexpr void add(linear_form const& other, long long times = 1) {
    known_ = known_ && other.known_;
    number_ = within(number_ + other.number_ * within(times));
    for (multiple const& term : other.terms_) add(term.node, within(term.times * within(times)));
  }
  /// Puts another form in the place of a node.
  constexpr void replace(int node, linear_form const& by) {
    for (int k = 0; k < terms_.size(); ++k)
      if (terms_[k].node == node) {
        long long const times = terms_[k].times;
        terms_.erase(k);
        return add(by, times);
      }
  }

 private:
  constexpr long long within(long long value) {
    constexpr long long most = 1LL << 30;
    known_ = known_ && -most < value && value < most;
    return known_ ? value : 0;
  }
  constexpr void add(int node, long long times) {
    for (int k = 0; k < terms_.size(); ++k)
      if (terms_[k].node == node) {
        terms_[k].times = within(terms_[k].times + times);
        if (terms_[k].times == 0) terms_.erase(k);
        return;
      }
    if (times != 0) terms_.push_back({node, times});
  }

  bool known_ = true;
  long long number_ = 0;
  list<multiple> terms_{};
};

/// An int64 scalar of a graph, as written or in normal form.
constexpr linear_form linear_form_of(graph const& g, int id) {
  if (g.is_literal(id)) return linear_form(g.literal_bits(id));
  linear_form form;
  if (g.is<op::add>(id)) {
    for (int in : g.inputs(id)) form.add(linear_form_of(g, in));
    return form;
  }
  if (g.is<op::sub>(id)) {
    form = linear_form_of(g, g.input_of(id, 0));
    form.add(linear_form_of(g, g.input_of(id, 1)), -1);
    return form;
  }
  if (g.is<op::mul>(id) && g[id].input_count == 2)
    for (int k : {0, 1})
      if (int const times = g.input_of(id, k); g.is_literal(times)) {
        form.add(linear_form_of(g, g.input_of(id, 1 - k)), g.literal_bits(times));
        return form;
      }
  return linear_form::of_node(id);
}
/// The scalar of a form, recorded in its graph.
constexpr term recorded(graph& g, linear_form const& form) {
  term sum = integer(g, form.number());
  for (auto const& term_of : form.terms()) sum = sum + term{&g, term_of.node} * term_of.times;
  return sum;
}

/// What is known of integers in the steps of a loop: that there is one, that extents are not
/// negative, and which of them are the same.
class step_bounds {
 public:
  constexpr step_bounds(graph const& g, int steps) : g_(g), steps_(steps) {
    for (auto const& c : g.constraints())
      if (c.kind == condition::equal) classes_.unite(g, c.left, c.right);
    note_bounds(steps, true);
    for (auto const& c : g.constraints())
      if (c.kind == condition::at_least && c.right == steps) note_bounds(c.left, false);
  }

  /// With one node for all extents that are the same.
  constexpr linear_form form(int id) const { return united(linear_form_of(g_, id)); }
  constexpr linear_form united(linear_form const& of) const {
    linear_form form(of.number());
    for (auto const& t : of.terms()) {
      int const same = classes_.find(t.node);
      if (same == t.node) form.add(linear_form::of_node(same), t.times);
      else form.add(linear_form_of(g_, same), t.times);
    }
    return form;
  }

  /// Whether an integer is not negative, in any step.
  constexpr bool is_natural(linear_form const& given) const {
    linear_form const form = united(given);
    for (bound const& b : bounds_) {
      linear_form least = form;
      if (b.is_exact || times(least, steps_) < 0) least.replace(steps_, b.most);
      linear_form others = least;  // without one step, which there is
      others.add(b.most, -1);
      others.add(linear_form(1));
      if (has_natural_terms(least) || has_natural_terms(others)) return true;
    }
    return false;
  }
  /// Whether an integer of the first step, to which each step adds the same, is not negative in
  /// any.
  constexpr bool stays_natural(linear_form const& first, long long stride) const {
    if (stride >= 0) return is_natural(first);
    for (bound const& b : bounds_) {
      linear_form last = first;
      last.add(b.most, stride);
      last.add(linear_form(-stride));
      if (is_natural(last)) return true;
    }
    return false;
  }

 private:
  // The number of steps, or one that is not less.
  struct bound {
    linear_form most{};
    bool is_exact = false;
  };

  static constexpr long long times(linear_form const& form, int node) {
    for (auto const& t : form.terms())
      if (t.node == node) return t.times;
    return 0;
  }
  constexpr bool is_zero_or_less(int id) const {
    return g_.is_literal(id) && g_.literal_bits(id) <= 0;
  }
  // A loop that has a step has as many as an extent that is cut off at 0, or as many as n - k where
  // slices leave n - min(k, n).
  constexpr void note_bounds(int id, bool is_exact) {
    bounds_.push_back({form(id), is_exact});
    if (linear_form const rest = rest_of_slices(form(id)); rest.terms().size() == 1)
      bounds_.push_back({rest, is_exact});
    if (g_.is<op::where>(id) && is_zero_or_less(g_.input_of(id, 2))) {
      note_bounds(g_.input_of(id, 1), is_exact);
    } else if (g_.is<op::maximum>(id) && g_[id].input_count == 2) {
      for (int k : {0, 1})
        if (is_zero_or_less(g_.input_of(id, k))) note_bounds(g_.input_of(id, 1 - k), is_exact);
    } else if (g_.is<op::minimum>(id)) {
      for (int in : g_.inputs(id)) note_bounds(in, false);
    }
  }
  /// n - k for n - min(k, n), and nothing for others.
  constexpr linear_form rest_of_slices(linear_form rest) const {
    if (rest.terms().size() != 2 || rest.number() != 0) return {};
    int const first = rest.terms()[0].times == 1 ? 0 : 1;
    int const n = rest.terms()[first].node, limit = rest.terms()[1 - first].node;
    if (times(rest, n) != 1 || times(rest, limit) != -1 || !g_.is<op::minimum>(limit)) return {};
    for (int k : {0, 1})
      if (int const length = g_.input_of(limit, k);
          g_.is_literal(length) && classes_.find(g_.input_of(limit, 1 - k)) == n) {
        rest.replace(limit, linear_form(g_.literal_bits(length)));
        return rest;
      }
    return {};
  }
  constexpr bool has_natural_terms(linear_form const& form) const {
    bool natural = form.is_known() && form.number() >= 0;
    for (auto const& t : form.terms()) natural = natural && t.times > 0 && is_extent(t.node);
    return natural;
  }
  // A number of steps, too, of which there is one.
  constexpr bool is_extent(int id) const {
    bool is_known = g_.is<op::extent_of>(id) || id == steps_;
    if (g_.is<op::maximum>(id))
      for (int in : g_.inputs(id))
        is_known = is_known || (g_.is_literal(in) && g_.literal_bits(in) >= 0);
    return is_known;
  }

  graph const& g_;
  int steps_;
  ops::extent_classes classes_{};
  list<bound> bounds_{};
};

}  // namespace kroton::loops
