// Decompositions of matrices: Cholesky, QR, singular values, eigenvalues, least squares. LAPACK
// computes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/assertion.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/shapes/joining.hpp>

namespace kroton {
namespace ops {

/// The type of a factor that has the first or last axis of the matrix; the extent of its other axis
/// is the second input.
constexpr tensor_type thin_factor_type(application const& a, int axis) {
  tensor_type t = a.input(0);
  std::uint32_t const kept = 1u << axis, thin = 3u - kept;
  t.broadcast = (t.broadcast & kept) | (a.of->is_literal(a.inputs[1], 1) ? thin : 0u);
  return t;
}

}  // namespace ops

namespace op {

/// The lower triangular factor l of a positive definite matrix dot(l, conj(l.T)); only the lower
/// triangle of the matrix is read.
struct cholesky : operation<"cholesky", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr tensor_type type(core::application const& a) { return ops::square_type(a); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::require_square(a, pairs);
  }
  static constexpr core::gradient_list<1> pullback(term g, term l, term a);
};

/// q with orthonormal columns and an upper triangular r with a real diagonal, whose product is the
/// matrix. The second input, an int64 scalar, is the number of columns: the smaller extent, or the
/// number of rows, with which q is square.
struct qr : operation<"qr", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const& a, int output) {
    return ops::thin_factor_type(a, output);
  }
  static constexpr core::extent_source extent(core::application const&, int d, int output) {
    if (d == output) return {core::extent_source::dimension, 0, d};
    return {core::extent_source::value, 1, 0};
  }
  static constexpr core::gradient_list<2> pullback(core::several const& g, core::several const& y,
                                                   term a, term count);
};

/// s, which is real, u and vt, so that the matrix is u.diag(s).vt. The values come first, since
/// they are always computed; the second input is their number, the smaller extent. Attribute, if
/// there is one: that u and vt are square.
struct svd : operation<"svd", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr int outputs = 3;
  static constexpr bool is_full(core::application const& a) { return a.attribute_count() > 0; }
  static constexpr tensor_type type(core::application const& a, int output) {
    tensor_type const t = a.input(0);
    if (output == 0)
      return {core::real_of(t.element), 1, a.of->is_literal(a.inputs[1], 1) ? 1u : 0u};
    if (!is_full(a)) return ops::thin_factor_type(a, output - 1);
    return {t.element, 2, t.broadcasts(output - 1) ? 3u : 0u};
  }
  static constexpr core::extent_source extent(core::application const& a, int d, int output) {
    if (output > 0 && (d == output - 1 || is_full(a)))
      return {core::extent_source::dimension, 0, output - 1};
    return {core::extent_source::value, 1, 0};
  }
  static constexpr core::gradient_list<2> pullback(core::several const& g, core::several const& y,
                                                   term a, term count);
};

/// The eigenvalues of a Hermitian matrix, real and ascending, and the eigenvectors as columns. Only
/// the lower triangle is read.
struct eigh : operation<"eigh", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const& a, int output) {
    tensor_type t = ops::square_type(a);
    if (output == 0) t = {core::real_of(t.element), 1, t.broadcast & 1u};
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d, int) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    ops::require_square(a, pairs);
  }
  static constexpr core::gradient_list<1> pullback(core::several const& g, core::several const& y,
                                                   term a);
};

/// The x that minimizes the norm of dot(a, x) - b, and the shortest such x, by singular values.
struct lstsq : operation<"lstsq", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(1);
    t.broadcast = (t.broadcast & ~1u) | (a.input(0).broadcasts(1) ? 1u : 0u);
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, d, 1};
  }
  static constexpr void constraints(core::application const&,
                                    core::list<core::extent_pair>& pairs) {
    pairs.push_back(
        {{core::extent_source::dimension, 0, 0}, {core::extent_source::dimension, 1, 0}});
  }
  static constexpr core::gradient_list<2> pullback(term g, term x, term a, term b);
};

}  // namespace op

