// Sums over all steps of which only the total is read: products of what the steps give.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/accumulated.hpp>
#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/ops/loop/rows.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// A state to which each step adds something, and which nothing else reads.
struct running_sum {
  enum kind { none, outer, product, plain } is = none;
  // The factors, in the body, of a product that of the transposed left one; of a plain sum the
  // addend is on the left
  int left = -1, right = -1;
  // Whether the left factor of a product is what the body transposes
  bool transposed = false;
};

/// Finds such states of a body in normal form. Worth more than a loop of additions are: outer
/// products of a column and a row, products of matrices, and what is an output anyway.
class running_sums {
 public:
  constexpr explicit running_sums(loop_form& form) : form_(form), body_(form.body) {}

  constexpr running_sum find(int tape) {
    running_sum sum;
    if (form_.parts.tapes[tape].kind != tape_kind::shared) return sum;
    int const addend = accumulated_by<op::add>(form_, tape);
    if (addend < 0) return sum;
    int const rank = body_.type(addend).rank;
    if (rank == 2 && body_.is<op::dot>(addend) && rank_of_input(addend, 0) == 2 &&
        rank_of_input(addend, 1) == 2)
      sum = matrix_product(body_.input_of(addend, 0), body_.input_of(addend, 1));
    else if (rank == 2 && body_.type(addend).broadcast == 0 && body_.is<op::mul>(addend))
      sum = outer_product(addend);
    if (sum.is == running_sum::none && is_output(addend)) sum = {running_sum::plain, addend, -1};
    return sum;
  }

 private:
  constexpr int rank_of_input(int id, int k) const {
    return body_.type(body_.input_of(id, k)).rank;
  }
  constexpr bool is_output(int node) const {
    for (int t = 0; t < form_.parts.tapes.size(); ++t)
      if (form_.is_output(t) && body_.results()[t] == node) return true;
    return false;
  }
  constexpr running_sum matrix_product(int left, int right) const {
    bool const transposed = body_.is<op::dimshuffle>(left) && body_.attribute(left, 0) == 1 &&
                            body_.attribute(left, 1) == 0;
    return {running_sum::product, transposed ? body_.input_of(left, 0) : left, right, transposed};
  }
  // A product of factors that vary along the first axis and of others that vary along the second.
  constexpr running_sum outer_product(int product) {
    list<int> columns, rows;
    for (int f : body_.inputs(product)) {
      tensor_type const& type = body_.type(f);
      bool const along_first = type.rank == 2 && !type.broadcasts(0);
      bool const along_second = type.rank > 0 && !type.broadcasts(type.rank - 1);
      if (along_first && along_second) return {};
      if (along_second) rows.push_back(f);
      else columns.push_back(f);
    }
    running_sum sum;
    if (!rows.empty() && !columns.empty())
      sum = {running_sum::outer, product_of(columns), product_of(rows)};
    return sum;
  }
  constexpr int product_of(list<int> const& factors) {
    list<int> vectors;
    for (int f : factors)
      if (int const v = as_vector(f); v >= 0) vectors.push_back(v);
    list<int> const of = vectors.size() == factors.size() ? vectors : factors;
    return of.size() == 1 ? of[0] : body_.apply(identity<op::mul>(), of);
  }
  // A column or a row that is an elementwise function of vectors, as that function of them; -1 for
  // anything else.
  constexpr int as_vector(int id) {
    if (body_.type(id).rank < 2) return id;
    if (body_.is<op::dimshuffle>(id) && body_.type(body_.input_of(id, 0)).rank == 1)
      return body_.input_of(id, 0);
    if (!body_[id].op->elementwise) return -1;
    list<int> vectors;
    for (int k = 0; k < body_[id].input_count; ++k) {
      int const in = body_.input_of(id, k);
      // In a row a vector stands for itself, in a column it would span the second axis.
      int const v = as_vector(in);
      if (v < 0) return -1;
      vectors.push_back(v);
    }
    if (body_.is<op::cast>(id)) return body_.cast(vectors[0], body_.type(id).element);
    return body_.apply(body_[id].op, vectors, body_.attributes(id));
  }

