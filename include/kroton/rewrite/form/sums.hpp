// The normal form of sums: one n-ary add of distinct terms with literal coefficients, the constant
// first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/rewriter.hpp>

namespace kroton::rewrite {

/// A longer sum or product that several nodes read stays one operand of theirs: taken apart in each
/// of them, chains of shared values would cost their length squared, in the compiler and in every
/// call.
inline constexpr int most_shared = 2;

/// A term of a sum: a coefficient times a node that has none.
struct summand {
  int node;
  coefficient times;
};

/// Whether a node is a product with a coefficient in front.
constexpr bool has_coefficient(graph const& g, int id) {
  node const& n = g[id];
  if (!is_op<op::mul>(n.op)) return false;
  int const first = g.input_of(id, 0);
  return g.is_literal(first) && coefficient{n.type.element, g.literal_bits(first)}.foldable();
}
/// The coefficient of a product, 1 for anything else.
constexpr coefficient coefficient_of(graph const& g, int id) {
  element const e = g[id].type.element;
  return has_coefficient(g, id) ? coefficient{e, g.literal_bits(g.input_of(id, 0))}
                                : number_of(e, 1);
}
/// A product without its coefficient, and the coefficient.
constexpr summand split_coefficient(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g[id].type.element;
  if (!has_coefficient(g, id)) return {id, number_of(e, 1)};
  coefficient const c{e, g.literal_bits(g.input_of(id, 0))};
  int const* const inputs = g.input_data(id);
  int const count = g[id].input_count;
  if (count == 2) return {inputs[1], c};
  list<int> const rest(inputs + 1, count - 1);
  return {r.mark(g.apply(identity<op::mul>(), rest.data(), count - 1)), c};
}

/// Whether b of a graph in normal form is a number of times a by how they are written.
constexpr bool is_multiple(graph const& g, int a, int b, double times) {
  if (g.type(a) != g.type(b)) return false;
  if (g.is_literal(a) || g.is_literal(b))
    return g.is_literal(a) && g.is_literal(b) &&
           g.literal_value(b) == bounded_product(times, g.literal_value(a));
  if (g.is<op::add>(a) && g.is<op::add>(b)) {
    if (g[a].input_count != g[b].input_count) return false;
    for (int i = 0; i < g[a].input_count;
         ++i)  // in one order, since coefficients do not count in it
      if (!is_multiple(g, g.input_of(a, i), g.input_of(b, i), times)) return false;
    return true;
  }
  if (coefficient_of(g, b).value() != bounded_product(times, coefficient_of(g, a).value()))
    return false;
  auto factors = [&](int const& id) {
    int const skipped = has_coefficient(g, id) ? 1 : 0;
    return g.is<op::mul>(id) ? items<int>(g.inputs(id).first + skipped, g[id].input_count - skipped)
                             : items<int>(&id, 1);
  };
  items<int> const x = factors(a), y = factors(b);
  bool same = x.size() == y.size();
  for (int i = 0; same && i < x.size(); ++i) same = x[i] == y[i];
  return same;
}

/// A coefficient times a node that has none, in normal form.
constexpr int scaled(rewriter& r, int id, coefficient c) {
  if (c.is(1)) return id;
  int const front = r.literal(c);
  if (!r.g.is<op::mul>(id)) {
    int const inputs[] = {front, id};
    return r.g.apply(identity<op::mul>(), inputs, 2);
  }
  list<int> inputs;
  inputs.reserve(r.g[id].input_count + 1);
  inputs.push_back(front);
  for (int i : r.g.inputs(id)) inputs.push_back(i);
  return r.g.apply(identity<op::mul>(), inputs.data(), inputs.size());
}

/// Collects the terms of a sum; nested sums and coefficients are taken apart, like terms merge.
class sum_of_terms {
 public:
  constexpr sum_of_terms(rewriter& r, element e) : r_(r), constant_(number_of(e, 0)) {}

  /// Adds c times a node in final form; a long sum that other nodes read too (`shared`) stays one
  /// term.
  constexpr void add(int id, coefficient c, bool shared = false) {
    id = r_.operand(id);
    if (r_.g.is<op::add>(id) && (!shared || r_.g[id].input_count <= most_shared)) {
      for (int i : r_.inputs(id)) add_term(i, c);
    } else {
      add_term(id, c);
    }
  }

  /// The sum in normal form; not yet final, since rules may apply.
  constexpr int build() {
    list<int> inputs;
    do merge();
    while (!gather(inputs));
    if (inputs.empty()) return r_.literal(constant_);
    return inputs.size() == 1 ? inputs[0]
                              : r_.g.apply(identity<op::add>(), inputs.data(), inputs.size());
  }

 private:
  /// The constant and the terms as operands. False where rules made something else of products:
  /// those are terms like any other now.
  constexpr bool gather(list<int>& inputs) {
    inputs.clear();
    inputs.reserve(terms_.size() + 1);
    if (!terms_.empty() && !constant_.is(0)) inputs.push_back(r_.literal(constant_));
    list<int> changed;
    int kept = 0;
    for (int i = 0; i < terms_.size(); ++i) {
      summand const t = terms_[i];
      int const product = scaled(r_, t.node, t.times);
      int const form = product == t.node ? product : r_.sealed(product);
      if (form == product) terms_[kept++] = t;
      (form == product ? inputs : changed).push_back(form);
    }
    terms_.shrink(kept);
    for (int form : changed) add(form, number_of(constant_.of, 1));
    return changed.empty();
  }
  constexpr void add_term(int id, coefficient c) {
    graph& g = r_.g;
    if (g.is_literal(id)) {
      coefficient value{c.of, g.literal_bits(id)};
      if (value.foldable() && multiply(value, c) && add_to(constant_, value)) return;
      terms_.push_back({id, c});
      return;
    }
    summand const t = split_coefficient(r_, id);
    coefficient both = t.times;
    if (multiply(both, c)) terms_.push_back({t.node, both});
    else terms_.push_back({id, c});
  }
  constexpr void merge() {
    graph const& g = r_.g;
    merge_sort(terms_, [&](summand const& a, summand const& b) {
      return stands_before(g, a.node, b.node);
    });
    int kept = 0;
    if (terms_.size() == 1) {
      if (terms_[0].times.is(0)) terms_.clear();
      return;
    }
    for (int i = 0; i < terms_.size(); ++i) {
      // Infinities and NaN do not cancel.
      bool const alike =
          kept > 0 && terms_[kept - 1].node == terms_[i].node && !g.is_literal(terms_[i].node);
      if (alike && r_.does<"like_terms">() && add_to(terms_[kept - 1].times, terms_[i].times))
        r_.log("like_terms");
      else terms_[kept++] = terms_[i];
      if (terms_[kept - 1].times.is(0) &&
          (i + 1 == terms_.size() || terms_[i + 1].node != terms_[kept - 1].node))
        --kept;
    }
    terms_.shrink(kept);
  }

  rewriter& r_;
  list<summand> terms_;
  coefficient constant_;
};

/// The normal form of add, sub and neg.
constexpr int normal_sum(rewriter& r, int raw) {
  graph& g = r.g;
  element const e = g.type(raw).element;
  coefficient const one = number_of(e, 1), minus = number_of(e, -1);
  sum_of_terms sum(r, e);
  bool const negate = g.is<op::neg>(raw), subtract = g.is<op::sub>(raw);
  int const count = g[raw].input_count;
  for (int i = 0; i < count; ++i)
    sum.add(g.input_of(raw, i), negate || (subtract && i == 1) ? minus : one, !negate);
  return sum.build();
}

}  // namespace kroton::rewrite
