// Scans taken apart by Theano's names: their parts, the tables between positions, and connections.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <map>
#include <string_view>
#include <vector>

namespace kt = kroton;

namespace {

using one = std::map<int, int>;
using several = std::map<int, std::vector<int>>;
using slices = std::vector<std::vector<int>>;
using pattern = std::vector<std::vector<bool>>;

kt::scan_args scan_in(kt::graph_view const& g) {
  for (kt::apply_node const& node : g.toposort())
    if (node.name() == "scan") return kt::scan_args(node);
  throw kt::value_error("no scan");
}
template <class F>
kt::scan_args args_of(F const& f) {
  return scan_in(kt::graph_of(f));
}

constexpr auto two_states = [](kt::dvector a, kt::dvector b) {
  return scan([](auto a2, auto a1, auto b2, auto b1) { return std::tuple(a2 + a1, b2 * b1); },
              kt::outputs_info(kt::taps<-2, -1>(a), kt::taps<-2, -1>(b)), kt::n_steps(2));
};
constexpr auto sequence_and_state = [](kt::dvector x, kt::dvector a) {
  return scan([](auto e, auto a2, auto a1) { return e * a2 + a1; }, kt::sequences(x),
              kt::outputs_info(kt::taps<-2, -1>(a)));
};

}  // namespace

TEST_CASE("scan_args: parts by their names", "[loops]") {
  kt::scan_args const args = args_of([](kt::dmatrix x, kt::dmatrix m, kt::dvector s, kt::dscalar c) {
    return scan([&](auto e, auto m3, auto m1, auto s1, auto c) { return std::tuple(sum(s1), m3 + m1 * c, s1 + e); },
                kt::sequences(x), kt::outputs_info(kt::none, kt::taps<-3, -1>(m), s), kt::non_sequences(c));
  });
  // In the graph around it.
  CHECK(args.n_steps().owner().name() == "extent");
  REQUIRE(args.outer_in_seqs().size() == 1);
  CHECK(args.outer_in_seqs()[0].is_input());
  REQUIRE(args.outer_in_mit_sot().size() == 1);
  CHECK(args.outer_in_mit_sot()[0].type().rank == 2);
  REQUIRE(args.outer_in_sit_sot().size() == 1);
  CHECK(args.outer_in_sit_sot()[0].type().rank == 1);
  REQUIRE(args.outer_in_nit_sot().size() == 1);
  CHECK(args.outer_in_nit_sot()[0] == args.n_steps());
  REQUIRE(args.outer_in_non_seqs().size() == 1);
  CHECK(args.outer_in_non_seqs()[0].type().rank == 0);
  CHECK(args.outer_in_mit_mot().empty());
  CHECK(args.outer_in_shared().empty());
  CHECK(args.outer_inputs().size() == 6);
  REQUIRE(args.outer_outputs().size() == 3);
  CHECK(args.outer_out_mit_mot().empty());
  CHECK(args.outer_out_mit_sot().at(0) == args.outer_outputs()[0]);
  CHECK(args.outer_out_sit_sot().at(0) == args.outer_outputs()[1]);
  CHECK(args.outer_out_nit_sot().at(0) == args.outer_outputs()[2]);
  CHECK(args.outer_out_shared().empty());
  // In the body.
  std::vector<kt::variable_node> const inputs = args.inner_inputs(), outputs = args.inner_outputs();
  REQUIRE(inputs.size() == 5);
  REQUIRE(outputs.size() == 3);
  CHECK(args.inner_in_seqs().at(0) == inputs[0]);
  CHECK(args.inner_in_mit_mot().empty());
  REQUIRE(args.inner_in_mit_sot().size() == 1);
  CHECK((args.inner_in_mit_sot()[0] == std::vector{inputs[1], inputs[2]}));
  CHECK(args.inner_in_sit_sot().at(0) == inputs[3]);
  CHECK(args.inner_in_shared().empty());
  CHECK(args.inner_in_non_seqs().at(0) == inputs[4]);
  CHECK(args.inner_out_mit_mot().empty());
  CHECK(args.inner_out_mit_sot().at(0).owner().name() == "add");
  CHECK(args.inner_out_sit_sot().at(0) == outputs[1]);
  CHECK(args.inner_out_nit_sot().at(0).owner().name() == "sum");
  CHECK(args.inner_out_shared().empty());
  CHECK(args.inner().inputs() == inputs);
  CHECK(args.inner().outputs() == outputs);
  CHECK(args.inner().toposort().size() == 4);
  CHECK(inputs[3].clients().size() == 2);
  CHECK(args.mit_sot_in_slices() == slices{{-3, -1}});
  CHECK(args.mit_mot_in_slices().empty());
  CHECK(args.mit_mot_out_slices().empty());
  CHECK(args.cond().empty());
}

