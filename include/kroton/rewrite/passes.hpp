// The table of passes over a whole graph that follow the books.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/books/relations.hpp>
#include <kroton/rewrite/engine/graph_pass.hpp>
#include <kroton/rewrite/passes/assumed_means.hpp>
#include <kroton/rewrite/passes/cancelling_sums.hpp>
#include <kroton/rewrite/passes/common_matrices.hpp>
#include <kroton/rewrite/passes/factor_sharing.hpp>
#include <kroton/rewrite/passes/hoist.hpp>
#include <kroton/rewrite/passes/lengths.hpp>
#include <kroton/rewrite/passes/lower.hpp>
#include <kroton/rewrite/passes/related_exponentials.hpp>
#include <kroton/rewrite/passes/relations.hpp>
#include <kroton/rewrite/passes/sharing.hpp>
#include <kroton/rewrite/passes/sliced_products.hpp>
#include <kroton/rewrite/passes/square_differences.hpp>
#include <kroton/rewrite/passes/summed_products.hpp>
#include <kroton/rewrite/rewriting.hpp>
#include <kroton/rewrite/scalars/rules.hpp>

namespace kroton::rewrite {

constexpr graph with_scalars(graph g, rewrite_options const&) {
  if (has_small_arrays(g)) g = with_scalar_replacement(g);
  return g;
}

inline constexpr graph_pass first_passes[] = {
    {{.name = "scalar_replacement",
      .book = "canonicalize",
      .says = "arrays are taken apart along axes of few elements whose extents are known; a "
              "function of small arrays is then one of numbers",
      .optional = true,
      .real = true},
     {},
     "before everything else: rules know more about numbers, and gradients of arrays are mostly "
     "zeros",
     &with_scalars},
};

/// A graph in normal form in which exponentials that are multiples of each other are products, and
/// what cancels then is gone.
constexpr graph with_related_exponentials(graph form, rewrite_options const& options) {
  related_exponentials related(form);
  if (related.find()) {
    graph made = rewrite(cleaner(related.run(), true).run(), stage::stabilize, options);
    cancelling_sums cancelling(made, form);
    if (cancelling.find())
      made = rewrite(cleaner(cancelling.run(), true).run(), stage::stabilize, options);
    form = std::move(made);
  }
  return form;
}
/// A graph in normal form, brought to it anew where a pass has found something to change.
template <class Pass>
constexpr graph in_normal_form(graph form, rewrite_options const& options) {
  Pass pass(form);
  if (pass.find()) form = rewrite(cleaner(pass.run(), true).run(), stage::stabilize, options);
  return form;
}
constexpr graph expanded(graph form, rewrite_options const& options) {
  return rewrite(cleaner(form, true).run(), stage::specialize, options);
}
constexpr graph lowered(graph form, rewrite_options const& options) {
  return lowering(form, !options.ieee, options.does<"folding">(), options.observer).run();
}

/// The ops that the specializing book expands: no kernel computes them.
inline constexpr op_set expandable =
    any_of<op::softmax, op::log_softmax, op::logsumexp, op::largest_exponent, op::relative_sum>();

inline constexpr graph_pass specialize_passes[] = {
    {{.name = "related_exponentials",
      .book = "specialize",
      .says = "exp(a) next to exp(b) is a multiple of it where a - b, multiplied out, is a sum of "
              "logarithms",
      .optional = true,
      .real = true},
     {any_of<op::exp>(), any_of<op::log, op::log1p>()},
     "first: it reads and makes the normal form, and stabilizes its result",
     &with_related_exponentials},
    {{.name = "common_matrices",
      .book = "specialize",
      .says = "dot(a, x) + dot(a, y) is dot(a, x + y) for a sparse a, where nothing else reads the "
              "products",
      .optional = true,
      .real = true},
     {any_of<op::csr_dot, op::csr_transposed_dot>(), any_of<op::add>()},
     "before expansion, since it makes the normal form anew; rules do not see readers",
     &in_normal_form<common_matrices>},
    {{.name = "summed_products",
      .book = "specialize",
      .says = "sum(x + dot(a, b), axis<1>) is sum(x, axis<1>) + dot(a, sum(b, axis<1>)), where "
              "nothing else reads the product",
      .optional = true,
      .real = true},
     {any_of<op::dot>(), any_of<op::sum>()},
     "before expansion, as common_matrices",
     &in_normal_form<summed_products>},
    {{.name = "expansion",
      .book = "specialize",
      .says = "softmax, log_softmax and logsumexp become the formulas that loops compute"},
     {expandable},
     "after the last stabilization, which would find the softmax in its formula again",
     &expanded},
    {{.name = "hoisting",
      .book = "specialize",
      .ids = "F3",
      .says =
          "f(view(x)) is view(f(x)) where f(x) is computed anyway, or for several such views, or "
          "the view only adds axes to an x that is, or takes rows by the indices by which they "
          "were added up; view(x)*view(y)*z is view(x*y)*z there",
      .optional = true},
     {any_of<op::dimshuffle, op::reshape, op::subtensor, op::take, op::take_along_axis,
             op::diagonal>()},
     "after the last book, which would move the views below again; before sharing, which may write "
     "f(x) and f(view(x)) in two ways",
     &run_pass<hoister>},
    {{.name = "shared_factors",
      .book = "specialize",
      .ids = "L8",
      .says = "solutions, inverses and determinants of one matrix share its LU factors",
      .optional = true,
      .real = true},
     {factorizing_ops()},
     "after the rules that cancel inverses and determinants, and after hoisting, which makes one "
     "of two; no pass behind it looks at matrices",
     &with_shared_factors},
    {{.name = "related_functions",
      .book = "specialize",
      .says = "expm1(x) next to exp(x), and sin(x/2)**2 next to sin(x) and cos(x), come from these",
      .optional = true,
      .real = true},
     {any_of<op::expm1, op::sin>(), any_of<op::exp, op::pow>()},
     "before sharing: what it makes has sums and divisors that others have too",
     &relate<related_functions_book>},
    {{.name = "shared_exponentials",
      .book = "specialize",
      .says = "sigmoid and softplus of one argument, or of its negative, share exp(-abs(x))",
      .optional = true,
      .real = true},
     {any_of<op::sigmoid, op::softplus>()},
     "before reciprocals and sums are shared: it makes quotients of one denominator",
     &relate<shared_exponentials_book>},
    {{.name = "reciprocals",
      .book = "specialize",
      .says = "divisors of three products, or of two above squares, become factors",
      .optional = true,
      .real = true},
     {any_of<op::pow>()},
     "before products are shared, which may pair a reciprocal with other factors",
     &share<multiset::divisors>},
    {{.name = "shared_sums",
      .book = "specialize",
      .says = "a + 10*b and 2*a + 20*b + c add a + 10*b once",
      .optional = true,
      .real = true},
     {any_of<op::add>()},
     "before products are shared: terms are multiples of each other only where all their factors "
     "are in one product",
     &share<multiset::terms>},
    {{.name = "shared_products",
      .book = "specialize",
      .says = "a*b*c and a*b*d multiply a*b once, a*c/b and a*d/b divide once",
      .optional = true,
      .real = true},
     {any_of<op::mul>()},
     "last in normal form: it leaves products of products",
     &share_products},
    {{.name = "lowering",
      .book = "specialize",
      .ids = "S1 S2 S3 S4 S7 S9",
      .says = "products as one quotient, powers as squarings and square roots, binary sums, of "
              "numbers in the order in which the terms are there, any and all as counts"},
     {},
     "the end of the normal form: what follows sees the ops that run",
     &lowered},
    {{.name = "lengths",
      .book = "specialize",
      .ids = "accuracy",
      .says = "sqrt(x*x + y*y) is hypot(x, y), which does not overflow, where nothing else reads "
              "the sum of squares; also of three; log(x*x + y*y) is twice its logarithm",
      .optional = true,
      .real = true},
     {any_of<op::sqrt, op::log, op::log2, op::log10>(), any_of<op::sqr>()},
     "after lowering, which decides what is a square and what a root",
     &run_pass<length_pass>},
    {{.name = "square_differences",
      .book = "specialize",
      .ids = "accuracy",
      .says = "x*x - y*y is (x + y)*(x - y) where nothing else reads the squares",
      .optional = true,
      .real = true},
     {any_of<op::sub>(), any_of<op::sqr>()},
     "after lowering, as lengths",
     &run_pass<square_difference_pass>},
    {{.name = "assumed_means",
      .book = "specialize",
      .says = "sum((x - mean(x))**2) reads a long x once",
      .optional = true,
      .real = true},
     {any_of<op::sum>(), any_of<op::sqr>()},
     "after lowering, whose squares and differences it reads",
     &run_pass<assumed_means>},
    {{.name = "reciprocals",
      .book = "specialize",
      .says = "three quotients of one denominator are products with its reciprocal",
      .optional = true,
      .real = true},
     {any_of<op::div, op::inv>()},
     "after lowering, which gathers all divisors of a product in one denominator",
     &run_pass<reciprocal_pass>},
    {{.name = "sliced_products",
      .book = "specialize",
      .says = "dot(a, x)(i : k) multiplies the rows of a sparse a that it selects, where nothing "
              "else reads the product",
      .optional = true},
     {any_of<op::csr_dot>(), any_of<op::subtensor>()},
     "last: no rule knows the product of some rows, and rules do not see readers",
     &run_pass<sliced_products>},
};

}  // namespace kroton::rewrite