namespace ops {

/// Columns of a matrix, as a view.
constexpr term columns(term x, term begin, term count) {
  return {x.of, x.of->apply<op::subtensor>({x.id, begin.id, count.id}, {0, 1, 2, 1})};
}
constexpr term with_columns(term x, term begin, term count, term added) {
  return {x.of, x.of->apply<op::inc_subtensor>({x.id, added.id, begin.id, count.id}, {0, 1, 2, 1})};
}
/// Solves with the adjoint of l from the left and with l from the right: l^-H . x . l^-1.
constexpr term between_inverses(term l, term x) {
  auto half = [&](term right) { return solution<op::solve_triangular>(adjoint(l), right, {0, 0}); };
  return half(adjoint(half(adjoint(x))));
}
/// Converts a Hermitian gradient to that of a function of the lower triangle alone: off-diagonal
/// elements count twice, and those on the diagonal are real.
constexpr term of_lower_triangle(term s) {
  term const doubled = call<op::where>(triangle<op::gt>(s), s + adjoint(s), 0);
  return call<op::where>(triangle<op::eq>(s), real(s), doubled);
}
/// x[i, j] / (v[j] - v[i]), and 0 on the diagonal.
constexpr term over_differences(term x, term v) {
  term const diagonal = triangle<op::eq>(x);
  term const difference = permute(v, {-1, 0}) - permute(v, {0, -1});
  return call<op::where>(diagonal, 0, x / call<op::where>(diagonal, 1, difference));
}
constexpr term with_real_diagonal(term x) {
  if (!is_complex(x.element())) return x;
  return call<op::where>(triangle<op::eq>(x), real(x), x);
}
/// Adds the part of a gradient that rotates both vectors of a complex singular value against each
/// other; `skew` is twice the skew part for the left vectors, minus that for the right ones.
constexpr term with_turns(term middle, term skew, term s) {
  if (!is_complex(skew.element())) return middle;
  return middle + call<op::where>(triangle<op::eq>(skew), skew / (4 * s), 0);
}
/// x times the adjoint of y, for two columns or two vectors.
constexpr term outer_product(term x, term y) {
  if (x.rank() == 1) return permute(x, {0, -1}) * permute(conj(y), {-1, 0});
  return dot(x, adjoint(y));
}
constexpr term smaller_extent(term x) { return call<op::minimum>(extent(x, 0), extent(x, 1)); }

/// The gradient of an output without the rows, or the columns, that the output has beyond `count`;
/// none if there is none.
constexpr term leading_part(term g, int axis, term count) {
  return g.exists() ? axis_range(g, axis, integer(*g.of, 0), count, 1) : g;
}
/// A gradient, if what the factor has beyond the smaller extent does not exist.
constexpr term unless_completed(std::string_view message, term g, term exists) {
  return g.exists() ? assert_that(message, exists, g) : g;
}

}  // namespace ops

