// Structs of variables: parameters, outputs, updates, and their values.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <boost/hana/define_struct.hpp>

#include <sstream>

using namespace reference;

namespace {

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};
// Members of every kind: a struct, a float vector, a row, integers.
struct network : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(network, (layer, hidden), (kt::fvector, w), (kt::drow, r), (kt::lscalar, steps));
};

kt::values<layer> const first(mat<double>{{1, 2, 3}, {4, 5, 6}}, vec<double>{0.5, -0.5, 0});
kt::values<network> some_network() { return kt::values<network>(first, vec<float>{1, 2, 4}, mat<double>{{10, 20, 30}}, 7); }

}  // namespace

TEST_CASE("the values of a struct are tuple-like, and made of one value for each member") {
  auto [W, b] = first;
  CHECK((W == mat<double>{{1, 2, 3}, {4, 5, 6}}));
  CHECK((b == vec<double>{0.5, -0.5, 0}));
  CHECK((kt::get<&layer::b>(first) == b));
  CHECK((kt::get<0>(first) == W));
  auto v = some_network();
  static_assert(std::tuple_size_v<kt::values<network>> == 4);
  static_assert(std::is_same_v<std::tuple_element_t<0, kt::values<network>>, kt::values<layer>>);
  static_assert(std::is_same_v<std::tuple_element_t<2, kt::values<network>>, mat<double>>);
  CHECK(kt::get<&network::steps>(v) == 7);
  kt::get<&network::steps>(v) = 9;
  kt::get<&layer::b>(kt::get<&network::hidden>(v))(1) = 42;
  CHECK(kt::get<3>(v) == 9);
  CHECK(kt::get<&layer::b>(kt::get<0>(v))(1) == 42);
  CHECK(kt::get<&layer::b>(first)(1) == -0.5);
  // Elements are converted; views, expressions and vectors will do.
  kt::values<layer> const converted(xt::transpose(mat<int>{{1, 2}, {3, 4}}), std::vector<float>{1, 2});
  CHECK((kt::get<&layer::W>(converted) == mat<double>{{1, 3}, {2, 4}}));
  CHECK((kt::get<&layer::b>(converted) == vec<double>{1, 2}));
  kt::values<layer> const nothing;
  CHECK(kt::get<&layer::b>(nothing).size() == 0);
  CHECK_THROWS_WITH(kt::values<layer>(xt::xarray<double>{1.}, b), "a tensor of rank 1 was passed where the rank must be 2");
}

TEST_CASE("a shared struct refers to its members' values") {
  kt::shared<network> s(first, vec<float>{1, 2, 4}, mat<double>{{10, 20, 30}}, 7);
  kt::shared<network> const same = s;
  auto const b = kt::get<&layer::b>(kt::get<&network::hidden>(s));
  static_assert(std::is_same_v<std::remove_const_t<decltype(b)>, kt::shared<double, 1>>);
  CHECK((b.get_value() == vec<double>{0.5, -0.5, 0}));
  s.set_value(first, vec<float>{8}, mat<double>{{1}}, std::int8_t{-1});
  CHECK(kt::get<&network::steps>(same.get_value()) == -1);
  CHECK((kt::get<&network::w>(same).get_value() == vec<float>{8}));
  auto [hidden, w, r, steps] = s.shape();
  CHECK((std::get<0>(hidden) == std::array<std::size_t, 2>{2, 3}));
  CHECK((w == std::array<std::size_t, 1>{1} && r == std::array<std::size_t, 2>{1, 1} && steps.size() == 0));
  kt::shared<network> const other(s.get_value());
  s.set_value(some_network());
  CHECK(kt::get<&network::steps>(other.get_value()) == -1);
  CHECK(kt::get<&network::steps>(same.get_value()) == 7);
  // A value of the wrong rank leaves all as they were.
  CHECK_THROWS_AS(s.set_value(first, vec<float>{8}, xt::xarray<double>{1., 2.}, 0), kt::shape_error);
  CHECK(kt::get<&network::w>(s.get_value()).size() == 3);
}

constexpr auto turn = [](kt::dvector x, network p) {
  auto y = dot(x, p.hidden.W) + p.hidden.b + p.r(0);
  auto next = network{{}, layer{{}, 2 * p.hidden.W, p.hidden.b + 1}, p.w, p.r, p.steps + 1};
  return kt::outputs(y, layer{{}, p.hidden.W, y}, p.steps).update(p, next);
};

TEST_CASE("a shared struct is updated as a whole; structs among several outputs") {
  kt::shared<network> s(some_network());
  auto f = kt::function(turn, s);
  auto [y, l, steps] = f(vec<double>{1, 10});
  CHECK((y == vec<double>{51.5, 71.5, 93}));
  static_assert(std::is_same_v<decltype(l), kt::values<layer>>);
  CHECK((kt::get<&layer::W>(l) == kt::get<&layer::W>(first)));
  CHECK((kt::get<&layer::b>(l) == y));
  CHECK(steps == 7);
  auto const [hidden, w, r, n] = s.get_value();
  CHECK((kt::get<&layer::W>(hidden) == mat<double>{{2, 4, 6}, {8, 10, 12}}));
  CHECK((kt::get<&layer::b>(hidden) == vec<double>{1.5, 0.5, 1}));
  CHECK((w == vec<float>{1, 2, 4}));
  CHECK((r == mat<double>{{10, 20, 30}}));
  CHECK(n == 8);
  // Into arrays of the caller, as a copy with its own workspace.
  auto g = f;
  vec<double> to;
  kt::values<layer> into_layer;
  std::int64_t into_steps = 0;
  g.into(std::tie(to, into_layer, into_steps), vec<double>{0, 0});
  CHECK((kt::get<&layer::W>(into_layer) == kt::get<&layer::W>(hidden)));
  CHECK((kt::get<&layer::b>(into_layer) == to));
  CHECK(into_steps == 8);
}

