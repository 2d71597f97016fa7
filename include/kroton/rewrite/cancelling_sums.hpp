// Sums whose terms cancel only once they are multiplied out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/expansion.hpp>
#include <kroton/rewrite/rebuild.hpp>

namespace kroton::core {

/// Replaces a sum of a graph in normal form by what is left of it when products of sums in it are multiplied out, where terms cancel
/// and no more are left than were written. The result has to be brought to normal form again.
class cancelling_sums {
 public:
  constexpr explicit cancelling_sums(graph const& from) : from_(from) {}

  /// Whether there are any.
  constexpr bool find() {
    list<bool> const live = from_.live();
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || !from_.is<op::add>(id) || !is_float(from_.type(id).element) || !has_nested_sum(id)) continue;
      expansion e(from_);
      if (!e.expand(id)) continue;
      list<monomial> rest;
      for (monomial const& m : e.terms())
        if (m.times != 0) rest.push_back(m);
      if (rest.size() < e.terms().size() && rest.size() <= from_[id].input_count) found_.push_back({id, rest});
    }
    return !found_.empty();
  }
  constexpr graph run() const {
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      for (cancelled const& c : found_)
        if (c.sum == id) return sum(to, c, image);
      return -1;
    });
  }

 private:
  struct cancelled {
    int sum;
    list<monomial> rest;
  };

  constexpr bool has_nested_sum(int id) const {
    for (int term : from_.inputs(id)) {
      if (!from_.is<op::mul>(term)) continue;
      for (int factor : from_.inputs(term))
        if (from_.is<op::add>(split_power(from_, factor).base)) return true;
    }
    return false;
  }
  constexpr int sum(graph& to, cancelled const& c, list<int> const& image) const {
    tensor_type const type = from_.type(c.sum);
    list<int> terms;
    for (monomial const& m : c.rest) {
      list<int> factors;
      factors.push_back(to.literal(m.times, type.element));
      for (monomial::power const& p : m.powers)
        factors.push_back(p.exponent == 1 ? image[p.node] : to.apply<op::pow>({image[p.node], to.literal(p.exponent, type.element)}));
      terms.push_back(factors.size() == 1 ? factors[0] : to.apply(identity<op::mul>(), factors));
    }
    int const made = terms.empty() ? to.literal(0, type.element) : terms.size() == 1 ? terms[0] : to.apply(identity<op::add>(), terms);
    if (to.type(made) == type) return made;
    // What is left has lost the shape.
    list<int> inputs;
    for (int i : from_.inputs(c.sum)) inputs.push_back(image[i]);
    int const shape = to.apply<op::mul>({to.literal(0, type.element), to.add(from_[c.sum].op, type, inputs, {})});
    return to.apply<op::add>({made, shape});
  }

  graph const& from_;
  list<cancelled> found_;
};

}  // namespace kroton::core
