// Matrices of which more is known than their elements: block-diagonal, triangular, orthogonal ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_matrices.hpp"

namespace fuzz {

// Block-diagonal ones, the second of which is positive definite.
#define BLOCKS(x, y) kt::block_diagonal(REGULAR(x), DEFINITE(y))
#define SYMMETRIC(x, y) kt::block_diagonal(DEFINITE(x), DEFINITE(y))

void add_structures(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      OF_TWO("blocks", 0, 2, kt::block_diagonal(x, y)),
      OF_ONE("blocks", "n", 0, 2, kt::block_diagonal(x, 2, x)),
      OF_TWO("blocks", 2, 2, kt::det(BLOCKS(x, y) * 0.25)),
      OF_TWO("blocks", 2, 2, std::get<1>(kt::slogdet(BLOCKS(x, y)))),
      OF_TWO("blocks", 2, 2, kt::matrix_inverse(BLOCKS(x, y))),
      OF_TWO("blocks", 2, 2, kt::matrix_inverse(2 * BLOCKS(x, y))),
      OF_TWO("blocks", 2, 2, kt::matrix_inverse(BLOCKS(x, y).T())),
      OF_TWO("blocks", 2, 2, kt::cholesky(SYMMETRIC(x, y))),
      OF_TWO("blocks", 2, 2, kt::solve(BLOCKS(x, y), kt::diag(BLOCKS(x, y)))),
      OF_TWO("blocks", 2, 2, kt::solve(BLOCKS(x, y), BLOCKS(x, y).T())),
      OF_TWO("blocks", 2, 2, kt::solve(SYMMETRIC(x, y), BLOCKS(x, y))),
      OF_TWO("blocks", 2, 2, dot(BLOCKS(x, y), SYMMETRIC(x, y))),
      OF_TWO("blocks", 2, 2, kt::trace(dot(BLOCKS(x, y), BLOCKS(x, y)))),
      OF_TWO("blocks", 2, 2, kt::matrix_power(BLOCKS(x, y) * 0.125, 3)),
      OF_TWO("blocks", 2, 2, kt::expm(BLOCKS(x, y) * 0.015625)),
      OF_TWO("blocks", 2, 2, kt::svdvals(BLOCKS(x, y))),
      OF_TWO("blocks", 2, 2, kt::eigvalsh(SYMMETRIC(x, y))),
      OF_TWO("blocks", 2, 2, kt::pinv(BLOCKS(x, y))),
      OF_TWO("blocks", 2, 2, kt::trace(BLOCKS(x, y))),
      OF_TWO("blocks", 2, 2, dot(BLOCKS(x, y), kt::diag(SYMMETRIC(x, y)))),
      OF_TWO("blocks", 2, 2, kt::kron(BLOCKS(x, y), x)),
      OF_ONE("structure", "r", 2, 2, kt::solve(kt::triu(REGULAR(x)), DEFINITE(x))),
      OF_ONE("structure", "r", 2, 2, kt::solve(kt::tril(REGULAR(x)), kt::diag(DEFINITE(x)))),
      OF_ONE("structure", "r", 2, 2, kt::solve(kt::diag(kt::diag(DEFINITE(x))), DEFINITE(x))),
      OF_ONE("structure", "r", 2, 2, kt::solve(REGULAR(x).T(), tanh(DEFINITE(x)))),
      OF_ONE("structure", "r", 2, 2, kt::solve(DEFINITE(x), REGULAR(x))),
      OF_ONE("structure", "r", 2, 2, kt::solve(kt::cholesky(DEFINITE(x)), REGULAR(x))),
      OF_ONE("structure", "r", 2, 2, kt::solve(std::get<0>(kt::qr(REGULAR(x))), DEFINITE(x))),
      OF_ONE("structure", "r", 2, 2, kt::matrix_inverse(std::get<0>(kt::qr(REGULAR(x))))),
      OF_ONE("structure", "r", 2, 2,
             kt::solve(std::get<1>(kt::qr(REGULAR(x))), kt::diag(DEFINITE(x)))),
      OF_ONE("structure", "r", 2, 2, kt::solve(2 * kt::identity_like(DEFINITE(x)), DEFINITE(x))),
      OF_ONE("structure", "r", 2, 2, kt::det(kt::triu(REGULAR(x)) * 0.25)),
      OF_ONE("structure", "r", 2, 2, kt::matrix_inverse(kt::tril(REGULAR(x)))),
      OF_ONE("structure", "r", 2, 2, kt::expm(kt::diag(kt::diag(tanh(DEFINITE(x)))))),
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
