// Block-diagonal matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/diagonal_blocks.hpp>
#include <kroton/ops/shapes/allocation.hpp>
#include <kroton/ops/shapes/joining.hpp>

#include <tuple>

namespace kroton {
namespace ops {

/// A tensor of up to two dimensions as a matrix; a vector is a row.
constexpr term as_matrix(term x) {
  list<int> pattern;
  for (int d = x.rank(); d < 2; ++d) pattern.push_back(-1);
  for (int d = 0; d < x.rank(); ++d) pattern.push_back(d);
  return permute(x, pattern);
}
/// Matrices of one element type on the diagonal of a matrix of zeros: rows of blocks, joined with
/// an attribute that marks what is meant.
constexpr term block_diagonal(list<term> const& blocks) {
  graph& g = *blocks[0].of;
  term const zero{&g, g.literal(0, blocks[0].element())};
  list<term> rows;
  for (term const& block : blocks) {
    list<term> row;
    for (term const& other : blocks)
      row.push_back(row.size() == rows.size() ? block
                                              : alloc(zero, {extent(block, 0), extent(other, 1)}));
    rows.push_back(join(row, 1));
  }
  if (rows.size() == 1) return blocks[0];
  list<int> const inputs(g.inputs(join(rows, 0).id).first, rows.size() + 1);
  long long const attributes[] = {0, is_block_diagonal};
  return {&g, g.apply(identity<op::join>(), inputs, attributes)};
}

template <class X>
constexpr bool is_block() {
  if constexpr (core::static_operand<X>) return core::static_rank<X>() <= 2;
  else return number<X>;
}
/// Blocks of which at least one is a tensor.
template <class... X>
concept some_blocks = (operand<X> && ...) && (core::static_operand<X> || ...);

/// The matrix of blocks that are converted to one element type.
template <class... X>
constexpr term block_diagonal_of(graph& g, X const&... blocks) {
  constexpr element e = core::static_element_beside<X...>();
  return block_diagonal({as_matrix({&g, g.cast(core::node_of(g, blocks, e), e)})...});
}
template <class... X>
struct unplaced_blocks {
  std::tuple<X...> blocks;
  constexpr term operator()(graph& g) const {
    return std::apply([&](X const&... each) { return block_diagonal_of(g, each...); }, blocks);
  }
};

}  // namespace ops

/// The matrix with these blocks on its diagonal and zeros elsewhere, of the promoted element type:
/// `kt::block_diagonal(a, b)`. Blocks are matrices of any extents; a vector is a row, a number or a
/// scalar a matrix of one element. Tensors of numbers, such as kt::eye(2), are blocks as well.
/// Determinants, inverses, solutions, Cholesky factors, exponentials and products of the matrix are
/// computed block by block, without the zeros, and eigenvalues where eigenvectors are not needed.
/// What takes square matrices takes square blocks: others are a kt::shape_error at the call.
/// (scipy.linalg.block_diag)
template <class... X>
  requires ops::some_blocks<X...>
constexpr auto block_diagonal(X const&... blocks) {
  constexpr bool are_blocks = (ops::is_block<X>() && ...);
  static_assert(are_blocks, "kt::block_diagonal: takes matrices, vectors and scalars");
  using T = core::value_t<core::static_element_beside<X...>()>;
  if constexpr (!are_blocks)
    return zeros<T>(1, 1);
  else if constexpr ((symbolic<X> || ...))
    return variable<T, 2>(ops::block_diagonal_of(*core::graph_of_operands(blocks...), blocks...));
  else return unplaced<T, 2, ops::unplaced_blocks<X...>>{{{blocks...}}};
}
/// Rejects calls without a matrix.
template <class... X>
  requires(!ops::some_blocks<X...>)
constexpr auto block_diagonal(X const&...) {
  static_assert(ops::some_blocks<X...>,
                "kt::block_diagonal: takes matrices, vectors and scalars, and numbers beside them; "
                "kt::eye(2) and kt::constant({{1., 2.}}) are matrices of numbers");
  return zeros(1, 1);
}

}  // namespace kroton
