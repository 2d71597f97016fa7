// Triangles of matrices: triu, tril.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/creation.hpp>

namespace kroton {
namespace ops {

/// x where the comparison Keeps of the column with the row plus k holds, and 0 elsewhere; along the
/// last two axes.
template <class Keeps, typed X, class K>
constexpr X triangle(X const& x, K const& k) {
  constexpr int rank = rank_of<X>;
  static_assert(rank >= 2, "kt::triu, kt::tril: a vector has no triangle; x has two axes or more");
  static_assert(
      is_extent<K>(),
      "kt::triu, kt::tril: the number of the diagonal must be an integer or an integer scalar");
  if constexpr (rank >= 2) {
    term const rows = permute(iota(extent(x, rank - 2)), {0, -1}),
               columns = iota(extent(x, rank - 1));
    return X(term(call<op::where>(call<Keeps>(columns, rows + as_int64(*x.of, k)), term(x),
                                  term{x.of, x.of->literal(0, x.element())})));
  } else {
    return x;
  }
}

}  // namespace ops

/// The upper triangle of a matrix, or of each matrix in a stack: elements below diagonal k are 0; k
/// counts to the right of the main diagonal. (numpy.triu)
template <typed X, operand K = int>
constexpr variable<value_type_of<X>, rank_of<X>> triu(X const& x, K const& k = 0) {
  return ops::triangle<op::ge>(variable<value_type_of<X>, rank_of<X>>(term(x)), k);
}
/// The lower triangle: elements above diagonal k are 0. (numpy.tril)
template <typed X, operand K = int>
constexpr variable<value_type_of<X>, rank_of<X>> tril(X const& x, K const& k = 0) {
  return ops::triangle<op::le>(variable<value_type_of<X>, rank_of<X>>(term(x)), k);
}

}  // namespace kroton
