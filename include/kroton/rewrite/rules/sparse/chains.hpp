// Rules of products of several matrices, some of them sparse: the product of two sparse matrices
// takes far longer than the products of each with a dense operand, and has more values than both.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/linalg.hpp>
#include <kroton/rewrite/rules/sparse/factors.hpp>

namespace kroton::rewrite::rules {

/// The number of what indices count as rules find it elsewhere.
constexpr int known_inner_extent(rewriter& r, int id) {
  auto s = sparse_times_dense::of(r.g, id);
  int const known = r.representative(s.inner);
  if (known == s.inner) return -1;
  s.inner = known;
  return s.made(r);
}

/// The two factors of values that are a product of sparse matrices, at all of its places.
struct sparse_factor_pair {
  sparse_times_dense first{}, second{};
  bool exists = false;
};
constexpr sparse_factor_pair factors_of_product(rewriter& r, int values, line_pattern p) {
  graph& g = r.g;
  two_patterns const of = two_patterns::of_product(g, p);
  if (!of.first.exists() || !g.is<op::sparse_product>(values)) return {};
  auto const operands = [&](int k) {
    return line_pattern{g.input_of(values, k), g.input_of(values, k + 1)};
  };
  if (operands(2) != of.first || operands(4) != of.second || operands(6) != p) return {};
  int const between =
      r.make<op::add>({r.extent(of.second.start, 0), g.literal(-1, element::int64)});
  return {{g.input_of(values, 0), -1, of.first, between, true},
          {g.input_of(values, 1), -1, of.second, g.input_of(values, 8), true},
          true};
}

/// dot(dot(a, b), x) is dot(a, dot(b, x)), for sparse a and b.
constexpr int product_of_sparse_product(rewriter& r, int id) {
  auto const s = sparse_times_dense::of(r.g, id);
  sparse_factor_pair const f = factors_of_product(r, s.values, s.pattern);
  if (!f.exists) return -1;
  if (s.is_by_lines) return f.first.times(r, f.second.times(r, s.dense));
  return f.second.transposed_times(r, f.first.transposed_times(r, s.dense));
}

/// The product with a matrix by lines of the other kind is that with the matrix it was made of.
constexpr int product_of_turned(rewriter& r, int id) {
  auto const s = sparse_times_dense::of(r.g, id);
  turned_from const t = turned_from_of(r.g, s.pattern);
  if (!t.pattern.exists()) return -1;
  int const values = pattern_change{s.pattern, t.pattern, true}.values(r, s.values);
  if (values < 0 || r.g.type(values).rank == 0) return -1;
  return sparse_times_dense{values, s.dense, t.pattern, t.inner, !s.is_by_lines}.made(r);
}

/// Values that are a sampling, times numbers and vectors by line and by index.
struct scaled_sampling {
  int left = -1, right = -1;
  list<int> numbers;
};
constexpr scaled_sampling sampling_of(rewriter& r, int values, line_pattern p) {
  graph& g = r.g;
  scaled_sampling found;
  value_factors f;
  if (g.is<op::sampling>(values)) f.others.push_back(values);
  else f = factors_of(r, values, p);
  bool const is_one = f.others.size() == 1 && g.is<op::sampling>(f.others[0]) &&
                      p == line_pattern{g.input_of(f.others[0], 2), g.input_of(f.others[0], 3)};
  if (!is_one) return found;
  auto const scaled = [&](int x, list<int> const& by) {
    for (int v : by) x = scaled_rows(r, identity<op::mul>(), x, v);
    return x;
  };
  found.left = scaled(g.input_of(f.others[0], 0), f.of_lines);
  found.right = scaled(g.input_of(f.others[0], 1), f.of_indices);
  found.numbers = f.numbers;
  return found;
}

/// dot(a, c * dot(x, w)), for columns c, is dot(a, dot(c * x, w)): what is left are products of
/// three matrices, whose order a call may choose.
constexpr int scaled_rows_below_sparse(rewriter& r, int id) {
  graph& g = r.g;
  auto const s = sparse_times_dense::of(g, id);
  if (g.type(s.dense).rank != 2 || !g.is<op::mul>(s.dense)) return -1;
  list<int> columns;
  int product = -1;
  for (int f : r.inputs(s.dense)) {
    bool const is_column = g.type(f).rank == 2 && !g.type(f).spans(1, 2);
    if (is_column) columns.push_back(f);
    else if (g.is<op::dot>(f) && product < 0) product = f;
    else return -1;
  }
  if (product < 0 || g.type(g.input_of(product, 0)).rank != 2 ||
      g.type(g.input_of(product, 1)).rank != 2)
    return -1;
  columns.push_back(g.input_of(product, 0));
  int const rows = r.make(identity<op::mul>(), columns);
  return s.times(r, r.make<op::dot>({rows, g.input_of(product, 1)}));
}

/// Elements of dot(u, v.T()), for vectors or single columns u and v, at the places of a pattern,
/// times what varies by row or by column: all are factors by row and by column.
constexpr int factors_of_sampling(rewriter& r, int id) {
  graph& g = r.g;
  for (int f : r.inputs(id)) {
    if (!g.is<op::sampling>(f)) continue;
    line_pattern const p{g.input_of(f, 2), g.input_of(f, 3)};
    value_factors v = factors_of(r, id, p);
    int left = g.input_of(f, 0), right = g.input_of(f, 1);
    int const vectors = v.of_lines.size() + v.of_indices.size();
    if (g.type(left).rank == 1) {
      if (vectors == 2) continue;  // its own
      left = product_of(r, v.of_lines), right = product_of(r, v.of_indices);
    } else {
      // Of a matrix, all rows would be scaled, for the few that are read.
      if (vectors == 0 || g.type(left).spans(1, 2) || g.type(right).spans(1, 2)) continue;
      for (int k = 0; k < v.others.size(); ++k)
        if (v.others[k] == f) {
          v.others.erase(k);
          break;
        }
      for (int l : v.of_lines) left = scaled_rows(r, identity<op::mul>(), left, l);
      for (int i : v.of_indices) right = scaled_rows(r, identity<op::mul>(), right, i);
    }
    list<int> all = v.numbers;
    all.append(v.others.data(), v.others.size());
    all.push_back(sampled(r, left, right, p));
    return product_of(r, all);
  }
  return -1;
}

/// Elements of dot(g, x.T()) at the places of dot(a, b), times b.T(), at the places of a: those of
/// dot(g, dot(b, x).T()). Likewise a.T() times such elements, at the places of b. The gradients of
/// dot(dot(a, b), x) are so.
constexpr int sparse_product_of_sampling(rewriter& r, int id) {
  graph& g = r.g;
  auto const at = [&](int k) { return line_pattern{g.input_of(id, k), g.input_of(id, k + 1)}; };
  line_pattern const places = at(6);
  for (int side : {0, 1}) {
    line_pattern const of_sampling = at(side == 0 ? 2 : 4), turned = at(side == 0 ? 4 : 2);
    two_patterns const of = two_patterns::of_product(g, of_sampling);
    turned_from const other = turned_from_of(g, turned);
    if (!of.first.exists() || !other.pattern.exists()) continue;
    if ((side == 0 ? of.first : of.second) != places ||
        (side == 0 ? of.second : of.first) != other.pattern)
      continue;
    scaled_sampling s = sampling_of(r, g.input_of(id, side), of_sampling);
    if (s.left < 0) continue;
    int const values =
        pattern_change{turned, other.pattern, true}.values(r, g.input_of(id, 1 - side));
    if (values < 0 || g.type(values).rank == 0) continue;
    sparse_times_dense const factor{values, -1, other.pattern, other.inner, side == 0};
    int const left = side == 0 ? s.left : factor.times(r, s.left),
              right = side == 0 ? factor.times(r, s.right) : s.right;
    s.numbers.push_back(sampled(r, left, right, places));
    return product_of(r, s.numbers);
  }
  return -1;
}

}  // namespace kroton::rewrite::rules
