// Linear algebra, and products of tensors, that is none.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// expect: takes a matrix
namespace inverse_of_vector {
auto f = kt::function([](kt::dvector v) { return matrix_inverse(v); });
}
namespace cholesky_of_tensor {
auto f = kt::function([](kt::dtensor3 v) { return cholesky(v); });
}

namespace pseudoinverse_of_vector {
auto f = kt::function([](kt::dvector v) { return pinv(v); });
}
namespace rank_of_tensor {
auto f = kt::function([](kt::dtensor3 v) { return matrix_rank(v, 0.5); });
}
// expect: kt::pinv: rcond is a number or a scalar
namespace pseudoinverse_up_to_a_vector {
auto f = kt::function([](kt::dmatrix a, kt::dvector v) { return pinv(a, v); });
}
// expect: kt::matrix_rank: tol is a number or a scalar
namespace rank_up_to_a_vector {
auto f = kt::function([](kt::dmatrix a, kt::dvector v) { return matrix_rank(a, v); });
}
// expect: kt::expm: takes a matrix
namespace exponential_of_tensor {
auto f = kt::function([](kt::dtensor3 v) { return expm(v); });
}
// expect: kt::eig: takes a matrix
namespace eigenvalues_of_vector {
auto f = kt::function([](kt::dvector v) { return std::get<0>(eig(v)); });
}
// expect: kt::lu: takes a matrix
namespace factors_of_vector {
auto f = kt::function([](kt::dvector v) { return std::get<0>(kt::lu(v)); });
}
// expect: kt::qr: the mode is kt::qr_mode::reduced, complete or r
namespace factors_by_name {
auto f = kt::function([](kt::dmatrix a) { return std::get<1>(qr(a, "r")); });
}
// expect: kt::svd: the option is kt::full_matrices
namespace vectors_by_bool {
auto f = kt::function([](kt::dmatrix a) { return std::get<1>(svd(a, true)); });
}
// expect: kt::eigh, kt::eigvalsh: the triangle is kt::lower or kt::upper
namespace eigenvalues_by_letter {
auto f = kt::function([](kt::dmatrix a) { return eigvalsh(a, 'U'); });
}
// expect: kt::norm: an order makes it a norm of vectors, over one axis, or of matrices, over
namespace norm_of_tensor {
auto f = kt::function([](kt::dtensor3 a) { return norm(a, 1); });
}
// expect: kt::norm: kt::fro and kt::nuc are norms of matrices
namespace nuclear_norm_of_vector {
auto f = kt::function([](kt::dvector a) { return norm(a, kt::nuc); });
}
// expect: kt::norm: a norm of matrices has the
namespace norm_of_order_three {
auto f = kt::function([](kt::dmatrix a) { return norm(a, 3); });
}
// expect: kt::cond: takes a matrix
namespace condition_of_vector {
auto f = kt::function([](kt::dvector a) { return cond(a, 1); });
}

// expect: kt::tensorinv: N of the axes, but not all, are merged to rows
namespace tensorinv_of_all_axes {
auto f = kt::function([](kt::dmatrix v) { return tensorinv(v); });
}
// expect: kt::tensorsolve: takes a tensor of the axes of b
namespace tensorsolve_of_equal_ranks {
auto f = kt::function([](kt::dmatrix a, kt::dmatrix b) { return tensorsolve(a, b); });
}

// expect: kt::solve: takes a matrix and, as right-hand side, a vector or a matrix
namespace solve_for_scalar {
auto f = kt::function([](kt::dmatrix a, kt::dscalar b) { return solve(a, b); });
}

// expect: kt::diag: takes a matrix, whose diagonal it returns, or a vector
namespace diag_of_scalar {
auto f = kt::function([](kt::dscalar a) { return diag(a); });
}

// expect: kt::trace: takes a matrix
namespace trace_of_vector {
auto f = kt::function([](kt::dvector a) { return trace(a); });
}

// A scalar has no axes to sum over.
// expect: kt::dot: takes vectors and matrices; a scalar or a number is multiplied with *
namespace dot_of_tensor_and_scalar {
auto f = kt::function([](kt::dtensor3 a, kt::dscalar b) { return dot(a, b); });
}

