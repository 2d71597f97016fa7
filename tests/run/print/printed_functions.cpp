// What debugprint says of a compiled function was found by the compiler: it is what the running program finds.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <sstream>
#include <string>

namespace kt = kroton;

namespace {

std::string text_of(kt::graph const& g) {
  std::ostringstream text;
  kt::debugprint(g, text);
  return text.str();
}

template <class Function>
void check(Function const&) {
  using in_program = kt::functions::graph_of_compiled<Function>;
  kt::printing::printed_function const& printed = kt::printing::printing_of<Function>::get();
  CHECK(text_of(printed.written) == text_of(in_program::written()));
  kt::graph optimized = in_program::optimized();
  CHECK(text_of(printed.optimized) == text_of(optimized));
  kt::plan::planner const plan(optimized);
  REQUIRE(static_cast<int>(printed.steps.size()) == plan.steps.size());
  for (int s = 0; s < plan.steps.size(); ++s) {
    kt::printing::printed_step const& step = printed.steps[static_cast<std::size_t>(s)];
    kt::plan::planned_step const& planned = plan.steps[s];
    CHECK(step.kind == planned.kind);
    CHECK(step.operands == planned.operands.size());
    CHECK(step.has_space == !planned.space.empty());
    CHECK(kt::printing::op_text(printed.optimized, step.node) == kt::printing::op_text(optimized, planned.node));
    if (planned.kind != kt::core::step_kind::loop) continue;
    REQUIRE(static_cast<int>(step.nodes.size()) == planned.nodes.size());
    for (int k = 0; k < planned.nodes.size(); ++k)
      CHECK(kt::printing::op_text(printed.optimized, step.nodes[static_cast<std::size_t>(k)]) ==
            kt::printing::op_text(optimized, planned.nodes[k]));
    CHECK(static_cast<int>(step.again.size()) == planned.again.size());
  }
}

}  // namespace

TEST_CASE("a compiled function is printed as the running program would find it", "[print]") {
  check(kt::function([](kt::dmatrix x, kt::dvector w, kt::dscalar b) {
    kt::named(x, "a name of more than sixteen characters"), kt::named(w, "w");
    auto p = sigmoid(dot(x, w) + b);
    kt::named(p, "probability");
    auto cost = mean(log(p)) + 0.01 * sum(w * w);
    return std::tuple(cost, grad(cost, w, b));
  }));
  check(kt::function(
      [](kt::dvector x, kt::dvector s) { return kt::outputs(sum(s)).update(s, s - 0.5 * grad(sum(exp(x * s)), s)); },
      kt::shared(xt::xtensor<double, 1>{1., 2.})));
  check(kt::function([](kt::dmatrix a, kt::dvector b, kt::lscalar n) {
    return std::tuple(solve(a, b), ifelse(n > 0, a.T(), a * 2), kt::sort(b), cumsum(a, kt::axis<0>),
                      kt::concatenate<0>(b, kt::zeros<double>(n)), a(n, kt::slice(1, kt::none, 2)));
  }));
  check(kt::function([](kt::zvector z, kt::fvector x) {
    return std::tuple(z * std::complex<double>(1, 2), kt::cast<double>(x) + 0.1, x > 0.f, abs(z));
  }));
  check(kt::function([](kt::dscalar x) { return sin(x) + 1; }));
  check(kt::function([](kt::dvector x) { return exp(x) / (1 + exp(x)); }, kt::mode::fast_run.excluding<"softplus">()));
}

TEST_CASE("what is printed of two functions stands next to each other", "[print]") {
  auto const f = kt::function([](kt::dvector x) { return kt::named(x, "first"), exp(x); });
  auto const g = kt::function([](kt::dvector x) { return kt::named(x, "second"), log(x); });
  std::ostringstream text;
  kt::debugprint(f, text);
  kt::debugprint(g, text);
  kt::debugprint(f, text);
  std::string const all = text.str();
  auto const count = [&](std::string const& what) {
    int found = 0;
    for (std::size_t at = 0; (at = all.find(what, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  CHECK(count("first (dvector)") == 2 * count("second (dvector)"));
  CHECK(count("second (dvector)") == 2);
}