// Gradients with respect to complex matrices are the real formulas with adjoints instead of
// transposes, plus terms that preserve the choice of phases: factors have real diagonals, so
// gradients on the diagonal are real. Of the phases of singular vectors only the difference
// matters, since a cost may not depend on more. Sources: Boeddeker et al. 2017, arXiv:1701.00392
// (Cholesky factors, eigenvectors); Roberts and Roberts 2020, arXiv:2009.10071 (QR, also of wide
// matrices); Wan and Zhang 2019, arXiv:1909.02659 (singular values).
namespace op {

constexpr core::gradient_list<1> cholesky::pullback(term g, term l, term) {
  term const p = ops::dot(ops::adjoint(l), g);
  term const halved =
      call<where>(ops::triangle<gt>(p), p, call<where>(ops::triangle<eq>(p), p * 0.5, 0));
  return {{ops::of_lower_triangle(ops::between_inverses(l, halved))}};
}

// A wide matrix is a square one followed by additional columns y, and r is u followed by q.T y; a
// tall one has no such columns.
constexpr core::gradient_list<2> qr::pullback(core::several const& g, core::several const& out,
                                              term a, term count) {
  graph& in = *a.of;
  if (term const k = ops::smaller_extent(a); k.id != count.id) {
    term const factors{&in, in.apply<qr>({a.id, k.id})};
    term const of_q = ops::unless_completed(
        "qr: q of a matrix with more rows than columns, completed, has no gradient", g[0],
        call<eq>(k, count));
    term const given[] = {ops::leading_part(of_q, 1, k), ops::leading_part(g[1], 0, k)};
    term const reduced[] = {factors, core::output_of(factors, 1)};
    return pullback({given}, {reduced}, a, k);
  }
  term const q = out[0], r = out[1], none{&in, in.literal(0, element::int64)};
  term const rest = ops::extent(a, 1) - count;
  term const gq = g.has(0) ? g[0] : zeros_like(q), gr = g.has(1) ? g[1] : zeros_like(r);
  term const u = ops::columns(r, none, count), gu = ops::columns(gr, none, count);
  term const y = ops::columns(a, count, rest), gv = ops::columns(gr, count, rest);
  term const of_q = gq + ops::dot(y, ops::adjoint(gv));
  term const m = ops::dot(u, ops::adjoint(gu)) - ops::dot(ops::adjoint(of_q), q);
  term const hermitian =
      ops::with_real_diagonal(call<where>(ops::triangle<ge>(m), m, ops::adjoint(m)));
  term const right = of_q + ops::dot(q, hermitian);
  term const square = ops::adjoint(ops::solution<solve_triangular>(u, ops::adjoint(right), {0, 0}));
  term const left = ops::with_columns(zeros_like(a), none, count, square);
  return {{ops::with_columns(left, count, rest, ops::dot(q, gv))}};
}

constexpr core::gradient_list<2> svd::pullback(core::several const& g, core::several const& y,
                                               term a, term count) {
  if ((*a.of)[y[0].id].attribute_count > 0) {
    term const factors{a.of, a.of->apply<svd>({a.id, count.id})};
    auto const of_vectors = [&](int output) {
      term const side = ops::extent(a, output - 1);
      term const given = ops::unless_completed(
          "svd: vectors of full matrices without a singular value have no gradient", g[output],
          call<eq>(side, count));
      return ops::leading_part(given, 2 - output, count);
    };
    term const given[] = {g[0], of_vectors(1), of_vectors(2)};
    term const reduced[] = {factors, core::output_of(factors, 1), core::output_of(factors, 2)};
    return pullback({given}, {reduced}, a, count);
  }
  term const s = y[0], u = y[1], vt = y[2];
  term const along_rows = ops::permute(s, {-1, 0}), along_columns = ops::permute(s, {0, -1});
  term middle = zeros_like(ops::dot(ops::adjoint(u), u));
  if (g.has(0)) middle = ops::diagonal_matrix(g[0]);
  term outside = zeros_like(a);
  if (g.has(1)) {
    term const p = ops::dot(ops::adjoint(u), g[1]), skew = p - ops::adjoint(p);
    middle = ops::with_turns(middle + ops::over_differences(skew, s * s) * along_rows, skew,
                             along_columns);
    outside = outside + ops::dot((g[1] - ops::dot(u, p)) / along_rows, vt);
  }
  if (g.has(2)) {
    term const p = ops::dot(vt, ops::adjoint(g[2])), skew = p - ops::adjoint(p);
    middle = ops::with_turns(middle + along_columns * ops::over_differences(skew, s * s), -skew,
                             along_columns);
    outside = outside + ops::dot(u, (g[2] - ops::dot(ops::adjoint(p), vt)) / along_columns);
  }
  return {{ops::dot(ops::dot(u, middle), vt) + outside}};
}

constexpr core::gradient_list<1> eigh::pullback(core::several const& g, core::several const& y,
                                                term) {
  term const w = y[0], v = y[1];
  term middle = zeros_like(v);
  if (g.has(0)) middle = ops::diagonal_matrix(g[0]);
  if (g.has(1)) middle = middle + ops::over_differences(ops::dot(ops::adjoint(v), g[1]), w);
  return {{ops::of_lower_triangle(ops::dot(ops::dot(v, middle), ops::adjoint(v)))}};
}

// With the pseudoinverse p of a, x = p.b changes by p.db - p.da.x + p.p*.da*.(b - a.x) + (1 -
// p.a).da*.p*.x wherever the rank of a is constant (Golub and Pereyra 1973, SIAM J. Numer. Anal.
// 10). p* is the pseudoinverse of a*, and p.a is a*.p*.
constexpr core::gradient_list<2> lstsq::pullback(term g, term x, term a, term b) {
  term const across = ops::adjoint(a);
  term const gb = ops::solution<lstsq>(across, g, {}), of_x = ops::solution<lstsq>(across, x, {});
  term const residual = b - ops::dot(a, x), beyond = g - ops::dot(across, gb);
  return {{ops::outer_product(residual, ops::solution<lstsq>(a, gb, {})) +
               ops::outer_product(of_x, beyond) - ops::outer_product(gb, x),
           gb}};
}

}  // namespace op

