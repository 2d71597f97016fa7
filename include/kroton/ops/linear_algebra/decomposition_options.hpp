// How much of a decomposition is asked for: QR factors by mode, singular vectors that are square or
// none, eigenvalues by either triangle.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/decompositions.hpp>

#include <type_traits>

namespace kroton {

/// Which QR factors of a matrix of shape (m, n). (numpy.linalg.qr's `mode`)
namespace qr_mode {
struct reduced_t {};
struct complete_t {};
struct r_t {};
/// q of shape (m, k) and r of shape (k, n), with k the smaller extent.
inline constexpr reduced_t reduced{};
/// q of shape (m, m) and r of shape (m, n).
inline constexpr complete_t complete{};
/// r of shape (k, n) alone.
inline constexpr r_t r{};
}  // namespace qr_mode

/// Whether singular vectors are square matrices: those without a singular value complete them.
/// (numpy.linalg.svd)
template <bool Full>
struct full_matrices_t {};
template <bool Full>
inline constexpr full_matrices_t<Full> full_matrices{};
/// Whether there are singular vectors, or the values alone. (numpy.linalg.svd)
template <bool Vectors>
struct compute_uv_t {};
template <bool Vectors>
inline constexpr compute_uv_t<Vectors> compute_uv{};

/// QR factors by mode: the tuple q, r for `kt::qr_mode::reduced` and `complete`, the variable r for
/// `kt::qr_mode::r`, of which the gradient alone needs q. q of more rows than columns, completed,
/// has no gradient: a call that needs one throws kt::value_error; r has one. (numpy.linalg.qr)
template <symbolic X, class Mode>
  requires operand_is_a_matrix<X>
constexpr auto qr(X const& x, Mode) {
  constexpr bool complete = std::is_same_v<Mode, qr_mode::complete_t>,
                 only_r = std::is_same_v<Mode, qr_mode::r_t>;
  static_assert(complete || only_r || std::is_same_v<Mode, qr_mode::reduced_t>,
                "kt::qr: the mode is kt::qr_mode::reduced, complete or r");
  if constexpr (complete) {
    term const a = ops::linear_operand(x);
    term const node{a.of, a.of->template apply<op::qr>({a.id, ops::extent(a, 0).id})};
    return std::tuple(ops::linear_result<2, X>(node),
                      ops::linear_result<2, X>(core::output_of(node, 1)));
  } else if constexpr (only_r) {
    return std::get<1>(qr(x));
  } else {
    return qr(x);
  }
}

/// Singular values with an option: `kt::full_matrices<true>` for u of shape (m, m) and vt of shape
/// (n, n), `kt::compute_uv<false>` for the variable s alone, as `svdvals`. Vectors that complete u
/// or vt have no gradient: a call that needs one throws kt::value_error. (numpy.linalg.svd, where
/// full_matrices is true by default)
template <symbolic X, class Option>
  requires operand_is_a_matrix<X>
constexpr auto svd(X const& x, Option) {
  constexpr bool full = std::is_same_v<Option, full_matrices_t<true>>,
                 values = std::is_same_v<Option, compute_uv_t<false>>;
  static_assert(full || values || std::is_same_v<Option, full_matrices_t<false>> ||
                    std::is_same_v<Option, compute_uv_t<true>>,
                "kt::svd: the option is kt::full_matrices<...> or kt::compute_uv<...> of true or "
                "false");
  if constexpr (full) {
    term const a = ops::linear_operand(x);
    term const node{a.of, a.of->template apply<op::svd>({a.id, ops::smaller_extent(a).id}, {1})};
    return std::tuple(ops::linear_result<2, X>(core::output_of(node, 1)),
                      ops::real_linear_result<1, X>(node),
                      ops::linear_result<2, X>(core::output_of(node, 2)));
  } else if constexpr (values) {
    return std::get<1>(svd(x));
  } else {
    return svd(x);
  }
}
/// The same with both options: without vectors it does not matter whether they would be square.
template <symbolic X, bool Full, bool Vectors>
  requires operand_is_a_matrix<X>
constexpr auto svd(X const& x, full_matrices_t<Full> full, compute_uv_t<Vectors> vectors) {
  if constexpr (Vectors) return svd(x, full);
  else return svd(x, vectors);
}

namespace ops {

/// A matrix of which the lower triangle is that part of x: the other one of a Hermitian matrix is
/// its adjoint.
template <class Part, symbolic X>
constexpr term as_lower_triangle(X const& x, Part part) {
  constexpr bool is_triangle = std::is_same_v<Part, enum kroton::triangle>;
  static_assert(is_triangle, "kt::eigh, kt::eigvalsh: the triangle is kt::lower or kt::upper");
  if constexpr (is_triangle)
    if (part == upper) return adjoint(linear_operand(x));
  return linear_operand(x);
}

}  // namespace ops

/// Eigenvalues and eigenvectors, of which kt::lower or kt::upper says which triangle is read.
/// (numpy.linalg.eigh's `UPLO`)
template <symbolic X, class Part>
  requires operand_is_a_matrix<X>
constexpr auto eigh(X const& x, Part part) {
  term const node{x.of, x.of->template apply<op::eigh>({ops::as_lower_triangle(x, part).id})};
  return std::tuple(ops::real_linear_result<1, X>(node),
                    ops::linear_result<2, X>(core::output_of(node, 1)));
}
/// Eigenvalues alone, by either triangle. (numpy.linalg.eigvalsh's `UPLO`)
template <symbolic X, class Part>
  requires operand_is_a_matrix<X>
constexpr auto eigvalsh(X const& x, Part part) {
  return std::get<0>(eigh(x, part));
}

}  // namespace kroton
