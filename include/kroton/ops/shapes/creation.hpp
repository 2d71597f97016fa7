// Tensors made from extents alone: 0, 1, 2 ... and identity matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton {
namespace op {

/// 0, 1, 2 ... as an int64 vector; its length is the input, an int64 scalar.
struct iota : operation<"iota", 1> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const& a) {
    return {element::int64, 1, a.of->is_literal(a.inputs[0], 1) ? 1u : 0u};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::value, 0, 0};
  }
  static constexpr auto pullback = no_gradient;
};

}  // namespace op

namespace ops {

constexpr term iota(term length) {
  return {length.of, length.of->apply<op::iota>({length.of->cast(length.id, element::int64)})};
}

/// Whether row i and column j are on the diagonal j = i + offset, as a bool matrix.
constexpr term on_diagonal(term rows, term columns, term offset) {
  return call<op::eq>(permute(iota(rows), {0, -1}) + offset, permute(iota(columns), {-1, 0}));
}

/// An extent or a bound as an int64 scalar.
template <class N>
constexpr term as_int64(graph& g, N const& n) {
  return {&g, g.cast(node_of(g, n, element::int64), element::int64)};
}
/// A number, or an expression, as float64.
template <class V>
constexpr term as_float64(graph& g, V const& v) {
  return {&g, g.cast(node_of(g, v, element::float64), element::float64)};
}

template <class... N>
inline constexpr bool integers_with_a_variable = (symbolic<N> || ...) && (is_extent<N>() && ...);

}  // namespace ops

/// Extents and bounds are integers or integer scalars; at least one belongs to an expression, like
/// `x.shape(0)`.
template <class... N>
concept extents_are_integer_scalars_of_an_expression = ops::integers_with_a_variable<N...>;

/// The n by m matrix of T with ones on a diagonal, k columns right of the main one, and zeros
/// elsewhere. (numpy.eye)
template <class T = double, operand N, operand M>
  requires extents_are_integer_scalars_of_an_expression<N, M>
constexpr variable<T, 2> eye(N const& n, M const& m, int k = 0) {
  graph& g = *core::graph_of_operands(n, m);
  return variable<T, 2>(
      cast<T>(ops::on_diagonal(ops::as_int64(g, n), ops::as_int64(g, m), ops::as_int64(g, k))));
}
/// The identity matrix of n rows. (numpy.eye)
template <class T = double, operand N>
  requires extents_are_integer_scalars_of_an_expression<N>
constexpr variable<T, 2> eye(N const& n) {
  return eye<T>(n, n);
}
/// The matrix of the shape and element type of x with ones on its main diagonal and zeros
/// elsewhere; x itself is not computed. (theano.tensor.identity_like)
template <symbolic X>
constexpr X identity_like(X const& x) {
  if constexpr (typed<X>) {
    constexpr bool is_matrix = rank_of<X> == 2;
    static_assert(is_matrix, "kt::identity_like: takes a matrix");
  }
  term const zero{x.of, x.of->literal(0, element::int64)};
  term const diagonal = ops::on_diagonal(ops::extent(x, 0), ops::extent(x, 1), zero);
  return X(term{x.of, x.of->cast(diagonal.id, x.type().element)});
}

}  // namespace kroton
