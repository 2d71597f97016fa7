// The book of sparse matrices, read in every stage where a graph has the places of one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/pattern/rule.hpp>
#include <kroton/rewrite/rules/sparse/dense.hpp>
#include <kroton/rewrite/rules/sparse/diagonals.hpp>
#include <kroton/rewrite/rules/sparse/joins.hpp>
#include <kroton/rewrite/rules/sparse/sums.hpp>

namespace kroton {

// Rules that leave out 0 * infinity are marked real.
inline constexpr auto sparse_book = rules(
    "sparse",
    builder<"product_on_pattern", op::take>(&rewrite::rules::product_on_pattern)
        .id("Z6").complex(),
    builder<"function_on_pattern", op::take>(&rewrite::rules::function_on_pattern)
        .id("Z6").complex(),
    builder<"product_with_placed", op::dot>(&rewrite::rules::product_with_placed)
        .complex().real(),
    builder<"known_inner_extent", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::known_inner_extent)
        .complex(),
    builder<"diagonal_times_dense", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::diagonal_times_dense)
        .complex().real(),
    builder<"sparse_times_diagonal", op::product_bounds, op::product_indices, op::sparse_product>(
        &rewrite::rules::sparse_times_diagonal)
        .complex().real(),
    builder<"diagonal_of_sparse_product", op::subtensor, op::inc_take>(
        &rewrite::rules::diagonal_of_sparse_product)
        .complex().real(),
    builder<"factors_of_sampling", op::mul>(&rewrite::rules::factors_of_sampling)
        .needs<op::sampling, op::take>().complex().real(),
    builder<"product_of_sparse_product", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::product_of_sparse_product)
        .complex().real(),
    builder<"product_of_turned", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::product_of_turned)
        .complex().real(),
    builder<"product_of_joined_lines", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::product_of_joined_lines)
        .needs<op::joined_bounds>().complex(),
    builder<"sampling_of_joined_lines", op::sampling>(&rewrite::rules::sampling_of_joined_lines)
        .needs<op::joined_bounds>().complex(),
    builder<"product_of_lines_beside", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::product_of_lines_beside)
        .needs<op::beside_places>().complex(),
    builder<"sampling_of_lines_beside", op::sampling>(&rewrite::rules::sampling_of_lines_beside)
        .needs<op::beside_places>().complex(),
    builder<"values_from_beside", op::inc_take>(&rewrite::rules::values_from_beside)
        .needs<op::item>().complex(),
    builder<"product_of_sparse_sum", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::product_of_sparse_sum)
        .complex().real(),
    builder<"factors_of_sparse", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::factors_of_sparse)
        .complex().real(),
    builder<"factors_of_dense", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::factors_of_dense)
        .complex().real(),
    builder<"sparse_times_column", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::sparse_times_column)
        .complex(),
    builder<"scaled_rows_below_sparse", op::csr_dot, op::csr_transposed_dot>(
        &rewrite::rules::scaled_rows_below_sparse)
        .needs<op::dot>().complex().real(),
    builder<"sparse_product_of_sampling", op::sparse_product>(
        &rewrite::rules::sparse_product_of_sampling)
        .complex().real(),
    builder<"sampling_of_union", op::take>(&rewrite::rules::sampling_of_union)
        .complex(),
    builder<"values_turned_back", op::inc_take>(&rewrite::rules::values_turned_back)
        .complex().real(),
    builder<"sums_of_sampling", op::inc_take>(&rewrite::rules::sums_of_sampling)
        .complex().real(),
    builder<"sum_of_sparse_product", op::sum>(&rewrite::rules::sum_of_sparse_product)
        .complex().real(),
    builder<"sum_of_added_values", op::sum>(&rewrite::rules::sum_of_added_values)
        .complex().real());

}  // namespace kroton
