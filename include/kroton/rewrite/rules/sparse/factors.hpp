// Rules of factors in products of sparse matrices with dense ones: numbers leave; what varies by
// row or by column scales a vector or the result, which are shorter than the values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/multiple.hpp>
#include <kroton/rewrite/rules/sparse/patterns.hpp>

namespace kroton::rewrite::rules {

/// The values of a sparse matrix as a product.
struct value_factors {
  list<int> numbers;               // scalars
  list<int> of_lines, of_indices;  // vectors, of which a value has an element by its line or index
  list<int> others;
  list<int> varying;  // all but the numbers
};
/// The factors of the values at the places of a pattern. Of vectors, a sampling is two factors.
constexpr value_factors factors_of(rewriter& r, int values, line_pattern p) {
  graph& g = r.g;
  value_factors found;
  list<int> all{values};
  if (g.is<op::mul>(values)) all = r.inputs(values);
  int const line = lines_of(r, p), index = indices_of(r, p);
  for (int f : all) {
    if (g.is<op::alloc>(f) && g.type(r.bare(f)).rank == 0 && !g.is_literal(r.bare(f), 1))
      f = r.bare(f);
    bool const is_outer = g.is<op::sampling>(f) && g.type(g.input_of(f, 0)).rank == 1 &&
                          p == line_pattern{g.input_of(f, 2), g.input_of(f, 3)};
    int own = -1;
    if (g.type(f).rank != 0) found.varying.push_back(f);
    if (g.type(f).rank == 0) {
      found.numbers.push_back(f);
    } else if (is_outer) {
      found.of_lines.push_back(g.input_of(f, 0));
      found.of_indices.push_back(g.input_of(f, 1));
    } else if (own = before_take(r, f, line); own >= 0) {
      found.of_lines.push_back(own);
    } else if (own = before_take(r, f, index); own >= 0) {
      found.of_indices.push_back(own);
    } else {
      found.others.push_back(f);
    }
  }
  return found;
}
constexpr int product_of(rewriter& r, list<int> const& factors) {
  return factors.size() == 1 ? factors[0] : r.make(identity<op::mul>(), factors);
}
/// The product of the factors that stay among the values.
constexpr int values_of(rewriter& r, list<int> const& others, element e, line_pattern p) {
  return others.empty() ? ones(r, e, r.extent(p.index, 0)) : product_of(r, others);
}

/// The result of a product times factors of its elements. Where nothing is stored it is 0, also
/// where a factor is infinite, such as the reciprocal of the sum of a row without values.
constexpr int scaled_result(rewriter& r, int product, list<int> const& factors) {
  graph& g = r.g;
  if (factors.empty()) return product;
  list<int> all = factors;
  all.push_back(product);
  int const scaled = r.make(identity<op::mul>(), all);
  element const e = g.type(product).element;
  if (!is_continuous(e)) return scaled;
  int const zero = r.literal(0, e);
  return r.make<op::where>({r.make<op::eq>({product, zero}), zero, scaled});
}

/// A vector as the factor of each column of a vector or matrix.
constexpr int as_column(rewriter& r, int v, int like) {
  return r.g.type(like).rank == 1 ? v : make_view(r, v, list<long long>{0, -1});
}
/// dot(c * a, x) is c * dot(a, x) for numbers c. For a vector x, dot(a * u, x) is dot(a, u * x) for
/// a row u, and dot(v * a, x) is v * dot(a, x) for a column v; a matrix may have more elements than
/// there are values.
constexpr int factors_of_sparse(rewriter& r, int id) {
  graph& g = r.g;
  auto s = sparse_times_dense::of(g, id);
  if (g.type(s.values).rank != 1 || g.type(s.values).broadcast != 0) return -1;
  value_factors f = factors_of(r, s.values, s.pattern);
  list<int>&inside = s.is_by_lines ? f.of_indices : f.of_lines,
  &outside = s.is_by_lines ? f.of_lines : f.of_indices;
  if (g.type(s.dense).rank == 2) {
    f.others = f.varying;
    inside = outside = {};
  }
  if (f.numbers.empty() && inside.empty() && outside.empty()) return -1;
  if (!inside.empty()) {
    inside.push_back(s.dense);
    s.dense = r.conform(r.make(identity<op::mul>(), inside), s.dense);
  }
  s.values = values_of(r, f.others, g.type(id).element, s.pattern);
  f.numbers.push_back(scaled_result(r, s.made(r), outside));
  return product_of(r, f.numbers);
}

/// dot(a, c * x) is c * dot(a, x) for numbers c, and dot(a, outer(x, y)) is outer(dot(a, x), y).
constexpr int factors_of_dense(rewriter& r, int id) {
  graph& g = r.g;
  auto s = sparse_times_dense::of(g, id);
  int const rank = g.type(s.dense).rank;
  list<int> numbers, rows, others, all{s.dense};
  if (g.is<op::add>(s.dense)) {
    summand const t = split_multiple(r, s.dense);
    if (t.node != s.dense) numbers.push_back(r.literal(t.times));
    all[0] = t.node;
  }
  if (g.is<op::mul>(all[0])) all = r.inputs(all[0]);
  else all[0] = r.bare(all[0]);
  bool is_narrow = rank == 2;  // but for the rows, all are numbers and columns
  for (int f : all) {
    if (g.type(f).rank == 0) {
      if (!g.is_literal(f, 1)) numbers.push_back(f);
    } else if (rank == 2 && !g.type(f).spans(0, 2)) {
      rows.push_back(f);
    } else {
      is_narrow = is_narrow && !g.type(f).spans(1, 2);
      others.push_back(f);
    }
  }
  if (!is_narrow) {
    others.append(rows.data(), rows.size());
    rows.clear();
  }
  if (numbers.empty() && rows.empty()) return -1;
  element const e = g.type(s.dense).element;
  int const extent = r.extent(s.dense, 0);
  if (others.empty()) {
    s.dense = ones(r, e, extent);
    if (rank == 2) s.dense = make_view(r, s.dense, list<long long>{0, -1});
  } else {
    s.dense = rows.empty() ? r.conform(product_of(r, others), s.dense) : product_of(r, others);
  }
  numbers.push_back(scaled_result(r, s.made(r), rows));
  return product_of(r, numbers);
}

/// A product with one column is that of a vector.
constexpr int sparse_times_column(rewriter& r, int id) {
  graph& g = r.g;
  auto const s = sparse_times_dense::of(g, id);
  if (g.type(s.dense).rank != 2 || !g.type(s.dense).broadcasts(1)) return -1;
  return make_view(r, s.times(r, make_view(r, s.dense, list<long long>{0})),
                   list<long long>{0, -1});
}

}  // namespace kroton::rewrite::rules