TEST_CASE("scan_args: only of scans, written or optimized", "[loops]") {
  auto const view = kt::graph_of([](kt::dvector x) { return sum(x); });
  CHECK_THROWS_WITH(kt::scan_args(view.toposort()[0]), "kt::scan_args: the op of the node is sum, not scan");
  kt::graph_view const written = kt::graph_of([](kt::dvector x, kt::dscalar a, kt::dscalar b) {
    return scan([](auto e, auto s, auto) { return tanh(s) * e; }, kt::sequences(x), kt::outputs_info(a), kt::non_sequences(b));
  });
  CHECK(scan_in(written).outer_in_non_seqs().size() == 1);
  kt::scan_args const optimized = scan_in(kt::optimize(written, kt::stage::specialize));
  CHECK(optimized.outer_in_non_seqs().empty());
  CHECK(optimized.outer_in_sit_sot().size() + optimized.outer_in_shared().size() == 1);
  // A scan in a body.
  kt::scan_args const outer = args_of([](kt::dmatrix x) {
    return map([](auto row) { return scan([](auto e, auto s) { return s + e; }, kt::sequences(row), kt::outputs_info(0.0)); },
               kt::sequences(x));
  });
  CHECK(scan_in(outer.inner()).outer_in_seqs() == outer.inner_in_seqs());
}

TEST_CASE("scan_args: states of folds keep their last values", "[loops]") {
  kt::scan_args const args = args_of([](kt::dvector x, kt::dscalar s) {
    return foldl([](auto e, auto s) { return std::tuple(s + e, e); }, kt::sequences(x), kt::outputs_info(s, kt::none));
  });
  REQUIRE(args.outer_in_shared().size() == 1);
  CHECK(args.outer_out_shared().at(0) == args.outer_outputs()[1]);
  CHECK(args.outer_out_shared()[0].type().rank == 0);
  CHECK(args.outer_out_nit_sot().at(0) == args.outer_outputs()[0]);
  CHECK(args.inner_in_shared().at(0) == args.inner_inputs()[1]);
  CHECK(args.inner_out_shared().at(0) == args.inner_outputs()[1]);
  CHECK(args.inner_out_nit_sot().at(0) == args.inner_in_seqs()[0]);
}

TEST_CASE("scan_args: tables of states with two taps", "[loops]") {
  auto two = args_of(two_states).var_mappings();
  CHECK(two.outer_inp_from_outer_out == one{{0, 1}, {1, 2}});
  CHECK(two.outer_inp_from_inner_inp == one{{0, 1}, {1, 1}, {2, 2}, {3, 2}});
  CHECK(two.inner_inp_from_outer_out == several{{0, {0, 1}}, {1, {2, 3}}});
  CHECK(two.outer_out_from_outer_inp == one{{0, -1}, {1, 0}, {2, 1}});
  auto mixed = args_of(sequence_and_state).var_mappings();
  CHECK(mixed.outer_inp_from_outer_out == one{{0, 2}});
  CHECK(mixed.outer_inp_from_inner_inp == one{{0, 1}, {1, 2}, {2, 2}});
}

