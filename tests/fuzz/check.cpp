// Running programs in every configuration.
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include "derivatives.hpp"

#include <kroton/function/catalogue.hpp>
#include <kroton/ops/shapes/extents.hpp>

#include <stdexcept>

namespace fuzz {

namespace {

bool has_softmax(kt::graph const& g) {
  for (auto const& body : g.bodies())
    if (has_softmax(*body)) return true;
  for (int id = 0; id < g.size(); ++id)
    if (g.is<kt::op::softmax>(id) || g.is<kt::op::log_softmax>(id) || g.is<kt::op::logsumexp>(id) ||
        g.is<kt::op::largest_exponent>(id) || g.is<kt::op::relative_sum>(id))
      return true;
  return false;
}

/// A graph and its bodies in ops that have kernels.
kt::graph lowered(kt::graph const& g) {
  kt::graph const inner = kt::rewrite::with_bodies(g, [](kt::graph const& body) { return lowered(body); });
  return kt::rewrite::written_out(kt::rewrite::lowering(inner, true).run());
}

/// The graph that a configuration computes.
kt::graph optimized(kt::graph const& g, configuration const& c, kt::rewrite::rewrite_options options) {
  options.ieee = c.ieee;
  if (!c.optimized) {
    // There is no kernel for a softmax: the specializing book writes it out. Extents have to be those of parameters.
    std::string_view const out[] = {"canonicalize", "stabilize", "folding", "hoisting", "blas", "scan"}, in[] = {"extent_of_expression"};
    options.excluded = out;
    options.included = in;
    options.extra = {};
    return kt::functions::prepare(g, kt::stage::specialize, options);
  }
  if (!c.runs) return kt::loops::optimize(g, c.last, options);
  if (c.last == kt::stage::specialize) return kt::functions::prepare(g, c.last, options);
  return lowered(kt::loops::optimize(g, c.last, options));
}

outcome evaluate(kt::graph const& g, std::vector<argument> const& arguments) {
  outcome o;
  try {
    evaluator const values(g, arguments, false);
    for (int id : g.results()) o.outputs.push_back(values[id]);
  } catch (unsettled const& e) {
    o = {{}, "not evaluated", e.what()};
  } catch (std::domain_error const& e) {
    o = {{}, "domain_error", e.what()};
  } catch (std::logic_error const& e) {
    o = {{}, "not evaluated", e.what()};
  }
  return o;
}

std::optional<failure> same_types(kt::graph const& g, kt::graph const& o) {
  if (!o.error().empty()) return failure{0, "error", std::string(o.error()), {}};
  for (int k = 0; k < g.results().size(); ++k)
    // An extent that a rule finds to be 1 may make its dimension one that broadcasts.
    if (kt::tensor_type const was = g.type(g.results()[k]), is = o.type(o.results()[k]);
        is.element != was.element || is.rank != was.rank || (is.broadcast & was.broadcast) != was.broadcast)
      return failure{0, "type", "an output has another type", {}};
  for (int k = 0; k < g.parameters().size(); ++k)
    if (!(o.type(o.parameters()[k]) == g.type(g.parameters()[k]))) return failure{0, "type", "a parameter has another type", {}};
  return {};
}

/// The names of the passes over loops, of which a mode leaves out one.
std::vector<std::string_view> const& passes_over_loops() {
  static std::vector<std::string_view> const names = [] {
    std::vector<std::string_view> found;
    for (auto const& pass : kt::passes())
      if (pass.book == "scan") found.push_back(pass.name);
    return found;
  }();
  return names;
}

}  // namespace

outcome run_as_written(kt::graph const& g, std::vector<argument> const& arguments) {
  return run(optimized(g, configurations[0], {}), arguments);
}

std::optional<failure> check(program const& p, check_options const& options, long* compared) {
  truth known(p);
  if (known.is_unknown()) return {};
  long count = 0;
  for (int n = 0; n < static_cast<int>(std::size(configurations)); ++n) {
    configuration const& c = configurations[n];
    if (n != 0 && options.only >= 0 && options.only != n) continue;
    if (c.lacks_pass && !has_loop(known.graph())) continue;
    if (known.is_sparse() && (!c.runs || c.differentiates)) continue;
    if (c.differentiates) {
      auto fault = known.has_values() ? fault_of_gradient(p, count) : std::nullopt;
      if (fault) fault->configuration = n;
      if (fault) return fault;
      continue;
    }
    std::vector<std::string_view> excluded(options.excluded.begin(), options.excluded.end());
    if (c.lacks_pass) {
      std::vector<std::string_view> const& all = passes_over_loops();
      excluded.push_back(all[(p.calls.size() + p.outputs.size()) % all.size()]);
    }
    kt::rewrite::rewrite_log log;
    kt::rewrite::rewrite_options rewriting;
    rewriting.extra = options.extra;
    rewriting.excluded = excluded;
    rewriting.log = &log;
    kt::graph const o = optimized(known.graph(), c, rewriting);
    if (c.runs && c.last != kt::stage::specialize && c.optimized && has_softmax(o)) continue;
    std::optional<failure> found = same_types(known.graph(), o);
    if (!found && (c.runs || known.has_values())) {
      outcome const result = c.runs ? run(o, p.arguments) : evaluate(o, p.arguments);
      if (result.exception == "not evaluated") continue;
      found = n == 0 ? known.set_written(result, count) : known.fault_of(result, c.ieee, count);
      if (known.is_refused()) return {};
    }
    if (found) {
      found->configuration = n;
      for (auto name : log) found->fired.push_back(name);
      return found;
    }
  }
  if (compared != nullptr) *compared += count;
  return {};
}

}  // namespace fuzz
