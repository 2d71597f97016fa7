// Parts of sparse matrices: elements, rows and columns, triangles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/scans.hpp>
#include <kroton/ops/sparse/conversions.hpp>

namespace kroton {
namespace op {

// Not the ops of any node: they name conditions. On indices:
struct sparse_element : core::named_condition<"sparse_element"> {};
// That int32 can count what a result has.
struct sparse_lines : core::named_condition<"sparse_lines"> {};
struct kron : core::named_condition<"kron"> {};

}  // namespace op

namespace ops {

constexpr term wide(term x) { return {x.of, x.of->cast(x.id, element::int64)}; }
constexpr term narrow(term x) { return {x.of, x.of->cast(x.id, element::int32)}; }
constexpr term both(term a, term b) { return call<op::bit_and>(a, b); }

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

/// The values for which a condition holds, on the same lines; indices are among `inner` others.
constexpr sparse_parts filtered(sparse_parts const& a, term condition, term index, term inner) {
  graph& g = a.of();
  term const at = nonzero(vector<bool>(condition)), bounds = wide(a.start);
  return {picked(a.value, at), narrow(picked(index, at)),
          narrow({&g, g.apply<op::searchsorted>({at.id, bounds.id}, {0})}), inner};
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
/// A number of values or of columns that int32 has to count; others throw kt::value_error.
template <class Op>
constexpr void require_countable(term n) {
  graph& g = *n.of;
  g.constraints().push_back(
      {n.id, integer(g, 1ll << 31).id, core::identity<Op>(), core::condition::index});
}
/// Where the values of lines with these numbers of values are stored; for the result of Op.
template <class Op>
struct line_places {
  term begin, bounds;  // of each line among the values; the same and where the last one ends
  term line, place;    // of each value its line, and its number among all values

  constexpr explicit line_places(term lengths) {
    graph& g = *lengths.of;
    term const ends = cumsum(lvector(lengths)),
               all = join(list<term>{alloc(integer(g, 0), {integer(g, 1)}), ends}, 0),
               count = count_of_values(all);
    require_countable<Op>(count);
    begin = ends - lengths;
    bounds = narrow(all);
    place = iota(count);
    line = {&g, g.apply<op::line_numbers>({narrow(place).id, bounds.id})};
  }
};
/// Lines of numbers that may repeat and stand in any order.
constexpr sparse_parts listed_lines(sparse_parts const& a, term lines) {
  term const start = wide(a.start), from = picked(start, lines);
  line_places<op::sparse_lines> const to(picked(start, lines + 1) - from);
  term const at = picked(from - to.begin, to.line) + to.place;
  return {picked(a.value, at), picked(a.index, at), to.bounds, a.inner};
}
template <class Value, bool ByRows, class B, class E>
constexpr sparse_matrix<Value, ByRows> some_lines(sparse_matrix<Value, ByRows> const& a,
                                                  slice_t<B, E> const& part) {
  graph& g = *a.value.of;
  bounds_of_slice const bounds(g, part, a.lines());
  lscalar const begin(bounds.begin), end(bounds.end);
  if (part.step != 1) {
    term const count = call<op::floordiv>(end - begin + (part.step - 1), part.step);
    return matrix_of<Value, ByRows>(
        listed_lines(parts_of(a), term(begin) + iota(count) * part.step));
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
  term const numbers = picked(iota(a.lines()), wide(lines));  // checked, counted from 0
  return matrix_of<Value, ByRows>(listed_lines(parts_of(a), numbers));
}
/// Those whose indices are selected.
template <class Value, bool ByRows, class B, class E>
constexpr sparse_matrix<Value, ByRows> some_indices(sparse_matrix<Value, ByRows> const& a,
                                                    slice_t<B, E> const& part) {
  graph& g = *a.value.of;
  bounds_of_slice const bounds(g, part, a.inner);
  term const from_begin = wide(a.index) - bounds.begin, count = bounds.end - bounds.begin;
  term condition = both(call<op::ge>(from_begin, 0), call<op::lt>(from_begin, count));
  if (part.step == 1)
    return matrix_of<Value, ByRows>(filtered(parts_of(a), condition, from_begin, count));
  condition = both(condition, call<op::eq>(call<op::mod>(from_begin, part.step), 0));
  return matrix_of<Value, ByRows>(
      filtered(parts_of(a), condition, call<op::floordiv>(from_begin, part.step),
               call<op::floordiv>(count + (part.step - 1), part.step)));
}
template <class Value, bool ByRows, sparse_indices I>
constexpr sparse_matrix<Value, ByRows> some_indices(sparse_matrix<Value, ByRows> const& a,
                                                    I const& indices) {
  return by_lines<ByRows>(some_lines(by_lines<!ByRows>(a), indices));
}

template <class X>
inline constexpr bool is_whole_slice = std::is_same_v<X, slice_t<none_t, none_t>>;
template <class X>
inline constexpr bool is_slice_of_lines = false;
template <class B, class E>
inline constexpr bool is_slice_of_lines<slice_t<B, E>> = true;
/// What selects several rows or columns.
template <class X> concept sparse_selection = is_slice_of_lines<X> || sparse_indices<X>;

template <sparse A, class R>
constexpr auto rows_of(A const& a, R const& rows) {
  if constexpr (is_whole_slice<R>) return a;
  else if constexpr (A::by_rows) return some_lines(a, rows);
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

/// Of the values those for which a condition on column - row - k holds.
template <sparse A, class Condition>
constexpr A triangle(A const& a, int k, Condition const& condition) {
  sparse_parts const of = parts_of(a);
  term const line = line_numbers(of), index = wide(of.index),
             over = A::by_rows ? index - line : line - index;
  return matrix_of<typename A::value_type, A::by_rows>(
      filtered(of, condition(over - k), of.index, of.inner));
}

}  // namespace ops

/// The stored elements on the diagonal k and below it, whose column - row is at most k.
/// (scipy.sparse.tril)
template <sparse A>
constexpr A tril(A const& a, int k = 0) {
  return ops::triangle(a, k, [](term over) { return call<op::le>(over, 0); });
}
/// Those on it and above. (scipy.sparse.triu)
template <sparse A>
constexpr A triu(A const& a, int k = 0) {
  return ops::triangle(a, k, [](term over) { return call<op::ge>(over, 0); });
}

}  // namespace kroton
