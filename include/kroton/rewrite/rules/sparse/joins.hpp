// Rules of matrices whose lines stand behind each other or side by side, as of vstack and hstack:
// products are those of each, and the matrix need not be made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/pieces.hpp>
#include <kroton/rewrite/rules/sparse/patterns.hpp>
#include <kroton/rewrite/rules/views.hpp>

namespace kroton::rewrite::rules {

/// Patterns whose lines stand behind each other in one.
struct joined_patterns {
  list<line_pattern> parts;

  static constexpr joined_patterns of(graph const& g, line_pattern p) {
    joined_patterns found;
    if (!g.is<op::joined_bounds>(p.start) || !g.is<op::join>(p.index)) return found;
    int const indices = g[p.index].input_count - 1;
    list<int> starts;
    // Joins of joins may be one or not.
    if (indices == 2) starts = {g.input_of(p.start, 0), g.input_of(p.start, 1)};
    else add_bounds(g, p.start, starts);
    // A part of which the indices are joined in another way has no bounds of its own.
    if (indices != starts.size()) return found;
    for (int k = 0; k < starts.size(); ++k)
      found.parts.push_back({g.input_of(p.index, k + 1), starts[k]});
    return found;
  }
  constexpr bool exist() const { return !parts.empty(); }

 private:
  static constexpr void add_bounds(graph const& g, int start, list<int>& all) {
    if (!g.is<op::joined_bounds>(start)) return all.push_back(start);
    for (int k : {0, 1}) add_bounds(g, g.input_of(start, k), all);
  }
};

/// Takes parts of an operand, one behind the other along its first axis.
class parts_along_rows {
 public:
  constexpr parts_along_rows(rewriter& r, int whole) : r_(r), whole_(whole) {}

  /// The next `length` rows; `part` is their number among `of` parts.
  constexpr int next(int part, int of, int length) {
    graph& g = r_.g;
    bool const is_joined =
        g.is<op::join>(whole_) && g.attribute(whole_, 0) == 0 && g[whole_].input_count == of + 1;
    list<axis_selection> axes(g.type(whole_).rank, axis_selection{});
    axes[0] = {2, 1, first(), length};
    before_.push_back(length);
    return is_joined ? g.input_of(whole_, part + 1) : r_.settle(select(r_, whole_, axes));
  }

 private:
  constexpr int first() const {
    if (before_.empty()) return r_.g.literal(0, element::int64);
    return before_.size() == 1 ? before_[0] : r_.make(identity<op::add>(), before_);
  }

  rewriter& r_;
  int whole_;
  list<int> before_;  // their lengths
};

constexpr int lines_in(rewriter& r, line_pattern p) {
  return r.make<op::add>({r.extent(p.start, 0), r.g.literal(-1, element::int64)});
}
/// Parts joined along the first axis.
constexpr int joined(rewriter& r, list<int> const& parts, list<int> const& lengths) {
  list<int> inputs{r.make(identity<op::add>(), lengths)};
  inputs.append(parts.data(), parts.size());
  long long const axis[] = {0};
  return r.make(identity<op::join>(), inputs, axis);
}

/// dot(vstack(a, b), x) is the product of a and that of b; dot(hstack(a, b), x) is their sum.
constexpr int product_of_joined_lines(rewriter& r, int id) {
  auto const s = sparse_times_dense::of(r.g, id);
  tensor_type const type = r.g.type(s.values);
  joined_patterns const of = joined_patterns::of(r.g, s.pattern);
  if (!of.exist() || type.rank != 1 || type.broadcast != 0) return -1;
  int const count = of.parts.size();
  parts_along_rows values(r, s.values), rows(r, s.dense);
  list<int> products, lengths;
  for (int k = 0; k < count; ++k) {
    line_pattern const p = of.parts[k];
    lengths.push_back(lines_in(r, p));
    int const own = values.next(k, count, r.extent(p.index, 0)),
              dense = s.is_by_lines ? s.dense : rows.next(k, count, lengths[k]);
    products.push_back(sparse_times_dense{own, dense, p, s.inner, s.is_by_lines}.made(r));
  }
  return s.is_by_lines ? joined(r, products, lengths) : r.make(identity<op::add>(), products);
}

/// Elements of a product at the places of lines behind each other, such as gradients: those of some
/// rows of the first factor at the places of each matrix.
constexpr int sampling_of_joined_lines(rewriter& r, int id) {
  graph& g = r.g;
  int const left = g.input_of(id, 0), right = g.input_of(id, 1);
  joined_patterns const of = joined_patterns::of(g, {g.input_of(id, 2), g.input_of(id, 3)});
  if (!of.exist()) return -1;
  parts_along_rows rows(r, left);
  list<int> samplings, lengths;
  for (int k = 0; k < of.parts.size(); ++k) {
    line_pattern const p = of.parts[k];
    samplings.push_back(sampled(r, rows.next(k, of.parts.size(), lines_in(r, p)), right, p));
    lengths.push_back(r.extent(p.index, 0));
  }
  return joined(r, samplings, lengths);
}

/// Two patterns whose lines stand side by side in one.
struct patterns_beside {
  int places = -1;
  line_pattern parts[2]{};
  int inner[2]{-1, -1};

