// Sums that are a single product, or nothing, once they are multiplied out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/form/expansion.hpp>

namespace kroton::rewrite {

/// Replaces sums of a graph in normal form by what is left of them when products of sums in them
/// are multiplied out, where all terms but one cancel: a single product rounds no worse than any
/// sum. The result has to be brought to normal form again.
class cancelling_sums {
 public:
  /// Of a graph made from another one, whose own sums stay: what is new in it is what may cancel.
  constexpr cancelling_sums(graph const& from, graph const& before)
      : from_(from), before_(before) {}

  /// Whether there are any.
  constexpr bool find() {
    list<bool> const live = from_.live();
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || !from_.is<op::add>(id) || !is_float(from_.type(id).element) ||
          !has_nested_sum(id) || was_there(id))
        continue;
      expansion e(from_);
      if (!e.expand(id)) continue;
      int left = 0;
      monomial rest;
      for (monomial const& m : e.terms())
        if (m.times != 0) ++left, rest = m;
      if (left <= 1) found_.push_back({id, rest});
    }
    return !found_.empty();
  }
  constexpr graph run() const {
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      for (cancelled const& c : found_)
        if (c.sum == id) return product(to, c, image);
      return -1;
    });
  }

 private:
  struct cancelled {
    int sum;
    monomial rest;
  };

  constexpr bool has_nested_sum(int id) const {
    for (int term : from_.inputs(id)) {
      if (!from_.is<op::mul>(term)) continue;
      for (int factor : from_.inputs(term))
        if (from_.is<op::add>(split_power(from_, factor).base)) return true;
    }
    return false;
  }
  constexpr bool was_there(int id) const {
    for (int k = 0; k < before_.size(); ++k)
      if (before_[k].hash == from_[id].hash) return true;
    return false;
  }
  constexpr int product(graph& to, cancelled const& c, list<int> const& image) const {
    tensor_type const type = from_.type(c.sum);
    int const front = to.literal(c.rest.times, type.element);
    list<int> factors;
    factors.push_back(front);
    for (monomial::power const& p : c.rest.powers)
      factors.push_back(
          p.exponent == 1
              ? image[p.node]
              : to.apply<op::pow>({image[p.node], to.literal(p.exponent, type.element)}));
    int const made = factors.size() == 1 ? front : to.apply(identity<op::mul>(), factors);
    if (type.rank == 0) return made;
    // What is left may have lost the shape.
    list<int> inputs;
    for (int i : from_.inputs(c.sum)) inputs.push_back(image[i]);
    int const zeros =
        to.apply<op::mul>({to.literal(0, type.element), to.add(from_[c.sum].op, type, inputs, {})});
    return to.apply<op::add>({made, zeros});
  }

  graph const &from_, &before_;
  list<cancelled> found_;
};

}  // namespace kroton::rewrite
