// Sparse calls: expressions of sparse matrices from arguments or dense values to a dense result, in
// postfix order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "record.hpp"

#include <string_view>
#include <variant>
#include <vector>

namespace fuzz {

/// What functions take from and leave for the next one; the last one gives the result.
template <class Matrix>
struct matrix_stack {
  kt::graph& g;
  std::vector<Matrix> matrices{};
  kt::term result{};

  Matrix pop() {
    Matrix top = matrices.back();
    matrices.pop_back();
    return top;
  }
};

/// A sparse matrix as users have it.
using sparse_value = std::variant<kt::csr<double>, kt::csc<double>>;
/// For reference: all elements, and which of them are stored.
struct masked_value {
  kt::term all, stored;
  bool by_rows = true;
};

/// A function of sparse matrices, as users write it and of dense ones.
struct sparse_function {
  /// $a, $b are the matrices that it takes, the last one $b where there are two; $0, $1 the
  /// operands.
  std::string_view text;
  int matrices;
  /// A letter for each operand: m a sparse argument, c a cost, s a scalar, v a vector, x a matrix,
  /// d either of these two.
  std::string_view operands;
  bool gives_matrix;
  void (*record)(matrix_stack<sparse_value>&, kt::term const* operands);
  void (*refer)(matrix_stack<masked_value>&, kt::term const* operands);
};

/// All of them, by number.
std::vector<sparse_function> const& sparse_functions();

/// Records a sparse call, whose axes are the numbers of its functions.
kt::term record_sparse(kt::graph& g, call const& c, std::vector<kt::term> const& values,
                       recorded_arguments const& of);

/// Records a sparse argument as the parameters that it has, or for reference as a dense matrix and
/// what is stored. Gives all elements.
kt::term record_matrix(kt::graph& g, argument const& a, int value, recorded_arguments& of);

}  // namespace fuzz
