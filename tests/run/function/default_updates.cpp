// Shared variables with an update of their own.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;

namespace {

struct line : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(line, (kt::dscalar, slope), (kt::dvector, offset));
};

constexpr auto times = [](kt::dvector x, kt::lscalar n) { return x * n; };
constexpr auto next = [](kt::lscalar n) { return n + 1; };

}  // namespace

TEST_CASE("every function that is bound to the variable makes its update") {
  kt::shared n(std::int64_t{0});
  auto const calls = kt::with_default_update(n, next);
  vec<double> const x{1, 2};
  auto f = kt::function(times, calls);
  auto g = kt::function([](kt::lscalar n) { return std::tuple(n, 2 * n); }, calls);
  CHECK((f(x) == vec<double>{0, 0}));
  CHECK(g() == std::tuple(1, 2));
  CHECK((f(x) == vec<double>{2, 4}));
  CHECK(n.get_value() == 3);
  CHECK(calls.get_value() == 3);
  // Not where the lambda updates it, nor where it is bound without.
  auto back = kt::function([](kt::lscalar n) { return kt::outputs(n).update(n, n - 2); }, calls);
  CHECK(back() == 3);
  CHECK(n.get_value() == 1);
  auto still = kt::function(times, kt::no_default_update(calls));
  CHECK((still(x) == vec<double>{1, 2}));
  CHECK((kt::function(times, n)(x) == vec<double>{1, 2}));
  CHECK((kt::function(times, kt::no_default_update(n))(x) == vec<double>{1, 2}));
  CHECK(n.get_value() == 1);
  // Copies make it, too, unless they are told not to.
  CHECK((f.copy()(x) == vec<double>{1, 2}));
  CHECK((f.copy(kt::delete_updates)(x) == vec<double>{2, 4}));
  CHECK(n.get_value() == 2);
  kt::shared m(std::int64_t{10});
  CHECK((f.copy(kt::swap(calls, m))(x) == vec<double>{10, 20}));
  CHECK((m.get_value() == 11 && n.get_value() == 2));
  // A later one takes its place; a handle is a kt::shared like others.
  auto const twos = kt::with_default_update(calls, [](auto n) { return n + 2; });
  CHECK((kt::function(times, twos)(x) == vec<double>{2, 4}));
  CHECK(n.get_value() == 4);
  kt::shared<std::int64_t, 0> handle(twos);
  handle.set_value(7);
  CHECK(twos.get_value() == 7);
  // A call that fails changes nothing.
  auto checked = kt::function([](kt::dvector x, kt::dvector y, kt::lscalar n) { return (x + y) * n; }, calls);
  CHECK_THROWS_AS(checked(x, vec<double>{1, 2, 3}), kt::shape_error);
  CHECK(n.get_value() == 7);
}

TEST_CASE("a variable with a default update that is bound twice") {
  kt::shared n(std::int64_t{3});
  auto const calls = kt::with_default_update(n, next);
  constexpr auto sum_of_two = [](kt::lscalar a, kt::lscalar b) { return a + b; };
  // As Theano has it, the update is made once.
  auto both = kt::function(sum_of_two, calls, calls);
  CHECK(both() == 6);
  CHECK(both() == 8);
  auto given = kt::function(sum_of_two, calls, kt::givens<0>(next, calls));
  CHECK(given() == 11);
  CHECK(n.get_value() == 6);
  n.set_value(3);
  // Another update of the variable is another value: that of the lambda, that of another handle.
  auto const own = [](kt::lscalar a, kt::lscalar b) { return kt::outputs(b).update(a, b + 7); };
  CHECK_THROWS_WITH(kt::function(own, calls, calls), Catch::Contains("kt::no_default_update"));
  auto const doubled = kt::with_default_update(n, [](kt::lscalar n) { return 2 * n; });
  CHECK_THROWS_AS(kt::function(sum_of_two, calls, doubled), kt::value_error);
  auto f = kt::function(sum_of_two, calls, kt::no_default_update(calls));
  CHECK(f() == 6);
  CHECK(f() == 8);
  auto g = kt::function(sum_of_two, calls, kt::givens<0>(next, kt::no_default_update(calls)));
  CHECK(g() == 11);
  CHECK(n.get_value() == 6);
  // In words for other updates, without this advice.
  CHECK_THROWS_WITH(kt::function([](kt::lscalar a, kt::lscalar b) { return kt::outputs(a).update(a, b).update(b, a); }, n, n), !Catch::Contains("default"));
}

