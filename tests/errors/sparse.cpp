// Wrong uses of sparse matrices.
// errors: at most 19
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// expect: kt::dot: a sparse matrix is multiplied with a vector, a matrix or another sparse matrix
namespace dot_scalar {
auto f = kt::function([](kt::csr<double> a, kt::dscalar s) { return dot(a, s); });
}
namespace dot_tensor {
auto f = kt::function([](kt::csr<double> a, kt::dtensor3 t) { return dot(t, a); });
}

// expect: kt: a sparse matrix plus a number or a scalar is dense: write dense_from_sparse(a) + s
namespace plus_number {
auto f = kt::function([](kt::csr<double> a) { return a + 1; });
}
// expect: kt: a sparse matrix minus a number or a scalar is dense
namespace minus_scalar {
auto f = kt::function([](kt::csr<double> a, kt::dscalar s) { return s - a; });
}

// expect: kt: a sparse matrix is multiplied elementwise with numbers, scalars, vectors, matrices and sparse
namespace times_tensor {
auto f = kt::function([](kt::csr<double> a, kt::dtensor3 t) { return a * t; });
}

// expect: nothing is divided by a sparse one, most of whose elements are 0
namespace divisor {
auto f = kt::function([](kt::csr<double> a, kt::dmatrix x) { return x / a; });
}
namespace both {
auto f = kt::function([](kt::csr<double> a, kt::csr<double> b) { return a / b; });
}

// expect: kt: a function that is not 0 at 0 makes a sparse matrix dense: write f(dense_from_sparse(a))
namespace not_zero_at_zero {
auto f = kt::function([](kt::csr<double> a) { return exp(a); });
}

// expect: kt::csr_from_dense: takes a dense matrix
namespace from_vector {
auto f = kt::function([](kt::dvector x) { return csr_from_dense(x); });
}

// expect: kt::csr_from_parts: takes a vector of values, integer vectors of indices and of bounds
namespace from_floats {
auto f = kt::function([](kt::dvector v, kt::ivector p) { return csr_from_parts(v, v, p, 2, 2); });
}

// expect: kt::sampling_dot: takes two dense matrices and a sparse one, the pattern
namespace dense_pattern {
auto f = kt::function([](kt::dmatrix a, kt::dmatrix b) { return sampling_dot(a, b, a); });
}

// expect: kt: of a sparse matrix a(rows) or a(rows, columns) are selected, each by an integer, a kt::slice or a vector of integers
namespace selects_by_real {
auto f = kt::function([](kt::csr<double> a) { return a(1.5); });
}
// expect: kt: rows and columns of a sparse matrix are selected by two vectors of integers one after the other: a(rows)(kt::slice(), columns)
namespace two_lists {
auto f = kt::function([](kt::csr<double> a, kt::lvector k) { return a(k, k); });
}
// expect: kt::square_diagonal: takes a vector, the diagonal
namespace diagonal_of_matrix {
auto f = kt::function([](kt::dmatrix x) { return kt::square_diagonal(x); });
}

// expect: kt: the values of a sparse matrix are a vector or a scalar
namespace matrix_of_values {
auto f = kt::function([](kt::csr<double> a, kt::dmatrix x) { return a.with_data(x); });
}

// expect: kt::grad: an integer does not change continuously
namespace integers {
auto f = kt::function([](kt::csr<int> a, kt::dvector x) { return grad(sum(dot(a, x)), a); });
}

// expect: kt::function: a sparse parameter takes a kt::csr_array (a kt::csc a kt::csc_array) or an Eigen::SparseMatrix
namespace dense_argument {
auto f = kt::function([](kt::csr<double> a, kt::dvector x) { return dot(a, x); });
auto y = f(xt::xtensor<double, 2>{{1, 2}}, std::vector{1., 2.});
}
// expect: kt::function: a kt::csr takes a kt::csr_array, a kt::csc a kt::csc_array
namespace other_lines {
auto f = kt::function([](kt::csc<double> a) { return sum(a); });
auto y = f(kt::csr_array<double>());
}

// expect: kt::solve: a sparse system is solved by Eigen: include <kroton/sparse_solve.hpp>
namespace sparse_system {
auto f = kt::function([](kt::csr<double> a, kt::dvector b) { return solve(a, b); });
}
