// Multiples of one matrix product, and of what is added to it, become one multiple each: a gemm has
// one factor for the product and one for the sum.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/laws.hpp>

namespace kroton::rewrite::rules {

/// The factors of a term that are numbers, and the product of the others (-1 for none).
struct scaled_tensor {
  list<int> numbers;
  int tensor = -1;
};
constexpr scaled_tensor split_numbers(rewriter& r, int term) {
  graph& g = r.g;
  scaled_tensor result;
  if (!g.is<op::mul>(term)) {
    if (g.type(term).rank == 0) result.numbers.push_back(term);
    else result.tensor = term;
    return result;
  }
  list<int> tensors;
  for (int f : r.inputs(term)) (g.type(f).rank == 0 ? result.numbers : tensors).push_back(f);
  if (!tensors.empty())
    result.tensor = tensors.size() == 1 ? tensors[0] : r.make(identity<op::mul>(), tensors);
  return result;
}
constexpr bool has_scaled_dot(rewriter& r, int sum) {
  for (int t : r.g.inputs(sum)) {
    if (r.g.is<op::dot>(t)) return true;
    if (!r.g.is<op::mul>(t)) continue;
    bool dot = false, alone = true;
    for (int f : r.g.inputs(t)) {
      bool const product = r.g.is<op::dot>(f) && !dot;
      dot = dot || product;
      alone = alone && (product || r.g.type(f).rank == 0);
    }
    if (dot && alone) return true;
  }
  return false;
}

/// b * (dot(x, y) + z) is b * dot(x, y) + b * z for numbers b.
constexpr int multiple_of_dot_and_more(rewriter& r, int id) {
  graph& g = r.g;
  if (!has_normal_form(g.type(id).element)) return -1;
  int sum = -1;
  list<int> numbers;
  for (int f : r.inputs(id)) {
    if (g.type(f).rank == 0) numbers.push_back(f);
    else if (sum < 0 && g.is<op::add>(f)) sum = f;
    else return -1;
  }
  if (sum < 0 || numbers.empty() || !has_scaled_dot(r, sum)) return -1;
  list<int> terms = r.inputs(sum);
  for (int& t : terms) {
    list<int> factors = numbers;
    factors.push_back(t);
    t = r.make(identity<op::mul>(), factors);
  }
  return r.make(identity<op::add>(), terms);
}

/// a * dot(x, y) + b * dot(x, y) + c * z + d * z is (a + b) * dot(x, y) + (c + d) * z for numbers.
constexpr int multiples_of_dot(rewriter& r, int id) {
  graph& g = r.g;
  if (!has_normal_form(g.type(id).element) || g.type(id).rank == 0 || !has_scaled_dot(r, id))
    return -1;
  list<int> terms = r.inputs(id);
  list<scaled_tensor> parts;
  for (int t : terms) parts.push_back(split_numbers(r, t));
  auto factor = [&](scaled_tensor const& part) {
    if (part.numbers.empty()) return r.literal(1, g.type(id).element);
    return part.numbers.size() == 1 ? part.numbers[0] : r.make(identity<op::mul>(), part.numbers);
  };
  bool changed = false;
  for (int i = 0; i < terms.size(); ++i) {
    if (parts[i].tensor < 0) continue;
    list<int> factors;
    for (int j = terms.size() - 1; j > i; --j) {
      if (parts[j].tensor != parts[i].tensor) continue;
      factors.push_back(factor(parts[j]));
      parts.erase(j);
      terms.erase(j);
    }
    if (factors.empty()) continue;
    factors.push_back(factor(parts[i]));
    int const both = r.make(identity<op::add>(), factors);
    terms[i] = r.make<op::mul>({both, parts[i].tensor});
    changed = true;
  }
  if (!changed) return -1;
  return terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
}

}  // namespace kroton::rewrite::rules
