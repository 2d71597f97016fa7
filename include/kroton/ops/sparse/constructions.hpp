// Means, powers and extrema of sparse matrices, diagonal matrices and Kronecker products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/selections.hpp>

namespace kroton {
namespace ops {

/// The values as numbers that have a mean: float64 for integers.
template <sparse A>
constexpr auto with_continuous_data(A const& a) {
  using given = typename A::value_type;
  using value = std::conditional_t<core::is_continuous(core::element_of<given>()), given, double>;
  return a.with_data(core::as_type<value>(a.data()));
}
/// A function of two matrices that is 0 where both are, on the places that one of them has.
template <class A, class B, class Combine>
constexpr auto combined_on_union(A const& a, B const& b, Combine const& combine) {
  using value = value_type_of<decltype(combine(a.data(), b.data()))>;
  constexpr bool rows = A::by_rows;
  auto const other = by_lines<rows>(b);
  using result = sparse_matrix<value, rows>;
  if (a.has_members_of(other)) {
    auto const same = a.with_data(combine(a.data(), other.data()));
    return result{{}, same.value, same.index, same.start, same.inner};
  }
  graph& g = *a.value.of;
  int const conditions = g.constraints().size();
  auto const m = merged<op::sparse_elementwise>(parts_of(a), parts_of(other), false);
  auto const spread = [&](auto const& x, term at) {
    return vector<value_type_of<decltype(x.data())>>(placed(x.data(), list<term>{m.count}, {at}));
  };
  term const values = combine(spread(a, m.first), spread(other, m.second));
  take_conditions(values, conditions);
  return matrix_of<value, rows>({values, m.index, m.bounds, a.inner});
}

}  // namespace ops

/// The mean of all elements, also of those that are not stored; float64 for integers.
template <sparse A>
constexpr auto mean(A const& a) {
  auto const whole = ops::with_continuous_data(a);
  using value = value_type_of<decltype(whole.data())>;
  return sum(whole) / cast<value>(a.shape(0) * a.shape(1));
}
/// The means of columns (`kt::axis<0>`) or of rows (`kt::axis<1>`), a dense vector.
template <sparse A, int Axis>
constexpr auto mean(A const& a, axis_t<Axis> axis) {
  auto const whole = ops::with_continuous_data(a);
  using value = value_type_of<decltype(whole.data())>;
  return sum(whole, axis) / cast<value>(a.shape(Axis));
}

/// Powers with a positive exponent, a number, which are 0 at 0. (scipy.sparse: a.power(p))
template <sparse A, number P>
constexpr auto pow(A const& a, P exponent) {
  if (!(exponent > P(0)))
    a.value.of->fail(
        "kt::pow: of a sparse matrix with a positive exponent: others make it dense; write "
        "pow(dense_from_sparse(a), p), or a.with_data(pow(a.data(), p)) for the stored elements");
  return a.with_data(pow(a.data(), exponent));
}

/// The larger of two elements, on the places that one of the matrices has; NaN wins.
/// (scipy.sparse: a.maximum(b))
template <sparse A, sparse B>
constexpr auto maximum(A const& a, B const& b) {
  return ops::combined_on_union(a, b,
                                [](auto const& x, auto const& y) { return maximum(x, y); });
}
/// The smaller of two elements. (scipy.sparse: a.minimum(b))
template <sparse A, sparse B>
constexpr auto minimum(A const& a, B const& b) {
  return ops::combined_on_union(a, b,
                                [](auto const& x, auto const& y) { return minimum(x, y); });
}

/// A square matrix with these elements on its diagonal. (theano.sparse.square_diagonal)
template <typed X>
constexpr auto square_diagonal(X const& diagonal) {
  constexpr bool is_vector = rank_of<X> == 1;
  static_assert(is_vector, "kt::square_diagonal: takes a vector, the diagonal");
  if constexpr (is_vector) {
    auto const count = diagonal.shape(0);
    return csr_from_parts(diagonal, lvector(ops::iota(count)), lvector(ops::iota(count + 1)), count,
                          count);
  } else {
    return diagonal;
  }
}

/// The Kronecker product: each element of the first matrix times the second one; by rows if the
/// first is. Throws kt::value_error if int32 cannot count its values, or its columns (of a
/// `kt::csc`, its rows). (scipy.sparse.kron)
template <sparse A, sparse B>
constexpr auto kron(A const& a, B const& b) {
  using value = ops::sparse_product_value<typename A::value_type, typename B::value_type>;
  ops::sparse_parts const left = ops::parts_of(a),
                          right = ops::parts_of(ops::by_lines<A::by_rows>(b));
  graph& g = left.of();
  element const e = core::element_of<value>();
  term const columns = left.inner * right.inner;
  ops::require_countable<op::kron>(columns);
  term const count = left.lines() * right.lines() + 1,
             bounds{&g, g.apply<op::kron_bounds>({left.start.id, right.start.id, count.id})},
             places{&g, g.apply<op::kron_places>({left.index.id, left.start.id, right.index.id,
                                                  right.start.id, right.inner.id,
                                                  ops::count_of_values(bounds).id})},
             values =
                 ops::picked({&g, g.cast(left.value.id, e)}, ops::output_of(places, 1)) *
                 ops::picked({&g, g.cast(right.value.id, e)}, ops::output_of(places, 2));
  return ops::matrix_of<value, A::by_rows>({values, places, bounds, columns});
}

}  // namespace kroton
