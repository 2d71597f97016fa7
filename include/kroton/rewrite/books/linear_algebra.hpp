// The book of linear algebra, read in every stage where a graph has any: inverses, factors,
// determinants, diagonals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/pattern/rule.hpp>
#include <kroton/rewrite/rules/blocks.hpp>
#include <kroton/rewrite/rules/matrix_functions.hpp>
#include <kroton/rewrite/rules/repeated_matrices.hpp>
#include <kroton/rewrite/rules/structure.hpp>

namespace kroton {

// Marked as real is also what would miss a singular matrix that the expression as written refuses,
// or an overflow on the way.
inline constexpr auto linear_algebra_book = rules(
    "linear_algebra",
    rule<"inverse_of_inverse">(
        [](dmatrix a) { return matrix_inverse(matrix_inverse(a)) >> a; })
        .id("L1").complex().real(),
    builder<"inverse_of_transpose", op::matrix_inverse>(&rewrite::rules::inverse_of_transpose)
        .id("L1").complex(),
    builder<"inverse_of_diagonal", op::matrix_inverse>(&rewrite::rules::inverse_of_diagonal)
        .id("L1").complex().real(),
    builder<"product_with_inverse", op::dot>(&rewrite::rules::product_with_inverse)
        .id("B10", "L2").complex().real(),
    builder<"product_with_diagonal", op::dot>(&rewrite::rules::product_with_diagonal)
        .id("L7").complex().real(),
    builder<"solve_with_structure", op::solve>(&rewrite::rules::solve_with_structure)
        .id("L2", "L3").complex().real(),
    rule<"cholesky_of_product">([](dmatrix a) {
      return cholesky(dot(cholesky(a), cholesky(a).T())) >> cholesky(a);
    }).id("L3").real(),
    rule<"cholesky_of_complex_product">([](zmatrix a) {
      return cholesky(dot(cholesky(a), conj(cholesky(a).T()))) >> cholesky(a);
    }).id("L3").complex().real(),
    rule<"det_of_transpose">([](dmatrix a) { return det(a.T()) >> det(a); })
        .id("L4").complex().real(),
    rule<"det_of_conjugate">([](zmatrix a) { return det(conj(a)) >> conj(det(a)); })
        .id("L4").complex().real(),
    rule<"det_of_inverse">([](dmatrix a) { return det(matrix_inverse(a)) >> 1 / det(a); })
        .id("L4").complex().real(),
    builder<"det_with_structure", op::det>(&rewrite::rules::det_with_structure)
        .id("L4").complex().real(),
    builder<"log_of_det", op::log>(&rewrite::rules::log_of_det).id("L4").complex().real(),
    builder<"log_of_factors", op::log>(&rewrite::rules::log_of_factors)
        .id("L4", "T21").complex().real(),
    builder<"log_of_diagonal", op::log>(&rewrite::rules::log_of_diagonal)
        .needs<op::prod>().id("L4", "T21").real(),
    builder<"log_of_absolute_diagonal", op::log>(&rewrite::rules::log_of_diagonal)
        .needs<op::abs>().id("L4", "T21").real(),
    builder<"inverse_of_triangle", op::matrix_inverse>(&rewrite::rules::inverse_of_triangle)
        .id("L2").complex().real(),
    builder<"product_with_inverse_of_triangle", op::dot>(
        &rewrite::rules::product_with_inverse_of_triangle)
        .id("B10", "L2").complex().real(),
    builder<"solve_with_triangle", op::solve>(&rewrite::rules::solve_with_triangle)
        .id("L2", "L3").complex().real(),
    builder<"det_of_triangle", op::det>(&rewrite::rules::det_of_triangle).id("L4").complex().real(),
    builder<"sign_of_triangle", op::slogdet>(&rewrite::rules::sign_of_triangle)
        .id("L4").complex().real(),
    builder<"log_of_triangle", op::item>(&rewrite::rules::log_of_triangle)
        .needs<op::slogdet>().id("L4").complex().real(),
    builder<"triangle_of_triangle", op::where>(&rewrite::rules::triangle_of_triangle)
        .id("L7").complex().real(),
    builder<"diagonal_of_inverse_of_triangle", op::diagonal>(
        &rewrite::rules::diagonal_of_inverse_of_triangle).id("L4").complex().real(),
    builder<"cholesky_of_identity", op::cholesky>(&rewrite::rules::cholesky_of_identity)
        .id("L3").complex().real(),
    builder<"product_with_identity", op::dot>(&rewrite::rules::product_with_identity)
        .id("L2", "L7").complex().real(),
    builder<"solve_with_orthogonal", op::solve>(&rewrite::rules::solve_with_orthogonal)
        .id("L2").real(),
    builder<"solve_with_product", op::solve>(&rewrite::rules::solve_with_product)
        .id("L2").real(),
    builder<"solve_with_repeated", op::each<op::solve>>(&rewrite::rules::solve_with_repeated)
        .complex(),
    builder<"solve_with_repeated_triangle", op::each<op::solve_triangular>>(
        &rewrite::rules::solve_with_repeated).complex(),
    builder<"inverse_of_product", op::matrix_inverse>(&rewrite::rules::inverse_of_product)
        .id("L1", "L2").real(),
    builder<"inverse_of_orthogonal", op::matrix_inverse>(&rewrite::rules::inverse_of_orthogonal)
        .id("L1", "L2").real(),
    builder<"pseudoinverse_with_structure", op::pinv>(
        &rewrite::rules::pseudoinverse_with_structure).complex().real(),
    builder<"singular_values_with_structure", op::svd>(
        &rewrite::rules::singular_values_with_structure).complex().real(),
    builder<"eigenvalues_of_diagonal", op::eigh>(&rewrite::rules::eigenvalues_of_diagonal)
        .complex().real(),
    builder<"exponential_of_diagonal", op::expm>(&rewrite::rules::function_of_diagonal<op::exp>)
        .complex().real(),
    builder<"root_of_diagonal", op::sqrtm>(&rewrite::rules::function_of_diagonal<op::sqrt>)
        .real(),
    builder<"logarithm_of_diagonal", op::logm>(&rewrite::rules::function_of_diagonal<op::log>)
        .real(),
    builder<"exponential_of_identity", op::expm>(&rewrite::rules::exponential_of_identity)
        .complex(),
    builder<"root_of_identity", op::sqrtm>(&rewrite::rules::root_of_identity).complex(),
    builder<"logarithm_of_identity", op::logm>(&rewrite::rules::logarithm_of_identity).complex(),
    rule<"inverse_of_exponential">([](dmatrix a) { return matrix_inverse(expm(a)) >> expm(-a); })
        .complex().real(),
    rule<"det_of_exponential">([](dmatrix a) { return det(expm(a)) >> exp(trace(a)); })
        .complex().real(),
    rule<"square_of_root">([](dmatrix a) { return dot(sqrtm(a), sqrtm(a)) >> a; })
        .complex().real(),
    rule<"exponential_of_logarithm">([](dmatrix a) { return expm(logm(a)) >> a; })
        .complex().real(),
    builder<"det_of_blocks", op::det>(&rewrite::rules::det_of_blocks)
        .needs<op::join>().id("L6").complex().real(),
    builder<"cofactors_of_blocks", op::cofactors>(&rewrite::rules::cofactors_of_blocks)
        .needs<op::join>().id("L6").complex().real(),
    builder<"sign_of_blocks", op::slogdet>(&rewrite::rules::sign_of_blocks)
        .needs<op::join>().id("L6").complex().real(),
    builder<"log_of_blocks", op::item>(&rewrite::rules::log_of_blocks)
        .needs<op::slogdet>().id("L6").complex().real(),
    builder<"inverse_of_blocks", op::matrix_inverse>(
        &rewrite::rules::function_of_blocks<op::matrix_inverse>)
        .needs<op::join>().id("L6").complex().real(),
    builder<"solve_with_blocks", op::solve>(&rewrite::rules::solve_with_blocks)
        .needs<op::join>().id("L6").complex().real(),
    builder<"cholesky_of_blocks", op::cholesky>(&rewrite::rules::function_of_blocks<op::cholesky>)
        .needs<op::join>().id("L6").complex().real(),
    builder<"exponential_of_blocks", op::expm>(&rewrite::rules::function_of_blocks<op::expm>)
        .needs<op::join>().id("L6").complex().real(),
    builder<"eigenvalues_of_blocks", op::eigh>(&rewrite::rules::eigenvalues_of_blocks)
        .needs<op::join>().id("L6").complex().real(),
    builder<"diagonal_of_blocks", op::diagonal>(&rewrite::rules::diagonal_of_blocks)
        .needs<op::join>().id("C69").complex(),
    builder<"product_with_blocks", op::dot>(&rewrite::rules::product_with_blocks)
        .needs<op::join>().id("C69", "L6").complex().real(),
    builder<"diagonal_of_product", op::diagonal>(&rewrite::rules::diagonal_of_product).complex(),
    builder<"diagonal_of_view", op::diagonal>(&rewrite::rules::diagonal_of_view)
        .id("C88").complex(),
    builder<"diagonal_of_elementwise", op::diagonal>(&rewrite::rules::diagonal_of_elementwise)
        .id("C88").complex());

}  // namespace kroton
