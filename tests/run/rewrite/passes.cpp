// The table of passes: what a row says decides whether and when its pass runs.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/function/catalogue.hpp>

#include <vector>

#include "run/rule_expressions.hpp"

namespace kt = kroton;

namespace {

namespace core = kt::core;
namespace ops = kt::ops;
namespace rewrite = kt::rewrite;
namespace plan = kt::plan;

template <kt::text Name>
constexpr kt::graph noted(kt::graph g, rewrite::rewrite_options const& options) {
  options.log->push_back(Name.view());
  return g;
}
constexpr rewrite::graph_pass table[] = {
    {{.name = "first", .book = "test", .optional = true, .real = true},
     {rewrite::any_of<kt::op::exp, kt::op::log>(), rewrite::any_of<kt::op::sin>()},
     "first",
     &noted<"first">},
    {{.name = "second", .book = "test"}, {}, "second", &noted<"second">},
};

using names = std::vector<std::string_view>;

template <class Formula>
names passes_of(Formula f, rewrite::rewrite_options options = {}) {
  kt::graph g;
  g.results().push_back(f(kt::term{&g, g.input({kt::element::float64, 0, 0}, 0)}).id);
  rewrite::rewrite_log log;
  options.log = &log;
  rewrite::run_passes(std::move(g), table, options);
  return names(log.begin(), log.end());
}

std::uint64_t hash_of(kt::graph const& g) {
  std::uint64_t hash = 0;
  for (int id : g.results()) hash = hash * 31 + g[id].hash;
  return hash;
}

}  // namespace

TEST_CASE("passes: they run in the order of the table, where the graph has what they need", "[rewrite]") {
  CHECK(passes_of([](auto x) { return exp(sin(x)); }) == names{"first", "second"});
  CHECK(passes_of([](auto x) { return log(x) + sin(x); }) == names{"first", "second"});
  CHECK(passes_of([](auto x) { return exp(x); }) == names{"second"});
  CHECK(passes_of([](auto x) { return sin(x); }) == names{"second"});
}

TEST_CASE("passes: a mode leaves out what is optional, or holds for real numbers only", "[rewrite]") {
  auto const f = [](auto x) { return exp(sin(x)); };
  std::string_view const out[] = {"test"}, in[] = {"first"};
  rewrite::rewrite_options options;
  options.excluded = out;
  CHECK(passes_of(f, options) == names{"second"});
  options.included = in;
  CHECK(passes_of(f, options) == names{"first", "second"});
  options.ieee = true;
  CHECK(passes_of(f, options) == names{"second"});
}

TEST_CASE("passes: without the ops that it needs a pass changes nothing", "[rewrite]") {
  int compared = 0;
  for (auto const& e : rewrite_test::rule_expressions()) {
    kt::graph g;
    kt::term const a{&g, g.input(e.type, 0)}, b{&g, g.input(e.type, 1)}, c{&g, g.input(e.type, 2)};
    g.results().push_back(e.record(a, b, c).id);
    ops::collect_constraints(g);
    kt::graph form = rewrite::optimize(g, kt::stage::stabilize);
    auto const check = [&](core::items<rewrite::graph_pass> passes) {
      for (rewrite::graph_pass const& pass : passes) {
        CAPTURE(pass.name, e.text);
        if (!pass.may_fire(form)) {
          CHECK(hash_of(pass.run(form, {})) == hash_of(form));
          ++compared;
        } else {
          form = pass.run(std::move(form), {});
        }
      }
    };
    check(rewrite::specialize_passes);
    check(plan::compile_passes);
  }
  CHECK(compared > 500);
}
