// Norms of vectors and matrices by order, and the condition of a matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/statistics.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/linear_algebra/pseudoinverse.hpp>

#include <limits>
#include <type_traits>

namespace kroton {

/// Norms of matrices that no number names: kt::fro is Frobenius's, the root of the sum of squares,
/// kt::nuc the sum of the singular values.
enum class matrix_norm { fro, nuc };
inline constexpr matrix_norm fro = matrix_norm::fro, nuc = matrix_norm::nuc;

namespace ops {

inline constexpr double infinite_order = std::numeric_limits<double>::infinity();

/// Which elements a norm is taken of.
struct normed_axes {
  long long all;  // as bits
  int rows = 0, columns = 1;
  bool keep = false;
};
template <int Rank, class... Options>
constexpr normed_axes axes_of_norm() {
  using options = reduction_options<Options...>;
  normed_axes axes{options::axes(Rank), 0, 1, options::keep};
  if constexpr (options::named == 2) {
    axes.rows = options::position(0, Rank);
    axes.columns = options::position(1, Rank);
  }
  return axes;
}

constexpr term root_of_squares(term x, normed_axes axes) {
  term const v = magnitude_of(x);
  return call<op::root>(sum_over(v * v, axes.all, axes.keep));
}
/// A sum of powers less than all numbers has no gradient where it is 0: there it is 0.
constexpr term vector_norm(term x, double p, normed_axes axes) {
  if (p == 2) return root_of_squares(x, axes);
  term const v = call<op::abs>(x);
  auto const extreme = [&](op_info const* op) { return reduce(op, v, axes.all, axes.keep); };
  if (p == infinite_order) return extreme(identity<op::max>());
  if (p == -infinite_order) return extreme(identity<op::min>());
  if (p == 1) return sum_over(v, axes.all, axes.keep);
  if (p == 0) {
    term const counted{x.of, x.of->cast(call<op::neq>(v, 0).id, v.element())};
    return sum_over(counted, axes.all, axes.keep);
  }
  term const total = sum_over(call<op::pow>(v, p), axes.all, axes.keep);
  term const is_zero = call<op::eq>(total, 0);
  return call<op::where>(is_zero, 0, call<op::pow>(call<op::where>(is_zero, 1, total), 1 / p));
}
/// The singular values of a matrix; a stack of matrices has them slice by slice.
constexpr term singular_values(term x) {
  if (x.rank() != 2)
    x.of->fail(
        "kt::norm: norms of orders 2, -2 and kt::nuc are those of one matrix: kt::vmap takes them "
        "of each of a stack");
  return {x.of, x.of->apply<op::svd>({x.id, smaller_extent(x).id})};
}
constexpr term matrix_norm_of(term x, double p, normed_axes axes) {
  bool const is_largest = p > 0;
  auto const with_axes = [&](term y) { return axes.keep ? permute(y, {-1, -1}) : y; };
  if (p == 2 || p == -2) {
    term const s = singular_values(x);
    return with_axes(reduce(is_largest ? identity<op::max>() : identity<op::min>(), s, 1ll, false));
  }
  bool const by_columns = p == 1 || p == -1;
  if (!by_columns && p != infinite_order && p != -infinite_order)
    x.of->fail(
        "kt::norm: a norm of matrices has the order 1, -1, 2, -2, infinity, -infinity, kt::fro or "
        "kt::nuc");
  term const sums =
      sum_over(call<op::abs>(x), 1ll << (by_columns ? axes.rows : axes.columns), true);
  return reduce(is_largest ? identity<op::max>() : identity<op::min>(), sums, axes.all, axes.keep);
}
constexpr term matrix_norm_of(term x, matrix_norm p, normed_axes axes) {
  if (p == fro) return root_of_squares(x, axes);
  term const y = sum_over(singular_values(x), 1, false);
  return axes.keep ? permute(y, {-1, -1}) : y;
}

/// The order of a norm: a number, or the name of one of matrices.
template <class P>
concept norm_order = (number<P> && !core::is_complex_number<P>) || std::same_as<P, matrix_norm>;

}  // namespace ops

/// The norm of order p of a vector, over one axis, or of a matrix, over two; of all of it if no
/// axes are named, as in norm(x, 3, kt::axis<-1>, kt::keepdims). Of vectors: for any number p the
/// power 1 / p of the sum of powers p of magnitudes, for infinity and -infinity the largest and the
/// smallest one, for 0 the number of elements that are not 0. Of matrices, of which `kt::axis<0,
/// 1>` names the rows first: for 1 and -1 the largest and the smallest sum of magnitudes in a
/// column, for infinity and -infinity that in a row, for 2 and -2 the largest and the smallest
/// singular value, kt::fro and kt::nuc. float64 for integers; the gradient at 0 is 0 for orders of
/// 1 and more. (numpy.linalg.norm)
template <typed X, ops::norm_order P, class... Options>
constexpr auto norm(X const& x, P p, Options...) {
  using options = ops::reduction_options<Options...>;
  constexpr bool is_known = options::known, is_within = ops::axes_within<X, Options...>();
  static_assert(is_known,
                "kt::norm: behind the order there are, in either order, kt::axis<...> and "
                "kt::keepdims, as in norm(x, 1, kt::axis<0>)");
  static_assert(!is_known || is_within,
                "kt::norm: an axis is outside the rank: a tensor of rank n has the axes 0 to n - "
                "1, or -n to -1 from the end");
  constexpr int axes = options::everything ? rank_of<X> : options::named;
  constexpr bool is_of_vectors = axes == 1, is_of_matrices = axes == 2,
                 is_named = std::same_as<P, matrix_norm>;
  static_assert(
      is_of_vectors || is_of_matrices,
      "kt::norm: an order makes it a norm of vectors, over one axis, or of matrices, over "
      "two: name them with kt::axis<...>");
  static_assert(!is_named || !is_of_vectors, "kt::norm: kt::fro and kt::nuc are norms of matrices");
  if constexpr (is_within && (is_of_matrices || (is_of_vectors && !is_named))) {
    constexpr ops::normed_axes over = ops::axes_of_norm<rank_of<X>, Options...>();
    auto const typed_norm = [](term y) {
      return ops::reduced<ops::static_average<X>(), X, options>(y);
    };
    term const y = ops::as_floats(x);
    if constexpr (is_named) return typed_norm(ops::matrix_norm_of(y, p, over));
    else if constexpr (is_of_matrices)
      return typed_norm(ops::matrix_norm_of(y, static_cast<double>(p), over));
    else return typed_norm(ops::vector_norm(y, static_cast<double>(p), over));
  } else {
    return core::in_place_of<core::value_t<ops::static_average<X>()>, 0>(x);
  }
}

/// The condition of a matrix: the quotient of the largest and the smallest singular value, infinity
/// if the latter is 0. (numpy.linalg.cond)
template <typed X>
  requires operand_is_a_matrix<X>
constexpr auto cond(X const& x) {
  auto const s = svdvals(x);
  using value = value_type_of<decltype(s)>;
  auto const least = s(-1);
  return where(least > value(0), s(0) / least, std::numeric_limits<value>::infinity());
}
/// The condition of a matrix by the norm of order p, an order of `norm`: for 2 that above, for -2
/// its inverse, for all others, of square matrices, the product of the norms of the matrix and of
/// its inverse, infinity if it has none; under kt::vmap a matrix without an inverse throws
/// kt::linalg_error. (numpy.linalg.cond)
template <typed X, ops::norm_order P>
  requires operand_is_a_matrix<X>
constexpr auto cond(X const& x, P p) {
  using value = value_type_of<decltype(norm(x, p))>;
  using scalar = variable<value, 0>;
  if constexpr (number<P>) {
    if (p == 2) return scalar(cond(x));
    if (p == -2) {
      auto const s = svdvals(x);
      return scalar(s(-1) / s(0));
    }
  }
  auto const [sign, size] = slogdet(x);
  return scalar(ifelse(neq(sign, 0), norm(x, p) * norm(matrix_inverse(x), p),
                       std::numeric_limits<value>::infinity()));
}

}  // namespace kroton