TEST_CASE("scan_args: tables of a loop with every kind", "[loops]") {
  kt::scan_args const args = args_of([](kt::dvector x, kt::dvector m, kt::dscalar s, kt::dscalar c, kt::dscalar w) {
    return scan(
        [&](auto e, auto m3, auto m1, auto s, auto c) {
          return kt::outputs(m3 + m1 + e, s * c, s + e).update(w, w + 1);
        },
        kt::sequences(x), kt::outputs_info(kt::taps<-3, -1>(m), s, kt::none), kt::non_sequences(c));
  });
  auto const t = args.var_mappings();
  CHECK(t.inner_inp_from_outer_inp == several{{0, {}}, {1, {0}}, {2, {1, 2}}, {3, {3}}, {4, {4}}, {5, {}}, {6, {5}}});
  CHECK(t.inner_out_from_outer_inp == several{{0, {}}, {1, {}}, {2, {0}}, {3, {1}}, {4, {3}}, {5, {2}}, {6, {}}});
  CHECK(t.outer_out_from_outer_inp == one{{0, -1}, {1, -1}, {2, 0}, {3, 1}, {4, 3}, {5, 2}, {6, -1}});
  CHECK(t.outer_inp_from_inner_inp == one{{0, 1}, {1, 2}, {2, 2}, {3, 3}, {4, 4}, {5, 6}});
  CHECK(t.inner_out_from_inner_inp == several{{0, {}}, {1, {0}}, {2, {0}}, {3, {1}}, {4, {3}}, {5, {}}});
  CHECK(t.outer_out_from_inner_inp == one{{0, -1}, {1, 0}, {2, 0}, {3, 1}, {4, 3}, {5, -1}});
  CHECK(t.outer_inp_from_inner_out == one{{0, 2}, {1, 3}, {2, 5}, {3, 4}});
  CHECK(t.inner_inp_from_inner_out == several{{0, {1, 2}}, {1, {3}}, {2, {}}, {3, {4}}});
  CHECK(t.outer_out_from_inner_out == one{{0, 0}, {1, 1}, {2, 2}, {3, 3}});
  CHECK(t.outer_inp_from_outer_out == one{{0, 2}, {1, 3}, {2, 5}, {3, 4}});
  CHECK(t.inner_inp_from_outer_out == several{{0, {1, 2}}, {1, {3}}, {2, {}}, {3, {4}}});
  CHECK(t.inner_out_from_outer_out == several{{0, {0}}, {1, {1}}, {2, {2}}, {3, {3}}});
  // The shared one is the last of the outputs, of which the node keeps the final value.
  CHECK(args.outer_in_shared().at(0) == args.outer_inputs()[4]);
  CHECK(args.outer_out_shared().at(0) == args.outer_outputs()[3]);
  CHECK(args.outer_out_shared()[0].type().rank == 0);
  CHECK(args.outer_out_nit_sot().at(0).type().rank == 1);
  CHECK(args.inner_out_shared().at(0) == args.inner_outputs()[3]);
}

TEST_CASE("scan_args: connections of six equal sums", "[loops]") {
  kt::scan_args const args = args_of([](kt::dvector a, kt::dvector b, kt::dscalar c, kt::dscalar d) {
    return scan(
        [](auto c, auto d, auto a2, auto a1, auto b2, auto b1) {
          auto s = c + d + a2 + a1 + b2 + b1;
          return std::tuple(s, s, s, s, s, s);
        },
        kt::outputs_info(kt::none, kt::none, c, d, kt::taps<-2, -1>(a), kt::taps<-2, -1>(b)), kt::n_steps(10));
  });
  pattern wanted(7, std::vector<bool>(6, false));
  for (std::size_t row : {1u, 2u, 3u, 4u}) wanted[row] = std::vector<bool>(6, true);
  CHECK(args.connection_pattern() == wanted);
  CHECK(args.inner_connection_pattern() == pattern(6, std::vector<bool>(6, true)));
}

