// Ops whose nodes count their outputs: any number of them, in both stages, with gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

/// x, 2 x, 3 x, ... Its attribute says how many.
struct multiples : kt::operation<"multiples", 1> {
  static constexpr int outputs(kt::core::application const& a) { return static_cast<int>(a.attribute(0)); }
  static constexpr kt::tensor_type type(kt::core::application const& a, int) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d, int) {
    return {kt::core::extent_source::dimension, 0, d};
  }
  static constexpr kt::core::gradient_list<1> pullback(kt::core::several g, kt::core::several, kt::term) {
    kt::term sum{};
    for (int k = 0; k < g.count(); ++k)
      if (g.has(k)) {
        kt::term const part = g[k] * (k + 1.0);
        sum = sum.exists() ? sum + part : part;
      }
    return kt::inputs(sum);
  }
  static void run(kt::core::invocation const& call) {
    auto const* const x = reinterpret_cast<double const*>(call.operand(0).data);
    for (int k = 0; k < call.attribute(0); ++k) {
      if (call.result(k).data == nullptr) continue;
      auto* const y = reinterpret_cast<double*>(call.result(k).data);
      for (std::ptrdiff_t i = 0; i < call.operand(0).size(); ++i) y[i] = (k + 1) * x[i];
    }
  }
};

constexpr kt::term multiple(kt::term x, int of, int k) {
  return kt::core::output_of({x.of, x.of->apply<multiples>({x.id}, {of})}, k);
}
constexpr kt::dvector multiple(kt::dvector x, int of, int k) { return kt::dvector(multiple(kt::term(x), of, k)); }

constexpr auto squares = [](kt::dvector x) { return sqr(multiple(x, 6, 5)) + multiple(x, 6, 0) + multiple(x, 1, 0); };

}  // namespace

TEST_CASE("a node says how many outputs it has") {
  xt::xtensor<double, 1> const x{1, -2, 3};
  auto const f = kt::function(squares);
  CHECK((f(x) == 36 * x * x + 2 * x));
  auto const d = kt::function([](kt::dvector v) { return grad(sum(squares(v)), v); });
  CHECK((d(x) == 72 * x + 2));

  kt::runtime::graph g;
  auto const v = g.input<double, 1>("v");
  auto const h = g.function({v}, sqr(multiple(v, 6, 5)) + multiple(v, 6, 0));
  CHECK((h(x) == 36 * x * x + x));
}

TEST_CASE("an op whose nodes count their outputs needs a rule for batches") {
  constexpr bool refused = [] {
    kt::graph g;
    kt::dmatrix const x(kt::term{&g, g.input(kt::dmatrix::parameter_type, 0)});
    g.results().push_back(kt::vmap([](kt::dvector v) { return multiple(v, 2, 1); })(x).id);
    return g.error() == "kt::vmap: an op of the callable cannot be mapped";
  }();
  CHECK(refused);
}

TEST_CASE("an apply node has all outputs, and each knows its position") {
  auto const view = kt::graph_of([](kt::dvector x) { return multiple(x, 6, 5) - multiple(x, 6, 0) * multiple(x, 6, 3); });
  kt::apply_node const node = view.toposort()[0];
  CHECK(node.name() == "multiples");
  for (kt::apply_node const& other : view.toposort()) CHECK(other.name() != "item");
  auto const outputs = node.outputs();
  REQUIRE(outputs.size() == 6);
  for (int k = 0; k < 6; ++k) {
    kt::variable_node const& output = outputs[static_cast<std::size_t>(k)];
    CHECK(output.index() == k);
    CHECK(output.owner() == node);
    CHECK(output.clients().size() == (k == 0 || k == 3 || k == 5 ? 1u : 0u));
  }
  CHECK(outputs[5].clients()[0].first.name() == "sub");
  CHECK(outputs[3].clients()[0].first.name() == "mul");
}
