// The optimizer for graphs with scans: the passes over loops in between the stages of the optimizer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/merge.hpp>
#include <kroton/rewrite/optimize.hpp>

namespace kroton::loops {

using rewrite::cleaner;
using rewrite::rewrite_options;

/// The passes over the scans of a graph in normal form, and over those in their bodies first.
constexpr graph run_passes(graph const& g) {
  graph form = rewrite::with_bodies(g, [](graph const& body) { return run_passes(body); });
  form = cleaned_scans(std::move(form));
  form = merged_scans(std::move(form));
  return cleaner(form).run();
}

constexpr bool has_scans(graph const& g) { return g.has<op::scan>(); }

/// A graph whose scans are optimized: in the normal form of the stage, if it has any.
constexpr graph with_optimized_scans(graph const& g, stage s, rewrite_options const& options) {
  stage const form = s < stage::stabilize ? s : stage::stabilize;
  graph made = g;
  if (form != stage::as_written && has_scans(g))
    made = run_passes(rewrite::optimize(g, form, options));
  return made;
}

/// The same as rewrite::optimize, scans included.
constexpr graph optimize(graph const& g, stage s, rewrite_options const& options = {}) {
  return rewrite::optimize(with_optimized_scans(g, s, options), s, options);
}
/// The same as rewrite::runnable, scans included.
constexpr graph runnable(graph const& g, stage s, rewrite_options const& options = {}) {
  return rewrite::runnable(with_optimized_scans(g, s, options), s, options);
}

}  // namespace kroton::loops
