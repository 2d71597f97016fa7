// Uses of sparse matrices that are rejected with a sentence: dense results, other ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/sparse/conversions.hpp>

namespace kroton {
namespace ops {

/// A sparse matrix and something that is neither one nor takes its place.
template <class A, class X>
concept sparse_with_other = (sparse<A> && !sparse<X> && (operand<X> || structured<X>)) ||
                            (sparse<X> && !sparse<A> && (operand<A> || structured<A>));

/// The one of the two that is not sparse.
template <class A, class X>
using other_than_sparse = std::conditional_t<sparse<A>, X, A>;

template <class A, class X>
constexpr auto const& sparse_one(A const& a, X const& x) {
  if constexpr (sparse<A>) return a;
  else return x;
}
/// Marks the graph of a rejected operand.
template <class A>
constexpr A const& refused_sparse(A const& a) {
  a.value.of->fail(core::said_above);
  return a;
}
template <class S>
constexpr auto refused_vector(S const& a) {
  return refused_sparse(a).value;
}

}  // namespace ops

/// Rejects scalars and tensors of more than two dimensions, with a sentence.
template <class A, class X>
  requires ops::sparse_with_other<A, X> &&
           (!sparse_dot_takes_a_vector_or_a_matrix<ops::other_than_sparse<A, X>>)
constexpr auto dot(A const& a, X const& x) {
  static_assert(is_accepted<met::type<A>, met::type<X>>,
                "kt::dot: a sparse matrix is multiplied with a vector, a matrix or another sparse "
                "matrix; by a number or a scalar with *");
  return ops::refused_vector(ops::sparse_one(a, x));
}
/// Rejects the sum with a number, with a sentence.
template <class A, class X>
  requires ops::sparse_with_other<A, X> && (!ops::sparse_dense_factor<ops::other_than_sparse<A, X>>)
constexpr auto operator+(A const& a, X const& x) {
  static_assert(is_accepted<met::type<A>, met::type<X>>,
                "kt: a sparse matrix plus a number or a scalar is dense: write "
                "dense_from_sparse(a) + s, or a.with_data(a.data() + s) for the stored elements");
  return ops::refused_sparse(ops::sparse_one(a, x));
}
template <class A, class X>
  requires ops::sparse_with_other<A, X> && (!ops::sparse_dense_factor<ops::other_than_sparse<A, X>>)
constexpr auto operator-(A const& a, X const& x) {
  static_assert(is_accepted<met::type<A>, met::type<X>>,
                "kt: a sparse matrix minus a number or a scalar is dense: write "
                "dense_from_sparse(a) - s, or a.with_data(a.data() - s) for the stored elements");
  return ops::refused_sparse(ops::sparse_one(a, x));
}
/// Rejects tensors of more than two dimensions, with a sentence.
template <class A, class X>
  requires ops::sparse_with_other<A, X> &&
           (!ops::sparse_dense_factor<ops::other_than_sparse<A, X>>) &&
           (!ops::sparse_scalar<ops::other_than_sparse<A, X>>)
constexpr auto operator*(A const& a, X const& x) {
  static_assert(is_accepted<met::type<A>, met::type<X>>,
                "kt: a sparse matrix is multiplied elementwise with numbers, scalars, vectors, "
                "matrices and sparse matrices");
  return ops::refused_sparse(ops::sparse_one(a, x));
}
/// Rejects a sparse divisor, with a sentence.
template <class A, class X>
  requires(sparse<A> && sparse<X>) || (sparse<X> && ops::sparse_with_other<A, X>) ||
          (ops::sparse_with_other<A, X> && !ops::sparse_dense_factor<X> && !ops::sparse_scalar<X>)
constexpr auto operator/(A const& a, X const& x) {
  static_assert(is_accepted<met::type<A>, met::type<X>>,
                "kt: a sparse matrix is divided by numbers, scalars, vectors and matrices, and "
                "nothing is divided by a sparse one, most of whose elements are 0");
  return ops::refused_sparse(ops::sparse_one(a, x));
}
/// Rejects tensors that are not matrices, and what is sparse already, with a sentence.
template <class X>
  requires sparse<X> || (typed<X> && rank_of<X> != 2)
constexpr auto csr_from_dense(X const& x) {
  static_assert(is_accepted<met::type<X>>, "kt::csr_from_dense: takes a dense matrix");
  if constexpr (sparse<X>) {
    return ops::refused_sparse(x);
  } else {
    x.of->fail(core::said_above);
    auto const values = core::in_place_of<value_type_of<X>, 1>(x);
    return csr<value_type_of<X>>{{},
                                 values,
                                 core::in_place_of<std::int32_t, 1>(x),
                                 core::in_place_of<std::int32_t, 1>(x),
                                 core::in_place_of<std::int64_t, 0>(x)};
  }
}
/// Rejects parts of other types, with a sentence.
template <class D, class I, class P, class M, class N>
  requires(!(ops::sparse_values<D> && ops::sparse_indices<I> && ops::sparse_indices<P> &&
             operand<M> && operand<N>))
constexpr auto csr_from_parts(D const& data, I const&, P const&, M const&, N const&) {
  static_assert(is_accepted<met::type<D>, met::type<I>, met::type<P>>,
                "kt::csr_from_parts: takes a vector of values, integer vectors of indices and of "
                "bounds, and the numbers of rows and columns");
  if constexpr (symbolic<D>)
    return csr<double>{{},
                       core::in_place_of<double, 1>(data),
                       core::in_place_of<std::int32_t, 1>(data),
                       core::in_place_of<std::int32_t, 1>(data),
                       core::in_place_of<std::int64_t, 0>(data)};
}
/// Rejects dense patterns and factors that are not matrices, with a sentence.
template <class A, class B, class P>
  requires(!(typed<A> && typed<B> && sparse<P>) || sparse<A> || sparse<B>)
constexpr auto sampling_dot(A const& a, B const& b, P const& pattern) {
  static_assert(is_accepted<met::type<A>, met::type<B>, met::type<P>>,
                "kt::sampling_dot: takes two dense matrices and a sparse one, the pattern");
  (void)a, (void)b;
  return pattern;
}
/// Rejects sparse systems without the header that solves them, and right-hand sides of other ranks.
template <sparse A, class B>
constexpr auto solve(A const& a, B const& b) {
  static_assert(is_accepted<met::type<A>, met::type<B>>,
                "kt::solve: a sparse system is solved by Eigen: include "
                "<kroton/sparse_solve.hpp>; the matrix and the right-hand side, a dense vector or "
                "matrix, are of float, double or complex numbers");
  ops::refused_sparse(a);
  return b;
}

}  // namespace kroton
