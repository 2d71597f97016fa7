// Ranks that functions of matrices do not support, rejected with a sentence that shows the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/decomposition_options.hpp>
#include <kroton/ops/eigenvalues.hpp>
#include <kroton/ops/matrix_functions.hpp>
#include <kroton/ops/norms.hpp>
#include <kroton/ops/pseudoinverse.hpp>
#include <kroton/ops/refused.hpp>
#include <kroton/ops/triangular_factors.hpp>

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

// A function of a matrix and options, and the ranks of its results.
#define KROTON_TAKES_A_MATRIX(name, ...)                               \
  template <typed X, class... Options>                                 \
    requires(!operand_is_a_matrix<X>)                                  \
  constexpr auto name(X const& x, Options const&...) {                 \
    static_assert(is_accepted<met::rank<rank_of<X>>, wanted::rank<2>>, \
                  "kt::" #name ": takes a matrix");                    \
    return ops::in_place_of_ranks<value_type_of<X>, __VA_ARGS__>(x);   \
  }
KROTON_TAKES_A_MATRIX(matrix_inverse, 2)
KROTON_TAKES_A_MATRIX(cholesky, 2)
KROTON_TAKES_A_MATRIX(det, 0)
KROTON_TAKES_A_MATRIX(slogdet, 0, 0)
KROTON_TAKES_A_MATRIX(qr, 2, 2)
KROTON_TAKES_A_MATRIX(svd, 2, 1, 2)
KROTON_TAKES_A_MATRIX(svdvals, 1)
KROTON_TAKES_A_MATRIX(cond, 0)
KROTON_TAKES_A_MATRIX(eigh, 1, 2)
KROTON_TAKES_A_MATRIX(eigvalsh, 1)
KROTON_TAKES_A_MATRIX(eig, 1, 2)
KROTON_TAKES_A_MATRIX(eigvals, 1)
KROTON_TAKES_A_MATRIX(lu, 2, 2, 2)
KROTON_TAKES_A_MATRIX(expm, 2)
KROTON_TAKES_A_MATRIX(sqrtm, 2)
KROTON_TAKES_A_MATRIX(logm, 2)
#undef KROTON_TAKES_A_MATRIX

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

}  // namespace kroton
