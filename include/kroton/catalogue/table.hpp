// The built-in ops that are not elementwise, as lists by family, and all ops: for tables, pages,
// tests and the run-time library, which has the kernels of all. A program needs none of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/catalogue/ops.hpp>
#include <kroton/grad/batching.hpp>
#include <kroton/grad/implicit.hpp>
#include <kroton/grad/own_gradient.hpp>
#include <kroton/grad/reverse.hpp>
#include <kroton/grad/taylor.hpp>
#include <kroton/ops/after.hpp>
#include <kroton/ops/along_axes/numbering.hpp>
#include <kroton/ops/along_axes/partition.hpp>
#include <kroton/ops/along_axes/positions.hpp>
#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/along_axes/scans.hpp>
#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/along_axes/sorting.hpp>
#include <kroton/ops/along_axes/statistics.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/learning.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/elementwise/special.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/indexing/along_axis.hpp>
#include <kroton/ops/indexing/masking.hpp>
#include <kroton/ops/linear_algebra/batched.hpp>
#include <kroton/ops/linear_algebra/decompositions.hpp>
#include <kroton/ops/linear_algebra/determinants.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/ops/linear_algebra/eigenvalues.hpp>
#include <kroton/ops/linear_algebra/einsum.hpp>
#include <kroton/ops/linear_algebra/factors.hpp>
#include <kroton/ops/linear_algebra/matrix_functions.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/ops/linear_algebra/pseudoinverse.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/linear_algebra/sylvester.hpp>
#include <kroton/ops/linear_algebra/tensor_products.hpp>
#include <kroton/ops/linear_algebra/tensor_systems.hpp>
#include <kroton/ops/linear_algebra/triangles.hpp>
#include <kroton/ops/linear_algebra/triangular_factors.hpp>
#include <kroton/ops/loop.hpp>
#include <kroton/ops/printing.hpp>
#include <kroton/ops/random/draw.hpp>
#include <kroton/ops/shapes/allocation.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/fixed.hpp>
#include <kroton/ops/shapes/grids.hpp>
#include <kroton/ops/shapes/rearranging.hpp>
#include <kroton/ops/shapes/shape.hpp>
#include <kroton/ops/signal/convolution_at.hpp>
#include <kroton/ops/signal/convolve.hpp>
#include <kroton/ops/signal/fourier.hpp>
#include <kroton/ops/signal/pooling.hpp>
#include <kroton/ops/sparse.hpp>
#include <kroton/plan/blas_calls.hpp>
#include <kroton/plan/product_chains.hpp>

namespace kroton::op {

/// Ops whose result is part of their operand's memory, or a copy laid out in another way.
using view_ops = boost::mp11::mp_list<dimshuffle, reshape, subtensor, ifelse, print, assertion>;
using indexing_ops = boost::mp11::mp_list<inc_subtensor, set_subtensor, take, inc_take, set_take,
                                          take_along_axis, add_along_axis, nonzero>;
/// Besides alloc.
using creation_ops = boost::mp11::mp_list<constant, iota, make_vector, join>;
using normalizing_ops = boost::mp11::mp_list<softmax, log_softmax, logsumexp>;
using order_ops =
    boost::mp11::mp_list<argmax, argmin, cumsum, cumprod, sort, topk, partition, searchsorted,
                         starts_run>;
using product_ops = boost::mp11::mp_list<dot, batched_dot>;
using window_ops =
    boost::mp11::mp_list<convolution, convolution_images, convolution_filters, max_pool, avg_pool>;
using diagonal_ops = boost::mp11::mp_list<diagonal, from_diagonal, from_diagonals>;
using linear_algebra_ops =
    boost::mp11::mp_list<cholesky, matrix_inverse, solve, solve_triangular, det, slogdet, cofactors,
                         cofactors_change, qr, svd, eigh, lstsq, pinv, expm, sqrtm, logm, plu, eig,
                         solve_sylvester>;

using fourier_ops = boost::mp11::mp_list<dft, real_dft, dft_to_real>;
using sparse_ops = boost::mp11::mp_list<
    csr_dot, csr_lines_dot, csr_transposed_dot, sampling, line_numbers, checked_indices,
    turned_pattern, joined_bounds, united_bounds, united_indices, united_values, values_of_united,
    common_bounds, common_indices, common_values, product_bounds, product_indices, sparse_product,
    sparsity,
    sparsity_places, diagonals_count, diagonals_bounds, diagonals_indices, diagonals_places,
    diagonals_values, listed_bounds, range_bounds, piece_places, piece_values, chosen_bounds,
    chosen_places, stepped_bounds, stepped_places, beside_bounds, beside_places, beside_values,
    kron_bounds, kron_places, sparse_extremum, sparse_pair_dot>;

/// Draws of random numbers: those of a law from each generator that draws it and does not make it
/// of uniform numbers.
template <ops::generator G, ops::distribution... D>
using draws_of = boost::mp11::mp_list<draw<G, D>...>;
template <ops::generator G, ops::distribution... More>
using common_draws =
    draws_of<G, ops::distribution::uniform, ops::distribution::gamma, ops::distribution::poisson,
             ops::distribution::binomial, ops::distribution::randint,
             ops::distribution::multinomial, ops::distribution::permutation,
             ops::distribution::selection, More...>;
using random_ops = boost::mp11::mp_append<
    common_draws<ops::generator::philox, ops::distribution::normal,
                 ops::distribution::truncated_normal>,
    common_draws<ops::generator::mrg, ops::distribution::truncated_normal>,
    common_draws<ops::generator::twister, ops::distribution::normal, ops::distribution::exponential,
                 ops::distribution::truncated_normal>,
    boost::mp11::mp_list<advance_stream>>;

/// Ops that only the optimizer records: parts of a factorization, of scans and of products.
using internal_ops =
    boost::mp11::mp_list<lu, solve_by_factors, inverse_of_factors, det_of_factors,
                         slogdet_of_factors, cofactors_of_factors, shift, recurrence, gemm,
                         product_chain, first_equal, whole, largest_exponent, relative_sum,
                         take_in_planes, add_in_planes, spread_windows, convolution_images_at,
                         convolution_filters_at, logm_change, after>;
/// Ops that no step of a program computes: names of what is recorded as other ops, extents, places
/// in a graph.
using symbolic_ops =
    boost::mp11::mp_list<extent_of, item, fixed, lane, formal, scan, stacked, einsum, tensordot,
                         tensorinv, tensorsolve, rop, lop, known_grads, lexsort, put_along_axis,
                         bincount, trapezoid, with_pullback, taylor, solution, fixed_point,
                         equations, root_equations, conv1d, conv2d, conv3d, conv2d_transpose,
                         convolve, correlate, cross, fftconvolve, with_data, sparse_sum,
                         sparse_elementwise, sparse_dot, sparse_element, sparse_lines, kron>;

/// Every built-in op.
using all_ops =
    boost::mp11::mp_append<elementwise_ops, reduction_ops, view_ops, indexing_ops,
                           boost::mp11::mp_list<alloc>, creation_ops, normalizing_ops, order_ops,
                           product_ops, window_ops, diagonal_ops, linear_algebra_ops, fourier_ops,
                           sparse_ops, random_ops, internal_ops, symbolic_ops>;

template <class Op>
using has_own_function = std::bool_constant<core::runs_itself<Op>>;
/// Ops that compute by a function of their own.
using own_ops = boost::mp11::mp_copy_if<all_ops, has_own_function>;

}  // namespace kroton::op