TEST_CASE("errors name the members, and nothing is updated") {
  kt::shared<network> s(some_network());
  auto f = kt::function(turn, s);
  CHECK_THROWS_WITH(f(vec<double>{1}), Catch::Contains("extent 0 of parameter 1 (dvector) is 1") && Catch::Contains("extent 0 of hidden.W is 2"));
  kt::get<&network::r>(s).set_value(mat<double>{{1, 2, 3}, {4, 5, 6}});
  CHECK_THROWS_WITH(f(vec<double>{1, 2}), "extent 0 of r is 2, but it must be 1");
  CHECK(kt::get<&network::steps>(s.get_value()) == 7);
  // Several structs: the number of the parameter tells them apart. A name that the lambda gives goes first.
  auto g = kt::function([](layer p, kt::dscalar a, layer q) {
    kt::named(q.b, "bias");
    return std::tuple(a * p.W + q.W, p.b + q.b);
  });
  kt::values<layer> const wide(mat<double>{{1, 2}}, vec<double>{0, 0, 0});
  std::string text;
  try {
    g(first, 1., wide);
  } catch (kt::shape_error const& e) {
    text = e.what();
  }
  INFO(text);
  CHECK(text.find("W of parameter 1 is 2") != std::string::npos);
  CHECK(text.find("W of parameter 3 is 1") != std::string::npos);
  CHECK_THROWS_WITH(g(first, 1., std::tuple(kt::get<0>(first), vec<double>{1, 2})),
                    Catch::Contains("b of parameter 1 is 3") && Catch::Contains("of bias is 2"));
}

TEST_CASE("arguments that are structs: kt::values, or a tuple of what any argument may be") {
  auto f = kt::function([](network p, kt::dscalar a) { return std::tuple(layer{{}, a * p.hidden.W, p.hidden.b * p.r(0)}, sum(p.w) + cast<float>(p.steps)); });
  auto const v = some_network();
  auto [scaled, total] = f(v, 2.);
  CHECK((kt::get<&layer::W>(scaled) == mat<double>{{2, 4, 6}, {8, 10, 12}}));
  CHECK((kt::get<&layer::b>(scaled) == vec<double>{5, -10, 0}));
  CHECK(total == 14);
  mat<double> const W{{1, 2, 3}, {4, 5, 6}};
  auto again = f(std::tuple(std::tuple(xt::view(W, xt::all(), xt::range(0, 2)), vec<double>{1, 2}), std::vector<float>{}, mat<double>{{3, 4}}, 1), 1.);
  CHECK((kt::get<&layer::W>(std::get<0>(again)) == mat<double>{{1, 2}, {4, 5}}));
  CHECK((kt::get<&layer::b>(std::get<0>(again)) == vec<double>{3, 8}));
  CHECK(std::get<1>(again) == 1);
}

TEST_CASE("a struct as the only output, from parameters that are none, and of a generic lambda") {
  auto f = kt::function<kt::dmatrix, kt::dvector>([](auto W, auto b) { return layer{{}, W + 1, -b}; });
  auto const [W, b] = f(mat<double>{{1, 2}}, vec<double>{3});
  CHECK((W == mat<double>{{2, 3}}));
  CHECK((b == vec<double>{-3}));
  kt::values<layer> v;
  f.into(v, mat<double>{{1, 2}}, vec<double>{4});
  CHECK((kt::get<&layer::b>(v) == vec<double>{-4}));
  auto h = kt::function<layer>([](auto p) { return sum(p.W) * p.b; });
  CHECK((h(first) == vec<double>{10.5, -10.5, 0}));
  // A lambda that only updates, one member alone.
  kt::shared<layer> s(first);
  auto reset = kt::function([](layer p) { return kt::outputs().update(p.b, zeros_like(p.b)); }, s);
  static_assert(std::is_void_v<decltype(reset())>);
  reset();
  CHECK((kt::get<&layer::b>(s).get_value() == vec<double>{0, 0, 0}));
  CHECK((kt::get<&layer::W>(s).get_value() == kt::get<&layer::W>(first)));
}

TEST_CASE("prints name the members") {
  std::ostringstream out;
  kt::debugprint([](network p) { return sum(p.hidden.W) + sum(p.w); }, out);
  CHECK(out.str().find("hidden.W (dmatrix)") != std::string::npos);
  CHECK(out.str().find("w (fvector)") != std::string::npos);
  std::ostringstream plan;
  kt::debugprint(kt::function([](layer p) { return dot(p.b, p.W.T()); }), plan, kt::shape(4, 5), kt::shape(5));
  CHECK(plan.str().find("plan for (4, 5), (5)") != std::string::npos);
  CHECK(kt::graph_of<layer>([](auto p) { return p.W + p.b; }).inputs().size() == 2);
}

constexpr auto of_struct = [](layer p) { return layer{{}, p.W + p.W, p.b}; };
constexpr auto of_members = [](kt::dmatrix W, kt::dvector b) { return std::tuple(2 * W, b); };
static_assert(std::is_same_v<kt::canonical<of_struct>, kt::canonical<of_members>>);
