// The first book: one spelling for expressions that are equal. Sums and products have a normal form
// of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/along_axes/statistics.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/rewrite/form/distribute.hpp>
#include <kroton/rewrite/pattern/rule.hpp>
#include <kroton/rewrite/rules/choices.hpp>
#include <kroton/rewrite/rules/complex.hpp>
#include <kroton/rewrite/rules/distinct.hpp>
#include <kroton/rewrite/rules/dot.hpp>
#include <kroton/rewrite/rules/join.hpp>
#include <kroton/rewrite/rules/joined_lines.hpp>
#include <kroton/rewrite/rules/marks.hpp>
#include <kroton/rewrite/rules/parts_of_taken.hpp>
#include <kroton/rewrite/rules/pooling.hpp>
#include <kroton/rewrite/rules/position.hpp>
#include <kroton/rewrite/rules/reads_of_writes.hpp>
#include <kroton/rewrite/rules/reduction.hpp>
#include <kroton/rewrite/rules/scaled_dots.hpp>
#include <kroton/rewrite/rules/selection.hpp>
#include <kroton/rewrite/rules/signs.hpp>
#include <kroton/rewrite/rules/write.hpp>
#include <kroton/rewrite/rules/written_products.hpp>

namespace kroton {

/// Functions and their inverses.
inline constexpr auto inverse_book = rules("canonicalize",
    rule<"log_exp">([](auto a) { return log(exp(a)) >> a; }).id("C3", "C4").real(),
    rule<"exp_log">([](auto a) { return exp(log(a)) >> a; }).id("C3", "C4").complex().real(),
    rule<"log1p_expm1">([](auto a) { return log1p(expm1(a)) >> a; }).id("C4").real(),
    rule<"expm1_log1p">([](auto a) { return expm1(log1p(a)) >> a; }).id("C4").complex().real(),
    rule<"exp_log1p">([](auto a) { return exp(log1p(a)) >> (1 + a); }).id("C4").complex().real(),
    rule<"expm1_log">([](auto a) { return expm1(log(a)) >> (a - 1); }).id("C4").complex().real(),
    rule<"exp_of_multiple">([](auto a, auto n) { return exp(n * log(a)) >> pow(a, n); })
        .id("C3", "C4").when([](match const& m) { return m.is_literal(1); }).real(),
    rule<"expm1_of_multiple">([](auto a, auto n) { return expm1(n * log(a)) >> (pow(a, n) - 1); })
        .id("C4").when([](match const& m) { return m.is_literal(1); }).real(),
    rule<"exp_softplus">([](auto a) { return exp(softplus(a)) >> (1 + exp(a)); }).id("C4"),
    rule<"expm1_softplus">([](auto a) { return expm1(softplus(a)) >> exp(a); }).id("C4"),
    rule<"exp_log1mexp">([](auto a) { return exp(log1mexp(a)) >> -expm1(a); }).id("C4").real(),
    rule<"expm1_log1mexp">([](auto a) { return expm1(log1mexp(a)) >> -exp(a); }).id("C4").real(),
    rule<"log1mexp_log1mexp">([](auto a) { return log1mexp(log1mexp(a)) >> a; }).id("C4").real(),
    rule<"softplus_log">([](auto a) { return softplus(log(a)) >> log1p(a); }).id("C4").real(),
    rule<"log1mexp_log">([](auto a) { return log1mexp(log(a)) >> log1p(-a); }).id("C4").real(),
    rule<"log2_exp2">([](auto a) { return log2(exp2(a)) >> a; }).id("C3").real(),
    rule<"exp2_log2">([](auto a) { return exp2(log2(a)) >> a; }).id("C3").complex().real(),
    rule<"sinh_asinh">([](auto a) { return sinh(asinh(a)) >> a; }).id("C3").complex().real(),
    rule<"asinh_sinh">([](auto a) { return asinh(sinh(a)) >> a; }).id("C3").real(),
    rule<"cosh_acosh">([](auto a) { return cosh(acosh(a)) >> a; }).id("C3").complex().real(),
    rule<"tanh_atanh">([](auto a) { return tanh(atanh(a)) >> a; }).id("C3").complex().real(),
    rule<"atanh_tanh">([](auto a) { return atanh(tanh(a)) >> a; }).id("C3").real(),
    rule<"sin_asin">([](auto a) { return sin(asin(a)) >> a; }).id("C3").complex().real(),
    rule<"cos_acos">([](auto a) { return cos(acos(a)) >> a; }).id("C3").complex().real(),
    rule<"tan_atan">([](auto a) { return tan(atan(a)) >> a; }).id("C3").complex().real());

/// pow(2, -1) * pow(2, 1) of integers is 0.
inline constexpr auto base_is_no_integer = [](match const& m) {
  return core::is_continuous(m.element(0));
};

inline constexpr auto is_even_power = [](match const& m) {
  return m.is_literal(1) && rewrite::is_even(m.literal(1)) && !m.is_literal(0);
};
inline constexpr auto is_power_without_sign = [](match const& m) {
  return m.is_literal(1) && !rewrite::is_even(m.literal(1)) && !m.is_literal(0);
};

/// Powers, signs, choices and conversions.
inline constexpr auto algebra_book = rules(
    "canonicalize",
    rule<"power_of_one">([](auto a) { return pow(1, a) >> 1; }).id("C22").complex(),
    rule<"powers_of_base">(
        [](auto a, auto b, auto c) { return pow(a, b) * pow(a, c) >> pow(a, b + c); })
        .id("C34").complex().real().when(base_is_no_integer),
    rule<"quotient_of_powers">(
        [](auto a, auto b, auto c) { return pow(a, b) / pow(a, c) >> pow(a, b - c); })
        .id("C34").complex().real().when(base_is_no_integer),
    rule<"root">([](auto a) { return call<op::root>(a) >> sqrt(a); }),
    // Only sums and products that are not in normal form, as those of ieee mode, ever need these
    // three.
    rule<"times_one">([](auto a) { return a * 1 >> a; }).id("S5").complex(),
    rule<"over_one">([](auto a) { return a / 1 >> a; }).id("C25").complex(),
    rule<"minus_zero">([](auto a) { return (a - 0) >> a; }).id("S6").complex(),
    rule<"sgn_times_abs">([](auto a) { return sgn(a) * abs(a) >> a; }).id("C18").real(),
    rule<"abs_of_exp">([](auto a) { return abs(exp(a)) >> exp(a); }).id("C33"),
    rule<"abs_of_sigmoid">([](auto a) { return abs(sigmoid(a)) >> sigmoid(a); }).id("C33"),
    rule<"abs_of_softmax">([](auto a) { return abs(softmax(a)) >> softmax(a); }).id("C33"),
    builder<"abs_of_product", op::abs>(&rewrite::rules::abs_of_product).id("C33").real(),
    builder<"sgn_of_product", op::sgn>(&rewrite::rules::sgn_of_product).id("C37").real(),
    rule<"log_of_power">([](auto a, auto n) { return log(pow(a, n)) >> n * log(a); })
        .id("C35").when(is_power_without_sign).real(),
    rule<"log_of_even_power">([](auto a, auto n) { return log(pow(a, n)) >> n * log(abs(a)); })
        .id("C35").when(is_even_power).real(),
    rule<"floordiv_by_one">([](auto a) { return floordiv(a, 1) >> a; })
        .id("C25").when([](match const& m) { return core::is_integer(m.element(0)); }),
    builder<"sum_of_wheres", op::add>(&rewrite::rules::nary_of_wheres)
        .needs<op::where>().id("C29").complex(),
    builder<"product_of_wheres", op::mul>(&rewrite::rules::nary_of_wheres)
        .needs<op::where>().id("C29").complex(),
    builder<"function_of_wheres", op::sub, op::div, op::pow, op::maximum, op::minimum,
            op::logaddexp, op::lt, op::le>(&rewrite::rules::binary_of_wheres)
        .needs<op::where>().id("C29").complex(),
    rule<"where_zero_times">(
        [](auto c, auto x, auto y) { return where(c, 0, y) * x >> where(c, 0, x * y); })
        .id("C27", "C28").complex().real(),
    rule<"where_times_zero">(
        [](auto c, auto x, auto y) { return where(c, y, 0) * x >> where(c, x * y, 0); })
        .id("C27", "C28").complex().real(),
    builder<"sum_of_masked_sums", op::add>(&rewrite::rules::sum_of_masked_sums)
        .needs<op::sum>().complex().real(),
    builder<"sum_of_scaled_choice", op::sum>(&rewrite::rules::sum_of_scaled_choice)
        .needs<op::where>().complex(),
    builder<"marks_as_positions", op::first_equal>(&rewrite::rules::marks_as_positions),
    builder<"sum_of_chosen", op::sum>(&rewrite::rules::sum_of_chosen_elements)
        .needs<op::where>(),
    builder<"decided_where", op::where>(&rewrite::rules::decided_choice<op::where>)
        .id("C30").complex(),
    builder<"decided_ifelse", op::ifelse>(&rewrite::rules::decided_choice<op::ifelse>)
        .id("K3").complex(),
    builder<"nested_where", op::where>(&rewrite::rules::nested_choice<op::where>)
        .id("C29").complex(),
    builder<"nested_ifelse", op::ifelse>(&rewrite::rules::nested_choice<op::ifelse>)
        .id("C29").complex(),
    rule<"true_assertion">([](auto x) { return assert_that("", true, x) >> x; }).id("C9").complex(),
    rule<"repeated_assertion">([](auto c, auto x) {
      return assert_that("", c, assert_that("", c, x)) >> assert_that("", c, x);
    }).id("C9").complex(),
    builder<"decided_logic", op::bit_and, op::bit_or, op::bit_xor, op::add, op::mul>(
        &rewrite::rules::decided_logic)
        .id("C31"),
    rule<"greater_as_less">([](auto a, auto b) { return (a > b) >> (b < a); }).id("C32"),
    rule<"greater_equal_as_less_equal">([](auto a, auto b) {
      return (a >= b) >> (b <= a);
    }).id("C32"),
    builder<"rest_of_slices", op::maximum>(&rewrite::rules::rest_of_slices)
        .needs<op::add>().id("C71"),
    builder<"limit_of_rest", op::minimum>(&rewrite::rules::limit_of_rest)
        .needs<op::add>().id("C71"),
    builder<"decided_extent", op::lt, op::le, op::maximum, op::minimum>(
        &rewrite::rules::decided_extent)
        .id("C32"),
    rule<"equal_to_itself">([](auto a) { return eq(a, a) >> true; })
        .id("C31", "C32").complex().real(),
    rule<"unequal_to_itself">([](auto a) { return neq(a, a) >> false; })
        .id("C31", "C32").complex().real(),
    rule<"less_than_itself">([](auto a) { return lt(a, a) >> false; }).id("C31", "C32").real(),
    rule<"compared_with_itself">([](auto a) { return le(a, a) >> true; })
        .id("C31", "C32").real(),
    builder<"part_of_complex", op::real, op::imag>(&rewrite::rules::part_of_complex)
        .id("C38").complex(),
    builder<"complex_of_parts", op::complex>(&rewrite::rules::complex_of_parts).complex(),
    rule<"abs_of_conjugate">([](zscalar z) { return abs(conj(z)) >> abs(z); }).complex(),
    rule<"square_of_abs">([](zscalar z) {
      return pow(abs(z), 2) >> (pow(real(z), 2) + pow(imag(z), 2));
    }).complex().real(),
    builder<"direction_times_abs", op::mul>(&rewrite::rules::direction_times_abs)
        .needs<op::sgn, op::cast>().complex().real(),
    builder<"direction_times_conjugate", op::mul>(&rewrite::rules::direction_times_conjugate)
        .needs<op::sgn, op::conj>().complex().real(),
    builder<"conjugate_of_expression", op::conj>(&rewrite::rules::conjugate_of_expression)
        .complex().real(),
    builder<"cast_of_cast", op::cast>(&rewrite::rules::cast_of_cast).id("C6").complex(),
    builder<"cast_of_where", op::cast>(&rewrite::rules::cast_of_where)
        .needs<op::where>().complex());

/// Shapes, views, reductions and products of matrices.
inline constexpr auto tensor_book = rules(
    "canonicalize",
    builder<"extent_of_expression", op::extent_of>(&rewrite::rules::extent_of_expression)
        .id("C51").complex(),
    builder<"merged_dimshuffle", op::dimshuffle>(&rewrite::rules::merged_dimshuffle)
        .id("C42", "C5").complex(),
    builder<"merged_alloc", op::alloc>(&rewrite::rules::merged_alloc).id("C47", "C48").complex(),
    builder<"whole_subtensor", op::subtensor>(&rewrite::rules::whole_subtensor).id("C70").complex(),
    builder<"reshape_as_dimshuffle", op::reshape>(&rewrite::rules::reshape_as_dimshuffle)
        .id("C53", "C54").complex(),
    builder<"merged_reshape", op::reshape>(&rewrite::rules::merged_reshape)
        .id("C45", "C52", "U4").complex(),
    builder<"merged_subtensor", op::subtensor>(&rewrite::rules::merged_subtensor)
        .id("C71").complex(),
    builder<"subtensor_of_dimshuffle", op::subtensor>(&rewrite::rules::subtensor_of_dimshuffle)
        .id("C76").complex(),
    builder<"view_of_alloc", op::dimshuffle, op::reshape, op::subtensor>(
        &rewrite::rules::view_of_alloc)
        .id("C73", "U3").complex(),
    rule<"transposed_dot">(
        [](dmatrix a, dmatrix b) { return dot(a, b).T() >> dot(b.T(), a.T()); })
        .id("C44").complex(),
    builder<"part_of_dot", op::subtensor>(&rewrite::rules::part_of_dot).id("C74").complex(),
    builder<"view_of_elementwise", op::dimshuffle, op::reshape, op::subtensor>(
        &rewrite::rules::view_of_elementwise)
        .id("C43", "C55", "C72").complex(),
    builder<"read_of_write", op::subtensor>(&rewrite::rules::read_of_write).id("C77").complex(),
    builder<"increment_by_zero", op::inc_subtensor>(&rewrite::rules::increment_by_zero)
        .id("C80").complex().real(),
    builder<"increment_of_zeros", op::inc_subtensor>(&rewrite::rules::increment_of_zeros)
        .id("C80").complex().real(),
    builder<"write_of_parts", op::inc_subtensor, op::set_subtensor>(&rewrite::rules::write_of_parts)
        .complex().real(),
    builder<"read_beside_write", op::subtensor>(&rewrite::rules::read_beside_write)
        .id("C77").complex(),
    builder<"write_of_all", op::inc_subtensor, op::set_subtensor>(&rewrite::rules::write_of_all)
        .id("C79").complex(),
    builder<"write_of_write", op::inc_subtensor, op::set_subtensor, op::inc_take, op::set_take>(
        &rewrite::rules::write_of_write)
        .id("C78").complex(),
    builder<"write_of_read", op::set_subtensor>(&rewrite::rules::write_of_read)
        .id("C81", "C82").complex(),
    builder<"sum_of_parts", op::add>(&rewrite::rules::sum_of_writes)
        .needs<op::inc_subtensor>().id("C83").complex().real(),
    builder<"sum_of_set_parts", op::add>(&rewrite::rules::sum_of_writes)
        .needs<op::set_subtensor>().id("C84").complex().real(),
    builder<"sum_of_taken", op::add>(&rewrite::rules::sum_of_writes)
        .needs<op::inc_take>().id("C83", "Z3").complex().real(),
    builder<"sum_of_added", op::add>(&rewrite::rules::sum_of_writes)
        .needs<op::add_along_axis>().id("C83").complex().real(),
    builder<"scaled_part", op::mul>(&rewrite::rules::scaled_write)
        .needs<op::inc_subtensor>().complex().real(),
    builder<"scaled_set_part", op::mul>(&rewrite::rules::scaled_write)
        .needs<op::set_subtensor>().complex().real(),
    builder<"scaled_taken", op::mul>(&rewrite::rules::scaled_write)
        .needs<op::inc_take>().complex().real(),
    builder<"scaled_added", op::mul>(&rewrite::rules::scaled_write)
        .needs<op::add_along_axis>().complex().real(),
    builder<"scaled_diagonal", op::mul>(&rewrite::rules::scaled_write)
        .needs<op::from_diagonal>().complex().real(),
    builder<"scaled_choice", op::mul>(&rewrite::rules::scaled_write)
        .needs<op::ifelse>().complex().real(),
    builder<"scaled_sum", op::mul>(&rewrite::rules::scaled_write).needs<op::sum>().complex().real(),
    builder<"scaled_terms", op::mul>(&rewrite::rules::scaled_write)
        .needs<op::add>().complex().real(),
    builder<"join_of_one", op::join>(&rewrite::rules::join_of_one).id("C57").complex(),
    builder<"join_of_nothing", op::join>(&rewrite::rules::join_of_nothing).id("C57").complex(),
    builder<"join_of_ranges", op::join>(&rewrite::rules::join_of_ranges).id("C85").complex(),
    builder<"join_of_functions", op::join>(&rewrite::rules::join_of_functions)
        .id("C85").complex(),
    builder<"part_of_join", op::subtensor>(&rewrite::rules::part_of_join).id("C76").complex(),
    builder<"part_of_taken", op::subtensor>(&rewrite::rules::part_of_taken)
        .needs<op::take>().complex(),
    builder<"transposed_write", op::dimshuffle>(&rewrite::rules::transposed_write).complex(),
    builder<"taken_columns", op::inc_take>(&rewrite::rules::taken_columns).complex().real(),
    builder<"element_of_vector", op::subtensor>(&rewrite::rules::element_of_vector)
        .id("C75").complex(),
    builder<"distinct_of_copies", op::take>(&rewrite::rules::distinct_of_copies)
        .needs<op::sort, op::nonzero>().id("C59"),
    builder<"reduction_of_join", op::sum, op::prod, op::max, op::min>(
        &rewrite::rules::reduction_of_join)
        .id("C65").complex().real(),
    builder<"reduction_with_kept_axes", op::sum, op::prod, op::max, op::min, op::all, op::any,
            op::logsumexp>(&rewrite::rules::reduction_with_kept_axes)
        .id("C63").complex(),
    builder<"reduction_over_ones", op::sum, op::prod, op::max, op::min, op::all, op::any>(
        &rewrite::rules::reduction_over_ones)
        .id("C63").complex(),
    builder<"reduction_of_reduction", op::sum, op::prod, op::max, op::min, op::all, op::any>(
        &rewrite::rules::reduction_of_reduction)
        .id("C62").complex(),
    builder<"reduction_of_dimshuffle", op::sum, op::prod, op::max, op::min, op::all, op::any>(
        &rewrite::rules::reduction_of_dimshuffle)
        .id("C62").complex(),
    builder<"reduction_of_alloc", op::sum, op::prod>(&rewrite::rules::reduction_of_alloc)
        .id("C64").complex(),
    builder<"sum_of_product", op::sum>(&rewrite::rules::sum_of_product)
        .id("C60", "C61").complex().real(),
    builder<"extremum_of_multiple", op::max, op::min>(&rewrite::rules::extremum_of_multiple)
        .id("U2").real(),
    builder<"position_of_increasing", op::argmax, op::argmin>(
        &rewrite::rules::position_of_increasing)
        .id("S14").real(),
    builder<"position_of_equal", op::argmax>(&rewrite::rules::position_of_equal).real(),
    builder<"pooled_increasing", op::max_pool>(&rewrite::rules::pooled_increasing).real(),
    builder<"position_of_pooled", op::item>(&rewrite::rules::position_of_pooled)
        .needs<op::max_pool>().real(),
    builder<"taken_in_planes", op::take_in_planes>(&rewrite::rules::taken_in_planes).complex(),
    builder<"product_with_added", op::mul>(&rewrite::rules::product_with_added)
        .needs<op::add_in_planes>().complex().real(),
    builder<"choice_of_added", op::where>(&rewrite::rules::choice_of_added)
        .needs<op::add_in_planes>().complex(),
    builder<"sum_of_added_in_planes", op::sum>(&rewrite::rules::sum_of_added_in_planes)
        .needs<op::add_in_planes>().complex().real(),
    builder<"convolution_of_added", op::convolution_images, op::convolution_filters>(
        &rewrite::rules::convolution_of_added)
        .needs<op::add_in_planes>().complex().real(),
    builder<"dot_with_zeros", op::dot>(&rewrite::rules::dot_with_zeros).id("C67").complex().real(),
    builder<"dot_over_one", op::dot>(&rewrite::rules::dot_over_one).id("C68").complex(),
    builder<"dot_of_column", op::dot>(&rewrite::rules::dot_of_column).complex(),
    builder<"dot_of_repeated", op::dot>(&rewrite::rules::dot_of_repeated)
        .needs<op::alloc>().complex().real(),
    builder<"dot_of_lines", op::dot>(&rewrite::rules::dot_of_lines).needs<op::join>().real(),
    builder<"batched_dot_over_one", op::batched_dot>(&rewrite::rules::batched_dot_over_one),
    builder<"batched_dot_of_row", op::batched_dot>(&rewrite::rules::batched_dot_of_row).real(),
    builder<"dot_of_multiple", op::dot>(&rewrite::rules::dot_of_multiple).id("B7").complex().real(),
    builder<"multiple_of_dot_and_more", op::mul>(&rewrite::rules::multiple_of_dot_and_more)
        .needs<op::add>().id("B7").complex().real(),
    builder<"multiples_of_dot", op::add>(&rewrite::rules::multiples_of_dot)
        .needs<op::dot>().id("B7").complex().real());

/// What has the same values and not the same derivatives: only for what the specializing stage
/// follows, from its first reading on.
inline constexpr auto values_book =
    rules("canonicalize",
          builder<"chosen_zero", op::where>(&rewrite::rules::chosen_zero).needs<op::eq>().real());

/// What has to wait for all other rules of the stage.
inline constexpr auto last_book =
    rules("canonicalize", builder<"distributed_factor", op::mul>(
        &rewrite::rules::distributed_factor)
                              .needs<op::add>().id("C26").real());

}  // namespace kroton
