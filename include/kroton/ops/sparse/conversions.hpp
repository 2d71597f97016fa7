// Sparse matrices from dense ones, from parts and from each other, their sums and diagonals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/ops/sparse/arithmetic.hpp>
#include <kroton/ops/sparse/pieces.hpp>

namespace kroton {
namespace op {

// Not the ops of any node: they name the condition that int32 can count what a result has.
struct sparse_lines : core::named_condition<"sparse_lines"> {};
struct kron : core::named_condition<"kron"> {};

}  // namespace op

/// A sparse matrix of the elements of a dense one that are not 0. Its pattern depends on the
/// elements, its gradient reaches those that are not 0. (theano.sparse.csr_from_dense)
template <typed X>
  requires(rank_of<X> == 2)
constexpr auto csr_from_dense(X const& x) {
  term const rows = ops::extent(x, 0), columns = ops::extent(x, 1);
  graph& g = *x.of;
  term const flat = ops::reshape(x, {rows * columns});
  vector<value_type_of<X>> const line(flat);
  term const at = nonzero(neq(line, value_type_of<X>(0)));
  auto const narrow = [&](term i) { return term{&g, g.cast(i.id, element::int32)}; };
  term const bounds = call<op::mul>(ops::iota(rows + 1), columns);
  return ops::matrix_of<value_type_of<X>, true>(
      {ops::picked(flat, at), narrow(call<op::mod>(at, columns)),
       narrow({&g, g.apply<op::searchsorted>({at.id, bounds.id}, {0})}), columns});
}
/// `csr_from_dense` by columns. (theano.sparse.csc_from_dense)
template <typed X>
  requires(rank_of<X> == 2)
constexpr auto csc_from_dense(X const& x) {
  return csr_from_dense(x.T()).T();
}

namespace ops {

template <class D> concept sparse_values = typed<D> && rank_of<D> == 1;
template <class I>
concept sparse_indices =
    typed<I> && rank_of<I> == 1 && core::is_integer(core::element_of<value_type_of<I>>());

/// Integers as int32, or as int64 if they are wider.
constexpr term as_index(term x) {
  bool const is_wide = core::bytes_of(x.element()) > 4;
  return {x.of, x.of->cast(x.id, is_wide ? element::int64 : element::int32)};
}
/// Bounds of lines as int32. Those that it does not hold become others that are not bounds either.
constexpr term as_bounds(term x) {
  term const bounds = as_index(x);
  constexpr long long most = (1ll << 31) - 1;
  // Of 0, 1 ... there are too many before one is too large; rules look for these.
  bool const is_held = bounds.element() == element::int32 || x.of->is<op::iota>(bounds.id);
  term const held =
      is_held ? bounds : call<op::minimum>(call<op::maximum>(bounds, -1), most);
  return {x.of, x.of->cast(held.id, element::int32)};
}

template <bool ByRows, class D, class I, class P, class M, class N>
constexpr auto sparse_from_parts(D const& data, I const& indices, P const& indptr, M const& rows,
                                 N const& columns) {
  graph& g = *data.of;
  term const lines = as_int64(g, ByRows ? term(as_int64(g, rows)) : term(as_int64(g, columns))),
             inner = as_int64(g, ByRows ? term(as_int64(g, columns)) : term(as_int64(g, rows)));
  int const index = as_index(indices).id, start = as_bounds(indptr).id;
  require_same<op::checked_indices>(extent(data, 0), extent(indices, 0));
  require_same<op::checked_indices>(extent(indptr, 0), lines + 1);
  term const checked{&g, g.apply<op::checked_indices>({index, start, inner.id})};
  return matrix_of<value_type_of<D>, ByRows>({data, checked, {&g, start}, inner});
}

}  // namespace ops

/// A sparse matrix from its values, the column of each, where rows begin and end, and its extents.
/// Throws kt::shape_error if numbers of elements do not fit, kt::value_error if an index is outside
/// the extent or does not ascend within its row, or if indptr does not ascend from 0 to the number
/// of values. (theano.sparse.CSR)
template <ops::sparse_values D, ops::sparse_indices I, ops::sparse_indices P, operand M, operand N>
constexpr auto csr_from_parts(D const& data, I const& indices, P const& indptr, M const& rows,
                              N const& columns) {
  return ops::sparse_from_parts<true>(data, indices, indptr, rows, columns);
}
/// `csr_from_parts` by columns: the indices are those of rows. (theano.sparse.CSC)
template <ops::sparse_values D, ops::sparse_indices I, ops::sparse_indices P, operand M, operand N>
constexpr auto csc_from_parts(D const& data, I const& indices, P const& indptr, M const& rows,
                              N const& columns) {
  return ops::sparse_from_parts<false>(data, indices, indptr, rows, columns);
}

/// The sum of all elements. Bools and signed integers give int64, unsigned ones uint64.
/// (theano.sparse.sp_sum)
template <sparse A>
constexpr auto sum(A const& a) {
  return sum(a.data());
}
/// The sums of columns (`kt::axis<0>`) or of rows (`kt::axis<1>`), a dense vector.
template <sparse A, int Axis>
constexpr auto sum(A const& a, axis_t<Axis>) {
  constexpr bool is_known = Axis == 0 || Axis == 1 || Axis == -1 || Axis == -2;
  static_assert(is_known, "kt::sum: a sparse matrix has the axes 0 and 1");
  constexpr bool of_columns = Axis == 0 || Axis == -2;
  using value = value_type_of<decltype(sum(a.data()))>;
  graph& g = *a.value.of;
  term const ones =
      ops::alloc({&g, g.literal(1, core::element_of<value>())}, {a.shape(of_columns ? 0 : 1)});
  auto const whole = a.with_data(core::as_type<value>(a.data()));
  return vector<value>(ops::times_dense<of_columns>(whole, ones));
}

/// The diagonal of a sparse matrix, a dense vector with zeros where no element is stored.
/// (theano.sparse.diag)
template <sparse A>
constexpr auto diag(A const& a) {
  using value = typename A::value_type;
  graph& g = *a.value.of;
  ops::sparse_parts const of = ops::parts_of(a);
  term const line = ops::line_numbers(of), column{&g, g.cast(a.index.id, element::int64)},
             zero{&g, g.literal(0, core::element_of<value>())},
             kept = call<op::where>(call<op::eq>(line, column), a.value, zero),
             count = call<op::minimum>(a.lines(), a.inner);
  core::list<term> const extents{a.lines()};
  term const whole = ops::placed(kept, extents, {line});
  return vector<value>(ops::axis_range(whole, 0, ops::integer(g, 0), count, 1));
}

namespace ops {

/// A number of values or of columns that int32 has to count; others throw kt::value_error.
template <class Op>
constexpr void require_countable(term n) {
  graph& g = *n.of;
  g.constraints().push_back(
      {n.id, integer(g, 1ll << 31).id, core::identity<Op>(), core::condition::index});
}
/// Lines behind each other.
template <class Value, bool ByRows>
constexpr sparse_matrix<Value, ByRows> joined_lines(sparse_matrix<Value, ByRows> const& a,
                                                    sparse_matrix<Value, ByRows> const& b) {
  graph& g = *a.value.of;
  int const conditions = g.constraints().size();
  require_same<op::sparse_sum>(a.inner, b.inner);
  require_same_counts(parts_of(a));
  require_same_counts(parts_of(b));
  term const bounds = extent(a.start, 0) + b.lines(), values = concatenate<0>(a.value, b.value);
  take_conditions(values, conditions);
  return {{},
          vector<Value>(values),
          ivector(concatenate<0>(a.index, b.index)),
          ivector(term{&g, g.apply<op::joined_bounds>({a.start.id, b.start.id, bounds.id})}),
          a.inner};
}
/// Lines side by side.
template <class Value, bool ByRows>
constexpr sparse_matrix<Value, ByRows> lines_beside(sparse_matrix<Value, ByRows> const& a,
                                                    sparse_matrix<Value, ByRows> const& b) {
  graph& g = *a.value.of;
  int const conditions = g.constraints().size();
  term const inner = term(a.inner) + b.inner;
  require_countable<op::sparse_lines>(inner);
  require_same<op::sparse_sum>(a.lines(), b.lines());
  require_same_counts(parts_of(a));
  require_same_counts(parts_of(b));
  term const bounds{&g, g.apply<op::beside_bounds>({a.start.id, b.start.id})},
      places{&g, g.apply<op::beside_places>({a.index.id, a.start.id, a.inner.id, b.index.id,
                                             b.start.id, b.inner.id,
                                             count_of_values(bounds).id})},
      values = picked(concatenate<0>(a.value, b.value), output_of(places, 1));
  take_conditions(values, conditions);
  return matrix_of<Value, ByRows>({values, places, bounds, inner});
}

}  // namespace ops

/// The rows of a, then those of b; by rows if a is. (theano.sparse.vstack)
template <sparse A, sparse B>
  requires std::same_as<typename A::value_type, typename B::value_type>
constexpr auto vstack(A const& a, B const& b) {
  auto const other = ops::by_lines<A::by_rows>(b);
  if constexpr (A::by_rows) return ops::joined_lines(a, other);
  else return ops::lines_beside(a, other);
}
/// The columns of a, then those of b; by rows if a is. (theano.sparse.hstack)
template <sparse A, sparse B>
  requires std::same_as<typename A::value_type, typename B::value_type>
constexpr auto hstack(A const& a, B const& b) {
  return vstack(a.T(), b.T()).T();
}

}  // namespace kroton
