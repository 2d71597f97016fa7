// The book of Fourier transforms, read in every stage where a graph has any.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/pattern/rule.hpp>
#include <kroton/rewrite/rules/fourier.hpp>

namespace kroton {

inline constexpr auto fourier_book = rules(
    "fourier",
    builder<"transform_of_transform", op::dft>(&rewrite::rules::transform_of_transform)
        .complex().real(),
    builder<"real_transform_of_transform", op::dft_to_real>(
        &rewrite::rules::real_transform_of_transform)
        .complex().real(),
    builder<"multiple_of_transform", op::dft, op::real_dft, op::dft_to_real>(
        &rewrite::rules::multiple_of_transform)
        .complex().real());

}  // namespace kroton
