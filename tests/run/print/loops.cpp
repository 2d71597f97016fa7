// Loops in prints: their states and how many rows they keep, and their steps.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace kt = kroton;

namespace {

template <class F>
std::string printed(F const& f) {
  std::ostringstream out;
  kt::debugprint(f, out);
  return out.str();
}

constexpr auto last_of_two = [](kt::dmatrix x, kt::dmatrix start, kt::dvector h) {
  auto [a, b, c] = scan(
      [](auto e, auto before, auto last, auto h) { return std::tuple(e * before + last, tanh(h), sum(h)); }, kt::sequences(x),
      kt::outputs_info(kt::taps<-3, -1>(start), h, kt::none));
  return std::tuple(a, b(-1), c);
};

}  // namespace

TEST_CASE("debugprint: a loop, its states, and the rows that they keep", "[loops][printing]") {
  std::string const written = printed(last_of_two);
  CHECK_THAT(written, Catch::Contains("scan{for, body 1, 1 sequence, mit_sot(-3,-1) all rows, sit_sot all rows, nit_sot all rows}"));
  CHECK_THAT(written, Catch::Contains("body 1\n  output 1"));
  // The state of which the last value alone is read has two rows: the last one and the new one.
  std::string const made = printed(kt::function(last_of_two));
  CHECK_THAT(made, Catch::Contains("mit_sot(-3,-1) all rows, shared 2 rows, nit_sot all rows}"));
  CHECK_THAT(printed([](kt::dvector x) { return scan([](auto e) { return kt::until(e > 1, e); }, kt::sequences(x)); }),
             Catch::Contains("scan{until, body 1, 1 sequence, nit_sot all rows}"));
  CHECK_THAT(printed([](kt::dvector x) {
               return scan([](auto e, auto s) { return e * s; }, kt::sequences(x), kt::outputs_info(1.0), kt::truncate_gradient(7));
             }),
             Catch::Contains("sit_sot all rows, truncated 7}"));
}

TEST_CASE("debugprint: why the steps of a loop are run in frames", "[loops][printing]") {
  auto const in_frames = [](auto const& f, auto const&... shapes) {
    std::ostringstream out;
    kt::debugprint(f, out, shapes...);
    std::string const text = out.str();
    auto const at = text.find("steps in frames, since ");
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  auto const nested = kt::function([](kt::tensor3<double> x, kt::dvector s) {
    return scan([](auto e, auto s) { return foldl([](auto a, auto b) { return sin(a + b); }, kt::sequences(e), kt::outputs_info(s)); },
                kt::sequences(x), kt::outputs_info(s));
  });
  auto const of_numbers = kt::function([](kt::dmatrix x, kt::dvector s) {
    return scan([](auto e, auto s) { return s + scan([](auto a, auto b) { return sin(a + b); }, kt::sequences(e), kt::outputs_info(0.)); },
                kt::sequences(x), kt::outputs_info(s));
  });
  auto const small = kt::function([](kt::dmatrix x, kt::dvector s) {
    return scan([](auto e, auto s) { return set_subtensor(s(argmax(s + e)), s(0)); }, kt::sequences(x), kt::outputs_info(s));
  });
  auto const numbers = kt::function([](kt::dvector x) {
    return foldl([](auto e, auto s) { return tanh(s + e); }, kt::sequences(x), kt::outputs_info(0.));
  });
  if constexpr (kt::functions::default_mode::run == kt::execution::compiled) {
    CHECK(in_frames(nested) == "steps in frames, since a scan keeps the memory of its steps (scan)");
    CHECK(in_frames(nested, kt::shape(3, 2, 4), kt::shape(4)) == in_frames(nested));
    CHECK(in_frames(of_numbers) == "");
    CHECK(in_frames(small) == "");
    CHECK(in_frames(numbers) == "");
    std::ostringstream out;
    kt::debugprint(small, out, kt::shape(3, 4), kt::shape(4));
    kt::debugprint(numbers, out, kt::shape(3));
    CHECK_THAT(out.str(), Catch::Contains("small steps without the frame") && Catch::Contains("steps as functions of numbers"));
  }
}

TEST_CASE("scan_args: kept rows", "[loops]") {
  auto const rows = [](kt::graph const& g) {
    for (auto const& node : kt::graph_view(g).toposort())
      if (node.name() == "scan") {
        kt::scan_args const args(node);
        std::vector<int> kept;
        for (std::size_t k = 0; k < args.outer_outputs().size(); ++k) kept.push_back(args.kept_rows(static_cast<int>(k)));
        return kept;
      }
    return std::vector<int>{};
  };
  kt::graph const written = kt::graph_of(last_of_two);
  CHECK(rows(written) == std::vector<int>{-1, -1, -1});
  CHECK(rows(kt::optimize(written, kt::stage::specialize)) == std::vector<int>{-1, -1, 2});
}

TEST_CASE("dotprint: the step of a loop is a cluster", "[loops][printing]") {
  std::string const file = std::filesystem::temp_directory_path() / "kroton_loop_as_a_picture.dot";
  kt::dotprint(kt::graph_of([](kt::dvector x) { return scan([](auto e, auto s) { return e * s; }, kt::sequences(x), kt::outputs_info(1.0)); }),
               file);
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  std::filesystem::remove(file);
  CHECK_THAT(text.str(), Catch::Contains("subgraph cluster_n"));
  CHECK_THAT(text.str(), Catch::Contains("[style=dashed]"));
  long depth = 0, least = 0;
  for (char c : text.str()) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    least = std::min(least, depth);
  }
  CHECK(depth == 0);
  CHECK(least == 0);
}