  static constexpr patterns_beside of(graph const& g, line_pattern p) {
    if (!g.is<op::beside_places>(p.index) || !g.is<op::beside_bounds>(p.start)) return {};
    patterns_beside const found = of_places(g, p.index);
    bool const are_same = g.input_of(p.start, 0) == found.parts[0].start &&
                          g.input_of(p.start, 1) == found.parts[1].start;
    return are_same ? found : patterns_beside{};
  }
  static constexpr patterns_beside of_places(graph const& g, int node) {
    auto const at = [&](int k) { return g.input_of(node, k); };
    return {node, {{at(0), at(1)}, {at(3), at(4)}}, {at(2), at(5)}};
  }
  constexpr bool exist() const { return places >= 0; }

  /// Those of values of the whole that are the values of part k.
  constexpr int values(rewriter& r, int id, int k, int depth = most_unshuffled) const {
    graph& g = r.g;
    if (g.type(id).rank == 0) return id;
    if (g.is<op::take>(id) && g[id].input_count == 2 && is_place(g, g.input_of(id, 1), 1)) {
      parts_along_rows all(r, g.input_of(id, 0));
      int const first = all.next(0, 2, r.extent(parts[0].index, 0));
      return k == 0 ? first : all.next(1, 2, r.extent(parts[1].index, 0));
    }
    if (g[id].op->elementwise && g[id].input_count > 0 && depth > 0) {
      list<int> operands = r.inputs(id);
      for (int& o : operands) o = values(r, o, k, depth - 1);
      return pattern_change::function_of(r, id, operands);
    }
    int const taken[] = {id, r.make<op::item>({places}, {2 + k})};
    long long const attributes[] = {1, 0};
    return r.make(identity<op::take>(), taken, attributes);
  }
  /// Whether a node is an output of the places.
  constexpr bool is_place(graph const& g, int at, int output) const {
    return g.is<op::item>(at) && g.input_of(at, 0) == places && g.attribute(at, 0) == output;
  }
};

/// dot(hstack(a, b), x), by rows, is dot(a, x(0 : n)) + dot(b, x(n : )); likewise for the
/// transpose.
constexpr int product_of_lines_beside(rewriter& r, int id) {
  auto const s = sparse_times_dense::of(r.g, id);
  tensor_type const type = r.g.type(s.values);
  auto const of = patterns_beside::of(r.g, s.pattern);
  if (!of.exist() || type.rank != 1 || type.broadcast != 0) return -1;
  parts_along_rows rows(r, s.dense);
  list<int> products, lengths;
  for (int k : {0, 1}) {
    int const dense = s.is_by_lines ? rows.next(k, 2, of.inner[k]) : s.dense,
              values = of.values(r, s.values, k);
    products.push_back(
        sparse_times_dense{values, dense, of.parts[k], of.inner[k], s.is_by_lines}.made(r));
    lengths.push_back(of.inner[k]);
  }
  return s.is_by_lines ? r.make(identity<op::add>(), products) : joined(r, products, lengths);
}

/// Elements of a product at the places of lines side by side: those at the places of each matrix.
constexpr int sampling_of_lines_beside(rewriter& r, int id) {
  graph& g = r.g;
  auto const of = patterns_beside::of(g, {g.input_of(id, 2), g.input_of(id, 3)});
  if (!of.exist()) return -1;
  int const left = g.input_of(id, 0);
  parts_along_rows rows(r, g.input_of(id, 1));
  list<int> samplings, lengths;
  for (int k : {0, 1}) {
    samplings.push_back(sampled(r, left, rows.next(k, 2, of.inner[k]), of.parts[k]));
    lengths.push_back(r.extent(of.parts[k].index, 0));
  }
  int const taken[] = {joined(r, samplings, lengths), r.make<op::item>({of.places}, {1})};
  long long const attributes[] = {1, 0};
  return r.make(identity<op::take>(), taken, attributes);
}

/// Gradients by the values of two matrices whose lines stand side by side: all places are taken, so
/// that those of each are behind each other.
constexpr int values_from_beside(rewriter& r, int id) {
  graph& g = r.g;
  if (g[id].input_count != 3 || !g.is_literal(r.bare(g.input_of(id, 0)), 0)) return -1;
  int const at = g.input_of(id, 2), places = g.is<op::item>(at) ? g.input_of(at, 0) : -1,
            values = g.input_of(id, 1);
  if (places < 0 || !g.is<op::beside_places>(places) || g.attribute(at, 0) != 1) return -1;
  if (g.type(values).rank != 1 || g.type(values).broadcast != 0) return -1;
  auto const of = patterns_beside::of_places(g, places);
  list<int> parts, lengths;
  for (int k : {0, 1}) {
    parts.push_back(of.values(r, values, k));
    if (g.type(parts[k]).rank != 1) return -1;
    lengths.push_back(r.extent(of.parts[k].index, 0));
  }
  return joined(r, parts, lengths);
}

}  // namespace kroton::rewrite::rules
