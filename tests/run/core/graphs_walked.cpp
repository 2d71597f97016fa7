// Walking graphs: what a temporary gives outlives it.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <type_traits>

namespace kt = kroton;

namespace {

constexpr auto norm = [](kt::dmatrix x, kt::dvector v) { return sum(sqr(dot(x, named(v, "v")))); };

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};

}  // namespace

TEST_CASE("nodes of a temporary graph keep it alive") {
  std::string ops;
  for (auto const& node : kt::graph_of(norm).toposort()) ops += std::string(node.name()) + ' ';
  CHECK(ops == "dot sqr sum ");

  auto const inputs = kt::graph_of(norm).inputs();
  REQUIRE(inputs.size() == 2);
  CHECK(inputs[0].type().rank == 2);
  CHECK(inputs[1].name() == "v");
  REQUIRE(inputs[1].clients().size() == 1);
  CHECK(inputs[1].clients()[0].second == 1);

  // Members have names; what is behind them is numbered in prints and errors alone.
  auto const behind = kt::graph_of([](layer p, kt::dvector x, kt::dvector v) { return dot(p.W, x) + p.b + named(v, "v"); }).inputs();
  REQUIRE(behind.size() == 4);
  CHECK(behind[0].name() == "W");
  CHECK(behind[1].name() == "b");
  CHECK(behind[2].name() == "");
  CHECK(behind[3].name() == "v");

  auto const output = kt::graph_of(norm).outputs()[0];
  auto const square = output.owner().inputs()[0];
  CHECK(square.owner().name() == "sqr");
  CHECK(square.owner().inputs()[0].owner().inputs()[0].is_input());
  CHECK(square.owner().outputs()[0] == square);
  CHECK_FALSE(output == kt::graph_of(norm).outputs()[0]);  // a node of another graph
}

TEST_CASE("clients are apply nodes, outputs and updates") {
  auto const view = kt::graph_of([](kt::dvector x, kt::dvector w) {
    auto y = exp(x);
    return kt::outputs(y, sum(y * y), x).update(w, y);
  });
  auto const y = view.outputs()[0];
  auto const readers = y.clients();
  REQUIRE(readers.size() == 4);
  int operands = 0;
  for (auto const& [node, position] : readers) {
    if (node.name() != "mul") continue;
    CHECK(position == operands++);
    CHECK(node.inputs()[0] == y);
  }
  CHECK(operands == 2);
  CHECK((readers[2].is_output() && !readers[2].is_update() && readers[2].position() == 0));
  CHECK((readers[3].is_update() && !readers[3].is_output() && readers[3].position() == 0));
  CHECK_FALSE((readers[0].is_update() || readers[0].is_output()));
  // The ends of a graph are nodes of ops of their own, which read one variable.
  for (kt::client const& reader : {readers[2], readers[3]}) {
    CHECK(reader.node().name() == (reader.is_output() ? "output" : "update"));
    CHECK(reader.node().op().name == reader.node().name());
    REQUIRE(reader.node().inputs().size() == 1);
    CHECK(reader.node().inputs()[0] == y);
    CHECK(reader.node().outputs().empty());
    CHECK(reader.node().attributes().empty());
    CHECK_FALSE(reader.node() == readers[0].node());
  }
  CHECK_FALSE(readers[2].node() == readers[3].node());

  auto const x = view.inputs()[0], w = view.inputs()[1];
  REQUIRE(x.clients().size() == 2);
  CHECK(x.clients()[0].node() == y.owner());
  CHECK((x.clients()[1].is_output() && x.clients()[1].second == 2));
  CHECK(w.clients().empty());
  CHECK(view.toposort().size() == 3);

  // A value that is two outputs has two such clients.
  auto const twice = kt::graph_of([](kt::dscalar a) { return std::tuple(a, a + 1, a); });
  auto const ends = twice.inputs()[0].clients();
  REQUIRE(ends.size() == 3);
  CHECK((ends[1].position() == 0 && ends[2].position() == 2));
}

TEST_CASE("optimized graphs are walked as temporaries, too") {
  auto const view = kt::graph_of([](kt::dvector x) { return log(1 + exp(x)) + 0 * x; });
  auto const output = kt::optimize(view, kt::stage::stabilize).outputs()[0];
  CHECK(output.owner().name() == "softplus");
  int results = 0;
  for (int id : kt::optimize(view.get(), kt::stage::canonicalize).results()) results += id >= 0;
  CHECK(results == 1);
  for (int id : kt::graph_of(norm).get().parameters()) results += id >= 0;
  CHECK(results == 3);
  kt::graph const& g = kt::graph_of(norm);
  CHECK(g.parameters().size() == 2);
  CHECK(kt::optimize(view.get(), kt::stage::stabilize)[0].op->name == "input");
}

TEST_CASE("parts of other temporaries outlive them") {
  std::string names;
  for (auto const& name : kt::runtime::parse("alpha_of_the_first_kind * x + y").variables()) names += name + ' ';
  CHECK(names == "alpha_of_the_first_kind x y ");
  auto const& text = kt::runtime::parse("alpha_of_the_first_kind * x + y").text();
  CHECK(text == "alpha_of_the_first_kind * x + y");
  std::size_t size = 1;
  for (std::size_t extent : kt::runtime::array(xt::xtensor<double, 2>{{1, 2, 3}, {4, 5, 6}}).shape()) size *= extent;
  CHECK(size == 6);

  kt::shared<layer> weights(xt::xtensor<double, 2>{{1, 2}, {3, 4}}, xt::xtensor<double, 1>{5, 6});
  auto const& W = kt::get<&layer::W>(weights.get_value());
  auto&& b = kt::get<1>(weights.get_value());
  auto const& all = weights.get_value().all();
  auto const& [W2, b2] = weights.get_value();
  CHECK(W == xt::xtensor<double, 2>{{1, 2}, {3, 4}});
  CHECK((b == xt::xtensor<double, 1>{5, 6}));
  CHECK(std::get<0>(all) == W);
  CHECK(W2 == W);
  CHECK(b2 == b);
}
