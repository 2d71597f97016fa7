// The built-in ops that are not elementwise, as lists by family: for tables, pages and tests. A program needs none of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>
#include <kroton/ops/list.hpp>

namespace kroton::op {

/// Ops whose result is part of their operand's memory, or a copy laid out in another way.
using view_ops = boost::mp11::mp_list<dimshuffle, reshape, subtensor, ifelse, print>;
using indexing_ops = boost::mp11::mp_list<inc_subtensor, set_subtensor, take, inc_take, set_take, take_along_axis, add_along_axis, nonzero>;
/// Besides alloc.
using creation_ops = boost::mp11::mp_list<constant, iota, make_vector, join>;
using normalizing_ops = boost::mp11::mp_list<softmax, log_softmax, logsumexp>;
using order_ops = boost::mp11::mp_list<argmax, argmin, cumsum, cumprod, sort, topk, searchsorted, starts_run>;
using product_ops = boost::mp11::mp_list<dot, batched_dot>;
using diagonal_ops = boost::mp11::mp_list<diagonal, from_diagonal, from_diagonals>;
using linear_algebra_ops = boost::mp11::mp_list<cholesky, matrix_inverse, solve, solve_triangular, det, slogdet, qr, svd, eigh, lstsq>;

}  // namespace kroton::op
