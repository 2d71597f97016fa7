// Functions: forms of results, outputs that are inputs, views or literals, functions without arguments, copies.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <thread>

using namespace reference;
using I = std::size_t;

TEST_CASE("one output is a value, several are a tuple, in every form a lambda may return them") {
  vec<double> const x{1, 2};
  auto one = kt::function([](kt::dvector v) { return v + 1; });
  static_assert(std::is_same_v<decltype(one(x)), vec<double>>);
  auto scalar = kt::function([](kt::dvector v) { return sum(v); });
  static_assert(std::is_same_v<decltype(scalar(x)), double>);
  auto pair = kt::function([](kt::dvector v) { return std::pair(v + 1, sum(v)); });
  static_assert(std::is_same_v<decltype(pair(x)), std::tuple<vec<double>, double>>);
  auto array = kt::function([](kt::dvector v) { return std::array{v + 1, v + 2}; });
  static_assert(std::is_same_v<decltype(array(x)), std::tuple<vec<double>, vec<double>>>);
  auto listed = kt::function([](kt::dvector v) { return kt::outputs(v + 1, v > 1, sum(v > 1)); });
  static_assert(std::is_same_v<decltype(listed(x)), std::tuple<vec<double>, vec<bool>, std::int64_t>>);
  auto nested = kt::function([](kt::dvector v) { return std::tuple(v + 1, std::pair(v * 2, sum(v))); });
  static_assert(std::is_same_v<decltype(nested(x)), std::tuple<vec<double>, vec<double>, double>>);
  CHECK((one(x) == vec<double>{2, 3}));
  CHECK(scalar(x) == 3);
  CHECK((std::get<0>(pair(x)) == vec<double>{2, 3}));
  CHECK((std::get<1>(array(x)) == vec<double>{3, 4}));
  CHECK(std::get<2>(listed(x)) == 1);
  CHECK(std::get<2>(nested(x)) == 3);
}

TEST_CASE("an output may be an input, a view of one, the same value twice, or a literal") {
  auto f = kt::function([](kt::dmatrix m, kt::dscalar s, kt::lvector l) {
    auto y = m * 2;
    return std::tuple(m, m.T(), m(0), y, y, y.T(), y(kt::slice(), 1), s, l, sum(ones_like(m)) * 0 + 3, zeros_like(l), m(kt::newaxis), s + 0 * s, y + 0);
  });
  mat<double> const m{{1, 2, 3}, {4, 5, 6}};
  auto const r = f(m, 0.5, vec<std::int64_t>{7, 8});
  auto twice = [&](I i, I j) { return 2 * m(i, j); };
  CHECK((std::get<0>(r) == m));
  CHECK(mismatch(std::get<1>(r), [&](I i, I j) { return m(j, i); }) == "");
  CHECK((std::get<2>(r) == vec<double>{1, 2, 3}));
  CHECK(mismatch(std::get<3>(r), twice) == "");
  CHECK(mismatch(std::get<4>(r), twice) == "");
  CHECK(mismatch(std::get<5>(r), [&](I i, I j) { return twice(j, i); }) == "");
  CHECK((std::get<6>(r) == vec<double>{4, 10}));
  CHECK(std::get<7>(r) == 0.5);
  CHECK((std::get<8>(r) == vec<std::int64_t>{7, 8}));
  CHECK(std::get<9>(r) == 3);
  CHECK((std::get<10>(r) == vec<std::int64_t>{0, 0}));
  CHECK(mismatch(std::get<11>(r), [&](I, I i, I j) { return m(i, j); }) == "");
  CHECK(std::get<12>(r) == 0.5);
  CHECK(mismatch(std::get<13>(r), twice) == "");
}

TEST_CASE("a function of shared variables alone takes no arguments") {
  kt::shared w(vec<double>{1, 2, 3});
  kt::shared n(2);
  auto f = kt::function([](kt::dvector v, kt::iscalar k) { return std::tuple(v * k, sum(v), k + 1); }, w, n);
  CHECK((std::get<0>(f()) == vec<double>{2, 4, 6}));
  CHECK(std::get<1>(f()) == 6);
  CHECK(std::get<2>(f()) == 3);
  n.set_value(3);
  w.set_value(vec<double>{5});
  CHECK((std::get<0>(f()) == vec<double>{15}));
}

TEST_CASE("generic lambdas take their parameter types next to them") {
  constexpr auto body = [](auto x, auto y) { return x * y; };
  auto f = kt::function<kt::dvector, kt::dscalar>(body);
  auto g = kt::function<kt::lmatrix, kt::lvector>(body);
  CHECK((f(vec<double>{1, 2}, 3) == vec<double>{3, 6}));
  CHECK((g(mat<std::int64_t>{{1, 2}}, vec<std::int64_t>{3, 4}) == mat<std::int64_t>{{3, 8}}));
}

