// Parts of sparse matrices: elements, rows and columns, triangles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/conversions.hpp>

namespace kroton {
namespace op {

// Not the op of any node: it names the condition on indices.
struct sparse_element : core::named_condition<"sparse_element"> {};

}  // namespace op

namespace ops {

constexpr term wide(term x) { return {x.of, x.of->cast(x.id, element::int64)}; }

/// An index, counted from the end if it is negative; others throw kt::value_error.
template <class I>
constexpr lscalar checked_position(graph& g, I const& index, term count) {
  term at = as_int64(g, index);
  at = call<op::where>(call<op::lt>(at, 0), at + count, at);
  g.constraints().push_back(
      {at.id, count.id, core::identity<op::sparse_element>(), core::condition::index});
  return lscalar(at);
}
/// Where the values of a line are.
template <class Value, bool ByRows>
constexpr auto values_of_line(sparse_matrix<Value, ByRows> const& a, lscalar line) {
  graph& g = *a.value.of;
  return slice(lscalar(as_int64(g, a.start(line))), lscalar(as_int64(g, a.start(line + 1))));
}

template <class Value, bool ByRows, class I, class J>
constexpr scalar<Value> sparse_element(sparse_matrix<Value, ByRows> const& a, I const& i,
                                       J const& j) {
  graph& g = *a.value.of;
  lscalar const row = checked_position(g, i, a.shape(0)),
                column = checked_position(g, j, a.shape(1)), line = ByRows ? row : column,
                other = ByRows ? column : row;
  auto const part = values_of_line(a, line);
  auto const found = where(eq(a.index(part), other), a.value(part), Value(0));
  return core::as_type<Value>(sum(found));
}
/// A line, dense.
template <class Value, bool ByRows, class I>
constexpr vector<Value> one_line(sparse_matrix<Value, ByRows> const& a, I const& i) {
  auto const part = values_of_line(a, checked_position(*a.value.of, i, a.lines()));
  list<term> const extents{a.inner}, at{a.index(part)};
  return vector<Value>(placed(a.value(part), extents, at));
}
/// Of each line the element with this index, dense.
template <class Value, bool ByRows, class I>
constexpr vector<Value> across_lines(sparse_matrix<Value, ByRows> const& a, I const& i) {
  graph& g = *a.value.of;
  term const at = checked_position(g, i, a.inner), zero{&g, g.literal(Value(0), a.value.element())},
             kept = call<op::where>(call<op::eq>(wide(a.index), at), a.value, zero);
  list<term> const extents{a.lines()};
  return vector<Value>(placed(kept, extents, {line_numbers(parts_of(a))}));
}

template <class B, class E>
struct bounds_of_slice {
  term begin, end;
  constexpr bounds_of_slice(graph& g, slice_t<B, E> const& part, term count)
      : begin(bound(g, part.begin, count, integer(g, 0), integer(g, 0), count)),
        end(call<op::maximum>(bound(g, part.end, count, count, integer(g, 0), count), begin)) {
    if (part.step < 1)
      g.fail("kt: rows and columns of a sparse matrix are selected by slices whose step is "
             "positive");
  }
};
/// How many numbers a slice selects.
constexpr term count_of_steps(term begin, term end, long long step) {
  return call<op::floordiv>(end - begin + (step - 1), step);
}
template <class Value, bool ByRows, class B, class E>
constexpr sparse_matrix<Value, ByRows> some_lines(sparse_matrix<Value, ByRows> const& a,
                                                  slice_t<B, E> const& part) {
  graph& g = *a.value.of;
  bounds_of_slice const bounds(g, part, a.lines());
  lscalar const begin(bounds.begin), end(bounds.end);
  if (part.step != 1) {
    term const selected = begin + iota(count_of_steps(begin, end, part.step)) * part.step;
    return matrix_of<Value, ByRows>(listed_lines(parts_of(a), selected));
  }
  lscalar const first(as_int64(g, a.start(begin))), last(as_int64(g, a.start(end)));
  auto const values = slice(first, last);
  return {{},
          vector<Value>(a.value(values)),
          ivector(a.index(values)),
          ivector(a.start(slice(begin, end + 1)) - a.start(begin)),
          a.inner};
}
template <class Value, bool ByRows, sparse_indices I>
constexpr sparse_matrix<Value, ByRows> some_lines(sparse_matrix<Value, ByRows> const& a,
                                                  I const& lines) {
  return matrix_of<Value, ByRows>(listed_lines(parts_of(a), wide(lines)));
}
/// Those whose indices are selected.
template <class Value, bool ByRows, class B, class E>
constexpr sparse_matrix<Value, ByRows> some_indices(sparse_matrix<Value, ByRows> const& a,
                                                    slice_t<B, E> const& part) {
  graph& g = *a.value.of;
  bounds_of_slice const bounds(g, part, a.inner);
  if (part.step != 1) {
    term const count = count_of_steps(bounds.begin, bounds.end, part.step);
    return matrix_of<Value, ByRows>(stepped_of(parts_of(a), bounds.begin, count, part.step));
  }
  return matrix_of<Value, ByRows>(values_between(parts_of(a), bounds.begin, bounds.end, false));
}
template <class Value, bool ByRows, sparse_indices I>
constexpr sparse_matrix<Value, ByRows> some_indices(sparse_matrix<Value, ByRows> const& a,
                                                    I const& indices) {
  return matrix_of<Value, ByRows>(chosen_of(parts_of(a), wide(indices)));
}

// Only the step tells `kt::slice()` from every other row, so that both have one type.
template <class X>
inline constexpr bool may_be_whole_slice = std::is_same_v<X, slice_t<none_t, none_t>>;
template <class X>
inline constexpr bool is_slice_of_lines = false;
template <class B, class E>
inline constexpr bool is_slice_of_lines<slice_t<B, E>> = true;
/// What selects several rows or columns.
template <class X> concept sparse_selection = is_slice_of_lines<X> || sparse_indices<X>;

template <sparse A, class R>
constexpr auto rows_of(A const& a, R const& rows) {
  if constexpr (may_be_whole_slice<R>)
    if (rows.step == 1) return a;
  if constexpr (A::by_rows) return some_lines(a, rows);
  else return some_indices(a, rows);
}
template <sparse A, class I>
constexpr auto row_of(A const& a, I const& row) {
  if constexpr (A::by_rows) return one_line(a, row);
  else return across_lines(a, row);
}
template <sparse A, class R, class C>
constexpr auto selected(A const& a, R const& rows, C const& columns) {
  if constexpr (is_index<R>() && is_index<C>()) return sparse_element(a, rows, columns);
  else if constexpr (is_index<R>()) return row_of(a, rows)(columns);
  else if constexpr (is_index<C>()) return row_of(a.T(), columns)(rows);
  else return rows_of(rows_of(a, rows).T(), columns).T();
}
template <class X>
inline constexpr bool selects_in_sparse = is_index<X>() || sparse_selection<X>;

}  // namespace ops

template <class Value, bool ByRows>
template <class... I>
constexpr auto sparse_matrix<Value, ByRows>::operator()(I const&... places) const {
  constexpr bool are_known =
      (sizeof...(I) == 1 || sizeof...(I) == 2) && (ops::selects_in_sparse<I> && ...);
  constexpr bool are_lists = sizeof...(I) == 2 && (ops::sparse_indices<I> && ...);
  if constexpr (are_known && !are_lists) {
    if constexpr (sizeof...(I) == 1) return ops::selected(*this, places..., slice());
    else return ops::selected(*this, places...);
  } else {
    static_assert(are_known,
                  "kt: of a sparse matrix a(rows) or a(rows, columns) are selected, each by an "
                  "integer, a kt::slice or a vector of integers");
    static_assert(!are_lists,
                  "kt: rows and columns of a sparse matrix are selected by two vectors of integers "
                  "one after the other: a(rows)(kt::slice(), columns)");
    return *this;
  }
}

namespace ops {

/// The stored elements whose column - row is from `first` up to, but not including, `end`.
template <sparse A>
constexpr A diagonals_between(A const& a, long long first, long long end) {
  sparse_parts const of = parts_of(a);
  graph& g = of.of();
  // Of a matrix by columns, row - column.
  term const low = integer(g, A::by_rows ? first : 1 - end),
             high = integer(g, A::by_rows ? end : 1 - first);
  return matrix_of<typename A::value_type, A::by_rows>(values_between(of, low, high, true));
}
inline constexpr long long past_all_diagonals = 1ll << 32;

}  // namespace ops

/// The stored elements on the diagonal k and below it, whose column - row is at most k.
/// (scipy.sparse.tril)
template <sparse A>
constexpr A tril(A const& a, int k = 0) {
  return ops::diagonals_between(a, -ops::past_all_diagonals, k + 1ll);
}
/// Those on it and above. (scipy.sparse.triu)
template <sparse A>
constexpr A triu(A const& a, int k = 0) {
  return ops::diagonals_between(a, k, ops::past_all_diagonals);
}

}  // namespace kroton
