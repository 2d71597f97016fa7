// The third book: what runs fast. Powers, quotients and n-ary sums are the business of lowering.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/pattern/rule.hpp>
#include <kroton/rewrite/rules/softmax.hpp>

namespace kroton {

inline constexpr auto specialize_book = rules("specialize",
    builder<"expanded_softmax", op::softmax>(&rewrite::rules::expanded_softmax).id("T10"),
    builder<"expanded_log_softmax", op::log_softmax>(&rewrite::rules::expanded_log_softmax)
        .id("T10"),
    builder<"expanded_logsumexp", op::logsumexp>(&rewrite::rules::expanded_logsumexp).id("T9"),
    builder<"expanded_largest_exponent", op::largest_exponent>(
        &rewrite::rules::expanded_largest_exponent)
        .id("T10"),
    builder<"expanded_relative_sum", op::relative_sum>(&rewrite::rules::expanded_relative_sum)
        .id("T10"));

}  // namespace kroton
