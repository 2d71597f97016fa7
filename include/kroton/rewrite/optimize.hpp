// The optimizer: canonicalize, stabilize, specialize, as functions from graph to graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/books/canonicalize.hpp>
#include <kroton/rewrite/books/linear_algebra.hpp>
#include <kroton/rewrite/books/specialize.hpp>
#include <kroton/rewrite/books/stabilize.hpp>
#include <kroton/rewrite/pass.hpp>
#include <kroton/rewrite/passes/assumed_means.hpp>
#include <kroton/rewrite/passes/bodies.hpp>
#include <kroton/rewrite/passes/cancelling_sums.hpp>
#include <kroton/rewrite/passes/factor_sharing.hpp>
#include <kroton/rewrite/passes/hoist.hpp>
#include <kroton/rewrite/passes/lower.hpp>
#include <kroton/rewrite/passes/related_exponentials.hpp>
#include <kroton/rewrite/passes/related_functions.hpp>
#include <kroton/rewrite/passes/shared_exponentials.hpp>
#include <kroton/rewrite/passes/shared_products.hpp>
#include <kroton/rewrite/passes/shared_reciprocals.hpp>
#include <kroton/rewrite/passes/shared_sums.hpp>

namespace kroton::core {

/// One pass with the canonical book and that of the given stage, which leaves nodes that nothing
/// needs. The specializing pass leaves out the stabilizing book: what a softmax is expanded to must
/// not become a softmax again.
constexpr graph rewrite(graph const& g, stage s, rewrite_options const& options) {
  rewriter r(engine, options, 1000 + 20 * g.size());
  r.use(inverse_book, true);
  r.use(algebra_book);
  r.use(tensor_book);
  if (has_linear_algebra(g)) r.use(linear_algebra_book);
  if (s == stage::stabilize) r.use(stabilize_book, true);
  if (s == stage::specialize) r.use(specialize_book);
  for (auto const& book : options.extra) r.use(book, true);
  r.use(last_book, true);
  seen_forms seen(100 + 2 * g.size());
  if (s == stage::stabilize && options.does<"seen_through">() && hides_forms(g))
    r.look_through(seen);
  rewriting_pass(g, r).run();
  return std::move(r.g);
}

/// A graph in normal form in which exponentials that are multiples of each other are products, and
/// what cancels then is gone.
constexpr graph with_related_exponentials(graph const& form, rewrite_options const& options) {
  related_exponentials related(form);
  if (!related.find()) return form;
  graph const made = rewrite(cleaner(related.run()).run(), stage::stabilize, options);
  cancelling_sums cancelling(made, form);
  if (!cancelling.find()) return made;
  return rewrite(cleaner(cancelling.run()).run(), stage::stabilize, options);
}

/// Whether any rule of the last book could apply: most graphs are spared the second pass.
constexpr bool needs_specializing(graph const& g) {
  return g.has<op::softmax, op::log_softmax, op::logsumexp>();
}

/// Expands the ops that no kernel computes, and nothing else.
constexpr graph expand(graph const& g) {
  rewrite_options options;
  options.ieee = true;  // without a normal form
  rewriter r(engine, options, 1000 + 20 * g.size());
  r.use(specialize_book);
  rewriting_pass(g, r).run();
  return cleaner(r.g).run();
}

/// The same as `optimize`, with bodies as they are.
constexpr graph optimize_nodes(graph const& g, stage s, rewrite_options const& options) {
  if (s == stage::as_written) return cleaner(g).run();
  graph form = rewrite(g, s < stage::stabilize ? s : stage::stabilize, options);
  if (s != stage::specialize) return cleaner(form).run();
  if (!options.ieee && options.does<"related_exponentials">())
    form = with_related_exponentials(form, options);
  if (needs_specializing(form)) form = rewrite(cleaner(form).run(), stage::specialize, options);
  if (options.does<"hoisting">()) form = hoister(std::move(form)).run();
  if (!options.ieee && options.does<"shared_factors">() && has_linear_algebra(form))
    form = factor_sharing(form).run();
  if (!options.ieee && options.does<"related_functions">())
    form = related_functions(std::move(form)).run();
  if (!options.ieee && options.does<"shared_exponentials">())
    form = shared_exponentials(std::move(form)).run();
  if (!options.ieee && options.does<"reciprocals">())
    form = shared_reciprocals(std::move(form)).run();
  if (!options.ieee && options.does<"shared_sums">()) form = shared_sums(std::move(form)).run();
  if (!options.ieee && options.does<"shared_products">())
    form = shared_products(std::move(form)).run();
  graph lowered = lowering(form, !options.ieee, options.does<"folding">()).run();
  if (!options.ieee && options.does<"assumed_means">())
    lowered = assumed_means(std::move(lowered)).run();
  if (options.ieee || !options.does<"reciprocals">()) return lowered;
  return reciprocal_pass(std::move(lowered)).run();
}

/// The graph after the given stage and those before it; the argument stays as it is. The result has
/// the same parameters, outputs, updates and constraints. Bodies go through the same stages.
constexpr graph optimize(graph const& g, stage s, rewrite_options const& options = {}) {
  if (g.bodies().empty()) return optimize_nodes(g, s, options);
  auto rewritten = [&](graph const& body) { return optimize(body, s, options); };
  return optimize_nodes(with_bodies(g, rewritten), s, options);
}

/// The same as `runnable`, with bodies as they are.
constexpr graph runnable_nodes(graph const& g, stage s, rewrite_options const& options) {
  graph form = optimize_nodes(g, s, options);
  bool const is_lowered = s == stage::specialize, expands = needs_specializing(form);
  if (expands) form = expand(form);
  if (is_lowered && !expands) return form;
  return lowering(form, s != stage::as_written && !is_lowered && !options.ieee, false).run();
}

/// What stage `s` makes of a graph, in ops that can be planned and run. What has no kernel is
/// expanded, also where the rules that do so are left out; owners of bodies are written out.
constexpr graph runnable(graph const& g, stage s, rewrite_options const& options = {}) {
  if (g.bodies().empty()) return runnable_nodes(g, s, options);
  auto rewritten = [&](graph const& body) { return runnable(body, s, options); };
  return written_out(runnable_nodes(with_bodies(g, rewritten), s, options));
}

}  // namespace kroton::core