TEST_CASE("scan_args: connections through earlier steps", "[loops]") {
  // x feeds y, and the y of the step before feeds z.
  kt::scan_args const args = args_of([](kt::dvector x, kt::dscalar y, kt::dscalar z, kt::dscalar alone) {
    return scan([](auto e, auto y, auto z, auto alone) { return std::tuple(y * e, z + y, sqr(alone), alone + 1); },
                kt::sequences(x), kt::outputs_info(y, z, alone, kt::none));
  });
  CHECK(args.inner_connection_pattern() ==
        pattern{{1, 0, 0, 0}, {1, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 1}});
  CHECK(args.connection_pattern() ==
        pattern{{0, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 0, 0}});
  // Extents and indices do not connect.
  kt::scan_args const by_position = args_of([](kt::dvector x, kt::lvector at, kt::dmatrix m) {
    return map([](auto i, auto x, auto m) { return std::tuple(x(i) * m.shape(0), zeros_like(m(0))); }, kt::sequences(at),
               kt::non_sequences(x, m));
  });
  CHECK(by_position.inner_connection_pattern() == pattern{{0, 0}, {1, 0}, {0, 0}});
  // A loop in a loop connects what it connects.
  kt::scan_args const nested = args_of([](kt::dmatrix x, kt::dscalar s, kt::dscalar t) {
    return map(
        [](auto row, auto s, auto t) {
          auto [a, b] = scan([](auto e, auto a, auto b) { return std::tuple(a + 1, b * e); }, kt::sequences(row), kt::outputs_info(s, t));
          return std::tuple(a, b);
        },
        kt::sequences(x), kt::non_sequences(s, t));
  });
  CHECK(nested.inner_connection_pattern() == pattern{{0, 1}, {1, 0}, {0, 1}});
}

TEST_CASE("scan_args: the loop of a gradient", "[loops]") {
  auto const g = kt::graph_of([](kt::dvector x, kt::dvector a) { return grad(sum(sequence_and_state(x, a)), x, a); });
  std::vector<kt::scan_args> loops;
  for (kt::apply_node const& node : g.toposort())
    if (node.name() == "scan") loops.emplace_back(node);
  REQUIRE(loops.size() == 2);
  kt::scan_args const& reverse = loops[1];
  // What is pending for the state before and for the one before that; the gradient of each element.
  CHECK(reverse.outer_in_shared().size() == 2);
  CHECK(reverse.outer_in_mit_mot().empty());
  CHECK(reverse.outer_out_nit_sot().size() == 1);
  pattern const connected = reverse.connection_pattern();
  REQUIRE(connected.size() == reverse.outer_inputs().size());
  CHECK(connected[0] == std::vector<bool>(3, false));
  int const first = static_cast<int>(reverse.outer_in_seqs().size()) + 1;
  for (int i = first; i < first + 2; ++i) CHECK(connected[static_cast<std::size_t>(i)] == std::vector<bool>(3, true));
  // Positions in all tables are those of the lists.
  kt::scan_mappings const tables = reverse.var_mappings();
  CHECK(tables.outer_out_from_outer_inp.size() == reverse.outer_inputs().size());
  CHECK(tables.outer_inp_from_inner_inp.size() == reverse.inner_inputs().size());
  CHECK(tables.outer_out_from_inner_out.size() == reverse.inner_outputs().size());
  CHECK(tables.outer_inp_from_outer_out.size() == reverse.outer_outputs().size());
  for (auto [inner, outer] : tables.outer_inp_from_inner_inp)
    CHECK(reverse.inner_inputs()[static_cast<std::size_t>(inner)].type().element ==
          reverse.outer_inputs()[static_cast<std::size_t>(outer)].type().element);
}

TEST_CASE("an apply node has all outputs, used or not", "[loops]") {
  auto const view = kt::graph_of([](kt::dmatrix x) { return std::get<1>(qr(x)); });
  kt::apply_node const node = view.outputs()[0].owner();
  CHECK(node.name() == "qr");
  REQUIRE(node.outputs().size() == 2);
  CHECK(node.outputs()[1] == view.outputs()[0]);
  CHECK(view.outputs()[0].index() == 1);
  CHECK(node.outputs()[0].index() == 0);
  CHECK(node.outputs()[0].owner() == node);
  auto const first = kt::graph_of([](kt::dmatrix x) { return std::get<0>(qr(x)); });
  kt::apply_node const again = first.outputs()[0].owner();
  REQUIRE(again.outputs().size() == 2);
  CHECK(again.outputs()[1].index() == 1);
  CHECK(again.outputs()[1].owner() == again);
  CHECK(again.outputs()[1].clients().empty());
  for (kt::apply_node const& other : first.toposort()) CHECK(other.name() != "item");
}
