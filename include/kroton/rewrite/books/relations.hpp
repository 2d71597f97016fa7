// The books of relations: functions that are computed from others which are there anyway.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/rewrite/pattern/relation.hpp>

namespace kroton::rewrite {

/// In loops a function that has a kernel of its own costs no more than the other way to it.
inline constexpr auto has_rank_zero = [](match const& m) { return m.of->type(m[0]).rank == 0; };

/// 1 - cos(a) where it does not cancel, from the sine and the cosine.
inline constexpr auto versed_sine = [](auto a) {
  return where(cos(a) > 0, sqr(sin(a)) / (1 + cos(a)), 1 - cos(a));
};

/// What stabilization makes of 1 - exp(x) and 1 - cos(x), which are expm1(x) and 2 sin(x/2)^2,
/// meets exp(x), sin(x) and cos(x) again in their derivatives. A sine and a cosine of one angle
/// cost little more than one of them.
inline constexpr auto related_functions_book = relations(
    "related_functions",
    relation<"expm1_from_exp">([](auto x) {
      return beside(expm1(x), exp(x)) >> call<op::expm1_from_exp>(x, exp(x));
    }).when(has_rank_zero),
    relation<"versed_sine_from_both">([](auto h) {
      return beside(sqr(sin(h)), cos(2 * h), sin(2 * h)) >> versed_sine(2 * h) / 2;
    }).in_products(),
    relation<"versed_sine_from_cosine">([](auto h) {
      return beside(sqr(sin(h)), cos(2 * h)) >> versed_sine(2 * h) / 2;
    }).when(has_rank_zero).in_products(),
    relation<"sine_from_half">([](auto x) {
      return beside(sin(x), sqr(sin(x / 2)), absent(cos(x))) >> 2 * sin(x / 2) * cos(x / 2);
    }));

// Of one argument and its negative, both from exp(-|x|).
inline constexpr auto exponential_tail = [](auto x) { return exp(-abs(x)); };
inline constexpr auto over_sum = [](auto is_positive, auto x) {
  return where(is_positive, 1, exponential_tail(x)) / (1 + exponential_tail(x));
};
/// Computes the reciprocal once for both.
inline constexpr auto times_reciprocal = [](auto is_positive, auto x) {
  return where(is_positive, 1, exponential_tail(x)) * inv(1 + exponential_tail(x));
};

/// What a logistic loss and its gradient consist of: the exponential and the logarithm are computed
/// once, by the formulas of the functions themselves. Loops over arrays have kernels of their own,
/// of which two cost no more.
inline constexpr auto shared_exponentials_book = relations(
    "shared_exponentials",
    relation<"sigmoid_of_negative">([](auto x) {
      return beside(sigmoid(-x), sigmoid(x), softplus(x), softplus(-x)) >>
             times_reciprocal(le(x, 0), x);
    }).least(2).as_written(),
    relation<"sigmoid_of_positive">([](auto x) {
      return beside(sigmoid(x), sigmoid(-x), softplus(x), softplus(-x)) >>
             times_reciprocal(le(0, x), x);
    }).least(2).as_written(),
    relation<"sigmoid_of_negative_number">([](auto x) {
      return beside(sigmoid(-x), sigmoid(x), softplus(x), softplus(-x)) >> over_sum(le(x, 0), x);
    }).least(1).when(has_rank_zero).as_written(),
    relation<"sigmoid_of_positive_number">([](auto x) {
      return beside(sigmoid(x), sigmoid(-x), softplus(x), softplus(-x)) >> over_sum(le(0, x), x);
    }).least(1).when(has_rank_zero).as_written(),
    relation<"softplus_of_negative">([](auto x) {
      return beside(softplus(-x), softplus(x), sigmoid(x), sigmoid(-x)) >>
             (maximum(-x, 0) + log1p(exponential_tail(x)));
    }).least(1, 2).as_written(),
    relation<"softplus_of_positive">([](auto x) {
      return beside(softplus(x), softplus(-x), sigmoid(x), sigmoid(-x)) >>
             (maximum(x, 0) + log1p(exponential_tail(x)));
    }).least(1, 2).as_written());

}  // namespace kroton::rewrite