/// The lower triangular l with dot(l, conj(l.T)) = x for a positive definite matrix, symmetric or
/// Hermitian. Only the lower triangle is read, without the imaginary parts of the diagonal. Throws
/// kt::linalg_error if the matrix is not positive definite. (numpy.linalg.cholesky)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto cholesky(X const& x) {
  return ops::linear_result<2, X>(
      {x.of, x.of->template apply<op::cholesky>({ops::linear_operand(x).id})});
}

namespace ops {

template <class Op>
constexpr term reduced_factors(term x) {
  return {x.of, x.of->apply<Op>({linear_operand(x).id, smaller_extent(x).id})};
}

}  // namespace ops

/// The tuple q, r for a matrix of shape (m, n), with k the smaller extent: q of shape (m, k) with
/// orthonormal columns and r of shape (k, n), upper triangular, with dot(q, r) = x. The diagonal of
/// r is real. (numpy.linalg.qr)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto qr(X const& x) {
  term const node = ops::reduced_factors<op::qr>(x);
  return std::tuple(ops::linear_result<2, X>(node),
                    ops::linear_result<2, X>(core::output_of(node, 1)));
}
/// The tuple u, s, vt for a matrix of shape (m, n), with k the smaller extent: u of shape (m, k)
/// and vt of shape (k, n) with orthonormal columns and rows, s of shape (k), real and in descending
/// order, with dot(u * s, vt) = x. Vectors that nothing uses are not computed. An element that is
/// not finite throws kt::linalg_error. The vectors of a singular value are unique except for a
/// common sign, or a common phase for complex matrices; gradients are those of costs that do not
/// depend on it. (numpy.linalg.svd with full_matrices=False)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto svd(X const& x) {
  term const node = ops::reduced_factors<op::svd>(x);
  return std::tuple(ops::linear_result<2, X>(core::output_of(node, 1)),
                    ops::real_linear_result<1, X>(node),
                    ops::linear_result<2, X>(core::output_of(node, 2)));
}
/// The tuple w, v of a symmetric or Hermitian matrix: the eigenvalues, real and in ascending order,
/// and the eigenvectors as columns. Only the lower triangle is read, without the imaginary parts of
/// the diagonal. Vectors that nothing uses are not computed. An element that is not finite throws
/// kt::linalg_error. The vectors are unique except for a sign, or a phase for complex matrices;
/// gradients are those of costs that do not depend on it. (numpy.linalg.eigh)
template <symbolic X>
  requires operand_is_a_matrix<X>
constexpr auto eigh(X const& x) {
  term const node{x.of, x.of->template apply<op::eigh>({ops::linear_operand(x).id})};
  return std::tuple(ops::real_linear_result<1, X>(node),
                    ops::linear_result<2, X>(core::output_of(node, 1)));
}
/// The x that minimizes the norm of dot(a, x) - b, and the shortest such x; b is a vector, or a
/// matrix of several right-hand sides. Singular values below the largest times the machine's
/// precision and the larger extent count as 0. Its gradient is that for matrices of the same rank.
/// (numpy.linalg.lstsq with rcond=None, without its further results)
template <symbolic A, symbolic B>
  requires operand_is_a_matrix<A> && right_side_is_a_vector_or_a_matrix<B>
constexpr auto lstsq(A const& a, B const& b) {
  return ops::linear_result<core::static_rank<B>(), A, B>(ops::solution<op::lstsq>(a, b, {}));
}

}  // namespace kroton
