// Ranks that functions of matrices do not support, rejected with a sentence that shows the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/decomposition_options.hpp>
#include <kroton/ops/linear_algebra/eigenvalues.hpp>
#include <kroton/ops/linear_algebra/matrix_functions.hpp>
#include <kroton/ops/linear_algebra/norms.hpp>
#include <kroton/ops/linear_algebra/pseudoinverse.hpp>
#include <kroton/ops/linear_algebra/triangular_factors.hpp>
#include <kroton/ops/refused/operators.hpp>

#include <tuple>

namespace kroton {
namespace ops {

/// In the place of a result of rank R, or of several.
template <class T, int... R>
constexpr auto in_place_of_ranks(term x) {
  if constexpr (sizeof...(R) == 1) return in_place_of<T, (R, ...)>(x);
  else return std::tuple(in_place_of<T, R>(x)...);
}

}  // namespace ops

/// An operand that functions of matrices reject for its rank.
template <class X> concept no_matrix = typed<X> && !operand_is_a_matrix<X>;

// Written without a macro, because it would appear between the sentence and the user's line.
template <no_matrix X, class... Options>
constexpr auto matrix_inverse(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>,
                "kt::matrix_inverse: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 2>(x);
}
template <no_matrix X, class... Options>
constexpr auto cholesky(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>,
                "kt::cholesky: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 2>(x);
}
template <no_matrix X, class... Options>
constexpr auto det(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::det: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 0>(x);
}
template <no_matrix X, class... Options>
constexpr auto slogdet(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::slogdet: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 0, 0>(x);
}
template <no_matrix X, class... Options>
constexpr auto qr(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::qr: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 2, 2>(x);
}
template <no_matrix X, class... Options>
constexpr auto svd(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::svd: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 2, 1, 2>(x);
}
template <no_matrix X, class... Options>
constexpr auto svdvals(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::svdvals: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 1>(x);
}
template <no_matrix X, class... Options>
constexpr auto cond(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::cond: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 0>(x);
}
template <no_matrix X, class... Options>
constexpr auto eigh(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::eigh: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 1, 2>(x);
}
template <no_matrix X, class... Options>
constexpr auto eigvalsh(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>,
                "kt::eigvalsh: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 1>(x);
}
template <no_matrix X, class... Options>
constexpr auto eig(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::eig: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 1, 2>(x);
}
template <no_matrix X, class... Options>
constexpr auto eigvals(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::eigvals: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 1>(x);
}
template <no_matrix X, class... Options>
constexpr auto lu(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::lu: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 2, 2, 2>(x);
}
template <no_matrix X, class... Options>
constexpr auto expm(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::expm: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 2>(x);
}
template <no_matrix X, class... Options>
constexpr auto sqrtm(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::sqrtm: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 2>(x);
}
template <no_matrix X, class... Options>
constexpr auto logm(X const& x, Options const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::logm: takes a matrix");
  return ops::in_place_of_ranks<value_type_of<X>, 2>(x);
}
template <no_matrix X, class... Cutoff>
constexpr auto pinv(X const& x, Cutoff const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::pinv: takes a matrix");
  return core::in_place_of<value_type_of<X>, 2>(x);
}
template <no_matrix X, class... Cutoff>
constexpr auto matrix_rank(X const& x, Cutoff const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>,
                "kt::matrix_rank: takes a matrix");
  return core::in_place_of<std::int64_t, 0>(x);
}
template <typed X, typed C>
  requires operand_is_a_matrix<X> && (core::static_rank<C>() != 0)
constexpr auto pinv(X const& x, C const&) {
  static_assert(is_accepted<met::rank<core::static_rank<C>()>, wanted::rank<0>>,
                "kt::pinv: rcond is a number or a scalar");
  return core::in_place_of<value_type_of<X>, 2>(x);
}
template <typed X, typed Tol>
  requires operand_is_a_matrix<X> && (core::static_rank<Tol>() != 0)
constexpr auto matrix_rank(X const& x, Tol const&) {
  static_assert(is_accepted<met::rank<core::static_rank<Tol>()>, wanted::rank<0>>,
                "kt::matrix_rank: tol is a number or a scalar");
  return core::in_place_of<std::int64_t, 0>(x);
}

template <typed X, symbolic P>
  requires operand_is_a_matrix<X>
constexpr auto cond(X const& x, P const&) {
  static_assert(is_accepted<met::type<P>>,
                "kt::cond: the order of the norm is a number, kt::fro or kt::nuc");
  return core::in_place_of<value_type_of<X>, 0>(x);
}

}  // namespace kroton