TEST_CASE("variables of structs and updates in place, bound twice") {
  kt::shared<line> p(2.0, vec<double>{1, 2, 3});
  auto const moved = kt::with_default_update(p, [](line p) { return line{{}, p.slope + 1, 2 * p.offset}; });
  auto f = kt::function([](line a, line b) { return a.offset + b.offset * a.slope; }, moved, moved);
  CHECK((f() == vec<double>{3, 6, 9}));
  CHECK((f() == vec<double>{8, 16, 24}));
  CHECK((kt::get<&line::offset>(p).get_value() == vec<double>{4, 8, 12}));
  CHECK(kt::get<&line::slope>(p).get_value() == 4);
  // One that reads a further variable: the same one, or another.
  kt::shared x(vec<double>{1, 2}), up(vec<double>{1, 1}), down(vec<double>{-1, -1});
  constexpr auto sum = [](kt::dvector x, kt::dvector by) { return x + by; };
  constexpr auto product = [](kt::dvector a, kt::dvector b) { return a * b; };
  auto const rising = kt::with_default_update(x, sum, up);
  auto g = kt::function(product, rising, rising);
  CHECK((g() == vec<double>{1, 4}));
  CHECK((g() == vec<double>{4, 9}));
  CHECK((x.get_value() == vec<double>{3, 4}));
  CHECK_THROWS_AS(kt::function(product, rising, kt::with_default_update(x, sum, down)), kt::value_error);
}

TEST_CASE("an update that reads further shared variables") {
  kt::shared speed(vec<double>{0, 0}), force(vec<double>{1, 2});
  kt::shared friction(0.5);
  auto const moving = kt::with_default_update(
      speed, [](kt::dvector v, kt::dvector f, kt::dscalar mu) { return mu * v + f; }, force, friction);
  auto f = kt::function([](kt::dscalar t, kt::dvector v) { return t * v; }, moving);
  CHECK((f(10) == vec<double>{0, 0}));
  CHECK((f(10) == vec<double>{10, 20}));
  force.set_value(vec<double>{0, 0});
  CHECK((f(10) == vec<double>{15, 30}));
  CHECK((speed.get_value() == vec<double>{0.75, 1.5}));
  // With others, in any order, and a mode.
  kt::shared n(std::int64_t{1});
  auto const calls = kt::with_default_update(n, next);
  for (auto mode : {0, 1}) {
    constexpr auto scaled = [](kt::dscalar c, kt::dvector v, kt::dscalar a, kt::lscalar n) { return kt::outputs(c * v, n).update(a, 2 * a); };
    kt::shared a(1.0);
    auto check = [&](auto const& g) {
      speed.set_value(vec<double>{1, 2});
      n.set_value(5);
      CHECK(g(2) == std::tuple(vec<double>{2, 4}, 5));
      CHECK((speed.get_value() == vec<double>{0.5, 1}));
      CHECK(n.get_value() == 6);
      CHECK(a.get_value() == 2);
    };
    if (mode == 0) check(kt::function(scaled, moving, a, calls));
    else check(kt::function(scaled, moving, a, calls, kt::mode::interpret));
  }
}

TEST_CASE("default updates of structs, and with streams and givens") {
  kt::shared<line> l(1.0, vec<double>{2, 3});
  auto const fading = kt::with_default_update(l, [](line l) { return 0.5 * l; });
  auto f = kt::function([](kt::dvector x, line l) { return kt::outputs(l.slope * x + l.offset).update(l.slope, 7.); }, fading);
  CHECK((f(vec<double>{1, 1}) == vec<double>{3, 4}));
  CHECK(kt::get<&line::slope>(l).get_value() == 7);  // by the lambda
  CHECK((kt::get<&line::offset>(l).get_value() == vec<double>{1, 1.5}));
  auto g = kt::function([](kt::dscalar c, line l) { return c * l; }, fading, kt::mode::ieee);
  CHECK(kt::get<&line::slope>(g(2)) == 14);
  CHECK(kt::get<&line::slope>(l).get_value() == 3.5);

  kt::shared n(std::int64_t{3});
  auto const calls = kt::with_default_update(n, next);
  kt::mrg_random_streams s(42), plain(42);
  auto h = kt::function([](kt::dscalar c, kt::lscalar n, kt::rng r) { return c * r.uniform(n) + r.uniform(n); }, calls, s);
  auto k = kt::function([](kt::dscalar c, kt::lscalar n, kt::rng r) { return c * r.uniform(n) + r.uniform(n); }, plain);
  for (int i = 3; i < 5; ++i) CHECK(xt::allclose(h(2), k(2, i)));
  // The variables of givens make their updates as well.
  auto m = kt::function([](kt::dscalar a, kt::dscalar b) { return a - b; },
                        kt::givens<1>([](kt::lscalar n) { return kt::cast<double>(n); }, calls));
  CHECK(m(1) == -4);
  CHECK(m(1) == -5);
  CHECK(n.get_value() == 7);
}
