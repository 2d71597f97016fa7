// Patterns of sparse matrices: the line of each value, the pattern by lines of the other kind, and
// the patterns of sums and products. No gradients: only values have some.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/sparse/products.hpp>

namespace kroton {
namespace op {

/// Of each index the number of its line, as an int64 vector. Operands: indices, bounds of lines.
struct line_numbers : operation<"line_numbers", 2> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const& a) {
    return {element::int64, 1, a.input(0).broadcast};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 0, 0};
  }
};

/// The indices themselves, checked, as int32. Operands: indices of int32 or int64, bounds of lines,
/// the extent.
struct checked_indices : operation<"csr_from_parts", 3> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const& a) {
    return {element::int32, 1, a.input(0).broadcast};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 0, 0};
  }
};

/// A pattern by lines of the other kind. Operands: indices, bounds of lines, the number of what
/// indices count. Outputs: bounds, indices, and of each value the place that it had.
struct turned_pattern : operation<"turned_pattern", 3> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr int outputs = 3;
  static constexpr tensor_type type(core::application const& a, int output) {
    return {output == 2 ? element::int64 : element::int32, 1,
            output == 0 ? 0u : a.input(0).broadcast};
  }
  static constexpr core::extent_source extent(core::application const&, int, int output) {
    if (output == 0) return {core::extent_source::value, 2, 0, core::affine{1, 1, 1}};
    return {core::extent_source::dimension, 0, 0};
  }
};

/// The bounds of the lines of one matrix and, behind them, of another one. Operands: the bounds of
/// each, and how many there are in all.
struct joined_bounds : operation<"joined_bounds", 3> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const&) { return {element::int32, 1, 0}; }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::value, 2, 0};
  }
};

/// Base of the patterns of two matrices with as many lines. Operands: indices and bounds of lines
/// of each.
template <text Name, int Operands>
struct pattern_of_two : operation<Name, Operands> {
  static constexpr auto pullback = no_gradient;
  static constexpr void constraints(core::application const&,
                                    core::list<core::extent_pair>& pairs) {
    pairs.push_back(
        {{core::extent_source::dimension, 1, 0}, {core::extent_source::dimension, 3, 0}});
  }
};

/// Base of the bounds of lines of places that one of two patterns has, or both; and marks that say
/// of each place of their union which of the patterns have it. The fifth operand is how many values
/// there are in all. Of every 64 places there are four words of marks: how many values of the first
/// and of the second matrix stand before them, and a bit for each place that the first has, and the
/// second. Four words before these begin with the number of such groups.
template <text Name>
struct bounds_of_two : pattern_of_two<Name, 5> {
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const&, int output) {
    return {output == 0 ? element::int32 : element::int64, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int output) {
    if (output == 0) return {core::extent_source::dimension, 1, 0};
    return {core::extent_source::value, 4, 0, core::affine{1, 127, 16}};
  }
};
/// The places that one of two patterns has.
struct united_bounds : bounds_of_two<"united_bounds"> {
  static constexpr auto own = core::own_function::untyped;
};
/// The places that both have.
struct common_bounds : bounds_of_two<"common_bounds"> {
  static constexpr auto own = core::own_function::untyped;
};
/// The indices of these places, whose number is the fifth operand, from their marks, the sixth; and
/// of each value of the first and of the second matrix the place among them.
struct united_indices : pattern_of_two<"united_indices", 6> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr int outputs = 3;
  static constexpr tensor_type type(core::application const& a, int output) {
    if (output == 0) return {element::int32, 1, 0};
    return {element::int64, 1, a.input(output == 1 ? 0 : 2).broadcast};
  }
  static constexpr core::extent_source extent(core::application const&, int, int output) {
    if (output == 0) return {core::extent_source::value, 4, 0};
    return {core::extent_source::dimension, output == 1 ? 0 : 2, 0};
  }
};
/// Base of values of one of two matrices at the places that marks describe, which a loop makes as
/// it reads them. The attribute is 1 for the second matrix. Operands: the values, the marks, the
/// number of places. The optimizer makes it when gradients are known.
template <text Name>
struct values_at_marks : operation<Name, 3> {
  static constexpr bool takes_complex = true, takes_stored = true, generates = true;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::value, 2, 0};
  }
};
/// Those at the places that one of two patterns has: 0 where the matrix has none.
struct united_values : values_at_marks<"united_values"> {
  static constexpr auto own = core::own_function::untyped;
};
/// Of values at these places those that one of the matrices has. The attribute is 1 for the second
/// one. Operands: the values, the marks, the indices of the matrix.
struct values_of_united : operation<"values_of_united", 3> {
  static constexpr bool takes_complex = true, takes_stored = true;
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 1, a.input(2).broadcast};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 2, 0};
  }
};
/// The indices of the places that both patterns have, whose number is the fifth operand, from the
/// marks of the union, the sixth; and of each the value of the first and of the second matrix.
struct common_indices : pattern_of_two<"common_indices", 6> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr int outputs = 3;
  static constexpr tensor_type type(core::application const&, int output) {
    return {output == 0 ? element::int32 : element::int64, 1, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int) {
    return {core::extent_source::value, 4, 0};
  }
};
/// Those at the places that both patterns have.
struct common_values : values_at_marks<"common_values"> {
  static constexpr auto own = core::own_function::untyped;
};

/// The bounds of lines of a product. Operands: indices and bounds of lines of each factor, and the
/// number of what the indices of the second count.
struct product_bounds : operation<"product_bounds", 5> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const&) { return {element::int32, 1, 0}; }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 1, 0};
  }
};
/// Its indices, whose number is the sixth operand.
struct product_indices : operation<"product_indices", 6> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const&) { return {element::int32, 1, 0}; }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::value, 5, 0};
  }
};

