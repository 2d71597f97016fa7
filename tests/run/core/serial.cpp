// Serial ops: as many calls as were recorded, in that order, in both stages.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/core/splice.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

int calls = 0;

/// Its operand plus the number of calls before this one.
struct counted : kt::operation<"counted", 1> {
  static constexpr bool is_serial = true;
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d) {
    return {kt::core::extent_source::dimension, 0, d};
  }
  static constexpr auto pullback(kt::term g, kt::term, kt::term) { return kt::inputs(g); }
  static void run(kt::core::invocation const& call) {
    auto const* const x = reinterpret_cast<double const*>(call.operand(0).data);
    auto* const y = reinterpret_cast<double*>(call.result().data);
    for (std::ptrdiff_t i = 0; i < call.result().size(); ++i) y[i] = x[i] + calls;
    ++calls;
  }
};

constexpr kt::term count(kt::term x) { return {x.of, x.of->apply<counted>({x.id})}; }
constexpr kt::dvector count(kt::dvector x) { return kt::dvector(count(kt::term(x))); }

/// Serial, with no gradient written.
struct counted_only : counted {
  static constexpr std::string_view name = "counted_only";
  static constexpr kt::core::no_pullback pullback{};
};

/// Serial, and told of calls that throw.
struct told : counted {
  static constexpr std::string_view name = "told";
  static void abandon() { calls = 0; }
};

using vector = xt::xtensor<double, 1>;

}  // namespace

TEST_CASE("equal serial calls are all made, in the order in which they were recorded") {
  auto const f = kt::function([](kt::dvector x) {
    auto const a = count(x), b = count(x);
    return kt::outputs(b, a, a + b, sum(a * b));
  });
  vector const x{10, 20};
  for (int k : {0, 2}) {
    calls = k;
    auto const [b, a, sum, product] = f(x);
    CHECK((a == x + k));
    CHECK((b == x + k + 1));
    CHECK((sum == 2 * x + 2 * k + 1));
    CHECK(calls == k + 2);
  }

  kt::runtime::graph g;
  auto const v = g.input<double, 1>("v");
  auto const a = count(v), b = count(v);
  auto const h = g.function({v}, b - 2 * a);
  calls = 5;
  CHECK((h(x) == x + 6 - 2 * (x + 5)));
  CHECK(calls == 7);
}

TEST_CASE("a serial call runs after those before it, whose results nothing else needs") {
  auto const f = kt::function([](kt::dvector x) {
    count(x);
    count(x + 1);
    return count(x);
  });
  calls = 0;
  CHECK((f(vector{1}) == vector{3}));
  CHECK(calls == 3);
}

TEST_CASE("a serial call in a branch is made whichever is taken") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar c) { return ifelse(c > 0, count(2 * x), -x); });
  calls = 0;
  CHECK((f(vector{1}, -1) == vector{-1}));
  CHECK(calls == 1);
  CHECK((f(vector{1}, 1) == vector{3}));
  CHECK(calls == 2);
}

TEST_CASE("an op is told of calls that throw, before it or after it, in both stages") {
  constexpr auto formula = [](kt::dvector x) {
    kt::dvector const before = kt::assert_that("not too small", min(x) > 0, x);
    kt::dvector const one(kt::term{x.of, x.of->apply<told>({before.id})}), two(kt::term{x.of, x.of->apply<told>({one.id})});
    return kt::assert_that("not too large", max(x) < 9, two);
  };
  auto const check = [](auto const& f) {
    calls = 3;
    CHECK((f(vector{1, 2}) == vector{1 + 3 + 4, 2 + 3 + 4}));
    CHECK(calls == 5);
    CHECK_THROWS_AS(f(vector{1, -2}), kt::value_error);
    CHECK(calls == 0);
    CHECK_THROWS_AS(f(vector{9, 2}), kt::value_error);
    CHECK(calls == 0);
  };
  check(kt::function(formula));
  check(kt::function(formula, kt::mode::interpret));
  check(kt::function(formula, kt::mode::profile));
  kt::runtime::graph g;
  auto const v = g.input<double, 1>("v");
  auto const h = g.function({v}, formula(v));
  check([&](vector const& x) { return vector(h(x)); });
}

TEST_CASE("gradients pass serial calls, and not from one to the next") {
  auto const f = kt::function([](kt::dvector x) { return grad(sum(count(x) * count(x)), x); });
  calls = 0;
  CHECK((f(vector{10, 20}) == vector{21, 41}));
  CHECK(calls == 2);
  auto const no_error = kt::function([](kt::dvector x) {
    count(x);
    int const constant = kt::zeros_like(x).id;
    return grad(sum(x * kt::dvector(kt::term{x.of, x.of->apply<counted_only>({constant})})), x);
  });
  calls = 3;
  CHECK((no_error(vector{10, 20}) == vector{4, 4}));
  CHECK(calls == 5);
}

TEST_CASE("a serial call is one for all slices, or refused") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector v) {
    return kt::vmap([&](kt::dvector row) { return row * count(v); })(x);
  });
  calls = 1;
  CHECK((f(xt::xtensor<double, 2>{{1, 2}, {3, 4}}, vector{1, 1}) == xt::xtensor<double, 2>{{2, 4}, {6, 8}}));
  CHECK(calls == 2);
  constexpr bool refused = [] {
    kt::graph g;
    kt::dmatrix const x(kt::term{&g, g.input(kt::dmatrix::parameter_type, 0)});
    g.results().push_back(kt::vmap([](kt::dvector row) { return count(row); })(x).id);
    return g.error() == "kt::vmap, kt::jacobian, kt::hessian: an op whose calls have an order, such as kt::all_reduce, cannot be mapped";
  }();
  CHECK(refused);
}

TEST_CASE("a graph that is recorded twice in another makes its serial calls twice") {
  constexpr bool chained = [] {
    kt::graph inner, g;
    kt::term const x{&inner, inner.input(kt::dvector::parameter_type, 0)};
    inner.results().push_back(count(x).id);
    int const argument[] = {g.input(kt::dvector::parameter_type, 0)};
    int const first = kt::core::splice(g, inner, argument)[0], second = kt::core::splice(g, inner, argument)[0];
    return first != second && g.is_literal(g.input_of(first, 1), 0) && g.input_of(second, 1) == first;
  }();
  CHECK(chained);
  constexpr bool refused = [] {
    kt::graph g;
    kt::dvector const x(kt::term{&g, g.input(kt::dvector::parameter_type, 0)});
    g.results().push_back(kt::opaque([](kt::dvector v) { return count(v); })(x).id);
    return g.error() == kt::core::no_serial_inside;
  }();
  CHECK(refused);
}
