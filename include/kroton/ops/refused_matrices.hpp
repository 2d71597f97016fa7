// Ranks that functions of matrices do not support, rejected with a sentence that shows the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/eigenvalues.hpp>
#include <kroton/ops/matrix_functions.hpp>
#include <kroton/ops/pseudoinverse.hpp>
#include <kroton/ops/refused.hpp>
#include <kroton/ops/triangular_factors.hpp>

#include <tuple>

namespace kroton {

template <typed X, class... Cutoff>
  requires(!operand_is_a_matrix<X>)
constexpr auto pinv(X const& x, Cutoff const&...) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::pinv: takes a matrix");
  return core::in_place_of<value_type_of<X>, 2>(x);
}
template <typed X, class... Cutoff>
  requires(!operand_is_a_matrix<X>)
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
template <typed X>
  requires(!operand_is_a_matrix<X>)
constexpr auto cond(X const& x) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::cond: takes a matrix");
  return core::in_place_of<value_type_of<X>, 0>(x);
}
template <typed X>
  requires(!operand_is_a_matrix<X>)
constexpr auto svdvals(X const& x) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::svdvals: takes a matrix");
  return core::in_place_of<value_type_of<X>, 1>(x);
}
template <typed X>
  requires(!operand_is_a_matrix<X>)
constexpr auto eigvalsh(X const& x) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>,
                "kt::eigvalsh: takes a matrix");
  return core::in_place_of<value_type_of<X>, 1>(x);
}
template <typed X>
  requires(!operand_is_a_matrix<X>)
constexpr auto expm(X const& x) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::expm: takes a matrix");
  return core::in_place_of<value_type_of<X>, 2>(x);
}
template <typed X>
  requires(!operand_is_a_matrix<X>)
constexpr auto sqrtm(X const& x) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::sqrtm: takes a matrix");
  return core::in_place_of<value_type_of<X>, 2>(x);
}
template <typed X>
  requires(!operand_is_a_matrix<X>)
constexpr auto lu(X const& x) {
  using V = value_type_of<X>;
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::lu: takes a matrix");
  return std::tuple(core::in_place_of<V, 2>(x), core::in_place_of<V, 2>(x),
                    core::in_place_of<V, 2>(x));
}
template <typed X>
  requires(!operand_is_a_matrix<X>)
constexpr auto eig(X const& x) {
  using V = value_type_of<X>;
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::eig: takes a matrix");
  return std::tuple(core::in_place_of<V, 1>(x), core::in_place_of<V, 2>(x));
}
template <typed X>
  requires(!operand_is_a_matrix<X>)
constexpr auto eigvals(X const& x) {
  static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, "kt::eigvals: takes a matrix");
  return core::in_place_of<value_type_of<X>, 1>(x);
}

}  // namespace kroton