/// The values of the product of two sparse matrices at the places of a pattern. Operands: the
/// values of both; indices and bounds of lines of the first, of the second, of the pattern, which
/// may have fewer lines than the first; the number of what the indices of the last two count.
struct sparse_product : operation<"sparse_product", 9> {
  static constexpr bool takes_complex = true;
  static constexpr auto own = core::own_function::typed;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 1, a.input(6).broadcast};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 6, 0};
  }
  static constexpr void constraints(core::application const&,
                                    core::list<core::extent_pair>& pairs) {
    using from = core::extent_source;
    pairs.push_back({{from::dimension, 0, 0}, {from::dimension, 2, 0}});
    pairs.push_back({{from::dimension, 1, 0}, {from::dimension, 4, 0}});
    pairs.push_back({{from::dimension, 3, 0}, {from::dimension, 7, 0}, core::condition::at_least});
  }
  static constexpr core::any_gradients pullback(term g, term, term a, term b, term ai, term ap,
                                                term bi, term bp, term ci, term cp, term inner);
};

}  // namespace op

namespace ops {

/// The values and the pattern of a matrix whose lines are those of one kind.
struct sparse_parts {
  term value, index, start, inner;

  constexpr term lines() const { return extent(start, 0) - 1; }
  constexpr graph& of() const { return *value.of; }
};
template <class Value, bool ByRows>
constexpr sparse_parts parts_of(sparse_matrix<Value, ByRows> const& a) {
  return {a.value, a.index, a.start, a.inner};
}
template <class Value, bool ByRows>
constexpr sparse_matrix<Value, ByRows> matrix_of(sparse_parts const& a) {
  return {{}, vector<Value>(a.value), ivector(a.index), ivector(a.start), lscalar(a.inner)};
}

/// Elements of a vector at positions.
constexpr term picked(term x, term at) { return take(x, 1, 0, {at}); }
/// Zeros of some extents, with values added where index vectors say, one for each extent.
constexpr term placed(term value, list<term> const& extents, list<term> const& at) {
  graph& g = *value.of;
  list<int> inputs{alloc({&g, g.literal(0, value.element())}, extents).id, value.id};
  for (term const& i : at) inputs.push_back(g.cast(i.id, element::int64));
  long long const attributes[] = {(1ll << extents.size()) - 1, 0};
  return {&g, g.apply(identity<op::inc_take>(), inputs, attributes)};
}
constexpr term line_numbers(sparse_parts const& a) {
  return {&a.of(), a.of().apply<op::line_numbers>({a.index.id, a.start.id})};
}
/// The same matrix by lines of the other kind.
constexpr sparse_parts turned(sparse_parts const& a) {
  term const node{&a.of(), a.of().apply<op::turned_pattern>({a.index.id, a.start.id, a.inner.id})};
  return {picked(a.value, output_of(node, 2)), output_of(node, 1), output_of(node, 0), a.lines()};
}
/// The number of values, the last bound.
constexpr term count_of_values(term bounds) {
  graph& g = *bounds.of;
  selection s{g, bounds, {bounds.id}};
  s.add(-1);
  return {&g, g.cast(permute({&g, s.node()}, {}).id, element::int64)};
}
/// Two numbers that have to be the same, checked by each call in the name of an op.
template <class Op>
constexpr void require_same(term a, term b) {
  if (a.id != b.id) a.of->constraints().push_back({a.id, b.id, core::identity<Op>()});
}

/// As many values as indices; others throw kt::shape_error. Products of what was joined are those
/// of each matrix, which ask for it no more.
constexpr void require_same_counts(sparse_parts const& a) {
  graph& g = a.of();
  require_same<op::with_data>({&g, extent_node(g, a.value.id, 0)},
                              {&g, extent_node(g, a.index.id, 0)});
}
/// A matrix by rows or by columns. The values that are selected may be read where they are.
template <bool ByRows, class Value, bool Given>
constexpr sparse_matrix<Value, ByRows> by_lines(sparse_matrix<Value, Given> const& a) {
  if constexpr (ByRows == Given) {
    return a;
  } else {
    int const conditions = a.value.of->constraints().size();
    require_same_counts(parts_of(a));
    sparse_parts const other = turned(parts_of(a));
    take_conditions(other.value, conditions);
    return matrix_of<Value, ByRows>(other);
  }
}
/// The values at places among those of a pattern. Kernels that copy them do not check these.
constexpr term values_at(sparse_parts const& a, term places) {
  int const conditions = a.of().constraints().size();
  require_same_counts(a);
  term const values = picked(a.value, places);
  take_conditions(values, conditions);
  return values;
}

}  // namespace ops

namespace op {

constexpr core::any_gradients sparse_product::pullback(term g, term, term a, term b, term ai,
                                                       term ap, term bi, term bp, term ci, term cp,
                                                       term inner) {
  graph& of = *g.of;
  term const between = ops::extent(bp, 0) - 1;
  ops::sparse_parts const left = ops::turned({a, ai, ap, between}),
                          right = ops::turned({b, bi, bp, inner});
  auto const at = [&](term x, term y, std::initializer_list<int> patterns) {
    core::list<int> inputs{x.id, y.id};
    for (int id : patterns) inputs.push_back(id);
    return term{&of, of.apply(core::identity<sparse_product>(), inputs)};
  };
  core::any_gradients found;
  found.terms.push_back(
      at(g, right.value, {ci.id, cp.id, right.index.id, right.start.id, ai.id, ap.id, between.id}));
  found.terms.push_back(
      at(left.value, g, {left.index.id, left.start.id, ci.id, cp.id, bi.id, bp.id, inner.id}));
  return found;
}

}  // namespace op
}  // namespace kroton
