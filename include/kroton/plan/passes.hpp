// The table of passes that prepare an optimized graph for its plan, and what the plan does itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/blas_calls.hpp>
#include <kroton/plan/convolution_transforms.hpp>
#include <kroton/plan/sparse_chains.hpp>
#include <kroton/plan/sparse_pairs.hpp>
#include <kroton/plan/sparse_places.hpp>
#include <kroton/plan/written_sums.hpp>
#include <kroton/rewrite/engine/graph_pass.hpp>

namespace kroton::plan {

inline constexpr graph_pass compile_passes[] = {
    {{.name = "sparse_places",
      .book = "compile",
      .says = "values of pieces of lines, and of lines side by side, are copied line by line; "
              "the loops that read sums and products of two patterns make their values of those "
              "that each has",
      .optional = true},
     {any_of<op::piece_places, op::beside_places, op::united_indices, op::common_indices>(),
      any_of<op::take, op::inc_take>()},
     "anywhere behind the rules that find values by their places",
     &run_pass<sparse_places>},
    {{.name = "sparse_chains",
      .book = "compile",
      .says = "of a sparse and two dense matrices, each call multiplies the two first that its "
              "extents ask for",
      .optional = true,
      .real = true},
     {any_of<op::csr_dot, op::csr_transposed_dot>(), any_of<op::dot>()},
     "before chains, which takes the dense products that are left together",
     &run_pass<sparse_chain_pass>},
    {{.name = "sparse_pairs",
      .book = "compile",
      .says = "of two sparse matrices and a dense one, each call multiplies the two first that "
              "their patterns and extents ask for",
      .optional = true,
      .real = true},
     {any_of<op::csr_dot, op::csr_transposed_dot>()},
     "behind sparse_chains, which takes the products with two dense matrices",
     &run_pass<sparse_pair_pass>},
    // Another order overflows in other places.
    {{.name = "chains",
      .book = "compile",
      .says = "dot(dot(a, b), c) is one product, whose order each call takes from its extents",
      .optional = true,
      .real = true},
     {any_of<op::dot>()},
     "after all rules of products of two matrices, and before blas, which takes a chain as it "
     "takes a product",
     &run_pass<chain_pass>},
    // BLAS scales factors before it multiplies them: 0 * (1e300 * 1e300) is NaN.
    {{.name = "blas",
      .book = "compile",
      .ids = "B1 B2 B3 B4 B5 B6",
      .says = "scaled and transposed products and sums become GEMM, GEMV and GER calls",
      .optional = true,
      .real = true},
     {any_of<op::dot, op::product_chain>()},
     "last: sums and signs are then as lowering leaves them, and no rule has to know gemm",
     &run_pass<blas_pass>},
    {{.name = "written_sums",
      .book = "compile",
      .says = "what is added to most of an array is added by the loop that computes it, which "
              "writes where it comes to lie",
      .optional = true},
     {any_of<op::inc_subtensor>()},
     "behind all rules of writes, which see increments as such",
     &run_pass<written_sums>},
    {{.name = "convolution_transforms",
      .book = "compile",
      .says = "convolutions may be computed by Winograd's and Fourier's transforms where extents "
              "make these faster",
      .optional = true,
      .real = true},
     {any_of<op::convolution, op::convolution_images, op::convolution_filters,
             op::convolution_images_at, op::convolution_filters_at>()},
     "anywhere behind the rules that make convolutions",
     &run_pass<convolution_transforms>},
};

/// What the plan does with any graph.
inline constexpr named_pass plan_forms[] = {
    {"fusion", "compile", "F1 F2 F4 F5 F6 F8 S17",
     "elementwise ops and reductions of them are one loop, of any size, with several outputs"},
    {"gathering", "compile", "F7",
     "elements that indices select, x(i), are read where they are by the loop that needs them"},
    {"lazy_branches", "compile", "K1 I7",
     "what one branch of an ifelse alone needs runs where it is taken; the result is a view of it"},
    {"planning", "compile", "I1 I2 I3",
     "buffers from liveness: results reuse dead operands, products accumulate into theirs, writes "
     "to parts touch only them"},
};

}  // namespace kroton::plan
