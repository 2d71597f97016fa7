// The optimizer: canonicalize, stabilize, specialize, as functions from graph to graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/passes.hpp>
#include <kroton/rewrite/passes/annotations.hpp>
#include <kroton/rewrite/passes/bodies.hpp>

namespace kroton::rewrite {

/// The same as `optimize`, with bodies as they are.
constexpr graph optimize_nodes(graph const& g, stage s, rewrite_options const& asked) {
  if (s == stage::as_written) return cleaner(g).run();
  rewrite_options const options = asked.up_to(s);
  graph const first = run_passes(without_annotations(g), first_passes, options);
  graph form = rewrite(first, s < stage::stabilize ? s : stage::stabilize, options);
  if (s != stage::specialize) return cleaner(form).run();
  return run_passes(std::move(form), specialize_passes, options);
}

/// The graph after the given stage and those before it; the argument stays as it is. The result has
/// the same parameters, outputs, updates and constraints. Bodies go through the same stages.
constexpr graph optimize(graph const& g, stage s, rewrite_options const& options,
                         known_bodies& known) {
  if (g.bodies().empty()) return optimize_nodes(g, s, options);
  auto rewritten = [&](graph const& body) { return optimize(body, s, options, known); };
  return optimize_nodes(with_bodies(g, rewritten, known), s, options);
}
constexpr graph optimize_here(graph const& g, stage s, rewrite_options const& options) {
  known_bodies known;
  return optimize(g, s, options, known);
}
/// The same in a program that links the library, where the optimizer is compiled once.
graph optimize_in_library(graph const& g, stage s, rewrite_options const& options);
constexpr graph optimize(graph const& g, stage s, rewrite_options const& options = {}) {
  if (!KROTON_HAS_LIBRARY || KROTON_IN_COMPILER) return optimize_here(g, s, options);
  else return optimize_in_library(g, s, options);
}

/// Expands the ops that no kernel computes; leaves all others as they are.
constexpr graph expand(graph const& g) {
  rewrite_options options;
  options.ieee = true;  // without a normal form
  rewriter r(engine, options, 1000 + 20 * g.size());
  r.use(specialize_book);
  rewriting_pass(g, r).run();
  return cleaner(r.g).run();
}

/// The same as `runnable`, with bodies as they are.
constexpr graph runnable_nodes(graph const& g, stage s, rewrite_options const& options) {
  graph form = optimize_nodes(g, s, options);
  if (s == stage::as_written) form = without_annotations(form);
  bool const is_lowered = s == stage::specialize, expands = form.has(expandable.all());
  if (expands) form = expand(form);
  if (is_lowered && !expands) return form;
  return lowering(form, s != stage::as_written && !is_lowered && !options.ieee, false).run();
}

/// What stage `s` makes of a graph, in ops that can be planned and run. What has no kernel is
/// expanded, also where the rules that do so are left out; owners of bodies are written out.
constexpr graph runnable(graph const& g, stage s, rewrite_options const& options,
                         known_bodies& known) {
  auto rewritten = [&](graph const& body) { return runnable(body, s, options, known); };
  graph made;
  if (g.bodies().empty()) made = runnable_nodes(g, s, options);
  else made = runnable_nodes(with_bodies(g, rewritten, known), s, options);
  if (has_owners_to_write_out(made)) made = written_out(made);
  return made;
}
constexpr graph runnable(graph const& g, stage s, rewrite_options const& options = {}) {
  known_bodies known;
  return runnable(g, s, options, known);
}

}  // namespace kroton::rewrite
