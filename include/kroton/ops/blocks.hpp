// Block-diagonal matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/allocation.hpp>
#include <kroton/ops/diagonal_blocks.hpp>
#include <kroton/ops/joining.hpp>

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
  if constexpr (typed<X>) return rank_of<X> <= 2;
  else return number<X>;
}

}  // namespace ops

/// The matrix with these blocks on its diagonal and zeros elsewhere, of the promoted element type:
/// `kt::block_diagonal(a, b)`. Blocks are matrices of any extents; a vector is a row, a number or a
/// scalar a matrix of one element. Determinants, inverses, solutions, Cholesky factors,
/// exponentials, eigenvalues and products of the matrix are computed block by block, without the
/// zeros. What takes square matrices takes square blocks: others are a kt::shape_error at the call.
/// (scipy.linalg.block_diag)
template <operand... X>
  requires(typed<X> || ...)
constexpr auto block_diagonal(X const&... blocks) {
  constexpr bool are_blocks = (ops::is_block<X>() && ...);
  static_assert(are_blocks, "kt::block_diagonal: takes matrices, vectors and scalars");
  using T = core::value_t<core::static_element_beside<X...>()>;
  graph& g = *core::graph_of_operands(blocks...);
  if constexpr (are_blocks) {
    core::list<term> all;
    element const e = core::element_of<T>();
    auto const add = [&](auto const& block) {
      all.push_back(ops::as_matrix({&g, g.cast(core::node_of(g, block, e), e)}));
    };
    (add(blocks), ...);
    return variable<T, 2>(ops::block_diagonal(all));
  } else {
    g.fail(core::said_above);
    return variable<T, 2>(term{&g, core::stand_in(g, variable<T, 2>::parameter_type)});
  }
}

}  // namespace kroton
