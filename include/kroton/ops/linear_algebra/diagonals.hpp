// Diagonals of matrices, and matrices that are zero except on diagonals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/joining.hpp>

namespace kroton {
namespace op {

/// The elements on a diagonal of two axes, as the last axis of the result, after the others.
/// Attributes: the first and the second of these axes, in this order, how far the diagonal is right
/// of the main one, and whether both extents must be equal. The second input is the length, an
/// int64 scalar. (numpy.diagonal)
struct diagonal : operation<"diagonal", 2> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type const x = a.input(0);
    tensor_type t{x.element, 0, 0};
    for (int d = 0; d < x.rank; ++d) {
      if (d == a.attribute(0) || d == a.attribute(1)) continue;
      if (x.broadcasts(d)) t.broadcast |= 1u << t.rank;
      ++t.rank;
    }
    if (a.of->is_literal(a.inputs[1], 1)) t.broadcast |= 1u << t.rank;
    ++t.rank;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (d == a.input(0).rank - 2) return {core::extent_source::value, 1, 0};
    if (d >= a.attribute(0)) ++d;
    if (d >= a.attribute(1)) ++d;
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    if (a.attribute(3) == 0) return;
    pairs.push_back({{core::extent_source::dimension, 0, static_cast<int>(a.attribute(0))},
                     {core::extent_source::dimension, 0, static_cast<int>(a.attribute(1))}});
  }
  static constexpr core::gradient_list<2> pullback(term g, term y, term x, term);
};

/// Zeros except on a diagonal of two axes, which is the last axis of the operand. Attributes as
/// above; the other inputs are the extents of the two axes, int64 scalars.
struct from_diagonal : operation<"from_diagonal", 3> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type const x = a.input(0);
    tensor_type t{x.element, static_cast<std::uint8_t>(x.rank + 1), 0};
    for (int d = 0, position = 0; d < t.rank; ++d) {
      bool const is_first = d == a.attribute(0), is_second = d == a.attribute(1);
      bool const one = is_first || is_second ? a.of->is_literal(a.inputs[is_first ? 1 : 2], 1)
                                             : x.broadcasts(position++);
      if (one) t.broadcast |= 1u << d;
    }
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (d == a.attribute(0)) return {core::extent_source::value, 1, 0};
    if (d == a.attribute(1)) return {core::extent_source::value, 2, 0};
    return {core::extent_source::dimension, 0,
            d - (d > a.attribute(0) ? 1 : 0) - (d > a.attribute(1) ? 1 : 0)};
  }
  static constexpr core::gradient_list<3> pullback(term g, term y, term x, term, term) {
    return {{{g.of, g.of->apply<diagonal>({g.id, ops::extent(x, x.rank() - 1).id},
                                          {y.of->attribute(y.id, 0), y.of->attribute(y.id, 1),
                                           y.of->attribute(y.id, 2), 0})}}};
  }
};

/// A matrix of zeros with vectors added along diagonals. Each vector has three inputs: the vector,
/// and the row and the column of its first element, int64 scalars. The last two inputs are the
/// extents of the matrix. Callers guarantee that all elements are inside: this op results from
/// derivatives of slices.
struct from_diagonals : operation<"from_diagonals", -1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t{a.input(0).element, 2, 0};
    for (int d = 0; d < 2; ++d)
      if (a.of->is_literal(a.inputs[a.count() - 2 + d], 1)) t.broadcast |= 1u << d;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return {core::extent_source::value, a.count() - 2 + d, 0};
  }
  static constexpr core::any_gradients pullback(term g, term y) {
    core::any_gradients result;
    for (int k = 0; k + 2 < (*y.of)[y.id].input_count; k += 3) {
      auto input = [&](int i) { return term{y.of, y.of->input_of(y.id, k + i)}; };
      term const length = ops::extent(input(0), 0);
      term const part =
          ops::axis_range(ops::axis_range(g, 0, input(1), length), 1, input(2), length);
      result.terms.push_back({g.of, g.of->apply<diagonal>({part.id, length.id}, {0, 1, 0, 0})});
      result.terms.push_back({});
      result.terms.push_back({});
    }
    result.terms.push_back({});
    result.terms.push_back({});
    return result;
  }
};

}  // namespace op

namespace ops {

/// The diagonal of axes `first` and `second`, `offset` right of the main one; `equal`: both extents
/// must be the same.
constexpr term diagonal(term x, int first, int second, int offset = 0, bool equal = false) {
  term rows = extent(x, first), columns = extent(x, second);
  if (offset > 0) columns = columns - offset;
  if (offset < 0) rows = rows + offset;
  term length = equal ? rows : call<op::minimum>(rows, columns);
  if (offset != 0) length = call<op::maximum>(length, 0);
  return {x.of, x.of->apply<op::diagonal>({x.id, length.id}, {first, second, offset, equal})};
}
/// The matrix with these extents and with x on its diagonal.
constexpr term from_diagonal(term x, term rows, term columns, long long first = 0,
                             long long second = 1, long long offset = 0) {
  return {x.of,
          x.of->apply<op::from_diagonal>({x.id, rows.id, columns.id}, {first, second, offset, 0})};
}
/// The square matrix with the vector x on a diagonal.
constexpr term diagonal_matrix(term x, int offset = 0) {
  term side = extent(x, 0);
  if (offset != 0) side = side + (offset < 0 ? -offset : offset);
  return from_diagonal(x, side, side, 0, 1, offset);
}

/// Compares the rows and columns of a matrix by Op: le is true on and above the diagonal, gt below
/// it.
template <class Op>
constexpr term triangle(term x) {
  return call<Op>(permute(iota(extent(x, 0)), {0, -1}), permute(iota(extent(x, 1)), {-1, 0}));
}

}  // namespace ops

namespace op {

constexpr core::gradient_list<2> diagonal::pullback(term g, term y, term x, term) {
  long long const first = y.of->attribute(y.id, 0), second = y.of->attribute(y.id, 1);
  term const rows = ops::extent(x, static_cast<int>(first)),
             columns = ops::extent(x, static_cast<int>(second));
  return {{ops::from_diagonal(g, rows, columns, first, second, y.of->attribute(y.id, 2))}};
}

}  // namespace op

/// The diagonal of a matrix, or the matrix of a vector.
template <class X>
concept diag_takes_a_vector_or_a_matrix =
    !typed<X> || core::static_rank<X>() == 1 || core::static_rank<X>() == 2;

/// For a matrix, its diagonal as a vector; for a vector, the square matrix with the vector on its
/// diagonal and zeros elsewhere. The diagonal is k columns right of the main one. (numpy.diag)
template <symbolic X>
  requires diag_takes_a_vector_or_a_matrix<X>
constexpr auto diag(X const& x, int k = 0) {
  if constexpr (!typed<X>)
    return x.rank() == 1 ? ops::diagonal_matrix(x, k) : ops::diagonal(x, 0, 1, k);
  else if constexpr (rank_of<X> == 1)
    return variable<value_type_of<X>, 2>(ops::diagonal_matrix(x, k));
  else return variable<value_type_of<X>, 1>(ops::diagonal(x, 0, 1, k));
}

/// A trace needs a matrix.
template <class X>
concept trace_takes_a_matrix = !typed<X> || core::static_rank<X>() == 2;

/// The sum of the main diagonal; element types as `sum`. (numpy.trace)
template <symbolic X>
  requires trace_takes_a_matrix<X>
constexpr auto trace(X const& x) {
  return sum(diag(x));
}

}  // namespace kroton
