// Targets of into that share memory, with each other or with a shared variable that the call updates, and targets of another size:
// refused before anything is written.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <boost/hana/define_struct.hpp>

using namespace reference;
using Catch::Contains;
using I = std::size_t;

namespace {

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};

constexpr auto two_lengths = [](kt::dvector x) { return std::tuple(x * 2, concatenate(x, x + 1)); };
constexpr auto one_length = [](kt::dvector x) { return std::tuple(x * 2, x + 1); };
constexpr auto scalars = [](kt::dscalar x) { return std::tuple(x * 2, x + 1); };
constexpr auto with_total = [](kt::dvector x) { return std::tuple(x * 2, sum(x)); };
constexpr auto matrices = [](kt::dmatrix x) { return std::tuple(exp(x), dot(x, x.T())); };
constexpr auto doubled = [](kt::dvector x) { return 2 * x; };
constexpr auto stepped = [](kt::dvector x, kt::dvector w) { return kt::outputs(w * x).update(w, w + x); };
constexpr auto scaled = [](kt::dscalar x, kt::dscalar w) { return kt::outputs(w * x).update(w, w + x); };
constexpr auto read_only = [](kt::dvector x, kt::dvector w) { return w * x; };
constexpr auto both_updated = [](kt::dvector a, kt::dvector b) { return kt::outputs(a).update(a, a + 1).update(b, b * 2); };
constexpr auto first_updated = [](kt::dvector a, kt::dvector b) { return kt::outputs(a + b).update(a, a * b); };
constexpr auto last_updated = [](kt::dscalar a, kt::dscalar b) { return kt::outputs(a + b).update(b, a * b + 1); };

template <class F, class Check>
void in_every_mode(F const& f, Check check) {
  SECTION("compiled") { check([&](auto const&... s) { return kt::function(f, s..., kt::mode::fast_run); }); }
  SECTION("interpreted") { check([&](auto const&... s) { return kt::function(f, s..., kt::mode::interpret); }); }
  SECTION("debug") { check([&](auto const&... s) { return kt::function(f, s..., kt::mode::debug); }); }
}

vec<double> const x{1, 2, 3};

}  // namespace

