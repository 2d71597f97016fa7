// Several values in one file: a model, its streams and its progress, saved and restored together.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/files/refused.hpp"
#include "run/reference.hpp"
#include "run/temporary_folder.hpp"

#include <boost/hana/define_struct.hpp>
#include <kroton/npz.hpp>

using namespace reference;
using testing::refused;

namespace {

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};
struct network : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(network, (kt::csr<double>, graph));
};
struct turned_network : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(turned_network, (kt::csc<double>, graph));
};

}  // namespace

TEST_CASE("a run goes on with the numbers it would have drawn") {
  temporary_folder const folder;
  auto const file = folder.path("run.npz");
  kt::shared<layer> model(mat<double>{{1, 2}}, vec<double>{0, 0});
  kt::philox_streams noise(7);
  kt::random_streams choices(8);
  kt::mrg_random_streams steps(9);
  kt::csr_array<double> graph{vec<double>{1, 2}, std::vector{0, 2}, std::vector{0, 1, 2}, {2, 3}};
  int epoch = 3;
  auto f = kt::function(
      [](kt::rng r, kt::rng s, kt::rng t, layer p) {
        auto walk = scan([=](kt::dscalar at) { return at + t.normal(kt::size()); },
                         kt::outputs_info(0.0), kt::n_steps(p.b.shape(0)));
        auto b = p.b + r.normal(2) + s.uniform(2) + walk + t.uniform(2);
        return kt::outputs(b).update(p.b, b);
      },
      noise, choices, steps, model);
  f();
  kt::save(file, kt::entry("model", model), kt::entry("noise", noise),
           kt::entry("choices", choices), kt::entry("steps", steps), kt::entry("epoch", epoch),
           kt::entry("graph", graph));
  vec<double> const next = f();

  f();
  graph = {}, epoch = 0;
  auto const everything = [&](char const* stream) {
    kt::load(file, kt::entry("noise", noise), kt::entry("epoch", epoch), kt::entry("model", model),
             kt::entry("graph", graph), kt::entry("steps", steps), kt::entry(stream, choices));
  };
  everything("choices");
  CHECK(epoch == 3);
  CHECK((graph.data() == vec<double>{1, 2}));
  CHECK(graph.shape() == std::array<std::size_t, 2>{2, 3});
  CHECK((vec<double>(f()) == next));
  CHECK((kt::load<double, 2>(file, "model.W") == mat<double>{{1, 2}}));

  // A state of another stream is refused, and nothing changes, not even the first stream.
  auto const state = noise.get_state();
  epoch = 4;
  CHECK_THROWS_AS(everything("noise"), kt::value_error);
  CHECK_THROWS_AS(everything("none"), kt::file_error);
  CHECK(epoch == 4);
  CHECK((noise.get_state() == state));
  CHECK((kt::get<&layer::b>(model).get_value() == next));

  // Arrays that are no matrix.
  vec<double> const one{1};
  vec<int> const place{5}, bounds{0, 1};
  kt::save(file, kt::entry("graph.data", one), kt::entry("graph.indices", place),
           kt::entry("graph.indptr", bounds), kt::entry("graph.extent", 3));
  CHECK_THROWS_AS(kt::load(file, kt::entry("graph", graph)), kt::file_error);
  CHECK(graph.size() == 2);
  kt::values<network> links(graph);
  CHECK_THROWS_AS(links.load(file), kt::file_error);
  CHECK(kt::get<0>(links).size() == 2);
}

TEST_CASE("sparse matrices in files of several values stay by rows or by columns") {
  temporary_folder const folder;
  auto const file = folder.path("a.npz");
  kt::csr_array<double> rows;
  kt::csc_array<double> columns{vec<double>{5, 7}, std::vector{1, 1}, std::vector{0, 1, 2}, {2, 2}};
  mat<double> const dense = columns.to_dense();
  kt::values<turned_network> const net(columns);
  std::string const turned = "graph.format is csc, but csr is required";
  auto const check = [&](std::string const& prefix, auto const& load, auto const& load_turned) {
    CHECK(refused(load_turned) == file + ": " + prefix + turned);
    CHECK(rows.size() == 0);
    columns = {};
    load();
    CHECK((columns.to_dense() == dense));
  };
  kt::save(file, kt::entry("graph", columns));
  check("", [&] { kt::load(file, kt::entry("graph", columns)); },
        [&] { kt::load(file, kt::entry("graph", rows)); });
  kt::values<turned_network> read;
  kt::values<network> read_turned;
  auto const members = [&] {
    rows = kt::get<0>(read_turned);
    columns = kt::get<0>(read);
  };
  kt::save(file, kt::entry("net", net));
  check("net.", [&] { kt::load(file, kt::entry("net", read)), members(); },
        [&] { kt::load(file, kt::entry("net", read_turned)); });
  net.save(file);
  check("", [&] { read.load(file), members(); }, [&] { read_turned.load(file); });

  // Files that say nothing are read as they were; a negative extent is none, also of no values.
  auto const write = [&](std::int64_t extent) {
    vec<double> const none(std::array<std::size_t, 1>{0});
    kt::save(file, kt::entry("graph.data", none), kt::entry("graph.indices", vec<int>(none)),
             kt::entry("graph.indptr", vec<int>{0, 0}), kt::entry("graph.extent", extent));
    return refused([&] { kt::load(file, kt::entry("graph", rows)); });
  };
  CHECK(write(5) == "");
  CHECK(write(-6) == file + ": graph holds no sparse matrix: its extent is -6");
  CHECK(rows.shape() == std::array<std::size_t, 2>{1, 5});
}

TEST_CASE("two values of one name are refused, and the older file stays") {
  temporary_folder const folder;
  auto const file = folder.path("x.npz");
  double x = 1;
  kt::csc_array<double> const a;
  kt::save(file, kt::entry("x", x));
  CHECK(refused([&] { kt::save(file, kt::entry("x", 2.), kt::entry("x", 3.)); }) ==
        file + " would hold x.npy twice");
  CHECK(refused([&] { kt::save(file, kt::entry("a", a), kt::entry("a.data", 3.)); }) ==
        file + " would hold a.data.npy twice");
  x = 0;
  kt::load(file, kt::entry("x", x));
  CHECK(x == 1);
}
