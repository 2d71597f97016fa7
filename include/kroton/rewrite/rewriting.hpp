// One reading of a graph with the books of a stage.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/books/canonicalize.hpp>
#include <kroton/rewrite/books/fourier.hpp>
#include <kroton/rewrite/books/linear_algebra.hpp>
#include <kroton/rewrite/books/sparse.hpp>
#include <kroton/rewrite/books/specialize.hpp>
#include <kroton/rewrite/books/stabilize.hpp>
#include <kroton/rewrite/pass.hpp>

namespace kroton::rewrite {

/// One reading of a graph with the canonical book and that of the given stage, which leaves nodes
/// that nothing needs. The specializing stage leaves out the stabilizing book: what a softmax is
/// expanded to must not become a softmax again.
constexpr graph rewrite(graph const& g, stage s, rewrite_options const& options) {
  rewriter r(engine, options, 1000 + 20 * g.size());
  r.use(inverse_book, true);
  r.use(algebra_book);
  r.use(tensor_book);
  if (options.values_only) r.use(values_book);
  if (has_linear_algebra(g)) r.use(linear_algebra_book);
  if (has_fourier(g)) r.use(fourier_book);
  if (has_sparse(g)) r.use(sparse_book);
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

}  // namespace kroton::rewrite