  loop_form& form_;
  graph& body_;
};

constexpr list<int> extents_inside(loop_form& form, int id) {
  list<int> extents;
  for (int d = 0; d < form.body.type(id).rank; ++d)
    extents.push_back(extent_node(form.body, id, d));
  return extents;
}
/// The rows of a stack one below the other: (n, a, b) as (n * a, b).
constexpr term rows_of_all_steps(term stack) {
  term const count = extent(stack, 0) * extent(stack, 1);
  int const operands[] = {stack.id, count.id, extent(stack, 2).id};
  return {stack.of, stack.of->apply(identity<op::reshape>(), operands)};
}
/// The elements of each row of a stack along one axis: (n, a, 1) or (n, 1, a) as (n, a).
constexpr term vectors_of_all_steps(term stack, int axis) {
  if (stack.rank() == 2) return stack;
  int const operands[] = {stack.id, extent(stack, 0).id, extent(stack, axis).id};
  return {stack.of, stack.of->apply(identity<op::reshape>(), operands)};
}
constexpr term product(term a, term b) { return {a.of, a.of->apply<op::dot>({a.id, b.id})}; }
constexpr term transposed(term x) { return permute(x, list<int>{1, 0}); }

constexpr term total_of(running_sum const& sum_of, term left, term right) {
  switch (sum_of.is) {
    case running_sum::outer:
      return product(transposed(vectors_of_all_steps(left, 1)),
                     vectors_of_all_steps(right, right.rank() - 1));
    case running_sum::product:
      if (!sum_of.transposed) left = permute(left, list<int>{0, 2, 1});
      return product(transposed(rows_of_all_steps(left)), rows_of_all_steps(right));
    default: return sum(left, axis<0>);
  }
}

/// Totals of sums over the steps, from outputs in their place.
constexpr bool take_sums_out(graph const& g, int id, graph& made) {
  loop_form before = form_of(g, id);
  if (before.parts.stops) return false;
  running_sums sums(before);
  list<running_sum> found;
  list<added_output> factors;
  for (int t = 0; t < before.parts.tapes.size(); ++t) {
    running_sum sum = sums.find(t);
    list<added_output> of_sum;
    if (sum.left >= 0) of_sum.push_back({sum.left, extents_inside(before, sum.left)});
    if (sum.right >= 0) of_sum.push_back({sum.right, extents_inside(before, sum.right)});
    for (added_output const& f : of_sum)
      if (!follow_from_extents(before, f.extents)) sum = {};
    if (sum.is != running_sum::none)
      for (added_output const& f : of_sum) factors.push_back(f);
    found.push_back(sum);
  }
  if (factors.empty()) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    outside_copy outside(to, form);
    lift_conditions(g, image, form, outside);
    loop_change change;
    for (running_sum const& sum : found) change.dropped.push_back(sum.is != running_sum::none);
    change.outputs = factors;
    for (added_output& factor : change.outputs)
      for (int& e : factor.extents) e = outside.copy(e);
    keep_extents(form, outside, change);
    loop_form const less = changed(form, change);
    int const node = record_scan(to, less.parts, less.body);
    int kept = 0, added = 0;
    for (bool gone : change.dropped) added += gone ? 0 : 1;
    list<int> results;
    for (int t = 0; t < found.size(); ++t) {
      if (found[t].is == running_sum::none) {
        results.push_back(output_of({&to, node}, kept++).id);
        continue;
      }
      term const start{&to, form.parts.tapes[t].start};
      // Factors may be of other element types than their product.
      auto next = [&] {
        return term{&to, to.cast(output_of({&to, node}, added++).id, start.element())};
      };
      term const left = next();
      term right{};
      if (found[t].right >= 0) right = next();
      term const total = start + total_of(found[t], left, right);
      results.push_back(to.cast(total.id, start.element()));
    }
    return list<list<int>>{results};
  });
  return true;
}
constexpr graph with_sums_outside(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &take_sums_out);
}

}  // namespace kroton::loops