TEST_CASE("one container as two targets", "[targets]") {
  in_every_mode(two_lengths, [](auto make) {
    auto f = make();
    vec<double> t, u;
    CHECK_THROWS_AS(f.into(std::tie(t, t), x), kt::value_error);
    CHECK_THROWS_WITH(f.into(std::tie(t, t), x), "into: targets 1 and 2 share memory");
    CHECK(t.size() == 0);
    t = x;
    CHECK_THROWS_AS(f.into(std::tie(t, t), x), kt::value_error);
    CHECK((t == x));
    f.into(std::tie(t, u), x);
    CHECK((t == vec<double>{2, 4, 6}));
    CHECK((u == vec<double>{1, 2, 3, 2, 3, 4}));
  });
}
TEST_CASE("views of one array: what counts are elements, not ranges", "[targets]") {
  in_every_mode(one_length, [](auto make) {
    auto f = make();
    mat<double> m(std::array<I, 2>{3, 2}, 0.0);
    auto left = xt::view(m, xt::all(), 0), right = xt::view(m, xt::all(), 1);
    f.into(std::tie(left, right), x);
    CHECK((m == mat<double>{{2, 2}, {4, 3}, {6, 4}}));
    f.into(std::tuple(xt::view(m, xt::all(), 1), xt::view(m, xt::all(), 0)), x);
    CHECK((m == mat<double>{{2, 2}, {3, 4}, {4, 6}}));
    CHECK_THROWS_AS(f.into(std::tie(left, left), x), kt::value_error);

    vec<double> v(std::array<I, 1>{6}, -1.0);
    auto front = xt::view(v, xt::range(0, 3)), back = xt::view(v, xt::range(3, 6)), middle = xt::view(v, xt::range(2, 5));
    CHECK_THROWS_AS(f.into(std::tie(front, middle), x), kt::value_error);
    CHECK_THROWS_AS(f.into(std::tie(middle, back), x), kt::value_error);
    CHECK_THROWS_AS(f.into(std::tie(v, middle), x), kt::value_error);
    CHECK((v == vec<double>(std::array<I, 1>{6}, -1.0)));
    f.into(std::tie(front, back), x);
    CHECK((v == vec<double>{2, 4, 6, 2, 3, 4}));
    auto even = xt::view(v, xt::range(0, 6, 2)), odd = xt::view(v, xt::range(1, 6, 2)), third = xt::view(v, xt::range(5, xt::placeholders::_, -1));
    f.into(std::tie(odd, even), x);
    CHECK((v == vec<double>{2, 2, 3, 4, 4, 6}));
    CHECK_THROWS_AS(f.into(std::tie(odd, third), x), kt::value_error);
  });
}
TEST_CASE("views without strides", "[targets]") {
  in_every_mode(one_length, [](auto make) {
    auto f = make();
    vec<double> v(std::array<I, 1>{6}, -1.0);
    auto a = xt::view(v, xt::keep(0, 2, 5)), b = xt::view(v, xt::keep(1, 3, 4)), c = xt::view(v, xt::keep(3, 1, 2));
    f.into(std::tie(a, b), x);
    CHECK((v == vec<double>{2, 2, 4, 3, 4, 6}));
    CHECK_THROWS_AS(f.into(std::tie(a, c), x), kt::value_error);
    CHECK_THROWS_AS(f.into(std::tie(v, c), x), kt::value_error);
    auto tail = xt::view(v, xt::range(2, 5));
    CHECK_THROWS_AS(f.into(std::tie(tail, b), x), kt::value_error);
    CHECK((v == vec<double>{2, 2, 4, 3, 4, 6}));
  });
}
TEST_CASE("blocks of a matrix", "[targets]") {
  auto f = kt::function(matrices);
  mat<double> m(std::array<I, 2>{6, 6}, 0.0);
  auto const one = matrix<double>(2, 2);
  auto block = [&](int i, int j) { return xt::view(m, xt::range(i, i + 2), xt::range(j, j + 2)); };
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      auto fixed = block(2, 2), other = block(i, j);
      bool const overlap = i > 0 && i < 4 && j > 0 && j < 4;
      if (overlap) CHECK_THROWS_AS(f.into(std::tie(fixed, other), one), kt::value_error);
      else CHECK_NOTHROW(f.into(std::tie(fixed, other), one));
    }
}
TEST_CASE("scalars as targets", "[targets]") {
  in_every_mode(scalars, [](auto make) {
    auto f = make();
    double a = 0, b = 0;
    CHECK_THROWS_AS(f.into(std::tie(a, a), 1.5), kt::value_error);
    CHECK(a == 0);
    f.into(std::tie(a, b), 1.5);
    CHECK(a == 3);
    CHECK(b == 2.5);
  });
}
TEST_CASE("a scalar that is an element of another target", "[targets]") {
  in_every_mode(with_total, [](auto make) {
    auto f = make();
    vec<double> v{0, 0, 0}, longer(std::array<I, 1>{4}, 0.0);
    CHECK_THROWS_AS(f.into(std::tie(v, v(1)), x), kt::value_error);
    CHECK((v == vec<double>{0, 0, 0}));
    auto part = xt::view(longer, xt::range(0, 3));
    f.into(std::tie(part, longer(3)), x);
    CHECK((longer == vec<double>{2, 4, 6, 6}));
  });
}
TEST_CASE("adapted targets and views have to fit, whatever they adapt", "[targets]") {
  in_every_mode(doubled, [](auto make) {
    auto f = make();
    std::vector<double> memory(2, -1.0);
    auto pointer = xt::adapt(memory.data(), 2, xt::no_ownership(), std::array<I, 1>{2});
    auto adapted = xt::adapt(memory, std::array<I, 1>{2});
    auto dynamic = xt::adapt(memory, std::vector<I>{2});
    CHECK_THROWS_AS(f.into(pointer, x), kt::shape_error);
    CHECK_THROWS_AS(f.into(adapted, x), kt::shape_error);
    CHECK_THROWS_AS(f.into(dynamic, x), kt::shape_error);
    vec<double> whole{0, 0, 0};
    CHECK_THROWS_AS(f.into(xt::view(whole, xt::range(0, 2)), x), kt::shape_error);
    CHECK_THROWS_WITH(f.into(pointer, x), Contains("a target of shape (2)") && Contains("a result of shape (3)"));
    CHECK((memory == std::vector<double>{-1, -1}));
    CHECK(pointer.size() == 2);
    vec<double> const two{1, 2};
    f.into(pointer, two);
    CHECK((memory == std::vector<double>{2, 4}));
    f.into(adapted, vec<double>{3, 4});
    f.into(dynamic, vec<double>{5, 4});
    CHECK((memory == std::vector<double>{10, 8}));
    CHECK(memory.size() == 2);
  });
}
TEST_CASE("two adapters of one vector", "[targets]") {
  in_every_mode(one_length, [](auto make) {
    auto f = make();
    std::vector<double> memory(3), none;
    auto a = xt::adapt(memory, std::array<I, 1>{3}), b = xt::adapt(memory, std::array<I, 1>{3});
    auto c = xt::adapt(none, std::array<I, 1>{0}), d = xt::adapt(none, std::array<I, 1>{0});
    CHECK_THROWS_AS(f.into(std::tie(a, b), x), kt::value_error);
    CHECK_THROWS_AS(f.into(std::tie(c, d), x), kt::shape_error);
  });
}
TEST_CASE("a target is not memory of a shared variable that the call updates", "[targets]") {
  in_every_mode(stepped, [](auto make) {
    kt::shared w(vec<double>{1, 1, 2});
    auto f = make(w);
    CHECK_THROWS_AS(f.into(w.storage(), x), kt::value_error);
    CHECK_THROWS_WITH(f.into(w.storage(), x), Contains("target 1") && Contains("shared variable"));
    auto part = xt::view(w.storage(), xt::all());
    CHECK_THROWS_AS(f.into(part, x), kt::value_error);
    CHECK((w.get_value() == vec<double>{1, 1, 2}));
    vec<double> y;
    f.into(y, x);
    CHECK((y == vec<double>{1, 2, 6}));
    CHECK((w.get_value() == vec<double>{2, 3, 5}));
  });
}
TEST_CASE("the same with a scalar", "[targets]") {
  in_every_mode(scaled, [](auto make) {
    kt::shared w(3.0);
    auto f = make(w);
    CHECK_THROWS_AS(f.into(w.storage(), 2.0), kt::value_error);
    CHECK(w.get_value() == 3);
    double y = 0;
    f.into(y, 2.0);
    CHECK(y == 6);
    CHECK(w.get_value() == 5);
  });
}
TEST_CASE("a shared variable that is only read may be a target", "[targets]") {
  in_every_mode(read_only, [](auto make) {
    kt::shared w(vec<double>{1, 1, 2});
    auto f = make(w);
    f.into(w.storage(), x);
    CHECK((w.get_value() == vec<double>{1, 2, 6}));
  });
}
TEST_CASE("one shared variable is not bound to two parameters that are updated", "[targets][updates]") {
  in_every_mode(both_updated, [](auto make) {
    kt::shared w(x), v(x), other = w;
    CHECK_THROWS_AS(make(w, w), kt::value_error);
    CHECK_THROWS_AS(make(w, other), kt::value_error);
    CHECK_THROWS_WITH(make(w, w), "kt::function: parameter 1 (dvector) and parameter 2 (dvector) "
                                  "are both updated, but bound to the same shared variable");
    auto f = make(w, v);
    f();
    CHECK((w.get_value() == vec<double>{2, 3, 4}));
    CHECK((v.get_value() == vec<double>{2, 4, 6}));
  });
}
TEST_CASE("one shared variable bound twice, and updated once", "[targets][updates]") {
  SECTION("a vector") {
    in_every_mode(first_updated, [](auto make) {
      kt::shared w(x);
      auto f = make(w, w);
      CHECK((f() == vec<double>{2, 4, 6}));
      CHECK((w.get_value() == vec<double>{1, 4, 9}));
      CHECK((f() == vec<double>{2, 8, 18}));
      CHECK((w.get_value() == vec<double>{1, 16, 81}));
    });
  }
  SECTION("a scalar") {
    in_every_mode(last_updated, [](auto make) {
      kt::shared w(2.0);
      auto f = make(w, w);
      CHECK(f() == 4);
      CHECK(w.get_value() == 5);
    });
  }
}
TEST_CASE("the members of one struct bound twice", "[targets][updates]") {
  mat<double> const W{{1, 2}, {3, 4}};
  kt::shared<layer> weights(W, vec<double>{5, 6});
  CHECK_THROWS_AS(kt::function([](layer a, layer b) { return kt::outputs().update(a, b).update(b, a); }, weights, weights), kt::value_error);
  CHECK_THROWS_WITH(kt::function([](layer a, kt::dvector b) { return kt::outputs().update(a.b, b).update(b, a.b); }, weights, kt::get<&layer::b>(weights)),
                    Contains("b and ") && Contains("the same shared variable"));
  auto f = kt::function([](layer a, layer b) { return kt::outputs(dot(a.W, b.b)).update(a.b, a.b + b.b); }, weights, weights);
  CHECK((f() == vec<double>{17, 39}));
  CHECK((kt::get<&layer::b>(weights).get_value() == vec<double>{10, 12}));
}
TEST_CASE("targets of functions of graphs that are made at run time", "[targets]") {
  kt::runtime::graph g;
  auto v = g.input<double, 1>("v");
  auto f = g.function({v}, std::tuple(v * 2, v + 1));
  vec<double> t, u;
  CHECK_THROWS_AS(f.into(std::tie(t, t), x), kt::value_error);
  f.into(std::tie(t, u), x);
  CHECK((t == vec<double>{2, 4, 6}));
  CHECK((u == vec<double>{2, 3, 4}));
}