TEST_CASE("copies share the shared variables and have a workspace of their own") {
  kt::shared count(std::int64_t{0});
  auto f = kt::function([](kt::dmatrix x, kt::lscalar n) { return kt::outputs(sum(dot(exp(x), x.T()), kt::axis<0>)).update(n, n + 1); }, count);
  auto g = f;
  mat<double> const a = matrix<double>(3, 4, 1), b = matrix<double>(50, 4, 2);
  auto const fa = f(a), gb = g(b);
  CHECK(count.get_value() == 2);
  CHECK((g(a) == fa));
  CHECK((f(b) == gb));
  auto h = std::move(g);
  CHECK((h(a) == fa));
  h = f;
  CHECK((h(b) == gb));

  // Without updates, threads with a copy each do not disturb each other.
  auto pure = kt::function([](kt::dmatrix x) { return sum(dot(exp(x), x.T()), kt::axis<0>); });
  bool right[4]{};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t, mine = pure]() mutable {
      bool all = true;
      for (int i = 0; i < 50; ++i) all = all && (mine(a) == fa) && (mine(b) == gb);
      right[t] = all;
    });
  for (auto& t : threads) t.join();
  for (bool r : right) CHECK(r);
}

TEST_CASE("calls with other extents, larger and smaller, reuse nothing wrong") {
  auto f = kt::function([](kt::dmatrix x, kt::dvector v) { return std::tuple(exp(x) * v, sum(dot(x, v) * 2), max(x, kt::axis<0>), flatten(x.T()) + 1); });
  for (auto [n, k] : {std::pair<I, I>{3, 4}, {30, 40}, {1, 1}, {3, 4}, {7, 2}, {30, 40}}) {
    CAPTURE(n, k);
    auto const x = matrix<double>(n, k, 1);
    auto const v = numbers<double>(k, 2);
    auto const r = f(x, v);
    CHECK(mismatch(std::get<0>(r), [&](I i, I j) { return std::exp(x(i, j)) * v(j); }, 1e-14) == "");
    double total = 0;
    for (I i = 0; i < n; ++i)
      for (I j = 0; j < k; ++j) total += 2 * x(i, j) * v(j);
    CHECK(close(std::get<1>(r), total, 1e-13, 1e-13));
    CHECK(mismatch(std::get<2>(r), [&](I j) { double t = x(0, j); for (I i = 0; i < n; ++i) t = std::fmax(t, x(i, j)); return t; }) == "");
    CHECK(mismatch(std::get<3>(r), [&](I i) { return x(i % n, i / n) + 1; }) == "");
  }
}

TEST_CASE("conditions are checked again whenever extents change, also after a call that was refused") {
  auto f = kt::function([](kt::dmatrix x, kt::dvector v) { return std::tuple(x * v, sum(exp(x) * 2, kt::axis<1>)); });
  auto const x = matrix<double>(3, 4, 1);
  auto const good = numbers<double>(4, 2), bad = numbers<double>(5, 3);
  auto const expected = f(x, good);
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS_AS(f(x, bad), kt::shape_error);
    CHECK_THROWS_AS(f(x, bad), kt::shape_error);
    CHECK(f(x, good) == expected);
    CHECK(f(x, good) == expected);
    CHECK_THROWS_AS(f(matrix<double>(4, 3, 1), good), kt::shape_error);
    auto const empty = f(mat<double>::from_shape({0, 4}), good);
    CHECK(std::get<0>(empty).shape()[1] == 4);
    CHECK(std::get<1>(empty).size() == 0);
  }
  // A refused argument leaves nothing behind that the next call would take for its own.
  xt::xarray<double> const of_rank_1 = xt::ones<double>({4});
  CHECK_THROWS_AS(f(of_rank_1, bad), kt::shape_error);
  CHECK_THROWS_AS(f(x, bad), kt::shape_error);
  CHECK(f(x, good) == expected);
}

TEST_CASE("what depends on values, an index or a shared variable's extents, is checked at every call") {
  auto at = kt::function([](kt::dvector v, kt::lscalar i) { return v(i); });
  vec<double> const v{1, 2, 3};
  CHECK(at(v, 2) == 3);
  CHECK_THROWS_AS(at(v, 3), kt::value_error);
  CHECK_THROWS_AS(at(v, 3), kt::value_error);
  CHECK(at(v, -1) == 3);
  kt::shared w(vec<double>{1, 1, 1});
  auto add = kt::function([](kt::dvector x, kt::dvector s) { return kt::outputs(x + s).update(s, x * s); }, w);
  CHECK((add(v) == vec<double>{2, 3, 4}));
  CHECK((w.get_value() == v));
  w.set_value(vec<double>{5, 5});
  CHECK_THROWS_AS(add(v), kt::shape_error);
  CHECK_THROWS_AS(add(v), kt::shape_error);
  CHECK((w.get_value() == vec<double>{5, 5}));
  CHECK((add(vec<double>{1, 2}) == vec<double>{6, 7}));
  CHECK((w.get_value() == vec<double>{5, 10}));
}
