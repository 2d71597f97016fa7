// Arithmetic of sparse matrices: with scalars, with dense operands, and with each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing/masking.hpp>
#include <kroton/ops/sparse/patterns.hpp>

namespace kroton {
namespace op {

// Not ops of any node: they name the conditions that operands have the same extents.
struct sparse_sum : core::named_condition<"sparse_sum"> {};
struct sparse_elementwise : core::named_condition<"sparse_elementwise"> {};
struct sparse_dot : core::named_condition<"sparse_dot"> {};

}  // namespace op

namespace ops {

template <class X>
constexpr bool is_sparse_factor() {
  if constexpr (typed<X>) return rank_of<X> == 0;
  else return number<X>;
}
/// A number or a scalar variable.
template <class X> concept sparse_scalar = is_sparse_factor<X>();
/// A dense vector, which is a row, or a dense matrix, also of one row or column.
template <class X> concept sparse_dense_factor = typed<X> && (rank_of<X> == 1 || rank_of<X> == 2);

/// Of a dense operand the elements at the places of a pattern.
template <class Op, class Value, bool ByRows>
constexpr term elements_at(sparse_matrix<Value, ByRows> const& a, term x) {
  sparse_parts const of = parts_of(a);
  term const line = line_numbers(of), row = ByRows ? line : of.index,
             column = ByRows ? of.index : line;
  if (x.rank() == 1) x = permute(x, {-1, 0});
  bool const one_row = x.type().broadcasts(0), one_column = x.type().broadcasts(1);
  if (!one_row) require_same<Op>(extent(x, 0), a.shape(0));
  if (!one_column) require_same<Op>(extent(x, 1), a.shape(1));
  if (one_row && one_column) return permute(x, {});
  if (one_row) return picked(permute(x, {1}), column);
  if (one_column) return picked(permute(x, {0}), row);
  return take(x, 3, 0, {row, column});
}
/// The values of a sparse matrix with those elements. What they ask of extents is asked of the
/// result, since nothing else may be left to read what asks.
template <sparse A, class X, class Combine>
constexpr auto combined(A const& a, X const& x, Combine const& combine) {
  int const conditions = a.value.of->constraints().size();
  auto const values = combine(a.data(), vector<value_type_of<X>>(expand_like(
                                            elements_at<op::sparse_elementwise>(a, x), a.value)));
  take_conditions(values, conditions);
  return a.with_data(values);
}

/// The places that one (or both, if `common`) of two matrices of the same extents have.
struct places_of_two {
  term index, bounds, count, first, second;
};
template <class Op>
constexpr places_of_two merged(sparse_parts const& a, sparse_parts const& b, bool common) {
  graph& g = a.of();
  require_same<Op>(a.inner, b.inner);
  list<int> inputs;
  for (term const& x : {a.index, a.start, b.index, b.start}) inputs.push_back(x.id);
  // Of the values, which stand first: what is asked of extents keeps those that are written.
  inputs.push_back((extent(a.value, 0) + extent(b.value, 0)).id);
  term const bounds{
      &g, g.apply(common ? identity<op::common_bounds>() : identity<op::united_bounds>(), inputs)};
  inputs.pop_back();
  term const count = count_of_values(bounds);
  inputs.push_back(count.id);
  inputs.push_back(output_of(bounds, 1).id);
  term const node{
      &g,
      g.apply(common ? identity<op::common_indices>() : identity<op::united_indices>(), inputs)};
  return {node, bounds, count, output_of(node, 1), output_of(node, 2)};
}
/// The sum (or difference): of values with one pattern, in one loop.
template <class A, class B, class Combine>
constexpr auto added(A const& a, B const& b, Combine const& combine, bool negative) {
  using value = value_type_of<decltype(combine(a.data(), b.data()))>;
  auto const other = by_lines<A::by_rows>(b);
  using result = sparse_matrix<value, A::by_rows>;
  if (a.has_members_of(other)) {
    auto const same = a.with_data(combine(a.data(), other.data()));
    return result{{}, same.value, same.index, same.start, same.inner};
  }
  graph& g = *a.value.of;
  int const conditions = g.constraints().size();
  auto const m = merged<op::sparse_sum>(parts_of(a), parts_of(other), false);
  element const e = core::element_of<value>();
  term second{&g, g.cast(other.value.id, e)};
  if (negative) second = -second;
  // Zeros in the shape of the indices, whose number is as it must be: nothing is left of the union
  // to be checked where it is not needed.
  term const zeros = call<op::mul>(m.index, 0);
  long long const attributes[] = {1, 0};
  int const of_first[] = {g.cast(zeros.id, e), g.cast(a.value.id, e), m.first.id};
  int const sum = g.apply(identity<op::inc_take>(), of_first, attributes);
  int const inputs[] = {sum, second.id, m.second.id};
  term const values{&g, g.apply(identity<op::inc_take>(), inputs, attributes)};
  take_conditions(values, conditions);
  return matrix_of<value, A::by_rows>({values, m.index, m.bounds, a.inner});
}
/// All elements, in an array with zeros.
template <class Value, bool ByRows>
constexpr term dense_of(sparse_matrix<Value, ByRows> const& a) {
  sparse_parts const of = parts_of(a);
  term const line = line_numbers(of);
  list<term> const extents{a.shape(0), a.shape(1)};
  list<term> at{ByRows ? line : of.index, ByRows ? of.index : line};
  return placed(of.value, extents, at);
}

}  // namespace ops

/// All elements of a sparse matrix, as a dense one. (theano.sparse.dense_from_sparse)
template <sparse A>
constexpr auto dense_from_sparse(A const& a) {
  return matrix<typename A::value_type>(ops::dense_of(a));
}

template <sparse A>
constexpr auto operator-(A const& a) {
  return a.with_data(-a.data());
}
/// A sparse matrix times a number or a scalar: each value.
template <sparse A, ops::sparse_scalar S>
constexpr auto operator*(A const& a, S const& s) {
  return a.with_data(a.data() * s);
}
template <ops::sparse_scalar S, sparse A>
constexpr auto operator*(S const& s, A const& a) {
  return a.with_data(s * a.data());
}
template <sparse A, ops::sparse_scalar S>
constexpr auto operator/(A const& a, S const& s) {
  return a.with_data(a.data() / s);
}
/// A sparse matrix times a dense one, elementwise: sparse, of the same pattern. A vector counts as
/// a row; a row or a column broadcasts. Extents that differ throw kt::shape_error.
/// (theano.sparse.mul)
template <sparse A, ops::sparse_dense_factor X>
constexpr auto operator*(A const& a, X const& x) {
  return ops::combined(a, x, [](auto const& v, auto const& e) { return v * e; });
}
template <ops::sparse_dense_factor X, sparse A>
constexpr auto operator*(X const& x, A const& a) {
  return a * x;
}
template <sparse A, ops::sparse_dense_factor X>
constexpr auto operator/(A const& a, X const& x) {
  return ops::combined(a, x, [](auto const& v, auto const& e) { return v / e; });
}
/// The product of two sparse matrices, elementwise, on the places that both have.
template <sparse A, sparse B>
constexpr auto operator*(A const& a, B const& b) {
  using value = value_type_of<decltype(a.data() * b.data())>;
  auto const other = ops::by_lines<A::by_rows>(b);
  using result = sparse_matrix<value, A::by_rows>;
  if (a.has_members_of(other)) {
    auto const same = a.with_data(a.data() * other.data());
    return result{{}, same.value, same.index, same.start, same.inner};
  }
  int const conditions = a.value.of->constraints().size();
  auto const m = ops::merged<op::sparse_elementwise>(ops::parts_of(a), ops::parts_of(other), true);
  term const values = ops::values_at(ops::parts_of(a), m.first) *
                      ops::values_at(ops::parts_of(other), m.second);
  ops::take_conditions(values, conditions);
  return ops::matrix_of<value, A::by_rows>({values, m.index, m.bounds, a.inner});
}
/// The sum of two sparse matrices, on the places that one of them has; by rows if the first is.
/// (theano.sparse.add)
template <sparse A, sparse B>
constexpr auto operator+(A const& a, B const& b) {
  return ops::added(a, b, [](auto const& x, auto const& y) { return x + y; }, false);
}
template <sparse A, sparse B>
constexpr auto operator-(A const& a, B const& b) {
  return ops::added(a, b, [](auto const& x, auto const& y) { return x - y; }, true);
}
/// The sum of a sparse matrix and a dense one, which is dense.
template <sparse A, ops::sparse_dense_factor X>
constexpr auto operator+(A const& a, X const& x) {
  return dense_from_sparse(a) + x;
}
template <ops::sparse_dense_factor X, sparse A>
constexpr auto operator+(X const& x, A const& a) {
  return x + dense_from_sparse(a);
}
template <sparse A, ops::sparse_dense_factor X>
constexpr auto operator-(A const& a, X const& x) {
  return dense_from_sparse(a) - x;
}
template <ops::sparse_dense_factor X, sparse A>
constexpr auto operator-(X const& x, A const& a) {
  return x - dense_from_sparse(a);
}

/// The product of two sparse matrices, which is sparse, by rows if the first one is. Its pattern is
/// that of the places to which a product of values contributes. (theano.sparse.dot)
template <sparse A, sparse B>
constexpr auto dot(A const& a, B const& b) {
  using value = ops::sparse_product_value<typename A::value_type, typename B::value_type>;
  constexpr bool rows = A::by_rows;
  auto const other = ops::by_lines<rows>(b);
  // By columns, the transpose: b'.a'.
  ops::sparse_parts const given = ops::parts_of(a), second = ops::parts_of(other),
                          left = rows ? given : second, right = rows ? second : given;
  graph& g = left.of();
  int const conditions = g.constraints().size();
  ops::require_same<op::sparse_dot>(left.inner, right.lines());
  int const patterns[] = {left.index.id, left.start.id, right.index.id, right.start.id,
                          right.inner.id};
  term const bounds{&g, g.apply(core::identity<op::product_bounds>(), patterns)};
  core::list<int> inputs;
  for (int id : patterns) inputs.push_back(id);
  inputs.push_back(ops::count_of_values(bounds).id);
  term const index{&g, g.apply(core::identity<op::product_indices>(), inputs)};
  element const e = core::element_of<value>();
  int const all[] = {g.cast(left.value.id, e),
                     g.cast(right.value.id, e),
                     left.index.id,
                     left.start.id,
                     right.index.id,
                     right.start.id,
                     index.id,
                     bounds.id,
                     right.inner.id};
  term const values{&g, g.apply(core::identity<op::sparse_product>(), all)};
  ops::take_conditions(values, conditions);
  return ops::matrix_of<value, rows>({values, index, bounds, right.inner});
}

}  // namespace kroton
