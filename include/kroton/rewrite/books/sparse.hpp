// The book of sparse matrices, read in every stage where a graph has the places of one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/pattern/rule.hpp>
#include <kroton/rewrite/rules/sparse.hpp>

namespace kroton {

// Rules that leave out 0 * infinity are marked real.
inline constexpr auto sparse_book = rules(
    "sparse",
    builder<"product_on_pattern", op::take>(&rewrite::rules::product_on_pattern)
        .id("Z6").complex(),
    builder<"product_with_placed", op::dot>(&rewrite::rules::product_with_placed)
        .complex().real());

}  // namespace kroton
