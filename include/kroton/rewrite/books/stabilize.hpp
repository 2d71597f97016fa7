// The second book: spellings that neither overflow nor cancel. All of it is left out by
// kt::mode::ieee: a finite value in place of an infinity, or of a NaN, is not that of the
// expression as written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/pattern/rule.hpp>
#include <kroton/rewrite/rules/differences.hpp>
#include <kroton/rewrite/rules/exponential_sums.hpp>
#include <kroton/rewrite/rules/factor_pairs.hpp>
#include <kroton/rewrite/rules/fractions.hpp>
#include <kroton/rewrite/rules/log.hpp>
#include <kroton/rewrite/rules/odds.hpp>
#include <kroton/rewrite/rules/remainders.hpp>
#include <kroton/rewrite/rules/roots.hpp>
#include <kroton/rewrite/rules/softmax_recognition.hpp>

namespace kroton {

inline constexpr auto stabilize_book = rules(
    "stabilize",
    // Sums of exponentials under a logarithm.
    rule<"log1p">([](auto a) { return log(1 + a) >> log1p(a); }).id("T1").real(),
    rule<"softplus">([](auto a) { return log1p(exp(a)) >> softplus(a); }).id("T2", "T16").real(),
    builder<"logaddexp", op::log, op::log1p>(&rewrite::rules::log_of_exponentials)
        .needs<op::add>().id("T8").real(),
    rule<"logaddexp_of_zero">([](auto a) { return logaddexp(0, a) >> softplus(a); })
        .id("T2").real(),
    rule<"log_sigmoid">([](auto a) { return log(sigmoid(a)) >> -softplus(-a); }).id("T3").real(),
    rule<"log1p_sigmoid">([](auto a) { return log1p(-sigmoid(a)) >> -softplus(a); })
        .id("T4", "T3").real(),
    rule<"log1mexp_of_log1p">([](auto a) { return log1p(-exp(a)) >> log1mexp(a); })
        .id("T16").real(),
    rule<"log1mexp">([](auto a) { return log(-expm1(a)) >> log1mexp(a); }).id("T16").real(),
    builder<"log_of_scaled_exponentials", op::log>(&rewrite::rules::log_of_scaled_exponentials)
        .needs<op::add>().id("T8").real(),
    builder<"log_of_stable_factor", op::log>(&rewrite::rules::log_of_stable_factor)
        .needs<op::mul>().id("T3", "T8", "T9", "T13").real(),
    builder<"log_of_minimum", op::log, op::log1p>(&rewrite::rules::log_behind)
        .needs<op::minimum>().id("T3").real(),
    builder<"log_of_maximum", op::log, op::log1p>(&rewrite::rules::log_behind)
        .needs<op::maximum>().id("T3").real(),
    builder<"log_of_converted", op::log, op::log1p>(&rewrite::rules::log_behind)
        .needs<op::cast>().id("T3").real(),
    builder<"log_by_natural_one", op::log2, op::log10>(&rewrite::rules::log_by_natural_one)
        .id("T3", "T13").real(),
    rule<"log_expm1">([](auto a) { return log(expm1(a)) >> (a + log1mexp(-a)); }).id("T17").real(),
    rule<"log_of_difference">(
        [](auto a, auto b) { return log(exp(a) - exp(b)) >> (a + log1mexp(b - a)); })
        .id("T17").real(),
    rule<"softplus_minus">([](auto a) { return (softplus(a) - a) >> softplus(-a); })
        .id("T2").real(),
    rule<"log_cosh">([](auto a) {
      return log(cosh(a)) >> where(lt(abs(a), 1), log1p(2 * sqr(sinh(a / 2))),
                                   (abs(a) + log1p(exp(-2 * abs(a))) - std::numbers::ln2));
    })
        .id("T16").real(),

    builder<"inverse_hyperbolic", op::log>(&rewrite::rules::inverse_hyperbolic)
        .id("accuracy").real(),
    builder<"inverse_tanh", op::log>(&rewrite::rules::inverse_tanh)
        .needs<op::mul>().id("accuracy").real(),

    // Logistic functions.
    rule<"sigmoid_power">([](auto a, auto n) { return pow(1 + exp(a), n) >> pow(sigmoid(-a), -n); })
        .id("T5").when([](match const& m) { return m.is_literal(1) && m.literal(1) < 0; }).real(),
    builder<"exp_times_sigmoid", op::mul>(&rewrite::rules::exp_times_sigmoid)
        .needs<op::exp, op::sigmoid>().id("T5", "T7").real(),
    builder<"odds", op::mul>(&rewrite::rules::odds).needs<op::sigmoid>().id("C41").real(),
    rule<"logit">([](auto a) { return sigmoid(log(a / (1 - a))) >> a; }).id("C41").real(),
    rule<"logit_of_difference">([](auto a) { return sigmoid(log(a) - log1p(-a)) >> a; })
        .id("C41").real(),
    builder<"logit_of_terms", op::sigmoid>(&rewrite::rules::logit).id("C41").real(),
    rule<"sigmoid_of_difference">(
        [](auto a, auto b) { return exp(a) / (exp(a) + exp(b)) >> sigmoid(a - b); })
        .id("T5", "T10").real(),
    builder<"exponential_into_sum", op::mul>(&rewrite::rules::exponential_into_sum)
        .needs<op::exp, op::add>().id("T8", "T10").real(),
    builder<"exponentials_over_sum", op::mul>(&rewrite::rules::exponentials_over_sum)
        .needs<op::add>().id("T8", "T10").real(),

    // Differences that cancel.
    builder<"complement", op::add>(&rewrite::rules::complement_of_term)
        .needs<op::literal>().id("T6", "C39", "C40").real(),
    builder<"difference_of_alike", op::add>(&rewrite::rules::difference_of_alike)
        .id("accuracy").real(),
    builder<"difference_of_squares", op::add>(&rewrite::rules::difference_of_squares)
        .needs<op::pow>().id("accuracy").real(),
    builder<"difference_of_like_powers", op::add>(&rewrite::rules::difference_of_like_powers)
        .needs<op::pow>().id("accuracy", "regimes").real(),
    builder<"difference_of_x_log_x", op::add>(&rewrite::rules::difference_of_x_log_x)
        .needs<op::mul>().id("accuracy").real(),
    builder<"common_denominator", op::add>(&rewrite::rules::common_denominator)
        .needs<op::pow>().id("accuracy").real(),
    builder<"sum_with_root", op::add>(&rewrite::rules::sum_with_root)
        .needs<op::pow>().id("accuracy", "regimes").real(),
    builder<"remainder_of_series", op::add>(&rewrite::rules::remainder_of_series)
        .id("accuracy", "regimes").real(),
    rule<"expm1_quotient">([](auto a) { return expm1(a) * exp(-a) >> -expm1(-a); })
        .id("C39").real(),
    rule<"exp_over_expm1">([](auto a) { return exp(a) / expm1(a) >> -1 / expm1(-a); })
        .id("C39").real(),
    builder<"power_minus_one", op::add>(&rewrite::rules::power_minus_one)
        .needs<op::literal, op::pow>().id("accuracy", "regimes").real(),
    builder<"sine_over_double", op::mul>(&rewrite::rules::sine_over_double)
        .needs<op::pow>().id("accuracy").real(),
    builder<"tangent_over_sine", op::mul>(&rewrite::rules::tangent_over_sine)
        .id("accuracy").real(),
    builder<"choice_times_factors", op::mul>(&rewrite::rules::choice_times_factors)
        .needs<op::where>().id("accuracy").real(),
    builder<"root_of_squares", op::pow>(&rewrite::rules::root_of_square_of)
        .needs<op::mul>().id("accuracy").real(),
    builder<"log_of_base", op::mul>(&rewrite::rules::log_of_base)
        .needs<op::log>().id("accuracy").real(),
    builder<"hyperbolic", op::add>(&rewrite::rules::hyperbolic).needs<op::exp>().id("C39").real(),
    rule<"tanh_of_exponentials">([](auto a) { return expm1(a) * sigmoid(-a) >> tanh(a / 2); })
        .id("T5").real(),
    builder<"tanh_quotient", op::mul>(&rewrite::rules::tanh_of_powers)
        .needs<op::sinh, op::cosh>().id("T5").real(),

    // Error functions.
    rule<"log_erfc">([](auto a) { return log(erfc(a)) >> logerfc(a); }).id("T14").real(),
    builder<"exp_times_erfc", op::mul>(&rewrite::rules::exp_times_erfc)
        .needs<op::exp, op::erfc>().id("T15").real(),

    // Softmax and its relatives.
    rule<"logsumexp">([](auto a) { return log(sum(exp(a))) >> logsumexp(a); }).id("T9").real(),
    builder<"logsumexp_plus_shift", op::add, op::sub>(&rewrite::rules::logsumexp_plus_shift)
        .needs<op::logsumexp>().id("T9").real(),
    rule<"logsumexp_plus_one">([](auto a) { return log1p(sum(exp(a))) >> softplus(logsumexp(a)); })
        .id("T9").real(),
    builder<"softmax", op::mul, op::div>(&rewrite::rules::softmax_of_quotient)
        .needs<op::exp, op::sum>().id("T10").real(),
    builder<"shifted_softmax", op::softmax, op::log_softmax>(&rewrite::rules::shifted_softmax)
        .id("T10").real(),
    rule<"log_softmax">([](auto a) { return log(softmax(a)) >> log_softmax(a); })
        .id("T10", "T13").real(),
    rule<"exp_log_softmax">([](auto a) { return exp(log_softmax(a)) >> softmax(a); })
        .id("T12").real(),
    builder<"log_softmax_of_difference", op::add, op::sub>(
        &rewrite::rules::log_softmax_of_difference)
        .needs<op::logsumexp>().id("T12", "T11").real(),
    builder<"log_of_product", op::log>(&rewrite::rules::log_of_product)
        .needs<op::prod>().id("T21").real());

}  // namespace kroton
