// Running programs, and comparing what they give with the evaluation as written.
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include "evaluate.hpp"
#include "record.hpp"

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/extents.hpp>
#include <kroton/runtime.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace fuzz {

namespace {

using kt::runtime::array;

// No program has complex numbers.
template <class To, class From>
To number_as(From x) {
  if constexpr (kt::core::is_complex_number<From>) throw std::logic_error("a complex number");
  else return static_cast<To>(x);
}

array array_of(argument const& a) {
  array result(a.type.element, {a.shape.begin(), a.shape.end()});
  kt::runtime::visit_element(a.type.element, [&]<class T>(std::type_identity<T>) {
    T* const to = result.data<T>();
    for (std::size_t i = 0; i < a.data.size(); ++i) to[i] = number_as<T>(a.data[i]);
  });
  return result;
}
tensor tensor_of(array const& a) {
  tensor t;
  t.type = a.element_type();
  t.shape.assign(a.shape().begin(), a.shape().end());
  kt::runtime::visit_element(a.element_type(), [&]<class T>(std::type_identity<T>) {
    T const* const from = a.data<T>();
    for (std::size_t i = 0; i < a.size(); ++i) t.data.push_back(number_as<real>(from[i]));
  });
  return t;
}

bool has_choice(kt::graph const& g) {
  for (int id = 0; id < g.size(); ++id)
    if (g.is<kt::op::ifelse>(id)) return true;
  return false;
}
bool has_softmax(kt::graph const& g) {
  for (int id = 0; id < g.size(); ++id)
    if (g.is<kt::op::softmax>(id) || g.is<kt::op::log_softmax>(id) || g.is<kt::op::logsumexp>(id)) return true;
  return false;
}

/// The graph that a configuration computes.
kt::graph optimized(kt::graph const& g, configuration const& c, kt::core::rewrite_options options) {
  options.ieee = c.ieee;
  if (!c.optimized) {
    // There is no kernel for a softmax: the specializing book writes it out. Extents have to be those of parameters.
    std::string_view const out[] = {"canonicalize", "stabilize", "folding", "hoisting", "blas"}, in[] = {"extent_of_expression"};
    options.excluded = out;
    options.included = in;
    options.extra = {};
    return kt::core::prepare(g, kt::stage::specialize, options);
  }
  if (!c.runs) return kt::core::optimize(g, c.last, options);
  if (c.last == kt::stage::specialize) return kt::core::prepare(g, c.last, options);
  return kt::core::lowering(kt::core::optimize(g, c.last, options), true).run();
}

struct outcome {
  std::vector<tensor> outputs;
  std::string exception, text;  // its kind and its words
};

outcome run(kt::graph g, std::vector<argument> const& arguments) {
  outcome o;
  try {
    kt::runtime::program const p(std::move(g), kt::runtime::builtin_kernels());
    kt::core::frame f(p.tables());
    std::vector<array> given, results;
    for (argument const& a : arguments) given.push_back(array_of(a));
    for (std::size_t k = 0; k < given.size(); ++k) f.bind(static_cast<int>(k), given[k].ref());
    kt::runtime::run_program(p, f, results);
    for (array const& a : results) o.outputs.push_back(tensor_of(a));
  } catch (kt::shape_error const& e) {
    o = {{}, "shape_error", e.what()};
  } catch (kt::value_error const& e) {
    o = {{}, "value_error", e.what()};
  } catch (std::exception const& e) {
    o = {{}, "another exception", e.what()};
  }
  return o;
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

std::string shown(std::vector<long> const& shape) {
  std::string text = "(";
  for (long e : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(e);
  return text + ")";
}

/// How an element differs from what it should be; empty where it does not, or where nothing can be said.
std::string difference(evaluator const& values, int id, long i, real got, bool ieee, long& compared) {
  tensor const& want = values[id];
  unsigned char const flags = want.flags[static_cast<std::size_t>(i)];
  if ((flags & (out_of_range | undecided)) != 0 || (!ieee && (flags & (not_finite | reordered)) != 0)) return {};
  real const x = want.data[static_cast<std::size_t>(i * values.lanes())];
  real bound = 0;
  bool agree = got == x || (std::isnan(x) && std::isnan(got));
  if (kt::core::is_float(want.type) && std::isfinite(x)) {
    real const spread = values.spread(id, i, !ieee);
    if (!std::isfinite(spread)) return {};
    real const tiny = want.type == kt::element::float32 ? real(std::numeric_limits<float>::min()) : real(std::numeric_limits<double>::min());
    bound = 200 * spread + 64 * roundoff(want.type) * std::abs(x) + 64 * tiny;
    // A spread of the size of the value itself says that nothing of it is left.
    if (bound > std::abs(x) && bound > 1e-2L) return {};
    agree = std::abs(got - x) <= bound;
  }
  ++compared;
  if (agree) return {};
  std::ostringstream text;
  text.precision(20);
  text << "element " << i << " is " << got << ", as written " << x << " (bound " << static_cast<double>(bound) << ")";
  return text.str();
}

std::optional<failure> compare(kt::graph const& g, evaluator const& values, outcome const& o, configuration const& c, long& compared) {
  for (std::size_t k = 0; k < o.outputs.size(); ++k) {
    int const id = g.results()[static_cast<int>(k)];
    tensor const &want = values[id], &got = o.outputs[k];
    std::string const which = "output " + std::to_string(k + 1) + ": ";
    if (got.type != want.type) return failure{0, "type", which + "an element type of " + std::string(kt::core::name_of(got.type)), {}};
    if (got.shape != want.shape)
      return failure{0, "shape", which + "the shape " + shown(got.shape) + ", as written " + shown(want.shape), {}};
    for (long i = 0; i < want.count(); ++i)
      if (std::string const text = difference(values, id, i, got.data[static_cast<std::size_t>(i)], c.ieee, compared); !text.empty())
        return failure{0, "value", which + text, {}};
  }
  return {};
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

}  // namespace

std::optional<failure> check(program const& p, check_options const& options, long* compared) {
  kt::graph g;
  record(g, p);
  if (!g.error().empty()) return {};
  int const recorded = g.size();
  kt::core::collect_constraints(g);
  if (!g.error().empty()) return {};
  long count = 0;

  outcome written;
  std::optional<evaluator> values;
  std::string wrong_shapes;
  bool wrong_index = false;  // what is not read, since only its extents count, is not found out of range
  try {
    // What conditions on extents add to the graph may fail where the expression does not.
    kt::graph plain;
    record(plain, p);
    if (plain.size() != recorded) return failure{0, "record", "recording is not repeatable", {}};
    values.emplace(plain, p.arguments, true);
  } catch (unsettled const&) {
    return {};
  } catch (index_error const& e) {
    wrong_index = true;
    wrong_shapes = e.what();
  } catch (std::domain_error const& e) {
    wrong_shapes = e.what();
  }
  // A branch that is not taken may ask for an element that is not there, and does not where it is not computed.
  if (!wrong_shapes.empty() && has_choice(g)) return {};
  for (int n = 0; n < static_cast<int>(std::size(configurations)); ++n) {
    configuration const& c = configurations[n];
    if (n != 0 && options.only >= 0 && options.only != n) continue;
    kt::core::rewrite_log log;
    kt::core::rewrite_options rewriting;
    rewriting.extra = options.extra;
    rewriting.excluded = options.excluded;
    rewriting.log = &log;
    kt::graph const o = optimized(g, c, rewriting);
    if (c.runs && c.last != kt::stage::specialize && c.optimized && has_softmax(o)) continue;
    std::optional<failure> found = same_types(g, o);
    if (!found && (c.runs || (wrong_shapes.empty() && values))) {
      outcome const result = c.runs ? run(o, p.arguments) : evaluate(o, p.arguments);
      if (n == 0) written = result;
      if (result.exception == "not evaluated") continue;
      if (wrong_index && (result.exception.empty() || result.exception == "value_error")) continue;
      // What the planner or the interpreter refuses as written, it may refuse in any form.
      bool const refused = written.exception == "value_error" && wrong_shapes.empty();
      if (n == 0 && refused) {
        bool const stated = written.text.find("extent depends") != std::string::npos || written.text.find("64 arrays") != std::string::npos;
        if (!stated) found = failure{0, "exception", result.exception + ": " + result.text, {}};
        else return {};
      } else if (result.exception != (n == 0 && !wrong_shapes.empty() && !result.exception.empty() ? result.exception : written.exception)) {
        found = failure{0, "exception", (result.exception.empty() ? "no exception" : result.exception + ": " + result.text) +
                                            "; as written " + (written.exception.empty() ? "none" : written.exception + ": " + written.text), {}};
      } else if ((written.exception.empty()) != wrong_shapes.empty()) {
        found = failure{0, "exception", (written.exception.empty() ? "no exception, but " + wrong_shapes : written.exception + ": " + written.text), {}};
      } else if (result.exception.empty()) {
        found = compare(g, *values, result, c, count);
      }
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