// expect: tensordot_sums_axes_that_are_there
namespace tensordot_of_too_many {
auto f = kt::function([](kt::dtensor3 a, kt::dvector b) { return tensordot<2>(a, b); });
}
// expect: kt::tensordot: both operands must name the same number of axes
namespace tensordot_of_one_and_two {
auto f = kt::function([](kt::dtensor3 a, kt::dmatrix b) { return tensordot(a, b, kt::axis<1>, kt::axis<0, 1>); });
}
// expect: kt::tensordot: an axis is outside the rank of its operand
namespace tensordot_outside {
auto f = kt::function([](kt::dtensor3 a, kt::dmatrix b) { return tensordot(a, b, kt::axis<1>, kt::axis<2>); });
}
// expect: kt::tensordot: an axis is named twice
namespace tensordot_twice {
auto f = kt::function([](kt::dtensor3 a, kt::dmatrix b) { return tensordot(a, b, kt::axis<1, -2>, kt::axis<0, 1>); });
}

// expect: kt::einsum: write a letter for each axis, a comma between operands, and an arrow before the result
namespace einsum_of_dots {
auto f = kt::function([](kt::dmatrix a) { return kt::einsum<"...i->i">(a); });
}
// expect: kt::einsum: a letter appears twice in the result
namespace einsum_twice {
auto f = kt::function([](kt::dvector a) { return kt::einsum<"i->ii">(a); });
}
// expect: kt::einsum: a letter of the result appears in no operand
namespace einsum_unknown {
auto f = kt::function([](kt::dvector a) { return kt::einsum<"i->j">(a); });
}
// expect: kt::einsum: there must be one group of letters for each operand
namespace einsum_of_one {
auto f = kt::function([](kt::dvector a) { return kt::einsum<"i,i->">(a); });
}
// expect: kt::einsum: an operand must have as many axes as its group has letters
namespace einsum_of_rank {
auto f = kt::function([](kt::dmatrix a) { return kt::einsum<"ijk->i">(a); });
}
// expect: kt::solve_sylvester: takes three matrices
namespace sylvester_of_a_vector {
auto f = kt::function([](kt::dmatrix a, kt::dvector v) { return kt::solve_sylvester(a, a, v); });
}
// expect: kt::solve_continuous_lyapunov: takes two matrices
namespace continuous_of_a_vector {
auto f = kt::function([](kt::dmatrix a, kt::dvector v) { return kt::solve_continuous_lyapunov(a, v); });
}
// expect: kt::solve_discrete_lyapunov: takes two matrices
namespace discrete_of_a_tensor {
auto f = kt::function([](kt::dtensor3 a, kt::dmatrix q) { return kt::solve_discrete_lyapunov(a, q); });
}
// expect: kt::cond: the order of the norm is a number, kt::fro or kt::nuc
namespace condition_of_a_variable_order {
auto f = kt::function([](kt::dmatrix a, kt::dscalar p) { return cond(a, p); });
}
// expect: kt::norm: the order is a number, kt::fro or kt::nuc; that of an expression p is written pow(sum(pow(abs(x), p)), 1 / p)
namespace norm_of_a_variable_order {
auto f = kt::function([](kt::dvector x, kt::dscalar p) { return norm(x, p); });
auto g = kt::function([](kt::dmatrix x, kt::dscalar p) { return norm(x, p, kt::axis<0>); });
}
// expect: kt::block_diagonal: takes matrices, vectors and scalars
namespace blocks_of_rank {
auto f = kt::function([](kt::dtensor3 a, kt::dmatrix b) { return kt::block_diagonal(a, b); });
}
// expect: kt::block_diagonal: takes matrices, vectors and scalars, and numbers beside them; kt::eye(2) and kt::constant({{1., 2.}}) are matrices of numbers
namespace blocks_of_nothing {
auto f = kt::function([](kt::dmatrix b) { return dot(b, kt::block_diagonal()); });
auto g = kt::function([](kt::dmatrix b) { return dot(b, kt::block_diagonal(3, 4)); });
auto h = kt::function([](kt::dmatrix b) { return kt::block_diagonal(b, "c"); });
}
