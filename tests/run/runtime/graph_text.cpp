// Graphs as text: written and read back, they compute the same.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <limits>
#include <sstream>

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

namespace {

std::string text_of(kt::runtime::graph const& g, std::vector<kt::term> const& inputs,
                    std::vector<kt::term> const& outputs) {
  std::ostringstream text;
  g.write(text, inputs, outputs);
  return text.str();
}
struct copy {
  explicit copy(std::string const& text) {
    std::istringstream from(text);
    terms = g.read(from);
  }
  auto operator()(auto const&... x) const { return g.function(terms.inputs, terms.outputs)(x...); }

  kt::runtime::graph g{};
  kt::runtime::read_terms terms{};
};

}  // namespace

TEST_CASE("a graph that is read computes what the written one does", "[text]") {
  kt::runtime::graph g;
  auto const x = g.input<double, 2>("the \"data\"");
  auto const w = g.input<double, 1>("w");
  auto const r = g.input<kt::frow>();
  auto const cost = sum(sqr(tanh(dot(x, w)) - 0.1)) + kt::cast<double>(sum(exp(r)));
  std::vector<kt::term> const inputs{x, w, r},
      outputs{cost, grad(cost, w), sort(w),
              where(w > 0, w, std::numeric_limits<double>::infinity())};
  std::string const text = text_of(g, inputs, outputs);
  copy const again(text);
  CHECK(text_of(again.g, again.terms.inputs, again.terms.outputs) == text);

  matrix const a{{1, 2}, {-0.5, 3}};
  vector const b{0.25, -1};
  xt::xtensor<float, 2> const c{{1, 2, 3}};
  auto const expected = g.function(inputs, outputs)(a, b, c), got = again(a, b, c);
  REQUIRE(got.size() == 4);
  CHECK(got[0].as<double, 0>() == expected[0].as<double, 0>());
  for (std::size_t k = 1; k < 4; ++k) CHECK((got[k].as<double, 1>() == expected[k].as<double, 1>()));
  CHECK_THROWS_WITH(again(a, vector{1, 2, 3}, c), Catch::Contains("w"));
}

TEST_CASE("loops and optimized functions as text", "[text]") {
  kt::runtime::graph g;
  auto const x = g.input<double, 1>("x");
  auto const state =
      scan([](auto e, auto s) { return 0.5 * s + e * e; }, kt::sequences(x), kt::outputs_info(0.));
  auto const f = g.function({x}, std::tuple(state, grad(sum(state), x)));
  vector const at{1, -2, 3, 0.5};
  auto const [states, slopes] = f(at);

  copy const written(text_of(g, {x}, {state, grad(sum(state), x)}));
  auto const got = written(at);
  CHECK((got[0].as<double, 1>() == states));
  CHECK((got[1].as<double, 1>() == slopes));

  std::ostringstream optimized;
  f.write(optimized);
  copy const second(optimized.str());
  auto const later = second(at);
  CHECK(xt::allclose(later[0].as<double, 1>(), states, 1e-15));
  CHECK(xt::allclose(later[1].as<double, 1>(), slopes, 1e-15));
}

TEST_CASE("a text that is not a graph is refused with the number of its line", "[text]") {
  auto const refused = [](char const* text) {
    std::istringstream from(text);
    kt::runtime::graph g;
    try {
      g.read(from);
    } catch (kt::value_error const& e) { return std::string(e.what()); }
    return std::string("read");
  };
  using Catch::Contains;
  CHECK_THAT(refused(""), Contains("the text ends"));
  CHECK_THAT(refused("hello"), Contains("line 1") && Contains("begins with"));
  std::string const head = "kroton graph 1\n0 = input float64[?] : 0 \"x\"\n";
  auto const after = [&](char const* rest) { return refused((head + rest).c_str()); };
  CHECK(after("parameters 0\nresult 0\nend\n") == "read");
  CHECK_THAT(after("1 = sine float64[?] 0\n"), Contains("line 3") && Contains("sine"));
  CHECK_THAT(after("1 = sin float64[?] 1\n"), Contains("no node 1"));
  CHECK_THAT(after("1 = sin float64[?] 0 0\n"), Contains("sin takes 1 operands, not 2"));
  CHECK_THAT(after("1 = sin float65[?] 0\n"), Contains("float65"));
  CHECK_THAT(after("1 = sin float64[?,2] 0\n"), Contains("is not a type"));
  CHECK_THAT(after("2 = sin float64[?] 0\n"), Contains("node 1 is missing"));
  CHECK_THAT(after("1 = literal float64[] : one\n"), Contains("\"one\" is not a number"));
  CHECK_THAT(after("1 = scan float64[?] 0 : body 0 1\n"), Contains("no such body"));
  CHECK_THAT(after("parameters 0\nresult 0\n"), Contains("the text ends"));
  CHECK_THAT(after("result 0 0\n"), Contains("follows"));
}
