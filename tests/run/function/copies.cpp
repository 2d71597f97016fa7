// Copies of functions, bound to other shared variables.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>

#include "run/reference.hpp"

using namespace reference;

namespace {

struct line : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(line, (kt::dscalar, slope), (kt::dvector, offset));
};

constexpr auto count = [](kt::dvector x, kt::dvector w, kt::lscalar n) {
  return kt::outputs(dot(x, w), n).update(n, n + 1).update(w, w + x);
};

}  // namespace

TEST_CASE("a copy is bound to other shared variables, all or some") {
  vec<double> const x{1, 2};
  kt::shared w(vec<double>{1, 1}), v(vec<double>{10, 10});
  kt::shared n(std::int64_t{0}), m(std::int64_t{100});
  auto f = kt::function(count, w, n);
  auto same = f.copy();
  static_assert(std::is_same_v<decltype(f), decltype(same)>);
  CHECK(same(x) == std::tuple(3., 0));
  CHECK(f(x) == std::tuple(8., 1));  // the same variables
  auto other = f.copy(v, m);
  static_assert(std::is_same_v<decltype(f), decltype(other)>);
  CHECK(other(x) == std::tuple(30., 100));
  CHECK((v.get_value() == vec<double>{11, 12}));
  CHECK((w.get_value() == vec<double>{3, 5}));
  auto half = f.copy(kt::swap(n, m));
  CHECK(half(x) == std::tuple(13., 101));
  CHECK(n.get_value() == 2);
  CHECK((w.get_value() == vec<double>{4, 7}));
  // Both at the same time
  auto back = other.copy(kt::swap(m, n), kt::swap(v, w));
  CHECK(back(x) == std::tuple(18., 2));
  CHECK_THROWS_AS(f.copy(kt::swap(m, n)), kt::value_error);
  CHECK_THROWS_WITH(f.copy(kt::swap(v, w)), Catch::Contains("not bound to this shared variable"));
  // Only one can take its place.
  CHECK_THROWS_WITH(f.copy(kt::swap(w, v), kt::swap(w, w)), Catch::Contains("exchanged twice"));
  CHECK_THROWS_AS(f.copy(kt::swap(n, m), kt::swap(w, v), kt::swap(n, m)), kt::value_error);
}

TEST_CASE("variables of a copy that are exchanged with each other") {
  kt::shared a(1.0), b(10.0);
  auto f = kt::function([](kt::dscalar a, kt::dscalar b) { return kt::outputs(a - b).update(a, a + 1); }, a, b);
  auto g = f.copy(kt::swap(a, b), kt::swap(b, a));
  CHECK(g() == 9);
  CHECK(b.get_value() == 11);
  // One variable for two parameters that are updated is refused, as by kt::function.
  auto h = kt::function([](kt::dscalar a, kt::dscalar b) { return kt::outputs(a).update(a, b).update(b, a); }, a, b);
  CHECK_THROWS_AS(h.copy(kt::swap(a, b)), kt::value_error);
  CHECK_NOTHROW(h.copy(b, a));
}

TEST_CASE("copies without updates") {
  kt::shared w(vec<double>{1, 1}), v(vec<double>{2, 2});
  kt::shared n(std::int64_t{0});
  auto f = kt::function(count, w, n);
  auto still = f.copy(kt::delete_updates);
  CHECK(still(vec<double>{1, 2}) == std::tuple(3., 0));
  CHECK(still(vec<double>{1, 2}) == std::tuple(3., 0));
  CHECK(f(vec<double>{1, 2}) == std::tuple(3., 0));
  CHECK(still(vec<double>{1, 2}) == std::tuple(8., 1));
  auto other = f.copy(kt::delete_updates, kt::swap(w, v));
  CHECK(other(vec<double>{1, 2}) == std::tuple(6., 1));
  CHECK(f.copy(v, n, kt::delete_updates)(vec<double>{1, 2}) == std::tuple(6., 1));
  CHECK((v.get_value() == vec<double>{2, 2}));
  auto plain = kt::function([](kt::dscalar x) { return x + 1; });
  CHECK(plain.copy(kt::delete_updates)(1) == 2);
}

TEST_CASE("copies with structs and streams") {
  constexpr auto draw = [](kt::lscalar k, line l, kt::rng r) {
    auto y = l.slope * r.uniform(k) + l.offset;
    return kt::outputs(y, l).update(l, 2 * l);
  };
  kt::shared<line> l(1.0, vec<double>{0, 0}), k(3.0, vec<double>{1, 1});
  kt::random_streams s(1), t(1), u(1);
  auto f = kt::function(draw, l, s);
  auto g = f.copy(kt::swap(l, k), kt::swap(s, t));
  auto uniform = kt::function([](kt::lscalar k, kt::rng r) { return r.uniform(k); }, u);
  vec<double> const numbers = uniform(2);
  CHECK(xt::allclose(std::get<0>(g(2)), 3 * numbers + 1));
  CHECK(xt::allclose(std::get<0>(f(2)), numbers));
  CHECK(kt::get<&line::slope>(k).get_value() == 6);
  CHECK(kt::get<&line::slope>(l).get_value() == 2);
  t.seed(1);
  CHECK(xt::allclose(std::get<0>(f.copy(k, t)(2)), 6 * numbers + 2));
  // One member
  kt::shared steep(100.0);
  t.seed(1);
  auto h = g.copy(kt::swap(kt::get<&line::slope>(k), steep), kt::delete_updates);
  CHECK(xt::allclose(std::get<0>(h(2)), 100 * numbers + 4));
  CHECK(steep.get_value() == 100);
  CHECK_THROWS_WITH(g.copy(kt::swap(k, l), kt::swap(kt::get<&line::slope>(k), steep)), Catch::Contains("exchanged twice"));
  CHECK_THROWS_AS(g.copy(kt::swap(t, s), kt::swap(t, u)), kt::value_error);
}

TEST_CASE("copies in other modes, and of functions with donated arguments") {
  kt::shared w(2.0f), v(3.0f);
  constexpr auto scale = [](kt::fvector x, kt::fscalar w) { return w * x; };
  auto f = kt::function(scale, w, kt::mode::fast_compile);
  CHECK(xt::allclose(f.copy(v)(vec<float>{1, 2}), vec<float>{3, 6}));
  auto x = vec<float>{1, 2};
  x = f.copy(kt::swap(w, v))(std::move(x));
  CHECK(xt::allclose(x, vec<float>{3, 6}));
}
