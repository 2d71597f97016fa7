// The optimizer for graphs with scans: the passes over loops in between the stages of the
// optimizer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/outer_extents.hpp>
#include <kroton/loops/passes.hpp>
#include <kroton/rewrite/optimize.hpp>

namespace kroton::loops {

using rewrite::cleaner;

constexpr bool has_scans(graph const& g) { return g.has<op::scan>(); }

/// The passes over the scans of a graph in normal form, and over those in their bodies first.
constexpr graph with_passes(graph const& g, rewrite_options const& options) {
  list<long long> done;  // bodies that have been through all passes
  auto with_inner_passes = [&](graph const& of) {
    return rewrite::with_bodies(of, [&](graph const& body) {
      graph made = body;
      if (has_scans(body) && !done.contains(core::address_of(body))) {
        made = with_passes(body, options);
        done.push_back(core::address_of(made));
      }
      return made;
    });
  };
  graph const inner = with_inner_passes(g);
  // Twice: what has left a loop may be the factor of a sum, and its factors elements of a sequence.
  graph form = rewrite::run_passes(inner, scan_passes, options);
  if (has_scans(form) && !core::computes_the_same(inner, form))
    form = rewrite::run_passes(cleaner(form).run(), scan_passes, options);
  // Loops that have become one may have loops inside that can
  return cleaner(with_inner_passes(form)).run();
}

/// A table of passes once over the scans of a graph, and over those in their bodies.
constexpr graph with_passes_once(graph const& g, items<rewrite::graph_pass> passes,
                                 rewrite_options const& options) {
  graph made = rewrite::with_bodies(g, [&](graph const& body) {
    graph inner = body;
    if (has_scans(body)) inner = with_passes_once(body, passes, options);
    return inner;
  });
  return cleaner(rewrite::run_passes(std::move(made), passes, options)).run();
}

/// A graph in the normal form of a stage, without arrays that loops fill.
constexpr graph with_filled_arrays(graph const& g, stage form, rewrite_options const& options) {
  graph normal = rewrite::optimize(g, form, options);
  if (has_writing_loops(normal)) {
    graph const made = with_passes_once(normal, first_scan_passes, options);
    if (!core::computes_the_same(normal, made)) normal = rewrite::optimize(made, form, options);
  }
  return normal;
}
/// A graph whose scans are optimized: in the normal form of the stage, if it has any.
constexpr graph with_optimized_scans(graph const& g, stage s, rewrite_options const& asked) {
  stage const form = s < stage::stabilize ? s : stage::stabilize;
  rewrite_options const options = asked.up_to(s);
  graph const known = with_outer_extents(g, known_extents::numbers),
              made = with_passes(with_filled_arrays(known, form, options), options);
  return with_passes_once(made, last_scan_passes, options);
}
/// A graph whose operations are those of a stage, with what the stage does to loops then.
constexpr graph with_lowered_scans(graph g, stage s, rewrite_options const& options) {
  if (s == stage::specialize) g = with_passes_once(g, lowered_scan_passes, options);
  return g;
}

/// The same as rewrite::optimize, scans included.
constexpr graph optimize_here(graph const& g, stage s, rewrite_options const& options) {
  graph made;
  if (s != stage::as_written && has_scans(g))
    made = with_lowered_scans(rewrite::optimize(with_optimized_scans(g, s, options), s, options), s,
                              options);
  else made = rewrite::optimize(g, s, options);
  return made;
}
graph optimize_in_library(graph const& g, stage s, rewrite_options const& options);
constexpr graph optimize(graph const& g, stage s, rewrite_options const& options = {}) {
  if (!KROTON_HAS_LIBRARY || KROTON_IN_COMPILER) return loops::optimize_here(g, s, options);
  else return loops::optimize_in_library(g, s, options);
}
/// The same as rewrite::runnable, scans included.
constexpr graph runnable(graph const& g, stage s, rewrite_options const& options = {}) {
  graph made;
  if (s != stage::as_written && has_scans(g))
    made = with_lowered_scans(rewrite::runnable(with_optimized_scans(g, s, options), s, options), s,
                              options);
  else made = rewrite::runnable(g, s, options);
  return made;
}

}  // namespace kroton::loops
